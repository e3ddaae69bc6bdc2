#include "symbol/worker.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/pidfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/vec.h"
#include "symbol/confine.h"
#include "symbol/naming.h"

#define MAX_WIDTH 8

/* What a job may use: generous for the largest honest binaries (gigabytes of DWARF), an end for
 * those made to take for ever. */
#define CPU_BASE_S	  5
#define CPU_BYTES_PER_S	  (50ull << 20)
#define CPU_QUERIES_PER_S 5000
#define WALL_FACTOR	  4 /* children wait for the disk and for each other */
#define MEMORY_BYTES	  (2ull << 30)
#define OUTPUT_BASE	  (16ull << 20)
#define OUTPUT_PER_QUERY  2048

struct batch {
	VEC(uint32_t) jobs;
	uint64_t cost;
	unsigned int cpu_s;
	pid_t pid;
	int pidfd, out_fd;
	int64_t deadline_ms;
};

struct run {
	struct job *jobs;
	void (*take)(void *context, const struct job *, const struct answer_view *);
	void *context;
};

unsigned int worker_width(void)
{
	long n = sysconf(_SC_NPROCESSORS_ONLN);

	return n < 1 ? 1 : n > MAX_WIDTH ? MAX_WIDTH : (unsigned int)n;
}

static uint64_t image_bytes(const struct image *image)
{
	struct stat st;

	return image->fd >= 0 && !fstat(image->fd, &st) ? (uint64_t)st.st_size : 0;
}

static unsigned int cpu_budget(const struct job *job)
{
	return CPU_BASE_S + (unsigned int)(image_bytes(job->image) / CPU_BYTES_PER_S) +
	       job->n / CPU_QUERIES_PER_S;
}

/* --- in the child --------------------------------------------------------------------------- */

/* Descriptors that are used from here on. */
struct keep {
	VEC(int) fds;
};

static void keep(struct keep *k, int fd)
{
	if (fd >= 0)
		vec_push(&k->fds, fd);
}

/* What the other batches hold open leaves room for what this one opens. */
static void close_foreign(const struct run *r, const struct batch *b)
{
	struct keep k = {0};

	keep(&k, b->out_fd);
	for (size_t i = 0; i < b->jobs.n; i++) {
		const struct image *image = r->jobs[b->jobs.at[i]].image;

		keep(&k, image->fd);
		keep(&k, image->root_fd);
	}
	confine_close(k.fds.at, k.fds.n);
	vec_release(&k.fds);
}

static int confine_to(const struct run *r, const struct batch *b, const struct naming *open)
{
	uint64_t output_bytes = OUTPUT_BASE;
	struct keep k = {0};
	int rc;

	keep(&k, b->out_fd);
	for (size_t i = 0; i < b->jobs.n; i++) {
		keep(&k, open[i].fd);
		keep(&k, open[i].extra_fd);
		output_bytes += (uint64_t)OUTPUT_PER_QUERY * r->jobs[b->jobs.at[i]].n;
	}
	rc = confine(k.fds.at, k.fds.n, MEMORY_BYTES, output_bytes);
	vec_release(&k.fds);
	return rc;
}

static _Noreturn void work(const struct run *r, const struct batch *b)
{
	struct naming *open = mem_zalloc(b->jobs.n, sizeof(*open));

	close_foreign(r, b);
	for (size_t i = 0; i < b->jobs.n; i++)
		naming_open(&open[i], r->jobs[b->jobs.at[i]].image);
	if (confine_to(r, b, open))
		_exit(1);
	for (size_t i = 0; i < b->jobs.n; i++) {
		const struct job *job = &r->jobs[b->jobs.at[i]];
		struct answer answer = {0};

		confine_cpu(cpu_budget(job));
		naming_run(&open[i], job->queries, job->n, &answer);
		if (answer_write(&answer, b->jobs.at[i], b->out_fd))
			_exit(1);
		answer_release(&answer);
	}
	_exit(0);
}

/* --- in the parent -------------------------------------------------------------------------- */

static int64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static void start(const struct run *r, struct batch *b)
{
	b->cpu_s = 0;
	b->pidfd = -1;
	b->pid = -1;
	for (size_t i = 0; i < b->jobs.n; i++)
		b->cpu_s += cpu_budget(&r->jobs[b->jobs.at[i]]);
	b->deadline_ms = now_ms() + 1000ll * WALL_FACTOR * b->cpu_s;
	b->out_fd = memfd_create("names", MFD_CLOEXEC);
	if (b->out_fd < 0)
		return;
	b->pid = fork();
	if (b->pid == 0)
		work(r, b);
	if (b->pid > 0)
		b->pidfd = pidfd_open(b->pid, 0);
}

/* Waits for the child, up to its deadline; true when it ran out of CPU time or of time. */
static bool finish(struct batch *b)
{
	struct pollfd p = {.fd = b->pidfd, .events = POLLIN};
	bool late = false;
	int status = 0;

	if (b->pid <= 0)
		return false;
	while (b->pidfd >= 0) {
		int64_t left = b->deadline_ms - now_ms();
		int n = left > 0 ? poll(&p, 1, (int)left) : 0;

		if (n < 0 && errno == EINTR)
			continue;
		if (n != 0)
			break;
		late = true;
		kill(b->pid, SIGKILL);
		break;
	}
	while (waitpid(b->pid, &status, 0) < 0 && errno == EINTR)
		;
	if (b->pidfd >= 0)
		close(b->pidfd);
	return late || (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU);
}

static bool is_in(const struct batch *b, uint32_t job)
{
	for (size_t i = 0; i < b->jobs.n; i++) {
		if (b->jobs.at[i] == job)
			return true;
	}
	return false;
}

/* Takes the answers that the child left, whole ones only. The child is gone: what it wrote no
 * longer changes. */
static void collect(const struct run *r, const struct batch *b)
{
	struct answer_view view;
	struct stat st;
	size_t at = 0, used;
	char *bytes;

	if (b->out_fd < 0 || fstat(b->out_fd, &st) || st.st_size <= 0)
		return;
	bytes = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, b->out_fd, 0);
	if (bytes == MAP_FAILED)
		return;
	while ((used = answer_read(bytes + at, (size_t)st.st_size - at, &view))) {
		at += used;
		if (!is_in(b, view.job) || r->jobs[view.job].done ||
		    view.n_queries != r->jobs[view.job].n)
			break;
		r->jobs[view.job].done = true;
		r->take(r->context, &r->jobs[view.job], &view);
	}
	munmap(bytes, (size_t)st.st_size);
}

/* The first job that the child left undone, where time ran out on it, is not tried again. */
static void end(const struct run *r, struct batch *b)
{
	const bool ran_out = finish(b);

	collect(r, b);
	for (size_t i = 0; i < b->jobs.n && ran_out; i++) {
		struct job *job = &r->jobs[b->jobs.at[i]];

		if (job->done)
			continue;
		job->failed = true;
		break;
	}
	if (b->out_fd >= 0)
		close(b->out_fd);
	vec_release(&b->jobs);
}

static int by_cost(const void *pa, const void *pb)
{
	const struct batch *a = pa, *b = pb;

	return a->cost > b->cost ? -1 : a->cost < b->cost;
}

/* Deals the jobs to @width batches, the largest first, each to the batch that has least. */
static void run_together(const struct run *r, size_t n, unsigned int width)
{
	_free_ struct batch *single = mem_zalloc(n, sizeof(*single));
	struct batch batches[MAX_WIDTH] = {0};

	for (size_t i = 0; i < n; i++) {
		vec_push(&single[i].jobs, (uint32_t)i);
		single[i].cost = image_bytes(r->jobs[i].image) + 4096ull * r->jobs[i].n;
	}
	qsort(single, n, sizeof(*single), by_cost);
	for (size_t i = 0; i < n; i++) {
		struct batch *least = &batches[0];

		for (unsigned int k = 1; k < width; k++)
			least = batches[k].cost < least->cost ? &batches[k] : least;
		least->cost += single[i].cost + 1;
		vec_push(&least->jobs, single[i].jobs.at[0]);
		vec_release(&single[i].jobs);
	}
	for (unsigned int k = 0; k < width && batches[k].jobs.n; k++)
		start(r, &batches[k]);
	for (unsigned int k = 0; k < width && batches[k].jobs.n; k++)
		end(r, &batches[k]);
}

/* A child of its own for each job that is left. */
static void run_singly(const struct run *r, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct batch b = {0};

		if (r->jobs[i].done || r->jobs[i].failed)
			continue;
		vec_push(&b.jobs, (uint32_t)i);
		start(r, &b);
		end(r, &b);
		r->jobs[i].failed = !r->jobs[i].done;
	}
}

void worker_run(struct job *jobs, size_t n,
		void (*take)(void *context, const struct job *, const struct answer_view *),
		void *context)
{
	const struct run r = {.jobs = jobs, .take = take, .context = context};

	if (!n)
		return;
	run_together(&r, n, worker_width());
	run_singly(&r, n);
}
