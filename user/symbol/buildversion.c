#include "symbol/buildversion.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"
#include "elf/elffile.h"
#include "crew/crew.h"
#include "process/dpkg.h"
#include "symbol/buildversion_read.h"

#define DPKG  "/var/lib/dpkg"
#define CPU_S 5

struct run {
	const char *id;
	int fd;
	struct buildversion *out;
	struct buildversion read; /* last */
};

/* What a worker process writes. */
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
