#include "load/btf_cut.h"

#include <errno.h>
#include <string.h>
#include <linux/btf.h>

#include "base/mem.h"

/* Kinds newer than this file knows have an unknown length. */
#define LAST_KIND BTF_KIND_ENUM64
/* The kernel's type information, checked as far as it was read. */
struct source {
	const uint8_t *types;
	uint32_t types_bytes;
	const char *strings;
	uint32_t strings_bytes;
	uint32_t *at;	     /* type number → its place in types; owned */
	uint32_t n;	     /* numbers are 1 … n - 1 */
	uint32_t *put;	     /* type number → its new number, 0: none yet; owned */
	VEC(uint32_t) taken; /* type numbers in the order of the new ones, which start at 1 */
	VEC(char) names;     /* of the result */
};

static uint32_t kind_of(const struct btf_type *t)
{
	return BTF_INFO_KIND(t->info);
}

static uint32_t count_of(const struct btf_type *t)
{
	return BTF_INFO_VLEN(t->info);
}

/* By kind: bytes that follow a struct btf_type, fixed and for each of its parts. */
static const struct length {
	uint8_t fixed, each;
} lengths[LAST_KIND + 1] = {
	[BTF_KIND_INT] = {sizeof(uint32_t), 0},
	[BTF_KIND_ARRAY] = {sizeof(struct btf_array), 0},
	[BTF_KIND_STRUCT] = {0, sizeof(struct btf_member)},
	[BTF_KIND_UNION] = {0, sizeof(struct btf_member)},
	[BTF_KIND_ENUM] = {0, sizeof(struct btf_enum)},
	[BTF_KIND_ENUM64] = {0, sizeof(struct btf_enum64)},
	[BTF_KIND_FUNC_PROTO] = {0, sizeof(struct btf_param)},
	[BTF_KIND_VAR] = {sizeof(struct btf_var), 0},
	[BTF_KIND_DATASEC] = {0, sizeof(struct btf_var_secinfo)},
	[BTF_KIND_DECL_TAG] = {sizeof(struct btf_decl_tag), 0},
};

static uint32_t rest_of(const struct btf_type *t)
{
	const struct length *l = &lengths[kind_of(t)];

	return l->fixed + count_of(t) * l->each;
}

static const struct btf_type *type_at(const struct source *s, uint32_t number)
{
	return (const void *)(s->types + s->at[number]);
}

static const char *name_at(const struct source *s, uint32_t offset)
{
	return offset < s->strings_bytes ? s->strings + offset : "";
}

/* The bit of @name in begins[]; reads up to three characters. */
static uint32_t begin_of(const char *name)
{
	uint32_t first = (uint8_t)name[0];

	if (name[0] && name[1])
		first |= (uint32_t)(uint8_t)name[1] << 8 | (uint32_t)(uint8_t)name[2] << 16;
	return (first * 0x9e3779b1u) >> 20;
}

static uint64_t hash_of(const char *name)
{
	const char *flavour = strstr(name, "___");

	return hash_bytes(name, flavour ? (size_t)(flavour - name) : strlen(name));
}

static void note_begin(struct btf_cut *c, const char *name)
{
	uint32_t bit = begin_of(name);

	c->begins[bit / 64] |= 1ull << bit % 64;
}

void btf_cut_want(struct btf_cut *c, const char *name)
{
	bool fresh;

	map_put(&c->names, hash_of(name), &fresh);
	note_begin(c, name);
}

static int open_source(struct source *s, const void *data, size_t n)
{
	const struct btf_header *h = data;
	uint64_t types, strings;

	if (n < sizeof(*h) || h->magic != BTF_MAGIC || h->version != BTF_VERSION ||
	    h->hdr_len < sizeof(*h))
		return -EINVAL;
	types = (uint64_t)h->hdr_len + h->type_off;
	strings = (uint64_t)h->hdr_len + h->str_off;
	if (types % 4 || types + h->type_len > n || strings + h->str_len > n || !h->str_len)
		return -EINVAL;
	s->types = (const uint8_t *)data + types;
	s->types_bytes = h->type_len;
	s->strings = (const char *)data + strings;
	s->strings_bytes = h->str_len;
	return s->strings[h->str_len - 1] ? -EINVAL : 0;
}

static void take(struct source *s, uint32_t number)
{
	if (s->put[number])
		return;
	vec_push(&s->taken, number);
	s->put[number] = (uint32_t)s->taken.n;
}

static void note_id(struct btf_cut *c, const char *name, uint32_t number)
{
	for (size_t i = 0; i < c->n_ids; i++)
		if (!strcmp(c->ids[i].name, name))
			c->ids[i].id = number;
}

/* A quick test that rejects most types without reading their names. */
static bool may_be_asked_for(const struct btf_cut *c, const struct source *s,
			     const struct btf_type *t)
{
	uint32_t bit = begin_of(name_at(s, t->name_off));

	return t->name_off && c->begins[bit / 64] >> bit % 64 & 1;
}

/* Looks at a type's name: reports its number, or takes the type, if requested. */
static void consider(struct btf_cut *c, struct source *s, const struct btf_type *t, uint32_t number)
{
	const uint32_t kind = kind_of(t);

	if (!may_be_asked_for(c, s, t))
		return;
	if (kind == BTF_KIND_FUNC || kind == BTF_KIND_TYPEDEF)
		note_id(c, name_at(s, t->name_off), number);
	switch (kind) {
	case BTF_KIND_TYPEDEF:
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
	case BTF_KIND_ENUM:
	case BTF_KIND_ENUM64:
		if (map_get(&c->names, hash_of(name_at(s, t->name_off))))
			take(s, number);
	}
}

/* Finds where each type is, and takes the requested ones. */
static int read_types(struct btf_cut *c, struct source *s)
{
	/* No type is shorter than this. */
	uint32_t most = s->types_bytes / sizeof(struct btf_type) + 1, at = 0;

	s->at = mem_zalloc(most, sizeof(*s->at));
	s->put = mem_zalloc(most, sizeof(*s->put));
	for (s->n = 1; at < s->types_bytes; s->n++) {
		const struct btf_type *t = (const void *)(s->types + at);
		uint32_t left = s->types_bytes - at;

		if (left < sizeof(*t) || kind_of(t) > LAST_KIND || left - sizeof(*t) < rest_of(t))
			return -EINVAL;
		s->at[s->n] = at;
		consider(c, s, t, s->n);
		at += (uint32_t)sizeof(*t) + rest_of(t);
	}
	return 0;
}

/* --- the result ----------------------------------------------------------------------------- */

/* The new number of a referenced type; a type that takes no place in memory becomes void. */
static uint32_t refer(struct source *s, uint32_t number)
{
	if (!number || number >= s->n)
		return 0;
	switch (kind_of(type_at(s, number))) {
	case BTF_KIND_FUNC:
	case BTF_KIND_FUNC_PROTO:
	case BTF_KIND_VAR:
	case BTF_KIND_DATASEC:
	case BTF_KIND_DECL_TAG:
		return 0;
	}
	take(s, number);
	return s->put[number];
}

static uint32_t put_name(struct source *s, uint32_t offset)
{
	const char *name = name_at(s, offset);
	size_t n = strlen(name) + 1, at = s->names.n;

	if (n == 1)
		return 0;
	vec_reserve(&s->names, at + n);
	memcpy(s->names.at + at, name, n);
	s->names.n += n;
	return (uint32_t)at;
}

static void put_members(struct source *s, struct btf_member *m, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		m[i].name_off = put_name(s, m[i].name_off);
		m[i].type = refer(s, m[i].type);
	}
}

/* An enum value's name comes first, in both kinds of enum. */
static void put_values(struct source *s, void *values, uint32_t n, size_t bytes)
{
	for (uint32_t i = 0; i < n; i++) {
		uint32_t *name = (void *)((char *)values + i * bytes);

		*name = put_name(s, *name);
	}
}

/* @t is a copy in the result that still has the old numbers and names. */
static void translate(struct source *s, struct btf_type *t)
{
	struct btf_array *array = (void *)(t + 1);

	t->name_off = put_name(s, t->name_off);
	switch (kind_of(t)) {
	case BTF_KIND_PTR:
		t->type = 0;
		break;
	case BTF_KIND_TYPEDEF:
	case BTF_KIND_CONST:
	case BTF_KIND_VOLATILE:
	case BTF_KIND_RESTRICT:
	case BTF_KIND_TYPE_TAG:
		t->type = refer(s, t->type);
		break;
	case BTF_KIND_ARRAY:
		array->type = refer(s, array->type);
		array->index_type = refer(s, array->index_type);
		break;
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
		put_members(s, (void *)(t + 1), count_of(t));
		break;
	case BTF_KIND_ENUM:
		put_values(s, t + 1, count_of(t), sizeof(struct btf_enum));
		break;
	case BTF_KIND_ENUM64:
		put_values(s, t + 1, count_of(t), sizeof(struct btf_enum64));
		break;
	}
}

static void append(struct btf_cut *c, const void *data, size_t n)
{
	vec_reserve(&c->bytes, c->bytes.n + n);
	memcpy(c->bytes.at + c->bytes.n, data, n);
	c->bytes.n += n;
}

static void write_all(struct btf_cut *c, struct source *s)
{
	struct btf_header h = {
		.magic = BTF_MAGIC, .version = BTF_VERSION, .hdr_len = sizeof(struct btf_header)};

	append(c, &h, sizeof(h));
	vec_push(&s->names, '\0');
	/* Writing a type takes the types that it refers to. */
	for (size_t i = 0; i < s->taken.n; i++) {
		const struct btf_type *t = type_at(s, s->taken.at[i]);
		size_t at = c->bytes.n;

		append(c, t, sizeof(*t) + rest_of(t));
		translate(s, (void *)(c->bytes.at + at));
	}
	h.type_len = h.str_off = (uint32_t)(c->bytes.n - sizeof(h));
	h.str_len = (uint32_t)s->names.n;
	append(c, s->names.at, s->names.n);
	memcpy(c->bytes.at, &h, sizeof(h));
}

int btf_cut(struct btf_cut *c, const void *data, size_t n)
{
	struct source s = {0};
	int ret = open_source(&s, data, n);

	for (size_t i = 0; i < c->n_ids; i++)
		note_begin(c, c->ids[i].name);
	if (!ret)
		ret = read_types(c, &s);
	if (!ret)
		write_all(c, &s);
	free(s.at);
	free(s.put);
	vec_release(&s.taken);
	vec_release(&s.names);
	return ret;
}

void btf_cut_release(struct btf_cut *c)
{
	map_release(&c->names);
	vec_release(&c->bytes);
}
