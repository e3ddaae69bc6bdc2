/*
 * doubt: what in a profile contradicts itself. Nobody who reads it comes to harm by that, which
 * profile_check() has made sure of; but a reader should know. A checkpoint of a capture that was
 * killed may be so, and files of other writers.
 *
 * The rule: profile_check() refuses what could lead the program astray: an index out of its table,
 * a parent behind its child, columns of unequal length, numbers that are not finite or do not fit,
 * sums that overflow. All else that cannot be true is a doubt, and is shown with a word.
 */
#ifndef MODEL_DOUBT_H
#define MODEL_DOUBT_H

#include "model/profile.h"

#define DOUBTS_MOST 5

struct doubts {
	char *text[DOUBTS_MOST]; /* owned: one clause each, in the order of the tables */
	size_t n;		 /* of text */
	size_t all;		 /* that there are */
};

/* Of a profile that profile_check() let pass. Linear in its tables. */
void doubts_find(const struct profile *, struct doubts *);
void doubts_release(struct doubts *);

/* All of them: "ledger of cpu-clock: 10 taken, but 11 kept + 0 lost; zones, row 3: …; and 4 more".
 * Freed by the caller; NULL where there are none. */
char *doubts_text(const struct profile *);

#endif
