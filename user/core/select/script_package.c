#include "select/script_package.h"

#include <ctype.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"

/* How packages are called there. */
enum naming {
	BY_FOLDER,	/* "json" */
	BY_TWO_FOLDERS, /* "symfony/console" */
	BY_SCOPE,	/* "express", "@babel/core" */
	BY_VERSION,	/* "rack" of "rack-2.2.4" */
};

/* Where packages of a language are: in a folder of this name, below one of that; NULL: any. A '#'
 * at the end of a name is a version. A further language needs its rows here. */
static const struct {
	const char *language, *above, *folder;
	enum naming naming;
} roots[] = {
	{"Python", NULL, "site-packages", BY_FOLDER},
	{"Python", NULL, "dist-packages", BY_FOLDER},
	{"Python", "lib", "python#", BY_FOLDER},
	{"Python", "lib64", "python#", BY_FOLDER},
	{"Node.js", NULL, "node_modules", BY_SCOPE},
	{"PHP", NULL, "vendor", BY_TWO_FOLDERS},
	{"Ruby", "ruby", "#", BY_FOLDER},
	{"Ruby", NULL, "vendor_ruby", BY_FOLDER},
	{"Ruby", NULL, "gems", BY_VERSION},
};
#define ROOTS (sizeof(roots) / sizeof(*roots))

/* What a language calls its own files, which have no place: "<frozen NAME.PART>", "node:NAME". */
static const struct {
	const char *language, *prefix;
} placeless[] = {
	{"Python", "<frozen "},
	{"Node.js", "node:"},
};
#define PLACELESS (sizeof(placeless) / sizeof(*placeless))

static bool is_folder(const char *name, size_t n, const char *pattern)
{
	const size_t fixed = strcspn(pattern, "#");

	if (!n || n < fixed || memcmp(name, pattern, fixed) != 0)
		return false;
	for (size_t i = fixed; i < n; i++)
		if (!pattern[fixed] || (!isdigit((unsigned char)name[i]) && name[i] != '.'))
			return false;
	return true;
}

/* The row of @name, the part of a path of @n bytes, behind @before, of @n_before; ROOTS: it is
 * none. */
static size_t root_of(const char *language, const char *before, size_t n_before, const char *name,
		      size_t n)
{
	size_t i = 0;

	while (i < ROOTS &&
	       (strcmp(roots[i].language, language) != 0 || !is_folder(name, n, roots[i].folder) ||
		(roots[i].above && !is_folder(before, n_before, roots[i].above))))
		i++;
	return i;
}

/* What is below the last folder of packages: "json/encoder.py"; of a file without a place
 * "importlib._bootstrap>"; NULL: it is of no package. *@naming: how that is called. */
static const char *below_root(const char *language, const char *file, enum naming *naming)
{
	const char *before = file, *found = NULL;
	size_t n_before = 0, n;

	*naming = BY_FOLDER;
	for (size_t i = 0; i < PLACELESS; i++)
		if (!strcmp(placeless[i].language, language) &&
		    str_starts(file, placeless[i].prefix))
			return file + strlen(placeless[i].prefix);
	for (const char *at = file; at[n = strcspn(at, "/")]; at += n + 1) {
		const size_t root = root_of(language, before, n_before, at, n);

		if (root < ROOTS) {
			found = at + n + 1;
			*naming = roots[root].naming;
		}
		before = at;
		n_before = n;
	}
	return found;
}

/* Without the version at its end. */
static size_t without_version(const char *name, size_t n)
{
	for (size_t i = n; i-- > 1;)
		if (name[i] == '-' && isdigit((unsigned char)name[i + 1]))
			return i;
	return n;
}

/* Of "json" of "json/encoder.py", "six" of "six.py", "importlib" of "importlib._bootstrap>". */
static size_t name_length(const char *path, enum naming naming)
{
	const size_t n = strcspn(path, "/");

	if (!path[n])
		return strcspn(path, ".>");
	if (naming == BY_TWO_FOLDERS || (naming == BY_SCOPE && *path == '@')) {
		const size_t second = strcspn(path + n + 1, "/");

		return path[n + 1 + second] ? n + 1 + second : n;
	}
	return naming == BY_VERSION ? without_version(path, n) : n;
}

char *script_module(const char *language, const char *file)
{
	enum naming naming;
	const char *path = below_root(language, file, &naming);
	const size_t n = path ? name_length(path, naming) : 0;
	_free_ char *prefix = mem_strdup(language);

	/* "node" of "Node.js" */
	prefix[strcspn(prefix, ".")] = '\0';
	for (char *c = prefix; *c; c++)
		*c = (char)tolower((unsigned char)*c);
	return n ? mem_printf("%s:%.*s", prefix, (int)n, path) : mem_strdup(file);
}

char *script_place(const char *module, const char *file)
{
	enum naming naming;

	for (size_t i = 0; i < ROOTS; i++) {
		_free_ char *of_this = script_module(roots[i].language, file);
		const char *path = below_root(roots[i].language, file, &naming);

		if (path && strcmp(module, file) != 0 && !strcmp(of_this, module))
			return mem_printf("%.*s%.*s", (int)(strcspn(module, ":") + 1), module,
					  (int)strcspn(path, ">"), path);
	}
	return mem_strdup(module);
}
