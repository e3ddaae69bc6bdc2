/*
 * record_probes: record's options for probed functions: zones, and other actions.
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
	} action[WIRE_ACTIONS]; /* for options that belong to one action */

	/* Of options that do not request their action if one of others is asked for, bits: what was
	 * parsed, borrowed; NULL: none was given. */
	struct {
		const void *own;
		uint32_t also_for;
	} lent[WIRE_ACTIONS];

	struct zonepatterns *patterns;	/* owned; NULL: no probes */
	struct scriptpatterns *scripts; /* owned; NULL: no zones of scripts */
	struct engine_options o;	/* complete after record_probes_finish() */
	VEC(const char *) switches;
	const char *zone_option;  /* a given option that is for zones only; else NULL */
	const char *probe_option; /* the same for probes */
	char *clock;		  /* as given; owned; NULL: not given */
};

/* Fills in the rows of these options, for @probes, with an end row; returns their number. */
#define RECORD_PROBES_ROWS (WIRE_ACTIONS + 2) /* limit */
size_t record_probes_rows(struct record_probes *, struct option_row *out);
/* Prints the options of actions other than zone, for --help. */
void record_probes_help(void);
/* Call when an option of the action itself was parsed into @own, which is borrowed: probes the
 * functions that the action implies. 0, or a negative errno with a text. */
int record_probes_imply(struct record_probes *, enum wire_action, const void *own);
/* The same for one that is also for the actions of @also_for, bits: whether it requests its own is
 * decided after the last option. */
void record_probes_lend(struct record_probes *, enum wire_action, const void *own,
			uint32_t also_for);
/* Decides that. 0, or a negative errno with a text. */
int record_probes_settle(struct record_probes *);
/* Call after that; returns an exit status or a negative errno if something is wrong. */
int record_probes_finish(struct record_probes *);
/* Whether an action takes samples. */
bool record_probes_sample(const struct record_probes *);
void record_probes_release(struct record_probes *);

#endif
