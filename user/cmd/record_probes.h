/*
 * record_probes: the options of record that are about functions with probes: zones, and the other
 * actions.
 */
#ifndef CMD_RECORD_PROBES_H
#define CMD_RECORD_PROBES_H

#include <getopt.h>
#include <stdbool.h>
#include <stddef.h>

#include "perf/event.h"
#include "probe/engine.h"

struct record_probes {
	struct zonepatterns *patterns; /* owned; NULL: none, no probes */
	struct engine_options o;       /* whole after record_probes_finish() */
	VEC(const char *) switches;
	const char *zone_option;  /* one that was given, and is for zones alone; else NULL */
	const char *probe_option; /* the same for probes */
	char *clock;		  /* as it was given; owned; NULL: not */
};

/* Their numbers; others are below. */
#define RECORD_PROBES_FIRST 0x1000
/* Room for them all. */
#define RECORD_PROBES_OPTIONS 32

/* Fills in the options, and says how many there are. */
size_t record_probes_options(struct option *out);
/* Those of actions but zone, for --help. */
void record_probes_help(void);
/* One of them; an exit status or a negative errno when it is wrong. */
int record_probes_take(struct record_probes *, int opt, const char *arg);
/* An option of the action itself was given, and made @own of it, which is borrowed: asks for the
 * action at the functions that it implies. As record_probes_take(). */
int record_probes_imply(struct record_probes *, enum wire_action, const void *own);
/* After the last; as record_probes_take(). */
int record_probes_finish(struct record_probes *);
/* Some action takes samples. */
bool record_probes_sample(const struct record_probes *);
void record_probes_release(struct record_probes *);

/* Puts the event of that name behind the @n that are there, where there is room. Errors with a
 * text. */
int record_add_event(struct event *events, size_t *n, const char *name);

#endif
