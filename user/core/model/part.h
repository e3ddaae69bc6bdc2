/*
 * part: what a profile is of. A part is there or is not by itself: whoever fills it says so with
 * profile_add_part(), and nobody infers it from what else is there. The file keeps their names.
 */
#ifndef MODEL_PART_H
#define MODEL_PART_H

#include <stddef.h>

enum profile_part {
	PART_ANY, /* no part of its own: what every profile has */
	PART_SAMPLES,
	PART_ZONES,  /* calls that were counted and timed, though there may have been none */
	PART_OFFCPU, /* waits of threads off the CPU, and why they waited */
	PART_SOURCE, /* texts of source lines */
	PARTS
};

/* As in the file: "samples". NULL of PART_ANY. */
const char *part_name(enum profile_part);

/* The part whose name is the @n bytes at @name; PART_ANY where it is not known. */
enum profile_part part_find(const char *name, size_t n);

#endif
