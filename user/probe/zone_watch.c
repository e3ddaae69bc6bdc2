/*
 * zone_watch: finds installed translators, so that none starts before the probes are gone
 * (zone_guard.c): in the folders where processes look for programs, in the usual ones, and among
 * the interpreters of binfmt_misc; in containers the same, below their roots. Elsewhere, or under
 * other names, they are recognised when they start.
 */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"
#include "process/procfs.h"
#include "process/roots.h"
#include "probe/zone_state.h"

#define MAX_FOLDERS	  4096
#define MAX_ENVIRON_BYTES (4u << 20)
#define MAX_RULE_BYTES	  65536

#define BINFMT "/proc/sys/fs/binfmt_misc"

static const char usual[] = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:"
			    "/usr/libexec/valgrind:/usr/lib/valgrind:/usr/lib64/valgrind:"
			    "/usr/lib/x86_64-linux-gnu/valgrind:/usr/local/libexec/valgrind:"
			    "/usr/local/lib/valgrind";

/* @root: -1: our own. */
static void look_at(struct zones *z, int root, const char *path)
{
	_close_ int fd = elffile_open_path(root, path);

	if (fd >= 0)
		zone_guard_watch(z, fd);
}

struct looking {
	struct zones *z;
	int root;
	const char *folder;
};

static void look_for(void *context, const char *name)
{
	const struct looking *l = context;
	_free_ char *path = mem_printf("%s/%s", l->folder, name);

	look_at(l->z, l->root, path);
}

static void look_into(struct zones *z, int root, const char *folder)
{
	struct looking looking = {z, root, folder};
	struct map *known = &z->watch.folders;
	bool fresh;

	if (*folder != '/' || known->n >= MAX_FOLDERS)
		return;
	map_put(known, hash_two((uint64_t)root, hash_bytes(folder, strlen(folder))), &fresh);
	if (fresh)
		translator_each_name(look_for, &looking);
}

/* @folders: separated by colons. */
static void look_into_all(struct zones *z, int root, const char *folders)
{
	_free_ char *copy = mem_strdup(folders);
	char *save = NULL;

	for (char *folder = strtok_r(copy, ":", &save); folder; folder = strtok_r(NULL, ":", &save))
		look_into(z, root, folder);
}

/* The PATH in @pid's environment; points into @text. */
static const char *path_in(const char *text, size_t n)
{
	for (const char *at = text; at < text + n; at += strlen(at) + 1)
		if (str_starts(at, "PATH="))
			return at + 5;
	return NULL;
}

void zone_watch_process(struct zones *z, uint32_t pid, bool runs)
{
	const size_t before = roots_count(z->watch.roots);
	const int root = roots_of(z->watch.roots, pid);
	_free_ char *file = procfs_path(pid, "environ");
	_free_ char *text = NULL;
	const char *path;
	size_t n;

	if (!runs && roots_count(z->watch.roots) == before)
		return;
	look_into_all(z, root, usual);
	if (file_read(file, MAX_ENVIRON_BYTES, &text, &n))
		return;
	path = path_in(text, n);
	if (path)
		look_into_all(z, root, path);
}

/* "enabled\ninterpreter /usr/bin/qemu-x86_64-static\nflags: F\n…" */
static void look_at_rule(struct zones *z, const char *name)
{
	_free_ char *file = mem_printf(BINFMT "/%s", name);
	_free_ char *text = NULL;
	char *at;
	size_t n;

	if (file_read(file, MAX_RULE_BYTES, &text, &n))
		return;
	at = strstr(text, "\ninterpreter ");
	if (!at)
		return;
	at += strlen("\ninterpreter ");
	at[strcspn(at, "\n")] = '\0';
	look_at(z, -1, at);
}

void zone_watch_init(struct zones *z)
{
	const char *path = getenv("PATH");
	const struct dirent *entry;
	DIR *rules = opendir(BINFMT);

	z->watch.roots = roots_new();
	look_into_all(z, -1, usual);
	if (path)
		look_into_all(z, -1, path);
	while (rules && (entry = readdir(rules)))
		if (strcmp(entry->d_name, "register") != 0 && strcmp(entry->d_name, "status") != 0)
			look_at_rule(z, entry->d_name);
	if (rules)
		closedir(rules);
}

void zone_watch_release(struct zones *z)
{
	roots_free(z->watch.roots);
	map_release(&z->watch.folders);
}
