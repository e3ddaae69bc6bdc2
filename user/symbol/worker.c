#include "symbol/worker.h"

#include <errno.h>

#include "base/mem.h"
#include "crew/crew.h"
#include "symbol/image_files_read.h"
#include "symbol/naming.h"

/* Limits of a job: generous for the largest honest binaries (gigabytes of DWARF), but they end
 * those that are made to take for ever. */
#define CPU_BASE_S	  5
#define CPU_MOST_S	  60
#define CPU_BYTES_PER_S	  (50ull << 20)
#define CPU_QUERIES_PER_S 5000
#define OUTPUT_PER_QUERY  2048
#define OUTPUT_OF_FOLDERS (1u << 20)

/* --- in the worker process ---------------------------------------------------------------------
 */

static int name(void *begun, const struct crew_request *r)
{
	struct answer answer = {0};
	struct image_files files;
	struct image image;
	const char *queries = image_files_take(r, &image, &files);
	size_t n = queries ? (r->n - (size_t)(queries - (const char *)r->bytes)) : 0;
	int rc;

	(void)begun;
	if (!queries)
		return -EPROTO;
	n /= sizeof(struct query);
	if (n)
		naming_run(&files, (const struct query *)(const void *)queries, (uint32_t)n,
			   &answer);
	else
		naming_folders(&files, &answer);
	rc = answer_write(&answer, r->task, r->out_fd);
	answer_release(&answer);
	return rc;
}

static const struct crew_service service = {.run = name};

/* --- in the loader -----------------------------------------------------------------------------
 */

struct run {
	struct job *jobs;
	struct answer_view view; /* the last answer */
	void (*take)(void *context, const struct job *, const struct answer_view *);
	void *context;
};

unsigned int worker_width(void)
{
	return crew_width();
}

static struct crew_task task_of(const struct job *job)
{
	const uint64_t bytes = crew_file_bytes(job->image->fd);
	struct crew_task task = {
		.cost = bytes + 4096ull * job->n,
		.cpu_s = CPU_BASE_S + job->n / CPU_QUERIES_PER_S,
		.cpu_most_s = CPU_MOST_S,
		.bytes_per_s = CPU_BYTES_PER_S,
		.output_bytes = job->n ? (uint64_t)OUTPUT_PER_QUERY * job->n : OUTPUT_OF_FOLDERS,
	};

	crew_owned_by(&task, job->image);
	return task;
}

static void ask(void *context, size_t task, struct crew_ask *a)
{
	const struct run *r = context;
	const struct job *job = &r->jobs[task];

	image_files_ask(a, job->image, job->is_debug);
	str_addn(&a->bytes, (const char *)job->queries, job->n * sizeof(*job->queries));
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
	struct run r = {.jobs = jobs, .take = take, .context = context};
	struct crew crew = {.service = &service,
			    .tasks = tasks,
			    .n = n,
			    .ask = ask,
			    .read = read_answer,
			    .take = take_answer,
			    .context = &r,
			    .wait = wait};

	for (size_t i = 0; i < n; i++)
		tasks[i] = task_of(&jobs[i]);
	crew_run(&crew);
	for (size_t i = 0; i < n; i++) {
		/* A job that took too long is not failed: it may be named later, where nobody
		 * waits. */
		jobs[i].failed = tasks[i].failed && !tasks[i].ran_out;
		jobs[i].put_off = !jobs[i].done && !jobs[i].failed;
	}
}
