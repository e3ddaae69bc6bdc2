/*
 * checkpoint: the profile so far, kept in a file while the capture runs, so that a kill -9 or a
 * crash of eprof loses no more than what came after it. Written by a forked child from its copy
 * of the capture's memory: the capture itself does not pause.
 */
#ifndef SOURCE_CHECKPOINT_H
#define SOURCE_CHECKPOINT_H

#include <stdint.h>
#include <sys/types.h>

struct capture;

/* A zeroed one is ready. */
struct checkpoint {
	pid_t child;	  /* writing at the moment, or 0 */
	uint64_t last_ns; /* when the last one was begun, CLOCK_MONOTONIC */
	uint64_t next_ns;
};

/* At each tick: begins one when it is due and none is under way. The first after 20 s, each
 * next one after twice the time, up to every 10 minutes: its cost stays a small share. */
void checkpoint_tick(struct checkpoint *, struct capture *, const char *path);
/* Waits for the one under way. */
void checkpoint_end(struct checkpoint *);

#endif
