#include "symbol/worker.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "crew/crew.h"
#include "symbol/image_files.h"
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

/* What a job's addresses need besides, and the answer without that. */
struct later {
	char *bytes;		 /* the answer; owned; NULL: nothing is needed */
	struct answer_view view; /* into it */
};

/* A job for a part of another's queries, with the .dwo files that these need. */
struct part {
	size_t of;	/* the other job */
	uint32_t first; /* query */
	struct split_file files[IMAGE_FILES_SPLIT];
	uint32_t n_files;
};

struct run {
	struct job *jobs;
	struct part *parts;  /* one a job; NULL: they are whole */
	struct later *later; /* one a job; NULL: they get no more files */
	const char *bytes;   /* of the last answer */
	size_t n_bytes;
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
	const struct part *part = r->parts ? &r->parts[task] : NULL;
	const struct image_files_wish wish = {.is_debug = job->is_debug,
					      .split = part != NULL,
					      .files = part ? part->files : NULL,
					      .n = part ? part->n_files : 0};

	image_files_ask(a, job->image, &wish);
	str_addn(&a->bytes, (const char *)job->queries, job->n * sizeof(*job->queries));
}

static size_t read_answer(void *context, const void *bytes, size_t n, uint32_t *task)
{
	struct run *r = context;
	const size_t used = answer_read(bytes, n, &r->view);

	r->bytes = bytes;
	r->n_bytes = used;
	*task = r->view.job;
	return used;
}

static bool take_answer(void *context, size_t task)
{
	struct run *r = context;

	if (r->view.n_queries != r->jobs[task].n)
		return false;
	r->jobs[task].done = true;
	if (r->later && r->view.n_splits) {
		struct later *l = &r->later[task];

		l->bytes = mem_zalloc(r->n_bytes, 1);
		memcpy(l->bytes, r->bytes, r->n_bytes);
		answer_read(l->bytes, r->n_bytes, &l->view);
		return true;
	}
	r->take(r->context, &r->jobs[task], &r->view);
	return true;
}

static void run_jobs(struct run *r, size_t n, const struct crew_wait *wait)
{
	_free_ struct crew_task *tasks = mem_zalloc(n ? n : 1, sizeof(*tasks));
	struct crew crew = {.service = &service,
			    .tasks = tasks,
			    .n = n,
			    .ask = ask,
			    .read = read_answer,
			    .take = take_answer,
			    .context = r,
			    .wait = wait};

	for (size_t i = 0; i < n; i++)
		tasks[i] = task_of(&r->jobs[i]);
	crew_run(&crew);
	for (size_t i = 0; i < n; i++) {
		/* A job that took too long is not failed: it may be named later, where nobody
		 * waits. */
		r->jobs[i].failed = tasks[i].failed && !tasks[i].ran_out;
		r->jobs[i].put_off = !r->jobs[i].done && !r->jobs[i].failed;
	}
}

/* --- .dwo files ------------------------------------------------------------------------------- */

struct parts {
	VEC(struct job) jobs;
	VEC(struct part) parts;
};

/* Whether the part has that file, or room for it. */
static bool part_takes(struct part *p, const struct answer_view *v, uint32_t split)
{
	const struct split_file f = {v->text + v->splits[split].name,
				     v->text + v->splits[split].folder};

	for (uint32_t i = 0; i < p->n_files; i++)
		if (!strcmp(p->files[i].name, f.name) && !strcmp(p->files[i].folder, f.folder))
			return true;
	if (p->n_files == IMAGE_FILES_SPLIT)
		return false;
	p->files[p->n_files++] = f;
	return true;
}

/* Cuts the queries of a job where they would need too many files. */
static void add_parts(struct parts *out, const struct job *job, size_t number,
		      const struct answer_view *v)
{
	struct part part = {.of = number};

	for (uint32_t i = 0; i <= job->n; i++) {
		const uint32_t split = i < job->n ? v->split_of[i] : 0;

		if (i < job->n && (!split || part_takes(&part, v, split - 1)))
			continue;
		vec_push(&out->parts, part);
		vec_push(&out->jobs, ((struct job){.image = job->image,
						   .queries = job->queries + part.first,
						   .n = i - part.first,
						   .number = job->number,
						   .is_debug = job->is_debug}));
		part = (struct part){.of = number, .first = i};
		if (split)
			part_takes(&part, v, split - 1);
	}
}

/* The answer to a part is that to the whole job, without the .dwo files. */
static void take_without(struct run *r, const struct job *job, const struct part *part,
			 const struct later *l)
{
	_free_ uint32_t *ends = mem_zalloc(job->n, sizeof(*ends));
	struct answer_view v = l->view;
	const uint32_t first = part->first ? v.ends[part->first - 1] : 0;

	for (uint32_t i = 0; i < job->n; i++)
		ends[i] = v.ends[part->first + i] - first;
	v.ends = ends;
	v.frames += first;
	v.n_frames = ends[job->n - 1];
	v.n_queries = job->n;
	v.split_of += part->first;
	r->take(r->context, job, &v);
}

/* Answers the jobs that need .dwo files. */
static void run_later(struct run *r, size_t n, const struct crew_wait *wait)
{
	struct run again = {.take = r->take, .context = r->context};
	struct parts parts = {0};

	for (size_t i = 0; i < n; i++)
		if (r->later[i].bytes)
			add_parts(&parts, &r->jobs[i], i, &r->later[i].view);
	again.jobs = parts.jobs.at;
	again.parts = parts.parts.at;
	if (parts.jobs.n)
		run_jobs(&again, parts.jobs.n, wait);
	for (size_t i = 0; i < parts.jobs.n; i++)
		if (!parts.jobs.at[i].done)
			take_without(r, &parts.jobs.at[i], &parts.parts.at[i],
				     &r->later[parts.parts.at[i].of]);
	vec_release(&parts.jobs);
	vec_release(&parts.parts);
}

void worker_run(struct job *jobs, size_t n, const struct crew_wait *wait,
		void (*take)(void *context, const struct job *, const struct answer_view *),
		void *context)
{
	_free_ struct later *later = mem_zalloc(n ? n : 1, sizeof(*later));
	struct run r = {.jobs = jobs, .later = later, .take = take, .context = context};

	run_jobs(&r, n, wait);
	run_later(&r, n, wait);
	for (size_t i = 0; i < n; i++)
		free(later[i].bytes);
}
