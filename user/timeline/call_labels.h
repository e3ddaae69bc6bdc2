/*
 * call_labels: the arguments of sampled calls in words, by which calls are told apart: 'paint(
 * colour=RED, name="sky")'. For the action stack. Their number is bounded.
 */
#ifndef TIMELINE_CALL_LABELS_H
#define TIMELINE_CALL_LABELS_H

#include <stdbool.h>
#include <stdint.h>

#include "abi/signature.h"
#include "base/hash.h"
#include "base/intern.h"
#include "base/str.h"
#include "base/vec.h"
#include "wire.h"

/* Different labels of a capture, at most; calls with others are of "paint(…)". */
#define CALL_LABELS_MOST 1000
/* Different values of a capture that are looked up, at most: several can be the same in words. */
#define CALL_VALUES_MOST 65536

/* What the programs have read of calls, under one hash. */
struct call_label {
	uint32_t text; /* in texts; 0: the programs have not sent it yet */
	uint32_t function;
	bool is_rest;
};

struct call_labels {
	struct intern texts;
	VEC(struct call_label) rows; /* row 0: none */
	struct map by_values;	     /* hash → row */
	struct map by_text;	     /* hash of a text → its number */
	struct map rest;	     /* function → row of all that come too late */
	VEC(char *) names;	     /* of functions, by number; NULL: unknown; owned */
};

void call_labels_init(struct call_labels *);
void call_labels_release(struct call_labels *);

/* Its calls come with arguments. */
void call_labels_name(struct call_labels *, uint32_t function, const char *name);
/* The row of a call, by the hash of its values, which may come later; 0 if that is 0. */
uint32_t call_labels_row(struct call_labels *, uint64_t values, uint32_t function);
/* The function whose calls have these values. */
static inline uint32_t call_labels_function(const struct wire_stack *values)
{
	return values->pid >> WIRE_ZONE_SHIFT;
}
/* Takes values; @is: what their function takes. */
void call_labels_take(struct call_labels *, const struct wire_stack *values,
		      const struct signature *is);
/* "paint(colour=RED)"; "paint(…)" of values that are one too many, or did not come: in @room. */
const char *call_labels_text(const struct call_labels *, uint32_t row, struct str *room);
/* Whether it has words. */
enum call_label_state {
	CALL_LABEL_TOLD,   /* or none is wanted */
	CALL_LABEL_REST,   /* too many: "paint(…)" */
	CALL_LABEL_UNSENT, /* the programs have not sent the values: the same */
};
static inline enum call_label_state call_labels_state(const struct call_labels *l, uint32_t row)
{
	const struct call_label *is = &l->rows.at[row];

	if (!row || is->text)
		return CALL_LABEL_TOLD;
	return is->is_rest ? CALL_LABEL_REST : CALL_LABEL_UNSENT;
}

#endif
