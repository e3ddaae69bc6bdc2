#include "process/executed.h"

#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

#include "base/mem.h"
#include "base/str.h"
#include "process/opener.h"
#include "process/procfs.h"

#define AUXV_MOST 4096
#define NAME_MOST 4096

/* The path that was given to exec: owned; NULL: not known any more. */
static char *given_path(struct opener *o, uint32_t pid)
{
	const struct opener_request auxv = {.what = OPENER_READ,
					    .pid = pid,
					    .path = "auxv",
					    .root_fd = OPENER_OWN_ROOT,
					    .bytes_most = AUXV_MOST};
	struct opener_request name = {.what = OPENER_MEMORY,
				      .pid = pid,
				      .root_fd = OPENER_OWN_ROOT,
				      .bytes_most = NAME_MOST};
	struct opener_answer a;
	char *path = NULL;
	uint64_t pair[2];

	if (!opener_ask(o, &auxv, &a))
		for (size_t at = 0; at + sizeof(pair) <= a.text_bytes; at += sizeof(pair)) {
			memcpy(pair, a.text + at, sizeof(pair));
			name.start = pair[0] == AT_EXECFN ? pair[1] : name.start;
		}
	opener_answer_release(o, &a);
	if (name.start && !opener_ask(o, &name, &a) && strnlen(a.text, a.text_bytes) < a.text_bytes)
		path = mem_strdup(a.text);
	if (name.start)
		opener_answer_release(o, &a);
	return path;
}

static bool is_that_file(struct opener *o, const struct executed_file *f, const char *path)
{
	struct opener_answer a;
	const bool same = !identity_open(o, f->root_fd, path, &f->id, &a);

	if (same)
		opener_answer_release(o, &a);
	return same;
}

/* @name in the folder of @path; owned. */
static char *beside(const char *path, const char *name)
{
	return mem_printf("%.*s%s", (int)(str_base(path) - path), path, name);
}

char *executed_path(struct opener *o, const struct executed_file *f)
{
	const char *base = str_base(f->path);
	char *path;

	/* A name that was not changed, or a library's. */
	if (f->path[0] != '/' || !f->comm[0] || strstr(base, ".so") ||
	    !strncmp(base, f->comm, PROCFS_COMM - 1))
		return NULL;
	path = given_path(o, f->pid);
	if (path && path[0] == '/' && strcmp(str_base(path), base) != 0 && is_that_file(o, f, path))
		return path;
	/* Relative, or not known: the file may have another name in its own folder. */
	if (path && path[0] != '/') {
		char *given = path;

		path = beside(f->path, str_base(given));
		free(given);
	} else {
		free(path);
		path = beside(f->path, f->comm);
	}
	if (strcmp(path, f->path) != 0 && is_that_file(o, f, path))
		return path;
	free(path);
	return NULL;
}
