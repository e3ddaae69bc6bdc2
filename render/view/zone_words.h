/*
 * zone_words: what the views of zones say alike: amounts, marks, captions, how long calls took,
 * what their probes cost. For the views only.
 */
#ifndef VIEW_ZONE_WORDS_H
#define VIEW_ZONE_WORDS_H

#include "model/zone_column.h"
#include "view/view.h"

/* The value of a column as people read it; "–" for times where none was taken. */
char *zone_cell_text(const struct zone_column *, const struct profile *, const struct zone *);

/* The same; a net time with its margin, "192 ms ±216 ms", where that is more than a tenth of it, or
 * always. */
char *zone_net_text(const struct zone_column *, const struct profile *, const struct zone *,
		    bool always);

/* Whether that stands beside any net time of the zone. */
bool zone_shows_margin(const struct zone *);

/* A cell of that column, of any kind, with its exact value for machines. */
void zone_cell(struct doc_table *, const struct zone_column *, const struct profile *,
	       const struct zone_row *);

/* "counted; 3 unwound; 2 in flight": what limits the row, "" where nothing does. Freed by the
 * caller. */
char *zone_notes(const struct zone *);

/* It has calls, and not one of them was timed. */
bool zone_is_counted(const struct zone *);
/* Its probes were taken away before the capture ended. */
bool zone_is_detached(const struct zone *);

/* "wall clock", or what the capture says of its clock. */
char *zone_clock(const struct profile *);

/* Whether --clock asked for that clock: "cpu", "rusage". */
bool zone_has_clock(const struct profile *, const char *name);

/* Whether any zone's times differ once the cost of probes is taken off. */
bool zone_is_netted(const struct profile *);

/* Sums over all zones of the profile. */
struct zone_sums {
	uint64_t zones, calls, in_flight, at_start, unwound, untimed;
	uint64_t shorts, counted;  /* zones that are short; that are counted only */
	uint64_t dwarfed, margins; /* zone_is_dwarfed(), zone_shows_margin() */
	uint64_t detached;	   /* zones that are not counted until the end */
};
struct zone_sums zone_sum(const struct profile *);

/* A profile that is of no zones has nothing for a view of zones, which then says so and no more. */
bool zone_says_none(const struct view_input *, struct doc *);

/* Why a profile that is of zones has none. */
#define ZONE_NONE_WHY "what ran had no function that matches"

/* The given options that do not apply to zones, as a sentence; NULL where there are none. Freed by
 * the caller. @threads: --thread and --pid are among those. */
char *zone_ignored_options(const struct selection *, bool threads);

#define SHAPE_STEPS 12

/* Calls of one zone by how long they took: in equal steps of the logarithm from the shortest to
 * the longest. */
struct zone_shape {
	double low_ns, high_ns; /* of the histogram's bins; 0, 0: without any */
	double calls[SHAPE_STEPS];
};

/* One for each zone of the profile, freed by the caller; NULL where it has no histograms. */
struct zone_shape *zone_shapes(const struct profile *);

void zone_shape_cell(struct doc_table *, const struct zone_shape *);

/* Which zones cost what they measure; nothing where the profile does not say what its probes cost.
 */
void probe_cost_fact(const struct view_input *, struct doc_block *);
/* Whether that is so much that the times are not those of the target alone. */
bool probe_cost_is_high(const struct view_input *);

#endif
