#include "view/wait_facts.h"

#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "base/units.h"
#include "query/thread_accounts.h"
#include "query/wait_sums.h"

#define NAMED_MOST 3
/* Threads that were busy or held up for less than this share of their time are not named. */
#define NAMED_SHARE 0.01

/* --- words ------------------------------------------------------------------------------------ */

/* "postgres 4711: 5.73 s of 6.01 s, most in ProcSleep (epoll)" */
static void add_thread(struct str *s, const struct thread_accounts *a,
		       const struct thread_account *t, size_t class)
{
	const struct thread *thread = &a->p->threads.at[t->thread];
	const struct thread_hold *hold =
		class == WAIT_NONE ? NULL : thread_accounts_hold(a, t->number, class);
	char part[UNITS_BUF], all[UNITS_BUF];

	str_addf(s, "%s%s %u: %s of %s", s->n ? "; " : "", profile_text(a->p, thread->name),
		 thread->tid, units_value(part, sizeof(part), (double)t->of[class], a->unit),
		 units_value(all, sizeof(all), (double)thread_account_whole(t), a->unit));
	if (hold && hold->function)
		str_addf(s, " in %s", profile_text(a->p, a->p->functions.at[hold->function].name));
	if (hold && hold->kind && hold->kind < REASON_KINDS)
		str_addf(s, " (%s)", reason_kind_name(hold->kind));
	if (class == WAIT_NONE && t->ready)
		str_addf(s, " (%s of it waiting for a CPU)",
			 units_value(part, sizeof(part), (double)t->ready, a->unit));
}

/* The threads that were most of that class; @before: in words what they are. */
static void class_fact(struct thread_accounts *a, struct doc_block *b, const char *label,
		       size_t class, const char *before)
{
	size_t named = 0, more = 0;
	struct str s = {0};

	thread_accounts_sort(a, class);
	vec_each (t, &a->all) {
		if (!t->of[class] ||
		    (double)t->of[class] < NAMED_SHARE * (double)thread_account_whole(t))
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
static char *sum_text(const struct thread_accounts *a, size_t class)
{
	char sum[UNITS_BUF];

	units_value(sum, sizeof(sum), (double)a->of[class], a->unit);
	return mem_printf("%s in %s thread%s", sum, count_text((int64_t)a->threads[class]),
			  a->threads[class] == 1 ? "" : "s");
}

static void write_facts(struct thread_accounts *a, struct doc_block *b)
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

void wait_facts(const struct view_input *in, struct doc_block *b)
{
	struct thread_accounts a;

	if (!profile_has(in->profile, PART_OFFCPU))
		return;
	thread_accounts_init(&a, in->profile, in->selection);
	if (thread_accounts_wait(&a))
		write_facts(&a, b);
	thread_accounts_release(&a);
}

void wait_left_out_fact(const struct view_input *in, struct doc_block *b)
{
	_free_ char *text = wait_left_out(in->profile, in->selection);

	if (text)
		doc_fact(b, false, "Left out", "%s", text);
}
