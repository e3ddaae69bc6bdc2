#include "model/profile.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/str.h"
#include "model/hist.h"
#include "model/meta.h"

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
