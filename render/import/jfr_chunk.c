/* The format has no specification; as in OpenJDK's jdk.jfr.internal.consumer (ChunkHeader,
 * MetadataReader). Whole numbers are big endian in the header, and behind it of 7 bits a byte, the
 * least first, but for the ninth, which has 8. */
#include "import/jfr_chunk.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"

#define MAGIC "FLR"

enum { TEXT_NULL, TEXT_EMPTY, TEXT_POOLED, TEXT_UTF8, TEXT_UTF16, TEXT_LATIN1 };

static bool step(struct jfr_cursor *c)
{
	c->bad |= !c->steps;
	c->steps -= !c->bad;
	return !c->bad;
}

static unsigned int byte(struct jfr_cursor *c)
{
	c->bad |= c->at >= c->end;
	return c->bad ? 0 : *c->at++;
}

uint64_t jfr_number(struct jfr_cursor *c)
{
	uint64_t value = 0;

	for (int i = 0; i < 8; i++) {
		const unsigned int b = byte(c);

		value |= (uint64_t)(b & 0x7f) << (7 * i);
		if (!(b & 0x80))
			return value;
	}
	return value | (uint64_t)byte(c) << 56;
}

static void pass(struct jfr_cursor *c, uint64_t n)
{
	c->bad |= n > (uint64_t)(c->end - c->at);
	c->at += c->bad ? 0 : n;
}

/* Half a pair without the other one becomes what is no UTF-8, which builder_text() replaces. */
static struct span utf16(struct jfr_cursor *c, uint64_t n)
{
	uint32_t high = 0;
	size_t used = 0;
	char *text;

	c->bad |= n > (uint64_t)(c->end - c->at);
	if (c->bad)
		return (struct span){"", 0};
	text = mem_zalloc(3 * (size_t)n + 1, 1);
	vec_push(&c->texts->at, text);
	for (; n && step(c); n--) {
		const uint32_t unit = (uint32_t)jfr_number(c) & 0xffff;
		const bool is_low = unit >= 0xdc00 && unit < 0xe000;

		if (high && is_low) {
			used -= 3; /* the high half, as it was put */
			used += str_put_code(text + used,
					     0x10000 + ((high - 0xd800) << 10) + (unit - 0xdc00));
		} else {
			used += str_put_code(text + used, unit);
		}
		high = unit >= 0xd800 && unit < 0xdc00 ? unit : 0;
	}
	return (struct span){text, used};
}

static struct span latin1(struct jfr_cursor *c, uint64_t n)
{
	size_t used = 0;
	char *text;

	c->bad |= n > (uint64_t)(c->end - c->at);
	if (c->bad)
		return (struct span){"", 0};
	text = mem_zalloc(2 * (size_t)n + 1, 1);
	vec_push(&c->texts->at, text);
	while (n--)
		used += str_put_code(text + used, byte(c));
	return (struct span){text, used};
}

void jfr_texts_release(struct jfr_texts *t)
{
	vec_each (text, &t->at)
		free(*text);
	vec_release(&t->at);
}

struct span jfr_text(struct jfr_cursor *c)
{
	const unsigned int how = byte(c);
	const char *at;
	uint64_t n;

	if (how == TEXT_POOLED)
		jfr_number(c);
	if (how < TEXT_UTF8 || how > TEXT_LATIN1)
		return (struct span){"", 0};
	n = jfr_number(c);
	at = (const char *)c->at;
	if (how == TEXT_UTF16)
		return utf16(c, n);
	if (how == TEXT_LATIN1)
		return latin1(c, n);
	pass(c, n);
	return c->bad ? (struct span){"", 0} : (struct span){at, (size_t)n};
}

const struct jfr_class *jfr_class(const struct jfr_chunk *k, uint64_t id)
{
	const uint32_t *row = map_get(&k->by_id, id);

	return row ? &k->classes.at[*row - 1] : NULL;
}

/* --- values ----------------------------------------------------------------------------------- */

/* How many bytes a value of a class without fields has; -1: a number, -2: a text, -3: unknown. */
static int plain(struct span name)
{
	static const struct {
		const char *name;
		int bytes;
	} all[] = {{"long", -1}, {"int", -1},	 {"short", -1},
		   {"char", -1}, {"boolean", 1}, {"byte", 1},
		   {"float", 4}, {"double", 8},	 {"java.lang.String", -2}};

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		if (span_is(name, all[i].name))
			return all[i].bytes;
	return -3;
}

static void pass_plain(const struct jfr_class *class, struct jfr_cursor *c)
{
	const int bytes = plain(class->name);

	if (bytes == -1)
		jfr_number(c);
	else if (bytes == -2)
		jfr_text(c);
	else
		pass(c, (uint64_t)bytes);
}

/* What is left to pass over: the fields of a class from one on, and how often. */
struct left {
	const struct jfr_class *class;
	size_t field;
	uint64_t times;
};

/* Begins the value of a field: numbers of pools at once, others by @push. */
static bool begin(const struct jfr_chunk *k, const struct jfr_field *f, struct jfr_cursor *c,
		  struct left *push)
{
	const uint64_t times = f->array ? jfr_number(c) : 1;
	const struct jfr_class *class = jfr_class(k, f->class);

	c->bad |= times > (uint64_t)(c->end - c->at);
	if (f->pooled || !class || plain(class->name) != -3) {
		c->bad |= !f->pooled && !class;
		for (uint64_t i = 0; i < times && step(c); i++) {
			if (f->pooled)
				jfr_number(c);
			else
				pass_plain(class, c);
		}
		return false;
	}
	*push = (struct left){class, 0, times};
	return times > 0;
}

static void pass_field(const struct jfr_chunk *k, const struct jfr_field *f, struct jfr_cursor *c)
{
	struct left stack[JFR_DEPTH];
	size_t depth = begin(k, f, c, &stack[0]) ? 1 : 0;

	while (depth && step(c)) {
		struct left *top = &stack[depth - 1];

		if (top->field == top->class->n) {
			top->field = 0;
			depth -= !--top->times;
			continue;
		}
		c->bad |= depth == JFR_DEPTH;
		if (!c->bad &&
		    begin(k, &k->fields.at[top->class->first + top->field++], c, &stack[depth]))
			depth++;
	}
}

void jfr_value(const struct jfr_chunk *k, const struct jfr_class *class, struct jfr_cursor *c,
	       jfr_take_fn take, void *context)
{
	if (plain(class->name) != -3) {
		pass_plain(class, c);
		return;
	}
	for (size_t i = 0; i < class->n && step(c); i++) {
		const struct jfr_field *f = &k->fields.at[class->first + i];

		if (!take || !take(context, f, c))
			pass_field(k, f, c);
	}
}

/* --- the classes ------------------------------------------------------------------------------ */

struct texts {
	VEC(struct span) at;
};

static struct span text_at(const struct texts *t, uint64_t i)
{
	return i < t->at.n ? t->at.at[i] : (struct span){"", 0};
}

static uint64_t id_of(struct span s)
{
	uint64_t id;

	return span_number(s, 10, UINT64_MAX, &id) ? id : 0;
}

/* The attributes of an element. */
struct element {
	struct span kind, name, id, class, pooled, dimension;
};

static void read_element(struct jfr_cursor *c, const struct texts *t, struct element *e)
{
	*e = (struct element){.kind = text_at(t, jfr_number(c))};
	for (uint64_t n = jfr_number(c); n && step(c); n--) {
		const struct span key = text_at(t, jfr_number(c)),
				  value = text_at(t, jfr_number(c));
		struct span *to = span_is(key, "name")		 ? &e->name
				  : span_is(key, "id")		 ? &e->id
				  : span_is(key, "class")	 ? &e->class
				  : span_is(key, "constantPool") ? &e->pooled
				  : span_is(key, "dimension")	 ? &e->dimension
								 : NULL;

		if (to)
			*to = value;
	}
}

static void take_element(struct jfr_chunk *k, const struct element *e)
{
	if (span_is(e->kind, "class")) {
		const struct jfr_class class = {e->name, id_of(e->id), k->fields.n, 0};

		vec_push(&k->classes, class);
		map_number(&k->by_id, class.id, k->classes.n);
	} else if (span_is(e->kind, "field") && k->classes.n) {
		const struct jfr_field f = {e->name, id_of(e->class), span_is(e->pooled, "true"),
					    e->dimension.n && !span_is(e->dimension, "0")};

		vec_push(&k->fields, f);
		k->classes.at[k->classes.n - 1].n++;
	}
}

/* Elements in order: a field is of the class before it, so how they nest does not matter. */
static void read_classes(struct jfr_chunk *k, struct jfr_cursor *c)
{
	struct texts texts = {{0}};
	uint64_t left = 1;

	for (int i = 0; i < 5; i++) /* size, type, start, duration, number of the metadata */
		jfr_number(c);
	for (uint64_t n = jfr_number(c); n && step(c); n--)
		vec_push(&texts.at, jfr_text(c));
	while (left && step(c)) {
		struct element e;
		uint64_t children;

		read_element(c, &texts, &e);
		children = jfr_number(c);
		c->bad |= children > (uint64_t)(c->end - c->at);
		if (c->bad)
			break;
		take_element(k, &e);
		left += children - 1;
	}
	vec_release(&texts.at);
}

static uint64_t big_endian(const unsigned char *at)
{
	uint64_t value = 0;

	for (int i = 0; i < 8; i++)
		value = value << 8 | at[i];
	return value;
}

bool jfr_chunk_read(struct jfr_chunk *k, struct span bytes, struct jfr_texts *texts,
		    uint64_t *steps)
{
	const unsigned char *at = (const unsigned char *)bytes.s;
	struct jfr_cursor c = {.steps = *steps, .texts = texts};
	uint64_t n, classes;

	*k = (struct jfr_chunk){.start = at};
	if (bytes.n < JFR_HEADER_BYTES || memcmp(at, MAGIC, sizeof(MAGIC)) != 0)
		return false;
	n = big_endian(at + 8);
	classes = big_endian(at + 24);
	k->pools = big_endian(at + 16);
	k->start_ns = big_endian(at + 32);
	k->start_ticks = big_endian(at + 48);
	k->ticks_a_second = big_endian(at + 56);
	if (n < JFR_HEADER_BYTES || n > bytes.n || classes >= n || k->pools >= n || !(at[67] & 1))
		return false;
	k->n = (size_t)n;
	c.at = at + classes;
	c.end = at + n;
	read_classes(k, &c);
	*steps = c.steps;
	return !c.bad;
}

void jfr_chunk_release(struct jfr_chunk *k)
{
	vec_release(&k->classes);
	vec_release(&k->fields);
	map_release(&k->by_id);
}
