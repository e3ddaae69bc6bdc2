/*
 * guard_installed: the translators and where they are installed. A translator is recognised by the
 * name of its file: not if it was renamed, and one in another folder not before its first start.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/caller.h"
#include "base/environment.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"
#include "elf/elffile.h"
#include "probe/guard.h"

/* Debian's valgrind is a script that runs valgrind.bin, which runs one of the tools. qemu for other
 * processors translates only files that have no probes. */
static const struct {
	const char *file, *name;
} known[] = {
	{"valgrind", "valgrind"},
	{"valgrind.bin", "valgrind"},
	{"memcheck-amd64-linux", "valgrind"},
	{"none-amd64-linux", "valgrind"},
	{"cachegrind-amd64-linux", "valgrind"},
	{"callgrind-amd64-linux", "valgrind"},
	{"helgrind-amd64-linux", "valgrind"},
	{"drd-amd64-linux", "valgrind"},
	{"massif-amd64-linux", "valgrind"},
	{"dhat-amd64-linux", "valgrind"},
	{"lackey-amd64-linux", "valgrind"},
	{"exp-bbv-amd64-linux", "valgrind"},
	{"qemu-x86_64", "QEMU's user mode"},
	{"qemu-x86_64-static", "QEMU's user mode"},
	{"drrun", "DynamoRIO"},
	{"libdynamorio.so", "DynamoRIO"},
	{"pinbin", "Pin"},
	{"box64", "box64"},
};
#define KNOWN (sizeof(known) / sizeof(*known))

static const char usual[] = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:"
			    "/usr/libexec/valgrind:/usr/lib/valgrind:/usr/lib64/valgrind:"
			    "/usr/lib/x86_64-linux-gnu/valgrind:/usr/local/libexec/valgrind:"
			    "/usr/local/lib/valgrind";

/* The kernel appends " (deleted)" to the name of a running file that was replaced. */
static bool is_called(const char *base, const char *file)
{
	const size_t n = strlen(file);

	return !strncmp(base, file, n) && (!base[n] || !strcmp(base + n, " (deleted)"));
}

int guard_translator_of(const char *path)
{
	const char *base = str_base(path);

	for (size_t i = 0; i < KNOWN; i++)
		if (is_called(base, known[i].file))
			return (int)i;
	return -1;
}

const char *guard_translator_name(int number)
{
	return number < 0 ? "a translator" : known[number].name;
}

bool guard_is_trusted(int fd)
{
	struct stat st;

	return fd >= 0 && !fstat(fd, &st) && (st.st_uid == 0 || st.st_uid == caller().uid) &&
	       !(st.st_mode & (S_IWGRP | S_IWOTH));
}

struct search {
	int root_fd;
	void (*each)(void *context, int fd);
	void *context;
};

/* Skips scripts: what a script runs is a file of its own. */
static void search_folder(const struct search *s, const char *folder)
{
	for (size_t i = 0; i < KNOWN; i++) {
		_free_ char *path = mem_printf("%s/%s", folder, known[i].file);
		_close_ int fd = elffile_open_path(s->root_fd, path);

		if (guard_is_trusted(fd) && elffile_is(fd))
			s->each(s->context, fd);
	}
}

/* @folders: separated by colons. */
static void search_folders(const struct search *s, const char *folders)
{
	_free_ char *copy = mem_strdup(folders);
	char *save = NULL;

	for (char *folder = strtok_r(copy, ":", &save); folder; folder = strtok_r(NULL, ":", &save))
		if (*folder == '/')
			search_folder(s, folder);
}

void guard_each_installed(int root_fd, void (*each)(void *context, int fd), void *context)
{
	const struct search s = {root_fd, each, context};
	const char *path = root_fd < 0 ? environment_given("PATH") : NULL;

	search_folders(&s, usual);
	if (path)
		search_folders(&s, path);
}
