
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/str.h"
#include "model/reason.h"
#include "account/hot_path.h"
#include "account/locks.h"
#include "query/short_name.h"
#include "account/thread_accounts.h"
#include "view/base.h"
#include "view/facts.h"

/* Percent from which a clause is worth a place in the sentence. */
#define STARVED_FROM 5.0
#define LOST_FROM    1.0
#define UNNAMED_FROM 5.0
#define KERNEL_FROM  10.0
#define LOCK_FROM    5.0
/* Columns of a word of a command line. */
#define WORD_MOST 32
/* … and of what was waited for. */
#define OBJECT_MOST 48
/* Fewer samples do not tell where a thread ran. */
#define PATH_SAMPLES 10
/* Who ended less than that of a thread's waits is not named. */
#define WAKER_SHARE 0.1

struct finding {
	const struct view_input *in;
	struct thread_accounts a;
	struct str s;
};

/* The next clause. */
static struct str *clause(struct finding *f)
{
	if (f->s.n)
		str_add(&f->s, "; ");
	return &f->s;
}

/* Freed by the caller. */
static char *function_name(const struct profile *p, uint32_t function)
{
	return short_name(profile_text(p, p->functions.at[function].name), "…");
}

/* --- who ran ---------------------------------------------------------------------------------- */

static const struct thread_account *busiest(const struct thread_accounts *a)
{
	const struct thread_account *most = NULL;

	vec_each (t, &a->all)
		if (t->on > 0 && (!most || t->on > most->on))
			most = t;
	return most;
}

static size_t threads_that_ran(const struct thread_accounts *a)
{
	size_t n = 0;

	vec_each (t, &a->all)
		n += t->on > 0;
	return n;
}

/* How long what is selected lasted; 0: unknown. */
static int64_t span_ns(const struct view_input *in)
{
	const int64_t length = in->profile->duration_ns, to = in->selection->to_ns;

	return (to && to < length ? to : length) - in->selection->from_ns;
}

static bool is_time(const struct thread_accounts *a)
{
	return a->unit && !strcmp(a->unit, "ns");
}

/* "worker-3 4711"; "cc1 4711 (parse.c)" where several processes of its program tell themselves
 * apart by that; of files that name no threads "". */
static char *thread_text(const struct profile *p, uint32_t thread)
{
	const struct thread *t = &p->threads.at[thread];
	const char *name = profile_text(p, t->name);
	_free_ char *word = command_distinct(p, thread);
	_free_ char *brief = word ? str_cut_middle(word, WORD_MOST, "…") : NULL;

	if (!t->tid)
		return mem_strdup(name);
	return brief ? mem_printf("%s %u (%s)", name, t->tid, brief)
		     : mem_printf("%s %u", name, t->tid);
}

/* "the busiest of 6 threads, worker-3 4711, ran for 517 ms of 2.00 s" */
static void add_run(struct finding *f, const char *thread, size_t threads, int64_t on)
{
	const int64_t span = span_ns(f->in);

	if (!*thread)
		str_add(&f->s, "the program");
	else if (threads > 1)
		str_addf(&f->s, "the busiest of %s threads, %s,", count_text((int64_t)threads),
			 thread);
	else
		str_addf(&f->s, "thread %s", thread);
	/* Samples may come to a little more than a thread had. */
	if (span > 0 && on > span)
		on = span;
	str_addf(&f->s, " ran for %s%s%s", ns_text((double)on), span > 0 ? " of " : "",
		 span > 0 ? ns_text((double)span) : "");
}

/* "thread worker-3 4711 had 1,204 of the 1,300 page-faults", "… all 64.4 KiB of memory live at the
 * peak"; of files that name no threads "samples: 1,300". */
static void add_most(struct finding *f, const char *thread, size_t threads, int64_t value)
{
	const struct thread_accounts *a = &f->a;
	_free_ char *base = measure_base(f->in->profile, &a->filter.measure);
	const char *name = a->filter.measure.name;
	const bool is_size = !strcmp(a->unit, "bytes");

	if (!*thread) {
		str_addf(&f->s, "%s: %s", name, value_text((double)value, a->unit));
		return;
	}
	str_addf(&f->s, "thread %s had ", thread);
	if (threads > 1)
		str_addf(&f->s, "%s of the ", value_text((double)value, a->unit));
	else
		str_add(&f->s, "all ");
	str_addf(&f->s, "%s %s%s", value_text((double)a->of[WAIT_NONE], a->unit),
		 is_size ? "of " : "", is_size && *base ? base : name);
}

/* ", 51.1 % of that in call > sortCommand, 9.4 % in sdsdup itself", ", 83 % of that in often" */
static void add_path(struct finding *f, int64_t on, const struct hot_path *path)
{
	const struct hot_branch *b = &path->branch;
	const uint32_t last = b->n ? b->calls[b->n - 1] : 0;
	const bool has_branch = b->n > 1 || (b->n && last != path->self);
	_free_ char *self = function_name(f->a.p, path->self);

	if (has_branch) {
		str_addf(&f->s, ", %s of that in ", percent_text((double)b->value, (double)on));
		hot_branch_text(f->a.p, b, &f->s);
	}
	if (!path->self || (b->n > 1 && last == path->self && b->value == path->self_value))
		return;
	str_addf(&f->s, ", %s %sin %s%s", percent_text((double)path->self_value, (double)on),
		 has_branch ? "" : "of that ", self, has_branch ? " itself" : "");
}

static void run_clause(struct finding *f)
{
	const struct thread_account *t = busiest(&f->a);
	const size_t n = threads_that_ran(&f->a);
	_free_ char *thread = t ? thread_text(f->a.p, t->thread) : NULL;
	struct hot_path path;

	if (!t)
		return;
	clause(f);
	if (is_time(&f->a))
		add_run(f, thread, n, t->on);
	else
		add_most(f, thread, n, t->on);
	path = hot_path_find(&f->a, t);
	if (path.samples < PATH_SAMPLES)
		return;
	if (is_time(&f->a) && (double)path.kernel * 100 >= KERNEL_FROM * (double)t->on)
		str_addf(&f->s, ", %s of it in the kernel",
			 percent_text((double)path.kernel, (double)t->on));
	add_path(f, t->on, &path);
}

/* --- who waited ------------------------------------------------------------------------------- */

/* " in ProcSleep > WaitLatch (epoll)", " in scan_table > read (disk, /srv/table.data)"; a lock has
 * a clause of its own. */
static void add_site(struct finding *f, const struct thread_account *t,
		     const struct thread_hold *hold)
{
	const struct hot_branch b = hot_path_to_wait(&f->a, t, hold);
	const char *object = profile_text(f->a.p, b.object);
	_free_ char *brief = str_cut_middle(object, OBJECT_MOST, "…");
	const bool named = *object && hold->kind != REASON_LOCK;

	if (hold->function) {
		str_add(&f->s, " in ");
		hot_branch_text(f->a.p, &b, &f->s);
	}
	if (hold->kind && hold->kind < REASON_KINDS)
		str_addf(&f->s, " (%s%s%s)", reason_kind_name(hold->kind), named ? ", " : "",
			 named ? brief : "");
}

static int64_t waits_of(const struct thread_account *t)
{
	return t->of[WAIT_HELD_UP] + t->of[WAIT_UNDECIDED];
}

/* ", ended by postgres 4713 (41.0 %), postgres 4714 (33.1 %)": of waits that are not for a lock,
 * which has a clause of its own. */
static void add_wakers(struct finding *f, const struct thread_account *t,
		       const struct thread_hold *hold)
{
	struct lock_part wakers[LOCK_WAKERS];
	const size_t n = lock_wakers(&f->a, t, (uint8_t)hold->kind, wakers);
	int64_t all = 0;

	for (size_t i = 0; i < n; i++)
		all += wakers[i].ns;
	if (!n || hold->kind == REASON_LOCK || hold->kind == REASON_GIL || all * 2 < hold->value)
		return;
	for (size_t i = 0; i < n && (double)wakers[i].ns >= WAKER_SHARE * (double)all; i++)
		str_addf(&f->s, "%s %s %u (%s)", i ? "," : ", ended by",
			 profile_text(f->a.p, wakers[i].thread.name), wakers[i].thread.tid,
			 percent_text((double)wakers[i].ns,
				      (double)(all > hold->value ? all : hold->value)));
}

/* ", while writer 4712 held the kernel's lock" */
static void add_holder_in_kernel(struct finding *f, const struct thread_account *t)
{
	const struct lock_part holder = lock_holder_in_kernel(&f->a, t);

	if (holder.thread.tid && holder.ns * 2 >= waits_of(t))
		str_addf(&f->s, ", while %s %u held the kernel's lock",
			 profile_text(f->a.p, holder.thread.name), holder.thread.tid);
}

/* First by waits that are known to have held it up. */
static const struct thread_account *waited_longest(const struct thread_accounts *a)
{
	const struct thread_account *most = NULL;

	vec_each (t, &a->all)
		if (!most || t->of[WAIT_HELD_UP] > most->of[WAIT_HELD_UP] ||
		    (t->of[WAIT_HELD_UP] == most->of[WAIT_HELD_UP] &&
		     t->of[WAIT_UNDECIDED] > most->of[WAIT_UNDECIDED]))
			most = t;
	return most;
}

/* "threads were held up for 37.7 s"; with waits of which it is not known "threads waited 37.7 s
 * (2.00 s of it held up, the rest perhaps idle)" */
static void add_waits(struct finding *f)
{
	const int64_t held = f->a.of[WAIT_HELD_UP], undecided = f->a.of[WAIT_UNDECIDED];
	struct str *s = clause(f);

	if (undecided <= held) {
		str_addf(s, "threads were held up for %s", value_text((double)held, f->a.unit));
		return;
	}
	str_addf(s, "threads waited %s (", value_text((double)(held + undecided), f->a.unit));
	if (held)
		str_addf(s, "%s of it held up, the rest ", value_text((double)held, f->a.unit));
	str_add(s, "perhaps idle)");
}

/* "threads were held up for 37.7 s, longest postgres 4712, 5.73 s in ProcSleep > WaitLatch (epoll)"
 */
static void wait_clause(struct finding *f)
{
	const int64_t held = f->a.of[WAIT_HELD_UP], undecided = f->a.of[WAIT_UNDECIDED];
	const struct thread_account *t = waited_longest(&f->a);
	const struct thread_hold *hold;
	_free_ char *thread = NULL;

	if (!t || held + undecided == 0 || (!held && undecided < f->a.of[WAIT_NONE]))
		return;
	thread = thread_text(f->a.p, t->thread);
	hold = thread_accounts_hold(&f->a, t->number,
				    t->of[WAIT_HELD_UP] ? WAIT_HELD_UP : WAIT_UNDECIDED);
	add_waits(f);
	str_addf(&f->s, ", longest %s, %s", thread, value_text((double)waits_of(t), f->a.unit));
	if (hold)
		add_site(f, t, hold);
	add_holder_in_kernel(f, t);
	if (hold)
		add_wakers(f, t, hold);
}

/* What a thread did for most of the time: ", which was in flush > write (sleep)". */
static void add_doing(struct finding *f, const struct thread_account *t)
{
	const struct thread_hold *most = NULL;

	for (size_t class = WAIT_NONE + 1; t && class < WAIT_CLASSES; class ++) {
		const struct thread_hold *h = thread_accounts_hold(&f->a, t->number, class);

		most = h && (!most || h->value > most->value) ? h : most;
	}
	if (!most || !most->function || 2 * most->value <= thread_account_whole(t))
		return;
	str_add(&f->s, ", which was");
	add_site(f, t, most);
}

static bool is_most(const struct lock *lock, int64_t ns)
{
	return ns * 2 >= lock->value;
}

static bool is_nearly_all(const struct lock *lock, int64_t ns)
{
	return (double)ns >= .95 * (double)lock->value;
}

/* The classes of waits and their ends are of samples: a part may come to a little more. */
static const char *share_of(const struct lock *lock, int64_t ns)
{
	return percent_text((double)(ns < lock->value ? ns : lock->value), (double)lock->value);
}

/* ", held by flusher 4712 when 93.0 % of them began": others may have had it before they ended. */
static void add_holder(struct finding *f, const struct lock *lock)
{
	const struct lock_thread *holder = &lock->holder.thread;

	str_addf(&f->s, ", held by %s %u", profile_text(f->a.p, holder->name), holder->tid);
	if (is_nearly_all(lock, lock->holder.ns))
		str_add(&f->s, " when they began");
	else
		str_addf(&f->s, " when %s of them began", share_of(lock, lock->holder.ns));
	add_doing(f, lock_account(&f->a, *holder));
}

/* ", 93.0 % of it ended by worker 4713", where nothing tells who held it. */
static void add_waker(struct finding *f, const struct lock *lock)
{
	const struct lock_thread *waker = &lock->waker.thread;

	str_addf(&f->s, ", %s of it ended by %s %u", share_of(lock, lock->waker.ns),
		 profile_text(f->a.p, waker->name), waker->tid);
}

/* What is known of most of the waits for it. */
static void add_lock_end(struct finding *f, const struct lock *lock)
{
	if (is_most(lock, lock->holder.ns) && lock->holder.thread.tid)
		add_holder(f, lock);
	else if (is_most(lock, lock->waker.ns) && lock->waker.thread.tid)
		add_waker(f, lock);
	else if (is_most(lock, lock->open_ns) && f->a.p->windows.n <= 1)
		str_add(&f->s, ", not released in this capture");
}

/* "the largest lock is app:queue_lock: 3.20 s of waits in 12 threads" */
static void lock_clause(struct finding *f)
{
	const double all =
		(double)(f->a.of[WAIT_NONE] + f->a.of[WAIT_HELD_UP] + f->a.of[WAIT_UNDECIDED]);
	struct lock lock;
	_free_ char *function = NULL;

	if (!lock_largest(&f->a, &lock) || (double)lock.value * 100 < LOCK_FROM * all)
		return;
	function = function_name(f->a.p, lock.function);
	str_addf(clause(f), "the largest lock is %s%s: %s of waits in %s thread%s",
		 lock.gil	 ? "Python's (the GIL)"
		 : lock.function ? "one in "
				 : "",
		 lock.gil	 ? ""
		 : lock.function ? function
				 : profile_text(f->a.p, lock.object),
		 value_text((double)lock.value, f->a.unit), count_text(lock.threads),
		 lock.threads == 1 ? "" : "s");
	add_lock_end(f, &lock);
}

/* "left 4712 waits for app:right_lock, which right 4713 holds, right 4713 waits for app:left_lock,
 * which left 4712 holds: a deadlock"; false: there is none. */
static bool deadlock_clause(struct finding *f)
{
	const struct deadlock d = deadlock_find(&f->a, span_ns(f->in));
	const struct profile *p = f->a.p;

	if (!d.n)
		return false;
	str_add(clause(f), "deadlock: ");
	for (size_t i = 0; i < d.n; i++) {
		const struct lock_thread *t = &d.threads[i], *next = &d.threads[(i + 1) % d.n];
		const char *object = profile_text(p, d.objects[i]);

		str_addf(&f->s, "%s%s %u waits for %s%sheld by %s %u", i ? ", " : "",
			 profile_text(p, t->name), t->tid, *object ? object : "a lock",
			 *object ? ", " : " ", profile_text(p, next->name), next->tid);
	}
	str_add(&f->s, "; none of these was released");
	return true;
}

/* --- what was missing ------------------------------------------------------------------------- */

/* "threads were ready without a CPU for 5.52 s, longest worker-3 4711, 1.20 s" */
static void starved_clause(struct finding *f)
{
	const struct thread_wait *most;
	const struct thread_wait all = base_waits(f->in, &most);
	const double ready = (double)all.runnable_ns;
	_free_ char *thread = most ? thread_text(f->in->profile, most->thread) : NULL;

	if (ready <= 0 || ready * 100 < STARVED_FROM * ((double)all.on_ns + ready) ||
	    ready * 100 < STARVED_FROM * (double)span_ns(f->in))
		return;
	if (most->runnable_ns == all.runnable_ns)
		str_addf(clause(f), "%s was ready without a CPU for %s", thread, ns_text(ready));
	else
		str_addf(clause(f), "threads were ready without a CPU for %s, longest %s, %s",
			 ns_text(ready), thread, ns_text((double)most->runnable_ns));
	ready_why(f->in->profile, most->thread, most->nice, &f->s);
}

static void lost_clause(struct finding *f)
{
	const struct ledger_sums sums = base_ledger(f->in);

	if (sums.lost && (double)sums.lost * 100 >= LOST_FROM * (double)sums.taken)
		str_addf(clause(f), "%s of the samples were lost",
			 percent_text((double)sums.lost, (double)sums.taken));
}

static void unnamed_clause(struct finding *f)
{
	const double whole = (double)f->in->tree->nodes.at[0].total;
	int64_t jit;
	const int64_t unnamed = base_unnamed(f->in, &jit);

	if (unnamed && base_percent(f->in, unnamed) >= UNNAMED_FROM)
		str_addf(clause(f), "%s is in code without symbols",
			 percent_text((double)unnamed, whole));
}

static void zone_clause(struct finding *f)
{
	const struct profile *p = f->in->profile;
	const struct zone_row *most = NULL;

	if (!profile_has(p, PART_ZONES))
		return;
	vec_each (r, &f->in->zone_rows->rows)
		if (r->at.total_ns && (!most || r->at.total_ns > most->at.total_ns))
			most = r;
	if (most)
		str_addf(clause(f), "the longest zone is %s: %s in %s call%s",
			 profile_text(p, most->at.name), ns_text((double)most->at.total_ns),
			 count_text((int64_t)most->at.counts), most->at.counts == 1 ? "" : "s");
}

/* --- the sentence ----------------------------------------------------------------------------- */

/* NULL where there is nothing to say. Freed by the caller. */
static char *finding_text(const struct view_input *in)
{
	struct finding f = {.in = in};
	_free_ char *idle = base_idle_text(in);
	bool dead;

	thread_accounts_init(&f.a, in->profile, in->selection);
	zone_clause(&f);
	dead = deadlock_clause(&f);
	if (idle)
		str_add(clause(&f), base_is_cpu_time(in) ? "the target hardly ran" : idle);
	if (f.a.of[WAIT_HELD_UP] > f.a.of[WAIT_NONE]) {
		wait_clause(&f);
		run_clause(&f);
	} else {
		run_clause(&f);
		wait_clause(&f);
	}
	if (!dead)
		lock_clause(&f);
	starved_clause(&f);
	lost_clause(&f);
	unnamed_clause(&f);
	thread_accounts_release(&f.a);
	if (!f.s.n)
		return NULL;
	str_addc(&f.s, '.');
	return str_steal(&f.s);
}

void finding_write(const struct view_input *in, struct doc *doc)
{
	_free_ char *finding = finding_text(in);

	if (finding)
		doc_text(doc, "%c%s", toupper(finding[0]), finding + 1);
}
