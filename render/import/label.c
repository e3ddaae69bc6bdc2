/* import_label(): what a store files an imported profile under. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "base/str.h"
#include "import/import.h"
#include "model/meta.h"
#include "select/version.h"

/* The VERSION of a file called NAME.VERSION.EXTENSION, which begins with a digit, or "v" and one:
 * "1.2.0" of "app.1.2.0.csv". Freed by the caller; NULL: it is not called so. */
static char *version_in(const char *path)
{
	const char *name = str_base(path), *from = strchr(name + (*name == '.'), '.');
	const char *to = strrchr(name, '.');

	while (from && from < to && !isdigit((unsigned char)from[1]) &&
	       !(from[1] == 'v' && isdigit((unsigned char)from[2])))
		from = strchr(from + 1, '.');
	/* "app.1.2.0.csv.gz" */
	if (to && from && from < to && !strcmp(to, ".gz"))
		while (to > from && *--to != '.')
			;
	return from && from < to ? mem_printf("%.*s", (int)(to - from - 1), from + 1) : NULL;
}

/* Whether a folder of that name is one of a platform: "linux-x86_64", "Windows-AMD64-Ryzen_9". */
static bool is_platform(const char *folder)
{
	static const char *const systems[] = {"linux", "windows", "darwin",
					      "macos", "freebsd", "android"};
	const size_t n = strcspn(folder, "-_");

	for (size_t i = 0; folder[n] && i < sizeof(systems) / sizeof(*systems); i++)
		if (strlen(systems[i]) == n && !strncasecmp(folder, systems[i], n))
			return true;
	return false;
}

/* The name of the folder that the file is in; freed by the caller. NULL: the path has none. */
static char *folder_of(const char *path)
{
	const char *end = str_base(path), *start;

	if (end == path)
		return NULL;
	for (start = --end; start > path && start[-1] != '/';)
		start--;
	return mem_printf("%.*s", (int)(end - start), start);
}

/* The platform by the rule of folders: below @root (may be NULL) each folder with files that have
 * versions in their names is one's; elsewhere one that is called so. Freed by the caller. */
static char *platform_in(const char *path, const char *root)
{
	char *folder = folder_of(path);
	const size_t n = root ? strlen(root) : 0;
	const char *rest = root && !strncmp(path, root, n) ? path + n : NULL;
	const bool below = rest && strchr(rest + strspn(rest, "/"), '/');

	if (folder && (below || is_platform(folder)))
		return folder;
	free(folder);
	return NULL;
}

/* The version that all the files have in their names. */
static char *common_version(const char *const *paths, size_t n)
{
	char *version = n ? version_in(paths[0]) : NULL;

	for (size_t i = 1; version && i < n; i++) {
		_free_ char *other = version_in(paths[i]);

		if (!other || strcmp(other, version) != 0) {
			free(version);
			version = NULL;
		}
	}
	return version;
}

void import_label(struct profile *p, const struct import_names *names)
{
	_free_ char *named = common_version(names->paths, names->n);
	_free_ char *folder = named ? platform_in(names->paths[0], names->root) : NULL;
	const char *version = names->version, *platform = names->platform;

	if (!version)
		version = profile_meta(p, META_VERSION);
	if (!version && named) {
		version = named;
		profile_set_meta(p, META_VERSION_ORIGIN, "file name");
	}
	if (!platform)
		platform = profile_meta(p, META_PLATFORM);
	if (!platform)
		platform = folder;
	profile_set_meta(p, META_VERSION, version ? version : VERSION_NONE);
	profile_set_meta(p, META_PLATFORM, platform ? platform : "unknown");
	if (!profile_run(p, RUN_NAME))
		profile_set_run(p, RUN_NAME, profile_run(p, RUN_COMMAND));
	profile_set_run(p, RUN_WRITTEN_BY, "eprof-render " EPROF_VERSION);
}
