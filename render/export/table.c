#include "export/export.h"

#include "base/str.h"

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

/* How many letters of the file's name are @e's: its extension, behind a dot. */
static size_t fit(const struct export *e, const char *file)
{
	const size_t n = strlen(file), length = e->extension ? strlen(e->extension) : 0;

	if (length && n > length && file[n - length - 1] == '.' && str_ends(file, e->extension))
		return length;
	return e->beginning && str_starts(file, e->beginning) ? strlen(e->beginning) : 0;
}

const struct export *export_find_for(const char *path)
{
	const char *slash = strrchr(path, '/'), *file = slash ? slash + 1 : path;
	const struct export *best = NULL;

	for (const struct export *const *e = exports; *e; e++)
		if (fit(*e, file) > (best ? fit(best, file) : 0))
			best = *e;
	return best;
}
