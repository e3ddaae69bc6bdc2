/*
 * record_probes: the options of record that are about functions with probes: zones, and the other
 * actions.
 */
#ifndef CMD_RECORD_PROBES_H
#define CMD_RECORD_PROBES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/options.h"
#include "perf/event.h"
#include "probe/engine.h"

struct record_probes {
	struct record_action {
		struct record_probes *probes;
		enum wire_action number;
	} action[WIRE_ACTIONS];	       /* of the options that belong to one */
	struct zonepatterns *patterns; /* owned; NULL: none, no probes */
	struct engine_options o;       /* whole after record_probes_finish() */
	VEC(const char *) switches;
	const char *zone_option;  /* one that was given, and is for zones alone; else NULL */
	const char *probe_option; /* the same for probes */
	char *clock;		  /* as it was given; owned; NULL: not */
};

/* Fills in the rows of these options, for @probes, and a last one: as many as it says. */
#define RECORD_PROBES_ROWS (WIRE_ACTIONS + 2) /* at most */
size_t record_probes_rows(struct record_probes *, struct option_row *out);
/* Those of actions but zone, for --help. */
void record_probes_help(void);
/* An option of the action itself was given, and made @own of it, which is borrowed: asks for the
 * action at the functions that it implies. 0, or a negative errno with a text. */
int record_probes_imply(struct record_probes *, enum wire_action, const void *own);
/* After the last; an exit status or a negative errno when something is wrong. */
int record_probes_finish(struct record_probes *);
/* Some action takes samples. */
bool record_probes_sample(const struct record_probes *);
void record_probes_release(struct record_probes *);

/* Puts the event of that name behind the @n that are there, where there is room. Errors with a
 * text. */
int record_add_event(struct event *events, size_t *n, const char *name);

#endif
