#include "source/wake_rows.h"

#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "stack/own_frames.h"
#include "source/offcpu_ledger.h"

/* The sample of the wait itself was lost, or the capture ended before the thread ran. */
#define NO_WAIT "[wait not sampled]"
/* The kernel's frames have no names: the waker may have been an interrupt of the thread that ran
 * there. */
#define UNSURE "[running there]"

uint32_t wake_rows_metric(struct profile *p)
{
	const uint32_t metric = profile_metric(p, "woken", "ns", METRIC_SUM);

	profile_metric_base(p, metric, "time blocked, by who ended it");
	return metric;
}

void wake_rows_account(const struct wakebook *b, struct profile *p, const struct ledger_input *in,
		       uint32_t metric)
{
	const int64_t unseen = (int64_t)offcpu_counter(in->session, WIRE_OFF_WAKE_UNSEEN);
	uint64_t counters[WIRE_COUNTERS] = {0};

	(void)session_counters(in->session, WIRE_OFF_STREAM_WAKE, counters);
	ledger_outcomes(p, metric, counters, in->running);
	ledger_slices(p, metric, counters, samplebook_dropped(&b->book, 1));
	if (b->alone)
		profile_ledger(p, metric, LEDGER_NOTE, "sample of the wait missing: " NO_WAIT,
			       b->alone);
	if (unseen)
		profile_ledger(p, metric, LEDGER_APART, "waits whose end was not seen", unseen);
}

/* --- nodes ---------------------------------------------------------------------------------- */

/* The places of a kernel stack, innermost first, without those of our own program. */
struct kernel_part {
	const uint32_t *places;
	uint32_t own, n; /* own: how many innermost frames are left out */
};

static struct kernel_part kernel_of(const struct assembly *a, uint32_t kernel)
{
	struct kernel_part k = {0};
	const struct stack *stack;

	if (kernel == NO_STACK)
		return k;
	stack = &a->stacks->stacks.at[kernel];
	k.places = a->stacks->chain.at + stack->first;
	k.own = own_frames(a->p, &a->named, k.places, stack->n);
	k.places += k.own;
	k.n = stack->n - k.own;
	return k;
}

/* Adds "worker", or "worker (server)" if its process has another name. */
static uint32_t named_node(struct assembly *a, uint32_t node, uint32_t thread)
{
	const struct proc_thread *t = &a->procs->entries.at[thread];
	const char *process = procs_name(a->procs, t->pid);
	_free_ char *name = str_clean(t->comm, strnlen(t->comm, sizeof(t->comm)));
	_free_ char *both = NULL;

	if (t->pid && *process && strcmp(process, name))
		both = mem_printf("%s (%s)", name, process);
	return assembly_mark(a, node, both ? both : name);
}

/* The number of frames of @k that belong to an interrupt, which did the waking; 0: the thread
 * itself did. */
static uint32_t interrupt_of(const struct assembly *a, const struct wake_place *w,
			     const struct kernel_part *k)
{
	const uint32_t n = interrupt_frames(a->p, &a->named, k->places, k->n);

	/* The idle loop wakes nobody: there all frames are an interrupt's. */
	return n || a->procs->entries.at[w->thread].pid ? n : k->n;
}

/* What its stack says of a waker. */
struct waker {
	const char *interrupt; /* the kind of interrupt that it is; NULL: a thread */
	bool unsure;	       /* … or an interrupt that no frame tells of */
};

/* Adds the waker's node to that of the thread that it woke. */
static uint32_t waker_node(struct assembly *a, uint32_t node, const struct wake_place *w,
			   struct waker *waker)
{
	const struct kernel_part k = kernel_of(a, w->kernel);
	const uint32_t n = interrupt_of(a, w, &k);

	*waker = (struct waker){.unsure = !k.own};
	node = assembly_mark(a, node, MARK_WOKEN_BY);
	if (n) {
		waker->interrupt = interrupt_kind(a->p, &a->named, k.places, n);
		node = assembly_mark(a, node, waker->interrupt);
		return assembly_frames(a, node, w->kernel, k.own, k.own + n);
	}
	if (waker->unsure)
		node = assembly_mark(a, node, UNSURE);
	node = named_node(a, node, w->thread);
	node = assembly_frames(a, node, w->user, 0, 0);
	return assembly_frames(a, node, w->kernel, k.own, 0);
}

/* @wait: where the thread waited. *@first: the waker that ended the wait. */
static uint32_t node_of(struct assembly *a, const struct wake *w, uint32_t wait,
			struct waker *first)
{
	struct waker waker = {0};
	uint32_t node = wait;

	if (w->woken.user == NO_STACK && w->woken.kernel == NO_STACK)
		node = assembly_mark(a, node, NO_WAIT);
	/* A chain ends with an interrupt: who woke the interrupted thread does not matter. */
	for (uint32_t i = 0; i < w->wakers.n && !waker.interrupt; i++) {
		node = waker_node(a, node, &w->wakers.at[i], &waker);
		if (!i)
			*first = waker;
	}
	return node;
}

/* How the wait of the sample that was added last ended. */
static void put_blocker(struct blocker_rows *rows, const struct assembly *a, const struct wake *w,
			const struct waker *waker, int64_t ns, uint32_t reason)
{
	const struct proc_thread *t = &a->procs->entries.at[w->wakers.at[0].thread];
	const struct sample *s = &a->p->samples.at[a->p->samples.n - 1];
	struct blocker row = {.thread = s->thread, .reason = reason, .ns = ns};

	if (waker->interrupt) {
		row.by = BLOCKER_INTERRUPT;
		blocker_rows_add(rows, &row, waker->interrupt);
		return;
	}
	row.by = waker->unsure ? BLOCKER_NEAR : BLOCKER_WOKE;
	row.pid = t->pid;
	row.tid = t->tid;
	blocker_rows_add(rows, &row, t->comm);
}

void wake_rows_put(const struct wakebook *b, struct assembly *a, uint32_t metric,
		   struct reason_rows *reasons, struct blocker_rows *blockers)
{
	_free_ int64_t *values = mem_zalloc(a->p->metrics.n, sizeof(*values));

	samplebook_tally_none(&b->book);
	for (size_t i = 0; i < b->wakes.n; i++) {
		const struct wake *w = &b->wakes.at[i];
		const struct sample_row *row = &b->book.rows.at[i];
		const uint32_t wait = assembly_node_traced(a, w->woken.user, w->woken.kernel);
		struct waker waker = {0};
		const uint32_t node = node_of(a, w, wait, &waker);

		values[metric] = (int64_t)row->weight;
		profile_sample(a->p, assembly_time(a, row->time_ns),
			       assembly_thread(a, w->woken.thread), node, values);
		a->p->samples.at[a->p->samples.n - 1].zone = row->zone;
		a->p->samples.at[a->p->samples.n - 1].wait_ns = row->wait_ns;
		put_blocker(blockers, a, w, &waker, values[metric],
			    reason_rows_put(reasons, w->reason, wait));
		if (!waker.interrupt)
			samplebook_tally_row(&b->book, a, row);
	}
	samplebook_notes(&b->book, a, metric, 1);
}
