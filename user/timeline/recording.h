/*
 * recording: the events that the programs have written, read in place, as they are: the oldest may
 * be overwritten meanwhile. (bpf/probe/recorder.h)
 */
#ifndef TIMELINE_RECORDING_H
#define TIMELINE_RECORDING_H

#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"
#include "load/session.h"
#include "timeline/timeline_options.h"
#include "wire_event.h"

typedef VEC(struct wire_event) recorded_events;

struct recording {
	struct timeline_options o;
	struct session *session;
	const struct wire_event *slots; /* mapped; NULL: not yet */
	uint64_t bytes, mask;
};

/* Adds what the session must make. */
void recording_request(const struct recording *, struct session_options *);
/* Maps the slots, and sets the bound. Errors with a text. */
int recording_begin(struct recording *, struct session *);
void recording_release(struct recording *);

/* How many events there were so far, kept or not. */
uint64_t recording_made(const struct recording *);
/* The same, with what it took to record some of them. */
struct wire_event_state recording_state(const struct recording *);
/* What all events so far took from the target besides the probes, in ns. */
double recording_taken_ns(const struct recording *);

/* The event of that place; false: it is not there, or being written. */
bool recording_get(const struct recording *, uint64_t place, struct wire_event *out);

/* What became of the events of a span. */
struct recorded {
	uint64_t kept;
	uint64_t older;	    /* beyond the bound, overwritten or too old */
	uint64_t newer;	    /* beyond the bound where the first ones are kept */
	uint64_t elsewhere; /* far from what triggers ask for */
	uint64_t unlooked;  /* overwritten before triggers looked at them */
	/* Of those kept: wake-ups that none of the target's threads made, which show in the length
	 * of waits alone; and slots with arguments of an entry. */
	uint64_t foreign, pieces;
	/* Likewise: wake-ups that stand after the run that they caused. */
	uint64_t late;
	uint64_t backwards; /* likewise: those before an earlier one of the same thread */
	uint64_t unseen;    /* likewise: calls whose ends nobody sees */
	uint64_t unknown;   /* of functions without a name */
	uint64_t torn;	    /* being written when they were read */
};
/* Appends the events from place @from up to, without, @to that are there, in order of time; those
 * before @since_ns (CLOCK_MONOTONIC) are too old. */
struct recorded recording_read(const struct recording *, uint64_t from, uint64_t to,
			       uint64_t since_ns, recorded_events *out);

#endif
