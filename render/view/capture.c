/*
 * capture: how the capture was made: its events, their samples one by one, zones, threads that
 * waited, what has no name, the host; and with the summary's figures in one block.
 */
#include "view/base.h"
#include "view/facts.h"
#include "view/zone_words.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "model/meta.h"
#include "select/meta_given.h"

#define NAMED_MOST 3 /* zones that a fact names */

static void event_fact(const struct view_input *in, struct doc_block *b)
{
	const char *events = profile_run(in->profile, RUN_EVENTS);
	const char *choice = profile_run(in->profile, RUN_EVENT_CHOICE);

	if (events && choice && choice[0])
		doc_fact(b, false, "Event", "%s (%s)", events, choice);
	else if (events)
		doc_fact(b, false, "Event", "%s", events);
}

/* "by the command's exit with status 0" */
static void end_fact(const struct view_input *in, struct doc_block *b)
{
	const char *end = profile_run(in->profile, RUN_END);

	if (end && end[0] && strcmp(end, RUN_END_NONE))
		doc_fact(b, false, "Ended", "by %s", end);
}

/* What the ledger notes about samples that were kept; shown if it concerns many. */
static void notes_fact(const struct view_input *in, struct doc_block *b, uint32_t metric,
		       const struct ledger_sums *sums)
{
	_free_ char *notes = ledger_reasons(in->profile, metric, LEDGER_NOTE);
	/* More than one may be told of one sample. */
	int64_t most = sums->notes < sums->kept ? sums->notes : sums->kept;

	if (!sums->notes)
		return;
	doc_fact(b, (double)sums->notes >= DOUBT / 100 * (double)sums->kept, "Notes",
		 "on up to %s of the samples: %s", percent_text((double)most, (double)sums->kept),
		 notes);
}

/* What happened besides: events that were not for the profile, or came too late for it. */
static void apart_fact(const struct view_input *in, struct doc_block *b, uint32_t metric)
{
	_free_ char *rows = ledger_reasons(in->profile, metric, LEDGER_APART);

	if (rows[0])
		doc_fact(b, false, "Not counted", "%s", rows);
}

/* ", 240,001 counted in all", where samples stand for several events; else "". */
static const char *counted_in_all(const struct profile *p, uint32_t metric, char *buf, size_t size)
{
	const uint32_t of = profile_ledger_of(p, metric);

	buf[0] = 0;
	vec_each (r, &p->ledger) {
		char n[UNITS_BUF];

		if (r->metric == of && !strcmp(profile_text(p, r->name), LEDGER_ALL))
			snprintf(buf, size, ", %s " LEDGER_ALL,
				 units_count(n, sizeof(n), r->count));
	}
	return buf;
}

/* How many of which event they are, and what is known of them. */
static void metric_facts(const struct view_input *in, struct doc_block *b)
{
	const struct measure *m = &in->tree->measure;

	for (size_t i = 0; i < m->n && !base_is_zones_only(in); i++) {
		const struct ledger_sums sums = ledger_sum(in->profile, m->metric[i]);
		char taken[UNITS_BUF], kept[UNITS_BUF], counted[2 * UNITS_BUF];

		if (!sums.rows)
			continue;
		doc_fact(b, false, "Ledger", "%s: %s kept of %s taken%s",
			 profile_ledger_name(in->profile,
					     profile_ledger_of(in->profile, m->metric[i])),
			 units_count(kept, sizeof(kept), sums.kept),
			 units_count(taken, sizeof(taken), sums.taken),
			 counted_in_all(in->profile, m->metric[i], counted, sizeof(counted)));
		notes_fact(in, b, m->metric[i], &sums);
		apart_fact(in, b, m->metric[i]);
	}
}

/* "2 of 8 zones, not timed: memcpy (no RET: its end cannot be seen), free", of those that are so.
 */
static void named_fact(const struct view_input *in, struct doc_block *b, const char *title,
		       const char *what, bool (*is)(const struct zone *))
{
	const struct profile *p = in->profile;
	uint64_t n = 0, named = 0;
	struct str s = {0};

	vec_each (z, &p->zones) {
		const char *why = profile_text(p, z->note);

		if (!is(z) || n++ >= NAMED_MOST)
			continue;
		str_addf(&s, "%s%s%s%s%s", named++ ? ", " : "", profile_text(p, z->name),
			 why[0] ? " (" : "", why, why[0] ? ")" : "");
	}
	if (n)
		doc_fact(b, true, title, "%llu of %zu zones, %s: %s%s", (unsigned long long)n,
			 p->zones.n, what, str_text(&s), n > named ? ", …" : "");
	str_release(&s);
}

static bool is_counted_alone(const struct zone *z)
{
	return zone_is_counted(z) && !zone_is_detached(z);
}

/* "8 zones, 1,234 calls; wall clock", and what of them is not as it seems. */
static void zones_fact(const struct view_input *in, struct doc_block *b)
{
	struct zone_sums sums = zone_sum(in->profile);
	struct ledger_sums ledger = ledger_sum(in->profile, LEDGER_ZONES);
	_free_ char *clock = zone_clock(in->profile);
	_free_ char *reasons = ledger_reasons(in->profile, LEDGER_ZONES, LEDGER_LOST);
	char zones[UNITS_BUF], calls[UNITS_BUF], open[UNITS_BUF];

	if (!profile_has(in->profile, PART_ZONES))
		return;
	if (!sums.zones) {
		doc_fact(b, true, "Zones", "0 calls of zones: %s; %s", ZONE_NONE_WHY, clock);
		return;
	}
	units_count(zones, sizeof(zones), (int64_t)sums.zones);
	units_count(calls, sizeof(calls), (int64_t)sums.calls);
	units_count(open, sizeof(open), (int64_t)sums.in_flight);
	doc_fact(b, false, "Zones", "%s zone%s, %s call%s, %s in flight at the end; %s", zones,
		 sums.zones == 1 ? "" : "s", calls, sums.calls == 1 ? "" : "s", open, clock);
	if (sums.shorts)
		doc_fact(b, true, "Short zones",
			 "%llu of %s have a mean below three times what their probes cost: their "
			 "times are mostly probe cost",
			 (unsigned long long)sums.shorts, zones);
	named_fact(in, b, "Counted only", "not timed", is_counted_alone);
	named_fact(in, b, "Detached", "not counted until the end", zone_is_detached);
	if (ledger.lost)
		doc_fact(b, true, "Calls lost", "%s (%s of all): %s",
			 units_count(calls, sizeof(calls), ledger.lost),
			 units_percent(open, sizeof(open), (double)ledger.lost,
				       (double)ledger.taken),
			 reasons);
}

/* "samples stand for 99.8 % of the time off the CPU": how much of it has stacks. */
static void off_cpu_fact(const struct view_input *in, struct doc_block *b)
{
	const struct profile *p = in->profile;
	const struct thread_wait all = base_waits(in, NULL);
	double sampled_ns = 0, off_ns;
	struct measure off;

	if (!p->thread_waits.n || !selection_takes_all(in->selection) ||
	    measure_find(p, METRIC_OFF_CPU, &off))
		return;
	/* Each sample stands for a period, so that they may come to a little more than there was.
	 */
	off_ns = (double)all.blocked_ns + (double)all.runnable_ns;
	for (size_t i = 0; i < p->samples.n; i++)
		sampled_ns += (double)measure_value(p, &off, i);
	doc_fact(b, false, "Off CPU", "samples stand for %s of the time blocked and ready",
		 percent_text(fmin(sampled_ns, off_ns), off_ns));
}

static void unnamed_fact(const struct view_input *in, struct doc_block *b)
{
	int64_t jit;
	const int64_t unnamed = base_unnamed(in, &jit);

	if (!unnamed)
		return;
	doc_fact(b, base_percent(in, unnamed) >= DOUBT, "Unnamed",
		 "%s are in code without symbols, shown as %s",
		 percent_text((double)unnamed, (double)in->tree->nodes.at[0].total),
		 !jit		  ? "module+offset"
		 : jit == unnamed ? "[JIT code]"
				  : "module+offset or [JIT code]");
}

static void host_fact(const struct view_input *in, struct doc_block *b)
{
	static const char *const keys[] = {META_NODE, META_SYSTEM, META_RELEASE, META_ARCH,
					   META_PROCESSOR};
	static const char *const before[] = {"", ", ", " ", " ", ", "};
	const char *cores = profile_meta(in->profile, META_CORES);
	struct str text = {0};

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		const char *value = profile_meta(in->profile, keys[i]);

		if (value && value[0])
			str_addf(&text, "%s%s", text.n ? before[i] : "", value);
	}
	if (text.n && cores && cores[0])
		str_addf(&text, " × %s", cores);
	if (text.n)
		doc_fact(b, false, "Host", "%s", text.s);
	str_release(&text);
}

/* What the user said of the run: --meta. */
static void given_facts(const struct view_input *in, struct doc_block *b)
{
	const struct profile *p = in->profile;

	for (size_t i = 0; i < p->meta.n; i++) {
		const char *key = profile_text(p, p->meta.at[i].key);

		if (!meta_is_ours(key))
			doc_fact(b, false, "Meta", "%s: %s", key,
				 profile_text(p, p->meta.at[i].text));
	}
}

static void other_facts(const struct view_input *in, struct doc_block *b)
{
	wait_facts(in, b);
	run_fact(in, b, "Merged", RUN_MERGED);
	event_fact(in, b);
	end_fact(in, b);
	run_fact(in, b, "Off-CPU", RUN_OFF_CPU);
	metric_facts(in, b);
	ready_fact(in, b);
	off_cpu_fact(in, b);
	zones_fact(in, b);
	unnamed_fact(in, b);
	remedy_facts(in, b, false);
	host_fact(in, b);
	given_facts(in, b);
}

static int capture_write(const struct view_input *in, struct doc *doc)
{
	doc_heading(doc, "Capture");
	other_facts(in, doc_facts(doc));
	return 0;
}

const struct view capture_view = {
	.name = "capture",
	.about = "how it was captured: events, samples kept and lost, zones, waits, host",
	.shows = {[DOC_TERMINAL] = SHOWS},
	.write = capture_write,
};

static int about_write(const struct view_input *in, struct doc *doc)
{
	struct doc_block *b = doc_facts(doc);

	doubt_facts(in, b);
	figure_facts(in, b);
	other_facts(in, b);
	return 0;
}

/* Below the overview of a page, and on a cover, it is one block. */
const struct view about_view = {
	.name = "about",
	.about = "all of summary and capture, without the sentence",
	.shows = {[DOC_PAGE] = SHOWS, [DOC_PAPER] = SHOWS},
	.write = about_write,
};
