/*
 * guard_installed: the translators and where they are installed. A translator is recognised by the
 * name of its file: not if it was renamed, and one in another folder not before its first start.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/caller.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"
#include "elf/elffile.h"
#include "probe/guard.h"
#include "process/opener.h"
#include "process/roots.h"

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

static bool is_trusted(uid_t uid, mode_t mode)
{
	return (uid == 0 || uid == caller().uid) && !(mode & (S_IWGRP | S_IWOTH));
}

bool guard_is_trusted(const struct opener_answer *a)
{
	return a->fd >= 0 && !a->is_copy && is_trusted(a->uid, a->mode);
}

/* So many files that are not told of in time are waited for. */
#define MOST_SILENT 2

struct search {
	struct opener *opener;
	int root_fd;
	void (*each)(void *context, int fd);
	void *context;
	int silent; /* files so far */
};

/* On another mount than the root is. */
static int open_far(struct search *s, const char *path)
{
	const struct opener_request r = {.what = OPENER_PATH, .path = path, .root_fd = s->root_fd};
	struct opener_answer a;
	const int rc = s->silent < MOST_SILENT ? opener_ask(s->opener, &r, &a) : -EBUSY;

	s->silent += rc && opener_is_silent(rc);
	if (rc || !a.is_copy)
		return rc ? rc : a.fd;
	opener_answer_release(s->opener, &a);
	return -EXDEV;
}

/* Skips scripts: what a script runs is a file of its own. */
static void search_folder(struct search *s, const char *folder)
{
	for (size_t i = 0; i < KNOWN; i++) {
		_free_ char *path = mem_printf("%s/%s", folder, known[i].file);
		const int near = nearby_open(s->root_fd, path);
		_close_ int fd = near == -EXDEV ? open_far(s, path) : near;
		struct stat st;

		if (fd >= 0 && !fstat(fd, &st) && is_trusted(st.st_uid, st.st_mode) &&
		    elffile_is(fd))
			s->each(s->context, fd);
	}
}

/* @folders: separated by colons. */
static void search_folders(struct search *s, const char *folders)
{
	_free_ char *copy = mem_strdup(folders);
	char *save = NULL;

	for (char *folder = strtok_r(copy, ":", &save); folder; folder = strtok_r(NULL, ":", &save))
		if (*folder == '/')
			search_folder(s, folder);
}

void guard_each_installed(struct opener *opener, int root_fd, void (*each)(void *context, int fd),
			  void *context)
{
	struct search s = {.opener = opener, .root_fd = root_fd, .each = each, .context = context};
	const char *path = root_fd < 0 ? environment_given("PATH") : NULL;

	search_folders(&s, usual);
	if (path)
		search_folders(&s, path);
}
