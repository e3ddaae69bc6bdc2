/*
 * keeper: the process of ours that holds the probes of zones. A program that takes probes for code
 * must not start before they are gone, whatever the loader does just then: reads code, writes to a
 * slow disk, is stopped by Ctrl-Z, is killed. So probes are hung by this process, which does
 * nothing else, is no member of the loader's session and outlives it by the moment that it takes to
 * take them away.
 *
 * Files of such programs are watched (fanotify(7), permission events): their start waits, and no
 * other's, until the probes that they could meet are gone. The loader hears of it afterwards, and
 * gets no probe hung before it has. Where the kernel does not let us watch (no CAP_SYS_ADMIN),
 * nothing waits.
 */
#ifndef LOAD_KEEPER_H
#define LOAD_KEEPER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"
#include "load/probes.h"
#include "symbol/crew.h"

/* Links that the keeper holds; for keeper_drop(). */
typedef VEC(uint32_t) keeper_links;

/* A watched file began to be run. */
struct keeper_start {
	uint64_t time_ns; /* CLOCK_MONOTONIC: before it was let go on */
	uint32_t pid;	  /* 0: it is not of our PID namespace */
	uint32_t tag;	  /* of the file, as keeper_watch() was told */
};
typedef VEC(struct keeper_start) keeper_starts;

struct keeper;
/* @wait is asked every so often while the keeper works; borrowed. Errors with a text. */
int keeper_new(const struct probes *, const struct crew_wait *wait, struct keeper **out);
/* Takes all probes away, and waits for that. NULL is fine. */
void keeper_free(struct keeper *);

/* As probes_attach(), but for nothing where it fails; adds the link to @out. -EAGAIN without a
 * text: keeper_started() has news first. */
int keeper_hang(struct keeper *, enum probe_program, int fd, uint32_t pid, const probe_list *,
		keeper_links *out);
/* Takes the probes of these links away, in that order; does not wait for it. */
void keeper_drop(struct keeper *, keeper_links *);

/* Watches the file @fd. */
void keeper_watch(struct keeper *, int fd, uint32_t tag);
/* What has begun since it was asked last; false: nothing. What was hung for all processes, or for
 * that one, hangs no more, though its links are still to be dropped. */
bool keeper_started(struct keeper *, keeper_starts *out);

/* Somebody killed it: there are no probes any more. */
bool keeper_is_gone(const struct keeper *);
/* Its CPU time. */
int64_t keeper_cpu_ns(const struct keeper *);

#endif
