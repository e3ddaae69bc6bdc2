#include "probe/probed_functions.h"

#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "elf/buildid.h"

uint64_t probed_functions_key(uint32_t module, const char *name)
{
	return hash_two(module, hash_bytes(name, strlen(name)));
}

static const char *linkage_of(const struct profile *p, const struct function *f)
{
	const char *linkage = profile_text(p, f->linkage);

	return *linkage ? linkage : profile_text(p, f->name);
}

static void know(struct probed_functions *f, uint32_t row)
{
	const struct function *is = &f->p->functions.at[row];
	bool fresh;
	uint32_t *at = map_put(&f->by_name, probed_functions_key(is->module, linkage_of(f->p, is)),
			       &fresh);

	if (fresh)
		*at = row;
}

void probed_functions_init(struct probed_functions *f, const struct engine *engine,
			   struct profile *p)
{
	*f = (struct probed_functions){.engine = engine, .p = p};
	for (uint32_t i = 1; i < p->functions.n; i++)
		know(f, i);
}

void probed_functions_release(struct probed_functions *f)
{
	map_release(&f->by_name);
}

uint32_t probed_functions_module(const struct probed_functions *f, const struct probed_image *i)
{
	const struct image *image = engine_file(f->engine, i);
	_free_ char *path = str_clean(image->path, strlen(image->path));
	char hex[BUILDID_HEX];

	buildid_hex(image->build_id, image->build_id_bytes, hex);
	return profile_module(f->p, path, hex);
}

static const char *linkage_in(const struct zone_def *def)
{
	return def->linkage ? def->linkage : def->name;
}

uint32_t probed_functions_known(const struct probed_functions *f, uint32_t module,
				const struct zone_def *def)
{
	const char *linkage = linkage_in(def);
	const uint32_t *at = map_get(&f->by_name, probed_functions_key(module, linkage));
	const struct function *is = at ? &f->p->functions.at[*at] : NULL;

	return is && is->module == module && !strcmp(linkage_of(f->p, is), linkage) ? *at : 0;
}

uint32_t probed_functions_need(struct probed_functions *f, uint32_t module,
			       const struct zone_def *def)
{
	uint32_t row = probed_functions_known(f, module, def);
	_free_ char *name = NULL, *file = NULL, *linkage = NULL;

	if (row)
		return row;
	name = str_clean(def->name, strlen(def->name));
	linkage = def->linkage ? str_clean(def->linkage, strlen(def->linkage)) : mem_strdup("");
	file = def->file ? str_clean(def->file, strlen(def->file)) : mem_strdup("");
	row = profile_function(f->p,
			       &(struct function){.name = intern_add(&f->p->strings, name),
						  .linkage = intern_add(&f->p->strings, linkage),
						  .file = intern_add(&f->p->strings, file),
						  .line = def->line,
						  .module = module,
						  .named = 1});
	know(f, row);
	return row;
}
