#include "symbol/zonelist_read.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "process/crew.h"
#include "process/opener.h"
#include "symbol/image_files.h"
#include "symbol/zoneread.h"
#include "symbol/zonewire.h"

/* What reading a file may take: generous for the largest honest ones, an end for those made to
 * take for ever. */
#define CPU_BASE_S	10
#define CPU_BYTES_PER_S (5ull << 20)
#define OUTPUT_PER_ZONE 4096

/* Files that are read together; a task is one of them. */
struct run {
	const struct image *const *images;
	const struct zonelist_request *request;
	struct image_files *open;
	size_t pattern;		/* whose nearest names are asked for, ZONEPATTERN_NONE: lists are */
	struct zonewire answer; /* read last */
	struct zonelist *lists;
	struct nearest *nearest;
};

static struct crew_task task_of(const struct run *r, const struct image *image)
{
	struct stat st;
	const uint64_t bytes = image->fd >= 0 && !fstat(image->fd, &st) ? (uint64_t)st.st_size : 0;

	return (struct crew_task){
		.cost = bytes,
		.cpu_s = CPU_BASE_S + (unsigned int)(bytes / CPU_BYTES_PER_S),
		.output_bytes = OUTPUT_PER_ZONE * zonelist_max(r->request),
	};
}

static void needs(void *context, size_t task, struct crew_fds *fds)
{
	const struct run *r = context;
	int opener[2];

	crew_keep(fds, r->images[task]->fd);
	crew_keep(fds, r->images[task]->root_fd);
	for (size_t i = 0, n = opener_needs(r->images[task]->opener, opener); i < n; i++)
		crew_keep(fds, opener[i]);
}

static void open_image(void *context, size_t task, struct crew_fds *fds)
{
	const struct run *r = context;

	image_files_open(&r->open[task], r->images[task]);
	crew_keep(fds, r->open[task].fd);
	crew_keep(fds, r->open[task].extra_fd);
}

static int read_one(void *context, size_t task, int out_fd)
{
	const struct run *r = context;
	const struct image *image = r->images[task];
	struct zoneread z = {.image = image,
			     .fd = r->open[task].fd,
			     .debug_fd = r->open[task].extra_fd,
			     .wanted = zonepatterns_want_module(r->request->patterns, image->path)};
	struct zonewire answer = {.task = (uint32_t)task};
	int rc;

	/* Of JIT code the map as it is now is the better one. */
	if (image->kind == IMAGE_KIND_JIT && z.debug_fd >= 0)
		z.fd = z.debug_fd;
	if (r->pattern == ZONEPATTERN_NONE)
		zoneread_run(&z, r->request, &answer.list);
	else
		zoneread_nearest(&z, r->request, r->pattern, &answer.nearest);
	rc = zonewire_write(&answer, out_fd);
	zonewire_release(&answer);
	return rc;
}

static size_t read_answer(void *context, const void *bytes, size_t n, uint32_t *task)
{
	struct run *r = context;
	const size_t n_hits =
		r->pattern == ZONEPATTERN_NONE ? zonepatterns_count(r->request->patterns) : 0;
	size_t used;

	zonewire_release(&r->answer);
	used = zonewire_read(bytes, n, n_hits, &r->answer);
	*task = r->answer.task;
	return used;
}

static bool take_answer(void *context, size_t task)
{
	struct run *r = context;

	if (r->lists) {
		r->lists[task] = r->answer.list;
		r->answer.list = (struct zonelist){0};
		return true;
	}
	for (size_t i = 0; i < r->answer.nearest.n; i++)
		nearest_add(r->nearest, r->answer.nearest.at[i].name,
			    r->answer.nearest.at[i].distance);
	return true;
}

static void run(struct run *r, size_t n)
{
	_free_ struct crew_task *tasks = mem_zalloc(n + 1, sizeof(*tasks));
	struct crew crew = {.tasks = tasks,
			    .n = n,
			    .needs = needs,
			    .open = open_image,
			    .run = read_one,
			    .read = read_answer,
			    .take = take_answer,
			    .context = r,
			    .wait = r->request->wait};

	r->open = mem_zalloc(n + 1, sizeof(*r->open));
	for (size_t i = 0; i < n; i++)
		tasks[i] = task_of(r, r->images[i]);
	crew_run(&crew);
	for (size_t i = 0; i < n && r->lists; i++) {
		if (tasks[i].failed)
			r->lists[i].problem =
				mem_strdup("it could not be read: it is damaged or too large, "
					   "or this machine is too busy");
		else if (!tasks[i].done)
			r->lists[i].problem = mem_strdup("the capture ended before it was read");
	}
	zonewire_release(&r->answer);
	free(r->open);
}

/* Files can be read; of generated code and of the vDSO it is told what would match. */
static bool is_readable(const struct image *image)
{
	return image->kind == IMAGE_KIND_VDSO || image->kind == IMAGE_KIND_JIT ||
	       !zonelist_obstacle(image);
}

void zonelist_nearest(const struct image *const *images, size_t n,
		      const struct zonelist_request *request, size_t pattern, struct nearest *out)
{
	struct run r = {.images = images, .request = request, .pattern = pattern, .nearest = out};

	run(&r, n);
}

static void give_hits(const struct zonelist_request *request, struct zonelist *l)
{
	while (l->hits.n < zonepatterns_count(request->patterns))
		vec_push(&l->hits, 0);
}

void zonelist_read(const struct image *const *images, size_t n,
		   const struct zonelist_request *request, struct zonelist *out)
{
	_free_ const struct image **readable = mem_zalloc(n + 1, sizeof(*readable));
	_free_ struct zonelist *lists = mem_zalloc(n + 1, sizeof(*lists));
	struct run r = {.images = readable,
			.request = request,
			.pattern = ZONEPATTERN_NONE,
			.lists = lists};
	size_t n_readable = 0, next = 0;

	for (size_t i = 0; i < n; i++) {
		if (is_readable(images[i]))
			readable[n_readable++] = images[i];
	}
	run(&r, n_readable);
	for (size_t i = 0; i < n; i++) {
		out[i] = is_readable(images[i]) ? lists[next++] : (struct zonelist){0};
		if (!is_readable(images[i]))
			out[i].problem = mem_strdup(zonelist_obstacle(images[i]));
		give_hits(request, &out[i]);
	}
}
