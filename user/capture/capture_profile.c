/* The profiles that a capture makes: one for each window, and that of the whole capture. */
#include "capture/capture.h"
#include "capture/capture_state.h"

#include <poll.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/mem.h"
#include "model/rows.h"
#include "model/splice.h"
#include "process/allowance.h"
#include "process/opener.h"
#include "capture/account.h"

int64_t capture_loader_cpu_ns(const struct capture *c)
{
	return (int64_t)clock_ns(CLOCK_PROCESS_CPUTIME_ID) + sources_cpu_ns(&c->sources);
}

/* Adds the children that have been waited for, which did the naming. */
static int64_t own_cpu_ns(const struct capture *c)
{
	struct rusage children;

	getrusage(RUSAGE_CHILDREN, &children);
	return capture_loader_cpu_ns(c) + clock_of_usage(&children);
}

static struct profile *new_profile(const struct capture *c, uint64_t until_ns)
{
	struct profile *p = profile_new();

	p->started_unix_ns = c->start_unix_ns;
	p->duration_ns = (int64_t)(until_ns - c->windowing.start_ns);
	for (size_t i = 0; i < c->o.n_events; i++)
		p->hz = event_has_rate(&c->o.events[i]) ? c->o.hz : p->hz;
	SOURCES_CALL(&c->sources, metrics, p);
	return p;
}

/* Whether names may still be looked up: until the deadline or a signal. */
static bool names_on(void *context)
{
	const struct capture *c = context;
	struct pollfd p = {.fd = c->signal_fd, .events = POLLIN};

	return clock_ns(CLOCK_MONOTONIC) < c->names_until_ns && poll(&p, 1, 0) == 0;
}

/* One part in so many of the time for naming is left for writing the profile. */
#define WRITING_SHARE 10

/* The time starts at the end of the capture, or, for a window, when writing it begins. */
static void limit_naming(struct capture *c)
{
	const uint64_t time_ns = (uint64_t)c->o.naming_ns;
	const uint64_t since_ns = c->loop_end_ns ? c->loop_end_ns : clock_ns(CLOCK_MONOTONIC);

	c->naming = (struct crew_wait){names_on, c};
	c->names_until_ns = time_ns ? since_ns + time_ns - time_ns / WRITING_SHARE : UINT64_MAX;
	c->in.images->patience = &c->naming;
	opener_set_patience(c->o.opener, names_on, c);
}

/* Adds the rows since the last window. */
static int add_rows(struct capture *c, struct account *in, struct profile *p, uint64_t end_ns)
{
	const uint64_t from = c->windowing.start_ns - c->start_ns, to = end_ns - c->start_ns;
	struct assembly assembly;
	int ret;

	limit_naming(c);
	unwinder_stats(c->in.unwinder, &in->unwind);
	ret = assembly_init(&assembly, p, &c->in.stacks, c->in.images, c->in.procs, c->start_ns,
			    &c->names);
	/* By now, names are resolved: processes that were exiting have had time to finish. */
	if (c->end_ns)
		session_await_exits(c->session);
	SOURCES_CALL(&c->sources, account, p, &in->ledger);
	if (!ret)
		sources_finish(&c->sources, &assembly);
	assembly_release(&assembly);
	vec_push(&p->windows, ((struct window){from < to ? from : to, to, p->hz}));
	return ret;
}

/* Adds what depends on all rows: the ledger's balance, costs, the description. */
static struct program_run conclude(struct capture *c, struct account *in, struct profile *p,
				   int64_t cpu_before_ns)
{
	struct program_run run;

	account_settle(p, in->ledger.past, in->ledger.running);
	SOURCES_CALL(&c->sources, reconcile, p, &in->ledger);
	account_notes(p, in);
	in->name_cpu_ns = own_cpu_ns(c) - cpu_before_ns + c->windowing.writer.cpu_ns;
	opener_stats(c->o.opener, &in->opener);
	run = in->probes = sources_run(&c->sources, p);
	in->probes.ns += in->ledger.past->run.ns;
	in->probes.runs += in->ledger.past->run.runs;
	sources_taken(&c->sources, p, &in->taken);
	in->probed = c->sources.state[SOURCE_probes];
	account_cost(p, in, &c->names.stats);
	if (c->o.describe)
		c->o.describe(c->o.context, p);
	return run;
}

static struct account ledger_of(struct capture *c)
{
	const int64_t until = c->end_ns ? c->cpu_at_end_ns : capture_loader_cpu_ns(c);

	return (struct account){.ledger = {c->session, &c->windowing.past, c->start_ns, !c->end_ns},
				.events = c->o.events,
				.n_events = c->o.n_events,
				.hz = c->o.hz,
				.slowdown = c->slowdown,
				.code_unlike = c->in.procs->unlike.n,
				.side_lost = c->in.side_lost,
				.stacks_missing = c->in.stacks.missing,
				.unread = allowance_refused(c->in.allowance),
				.open_cpu_ns = c->cpu_at_start_ns - c->cpu_at_open_ns,
				.run_cpu_ns = until - c->cpu_at_start_ns};
}

/* Runs in a forked copy of the process while the capture goes on. */
static int make_window(void *context, struct profile **out, struct profile **counts,
		       struct ledger_past *past)
{
	struct capture *c = context;
	const uint64_t ns = c->windowing.end_ns - c->start_ns;
	struct account in = ledger_of(c);
	int64_t before_ns = own_cpu_ns(c);
	struct profile *p = new_profile(c, c->windowing.end_ns);
	int ret = add_rows(c, &in, p, c->windowing.end_ns);

	account_add_past(past, p, conclude(c, &in, p, before_ns));
	*counts = rows_counts(p, ns);
	rows_subtract(p, c->windowing.writer.counts, ns);
	*out = p;
	return ret;
}

/* Adds the last window to those before it. If some of these could not be read (@lost), the totals
 * count only the windows that the profile has, not the whole capture. */
static int join(struct capture *c, struct splice *windows, struct profile **last, bool lost)
{
	int ret;

	if (lost)
		rows_subtract(*last, c->windowing.writer.counts, c->end_ns - c->start_ns);
	ret = lost ? splice_add(windows, *last) : splice_add_last(windows, *last);
	profile_free(*last);
	*last = NULL;
	if (!ret)
		*last = splice_finish(windows);
	return ret;
}

/* Returns whether all windows could be read; those that could not stay in their file. */
static bool read_windows(struct capture *c, struct splice *s)
{
	_free_ char *text = NULL;

	if (!sinks_read(&c->sinks, s))
		return true;
	c->part_needed = true;
	text = mem_printf("%s; the profile lacks what was in it, and it is kept", err_text());
	if (c->o.say)
		c->o.say(c->o.context, text);
	return false;
}

int capture_profile(struct capture *c, struct profile **out)
{
	struct account in = ledger_of(c);
	int64_t before_ns = own_cpu_ns(c);
	struct profile *p = new_profile(c, c->end_ns);
	const bool many = windowing_has_windows(&c->windowing);
	struct splice windows = {0};
	bool lost = false;
	int ret;

	if (many) {
		splice_init(&windows);
		lost = !read_windows(c, &windows);
		splice_seed(&windows, p);
	}
	ret = add_rows(c, &in, p, c->end_ns);
	if (!ret)
		(void)conclude(c, &in, p, before_ns);
	if (!ret && many)
		ret = join(c, &windows, &p, lost);
	splice_release(&windows);
	if (ret) {
		profile_free(p);
		return ret;
	}
	*out = p;
	return 0;
}

bool capture_part_made(const struct capture *c)
{
	return windowing_has_begun(&c->windowing);
}

bool capture_part_needed(const struct capture *c)
{
	return c->part_needed;
}

void capture_start_windows(struct capture *c)
{
	const struct windowing_host host = {.sinks = &c->sinks,
					    .session = c->session,
					    .in = &c->in,
					    .sources = &c->sources,
					    .maker = {make_window, c, &c->names, c->signal_fd},
					    .say = c->o.say,
					    .context = c->o.context,
					    .length_ns = (uint64_t)c->o.window_ns};

	windowing_start(&c->windowing, &host, c->start_ns);
}
