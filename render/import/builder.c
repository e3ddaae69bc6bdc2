#include "import/builder.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/str.h"
#include "base/units.h"
#include "import/scan.h"
#include "model/meta.h"

struct builder *builder_new(void)
{
	struct builder *b = mem_zalloc(1, sizeof(*b));

	b->profile = profile_new();
	return b;
}

void builder_free(struct builder *b)
{
	if (!b)
		return;
	profile_free(b->profile);
	vec_release(&b->metrics);
	vec_release(&b->rows);
	vec_release(&b->values);
	vec_release(&b->events);
	vec_release(&b->ledger);
	vec_release(&b->kept);
	numbering_release(&b->thread_keys);
	numbering_release(&b->zone_keys);
	vec_release(&b->threads);
	vec_release(&b->zones);
	map_release(&b->zone_times);
	free(b->first_skipped);
	free(b);
}

uint32_t builder_text(struct builder *b, const char *s, size_t n)
{
	_free_ char *clean = NULL;

	if (!n)
		return 0;
	if (str_is_clean(s, n))
		return intern_addn(&b->profile->strings, s, n);
	clean = str_clean(s, n);
	return intern_add(&b->profile->strings, clean);
}

/* HDF5 keeps no more with the other attributes. */
#define ATTRIBUTE_BYTES 4096

char *builder_attribute(struct span text)
{
	return str_clean(text.s, text.n < ATTRIBUTE_BYTES ? text.n : ATTRIBUTE_BYTES);
}

uint32_t builder_module(struct builder *b, struct span path)
{
	_free_ char *clean = path.n ? str_clean(path.s, path.n) : mem_strdup("");

	return *clean ? profile_module(b->profile, clean, "") : 0;
}

static int64_t fraction_of(const struct builder *b, uint32_t metric)
{
	return units_fraction(profile_text(b->profile, b->metrics.at[metric].unit));
}

int64_t builder_refine(struct builder *b, uint32_t metric, int64_t parts)
{
	struct metric *m = &b->metrics.at[metric];
	const int64_t before = fraction_of(b, metric);
	char unit[UNITS_BUF];

	if (parts <= before)
		return before;
	b->kept.at[metric] = 0;
	vec_each (v, &b->values) {
		if (v->metric != metric)
			continue;
		if (__builtin_mul_overflow(v->value, parts / before, &v->value))
			v->value = v->value < 0 ? INT64_MIN : INT64_MAX;
		b->kept.at[metric]++;
	}
	snprintf(unit, sizeof(unit), "1/%" PRId64, parts);
	m->unit = builder_text(b, unit, strlen(unit));
	m->kind = METRIC_SUM;
	profile_set_run(b->profile, RUN_EXACT, "1");
	return parts;
}

uint32_t builder_metric(struct builder *b, const char *name, const char *unit,
			enum metric_kind kind)
{
	struct metric e = {
		.name = builder_text(b, name, strlen(name)),
		.unit = builder_text(b, unit, strlen(unit)),
		.kind = (uint8_t)kind,
	};

	for (size_t i = 0; i < b->metrics.n; i++)
		if (b->metrics.at[i].name == e.name &&
		    (b->metrics.at[i].unit == e.unit ||
		     (kind == METRIC_COUNT && fraction_of(b, (uint32_t)i) > 1)))
			return (uint32_t)i;
	vec_push(&b->metrics, e);
	vec_push(&b->kept, 0);
	return (uint32_t)b->metrics.n - 1;
}

uint32_t builder_thread(struct builder *b, uint32_t pid, uint32_t tid, uint32_t name,
			uint32_t process)
{
	const struct thread e = {
		.pid = pid, .tid = tid, .name = name, .process = process ? process : name};
	bool fresh;
	const uint32_t n =
		numbering_put(&b->thread_keys, (struct key){{pid, tid, name, e.process}}, &fresh);

	if (fresh)
		vec_push(&b->threads, profile_thread(b->profile, &e));
	return b->threads.at[n];
}

/* What stands behind the last "+0x" of "module+0x1f30", or behind the first of "0x7f00", is all of
 * hexadecimal digits. */
static bool is_hex(const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!strchr("0123456789abcdefABCDEF", s[i]))
			return false;
	return n > 0;
}

bool builder_is_unnamed(struct span name)
{
	if (!name.n || (name.n == 9 && !memcmp(name.s, "[unknown]", 9)))
		return true;
	if (name.n > 2 && !memcmp(name.s, "0x", 2))
		return is_hex(name.s + 2, name.n - 2);
	for (size_t i = name.n; i-- > 3;)
		if (name.s[i - 1] == 'x' && name.s[i - 2] == '0' && name.s[i - 3] == '+')
			return is_hex(name.s + i, name.n - i);
	return false;
}

enum frame_kind builder_code_kind(const struct builder *b, uint32_t module, struct span name)
{
	const char *path = profile_text(b->profile, b->profile->modules.at[module].path);

	if (str_starts(path, "[kernel") || str_ends(path, ".ko"))
		return KIND_KERNEL;
	if (str_starts(path, "[vdso"))
		return KIND_VDSO;
	if (str_starts(path, "//anon") || str_starts(path, "/tmp/perf-"))
		return KIND_JIT;
	if (!module && span_starts(name, "[unknown"))
		return KIND_UNKNOWN;
	return !module && span_starts(name, "[") && span_ends(name, "]") ? KIND_MARK : KIND_NATIVE;
}

static void keep(struct builder *b, uint32_t metric, int64_t count)
{
	b->kept.at[metric] = builder_sum(b->kept.at[metric], count);
}

void builder_sample(struct builder *b, int64_t time_ns, uint32_t thread, uint32_t node,
		    int64_t count, const struct builder_value *values, size_t n)
{
	struct builder_row row = {
		.time_ns = time_ns, .thread = thread, .node = node, .first = b->values.n};

	for (size_t i = 0; i < n; i++) {
		if (!values[i].value)
			continue;
		vec_push(&b->values, values[i]);
		keep(b, values[i].metric, count ? count : values[i].value);
		row.n++;
	}
	b->added = row.n;
	if (row.n)
		vec_push(&b->rows, row);
}

void builder_sample_reason(struct builder *b, const struct reason *reason)
{
	if (!b->added || !reason->kind)
		return;
	b->rows.at[b->rows.n - 1].reason = profile_reason(b->profile, reason);
	profile_add_part(b->profile, PART_OFFCPU);
}

void builder_event(struct builder *b, int64_t time_ns, const struct timed_event *e)
{
	profile_add_part(b->profile, PART_EVENTS);
	vec_push(&b->events, ((struct builder_event){time_ns, b->events.n, *e}));
}

void builder_note(struct builder *b, uint32_t metric, enum ledger_class class, const char *what,
		  int64_t n)
{
	struct builder_ledger e = {
		.metric = metric, .name = builder_text(b, what, strlen(what)), .class = class};
	struct builder_ledger *at = NULL;

	if (n <= 0)
		return;
	for (size_t i = 0; i < b->ledger.n && !at; i++)
		if (b->ledger.at[i].metric == metric && b->ledger.at[i].name == e.name &&
		    b->ledger.at[i].class == class)
			at = &b->ledger.at[i];
	if (!at) {
		vec_push(&b->ledger, e);
		at = &b->ledger.at[b->ledger.n - 1];
	}
	at->count = builder_sum(at->count, n);
}

void builder_lose(struct builder *b, uint32_t metric, const char *why, int64_t n)
{
	builder_note(b, metric, LEDGER_LOST, why, n);
}

int builder_skip(struct builder *b, const struct input *in, int rc)
{
	const char *colon;

	if (rc != -EINVAL)
		return rc;
	if (!b->skipped++) {
		colon = strstr(err_text(), ": ");
		b->first_skipped = mem_printf("line %llu: %s", (unsigned long long)in->line,
					      colon ? colon + 2 : err_text());
	}
	return 0;
}

int builder_nothing(const struct builder *b, const struct input *in, const char *why)
{
	return b->skipped ? err(-EINVAL, "'%s', %s", in->name, b->first_skipped)
			  : err(-EINVAL, "'%s' %s", in->name, why);
}

static void note_skipped(struct builder *b)
{
	_free_ char *what =
		b->skipped ? mem_printf("lines left out, the first: %s", b->first_skipped) : NULL;

	if (what)
		builder_note(b, profile_has(b->profile, PART_ZONES) ? LEDGER_ZONES : 0,
			     LEDGER_APART, what, b->skipped);
}

/* --- zones ------------------------------------------------------------------------------------ */

void builder_restart(struct builder *b)
{
	map_release(&b->zone_times);
}

uint32_t builder_nth(struct builder *b, const struct zone *z)
{
	bool fresh;
	uint32_t *n = map_put(&b->zone_times,
			      hash_two((uint64_t)z->name << 32 | z->src_file, z->src_line), &fresh);

	return (*n)++;
}

/* Chan, Golub, LeVeque: what the means of @n and @m values, which sum up to @a and @b, add to the
 * sum of squared differences of all of them together. */
static double between(double n, double a, double m, double b)
{
	const double apart = n > 0 && m > 0 ? a / n - b / m : 0;

	return n > 0 && m > 0 ? apart * apart * n * m / (n + m) : 0;
}

/* Of two zones, one of which may have no calls. */
static int64_t least(const struct zone *a, const struct zone *b, int64_t of_a, int64_t of_b)
{
	return !a->counts || (b->counts && of_b < of_a) ? of_b : of_a;
}

static void put_together(struct zone *to, const struct zone *z)
{
	const double n = (double)to->counts, m = (double)z->counts;

	to->m2 += z->m2 + between(n, (double)to->calls_ns, m, (double)z->calls_ns);
	to->self_m2 += z->self_m2 + between(n, (double)to->self_ns, m, (double)z->self_ns);
	to->min_ns = least(to, z, to->min_ns, z->min_ns);
	to->max_ns = z->max_ns > to->max_ns ? z->max_ns : to->max_ns;
	to->self_min_ns = least(to, z, to->self_min_ns, z->self_min_ns);
	to->self_max_ns = z->self_max_ns > to->self_max_ns ? z->self_max_ns : to->self_max_ns;
	to->flags |= z->flags;
	to->counts += z->counts;
	to->total_ns = builder_sum(to->total_ns, z->total_ns);
	to->self_ns = builder_sum(to->self_ns, z->self_ns);
	to->calls_ns = builder_sum(to->calls_ns, z->calls_ns);
	to->mean_ns = to->counts ? to->calls_ns / (int64_t)to->counts : 0;
	to->std_ns = zone_std(to->counts, to->m2);
	to->self_std_ns = zone_std(to->counts, to->self_m2);
}

uint32_t builder_zone(struct builder *b, const struct zone *z, uint32_t nth)
{
	bool fresh;
	const struct key key = {{z->name, z->src_file, z->src_line, nth}};
	const uint32_t n = numbering_put(&b->zone_keys, key, &fresh);

	if (fresh)
		vec_push(&b->zones, profile_zone(b->profile, z));
	else
		put_together(&b->profile->zones.at[b->zones.at[n]], z);
	return b->zones.at[n];
}

/* --- the end ---------------------------------------------------------------------------------- */

static int by_time(const void *left, const void *right)
{
	const struct builder_row *a = left, *b = right;

	return order_up(a->time_ns, b->time_ns) ?: order_up(a->first, b->first);
}

/* A reader of rows wants none; a file that was written in another order has them all the same. */
static void sort_rows(struct builder *b)
{
	for (size_t i = 1; i < b->rows.n; i++)
		if (b->rows.at[i].time_ns < b->rows.at[i - 1].time_ns) {
			vec_sort(&b->rows, by_time);
			return;
		}
}

static int by_time_of_event(const void *left, const void *right)
{
	const struct builder_event *a = left, *b = right;

	return order_up(a->time_ns, b->time_ns) ?: order_up(a->number, b->number);
}

/* What becomes 0: the time of the first sample, or of an event before it. */
static int64_t start_of(const struct builder *b)
{
	if (!b->rows.n || !b->events.n)
		return b->rows.n     ? b->rows.at[0].time_ns
		       : b->events.n ? b->events.at[0].time_ns
				     : 0;
	return b->rows.at[0].time_ns < b->events.at[0].time_ns ? b->rows.at[0].time_ns
							       : b->events.at[0].time_ns;
}

/* A timeline is as long as its events take at least. */
static void put_events(struct builder *b, int64_t start)
{
	const uint64_t length = profile_length(b->profile);

	vec_reserve(&b->profile->events, b->events.n);
	vec_each (e, &b->events) {
		e->event.time_ns = (uint64_t)e->time_ns - (uint64_t)start;
		vec_push(&b->profile->events, e->event);
	}
	if (b->events.n && b->profile->events.at[b->events.n - 1].time_ns > length)
		b->profile->duration_ns = (int64_t)b->profile->events.at[b->events.n - 1].time_ns;
}

static void put_rows(struct builder *b, int64_t start)
{
	_free_ int64_t *values = mem_zalloc(b->metrics.n + 1, sizeof(*values));

	for (size_t i = 0; i < b->metrics.n; i++) {
		const struct metric *m = &b->metrics.at[i];
		_free_ char *name = mem_strdup(profile_text(b->profile, m->name));
		_free_ char *unit = mem_strdup(profile_text(b->profile, m->unit));

		profile_metric(b->profile, name, unit, m->kind);
		b->profile->metrics.at[i].base = m->base;
	}
	vec_each (r, &b->rows) {
		const struct builder_value *v = &b->values.at[r->first];

		for (size_t k = 0; k < r->n; k++)
			values[v[k].metric] = builder_sum(values[v[k].metric], v[k].value);
		profile_sample(b->profile, (uint64_t)r->time_ns - (uint64_t)start, r->thread,
			       r->node, values);
		b->profile->samples.at[b->profile->samples.n - 1].reason = r->reason;
		for (size_t k = 0; k < r->n; k++)
			values[v[k].metric] = 0;
	}
	b->profile->duration_ns = b->duration_ns;
	if (b->timed && b->rows.n &&
	    __builtin_sub_overflow(b->rows.at[b->rows.n - 1].time_ns, start,
				   &b->profile->duration_ns))
		b->profile->duration_ns = INT64_MAX;
}

/* Taken: what was kept, and what was lost. */
static void put_ledger(struct builder *b, uint32_t metric, int64_t kept)
{
	int64_t taken = kept;

	for (size_t i = 0; i < b->ledger.n; i++)
		if (b->ledger.at[i].metric == metric && b->ledger.at[i].class == LEDGER_LOST)
			taken = builder_sum(taken, b->ledger.at[i].count);
	profile_ledger(b->profile, metric, LEDGER_TAKEN, "taken", taken);
	profile_ledger(b->profile, metric, LEDGER_KEPT, "kept", kept);
	vec_each (e, &b->ledger) {
		struct ledger_row row = {e->name, e->metric, e->class, e->count};

		if (e->metric == metric)
			vec_push(&b->profile->ledger, row);
	}
}

static int64_t calls_of_zones(const struct profile *p)
{
	uint64_t calls = 0;

	for (size_t i = 0; i < p->zones.n; i++)
		if (__builtin_add_overflow(calls, p->zones.at[i].counts, &calls))
			return INT64_MAX;
	return calls < INT64_MAX ? (int64_t)calls : INT64_MAX;
}

/* "cycles, page-faults", where the importer has set nothing. */
static void name_events(struct builder *b)
{
	struct str s = {0};

	for (size_t i = 0; i < b->metrics.n; i++)
		str_addf(&s, "%s%s", s.n ? ", " : "",
			 profile_text(b->profile, b->metrics.at[i].name));
	if (s.n && !profile_run(b->profile, RUN_EVENTS))
		profile_set_run(b->profile, RUN_EVENTS, s.s);
	str_release(&s);
}

int builder_finish(struct builder *b, struct profile **out)
{
	int64_t start;
	int rc;

	note_skipped(b);
	name_events(b);
	sort_rows(b);
	vec_sort(&b->events, by_time_of_event);
	start = start_of(b);
	put_rows(b, start);
	put_events(b, start);
	for (uint32_t m = 0; m < b->metrics.n; m++)
		put_ledger(b, m, b->kept.at[m]);
	if (b->events.n)
		put_ledger(b, LEDGER_EVENTS, (int64_t)b->events.n);
	if (profile_has(b->profile, PART_ZONES)) {
		put_ledger(b, LEDGER_ZONES, calls_of_zones(b->profile));
		zones_finish(b->profile);
	}
	rc = profile_check(b->profile);
	if (rc)
		return rc;
	*out = b->profile;
	b->profile = NULL;
	return 0;
}
