/*
 * codes: the functions of scripts that the walker has met in stacks, each with its name, file and
 * table of lines, as it was when it was first seen: the program may have freed it since.
 */
#ifndef SCRIPT_CODES_H
#define SCRIPT_CODES_H

#include <stdbool.h>
#include <stdint.h>

#include "wire_script.h"

struct script_code {
	char *name, *file; /* valid UTF-8, not cleaned for a terminal; owned */
	uint16_t language; /* enum wire_script_language */
	uint16_t form;	   /* of the table, as the language numbers them */
	uint32_t first_line;
	uint8_t *table; /* of lines; owned */
	uint32_t table_bytes;
	bool cut; /* its table is longer: later lines are unknown */
};

/* @text of at most @most bytes, as the walker sent it, as UTF-8; owned by the caller. */
char *codes_text(const struct wire_script_text *, const uint8_t *text, uint32_t most);

/* Set in the offset of a place: it is of what awaits the script's running task, not of the script's
 * stack (WIRE_FRAME_AWAITER). */
#define CODES_AWAITER (1ull << 63)

struct positions;
struct codes;
/* @positions: to find the lines of functions of which the place in their file is known; borrowed;
 * NULL: they stay unknown. */
struct codes *codes_new(struct positions *);
void codes_free(struct codes *);

/* Adds a record of @bytes, its table included. */
void codes_take(struct codes *, const struct wire_script *, uint64_t bytes);

/* The offset of a place (image IMAGE_SCRIPT) for the @value of a frame's word; it stays the same as
 * long as codes_forget() keeps the function. */
uint64_t codes_offset(struct codes *, uint64_t value);
/* The function at that offset; NULL: a note, see codes_note(). The book may be NULL. */
const struct script_code *codes_at(const struct codes *, uint64_t offset);
/* Whether it is not a function, but the name of a task of asyncio; "": one of too many. */
bool codes_is_task(const struct script_code *);
/* The line at that offset; 0: unknown. */
uint32_t codes_line(const struct codes *, uint64_t offset);
/* What stands in the place of frames: "[script frame unread]". */
const char *codes_note(uint64_t offset);

/* Forgets the functions that were received before the last call, and are not @used: so many bytes,
 * indexed by codes_number(), of codes_count(). */
uint32_t codes_number(uint64_t offset);
uint32_t codes_count(const struct codes *);
void codes_forget(struct codes *, const uint8_t *used);

#endif
