#include "view/finding.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/str.h"
#include "model/reason.h"
#include "query/thread_accounts.h"
#include "view/base.h"

/* Percent from which a clause is worth a place in the sentence. */
#define STARVED_FROM 5.0
#define LOST_FROM    1.0
#define UNNAMED_FROM 5.0

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

static const char *function_name(const struct profile *p, uint32_t function)
{
	return function ? profile_text(p, p->functions.at[function].name) : "";
}

/* --- who ran ---------------------------------------------------------------------------------- */

static bool is_of(const struct profile *p, uint32_t thread, const struct thread_account *account)
{
	const struct thread *a = &p->threads.at[thread], *b = &p->threads.at[account->thread];

	return a->pid == b->pid && a->tid == b->tid && a->born_ns == b->born_ns;
}

/* The innermost function of a stack that is not left out. */
static uint32_t leaf_of(const struct filter *f, uint32_t node)
{
	const struct profile *p = f->profile;

	for (; node; node = p->nodes.at[node].parent) {
		const uint32_t function = p->frames.at[p->nodes.at[node].frame].function;

		if (!f->omit || !f->omit[function])
			return function;
	}
	return 0;
}

/* In which function the thread ran most; *@self: for how long. */
static uint32_t function_most(const struct thread_accounts *a, const struct thread_account *account,
			      int64_t *self)
{
	const struct profile *p = a->p;
	_free_ int64_t *sums = mem_zalloc(p->functions.n + 1, sizeof(*sums));
	uint32_t most = 0;

	for (size_t i = 0; i < p->samples.n; i++) {
		const struct sample *s = &p->samples.at[i];

		if (a->classes->of[i] == WAIT_NONE && !thread_accounts_is_ready(p, i) &&
		    is_of(p, s->thread, account))
			sums[leaf_of(&a->filter, s->node)] += filter_value(&a->filter, i);
	}
	for (uint32_t i = 1; i < p->functions.n; i++)
		most = sums[i] > sums[most] || !most ? i : most;
	*self = sums[most];
	return *self > 0 ? most : 0;
}

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

/* "worker-3 4711"; of files that name no threads "". */
static char *thread_text(const struct profile *p, uint32_t thread)
{
	const struct thread *t = &p->threads.at[thread];
	const char *name = profile_text(p, t->name);

	return t->tid ? mem_printf("%s %u", name, t->tid) : mem_strdup(name);
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

/* "most page-faults are of thread worker-3 4711: 1,204 of 1,300"; of files that name no threads
 * "samples: 1,300". */
static void add_most(struct finding *f, const char *thread, size_t threads, int64_t value)
{
	const struct thread_accounts *a = &f->a;

	if (*thread)
		str_addf(&f->s, "%s %s are of thread %s: ", threads > 1 ? "most" : "all",
			 a->filter.measure.name, thread);
	else
		str_addf(&f->s, "%s: ", a->filter.measure.name);
	str_add(&f->s, value_text((double)value, a->unit));
	if (*thread && threads > 1)
		str_addf(&f->s, " of %s", value_text((double)a->of[WAIT_NONE], a->unit));
}

static void run_clause(struct finding *f)
{
	const struct thread_account *t = busiest(&f->a);
	const size_t n = threads_that_ran(&f->a);
	_free_ char *thread = t ? thread_text(f->a.p, t->thread) : NULL;
	int64_t self = 0;
	uint32_t function;

	if (!t)
		return;
	clause(f);
	if (is_time(&f->a))
		add_run(f, thread, n, t->on);
	else
		add_most(f, thread, n, t->on);
	function = function_most(&f->a, t, &self);
	if (function)
		str_addf(&f->s, ", %s of that in %s", percent_text((double)self, (double)t->on),
			 function_name(f->a.p, function));
}

/* --- who waited ------------------------------------------------------------------------------- */

/* "threads were held up for 37.7 s, longest postgres 4712, 5.73 s in ProcSleep (epoll)" */
static void wait_clause(struct finding *f)
{
	const bool held = f->a.of[WAIT_HELD_UP] > 0;
	const size_t class = held ? WAIT_HELD_UP : WAIT_UNDECIDED;
	const struct profile *p = f->a.p;
	const struct thread_account *t;
	const struct thread_hold *hold;
	_free_ char *thread = NULL;
	struct str *s;

	if (!f->a.of[class] || (!held && f->a.of[class] < f->a.of[WAIT_NONE]))
		return;
	thread_accounts_sort(&f->a, class);
	t = &f->a.all.at[0];
	thread = thread_text(p, t->thread);
	hold = thread_accounts_hold(&f->a, t->number, class);
	s = clause(f);
	str_addf(s, "threads %s %s%s, longest %s, %s", held ? "were held up for" : "waited",
		 value_text((double)f->a.of[class], f->a.unit), held ? "" : " (perhaps idle)",
		 thread, value_text((double)t->of[class], f->a.unit));
	if (hold && hold->function)
		str_addf(s, " in %s", function_name(p, hold->function));
	if (hold && hold->kind && hold->kind < REASON_KINDS)
		str_addf(s, " (%s)", reason_kind_name(hold->kind));
}

/* Waits for one lock; for those in one function where nothing names the lock. */
struct lock {
	uint32_t object, function, threads;
	int64_t value;
};

struct locks {
	VEC(struct lock) all;
	struct map by_object, by_thread;
};

static void add_lock(struct locks *l, const struct thread_accounts *a, size_t row, int64_t value)
{
	const struct profile *p = a->p;
	const struct sample *at = &p->samples.at[row];
	const struct thread *t = &p->threads.at[at->thread];
	const uint32_t object = p->reasons.at[at->reason].object;
	const uint32_t function = *profile_text(p, object) ? 0 : a->classes->site[row];
	const uint64_t lock = (uint64_t)object << 32 | function;
	const uint32_t n = map_number(&l->by_object, lock, l->all.n);
	bool fresh;

	if (n == l->all.n)
		vec_push(&l->all, ((struct lock){.object = object, .function = function}));
	l->all.at[n].value += value;
	map_put(&l->by_thread,
		hash_two(hash_two((uint64_t)t->pid << 32 | t->tid, t->born_ns), lock), &fresh);
	l->all.at[n].threads += fresh;
}

/* Waits for locks of threads that had something to do, as far as it is known. */
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

/* "the largest lock is app:queue_lock: 3.20 s of waits in 12 threads" */
static void lock_clause(struct finding *f)
{
	struct locks l = {0};
	const struct lock *most = NULL;

	if (thread_accounts_wait(&f->a))
		find_locks(&f->a, &l);
	vec_each (lock, &l.all)
		if ((!most || lock->value > most->value) &&
		    (lock->function || *profile_text(f->a.p, lock->object)))
			most = lock;
	if (most) {
		str_addf(clause(f), "the largest lock is %s%s: %s of waits in %s thread%s",
			 most->function ? "one in " : "",
			 most->function ? function_name(f->a.p, most->function)
					: profile_text(f->a.p, most->object),
			 value_text((double)most->value, f->a.unit), count_text(most->threads),
			 most->threads == 1 ? "" : "s");
	}
	vec_release(&l.all);
	map_release(&l.by_object);
	map_release(&l.by_thread);
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
	str_addf(clause(f), "threads were ready without a CPU for %s, longest %s, %s",
		 ns_text(ready), thread, ns_text((double)most->runnable_ns));
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

/* What a thread's life consists of, where the capture has that and no metric was asked for. */
static void count_threads(struct finding *f)
{
	const struct selection *wanted = f->in->selection;
	struct selection all = *wanted;
	struct measure m;

	if (!all.metric && measure_has(f->in->profile, "wall", &m))
		all.metric = "wall";
	thread_accounts_init(&f->a, f->in->profile, &all);
}

char *finding_text(const struct view_input *in)
{
	struct finding f = {.in = in};
	_free_ char *idle = base_idle_text(in);

	count_threads(&f);
	zone_clause(&f);
	if (idle)
		str_add(clause(&f), base_is_cpu_time(in) ? "the target hardly ran" : idle);
	if (f.a.of[WAIT_HELD_UP] > f.a.of[WAIT_NONE]) {
		wait_clause(&f);
		run_clause(&f);
	} else {
		run_clause(&f);
		wait_clause(&f);
	}
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
