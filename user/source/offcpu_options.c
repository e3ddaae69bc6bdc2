#include "source/offcpu_options.h"

#include <errno.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/units.h"
#include "perf/rights.h"

static void *parse(const char *argument, void *before)
{
	enum session_switched way;
	struct offcpu_choice *o;

	(void)argument;
	if (before)
		return before;
	if (!rights_to_bpf()) {
		(void)err(-EPERM, "no permission to capture off-CPU time (--off-cpu): " RIGHTS_HOW);
		return NULL;
	}
	way = session_switched();
	if (way == SESSION_SWITCHED_NOWHERE) {
		(void)err(-EOPNOTSUPP, "cannot capture off-CPU time (--off-cpu): this kernel has "
				       "neither the tracepoint sched_exit_tp nor kprobes "
				       "(CONFIG_KPROBES)");
		return NULL;
	}
	o = mem_zalloc(1, sizeof(*o));
	o->way = way;
	return o;
}

static void *parse_wall(const char *argument, void *before)
{
	struct offcpu_choice *o = parse(argument, before);

	if (o)
		o->runners = true;
	return o;
}

static void *parse_wakers(const char *argument, void *before)
{
	struct offcpu_choice *o = parse(argument, before);

	if (o)
		o->wakers = true;
	return o;
}

static void *parse_min(const char *argument, void *before)
{
	struct offcpu_choice *o;
	int64_t min_ns;

	if (units_parse_ns(argument, "--off-min", &min_ns))
		return NULL;
	if (!min_ns) {
		(void)err(-EINVAL, "--off-min must be more than 0");
		return NULL;
	}
	o = parse(NULL, before);
	if (o)
		o->min_ns = (uint64_t)min_ns;
	return o;
}

uint64_t offcpu_period_ns(double hz)
{
	return hz >= 1 ? (uint64_t)(1e9 / hz) : 1000000000;
}

void offcpu_captures(const void *options, double hz, struct str *out)
{
	const struct offcpu_choice *o = options;
	char time[UNITS_BUF];

	if (o->min_ns)
		str_addf(out, "waits off the CPU of at least %s, each",
			 units_ns(time, sizeof(time), (double)o->min_ns));
	else
		str_addf(out, "time off the CPU, one sample per %s",
			 units_ns(time, sizeof(time), (double)offcpu_period_ns(hz)));
}

const struct source_option offcpu_options[] = {
	{.name = "off-cpu",
	 .does = "sample what threads wait for, at -F: the time that they are blocked, or\n"
		 "                    runnable and waiting for a CPU, by stack; without -F or -e "
		 "no\n"
		 "                    samples of time on a CPU are taken",
	 .parse = parse},
	{.name = "wall",
	 .does = "the same, and time on a CPU, at one rate: all of the threads' time;\n"
		 "                    and who ran while they were ready without a CPU",
	 .parse = parse_wall,
	 .with_clock = METRIC_WALL},
	{.name = "wakers",
	 .does = "the same as --off-cpu, and who woke each thread, with stacks (metric 'woken')\n"
		 "                    and as a table (--view blockers)",
	 .parse = parse_wakers},
	{.name = "off-min",
	 .argument = "TIME",
	 .does = "with --off-cpu or --wall: sample each wait that lasts TIME (10ms) or more,\n"
		 "                    with its exact time, and no others",
	 .parse = parse_min},
	{0},
};
