#include "view/wait_facts.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/str.h"
#include "base/units.h"
#include "query/filter.h"
#include "query/wait_class.h"
#include "query/wait_sums.h"

#define NAMED_MOST 3
/* Threads that were busy or held up for less than this share of their time are not named. */
#define NAMED_SHARE 0.01

/* A thread, whatever its names were. */
struct account {
	uint32_t number;   /* among all, until they are sorted */
	uint32_t thread;   /* its last row */
	int64_t on, ready; /* on a CPU, and runnable */
	int64_t of[WAIT_CLASSES];
};

/* What a thread waited in one function for one kind of reason. */
struct hold {
	uint32_t account, function;
	uint8_t kind, class;
	int64_t value;
};

struct accounts {
	const struct profile *p;
	VEC(struct account) all;
	VEC(struct hold) holds;
	struct map by_thread, by_hold;
	struct filter filter;
	const struct wait_classes *classes;
	struct wait_classes own;  /* where the selection keeps none */
	int64_t of[WAIT_CLASSES]; /* sums */
	size_t threads[WAIT_CLASSES];
	const char *unit;
};

/* --- sums ------------------------------------------------------------------------------------- */

static struct account *account_of(struct accounts *a, uint32_t thread)
{
	const struct thread *t = &a->p->threads.at[thread];
	const uint64_t key = hash_two((uint64_t)t->pid << 32 | t->tid, t->born_ns);
	const uint32_t at = map_number(&a->by_thread, key, a->all.n);

	if (at == a->all.n)
		vec_push(&a->all, ((struct account){.number = at}));
	a->all.at[at].thread = thread;
	return &a->all.at[at];
}

static void add_hold(struct accounts *a, size_t row, uint32_t account, int64_t value)
{
	const struct sample *s = &a->p->samples.at[row];
	const uint8_t kind = s->reason ? a->p->reasons.at[s->reason].kind : REASON_NONE;
	const struct hold hold = {.account = account,
				  .function = a->classes->site[row],
				  .kind = kind,
				  .class = a->classes->of[row]};
	const uint64_t key =
		hash_two((uint64_t)account << 32 | hold.function, (uint64_t)kind << 8 | hold.class);
	const uint32_t at = map_number(&a->by_hold, key, a->holds.n);

	if (at == a->holds.n)
		vec_push(&a->holds, hold);
	a->holds.at[at].value += value;
}

static bool is_runnable(const struct profile *p, size_t row)
{
	const uint32_t reason = p->samples.at[row].reason;

	return reason && p->reasons.at[reason].kind == REASON_RUNNABLE;
}

static void add_rows(struct accounts *a)
{
	for (size_t i = 0; i < a->p->samples.n; i++) {
		const int64_t value = filter_value(&a->filter, i);
		const uint8_t class = a->classes->of[i];
		struct account *to;

		if (!value)
			continue;
		to = account_of(a, a->p->samples.at[i].thread);
		if (class == WAIT_NONE)
			*(is_runnable(a->p, i) ? &to->ready : &to->on) += value;
		else
			add_hold(a, i, to->number, value);
		to->of[class] += value;
		a->of[class] += value;
	}
	vec_each (account, &a->all)
		for (size_t class = 0; class < WAIT_CLASSES; class ++)
			a->threads[class] += account->of[class] > 0;
}

static void release(struct accounts *a)
{
	vec_release(&a->all);
	vec_release(&a->holds);
	map_release(&a->by_thread);
	map_release(&a->by_hold);
	filter_release(&a->filter);
	wait_classes_release(&a->own);
}

/* --- words ------------------------------------------------------------------------------------ */

static int by_class(const void *left, const void *right, void *class)
{
	const struct account *a = left, *b = right;
	const size_t c = *(const size_t *)class;

	return order_down(a->of[c], b->of[c]) ?: order_up(a->thread, b->thread);
}

static int64_t whole(const struct account *a)
{
	int64_t sum = 0;

	for (size_t i = 0; i < WAIT_CLASSES; i++)
		sum += a->of[i];
	return sum;
}

static const struct hold *largest(const struct accounts *a, uint32_t account, size_t class)
{
	const struct hold *most = NULL;

	vec_each (hold, &a->holds)
		if (hold->account == account && hold->class == class &&
		    (!most || hold->value > most->value))
			most = hold;
	return most;
}

/* "postgres 4711: 5.73 s of 6.01 s, most in ProcSleep (epoll)" */
static void add_thread(struct str *s, const struct accounts *a, const struct account *t,
		       size_t class)
{
	const struct thread *thread = &a->p->threads.at[t->thread];
	const struct hold *hold = class == WAIT_NONE ? NULL : largest(a, t->number, class);
	char part[UNITS_BUF], all[UNITS_BUF];

	str_addf(s, "%s%s %u: %s of %s", s->n ? "; " : "", profile_text(a->p, thread->name),
		 thread->tid, units_value(part, sizeof(part), (double)t->of[class], a->unit),
		 units_value(all, sizeof(all), (double)whole(t), a->unit));
	if (hold && hold->function)
		str_addf(s, " in %s", profile_text(a->p, a->p->functions.at[hold->function].name));
	if (hold && hold->kind && hold->kind < REASON_KINDS)
		str_addf(s, " (%s)", reason_kind_name(hold->kind));
	if (class == WAIT_NONE && t->ready)
		str_addf(s, " (%s of it waiting for a CPU)",
			 units_value(part, sizeof(part), (double)t->ready, a->unit));
}

/* The threads that were most of that class; @before: in words what they are. */
static void class_fact(struct accounts *a, struct doc_block *b, const char *label, size_t class,
		       const char *before)
{
	size_t named = 0, more = 0;
	struct str s = {0};

	vec_sort_by(&a->all, by_class, &class);
	vec_each (t, &a->all) {
		if (!t->of[class] || (double)t->of[class] < NAMED_SHARE * (double)whole(t))
			continue;
		if (named++ < NAMED_MOST)
			add_thread(&s, a, t, class);
		else
			more++;
	}
	if (more)
		str_addf(&s, "; and %s more", count_text((int64_t)more));
	if (s.n)
		doc_fact(b, false, label, "%s%s", before, s.s);
	str_release(&s);
}

/* "16.0 s in 4 threads" */
static char *sum_text(const struct accounts *a, size_t class)
{
	char sum[UNITS_BUF];

	units_value(sum, sizeof(sum), (double)a->of[class], a->unit);
	return mem_printf("%s in %s thread%s", sum, count_text((int64_t)a->threads[class]),
			  a->threads[class] == 1 ? "" : "s");
}

static void write_facts(struct accounts *a, struct doc_block *b)
{
	const bool held_first = a->of[WAIT_HELD_UP] > a->of[WAIT_NONE];
	_free_ char *undecided = sum_text(a, WAIT_UNDECIDED);
	_free_ char *idle = sum_text(a, WAIT_IDLE);
	_free_ char *before = mem_printf(
		"%s whose stacks do not tell whether there was nothing to do: ", undecided);

	if (!held_first)
		class_fact(a, b, "Busy", WAIT_NONE, "");
	class_fact(a, b, "Held up", WAIT_HELD_UP, "");
	if (held_first)
		class_fact(a, b, "Busy", WAIT_NONE, "");
	class_fact(a, b, "Undecided", WAIT_UNDECIDED, before);
	if (a->of[WAIT_IDLE])
		doc_fact(b, false, "Idle", "%s that had nothing to do", idle);
}

static bool has_waits(const struct accounts *a)
{
	int64_t waits = 0;

	for (size_t i = WAIT_NONE + 1; i < WAIT_CLASSES; i++)
		waits |= a->of[i];
	return waits;
}

void wait_facts(const struct view_input *in, struct doc_block *b)
{
	struct selection all = *in->selection;
	struct accounts a = {.p = in->profile};

	if (!profile_has(in->profile, PART_OFFCPU))
		return;
	all.omit_idle = false;
	if (!filter_init(&a.filter, in->profile, &all) && a.filter.measure.n) {
		a.unit = a.filter.measure.unit;
		a.classes = wait_classes_of(in->profile, in->selection->waits, &a.own);
		add_rows(&a);
	}
	if (has_waits(&a))
		write_facts(&a, b);
	release(&a);
}

void wait_left_out_fact(const struct view_input *in, struct doc_block *b)
{
	_free_ char *text = wait_left_out(in->profile, in->selection);

	if (text)
		doc_fact(b, false, "Left out", "%s", text);
}
