#include "crew/crew.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/packet.h"
#include "crew/crew_server.h"
#include "crew/crew_wire.h"
#include "crew/crew_work.h"
#include "process/allowance.h"
#include "process/images.h"

struct crew_slot {
	int socket, leash; /* -1: there is no worker */
	uint64_t owner;	   /* the owner whose tasks it serves */
	size_t served;	   /* number of tasks it got */
	bool busy;
	size_t task; /* its current task, if busy */
	int answer_fd;
	int64_t since_ms;   /* when it got the task */
	int64_t charged_ms; /* up to when its user's allowance was charged */
};

/* Room for every answer, in addition to its task's output_bytes. */
#define OUTPUT_BASE (1ull << 20)

/* How long to wait for an idle worker that was told to end, and for one that was killed, which may
 * have gigabytes to free. A server that is silent for longer hangs. */
#define END_WAIT_MS  200
#define KILL_WAIT_MS 5000

void crew_lend(struct crew_ask *a, int fd)
{
	vec_push(&a->fds, fd);
}

void crew_give(struct crew_ask *a, int fd)
{
	vec_push(&a->fds, fd);
	if (fd >= 0)
		vec_push(&a->own, fd);
}

/* --- descriptors -------------------------------------------------------------------------------
 */

static int memory_file(const char *bytes, size_t n)
{
	const int fd = memfd_create("eprof-task", MFD_CLOEXEC);
	const int rc = fd < 0 ? -errno : n ? file_put(fd, bytes, n) : 0;

	if (!rc)
		return fd;
	if (fd >= 0)
		close(fd);
	return rc;
}

/* A memory file of that length, sealed against growing. */
static int answer_file(uint64_t bytes)
{
	const int fd = memfd_create("eprof-answer", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	if (fd >= 0 && (ftruncate(fd, (off_t)bytes) ||
			fcntl(fd, F_ADD_SEALS, F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL))) {
		const int rc = -errno;

		close(fd);
		return rc;
	}
	return fd < 0 ? -errno : fd;
}

static int pair(int ends[2])
{
	return socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) ? -errno : 0;
}

/* --- the worker --------------------------------------------------------------------------------
 */

static bool await_end(const struct crew_slot *s, int ms, struct crew_end *end)
{
	const uint64_t until = clock_ns(CLOCK_MONOTONIC) + (uint64_t)ms * 1000000;
	struct pollfd p = {.fd = s->leash, .events = POLLIN};

	*end = (struct crew_end){0};
	/* A signal must not make us give up the server. */
	while (poll(&p, 1, ms) <= 0)
		if (clock_ns(CLOCK_MONOTONIC) >= until)
			return false;
	/* If the server is gone, the worker was killed with it. */
	(void)packet_receive_whole(s->leash, end, sizeof(*end), NULL, 0);
	return true;
}

/* Ends the worker, by closing its socket if it is idle, and waits a limited time for that. True:
 * its CPU time was used up. */
static bool crew_slot_close(struct crew_slot *s)
{
	struct crew_end end = {0};
	bool ended = s->leash < 0;

	if (s->socket >= 0)
		close(s->socket);
	if (!ended && !s->busy)
		ended = await_end(s, END_WAIT_MS, &end);
	if (!ended) {
		shutdown(s->leash, SHUT_WR);
		if (!await_end(s, KILL_WAIT_MS, &end))
			crew_server_give_up();
	}
	if (s->leash >= 0)
		close(s->leash);
	if (s->answer_fd >= 0)
		close(s->answer_fd);
	*s = (struct crew_slot){.socket = -1, .leash = -1, .answer_fd = -1};
	return WIFSIGNALED(end.status) && WTERMSIG(end.status) == SIGXCPU;
}

static int greet(const struct crew_slot *s, const struct crew *c)
{
	const struct crew_hello hello = {.service = c->service,
					 .common_bytes = c->common.n,
					 .nice = getpriority(PRIO_PROCESS, 0)};
	const int fd = memory_file(c->common.s, c->common.n);
	int rc = fd < 0 ? fd : packet_send(s->socket, &hello, sizeof(hello), &fd, 1);

	if (fd >= 0)
		close(fd);
	return rc;
}

/* Has the server fork a worker for tasks of @owner. 0 or -errno, no text. */
static int crew_slot_open(struct crew_slot *s, const struct crew *c, uint64_t owner)
{
	int worker[2], leash[2], rc = pair(worker);

	if (rc)
		return rc;
	rc = pair(leash);
	if (rc) {
		close(worker[0]);
		close(worker[1]);
		return rc;
	}
	*s = (struct crew_slot){
		.socket = worker[0], .leash = leash[0], .owner = owner, .answer_fd = -1};
	rc = crew_server_fork(worker[1], leash[1]);
	if (!rc)
		rc = greet(s, c);
	if (rc)
		(void)crew_slot_close(s);
	return rc;
}

static int send_order(const struct crew_slot *s, const struct crew_task *t, size_t task,
		      const struct crew_ask *ask)
{
	int fds[PACKET_FDS], rc;
	size_t n = 2;
	struct crew_order o = {.bytes = ask->bytes.n,
			       .task = (uint32_t)task,
			       .cpu_s = t->cpu_s,
			       .cpu_most_s = t->cpu_most_s,
			       .bytes_per_s = t->bytes_per_s,
			       .n_files = (uint32_t)ask->fds.n};

	if (ask->fds.n > CREW_FILES)
		return -EMFILE;
	fds[0] = memory_file(ask->bytes.s, ask->bytes.n);
	if (fds[0] < 0)
		return fds[0];
	fds[1] = s->answer_fd;
	for (uint32_t i = 0; i < ask->fds.n; i++) {
		if (ask->fds.at[i] < 0)
			continue;
		o.present |= 1u << i;
		fds[n++] = ask->fds.at[i];
	}
	rc = packet_send(s->socket, &o, sizeof(o), fds, n);
	close(fds[0]);
	return rc;
}

/* Gives the worker that task. 0 or -errno, no text: the worker is unusable. */
static int crew_slot_give(struct crew_slot *s, struct crew *c, size_t task, int64_t now_ms)
{
	struct crew_ask ask = {0};
	int rc;

	s->answer_fd = answer_file(OUTPUT_BASE + c->tasks[task].output_bytes);
	if (s->answer_fd < 0)
		return s->answer_fd;
	c->ask(c->context, task, &ask);
	rc = send_order(s, &c->tasks[task], task, &ask);
	for (size_t i = 0; i < ask.own.n; i++)
		close(ask.own.at[i]);
	str_release(&ask.bytes);
	vec_release(&ask.fds);
	vec_release(&ask.own);
	s->busy = true;
	s->task = task;
	s->since_ms = now_ms;
	s->served++;
	return rc;
}

/* Whether the worker reports that its task is done; false: it has ended, or the report is
 * malformed. */
static bool crew_slot_is_done(struct crew_slot *s)
{
	struct crew_done done;

	return !packet_receive_whole(s->socket, &done, sizeof(done), NULL, 0) &&
	       done.task == s->task;
}

/* A copy of what the worker has written so far, as it may live on and write on. *@n bytes. */
static char *copy_answer(int fd, uint64_t most, size_t *n)
{
	const off_t end = lseek(fd, 0, SEEK_CUR);
	char *bytes;
	ssize_t got;

	*n = 0;
	if (end <= 0 || (uint64_t)end > most)
		return NULL;
	bytes = mem_zalloc((size_t)end, 1);
	got = file_get_at(fd, bytes, (size_t)end, 0);
	*n = got > 0 ? (size_t)got : 0;
	return bytes;
}

/* Takes complete answers to tasks that were asked, each once. */
static void take_answers(const struct crew_slot *s, struct crew *c, const char *bytes, size_t n)
{
	size_t at = 0, used;
	uint32_t task;

	while (at < n && (used = c->read(c->context, bytes + at, n - at, &task))) {
		at += used;
		if (task != s->task || c->tasks[task].done || !c->take(c->context, task))
			break;
		c->tasks[task].done = true;
	}
}

/* Takes the task's answers and frees the worker for another. */
static void crew_slot_collect(struct crew_slot *s, struct crew *c)
{
	size_t n = 0;
	_free_ char *bytes =
		copy_answer(s->answer_fd, OUTPUT_BASE + c->tasks[s->task].output_bytes, &n);

	if (bytes)
		take_answers(s, c, bytes, n);
	close(s->answer_fd);
	s->answer_fd = -1;
	s->busy = false;
}

#define MAX_WIDTH   8
#define WALL_FACTOR 4 /* workers wait for the disk and for each other */
#define WAIT_MS	    20
/* After so long a task yields to tasks that were never tried, and is tried again after them. */
#define SLICE_MS 1000
/* A task that yielded, or whose worker died through another task's fault, is tried once more. */
#define MOST_TRIES 2

/* What crew records for a task. */
struct plan {
	bool running;
	uint8_t tries;
};

/* Time used by a user's tasks. */
struct account {
	uint32_t user;
	int64_t used_ms;
};

struct run {
	struct crew *c;
	struct plan *plans;
	uint32_t *order; /* tasks in the order in which each user's are run */
	VEC(struct account) accounts;
	struct crew_slot slots[MAX_WIDTH];
	unsigned int width;
};

unsigned int crew_width(void)
{
	long n = sysconf(_SC_NPROCESSORS_ONLN);

	return n < 1 ? 1 : n > MAX_WIDTH ? MAX_WIDTH : (unsigned int)n;
}

uint64_t crew_file_bytes(int fd)
{
	struct stat st;
	uint64_t there;

	if (fd < 0 || fstat(fd, &st) || st.st_size < 0)
		return 0;
	there = (uint64_t)st.st_blocks * 512;
	return there < (uint64_t)st.st_size ? there : (uint64_t)st.st_size;
}

void crew_owned_by(struct crew_task *t, const struct image *image)
{
	struct stat st = {0};
	const bool has_file = image->fd >= 0 && !fstat(image->fd, &st);

	t->user = image->kind == IMAGE_KIND_JIT ? image->jit_uid : has_file ? st.st_uid : 0;
	t->late = image->root_fd >= 0 || (has_file && !st.st_nlink);
	t->owner = t->user;
	if (t->late)
		t->owner = hash_two((uint64_t)t->user << 1 | 1, st.st_dev);
}

static int64_t now_ms(void)
{
	return (int64_t)(clock_ns(CLOCK_MONOTONIC) / 1000000);
}

/* --- scheduling ------------------------------------------------------------------------------- */

static struct account *account_of(struct run *r, uint32_t user)
{
	for (size_t i = 0; i < r->accounts.n; i++)
		if (r->accounts.at[i].user == user)
			return &r->accounts.at[i];
	vec_push(&r->accounts, ((struct account){.user = user}));
	return &r->accounts.at[r->accounts.n - 1];
}

/* Including the time of running tasks. */
static int64_t used_ms(struct run *r, uint32_t user, int64_t now)
{
	int64_t used = account_of(r, user)->used_ms;

	for (unsigned int i = 0; i < r->width; i++) {
		const struct crew_slot *s = &r->slots[i];

		if (s->busy && r->c->tasks[s->task].user == user)
			used += now - s->since_ms + 1;
	}
	return used;
}

static bool is_waiting(const struct run *r, uint32_t task, uint8_t tries)
{
	const struct crew_task *t = &r->c->tasks[task];

	return !t->done && !t->failed && !r->plans[task].running && r->plans[task].tries == tries;
}

/* Tasks never tried come first, then those of the user who used least time, then in order. -1:
 * none. */
static int64_t next_task(struct run *r, int64_t now)
{
	for (uint8_t tries = 0; tries < MOST_TRIES; tries++) {
		int64_t best = -1, least = 0;
		uint32_t of_last = 0;

		for (size_t i = 0; i < r->c->n; i++) {
			const uint32_t task = r->order[i], user = r->c->tasks[task].user;
			int64_t used;

			if (!is_waiting(r, task, tries) || (best >= 0 && user == of_last))
				continue;
			used = used_ms(r, user, now);
			if (best < 0 || used < least) {
				best = task;
				least = used;
			}
			of_last = user;
		}
		if (best >= 0)
			return best;
	}
	return -1;
}

/* --- workers -----------------------------------------------------------------------------------
 */

/* Charges the user for the worker's time since the last charge. */
static void charge(struct run *r, struct crew_slot *s, int64_t now)
{
	if (r->c->allowance)
		allowance_charge(r->c->allowance, r->c->tasks[s->task].user,
				 (now - s->charged_ms) * 1000000);
	s->charged_ms = now;
}

static bool has_allowance(struct run *r, size_t task)
{
	return !r->c->allowance || allowance_is_left(r->c->allowance, r->c->tasks[task].user);
}

static void settle(struct run *r, struct crew_slot *s)
{
	const int64_t now = now_ms();

	charge(r, s, now);
	account_of(r, r->c->tasks[s->task].user)->used_ms += now - s->since_ms + 1;
	r->plans[s->task].running = false;
}

/* Kills the worker during its task. Answers that it wrote count. True: its CPU time was used up. */
static bool stop(struct run *r, struct crew_slot *s)
{
	struct crew_slot dying = *s;
	bool used_up;

	settle(r, s);
	dying.answer_fd = -1;
	used_up = crew_slot_close(&dying);
	s->socket = s->leash = -1;
	crew_slot_collect(s, r->c);
	return used_up;
}

/* The worker has ended, or must be ended. Its task fails, unless earlier tasks of the worker may be
 * to blame. */
static void worker_lost(struct run *r, struct crew_slot *s, bool late)
{
	const size_t task = s->task, served = s->served;
	struct crew_task *t = &r->c->tasks[task];
	const bool ran_out = stop(r, s) || late;

	t->ran_out = !t->done && ran_out;
	t->failed = !t->done && (ran_out || served < 2 || r->plans[task].tries >= MOST_TRIES);
}

/* The task may be finished later, when no other waits. */
static void yield_task(struct run *r, struct crew_slot *s)
{
	struct crew_task *t = &r->c->tasks[s->task];
	const size_t task = s->task;

	(void)stop(r, s);
	t->ran_out = t->failed = !t->done && r->plans[task].tries >= MOST_TRIES;
}

/* The user's allowance is used up. */
static void refuse_task(struct run *r, size_t task)
{
	struct crew_task *t = &r->c->tasks[task];

	t->refused = t->failed = !t->done;
}

/* A second try needs a fresh worker. */
static bool fits(const struct run *r, const struct crew_slot *s, size_t task)
{
	return s->socket >= 0 && s->owner == r->c->tasks[task].owner &&
	       (!r->plans[task].tries || !s->served);
}

static void give(struct run *r, struct crew_slot *s, size_t task)
{
	int rc = 0;

	if (s->socket >= 0 && !fits(r, s, task))
		(void)crew_slot_close(s);
	if (s->socket < 0)
		rc = crew_slot_open(s, r->c, r->c->tasks[task].owner);
	if (!rc) {
		r->plans[task].running = true;
		r->plans[task].tries++;
		s->charged_ms = now_ms();
		rc = crew_slot_give(s, r->c, task, s->charged_ms);
	}
	if (!rc)
		return;
	r->plans[task].running = false;
	r->c->tasks[task].failed = true;
	(void)crew_slot_close(s);
}

/* Gives tasks to free workers. False: nothing is left to do. */
static bool fill(struct run *r)
{
	bool busy = false;

	for (unsigned int i = 0; i < r->width; i++) {
		int64_t task;

		while (!r->slots[i].busy && (task = next_task(r, now_ms())) >= 0) {
			if (has_allowance(r, (size_t)task))
				give(r, &r->slots[i], (size_t)task);
			else
				refuse_task(r, (size_t)task);
		}
		busy |= r->slots[i].busy;
	}
	return busy;
}

/* --- time --------------------------------------------------------------------------------------
 */

/* When the worker's task must be done. */
static int64_t deadline(const struct run *r, const struct crew_slot *s)
{
	const struct crew_task *t = &r->c->tasks[s->task];
	uint64_t cpu_s = t->cpu_s;

	if (t->bytes_per_s)
		cpu_s += t->cost / t->bytes_per_s;
	if (t->cpu_most_s && cpu_s > t->cpu_most_s)
		cpu_s = t->cpu_most_s;
	return s->since_ms + 1000ll * WALL_FACTOR * (int64_t)cpu_s;
}

/* When the task yields to others that were never tried. */
static int64_t end_of_slice(const struct run *r, const struct crew_slot *s)
{
	const struct crew_task *t = &r->c->tasks[s->task];

	return s->since_ms + SLICE_MS +
	       (t->bytes_per_s ? (int64_t)(1000 * t->cost / t->bytes_per_s) : 0);
}

static int poll_ms(const struct run *r, int64_t now)
{
	int64_t until = now + 1000;

	for (unsigned int i = 0; i < r->width; i++) {
		if (!r->slots[i].busy)
			continue;
		until = deadline(r, &r->slots[i]) < until ? deadline(r, &r->slots[i]) : until;
	}
	if (r->c->wait && until > now + WAIT_MS)
		until = now + WAIT_MS;
	return until > now ? (int)(until - now) : 0;
}

static bool untried_wait(const struct run *r)
{
	for (uint32_t i = 0; i < r->c->n; i++)
		if (is_waiting(r, i, 0))
			return true;
	return false;
}

static void end_slice(struct run *r, struct crew_slot *s)
{
	const size_t task = s->task;

	if (has_allowance(r, task) && untried_wait(r)) {
		yield_task(r, s);
	} else if (!has_allowance(r, task)) {
		(void)stop(r, s);
		refuse_task(r, task);
	}
}

static void check_deadlines(struct run *r)
{
	const int64_t now = now_ms();

	for (unsigned int i = 0; i < r->width; i++) {
		struct crew_slot *s = &r->slots[i];

		if (!s->busy)
			continue;
		charge(r, s, now);
		if (now >= deadline(r, s))
			worker_lost(r, s, true);
		else if (now >= end_of_slice(r, s))
			end_slice(r, s);
	}
}

/* --- the loop --------------------------------------------------------------------------------- */

static void await(struct run *r)
{
	struct pollfd p[2 * MAX_WIDTH];

	for (unsigned int i = 0; i < r->width; i++) {
		p[2 * i] = (struct pollfd){.fd = r->slots[i].socket, .events = POLLIN};
		p[2 * i + 1] = (struct pollfd){.fd = r->slots[i].leash, .events = POLLIN};
	}
	if (poll(p, 2 * r->width, poll_ms(r, now_ms())) <= 0)
		return;
	for (unsigned int i = 0; i < r->width; i++) {
		struct crew_slot *s = &r->slots[i];

		if (!p[2 * i].revents && !p[2 * i + 1].revents)
			continue;
		if (s->busy && p[2 * i].revents & POLLIN && crew_slot_is_done(s)) {
			settle(r, s);
			crew_slot_collect(s, r->c);
			r->c->tasks[s->task].failed = !r->c->tasks[s->task].done;
		} else if (s->busy) {
			worker_lost(r, s, false);
		} else {
			(void)crew_slot_close(s);
		}
	}
}

static void give_up(struct run *r)
{
	r->c->given_up = true;
	for (unsigned int i = 0; i < r->width; i++)
		if (r->slots[i].busy)
			(void)stop(r, &r->slots[i]);
}

/* Orders one user's tasks: late ones last, then by cost; root's most costly first, so that no CPU
 * is idle at the end. */
static int compare(const void *pa, const void *pb, void *context)
{
	const struct crew_task *tasks = context;
	const struct crew_task *a = &tasks[*(const uint32_t *)pa];
	const struct crew_task *b = &tasks[*(const uint32_t *)pb];
	const bool most_first = !a->user && !a->late;

	if (a->user != b->user)
		return a->user < b->user ? -1 : 1;
	if (a->late != b->late)
		return a->late ? 1 : -1;
	if (a->cost != b->cost)
		return (a->cost < b->cost) == most_first ? 1 : -1;
	return a < b ? -1 : 1;
}

void crew_run(struct crew *c)
{
	struct run r = {.c = c, .width = crew_width()};
	_free_ struct plan *plans = mem_zalloc(c->n + 1, sizeof(*plans));
	_free_ uint32_t *order = mem_zalloc(c->n + 1, sizeof(*order));

	r.plans = plans;
	r.order = order;
	for (size_t i = 0; i < c->n; i++)
		order[i] = (uint32_t)i;
	qsort_r(order, c->n, sizeof(*order), compare, c->tasks);
	for (unsigned int i = 0; i < r.width; i++)
		r.slots[i] = (struct crew_slot){.socket = -1, .leash = -1, .answer_fd = -1};
	while (fill(&r)) {
		await(&r);
		check_deadlines(&r);
		if (c->wait && !c->wait->goes_on(c->wait->context)) {
			give_up(&r);
			break;
		}
	}
	for (unsigned int i = 0; i < r.width; i++)
		(void)crew_slot_close(&r.slots[i]);
	vec_release(&r.accounts);
}
