/*
 * part: what a profile is of. A part is there or is not by itself: whoever fills it says so with
 * profile_add_part(), and nobody infers it from what else is there. The file keeps their names.
 */
#ifndef MODEL_PART_H
#define MODEL_PART_H

#include <stdbool.h>

struct profile;

enum profile_part {
	PART_ANY, /* no part of its own: what every profile has */
	PART_SAMPLES,
	PART_ZONES, /* calls that were counted and timed, though there may have been none */
	PARTS
};

/* As in the file: "samples". NULL of PART_ANY. */
const char *part_name(enum profile_part);

void profile_add_part(struct profile *, enum profile_part);
/* True of PART_ANY. */
bool profile_has(const struct profile *, enum profile_part);

/* The names of the profile's parts, "samples,zones"; freed by the caller. */
char *profile_parts(const struct profile *);
/* Adds the parts of such a list, a newer program's perhaps: what is not known here becomes the
 * run's attribute RUN_UNKNOWN_PARTS. */
void profile_add_parts(struct profile *, const char *names);

#endif
