#include "account/locks.h"

#include "model/reason.h"
#include "model/waits.h"

/* A wait that went on in so much of the capture did not end in it. */
#define ALL_THE_TIME 0.9

/* --- locks ------------------------------------------------------------------------------------ */

struct locks {
	VEC(struct lock) all;
	struct map by_object, by_thread;
};

static void add_lock(struct locks *l, const struct thread_accounts *a, size_t row, int64_t value)
{
	const struct profile *p = a->p;
	const struct sample *at = &p->samples.at[row];
	const struct reason *r = &p->reasons.at[at->reason];
	const bool gil = r->kind == REASON_GIL;
	const uint32_t object = gil ? 0 : r->object;
	const uint32_t function = gil || *profile_text(p, object) ? 0 : a->classes->site[row];
	const uint64_t lock = (uint64_t)object << 32 | function;
	const uint32_t n = map_number(&l->by_object, lock, l->all.n);
	bool fresh;

	if (n == l->all.n)
		vec_push(&l->all,
			 ((struct lock){.object = object, .function = function, .gil = gil}));
	l->all.at[n].value += value;
	if (a->classes->of[row] == WAIT_HELD_UP)
		l->all.at[n].held_up += value;
	map_put(&l->by_thread, hash_two(thread_key(&p->threads.at[at->thread]), lock), &fresh);
	l->all.at[n].threads += fresh;
}

static bool is_lock(uint8_t kind)
{
	return kind == REASON_LOCK || kind == REASON_GIL;
}

static void find_locks(const struct thread_accounts *a, struct locks *l)
{
	for (size_t i = 0; i < a->p->samples.n; i++) {
		const struct sample *s = &a->p->samples.at[i];
		const uint8_t class = a->classes->of[i];
		const int64_t value = s->reason ? filter_value(&a->filter, i) : 0;

		if (value && is_lock(a->p->reasons.at[s->reason].kind) &&
		    (class == WAIT_HELD_UP || class == WAIT_UNDECIDED))
			add_lock(l, a, i, value);
	}
}

static bool is_held(const struct thread_accounts *a, const struct blocker *b)
{
	return b->by == BLOCKER_HELD && b->tid &&
	       (!a->filter.thread || a->filter.thread[b->thread]);
}

static bool is_same(struct lock_thread a, struct lock_thread b)
{
	return a.pid == b.pid && a.tid == b.tid;
}

/* Rows of one cause: of a thread or a lock, or of both. */
struct rows_wanted {
	enum blocker_by by;
	const struct thread_account *thread; /* who waited; NULL: any that is selected */
	uint32_t object;		     /* a string; 0: any */
	uint8_t kind;			     /* of wait; 0: any */
};

static bool is_wanted(const struct thread_accounts *a, const struct rows_wanted *w,
		      const struct blocker *b)
{
	const struct reason *r = &a->p->reasons.at[b->reason];
	const struct thread *threads = a->p->threads.at;

	if (b->by != w->by || (w->object && r->object != w->object) ||
	    (w->kind && r->kind != w->kind))
		return false;
	if (w->thread)
		return thread_key(&threads[b->thread]) == thread_key(&threads[w->thread->thread]);
	return !a->filter.thread || a->filter.thread[b->thread];
}

static int by_part(const void *left, const void *right)
{
	const struct lock_part *a = left, *b = right;

	return order_down(a->ns, b->ns) ?: order_up(a->thread.tid, b->thread.tid);
}

/* Which threads are in these rows for longest: at most @most; their number. */
static size_t find_longest(const struct thread_accounts *a, const struct rows_wanted *wanted,
			   size_t most, struct lock_part *out)
{
	VEC(struct lock_part) parts = {0};
	struct map by_thread = {0};
	size_t n;

	vec_each (b, &a->p->blockers) {
		uint32_t at;

		if (!is_wanted(a, wanted, b))
			continue;
		at = map_number(&by_thread, (uint64_t)b->pid << 32 | b->tid, parts.n);
		if (at == parts.n)
			vec_push(&parts, ((struct lock_part){{b->pid, b->tid, b->name}, 0}));
		parts.at[at].ns += b->ns;
	}
	vec_sort(&parts, by_part);
	n = parts.n < most ? parts.n : most;
	for (size_t i = 0; i < n; i++)
		out[i] = parts.at[i];
	vec_release(&parts);
	map_release(&by_thread);
	return n;
}

static struct lock_part find_most(const struct thread_accounts *a, const struct lock *lock,
				  enum blocker_by by)
{
	struct lock_part most = {0};

	(void)find_longest(a,
			   &(struct rows_wanted){.by = by,
						 .object = lock->object,
						 .kind = lock->gil ? REASON_GIL : 0},
			   1, &most);
	return most;
}

struct lock_part lock_holder_in_kernel(const struct thread_accounts *a,
				       const struct thread_account *t)
{
	struct lock_part most = {0};

	(void)find_longest(a, &(struct rows_wanted){.by = BLOCKER_HELD_KERNEL, .thread = t}, 1,
			   &most);
	return most;
}

size_t lock_wakers(const struct thread_accounts *a, const struct thread_account *t, uint8_t kind,
		   struct lock_part out[LOCK_WAKERS])
{
	return find_longest(a, &(struct rows_wanted){.by = BLOCKER_WOKE, .thread = t, .kind = kind},
			    LOCK_WAKERS, out);
}

static bool is_larger(const struct lock *a, const struct lock *b)
{
	return a->held_up != b->held_up ? a->held_up > b->held_up : a->value > b->value;
}

bool lock_largest(const struct thread_accounts *a, struct lock *out)
{
	struct locks l = {0};
	bool found = false;

	*out = (struct lock){0};
	if (thread_accounts_wait(a))
		find_locks(a, &l);
	vec_each (lock, &l.all)
		if ((lock->gil || lock->function || *profile_text(a->p, lock->object)) &&
		    (!found || is_larger(lock, out))) {
			*out = *lock;
			found = true;
		}
	if (found && (out->object || out->gil)) {
		out->holder = find_most(a, out, BLOCKER_HELD);
		out->waker = find_most(a, out, BLOCKER_WOKE);
		out->open_ns = find_most(a, out, BLOCKER_OPEN).ns;
	}
	vec_release(&l.all);
	map_release(&l.by_object);
	map_release(&l.by_thread);
	return found;
}

const struct thread_account *lock_account(const struct thread_accounts *a, struct lock_thread t)
{
	vec_each (account, &a->all) {
		const struct thread *of = &a->p->threads.at[account->thread];

		if (of->pid == t.pid && of->tid == t.tid)
			return account;
	}
	return NULL;
}

/* --- deadlocks -------------------------------------------------------------------------------- */

/* For whom the thread waits all the time; NULL: for nobody that is known. */
static const struct blocker *waits_for(const struct thread_accounts *a, struct lock_thread t,
				       int64_t span_ns)
{
	vec_each (b, &a->p->blockers) {
		const struct thread *of = &a->p->threads.at[b->thread];

		if (is_held(a, b) && of->pid == t.pid && of->tid == t.tid &&
		    (double)b->ns >= ALL_THE_TIME * (double)span_ns)
			return b;
	}
	return NULL;
}

/* From the thread on, if that comes back to it. */
static struct deadlock circle_of(const struct thread_accounts *a, struct lock_thread first,
				 int64_t span_ns)
{
	struct deadlock d = {0};
	struct lock_thread at = first;

	while (d.n < DEADLOCK_THREADS) {
		const struct blocker *b = waits_for(a, at, span_ns);

		if (!b)
			break;
		d.threads[d.n] = at;
		d.objects[d.n++] = a->p->reasons.at[b->reason].object;
		at = (struct lock_thread){b->pid, b->tid, b->name};
		if (is_same(at, first))
			return d;
	}
	return (struct deadlock){0};
}

struct deadlock deadlock_find(const struct thread_accounts *a, int64_t span_ns)
{
	vec_each (b, &a->p->blockers) {
		const struct thread *of = &a->p->threads.at[b->thread];
		struct deadlock d;

		if (!is_held(a, b) || span_ns <= 0)
			continue;
		d = circle_of(a, (struct lock_thread){of->pid, of->tid, of->name}, span_ns);
		if (d.n)
			return d;
	}
	return (struct deadlock){0};
}
