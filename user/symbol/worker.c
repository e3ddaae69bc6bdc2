#include "symbol/worker.h"

#include <sys/stat.h>

#include "base/mem.h"
#include "process/crew.h"
#include "process/opener.h"
#include "symbol/naming.h"

/* What a job may use: generous for the largest honest binaries (gigabytes of DWARF), an end for
 * those made to take for ever. */
#define CPU_BASE_S	  5
#define CPU_BYTES_PER_S	  (50ull << 20)
#define CPU_QUERIES_PER_S 5000
#define CPU_MOST_S	  120
#define OUTPUT_PER_QUERY  2048

struct run {
	struct job *jobs;
	struct image_files *open;
	struct answer_view view; /* read last */
	void (*take)(void *context, const struct job *, const struct answer_view *);
	void *context;
};

unsigned int worker_width(void)
{
	return crew_width();
}

#define BLOCK_BYTES 512 /* of st_blocks */

/* What the file has of bytes: a sparse one is as long as its owner likes. */
static uint64_t bytes_of(const struct stat *st)
{
	const uint64_t stored = (uint64_t)st->st_blocks * BLOCK_BYTES;

	return stored < (uint64_t)st->st_size ? stored : (uint64_t)st->st_size;
}

static struct crew_task task_of(const struct job *job)
{
	struct stat st = {0};
	const bool is_open = job->image->fd >= 0 && !fstat(job->image->fd, &st);
	const uint64_t bytes = is_open ? bytes_of(&st) : 0;
	const uint64_t cpu_s = CPU_BASE_S + bytes / CPU_BYTES_PER_S + job->n / CPU_QUERIES_PER_S;

	return (struct crew_task){
		.cost = bytes + 4096ull * job->n,
		/* What root installed keeps nobody waiting on purpose. */
		.late = is_open && (st.st_uid || !st.st_nlink),
		.cpu_s = cpu_s < CPU_MOST_S ? (unsigned int)cpu_s : CPU_MOST_S,
		.output_bytes = (uint64_t)OUTPUT_PER_QUERY * job->n,
	};
}

static void needs(void *context, size_t task, struct crew_fds *fds)
{
	const struct run *r = context;
	int opener[2];

	crew_keep(fds, r->jobs[task].image->fd);
	crew_keep(fds, r->jobs[task].image->root_fd);
	for (size_t i = 0, n = opener_needs(r->jobs[task].image->opener, opener); i < n; i++)
		crew_keep(fds, opener[i]);
}

static void open_image(void *context, size_t task, struct crew_fds *fds)
{
	const struct run *r = context;

	if (r->jobs[task].is_debug)
		r->open[task] = (struct image_files){.image = r->jobs[task].image,
						     .fd = r->jobs[task].image->fd,
						     .extra_fd = -1,
						     .is_debug = true};
	else
		image_files_open(&r->open[task], r->jobs[task].image);
	crew_keep(fds, r->open[task].fd);
	crew_keep(fds, r->open[task].extra_fd);
}

static int name(void *context, size_t task, int out_fd)
{
	const struct run *r = context;
	struct answer answer = {0};
	int rc;

	naming_run(&r->open[task], r->jobs[task].queries, r->jobs[task].n, &answer);
	rc = answer_write(&answer, (uint32_t)task, out_fd);
	answer_release(&answer);
	return rc;
}

static size_t read_answer(void *context, const void *bytes, size_t n, uint32_t *task)
{
	struct run *r = context;
	const size_t used = answer_read(bytes, n, &r->view);

	*task = r->view.job;
	return used;
}

static bool take_answer(void *context, size_t task)
{
	struct run *r = context;

	if (r->view.n_queries != r->jobs[task].n)
		return false;
	r->jobs[task].done = true;
	r->take(r->context, &r->jobs[task], &r->view);
	return true;
}

void worker_run(struct job *jobs, size_t n, const struct crew_wait *wait,
		void (*take)(void *context, const struct job *, const struct answer_view *),
		void *context)
{
	_free_ struct crew_task *tasks = mem_zalloc(n ? n : 1, sizeof(*tasks));
	_free_ struct image_files *open = mem_zalloc(n ? n : 1, sizeof(*open));
	struct run r = {.jobs = jobs, .open = open, .take = take, .context = context};
	struct crew crew = {.tasks = tasks,
			    .n = n,
			    .needs = needs,
			    .open = open_image,
			    .run = name,
			    .read = read_answer,
			    .take = take_answer,
			    .context = &r,
			    .wait = wait};

	for (size_t i = 0; i < n; i++)
		tasks[i] = task_of(&jobs[i]);
	crew_run(&crew);
	for (size_t i = 0; i < n; i++)
		jobs[i].failed = tasks[i].failed;
	for (size_t i = 0; i < n; i++)
		jobs[i].put_off = !jobs[i].done && !tasks[i].failed;
}
