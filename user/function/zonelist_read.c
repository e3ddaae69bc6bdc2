#include "function/zonelist_read.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "crew/crew.h"
#include "symbol/image_files_read.h"
#include "function/zoneread.h"
#include "function/zonewire.h"

/* What reading a file may take: generous for the largest honest ones, an end for those made to
 * take for ever. */
#define CPU_BASE_S	10
#define CPU_MOST_S	120
#define CPU_BYTES_PER_S (5ull << 20)
#define OUTPUT_PER_ZONE 4096

/* --- in the worker process ---------------------------------------------------------------------
 */

/* What is common to all files of a run; behind it the names of switches, each with its end, and the
 * patterns. */
struct head {
	uint64_t pattern; /* whose nearest names are asked for, ZONEPATTERN_NONE: lists are */
	uint64_t max;
	uint64_t switch_bytes;
	struct site_kernel kernel;
	bool lines;
};

struct begun {
	struct zonelist_request request;
	size_t pattern;
};

static void *begin(const void *bytes, size_t n)
{
	const struct head *head = bytes;
	struct begun *b = mem_zalloc(1, sizeof(*b));
	VEC(const char *) switches = {0};
	const size_t at = sizeof(*head) + head->switch_bytes;
	/* The names outlive the bytes. */
	const char *text =
		memcpy(mem_zalloc(head->switch_bytes + 1, 1), head + 1, head->switch_bytes);

	for (const char *s = text; s < text + head->switch_bytes; s += strlen(s) + 1)
		vec_push(&switches, s);
	b->pattern = head->pattern;
	b->request = (struct zonelist_request){
		.patterns = zonepatterns_get((const char *)bytes + at, n - at),
		.kernel = head->kernel,
		.max = head->max,
		.lines = head->lines,
		.switches = switches.at,
		.n_switches = switches.n};
	return b;
}

static int read_one(void *begun, const struct crew_request *r)
{
	const struct begun *b = begun;
	struct zonewire answer = {.task = r->task};
	struct image_files files;
	struct image image;
	struct zoneread z;
	int rc;

	if (!image_files_take(r, &image, &files))
		return -EPROTO;
	z = (struct zoneread){.image = &image,
			      .fd = files.fd,
			      .debug_fd = files.extra_fd,
			      .wanted = zonepatterns_want_module(b->request.patterns, image.path)};
	/* Of JIT code the map as it is now is the better one. */
	if (image.kind == IMAGE_KIND_JIT && z.debug_fd >= 0)
		z.fd = z.debug_fd;
	if (b->pattern == ZONEPATTERN_NONE)
		zoneread_run(&z, &b->request, &answer.list);
	else
		zoneread_nearest(&z, &b->request, b->pattern, &answer.nearest);
	rc = zonewire_write(&answer, r->out_fd);
	zonewire_release(&answer);
	return rc;
}

static const struct crew_service service = {.begin = begin, .run = read_one};

/* --- in the loader -----------------------------------------------------------------------------
 */

/* Files that are read together; a task is one of them. */
struct run {
	const struct image *const *images;
	const struct zonelist_request *request;
	size_t pattern;		/* as in the head */
	struct zonewire answer; /* read last */
	struct zonelist *lists;
	struct nearest *nearest;
};

static struct crew_task task_of(const struct run *r, const struct image *image)
{
	struct crew_task task = {
		.cost = crew_file_bytes(image->fd),
		.cpu_s = CPU_BASE_S,
		.cpu_most_s = CPU_MOST_S,
		.bytes_per_s = CPU_BYTES_PER_S,
		.output_bytes = OUTPUT_PER_ZONE * zonelist_max(r->request),
	};

	crew_owned_by(&task, image);
	return task;
}

static void put_common(const struct run *r, struct str *out)
{
	const struct zonelist_request *q = r->request;
	struct head head = {
		.pattern = r->pattern, .max = q->max, .kernel = q->kernel, .lines = q->lines};

	for (size_t i = 0; i < q->n_switches; i++)
		head.switch_bytes += strlen(q->switches[i]) + 1;
	str_addn(out, (const char *)&head, sizeof(head));
	for (size_t i = 0; i < q->n_switches; i++)
		str_addn(out, q->switches[i], strlen(q->switches[i]) + 1);
	zonepatterns_put(q->patterns, out);
}

static void ask(void *context, size_t task, struct crew_ask *a)
{
	const struct run *r = context;

	image_files_ask(a, r->images[task], false);
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
	struct crew crew = {.service = &service,
			    .tasks = tasks,
			    .n = n,
			    .ask = ask,
			    .read = read_answer,
			    .take = take_answer,
			    .context = r,
			    .wait = r->request->wait,
			    .allowance = r->request->allowance};

	put_common(r, &crew.common);
	for (size_t i = 0; i < n; i++)
		tasks[i] = task_of(r, r->images[i]);
	crew_run(&crew);
	for (size_t i = 0; i < n && r->lists; i++) {
		if (tasks[i].refused || tasks[i].ran_out)
			r->lists[i].flags |= ZONELIST_TOO_LONG;
		if (tasks[i].refused)
			r->lists[i].problem =
				mem_strdup("it was not read: files of its user took too long");
		else if (tasks[i].failed)
			r->lists[i].problem =
				mem_strdup("it could not be read: it is damaged or too large, "
					   "or this machine is too busy");
		else if (!tasks[i].done)
			r->lists[i].problem = mem_strdup("the capture ended before it was read");
	}
	zonewire_release(&r->answer);
	str_release(&crew.common);
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
