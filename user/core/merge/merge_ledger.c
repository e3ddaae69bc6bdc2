/* Rows of the ledger and of waits: counts, added by what they are of. */
#include "base/mem.h"
#include "merge/merge_state.h"
#include "model/run_queue.h"
#include "model/thread_wait.h"

/* A ledger's metric in the rows so far. */
static uint32_t metric_of(const struct merge_next *n, uint32_t metric)
{
	return metric >= LEDGER_BESIDE ? metric : n->metrics[metric];
}

static void add_row(struct merge_next *n, uint32_t metric, uint8_t class, uint32_t name,
		    int64_t count)
{
	struct profile *p = n->m->p;
	bool fresh;
	uint32_t row = merge_keys_row(
		&n->m->ledger, (struct merge_key){{(uint64_t)metric << 32 | name, class}}, &fresh);

	if (fresh)
		vec_push(&p->ledger,
			 ((struct ledger_row){.name = name, .metric = metric, .class = class}));
	MERGE_SUM(n->m, &p->ledger.at[row].count, count);
}

/* How many samples of the metric the choice left out. */
static int64_t left_out(const struct merge_next *n, uint32_t metric)
{
	const struct samples *s = &n->from->samples;
	int64_t left = 0;
	uint64_t in_ns;

	for (size_t i = 0; n->chosen && i < s->n; i++)
		if (s->values.at[metric].at[i] && ((n->thread && !n->thread[s->at[i].thread]) ||
						   !merge_span_of(n, s->at[i].time_ns, &in_ns)))
			left++;
	return left;
}

/* Takes them off what was taken and kept, where that holds so many, once in each class. */
static void leave_out(struct merge_next *n, uint32_t metric, int64_t *left)
{
	int64_t most[LEDGER_CLASSES] = {0};

	for (size_t i = 0; i < n->from->ledger.n; i++) {
		const struct ledger_row *e = &n->from->ledger.at[i];

		if (e->metric == metric && e->count > most[e->class])
			most[e->class] = e->count;
	}
	if (*left > most[LEDGER_TAKEN])
		*left = most[LEDGER_TAKEN];
	if (*left > most[LEDGER_KEPT])
		*left = most[LEDGER_KEPT];
	if (*left)
		add_row(n, metric_of(n, metric), LEDGER_APART,
			intern_add(&n->m->p->strings, MERGE_LEFT_OUT), *left);
}

/* The largest row of its class is the one that lost them. */
static void add_rows(struct merge_next *n, uint32_t metric, int64_t left)
{
	int64_t off[LEDGER_CLASSES] = {[LEDGER_TAKEN] = left, [LEDGER_KEPT] = left};

	for (size_t i = 0; i < n->from->ledger.n; i++) {
		const struct ledger_row *e = &n->from->ledger.at[i];
		int64_t less;

		if (e->metric != metric)
			continue;
		less = off[e->class] && e->count >= off[e->class] ? off[e->class] : 0;
		off[e->class] -= less;
		add_row(n, metric_of(n, metric), e->class, copy_text(&n->names, e->name),
			e->count - less);
	}
}

void merge_add_ledger(struct merge_next *n)
{
	for (uint32_t m = 0; m < n->from->metrics.n; m++) {
		int64_t left = left_out(n, m);

		leave_out(n, m, &left);
		add_rows(n, m, left);
	}
	if (!n->chosen) {
		add_rows(n, LEDGER_ZONES, 0);
		add_rows(n, LEDGER_WAITS, 0);
	}
}

/* --- waits: exact, of whole captures -------------------------------------------------------- */

static void add_thread_wait(struct merge_next *n, const struct thread_wait *w)
{
	struct merge *m = n->m;
	struct thread_wait *to;
	bool fresh;
	uint32_t row;

	row = merge_keys_row(&m->waits, (struct merge_key){{n->threads[w->thread]}}, &fresh);
	if (fresh)
		vec_push(&m->p->thread_waits,
			 ((struct thread_wait){.thread = n->threads[w->thread]}));
	to = &m->p->thread_waits.at[row];
	MERGE_SUM(m, &to->on_ns, w->on_ns);
	MERGE_SUM(m, &to->blocked_ns, w->blocked_ns);
	MERGE_SUM(m, &to->runnable_ns, w->runnable_ns);
	MERGE_SUM(m, &to->waits, w->waits);
	MERGE_SUM(m, &to->voluntary, w->voluntary);
	MERGE_SUM(m, &to->involuntary, w->involuntary);
}

static void add_run_queue(struct merge_next *n, const struct run_queue *q)
{
	struct profile *p = n->m->p;
	bool fresh;
	uint32_t row = merge_keys_row(
		&n->m->queues,
		(struct merge_key){{q->cpu, (uint64_t)q->low_ns, (uint64_t)q->high_ns}}, &fresh);

	if (fresh)
		vec_push(&p->run_queues, ((struct run_queue){q->cpu, q->low_ns, q->high_ns, 0}));
	MERGE_SUM(n->m, &p->run_queues.at[row].waits, q->waits);
}

void merge_add_waits(struct merge_next *n)
{
	for (size_t i = 0; i < n->from->thread_waits.n; i++)
		add_thread_wait(n, &n->from->thread_waits.at[i]);
	for (size_t i = 0; i < n->from->run_queues.n; i++)
		add_run_queue(n, &n->from->run_queues.at[i]);
}
