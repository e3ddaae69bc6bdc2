#include "export/export.h"

#define EXPORT(name) extern const struct export name##_export;
#include "export/exports.def"
#undef EXPORT

const struct export *const exports[] = {
#define EXPORT(name) &name##_export,
#include "export/exports.def"
#undef EXPORT
	NULL,
};

const struct export *export_find(const char *name)
{
	for (const struct export *const *e = exports; *e; e++)
		if (!strcmp((*e)->name, name))
			return *e;
	return NULL;
}

const struct export *export_find_for(const char *path)
{
	const char *dot = strrchr(path, '.');

	if (!dot || strchr(dot, '/'))
		return NULL;
	for (const struct export *const *e = exports; *e; e++)
		if ((*e)->extension && !strcmp((*e)->extension, dot + 1))
			return *e;
	return NULL;
}
