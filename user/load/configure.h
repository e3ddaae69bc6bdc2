/*
 * configure: prepares the BPF programs for a capture before they are loaded: which to load, whose
 * hits count, how many become samples. For load/session_bpf.c.
 */
#ifndef LOAD_CONFIGURE_H
#define LOAD_CONFIGURE_H

#include <stdbool.h>
#include <stddef.h>

#include "load/sampling.h"
#include "load/session.h"

struct bpf_link;
struct bpf_program;
struct eprof_bpf;

/* @self_time: the sampling programs time themselves. */
void configure(struct eprof_bpf *, const struct session_options *, struct sampling by,
	       bool self_time);
/* Whether tasks outside the target hit the event, too, so that its program must filter. */
bool configure_filters(const struct session_options *, struct sampling by, size_t event);
/* The program of an event. */
struct bpf_program *configure_program(struct eprof_bpf *, const struct session_options *,
				      size_t event);
/* Call when they are loaded, before other programs run: in a nested PID namespace, such as a
 * container, has them learn its process numbers. *@out, which the caller destroys, is NULL in the
 * first namespace. Errors with a text. */
int configure_learn_ids(struct eprof_bpf *, struct bpf_link **out);

#endif
