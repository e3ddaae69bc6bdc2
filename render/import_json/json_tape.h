/*
 * json_tape: a JSON document (RFC 8259) as one array of values in the order of the text, for
 * importers. Strict, but for an array as the whole document, which may lack its end: tracers that
 * are killed write none. Bounded: no recursion, no deeper nesting than JSON_DEPTH, 16 bytes a
 * value and no more than JSON_MOST of them, and texts stay where the file has them.
 *
 *	struct json_tape t = {0};
 *	int rc = json_tape_read(&t, in);
 *
 *	tape_each (&t, event, tape_get(&t, JSON_ROOT, "traceEvents"))
 *		name = tape_text(&t, tape_get(&t, event, "name"));
 *	json_tape_release(&t);
 *
 * A value is known by its number; 0 is none, which every function takes.
 */
#ifndef IMPORT_JSON_TAPE_H
#define IMPORT_JSON_TAPE_H

#include "base/vec.h"
#include "import/scan.h"

#define JSON_BYTES ((size_t)512 << 20) /* of a document */
#define JSON_MOST  (1u << 26)	       /* values */
#define JSON_DEPTH 16384	       /* V8 nests the frames of a stack */
#define JSON_ROOT  1

enum json_type {
	JSON_NONE,
	JSON_NULL,
	JSON_BOOL,
	JSON_NUMBER,
	JSON_TEXT,
	JSON_ARRAY, /* its items follow */
	JSON_OBJECT /* its keys follow, each a text, and behind each its value */
};

struct json_value {
	uint32_t type; /* enum json_type */
	uint32_t at;   /* first byte of a number or a text, without escapes */
	uint32_t n;    /* bytes of that; items of an array, pairs of an object */
	uint32_t next; /* the value behind this one and all that it holds */
};

struct json_tape {
	VEC(struct json_value) values;
	const char *bytes; /* of the input, which must stay open */
	bool cut;	   /* an array that ends early: its last whole item is the last one */
};

/* Reads all of @in, whose bytes it changes: escapes are undone. 0, or -EINVAL or -EFBIG with a text
 * that names the file and the byte. Released by the caller in each case. */
int json_tape_read(struct json_tape *, struct input *);
void json_tape_release(struct json_tape *);

static inline enum json_type tape_type(const struct json_tape *t, uint32_t i)
{
	return (enum json_type)t->values.at[i].type;
}

/* The value of that key in an object, the last one if there are several; 0: none. */
uint32_t tape_get(const struct json_tape *, uint32_t object, const char *key);

/* The text; empty: it is none. */
struct span tape_text(const struct json_tape *, uint32_t);
/* A finite number, or a text that is one. */
bool tape_double(const struct json_tape *, uint32_t, double *out);
/* Such a number times @scale, to the nearest whole one, of which the amount is below 2^62. Whole
 * numbers are exact. */
bool tape_scaled(const struct json_tape *, uint32_t, int64_t scale, int64_t *out);
/* Whether it is such a number without a fraction, as digits alone. */
bool tape_is_whole(const struct json_tape *, uint32_t);
/* A number from 0 on. */
bool tape_index(const struct json_tape *, uint32_t, uint32_t *out);

/* Loops over the items of an array by their numbers; of anything else there are none. */
#define tape_each(t, item, array)                                                               \
	for (uint32_t item = tape_first(t, array, JSON_ARRAY), end_##item = tape_end(t, array); \
	     item < end_##item; item = (t)->values.at[item].next)
/* The same over the keys of an object; the value of @key is key + 1. */
#define tape_each_key(t, key, object)                                                            \
	for (uint32_t key = tape_first(t, object, JSON_OBJECT), end_##key = tape_end(t, object); \
	     key < end_##key; key = (t)->values.at[key + 1].next)

static inline uint32_t tape_end(const struct json_tape *t, uint32_t i)
{
	return t->values.at[i].next;
}

static inline uint32_t tape_first(const struct json_tape *t, uint32_t i, enum json_type type)
{
	return t->values.at[i].type == type ? i + 1 : tape_end(t, i);
}

/* The items of an array by their position. */
struct tape_items {
	VEC(uint32_t) all;
};

void tape_items_read(struct tape_items *, const struct json_tape *, uint32_t array);
/* 0: it has not so many. */
static inline uint32_t tape_item(const struct tape_items *items, size_t i)
{
	return i < items->all.n ? items->all.at[i] : 0;
}
static inline void tape_items_release(struct tape_items *items)
{
	vec_release(&items->all);
}

/* Whether a document that begins so has that key in an object at that depth, 1 the outermost. */
bool json_head_has(struct span head, unsigned depth, const char *key);
/* Whether it begins as an object or array does. */
bool json_head_is(struct span head, char bracket);

#endif
