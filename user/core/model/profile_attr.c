/* What a profile says of itself: which parts it has, and the attributes of machine and run. */
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "base/machine_id.h"
#include "model/meta.h"
#include "model/profile.h"

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

static struct attr *find_attr(const struct profile *p, struct attr *at, size_t n, const char *key)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(profile_text(p, at[i].key), key))
			return &at[i];
	return NULL;
}

void profile_set_meta(struct profile *p, const char *key, const char *text)
{
	/* No raw id is ever kept, whichever way it comes. */
	_free_ char *machine = strcmp(key, META_MACHINE) ? NULL : machine_id_hashed(text);
	struct attr e = {intern_add(&p->strings, key),
			 intern_add(&p->strings, machine ? machine : text)};
	struct attr *old = find_attr(p, p->meta.at, p->meta.n, key);

	if (old)
		*old = e;
	else
		vec_push(&p->meta, e);
}

void profile_set_run(struct profile *p, const char *key, const char *text)
{
	struct attr e = {intern_add(&p->strings, key), intern_add(&p->strings, text)};
	struct attr *old = find_attr(p, p->run.at, p->run.n, key);

	if (old)
		*old = e;
	else
		vec_push(&p->run, e);
}

const char *profile_meta(const struct profile *p, const char *key)
{
	const struct attr *a = find_attr(p, p->meta.at, p->meta.n, key);

	return a ? profile_text(p, a->text) : NULL;
}

const char *profile_run(const struct profile *p, const char *key)
{
	const struct attr *a = find_attr(p, p->run.at, p->run.n, key);

	return a ? profile_text(p, a->text) : NULL;
}

void profile_copy_attributes(const struct profile *from, struct profile *to)
{
	for (size_t i = 0; i < from->meta.n; i++)
		profile_set_meta(to, profile_text(from, from->meta.at[i].key),
				 profile_text(from, from->meta.at[i].text));
	for (size_t i = 0; i < from->run.n; i++) {
		const char *key = profile_text(from, from->run.at[i].key);

		/* Of the profile as a whole, and its tables are not copied. */
		if (!str_starts(key, REGRESSION_PREFIX))
			profile_set_run(to, key, profile_text(from, from->run.at[i].text));
	}
	to->started_unix_ns = from->started_unix_ns;
	to->duration_ns = from->duration_ns;
}
