/*
 * triggers: conditions on events. Once one holds, the events around it are copied from the
 * recording, before newer ones overwrite them; all others are left.
 */
#ifndef TIMELINE_TRIGGERS_H
#define TIMELINE_TRIGGERS_H

#include <stdbool.h>
#include <stdint.h>

#include "timeline/call_arguments.h"
#include "timeline/recording.h"
#include "timeline/task_waits.h"

/* What is copied of the time before a condition began to hold and after it did, where --last does
 * not say: a part of the time that it is about, and no less than TRIGGERS_LEAST_NS. */
#define TRIGGERS_PART	  4
#define TRIGGERS_LEAST_NS 1000000

/* Events that triggers add to those of the recording. */
#define TRIGGERS_FIRED 100 /* value1: ns; value2: its number, from 1; more: which condition */
#define TRIGGERS_GAP   101 /* value1: events that were left before the next one */

/* Whether a condition is about a function: @trigger's place among the options. */
typedef bool triggers_is_about(void *context, uint32_t trigger, uint32_t function);

/* The arguments that the entries of a function come with; NULL: none. */
typedef const struct signature *triggers_args_of(void *context, uint32_t function);

/* A condition that held, whose time is not over. */
struct triggered {
	struct wire_event event; /* that it was found at */
	uint64_t place, from_ns, to_ns;
	uint32_t trigger;
	uint64_t ns;
};

struct triggers {
	const struct recording *recording;
	triggers_is_about *is_about;
	triggers_args_of *args_of;
	void *context;
	uint64_t looked, copied; /* places of the recording before which all was */
	uint32_t fired;
	bool asked; /* to copy what is there: triggers_ask() */
	VEC(struct triggered) open;
	recorded_events kept;
	struct call_arguments arguments; /* of entries that come, where conditions are about them */
	bool reads_arguments;
	struct task_waits waits;
	uint64_t no_room, unlooked;
};

void triggers_init(struct triggers *, const struct recording *, triggers_is_about *,
		   triggers_args_of *, void *context);
void triggers_release(struct triggers *);

/* Looks at the events since the last time, and copies what is complete; @last: all. */
void triggers_look(struct triggers *, bool last);
/* As if a condition held now; or copies all that is there, where no conditions are looked for. */
void triggers_ask(struct triggers *);
void triggers_copy_all(struct triggers *);
/* Appends the events that were copied, in order of time. */
void triggers_kept(const struct triggers *, recorded_events *out);
/* Forgets the events that were copied. */
void triggers_drop(struct triggers *);

#endif
