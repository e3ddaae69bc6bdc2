#include "crew/crew.h"

#include <errno.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/hash.h"
#include "base/mem.h"
#include "crew/crew_slot.h"
#include "crew/crew_work.h"
#include "process/allowance.h"
#include "process/images.h"

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
