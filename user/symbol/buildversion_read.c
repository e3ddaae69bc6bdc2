#include "symbol/buildversion_read.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/str.h"
#include "elf/buildid.h"
#include "elf/note.h"

#define LIST_MOST   (16u << 20) /* of a package's files; the largest have 3 MB */
#define STATUS_MOST (64u << 20)
#define NOTE_MOST   4096
#define NOTE_TYPE   0xcafe1a7e

/* --- the package note -----------------------------------------------------
 */

/* Without its epoch, "1:", which orders packages and is no part of what people call a version. */
static void put_version(struct buildversion *out, const char *version, size_t n)
{
	const size_t digits = strspn(version, "0123456789");
	const size_t epoch = digits < n && version[digits] == ':' ? digits + 1 : 0;

	if (n - epoch < sizeof(out->version))
		memcpy(out->version, version + epoch, n - epoch);
}

/* The text of "version" in @json, without escapes, as versions have none. */
static void read_version(const char *json, struct buildversion *out)
{
	static const char key[] = "\"version\"";
	const char *at = strstr(json, key);
	size_t n;

	if (!at)
		return;
	at += sizeof(key) - 1;
	at += strspn(at, " \t\r\n");
	if (*at++ != ':')
		return;
	at += strspn(at, " \t\r\n");
	if (*at++ != '"')
		return;
	n = strcspn(at, "\"\\");
	if (at[n] == '"')
		put_version(out, at, n);
}

static bool is_that_build(const struct elffile *f, const char *id)
{
	uint8_t bytes[BUILDID_MAX];
	char hex[BUILDID_HEX];

	return *id && !strcmp(buildid_hex(bytes, buildid_read(f, bytes), hex), id);
}

static void find_note(const struct elffile *f, struct buildversion *out)
{
	static const struct note_key key = {".note.package", "FDO", NOTE_TYPE};
	char json[NOTE_MOST + 1] = "";

	if (!note_read(f, &key, json, NOTE_MOST))
		return;
	read_version(json, out);
	snprintf(out->origin, sizeof(out->origin), "package note");
}

/* --- Debian's packages ---------------------------------------------------------------------------
 */

/* Whether a list has the path on a line of its own. */
static bool lists(const char *list, const char *path)
{
	const size_t n = strlen(path);

	for (const char *at = list; (at = strstr(at, path)); at += n)
		if ((at == list || at[-1] == '\n') && (at[n] == '\n' || !at[n]))
			return true;
	return false;
}

static bool is_of_package(const char *folder, const char *name, const char *path)
{
	_free_ char *file = mem_printf("%s/info/%s", folder, name);
	_free_ char *text = NULL;
	const char *bare = str_starts(path, "/usr/") ? path + 4 : path;
	size_t n;

	/* Folders of / were merged into /usr: lists have either. */
	return !file_read(file, LIST_MOST, &text, &n) && (lists(text, path) || lists(text, bare));
}

/* "libsqlite3-0:amd64" of libsqlite3-0:amd64.list; NULL: none. Owned by the caller. */
static char *find_package(const char *folder, const char *path)
{
	_free_ char *info = mem_printf("%s/info", folder);
	DIR *dir = opendir(info);
	char *package = NULL;

	for (struct dirent *e; !package && dir && (e = readdir(dir));)
		if (str_ends(e->d_name, ".list") && is_of_package(folder, e->d_name, path))
			package = mem_strndup(e->d_name, strlen(e->d_name) - strlen(".list"));
	if (dir)
		closedir(dir);
	return package;
}

/* The value of "KEY: " in the paragraph, up to its line's end; owned by the caller, or NULL. */
static char *field(const char *paragraph, const char *end, const char *key)
{
	const size_t n = strlen(key);

	for (const char *line = paragraph; line < end; line += strcspn(line, "\n") + 1)
		if (!strncmp(line, key, n) && !strncmp(line + n, ": ", 2))
			return mem_strndup(line + n + 2, strcspn(line + n + 2, "\n"));
	return NULL;
}

static bool is_package(const char *paragraph, const char *end, const char *name)
{
	_free_ char *package = field(paragraph, end, "Package");
	_free_ char *architecture = field(paragraph, end, "Architecture");
	_free_ char *full =
		package && architecture ? mem_printf("%s:%s", package, architecture) : NULL;

	return package && (!strcmp(package, name) || (full && !strcmp(full, name)));
}

/* The version of the package in dpkg's status; owned by the caller, or NULL. */
static char *package_version(const char *folder, const char *name)
{
	_free_ char *file = mem_printf("%s/status", folder);
	_free_ char *text = NULL;
	size_t n;

	if (file_read(file, STATUS_MOST, &text, &n))
		return NULL;
	for (const char *at = text; *at;) {
		const char *gap = strstr(at, "\n\n");
		const char *end = gap ? gap + 1 : text + n;

		if (is_package(at, end, name))
			return field(at, end, "Version");
		at = gap ? gap + 2 : end;
	}
	return NULL;
}

static void find_debian(const char *folder, const char *path, struct buildversion *out)
{
	_free_ char *package = find_package(folder, path);
	_free_ char *version = package ? package_version(folder, package) : NULL;

	if (!version)
		return;
	put_version(out, version, strlen(version));
	snprintf(out->origin, sizeof(out->origin), "Debian package %s", package);
}

void buildversion_read(int fd, const char *path, const char *id, const char *dpkg,
		       struct buildversion *out)
{
	struct elffile f;

	*out = (struct buildversion){0};
	if (fd < 0 || elffile_open(fd, &f))
		return;
	out->is_there = is_that_build(&f, id);
	if (out->is_there)
		find_note(&f, out);
	if (out->is_there && !out->version[0])
		find_debian(dpkg, path, out);
	elffile_release(&f);
}
