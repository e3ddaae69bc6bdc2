#include "model/profile.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/hash.h"
#include "base/machine_id.h"
#include "base/mem.h"
#include "base/str.h"
#include "model/meta.h"

enum style {
	STYLE_PLAIN,
	STYLE_KERNEL,
	STYLE_JIT,
	STYLE_SCRIPT,
	STYLE_INLINED,
	STYLE_UNNAMED,
	STYLE_DIM,
};

bool frame_kind_is_script(uint8_t kind)
{
	switch (kind) {
#define FRAME_KIND(NAME, number, label, of_zones, first, last, list, STYLE, ...) \
	case number:                                                             \
		return STYLE_##STYLE == STYLE_SCRIPT;
#define FRAME_KIND_AS(NAME, number, SHOWN) \
	case number:                       \
		return frame_kind_is_script(KIND_##SHOWN);
#include "model/frame_kinds.def"
#undef FRAME_KIND
#undef FRAME_KIND_AS
	}
	return false;
}

struct profile *profile_new(void)
{
	struct profile *p = mem_zalloc(1, sizeof(*p));
	uint32_t root = intern_add(&p->strings, "root");

	assert(root == PROFILE_ROOT_NAME);
	(void)root;
	vec_add(&p->modules);
	vec_add(&p->functions);
	vec_add(&p->frames);
	vec_add(&p->nodes);
	vec_add(&p->zone_edges)->zone = ZONE_NONE;
	return p;
}

void profile_free(struct profile *p)
{
	if (!p)
		return;
	if (p->events_left)
		p->events_left->free(p->events_left);
	intern_release(&p->strings);
	for (const struct table_place *t = profile_tables; t->table; t++)
		free(table_vec(t, p)->at);
	for (size_t i = 0; i < p->samples.values.n; i++)
		vec_release(&p->samples.values.at[i]);
	vec_release(&p->samples.values);
	vec_release(&p->meta);
	vec_release(&p->run);
	for (size_t i = 0; i < TABLES; i++)
		map_release(&p->index[i].rows);
	free(p);
}

/* Whether another path than @path ends in "/@end". */
static bool is_shared_end(const struct profile *p, const char *path, const char *end)
{
	const size_t n = strlen(end);

	for (size_t i = 1; i < p->modules.n; i++) {
		const char *other = profile_text(p, p->modules.at[i].path);
		const size_t m = strlen(other);

		if (m > n && other[m - n - 1] == '/' && !strcmp(other + m - n, end) &&
		    strcmp(other, path) != 0)
			return true;
	}
	return false;
}

const char *profile_module_name(const struct profile *p, uint32_t module)
{
	const char *path = profile_text(p, p->modules.at[module].path), *name = str_base(path);

	while (name > path && is_shared_end(p, path, name))
		for (name--; name > path && name[-1] != '/'; name--)
			;
	return name;
}

uint32_t profile_main_module(const struct profile *p)
{
	const char *command = profile_run(p, RUN_COMMAND);
	_free_ char *program = str_program(command ? command : "");

	for (uint32_t i = 1; *program && i < p->modules.n; i++)
		if (!strcmp(str_base(profile_text(p, p->modules.at[i].path)), program))
			return i;
	return 0;
}

/* --- parts, attributes of machine and run ----------------------------------------------------- */

static const char *const names[PARTS] = {
	[PART_SAMPLES] = "samples", [PART_ZONES] = "zones",	  [PART_OFFCPU] = "off-cpu",
	[PART_SOURCE] = "source",   [PART_SYSCALLS] = "syscalls", [PART_HEAP] = "heap",
	[PART_GROWTH] = "growth",   [PART_EVENTS] = "events",
};

const char *part_name(enum profile_part part)
{
	return names[part];
}

enum profile_part part_find(const char *name, size_t n)
{
	for (int part = PART_ANY + 1; part < PARTS; part++)
		if (strlen(names[part]) == n && !memcmp(names[part], name, n))
			return part;
	return PART_ANY;
}

void profile_add_part(struct profile *p, enum profile_part part)
{
	p->parts |= 1u << part;
}

bool profile_has(const struct profile *p, enum profile_part part)
{
	return part == PART_ANY || p->parts >> part & 1;
}

char *profile_parts(const struct profile *p)
{
	struct str s = {0};

	for (int part = PART_ANY + 1; part < PARTS; part++)
		if (profile_has(p, part))
			str_addf(&s, "%s%s", s.n ? "," : "", part_name(part));
	return str_steal(&s);
}

void profile_add_parts(struct profile *p, const char *list)
{
	struct str unknown = {0};

	while (*list) {
		size_t n = strcspn(list, ",");
		enum profile_part part = part_find(list, n);

		if (part != PART_ANY)
			profile_add_part(p, part);
		else if (n)
			str_addf(&unknown, "%s%.*s", unknown.n ? ", " : "", (int)n, list);
		list += n + (list[n] == ',');
	}
	if (unknown.n)
		profile_set_run(p, RUN_UNKNOWN_PARTS, unknown.s);
	str_release(&unknown);
}

static struct attr *find_attr(const struct profile *p, const profile_attrs *attrs, const char *key)
{
	for (size_t i = 0; i < attrs->n; i++)
		if (!strcmp(profile_text(p, attrs->at[i].key), key))
			return &attrs->at[i];
	return NULL;
}

static void set_attr(struct profile *p, profile_attrs *attrs, const char *key, const char *text)
{
	const struct attr e = {intern_add(&p->strings, key), intern_add(&p->strings, text)};
	struct attr *old = find_attr(p, attrs, key);

	if (old)
		*old = e;
	else
		vec_push(attrs, e);
}

static const char *attr_text(const struct profile *p, const struct attr *a)
{
	return a ? profile_text(p, a->text) : NULL;
}

void profile_set_meta(struct profile *p, const char *key, const char *text)
{
	/* A profile never holds a raw machine id. */
	_free_ char *machine = strcmp(key, META_MACHINE) ? NULL : machine_id_hashed(text);

	set_attr(p, &p->meta, key, machine ? machine : text);
}

void profile_set_run(struct profile *p, const char *key, const char *text)
{
	set_attr(p, &p->run, key, text);
}

const char *profile_meta(const struct profile *p, const char *key)
{
	return attr_text(p, find_attr(p, &p->meta, key));
}

const char *profile_run(const struct profile *p, const char *key)
{
	return attr_text(p, find_attr(p, &p->run, key));
}

void profile_copy_attributes(const struct profile *from, struct profile *to)
{
	for (size_t i = 0; i < from->meta.n; i++)
		profile_set_meta(to, profile_text(from, from->meta.at[i].key),
				 profile_text(from, from->meta.at[i].text));
	for (size_t i = 0; i < from->run.n; i++) {
		const char *key = profile_text(from, from->run.at[i].key);

		/* The tables that belong to them are not copied either. */
		if (!str_starts(key, REGRESSION_PREFIX))
			profile_set_run(to, key, profile_text(from, from->run.at[i].text));
	}
	to->started_unix_ns = from->started_unix_ns;
	to->duration_ns = from->duration_ns;
}

uint64_t thread_key(const struct thread *t)
{
	return hash_two((uint64_t)t->pid << 32 | t->tid, t->born_ns);
}

uint64_t process_key(const struct thread *t)
{
	return hash_two(t->pid, t->born_ns);
}

uint32_t profile_script_node(const struct profile *p, uint32_t node)
{
	uint32_t at = node;

	while (at && !frame_kind_is_script(
			     p->functions.at[p->frames.at[p->nodes.at[at].frame].function].kind))
		at = p->nodes.at[at].parent;
	return at;
}
