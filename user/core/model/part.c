#include "model/part.h"

#include <string.h>

#include "base/str.h"
#include "model/meta.h"
#include "model/profile.h"

static const char *const names[PARTS] = {
	[PART_SAMPLES] = "samples",
	[PART_ZONES] = "zones",
};

const char *part_name(enum profile_part part)
{
	return names[part];
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
			str_addf(&s, "%s%s", s.n ? "," : "", names[part]);
	return str_steal(&s);
}

/* PART_ANY where it is not known. */
static enum profile_part find(const char *name, size_t n)
{
	for (int part = PART_ANY + 1; part < PARTS; part++)
		if (strlen(names[part]) == n && !memcmp(names[part], name, n))
			return part;
	return PART_ANY;
}

void profile_add_parts(struct profile *p, const char *list)
{
	struct str unknown = {0};

	while (*list) {
		size_t n = strcspn(list, ",");
		enum profile_part part = find(list, n);

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
