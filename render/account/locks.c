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
	const uint32_t object = p->reasons.at[at->reason].object;
	const uint32_t function = *profile_text(p, object) ? 0 : a->classes->site[row];
	const uint64_t lock = (uint64_t)object << 32 | function;
	const uint32_t n = map_number(&l->by_object, lock, l->all.n);
	bool fresh;

	if (n == l->all.n)
		vec_push(&l->all, ((struct lock){.object = object, .function = function}));
	l->all.at[n].value += value;
	if (a->classes->of[row] == WAIT_HELD_UP)
		l->all.at[n].held_up += value;
	map_put(&l->by_thread, hash_two(thread_key(&p->threads.at[at->thread]), lock), &fresh);
	l->all.at[n].threads += fresh;
}

static void find_locks(const struct thread_accounts *a, struct locks *l)
{
	for (size_t i = 0; i < a->p->samples.n; i++) {
		const struct sample *s = &a->p->samples.at[i];
		const uint8_t class = a->classes->of[i];
		const int64_t value = s->reason ? filter_value(&a->filter, i) : 0;

		if (value && a->p->reasons.at[s->reason].kind == REASON_LOCK &&
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

struct lock_parts {
	VEC(struct lock_part) all;
	struct map by_thread;
};

static void add_part(struct lock_parts *parts, const struct blocker *b)
{
	const uint64_t key = (uint64_t)b->pid << 32 | b->tid;
	const uint32_t at = map_number(&parts->by_thread, key, parts->all.n);

	if (at == parts->all.n)
		vec_push(&parts->all, ((struct lock_part){{b->pid, b->tid, b->name}, 0}));
	parts->all.at[at].ns += b->ns;
}

/* The largest part; releases them. */
static struct lock_part take_most(struct lock_parts *parts)
{
	struct lock_part most = {0};

	vec_each (part, &parts->all)
		if (part->ns > most.ns)
			most = *part;
	vec_release(&parts->all);
	map_release(&parts->by_thread);
	return most;
}

/* Which thread is in the rows of the lock that say @by for the longest time. */
static struct lock_part find_most(const struct thread_accounts *a, const struct lock *lock,
				  enum blocker_by by)
{
	struct lock_parts parts = {0};

	vec_each (b, &a->p->blockers)
		if (b->by == by && (!a->filter.thread || a->filter.thread[b->thread]) &&
		    a->p->reasons.at[b->reason].object == lock->object)
			add_part(&parts, b);
	return take_most(&parts);
}

struct lock_part lock_holder_in_kernel(const struct thread_accounts *a,
				       const struct thread_account *t)
{
	const uint64_t key = thread_key(&a->p->threads.at[t->thread]);
	struct lock_parts parts = {0};

	vec_each (b, &a->p->blockers)
		if (b->by == BLOCKER_HELD_KERNEL && thread_key(&a->p->threads.at[b->thread]) == key)
			add_part(&parts, b);
	return take_most(&parts);
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
		if ((lock->function || *profile_text(a->p, lock->object)) &&
		    (!found || is_larger(lock, out))) {
			*out = *lock;
			found = true;
		}
	if (found && out->object) {
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
