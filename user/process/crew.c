#include "process/crew.h"

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

#include "base/child.h"
#include "base/mem.h"
#include "confine/confine.h"

#define MAX_WIDTH    8
#define WALL_FACTOR  4 /* children wait for the disk and for each other */
#define MEMORY_BYTES (2ull << 30)
#define OUTPUT_BASE  (16ull << 20)
#define WAIT_MS	     20

struct batch {
	VEC(uint32_t) tasks;
	uint64_t cost;
	bool late;
	unsigned int cpu_s;
	pid_t pid;
	int pidfd, out_fd;
	int64_t deadline_ms;
};

unsigned int crew_width(void)
{
	long n = sysconf(_SC_NPROCESSORS_ONLN);

	return n < 1 ? 1 : n > MAX_WIDTH ? MAX_WIDTH : (unsigned int)n;
}

void crew_keep(struct crew_fds *k, int fd)
{
	if (fd >= 0)
		vec_push(&k->at, fd);
}

/* --- in the child --------------------------------------------------------------------------- */

/* What the other batches hold open leaves room for what this one opens. */
static void close_foreign(const struct crew *c, const struct batch *b)
{
	struct crew_fds k = {0};

	crew_keep(&k, b->out_fd);
	for (size_t i = 0; i < b->tasks.n; i++)
		c->needs(c->context, b->tasks.at[i], &k);
	confine_close(k.at.at, k.at.n);
	vec_release(&k.at);
}

static int open_and_confine(const struct crew *c, const struct batch *b)
{
	uint64_t output_bytes = OUTPUT_BASE;
	unsigned int cpu_s = 0;
	struct crew_fds k = {0};

	crew_keep(&k, b->out_fd);
	for (size_t i = 0; i < b->tasks.n; i++) {
		c->open(c->context, b->tasks.at[i], &k);
		output_bytes += c->tasks[b->tasks.at[i]].output_bytes;
		cpu_s += c->tasks[b->tasks.at[i]].cpu_s + 1;
	}
	confine_silence();
	confine_close(k.at.at, k.at.n);
	vec_release(&k.at);
	return confine_enter(&(struct confine_terms){.kind = CONFINE_READER,
						     .socket = -1,
						     .memory_bytes = MEMORY_BYTES,
						     .file_bytes = output_bytes,
						     .cpu_s = cpu_s + 1});
}

static _Noreturn void work(const struct crew *c, const struct batch *b)
{
	close_foreign(c, b);
	if (open_and_confine(c, b))
		_exit(1);
	for (size_t i = 0; i < b->tasks.n; i++) {
		confine_cpu(c->tasks[b->tasks.at[i]].cpu_s);
		if (c->run(c->context, b->tasks.at[i], b->out_fd))
			_exit(1);
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

static void start(const struct crew *c, struct batch *b)
{
	b->cpu_s = 0;
	b->pidfd = -1;
	b->pid = -1;
	for (size_t i = 0; i < b->tasks.n; i++)
		b->cpu_s += c->tasks[b->tasks.at[i]].cpu_s;
	b->deadline_ms = now_ms() + 1000ll * WALL_FACTOR * b->cpu_s;
	b->out_fd = memfd_create("answers", MFD_CLOEXEC);
	if (b->out_fd < 0)
		return;
	b->pid = child_fork();
	if (b->pid == 0)
		work(c, b);
	if (b->pid > 0)
		b->pidfd = pidfd_open(b->pid, 0);
}

/* How long to wait at once. */
static int patience(const struct crew *c, int64_t left_ms)
{
	return (int)(c->wait && left_ms > WAIT_MS ? WAIT_MS : left_ms);
}

/* Whether the child may go on; not for ever, and not longer than somebody waits for it. */
static bool goes_on(struct crew *c, const struct batch *b, bool *late)
{
	*late = now_ms() >= b->deadline_ms;
	c->given_up |= c->wait && !*late && !c->wait->goes_on(c->wait->context);
	return !*late && !c->given_up;
}

/* Waits for the child, up to its deadline; true when it ran out of CPU time or of time. */
static bool finish(struct crew *c, struct batch *b)
{
	struct pollfd p = {.fd = b->pidfd, .events = POLLIN};
	bool late = false;
	int status = 0;

	if (b->pid <= 0)
		return false;
	while (b->pidfd >= 0) {
		int64_t left = b->deadline_ms - now_ms();
		int n = left > 0 ? poll(&p, 1, patience(c, left)) : 0;

		if ((n < 0 && errno == EINTR) || (n == 0 && goes_on(c, b, &late)))
			continue;
		if (n == 0)
			kill(b->pid, SIGKILL);
		break;
	}
	while (waitpid(b->pid, &status, 0) < 0 && errno == EINTR)
		;
	if (b->pidfd >= 0)
		close(b->pidfd);
	return late || (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU);
}

static bool is_in(const struct batch *b, uint32_t task)
{
	for (size_t i = 0; i < b->tasks.n; i++) {
		if (b->tasks.at[i] == task)
			return true;
	}
	return false;
}

/* Takes the answers that the child left, whole ones only. The child is gone: what it wrote no
 * longer changes. */
static void collect(const struct crew *c, const struct batch *b)
{
	struct stat st;
	size_t at = 0, used;
	uint32_t task;
	char *bytes;

	if (b->out_fd < 0 || fstat(b->out_fd, &st) || st.st_size <= 0)
		return;
	bytes = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, b->out_fd, 0);
	if (bytes == MAP_FAILED)
		return;
	while ((used = c->read(c->context, bytes + at, (size_t)st.st_size - at, &task))) {
		at += used;
		if (!is_in(b, task) || c->tasks[task].done || !c->take(c->context, task))
			break;
		c->tasks[task].done = true;
	}
	munmap(bytes, (size_t)st.st_size);
}

/* The first task that the child left undone, where time ran out on it, is not tried again. */
static void end(struct crew *c, struct batch *b)
{
	const bool ran_out = finish(c, b);

	collect(c, b);
	for (size_t i = 0; i < b->tasks.n && ran_out; i++) {
		struct crew_task *task = &c->tasks[b->tasks.at[i]];

		if (task->done)
			continue;
		task->failed = true;
		break;
	}
	if (b->out_fd >= 0)
		close(b->out_fd);
	vec_release(&b->tasks);
}

static int by_cost(const void *pa, const void *pb)
{
	const struct batch *a = pa, *b = pb;

	if (a->late != b->late)
		return a->late ? 1 : -1;
	return a->cost > b->cost ? -1 : a->cost < b->cost;
}

/* Deals the tasks to @width batches, the largest first, those that come late last, each to the
 * batch that has least. */
static void run_together(struct crew *c, unsigned int width)
{
	_free_ struct batch *single = mem_zalloc(c->n, sizeof(*single));
	struct batch batches[MAX_WIDTH] = {0};

	for (size_t i = 0; i < c->n; i++) {
		vec_push(&single[i].tasks, (uint32_t)i);
		single[i].cost = c->tasks[i].cost;
		single[i].late = c->tasks[i].late;
	}
	qsort(single, c->n, sizeof(*single), by_cost);
	for (size_t i = 0; i < c->n; i++) {
		struct batch *least = &batches[0];

		for (unsigned int k = 1; k < width; k++)
			least = batches[k].cost < least->cost ? &batches[k] : least;
		least->cost += single[i].cost + 1;
		vec_push(&least->tasks, single[i].tasks.at[0]);
		vec_release(&single[i].tasks);
	}
	for (unsigned int k = 0; k < width && batches[k].tasks.n; k++)
		start(c, &batches[k]);
	for (unsigned int k = 0; k < width && batches[k].tasks.n; k++)
		end(c, &batches[k]);
}

/* Starts a child for the first task from *@next on that is left; -1: there is none. */
static int64_t start_next(struct crew *c, size_t *next, struct batch *b)
{
	while (*next < c->n && (c->tasks[*next].done || c->tasks[*next].failed))
		++*next;
	if (*next == c->n)
		return -1;
	vec_push(&b->tasks, (uint32_t)*next);
	start(c, b);
	return (int64_t)(*next)++;
}

/* A child of its own for each task that is left, @width at a time. */
static void run_singly(struct crew *c, unsigned int width)
{
	size_t next = 0;

	while (!c->given_up && next < c->n) {
		struct batch batches[MAX_WIDTH] = {0};
		int64_t tasks[MAX_WIDTH];
		unsigned int n = 0;

		while (n < width && (tasks[n] = start_next(c, &next, &batches[n])) >= 0)
			n++;
		for (unsigned int k = 0; k < n; k++) {
			struct crew_task *task = &c->tasks[tasks[k]];

			end(c, &batches[k]);
			task->failed = !task->done && (task->failed || !c->given_up);
		}
	}
}

void crew_run(struct crew *c)
{
	if (!c->n)
		return;
	run_together(c, crew_width());
	run_singly(c, crew_width());
}
