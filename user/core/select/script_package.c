#include "select/script_package.h"

#include <ctype.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"

/* Where packages of a language are: in a folder of this name, below one of that; NULL: any. A '#'
 * at the end of a name is a version. A further language needs its rows here. */
static const struct {
	const char *language, *above, *folder;
} roots[] = {
	{"Python", NULL, "site-packages"},
	{"Python", NULL, "dist-packages"},
	{"Python", "lib", "python#"},
	{"Python", "lib64", "python#"},
};
#define ROOTS (sizeof(roots) / sizeof(*roots))

/* Files without a place: "<frozen NAME.PART>". */
#define FROZEN "<frozen "

static bool is_folder(const char *name, size_t n, const char *pattern)
{
	const size_t fixed = strcspn(pattern, "#");

	if (n < fixed || memcmp(name, pattern, fixed) != 0)
		return false;
	for (size_t i = fixed; i < n; i++)
		if (!pattern[fixed] || (!isdigit((unsigned char)name[i]) && name[i] != '.'))
			return false;
	return true;
}

/* @name: the part of a path of @n bytes, behind @before, of @n_before. */
static bool is_root(const char *language, const char *before, size_t n_before, const char *name,
		    size_t n)
{
	for (size_t i = 0; i < ROOTS; i++)
		if (!strcmp(roots[i].language, language) && is_folder(name, n, roots[i].folder) &&
		    (!roots[i].above || is_folder(before, n_before, roots[i].above)))
			return true;
	return false;
}

/* What is below the last folder of packages: "json/encoder.py"; of a file without a place
 * "importlib._bootstrap>"; NULL: it is of no package. */
static const char *below_root(const char *language, const char *file)
{
	const char *before = file, *found = NULL;
	size_t n_before = 0, n;

	if (str_starts(file, FROZEN))
		return file + strlen(FROZEN);
	for (const char *at = file; at[n = strcspn(at, "/")]; at += n + 1) {
		if (is_root(language, before, n_before, at, n))
			found = at + n + 1;
		before = at;
		n_before = n;
	}
	return found;
}

/* Of "json" of "json/encoder.py", "six" of "six.py", "importlib" of "importlib._bootstrap>". */
static size_t name_length(const char *path)
{
	const size_t n = strcspn(path, "/");

	return path[n] ? n : strcspn(path, ".>");
}

char *script_module(const char *language, const char *file)
{
	const char *path = below_root(language, file);
	const size_t n = path ? name_length(path) : 0;
	_free_ char *prefix = mem_strdup(language);

	for (char *c = prefix; *c; c++)
		*c = (char)tolower((unsigned char)*c);
	return n ? mem_printf("%s:%.*s", prefix, (int)n, path) : mem_strdup(file);
}

char *script_place(const char *module, const char *file)
{
	for (size_t i = 0; i < ROOTS; i++) {
		_free_ char *of_this = script_module(roots[i].language, file);
		const char *path = below_root(roots[i].language, file);

		if (path && strcmp(module, file) != 0 && !strcmp(of_this, module))
			return mem_printf("%.*s%.*s", (int)(strcspn(module, ":") + 1), module,
					  (int)strcspn(path, ">"), path);
	}
	return mem_strdup(module);
}
