/*
 * summary, capture: what the capture shows, in a sentence and the figures that stand behind it; and
 * how it was made: its events, their samples one by one, zones, threads that waited, the host.
 */
#include "view/base.h"
#include "view/finding.h"
#include "view/ready_fact.h"
#include "view/remedy_facts.h"
#include "view/syscalls.h"
#include "view/wait_facts.h"
#include "view/zone_words.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "compare/kept.h"
#include "model/check.h"
#include "model/meta.h"

#define NAMED_MOST 3   /* zones that a fact names */
#define DOUBT	   5.0 /* percent from which a weakness of the data is to be seen */
#define HARDLY	   1.0 /* percent of the capture's length that are nothing beside it */
#define DISTORTED                                                                      \
	20.0 /* percent of slowdown from which times are not those of the target alone \
	      */

/* A run's attribute as a fact, where it is known. */
static void run_fact(const struct view_input *in, struct doc_block *b, const char *label,
		     const char *key)
{
	const char *text = profile_run(in->profile, key);

	if (text && text[0])
		doc_fact(b, false, label, "%s", text);
}

static void event_fact(const struct view_input *in, struct doc_block *b)
{
	const char *events = profile_run(in->profile, RUN_EVENTS);
	const char *choice = profile_run(in->profile, RUN_EVENT_CHOICE);

	if (events && choice && choice[0])
		doc_fact(b, false, "Event", "%s (%s)", events, choice);
	else if (events)
		doc_fact(b, false, "Event", "%s", events);
}

/* "2.00 s from 2026-11-29T14:05:30Z"; and that it did not end, if it did not. */
static void time_fact(const struct view_input *in, struct doc_block *b)
{
	const char *end = profile_run(in->profile, RUN_END);
	const bool ended = !end || strcmp(end, RUN_END_NONE) != 0;
	const bool dated = in->profile->started_unix_ns > 0;
	char from[UNITS_BUF] = "", length[UNITS_BUF];

	units_ns(length, sizeof(length), (double)in->profile->duration_ns);
	if (dated)
		units_time(from, sizeof(from), in->profile->started_unix_ns);
	/* Folded stacks and their like do not tell it. */
	if (!in->profile->duration_ns)
		snprintf(length, sizeof(length), "of unknown length,");
	doc_fact(b, false, "Time", "%s%s%s%s%s", length, dated ? " from " : "", from,
		 ended ? "" : "; ", ended ? "" : end);
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
		 "on up to %s of the kept ones: %s", percent_text((double)most, (double)sums->kept),
		 notes);
}

/* What happened besides: events that were not for the profile, or came too late for it. */
static void apart_fact(const struct view_input *in, struct doc_block *b, uint32_t metric)
{
	_free_ char *rows = ledger_reasons(in->profile, metric, LEDGER_APART);

	if (rows[0])
		doc_fact(b, false, "Apart", "%s", rows);
}

static const char *metric_name(const struct profile *p, uint32_t metric)
{
	return profile_text(p, p->metrics.at[metric].name);
}

/* "19 of 1,019 cpu-clock (1.9 %): 12 ring full; 7 stack unreadable"; @of as below. Freed by the
 * caller. */
static char *lost_text(const struct view_input *in, uint32_t metric, const struct ledger_sums *sums,
		       const char *of)
{
	_free_ char *reasons = ledger_reasons(in->profile, metric, LEDGER_LOST);
	char taken[UNITS_BUF], lost[UNITS_BUF];

	return mem_printf("%s of %s%s (%s): %s", units_count(lost, sizeof(lost), sums->lost),
			  units_count(taken, sizeof(taken), sums->taken), of,
			  percent_text((double)sums->lost, (double)sums->taken), reasons);
}

/* " of blocked", where the measure has several metrics; else "". Freed by the caller. */
static char *of_metric(const struct view_input *in, uint32_t metric)
{
	return in->tree->measure.n > 1 ? mem_printf(" of %s", metric_name(in->profile, metric))
				       : mem_strdup("");
}

/* What was lost, metric by metric, and whether that is much. Freed by the caller; NULL: nothing. */
static char *losses_text(const struct view_input *in, bool *much)
{
	const struct measure *m = &in->tree->measure;
	struct str s = {0};

	*much = false;
	for (size_t i = 0; i < m->n; i++) {
		const struct ledger_sums sums = ledger_sum(in->profile, m->metric[i]);
		_free_ char *of = of_metric(in, m->metric[i]);
		_free_ char *lost = lost_text(in, m->metric[i], &sums, of);

		*much |= (double)sums.lost >= DOUBT / 100 * (double)sums.taken && sums.lost;
		if (sums.lost)
			str_addf(&s, "%s%s", s.n ? "; " : "", lost);
	}
	return s.n ? str_steal(&s) : NULL;
}

/* "1,850 kept, none lost"; "1,000 kept, lost 19 of 1,019 (1.9 %): 12 ring full; …". */
static void samples_fact(const struct view_input *in, struct doc_block *b)
{
	bool much;
	_free_ char *losses = losses_text(in, &much);
	char kept[UNITS_BUF];

	if (base_is_zones_only(in))
		return;
	units_count(kept, sizeof(kept), base_samples(in));
	if (!base_ledger(in).rows)
		doc_fact(b, true, "Samples", "%s kept; losses are unknown: there is no ledger",
			 kept);
	else if (losses && !much)
		doc_fact(b, true, "Samples", "%s kept, lost %s", kept, losses);
	else
		doc_fact(b, false, "Samples", "%s kept, %s", kept,
			 losses ? "others lost (see above)" : "none lost");
}

/* How many of which event they are, and what is known of them. */
static void metric_facts(const struct view_input *in, struct doc_block *b)
{
	const struct measure *m = &in->tree->measure;

	for (size_t i = 0; i < m->n && !base_is_zones_only(in); i++) {
		const struct ledger_sums sums = ledger_sum(in->profile, m->metric[i]);
		char taken[UNITS_BUF], kept[UNITS_BUF];

		if (!sums.rows)
			continue;
		doc_fact(b, false, "Ledger", "%s: %s kept of %s taken",
			 metric_name(in->profile, m->metric[i]),
			 units_count(kept, sizeof(kept), sums.kept),
			 units_count(taken, sizeof(taken), sums.taken));
		notes_fact(in, b, m->metric[i], &sums);
		apart_fact(in, b, m->metric[i]);
	}
}

/* What cannot all be true, as in a copy that was made while its numbers still changed. */
static void contradictions_fact(const struct view_input *in, struct doc_block *b)
{
	_free_ char *contradictions = contradictions_text(in->profile);

	if (contradictions)
		doc_fact(b, true, "Inconsistent", "%s; shown as it is", contradictions);
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

static void add_choice(struct str *s, const char *option, const char *value)
{
	if (value)
		str_addf(s, " --%s %s", option, value);
}

/* Which part of the profile is shown, where it is not all. */
static void selection_fact(const struct view_input *in, struct doc_block *b)
{
	const struct selection *s = in->selection;
	char shown[UNITS_BUF], from[UNITS_BUF], to[UNITS_BUF] = "the end";
	_free_ char *zones = NULL;
	struct str text = {0};

	add_choice(&text, "metric", s->metric);
	add_choice(&text, "thread", s->threads.thread);
	add_choice(&text, "pid", s->threads.pid);
	add_choice(&text, "cgroup", s->threads.cgroup);
	add_choice(&text, "focus", s->focus);
	add_choice(&text, "ignore", s->ignore);
	add_choice(&text, "module", s->module);
	add_choice(&text, "file", s->file);
	add_choice(&text, "omit", s->omit);
	add_choice(&text, "zone", s->zone);
	add_choice(&text, "reason", s->reason);
	if (s->omit_idle)
		str_add(&text, " --omit-idle");
	for (size_t i = 0; i < s->n_where; i++)
		add_choice(&text, "where", s->where[i]);
	if (s->to_ns)
		units_ns(to, sizeof(to), (double)s->to_ns);
	if (s->from_ns || s->to_ns)
		str_addf(&text, " from %s to %s", units_ns(from, sizeof(from), (double)s->from_ns),
			 to);
	units_count(shown, sizeof(shown), in->tree->samples);
	zones = profile_has(in->profile, PART_ZONES)
			? mem_printf("%zu zone%s", in->zone_rows->rows.n,
				     in->zone_rows->rows.n == 1 ? "" : "s")
			: NULL;
	if (text.n && base_is_zones_only(in))
		doc_fact(b, false, "Shown", "only%s: %s", text.s, zones);
	else if (text.n)
		doc_fact(b, false, "Shown", "only%s: %s samples%s%s", text.s, shown,
			 zones ? ", " : "", zones ? zones : "");
	str_release(&text);
}

/* "0.94 CPUs busy (939 ms)": of the whole capture. Freed by the caller; NULL: it is not known. */
static char *busy_text(const struct view_input *in, const struct thread_wait *waits)
{
	const double length = (double)in->profile->duration_ns;
	const double ticks = base_is_cpu_time(in) ? (double)in->tree->nodes.at[0].total : 0;
	const double busy = waits->on_ns ? (double)waits->on_ns : ticks;

	if (busy <= 0 || length <= 0)
		return NULL;
	return mem_printf("%.2f CPUs busy (%s)", busy / length, ns_text(busy));
}

/* "0.94 CPUs busy (939 ms), 55.2 ms ready without one, 1.00 s blocked" */
static void cpu_fact(const struct view_input *in, struct doc_block *b)
{
	const struct selection *s = in->selection;
	const struct thread_wait waits = base_waits(in, NULL);
	_free_ char *busy = busy_text(in, &waits);
	_free_ char *idle = base_idle_text(in);

	if (s->from_ns || s->to_ns || base_is_zones_only(in))
		return;
	if (idle)
		doc_fact(b, true, base_is_cpu_time(in) ? "On CPU" : "Nothing", "%s", idle);
	if (thread_wait_life(&waits))
		doc_fact(b, false, "Threads", "%s%s%s ready without %s, %s blocked",
			 busy ? busy : "", busy ? ", " : "",
			 waits.runnable_ns ? ns_text((double)waits.runnable_ns) : "none",
			 busy ? "one" : "a CPU",
			 waits.blocked_ns ? ns_text((double)waits.blocked_ns) : "none");
	else if (busy && !idle)
		doc_fact(b, false, "On CPU", "%s", busy);
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

/* Whether a slowdown of @percent took more than next to nothing of the capture's length: of a
 * target that waited nearly all the time it may be large, and is nothing beside its waits. */
static bool is_felt(const struct view_input *in, double percent)
{
	const double ran_ns = (double)base_waits(in, NULL).on_ns;

	return ran_ns <= 0 || ran_ns * percent / (100 + percent) >=
				      HARDLY / 100 * (double)in->profile->duration_ns;
}

/* Whether times are not those of the target alone. */
static bool is_distorted(const struct view_input *in)
{
	struct slowdown_shown s;

	return base_slowdown(in->profile, &s) && s.percent >= DISTORTED && is_felt(in, s.percent);
}

/* "17.2 % (12.1 to 28.5 %): interrupts and BPF programs" */
static void slowdown_fact(const struct view_input *in, struct doc_block *b)
{
	struct slowdown_shown s;

	if (base_slowdown(in->profile, &s))
		doc_fact(b, s.percent >= DOUBT && is_felt(in, s.percent), "Slowdown", "%s%s: %s",
			 s.text, s.by, s.of);
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

/* What a newer program wrote, and this one cannot show. */
static void unknown_fact(const struct view_input *in, struct doc_block *b)
{
	const char *unknown = profile_run(in->profile, RUN_UNKNOWN_PARTS);

	if (unknown && unknown[0])
		doc_fact(b, true, "Not shown",
			 "%s: this program does not know them; use a newer eprof-render", unknown);
}

/* "regressed against 1.4.1 (5 runs): …", or why there was nothing to compare with. */
static void baseline_fact(const struct view_input *in, struct doc_block *b)
{
	const char *verdict = profile_run(in->profile, REGRESSION_VERDICT);
	_free_ char *line = regression_line(in->profile);

	if (line)
		doc_fact(b, !strcmp(verdict, verdict_name(VERDICT_REGRESSED)), "Baseline", "%s",
			 line);
}

/* What changes what one should believe of all that follows. */
static void doubt_facts(const struct view_input *in, struct doc_block *b)
{
	bool much;
	_free_ char *losses = losses_text(in, &much);

	if (much)
		doc_fact(b, true, "Lost", "%s", losses);
	contradictions_fact(in, b);
	unknown_fact(in, b);
	if (is_distorted(in))
		slowdown_fact(in, b);
	if (probe_cost_is_high(in))
		probe_cost_fact(in, b);
}

static void figure_facts(const struct view_input *in, struct doc_block *b)
{
	run_fact(in, b, "Target", RUN_TARGET);
	time_fact(in, b);
	samples_fact(in, b);
	selection_fact(in, b);
	wait_left_out_fact(in, b);
	cpu_fact(in, b);
	syscalls_fact(in, b);
	if (!is_distorted(in))
		slowdown_fact(in, b);
	if (profile_has(in->profile, PART_ZONES) && !probe_cost_is_high(in))
		probe_cost_fact(in, b);
	baseline_fact(in, b);
	if (remedy_is_first(in))
		remedy_facts(in, b);
}

static int summary_write(const struct view_input *in, struct doc *doc)
{
	_free_ char *finding = finding_text(in);

	doubt_facts(in, doc_facts(doc));
	doc_drop_empty(doc);
	if (finding)
		doc_text(doc, "%c%s", toupper(finding[0]), finding + 1);
	figure_facts(in, doc_facts(doc));
	who_table(in, doc);
	return 0;
}

const struct view summary_view = {
	.name = "summary",
	.about = "what the capture shows, in a sentence and its figures",
	.shows = {[DOC_TERMINAL] = SHOWS},
	.write = summary_write,
};

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
	if (!remedy_is_first(in))
		remedy_facts(in, b);
	host_fact(in, b);
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
