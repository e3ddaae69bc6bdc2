/*
 * marshal: objects as Python's marshal module writes them (Python/marshal.c, versions 0 to 4), read
 * and never executed: numbers, texts, tuples, dictionaries. Anything else, code above all, is
 * refused. Bounded: no recursion, no deeper nesting than a profile has, no more objects than bytes,
 * and a reference (flag 0x80, 'r') costs nothing, however large what it refers to.
 */
#ifndef IMPORT_MARSHAL_H
#define IMPORT_MARSHAL_H

#include "base/vec.h"
#include "import/scan.h"

enum marshal_type {
	MARSHAL_NONE,
	MARSHAL_INT,
	MARSHAL_FLOAT,
	MARSHAL_TEXT,
	MARSHAL_TUPLE,
	MARSHAL_DICT
};

struct marshal_object {
	uint8_t type; /* enum marshal_type */
	uint32_t n;   /* bytes of a text, items of a tuple, pairs of a dictionary */
	union {
		int64_t i;
		double f;
		const char *text; /* within the input */
		size_t first;	  /* in items; of a pair the key comes first */
	};
};

#define MARSHAL_DEPTH 8
#define MARSHAL_MOST  (1u << 24) /* objects */

struct marshal {
	VEC(struct marshal_object) objects;
	VEC(uint32_t) items, refs;
	uint32_t root;
};

/* -EINVAL with a text that gives the place; released by the caller in each case. */
int marshal_read(struct marshal *, const char *name, struct span bytes);
void marshal_release(struct marshal *);

/* Whether bytes begin as a dictionary does, with a tuple for a key, or as an empty one. */
bool marshal_is_dict(struct span head);

/* Item @i of a tuple; of a dictionary 2 * pair, and the value behind the key. */
static inline const struct marshal_object *marshal_item(const struct marshal *m,
							const struct marshal_object *o, size_t i)
{
	return &m->objects.at[m->items.at[o->first + i]];
}

#endif
