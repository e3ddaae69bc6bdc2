#include "source/offcpu_profile.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "base/units.h"
#include "model/hist.h"
#include "model/waits.h"
#include "source/offcpu_ledger.h"
#include "waits/blocker_rows.h"
#include "source/wake_rows.h"
#include "wire_offcpu.h"

#define BASE_BLOCKED  "time blocked"
#define BASE_RUNNABLE "time ready without a CPU"

/* The source's metrics, in this order. */
static const struct {
	const char *name, *base;
	enum wire_off_value value;
	uint32_t streams; /* bits: the source's streams whose samples have it */
} metrics[] = {
	{METRIC_BLOCKED, BASE_BLOCKED, WIRE_OFF_BLOCKED, 1 << 0 | 1 << 2},
	{METRIC_RUNNABLE, BASE_RUNNABLE, WIRE_OFF_RUNNABLE, 1 << 1 | 1 << 2},
};
#define METRICS (sizeof(metrics) / sizeof(*metrics))

/* How stacks are taken, in the words of the profile. */
static const char *const ways[] = {
	[SESSION_SWITCHED_TRACEPOINT] = "stacks taken after the switch back (sched_exit_tp)",
	[SESSION_SWITCHED_KPROBE] = "stacks taken after the switch back (kprobe)",
};

/* What 100 % of the metric is: all of that time, or with --off-min the time in long waits. */
static char *base_of(const struct offcpu *o, const char *base)
{
	char min[UNITS_BUF];

	if (!o->min_ns)
		return mem_strdup(base);
	return mem_printf("%s in waits of at least %s", base,
			  units_ns(min, sizeof(min), (double)o->min_ns));
}

void offcpu_metrics(void *state, struct profile *p)
{
	struct offcpu *o = state;

	profile_add_part(p, PART_OFFCPU);
	o->first_metric = p->metrics.n;
	for (size_t i = 0; i < METRICS; i++) {
		_free_ char *base = base_of(o, metrics[i].base);

		profile_metric_base(p, profile_metric(p, metrics[i].name, "ns", METRIC_SUM), base);
	}
	if (o->wakes)
		o->woken_metric = wake_rows_metric(p);
	if (!o->min_ns)
		p->hz = o->hz;
}

static void account_reasons(const struct reasonbook *reasons, const struct holderbook *holders,
			    struct profile *p)
{
	const struct {
		uint64_t n;
		const char *name;
	} notes[] = {
		{reasons->without_object,
		 "samples without what was waited for: too many different things"},
		{holders->left_out, "samples without who held the lock: too many threads"},
		{reasonbook_refused(reasons),
		 "samples without the place of the lock: no time to look at its process"},
	};

	for (size_t i = 0; i < sizeof(notes) / sizeof(*notes); i++)
		if (notes[i].n)
			profile_ledger(p, LEDGER_WAITS, LEDGER_NOTE, notes[i].name,
				       (int64_t)notes[i].n);
}

static void account_runners(const struct offcpu *o, struct profile *p)
{
	const uint64_t lost_ns = o->ran.lost_ns + offcpu_counter(o->session, WIRE_OFF_RAN_LOST_NS);

	if (lost_ns)
		profile_ledger(p, LEDGER_WAITS, LEDGER_NOTE,
			       "ns of waits for a CPU without who ran meanwhile: too many pairs of "
			       "threads",
			       (int64_t)lost_ns);
}

void offcpu_account(const void *state, struct profile *p, const struct ledger_input *in)
{
	const struct offcpu *o = state;

	for (uint32_t i = 0; i < METRICS; i++)
		offcpu_ledger(p, in, o->first_metric + i, metrics[i].value,
			      samplebook_dropped(&o->book, metrics[i].streams));
	if (o->wakes)
		wake_rows_account(o->wakes, p, in, o->woken_metric);
	offcpu_ledger_waits(p, in, o->stuck);
	account_reasons(&o->reasons, &o->holders, p);
	account_runners(o, p);
}

void offcpu_reconcile(const void *state, struct profile *p, const struct ledger_input *in)
{
	const struct offcpu *o = state;

	profile_set_run(p, RUN_OFF_CPU, ways[o->way]);
	if (o->switch_ns >= 0)
		profile_price(p, COST_SWITCH, "ns", o->switch_ns);
	offcpu_sums(p, in);
}

/* Adds the reason of the sample that was added last. */
static void put_reason(struct reason_rows *reasons, const struct sample_row *row, struct profile *p)
{
	const size_t last = p->samples.n - 1;

	p->samples.at[last].reason =
		reason_rows_put(reasons, row->reason, p->samples.at[last].node);
}

/* Adds the time blocked of the sample that was added last to that for which the same thread held
 * the same lock, and to that of waits that had not ended. */
static void put_blockers(const struct offcpu *o, struct blocker_rows *rows,
			 const struct sample_row *row)
{
	const struct sample *s = &rows->p->samples.at[rows->p->samples.n - 1];
	const struct holder *h = &o->holders.rows.at[row->holder];
	struct blocker blocker = {.thread = s->thread,
				  .reason = s->reason,
				  .by = BLOCKER_OPEN,
				  .ns = (int64_t)(row->weight - row->part)};

	if (row->open)
		blocker_rows_add(rows, &blocker, "");
	if (!row->holder)
		return;
	blocker.by = h->of_kernel ? BLOCKER_HELD_KERNEL : BLOCKER_HELD;
	blocker.pid = h->pid;
	blocker.tid = h->tid;
	blocker_rows_add(rows, &blocker, h->name);
}

_Static_assert((uint64_t)WIRE_OFF_QUEUE_BINS << WIRE_OFF_QUEUE_SHIFT <= HIST_BINS,
	       "each bin of the kernel's has bounds");

static int64_t bound(uint32_t bin)
{
	return hist_low(bin << WIRE_OFF_QUEUE_SHIFT);
}

static void put_cpu(struct assembly *a, const session_cpu_values *waits, uint32_t cpu, size_t cpus)
{
	for (uint32_t bin = 0; bin < WIRE_OFF_QUEUE_BINS; bin++) {
		const struct run_queue row = {
			.cpu = cpu,
			.low_ns = bound(bin),
			.high_ns = bin + 1 < WIRE_OFF_QUEUE_BINS ? bound(bin + 1) : INT64_MAX,
			.waits = (int64_t)waits->at[bin * cpus + cpu]};

		if (row.waits)
			vec_push(&a->p->run_queues, row);
	}
}

/* Adds how long threads were runnable before they got a CPU, by CPU, as the programs counted it. */
static void put_queues(struct session *session, struct assembly *a)
{
	session_cpu_values waits = {0}; /* bin by bin */
	size_t cpus;
	int ret = 0;

	for (uint32_t bin = 0; bin < WIRE_OFF_QUEUE_BINS && !ret; bin++)
		ret = session_map_by_cpu(session, "offcpu_queue", bin, &waits);
	cpus = waits.n / WIRE_OFF_QUEUE_BINS;
	for (uint32_t cpu = 0; cpu < cpus && !ret; cpu++)
		put_cpu(a, &waits, cpu, cpus);
	vec_release(&waits);
}

void offcpu_finish(const void *state, struct assembly *a)
{
	const struct offcpu *o = state;
	_free_ int64_t *values = mem_zalloc(a->p->metrics.n, sizeof(*values));
	struct reason_rows reasons;
	struct blocker_rows blockers;

	reason_rows_init(&reasons, &o->reasons, a->p);
	blocker_rows_init(&blockers, a->p);
	for (size_t i = 0; i < o->book.rows.n; i++) {
		const struct sample_row *row = &o->book.rows.at[i];

		values[o->first_metric] = (int64_t)(row->weight - row->part);
		values[o->first_metric + 1] = (int64_t)row->part;
		samplebook_put(&o->book, row, a, values);
		put_reason(&reasons, row, a->p);
		put_blockers(o, &blockers, row);
	}
	if (o->wakes)
		wake_rows_put(o->wakes, a, o->woken_metric, &reasons, &blockers);
	reason_rows_release(&reasons);
	blocker_rows_release(&blockers);
	totalbook_put(&o->threads, a);
	ranbook_put(&o->ran, a);
	put_queues(o->session, a);
	samplebook_tally(&o->book, a);
	for (uint32_t i = 0; i < METRICS; i++)
		samplebook_notes(&o->book, a, o->first_metric + i, metrics[i].streams);
}

struct program_run offcpu_run(const void *state, const struct profile *p)
{
	const struct offcpu *o = state;

	(void)p;
	return (struct program_run){.ns = offcpu_counter(o->session, WIRE_OFF_RUN_NS) +
					  offcpu_counter(o->session, WIRE_OFF_RUN_OTHERS_NS) +
					  offcpu_counter(o->session, WIRE_OFF_WAKE_RUN_NS) +
					  offcpu_counter(o->session, WIRE_OFF_WAKE_RUN_OTHERS_NS),
				    .runs = offcpu_counter(o->session, WIRE_OFF_RUNS) +
					    offcpu_counter(o->session, WIRE_OFF_WAKE_RUNS)};
}

void offcpu_taken(const void *state, const struct profile *p, struct taken *sum)
{
	const struct offcpu *o = state;

	(void)p;
	TAKEN_RUN(sum, (double)(offcpu_counter(o->session, WIRE_OFF_RUN_NS) +
				offcpu_counter(o->session, WIRE_OFF_WAKE_RUN_NS)));
	TAKEN_TIMED(sum, fmax(0, o->switch_ns) * (double)offcpu_counter(o->session, WIRE_OFF_SEEN));
}

void offcpu_total(const void *state, const struct profile *p, struct str *out)
{
	const struct offcpu *o = state;
	char n[UNITS_BUF], blocked[UNITS_BUF], runnable[UNITS_BUF];

	(void)p;
	str_addf(out, "%s samples of waits (%s blocked, %s runnable)",
		 units_count(n, sizeof(n), (int64_t)samplebook_count(&o->book)),
		 units_ns(blocked, sizeof(blocked),
			  (double)offcpu_counter(o->session, WIRE_OFF_BLOCKED_NS)),
		 units_ns(runnable, sizeof(runnable),
			  (double)offcpu_counter(o->session, WIRE_OFF_RUNNABLE_NS)));
}
