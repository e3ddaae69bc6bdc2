#include "capture/account.h"

#include <math.h>
#include <sys/resource.h>

#include "base/mem.h"
#include "model/zone_compensate.h"

static void add_taken(struct profile *p, uint32_t metric, int64_t n)
{
	for (size_t i = 0; i < p->ledger.n; i++)
		if (p->ledger.at[i].class == LEDGER_TAKEN && p->ledger.at[i].metric == metric)
			p->ledger.at[i].count += n;
}

void account_settle(struct profile *p, const struct ledger_past *past, bool running)
{
	for (size_t i = 0, n = p->ledger.n; i < n; i++) {
		struct ledger_row row = p->ledger.at[i];
		int64_t held;

		if (row.class != LEDGER_KEPT || row.metric >= LEDGER_BESIDE)
			continue;
		held = ledger_samples(p, row.metric) + past->samples[row.metric % LEDGER_METRICS];
		/* A sample may have been sent and read, but not counted yet, or the other way
		 * round. */
		if (row.count < held || running) {
			add_taken(p, row.metric, held - row.count);
			p->ledger.at[i].count = held;
			continue;
		}
		profile_ledger_lose(p, row.metric, "sent, but not read", row.count - held);
	}
}

void account_add_past(struct ledger_past *past, const struct profile *p, struct program_run run)
{
	for (uint32_t m = 0; m < p->metrics.n && m < LEDGER_METRICS; m++) {
		past->samples[m] += ledger_samples(p, m);
		for (size_t i = 0; i < p->samples.n; i++)
			past->sums[m] += p->samples.values.at[m].at[i];
	}
	past->probes_ns += zones_probe_ns(p);
	past->run.ns += run.ns;
	past->run.runs += run.runs;
}

void account_notes(struct profile *p, const struct account *in)
{
	_free_ char *refused = mem_printf("%s, files", in->unwind.refused);

	profile_note(p, refused, in->unwind.n_refused);
	profile_note(p,
		     session_has_programs(in->ledger.session)
			     ? "stacks unwound in user space without script frames"
			     : "script frames not shown: without root, memory can only be read "
			       "after the sample, when it has changed, stacks",
		     in->unwind.n_bare);
	profile_note(p, "throttled by the kernel, times", session_throttled(in->ledger.session));
	profile_note(p, "records about processes lost, read from /proc", in->side_lost);
	profile_note(p, "stack missing", in->stacks_missing);
	profile_note(p,
		     "code in the place of a file's, with other bytes: not named by it, mappings",
		     in->code_unlike);
	profile_note(p, "unwind tables not made: budget of the file used up, files",
		     in->unwind.losses.files);
	profile_note(p, "unwind tables put off: their owner's files took too long, times",
		     in->unwind.losses.put_off);
	profile_note(p, "unwind tables not made: the capture ended, files",
		     in->unwind.losses.stopped);
}

static void add_name_notes(struct profile *p, const struct namer_stats *names)
{
	_free_ char *bad = mem_printf("lines of perf maps not understood, the first is line %u",
				      names->first_bad);
	_free_ char *split = mem_printf(
		"debug information not read: in .dwo files not found, the first is %s, files",
		names->missing);

	profile_note(p, "names not looked up: the time for naming was over, addresses",
		     names->put_off);
	profile_note(p, bad, names->bad_lines);
	profile_note(p, "debug information not read: compressed with zstd, files",
		     names->images_zstd);
	profile_note(p, split, names->images_split);
	profile_note(p, "debug information not read: not in the .dwp, files", names->images_dwp);
	profile_note(p, "debug information not read: in a file of dwz not found, files",
		     names->images_alt);
}

void account_cost(struct profile *p, const struct account *in, const struct namer_stats *names)
{
	const bool programs = session_has_programs(in->ledger.session);
	const double ran_ns = slowdown_ran_ns(in->slowdown);
	struct session_cost cost;
	struct rusage self;

	session_cost(in->ledger.session, &cost);
	if (!cost.by_kernel) {
		cost.bpf_ns += in->probes.ns;
		cost.bpf_runs += in->probes.runs;
	}
	getrusage(RUSAGE_SELF, &self);
	if (programs) {
		profile_cost(p, "BPF run time", "ns", (double)cost.bpf_ns);
		profile_cost(p, "BPF runs", "events", (double)cost.bpf_runs);
	}
	if (programs)
		slowdown_rows(in->slowdown, p, ran_ns, &in->taken, in->probed);
	else if (ran_ns > 0)
		profile_cost(p, COST_RAN, "ns", ran_ns);
	profile_cost(p, programs ? "BPF map memory" : "memory of the kernel's rings", "bytes",
		     (double)cost.map_bytes);
	profile_cost(p, "unwind tables", "bytes", (double)in->unwind.table_bytes);
	profile_cost(p, "code pieces with an unwind table", "events", (double)in->unwind.tables);
	if (in->unwind.evicted)
		profile_cost(p, "unwind tables dropped, least recently used first", "events",
			     (double)in->unwind.evicted);
	profile_cost(p, "eprof CPU time, start-up", "ns", (double)in->open_cpu_ns);
	profile_cost(p, "eprof CPU time, capture", "ns", (double)in->run_cpu_ns);
	profile_cost(p, "eprof CPU time, resolving names", "ns", (double)in->name_cpu_ns);
	profile_cost(p, "eprof peak memory", "bytes", (double)self.ru_maxrss * 1024);
	profile_cost(p, "addresses named", "events", (double)(names->places - names->unnamed));
	profile_cost(p, "addresses without a name", "events", (double)names->unnamed);
	add_name_notes(p, names);
	if (names->images_unopened)
		profile_cost(p, "modules not opened", "events", (double)names->images_unopened);
	if (in->unread)
		profile_cost(p, "files and processes not read: their user's took too long",
			     "events", (double)in->unread);
	if (in->opener.timed_out)
		profile_cost(p, "files and reads that did not answer in time", "events",
			     (double)in->opener.timed_out);
	if (in->opener.refused)
		profile_cost(p, "files and reads not tried: their mount or user did not answer",
			     "events", (double)in->opener.refused);
	if (in->opener.stuck)
		profile_cost(p, "helper processes stuck on a mount", "events",
			     (double)in->opener.stuck);
	if (in->opener.too_large)
		profile_cost(p, "files too large to be copied from their mount", "events",
			     (double)in->opener.too_large);
	if (names->images_corrupt)
		profile_cost(p, "modules corrupt", "events", (double)names->images_corrupt);
}
