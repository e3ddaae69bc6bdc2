#include "symbol/buildversion.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"
#include "crew/crew.h"
#include "elf/elffile.h"
#include "symbol/buildversion_read.h"

#define LIST_MOST   (16u << 20) /* of a list of a package's files; the largest have 3 MB */
#define STATUS_MOST (64u << 20)

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

	/* Folders of / were merged into /usr: lists have either path. */
	return !file_read(file, LIST_MOST, &text, &n) && (lists(text, path) || lists(text, bare));
}

/* Returns "libsqlite3-0:amd64" if libsqlite3-0:amd64.list has @path; owned by the caller; NULL: no
 * list has. */
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

/* The package's version in dpkg's status file; owned by the caller; NULL: none. */
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

/* The version of the package that owns @path, and its name in *@package: both for the caller to
 * free; NULL: no package does. @folder: dpkg's, as /var/lib/dpkg. */
static char *dpkg_version(const char *folder, const char *path, char **package)
{
	char *version;

	*package = find_package(folder, path);
	version = *package ? package_version(folder, *package) : NULL;
	if (version)
		return version;
	free(*package);
	*package = NULL;
	return NULL;
}

#define DPKG  "/var/lib/dpkg"
#define CPU_S 5

struct run {
	const char *id;
	int fd;
	struct buildversion *out;
	struct buildversion read; /* the last answer */
};

/* What the worker process writes. */
struct answer {
	uint32_t task;
	struct buildversion found;
};

/* --- in the worker process ---------------------------------------------------------------------
 */

static int find(void *begun, const struct crew_request *r)
{
	struct answer a = {.task = r->task};

	(void)begun;
	buildversion_read(r->n_fds ? r->fds[0] : -1, r->bytes, &a.found);
	return file_put(r->out_fd, (const char *)&a, sizeof(a));
}

static const struct crew_service service = {.run = find};

/* --- in the loader -----------------------------------------------------------------------------
 */

static void ask(void *context, size_t task, struct crew_ask *a)
{
	const struct run *r = context;

	(void)task;
	str_addn(&a->bytes, r->id, strlen(r->id) + 1);
	crew_lend(a, r->fd);
}

static size_t read_answer(void *context, const void *bytes, size_t n, uint32_t *task)
{
	struct run *r = context;
	struct answer a;

	if (n < sizeof(a))
		return 0;
	memcpy(&a, bytes, sizeof(a));
	r->read = a.found;
	*task = a.task;
	return a.task ? 0 : sizeof(a);
}

static void take_text(char *to, const char *from)
{
	_free_ char *clean = str_clean(from, strnlen(from, BUILDVERSION_BYTES - 1));

	if (strlen(clean) < BUILDVERSION_BYTES)
		memcpy(to, clean, strlen(clean) + 1);
}

static bool take_answer(void *context, size_t task)
{
	struct run *r = context;

	(void)task;
	take_text(r->out->version, r->read.version);
	take_text(r->out->origin, r->read.origin);
	r->out->is_there = r->read.is_there != 0;
	return true;
}

static void find_debian(const char *folder, const char *path, struct buildversion *out)
{
	_free_ char *package = NULL;
	_free_ char *version = dpkg_version(folder, path, &package);

	if (!version)
		return;
	buildversion_put(out, version, strlen(version));
	snprintf(out->origin, sizeof(out->origin), "Debian package %s", package);
}

char *buildversion_package(const char *path, const char *dpkg)
{
	return find_package(dpkg ? dpkg : DPKG, path);
}

void buildversion_find(int fd, const char *path, const char *id, const char *dpkg,
		       struct buildversion *out)
{
	struct crew_task task = {.cost = 1, .cpu_s = CPU_S};
	struct run r = {.id = id, .fd = fd, .out = out};
	struct crew crew = {.service = &service,
			    .tasks = &task,
			    .n = 1,
			    .ask = ask,
			    .read = read_answer,
			    .take = take_answer,
			    .context = &r};

	*out = (struct buildversion){0};
	crew_run(&crew);
	if (out->is_there && !out->version[0])
		find_debian(dpkg ? dpkg : DPKG, path, out);
}
