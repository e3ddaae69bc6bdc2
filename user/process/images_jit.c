/* Images of the code that processes make at run time, and the files in which they name it. */
#include "process/images.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "process/images_state.h"
#include "process/opener.h"
#include "process/procfs.h"

uint32_t perf_map_user(uint32_t pid)
{
	_free_ char *status = procfs_status(pid);
	const char *ids = status ? procfs_field(status, "Uid") : NULL;

	return ids ? (uint32_t)strtoul(ids, NULL, 10) : UINT32_MAX;
}

static bool may_read(const struct opener_answer *a, uint32_t user)
{
	return a->links == 1 && (a->uid == user || (a->uid == 0 && a->mode & S_IROTH));
}

int perf_map_open(struct opener *opener, int root_fd, uint32_t pid, uint32_t user)
{
	char path[48];
	const struct opener_request r = {
		.what = OPENER_PATH, .path = path, .root_fd = root_fd, .no_links = true};
	struct opener_answer a;

	snprintf(path, sizeof(path), "/tmp/perf-%u.map", pid);
	if (!opener_ask(opener, &r, &a) && !may_read(&a, user))
		opener_answer_release(opener, &a);
	return a.fd;
}

int images_open_perf_map(const struct image *image)
{
	return perf_map_open(image->opener, image->root_fd, image->jit_ns_pid, image->jit_uid);
}

uint32_t images_jit(struct images *m, uint32_t pid)
{
	struct image *image;
	uint32_t *number;
	bool fresh;

	number = map_put(&m->by_pid, pid, &fresh);
	if (!fresh && *number)
		return *number;
	*number = images_add(m, IMAGE_KIND_JIT, "//anon");
	image = m->at.at[*number];
	image->jit_pid = pid;
	image->jit_ns_pid = procfs_namespace_pid(pid);
	image->jit_uid = perf_map_user(pid);
	image->root_fd = roots_of(m->roots, pid);
	image->fd = images_open_perf_map(image);
	return *number;
}

/* Ticks between two attempts to find a perf map, at most: some 10 s. */
#define JIT_WAIT_MOST 100

/* A process writes its map after it has made memory executable, perhaps long after. */
static void retry_perf_map(struct image *image)
{
	if (image->fd >= 0 || image->jit_ticks-- > 0)
		return;
	image->fd = images_open_perf_map(image);
	image->jit_wait = 2 * image->jit_wait + 1;
	if (image->jit_wait > JIT_WAIT_MOST)
		image->jit_wait = JIT_WAIT_MOST;
	image->jit_ticks = image->jit_wait;
}

void images_tick(struct images *m)
{
	for (size_t i = 0; i < m->by_pid.cap; i++)
		if (m->by_pid.slots[i].used && m->by_pid.slots[i].value)
			retry_perf_map(m->at.at[m->by_pid.slots[i].value]);
}

void images_jit_end(struct images *m, uint32_t pid)
{
	uint32_t *number = map_get(&m->by_pid, pid);
	struct image *image;

	if (!number || !*number)
		return;
	image = m->at.at[*number];
	if (image->fd < 0)
		image->fd = images_open_perf_map(image);
	*number = 0;
}
