#include "import/marshal.h"

#include <endian.h>
#include <errno.h>

#include "base/err.h"

#define FLAG_REF   0x80
#define UNFINISHED UINT32_MAX
#define LONG_BITS  15 /* of a digit */

/* A tuple or dictionary whose items are being read. */
struct level {
	uint32_t object;
	size_t left; /* items to come; of a dictionary it does not matter */
	size_t base; /* of its items among those that wait */
	bool dict;
	size_t ref; /* place in refs, or SIZE_MAX */
};

struct parse {
	struct marshal *m;
	const char *name;
	struct span all;
	size_t at;
	struct level levels[MARSHAL_DEPTH];
	size_t depth;
	VEC(uint32_t) waiting; /* objects, until that which holds them is whole */
};

static int bad(const struct parse *p, const char *what)
{
	return err(-EINVAL, "'%s', byte %zu: %s", p->name, p->at, what);
}

static bool take(struct parse *p, void *to, size_t n)
{
	if (n > p->all.n - p->at)
		return false;
	memcpy(to, p->all.s + p->at, n);
	p->at += n;
	return true;
}

static int cut_off(const struct parse *p)
{
	return bad(p, "the file ends within an object");
}

/* A length in @bytes bytes. */
static bool take_length(struct parse *p, size_t bytes, size_t *n)
{
	uint32_t value = 0;

	if (!take(p, &value, bytes))
		return false;
	*n = le32toh(value);
	return true;
}

static int read_text(struct parse *p, size_t bytes, struct marshal_object *o)
{
	size_t n;

	if (!take_length(p, bytes, &n) || n > p->all.n - p->at)
		return cut_off(p);
	*o = (struct marshal_object){
		.type = MARSHAL_TEXT, .n = (uint32_t)n, .text = p->all.s + p->at};
	p->at += n;
	return 0;
}

static int read_int(struct parse *p, size_t bytes, struct marshal_object *o)
{
	uint64_t value = 0;

	if (!take(p, &value, bytes))
		return cut_off(p);
	value = le64toh(value);
	*o = (struct marshal_object){.type = MARSHAL_INT,
				     .i = bytes == 4 ? (int32_t)value : (int64_t)value};
	return 0;
}

/* A sign and the number of digits, then digits of 15 bits, the lowest first. */
static int read_long(struct parse *p, struct marshal_object *o)
{
	int64_t value = 0;
	int32_t n;

	if (!take(p, &n, sizeof(n)))
		return cut_off(p);
	n = (int32_t)le32toh((uint32_t)n);
	for (int64_t i = 0; i < (n < 0 ? -(int64_t)n : n); i++) {
		uint16_t digit;

		if (!take(p, &digit, sizeof(digit)))
			return cut_off(p);
		digit = le16toh(digit);
		if (digit >> LONG_BITS || i * LONG_BITS > 45 + LONG_BITS ||
		    (i * LONG_BITS == 60 && digit > 7))
			return bad(p, "a number that does not fit 64 bits");
		value |= (int64_t)digit << (i * LONG_BITS);
	}
	*o = (struct marshal_object){.type = MARSHAL_INT, .i = n < 0 ? -value : value};
	return 0;
}

static int read_double(struct parse *p, struct marshal_object *o)
{
	uint64_t bits;
	double value;

	if (!take(p, &bits, sizeof(bits)))
		return cut_off(p);
	bits = le64toh(bits);
	memcpy(&value, &bits, sizeof(value));
	*o = (struct marshal_object){.type = MARSHAL_FLOAT, .f = value};
	return 0;
}

/* As text, by versions 0 and 1. */
static int read_decimal(struct parse *p, struct marshal_object *o)
{
	double value;
	int rc = read_text(p, 1, o);

	if (rc)
		return rc;
	if (!span_double((struct span){o->text, o->n}, &value))
		return bad(p, "a number that is none");
	*o = (struct marshal_object){.type = MARSHAL_FLOAT, .f = value};
	return 0;
}

/* Objects that hold no others. -ENOENT: it is none of these. */
static int read_plain(struct parse *p, int type, struct marshal_object *o)
{
	switch (type) {
	case 'N':
		*o = (struct marshal_object){.type = MARSHAL_NONE};
		return 0;
	case 'F':
	case 'T':
		*o = (struct marshal_object){.type = MARSHAL_INT, .i = type == 'T'};
		return 0;
	case 'i':
		return read_int(p, 4, o);
	case 'I':
		return read_int(p, 8, o);
	case 'l':
		return read_long(p, o);
	case 'g':
		return read_double(p, o);
	case 'f':
		return read_decimal(p, o);
	case 's':
	case 't':
	case 'u':
	case 'a':
	case 'A':
		return read_text(p, 4, o);
	case 'z':
	case 'Z':
		return read_text(p, 1, o);
	}
	return -ENOENT;
}

static uint32_t add_object(struct parse *p, const struct marshal_object *o)
{
	vec_push(&p->m->objects, *o);
	return (uint32_t)p->m->objects.n - 1;
}

static int open_level(struct parse *p, int type, size_t ref)
{
	const bool dict = type == '{';
	size_t left = 0;

	if (!dict && !take_length(p, type == ')' ? 1 : 4, &left))
		return cut_off(p);
	/* Each item takes a byte at least. */
	if (left > p->all.n - p->at)
		return cut_off(p);
	if (p->depth == MARSHAL_DEPTH)
		return bad(p, "nested deeper than a profile is");
	p->levels[p->depth++] = (struct level){
		.object = add_object(
			p, &(struct marshal_object){.type = dict ? MARSHAL_DICT : MARSHAL_TUPLE}),
		.left = left,
		.base = p->waiting.n,
		.dict = dict,
		.ref = ref,
	};
	return 0;
}

/* The object that the innermost level has become, whole. */
static int close_level(struct parse *p, uint32_t *out)
{
	const struct level *l = &p->levels[--p->depth];
	struct marshal_object *o = &p->m->objects.at[l->object];
	const size_t n = p->waiting.n - l->base;

	if (l->dict && n % 2)
		return bad(p, "a key without a value");
	o->first = p->m->items.n;
	o->n = (uint32_t)(l->dict ? n / 2 : n);
	for (size_t i = 0; i < n; i++)
		vec_push(&p->m->items, p->waiting.at[l->base + i]);
	p->waiting.n = l->base;
	if (l->ref != SIZE_MAX)
		p->m->refs.at[l->ref] = l->object;
	*out = l->object;
	return 0;
}

static int read_ref(struct parse *p, uint32_t *out)
{
	size_t ref;

	if (!take_length(p, 4, &ref))
		return cut_off(p);
	if (ref >= p->m->refs.n || p->m->refs.at[ref] == UNFINISHED)
		return bad(p, "a reference to an object that is not there");
	*out = p->m->refs.at[ref];
	return 0;
}

/* One object, or the beginning of one: 1 where *@out is whole. */
static int read_object(struct parse *p, uint32_t *out)
{
	struct marshal_object o;
	size_t ref = SIZE_MAX;
	uint8_t type;
	int rc;

	if (p->m->objects.n >= MARSHAL_MOST)
		return bad(p, "more objects than a profile has");
	if (!take(p, &type, 1))
		return cut_off(p);
	if (type == '0' && p->depth && p->levels[p->depth - 1].dict) {
		rc = close_level(p, out);
		return rc ? rc : 1;
	}
	if (type == 'r') {
		rc = read_ref(p, out);
		return rc ? rc : 1;
	}
	if (type & FLAG_REF) {
		ref = p->m->refs.n;
		vec_push(&p->m->refs, UNFINISHED);
	}
	type &= (uint8_t)~FLAG_REF;
	if (type == '{' || type == '(' || type == ')')
		return open_level(p, type, ref);
	rc = read_plain(p, type, &o);
	if (rc)
		return rc == -ENOENT ? bad(p, "an object that no profile has: not of cProfile")
				     : rc;
	*out = add_object(p, &o);
	if (ref != SIZE_MAX)
		p->m->refs.at[ref] = *out;
	return 1;
}

/* Hands @object to the level that waits for it, and that on to the next where it is whole now. */
static int settle(struct parse *p, uint32_t object)
{
	int rc = 0;

	while (p->depth) {
		struct level *l = &p->levels[p->depth - 1];

		vec_push(&p->waiting, object);
		if (l->dict || --l->left)
			return 0;
		rc = close_level(p, &object);
		if (rc)
			return rc;
	}
	p->m->root = object;
	return 1;
}

int marshal_read(struct marshal *m, const char *name, struct span bytes)
{
	struct parse p = {.m = m, .name = name, .all = bytes};
	int rc = 0;

	*m = (struct marshal){0};
	while (!rc) {
		uint32_t object = 0;

		rc = read_object(&p, &object);
		/* A tuple of nothing is whole at once. */
		if (!rc && p.depth && !p.levels[p.depth - 1].dict && !p.levels[p.depth - 1].left)
			rc = close_level(&p, &object) ? -EINVAL : 1;
		if (rc > 0)
			rc = settle(&p, object);
	}
	vec_release(&p.waiting);
	return rc < 0 ? rc : 0;
}

void marshal_release(struct marshal *m)
{
	vec_release(&m->objects);
	vec_release(&m->items);
	vec_release(&m->refs);
}

bool marshal_is_dict(struct span head)
{
	if (!head.n || (head.s[0] & 0x7f) != '{')
		return false;
	return head.n > 1 && ((head.s[1] & 0x7f) == '(' || (head.s[1] & 0x7f) == ')' ||
			      (head.s[1] == '0' && head.n == 2));
}
