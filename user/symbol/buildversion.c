#include "symbol/buildversion.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"
#include "elf/elffile.h"
#include "process/crew.h"
#include "symbol/buildversion_read.h"
#include "symbol/dpkg.h"

#define DPKG  "/var/lib/dpkg"
#define CPU_S 5

struct run {
	const char *path, *id;
	int (*become)(void);
	int fd; /* in the worker process */
	struct buildversion *out;
	struct buildversion read; /* last */
};

/* What a worker process writes. */
struct answer {
	uint32_t task;
	struct buildversion found;
};

/* --- the task ------------------------------------------------------------------------------------
 */

static void needs_nothing(void *context, size_t task, struct crew_fds *fds)
{
	(void)context, (void)task, (void)fds;
}

static void open_file(void *context, size_t task, struct crew_fds *fds)
{
	struct run *r = context;

	(void)task;
	if (r->become())
		_exit(1);
	r->fd = elffile_open_path(-1, r->path);
	crew_keep(fds, r->fd);
}

static int find(void *context, size_t task, int out_fd)
{
	const struct run *r = context;
	struct answer a = {.task = (uint32_t)task};

	buildversion_read(r->fd, r->id, &a.found);
	return file_put(out_fd, (const char *)&a, sizeof(a));
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

void buildversion_find(const char *path, const char *id, const char *dpkg, int (*become)(void),
		       struct buildversion *out)
{
	struct crew_task task = {.cost = 1, .cpu_s = CPU_S};
	struct run r = {.path = path, .id = id, .become = become, .fd = -1, .out = out};
	struct crew crew = {.tasks = &task,
			    .n = 1,
			    .needs = needs_nothing,
			    .open = open_file,
			    .run = find,
			    .read = read_answer,
			    .take = take_answer,
			    .context = &r};

	*out = (struct buildversion){0};
	crew_run(&crew);
	if (out->is_there && !out->version[0])
		find_debian(dpkg ? dpkg : DPKG, path, out);
}
