/*
 * summary: what the capture shows, in a sentence and the figures that stand behind it.
 */
#include "view/base.h"
#include "view/facts.h"
#include "view/zone_words.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "compare/kept.h"
#include "model/check.h"
#include "model/meta.h"

#define HARDLY 1.0 /* percent of the capture's length that are nothing beside it */
#define DISTORTED                                                                      \
	20.0 /* percent of slowdown from which times are not those of the target alone \
	      */

void run_fact(const struct view_input *in, struct doc_block *b, const char *label, const char *key)
{
	const char *text = profile_run(in->profile, key);

	if (text && text[0])
		doc_fact(b, false, label, "%s", text);
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
	return in->tree->measure.n > 1
		       ? mem_printf(" of %s", profile_ledger_name(in->profile, metric))
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
	_free_ char *title = base_events_title(in);
	char kept[UNITS_BUF];

	if (base_is_zones_only(in))
		return;
	units_count(kept, sizeof(kept), base_samples(in));
	if (!base_ledger(in).rows)
		doc_fact(b, true, title, "%s kept; losses are unknown: there is no ledger", kept);
	else if (losses && !much)
		doc_fact(b, true, title, "%s kept, lost %s", kept, losses);
	else
		doc_fact(b, false, title, "%s kept, %s", kept,
			 losses ? "others lost (see above)" : "none lost");
}

/* What cannot all be true, as in a copy that was made while its numbers still changed. */
static void contradictions_fact(const struct view_input *in, struct doc_block *b)
{
	_free_ char *contradictions = contradictions_text(in->profile);

	if (contradictions)
		doc_fact(b, true, "Inconsistent", "%s; shown as it is", contradictions);
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
	if (s->frames)
		add_choice(&text, "frames", FRAMES_SHOWN_WORDS[s->frames]);
	if (s->async)
		str_add(&text, " --async");
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

void doubt_facts(const struct view_input *in, struct doc_block *b)
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

void figure_facts(const struct view_input *in, struct doc_block *b)
{
	run_fact(in, b, "Target", RUN_TARGET);
	time_fact(in, b);
	samples_fact(in, b);
	selection_fact(in, b);
	wait_left_out_fact(in, b);
	cpu_fact(in, b);
	heap_fact(in, b);
	memory_fact(in, b);
	memory_levels_fact(in, b);
	syscalls_fact(in, b);
	timeline_fact(in, b);
	if (!is_distorted(in))
		slowdown_fact(in, b);
	if (profile_has(in->profile, PART_ZONES) && !probe_cost_is_high(in))
		probe_cost_fact(in, b);
	baseline_fact(in, b);
	remedy_facts(in, b, true);
}

static int summary_write(const struct view_input *in, struct doc *doc)
{
	doubt_facts(in, doc_facts(doc));
	doc_drop_empty(doc);
	finding_write(in, doc);
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
