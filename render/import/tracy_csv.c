/*
 * tracy-csv: what Tracy's tracy-csvexport prints of zones; see tracy_row.h for its columns. The
 * separator follows from the header.
 *
 * Statistics of zones become zones. Of these Tracy does not know self times, percentiles and the
 * call tree, which stay unknown; its total adds recursive calls up. Of single calls (-u) all of it
 * follows. Rows of plots (-p) are no calls, and left out.
 */
#include "import/import.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "import/scan.h"
#include "import/tracy_calls.h"
#include "import/tracy_row.h"
#include "model/meta.h"

#define COLUMNS "name,src_file,src_line,total_ns,total_perc,counts,mean_ns,calls_ns"
#define SPREAD	",min_ns,max_ns,std_ns,m2"
/* As the calls one by one tell. */
#define COLUMNS_OF_CALLS                                                                     \
	COLUMNS SPREAD ",self_ns,self_min_ns,self_max_ns,self_std_ns,self_m2,p50_ns,p90_ns," \
		       "p99_ns,p999_ns,flags"

/* total_perc has six digits behind the point. */
#define PERCENT_HALF_DIGIT 5e-7

struct tracy {
	struct input *in;
	struct builder *b;
	struct tracy_header header;
	struct str separator; /* owned copy, which the header refers to */
	struct tracy_row row;
	struct tracy_calls calls;
	struct known places;	  /* of calls → zone */
	bool spread;		  /* least, most and deviation are there */
	bool texts;		  /* the last row was a call with a text */
	double least_ns, most_ns; /* what the capture's length may be, by total_perc */
};

/* A number that must be there, from 0 on. */
static int amount(struct tracy *t, const char *what, struct span field, int64_t *out)
{
	if (!span_int(span_trim(field), out))
		return input_bad(t->in, "%s is '%.*s', no whole number that fits 64 bits", what,
				 (int)(field.n < 40 ? field.n : 40), field.s);
	if (*out < 0)
		return input_bad(t->in, "%s is below 0", what);
	return 0;
}

/* An empty one is not known; then *@known is false. */
static int maybe(struct tracy *t, const char *what, struct span field, int64_t *out, bool *known)
{
	*known &= field.n > 0;
	return field.n ? amount(t, what, field, out) : 0;
}

/* Tracy prints nan where rounding made a variance negative. */
static bool is_nan(struct span field)
{
	return span_is(field, "nan") || span_is(field, "-nan");
}

static int read_std(struct tracy *t, struct zone *z, struct span field)
{
	if (is_nan(field)) {
		builder_note(t->b, LEDGER_ZONES, LEDGER_NOTE, "deviation that is no number: 0",
			     (int64_t)z->counts);
		return 0;
	}
	if (field.n && (!span_double(field, &z->std_ns) || z->std_ns < 0 || z->std_ns > 1e18))
		return input_bad(t->in, "std_ns is '%.*s', no number from 0 to 1e18",
				 (int)(field.n < 40 ? field.n : 40), field.s);
	if (z->counts > 1)
		z->m2 = z->std_ns * z->std_ns * (double)(z->counts - 1);
	return 0;
}

/* The capture's length is what @total is so many percent of, to the digits that are there. */
static void narrow_length(struct tracy *t, int64_t total, struct span field)
{
	double percent, least, most;

	if (!span_double(field, &percent) || percent <= PERCENT_HALF_DIGIT || !total)
		return;
	least = 100 * (double)total / (percent + PERCENT_HALF_DIGIT);
	most = 100 * (double)total / (percent - PERCENT_HALF_DIGIT);
	/* One that contradicts those before does not count. */
	if (t->most_ns > 0 && (least > t->most_ns || most < t->least_ns))
		return;
	t->least_ns = least > t->least_ns ? least : t->least_ns;
	t->most_ns = t->most_ns > 0 && t->most_ns < most ? t->most_ns : most;
}

static void add_value(struct tracy *t, uint32_t zone, const char *name, struct span field)
{
	int64_t value;

	if (span_int(field, &value) && value >= 0)
		profile_zone_value(t->b->profile, zone, name, value);
}

static void place_zone(struct tracy *t, struct zone *z, uint64_t line)
{
	z->name = builder_text(t->b, t->row.name.s, t->row.name.n);
	z->src_file = builder_text(t->b, t->row.file.s, t->row.file.n);
	z->src_line = (uint32_t)line;
}

static int read_line_number(struct tracy *t, uint64_t *line)
{
	if (!span_number(t->row.numbers[0], 10, UINT32_MAX, line))
		return input_bad(t->in, "src_line is no line number");
	return 0;
}

static int take_statistics(struct tracy *t)
{
	const struct span *n = t->row.numbers;
	struct zone z = {0};
	uint64_t line;
	int64_t counts;
	bool spread = true;
	uint32_t row;

	if (read_line_number(t, &line) || amount(t, "total_ns", n[1], &z.total_ns) ||
	    amount(t, "counts", n[3], &counts) || amount(t, "mean_ns", n[4], &z.mean_ns) ||
	    maybe(t, "min_ns", n[5], &z.min_ns, &spread) ||
	    maybe(t, "max_ns", n[6], &z.max_ns, &spread))
		return -EINVAL;
	z.counts = (uint64_t)counts;
	z.calls_ns = z.total_ns;
	if (read_std(t, &z, n[7]))
		return -EINVAL;
	t->spread |= spread && n[7].n;
	place_zone(t, &z, line);
	narrow_length(t, z.total_ns, n[2]);
	row = builder_zone(t->b, &z, builder_nth(t->b, &z));
	if (t->header.kind == TRACY_TRUNCATED) {
		add_value(t, row, "percentile_ns", n[8]);
		add_value(t, row, "truncated_mean_ns", n[9]);
	}
	return 0;
}

static uint32_t thread_of(struct tracy *t, uint64_t number)
{
	char name[32];
	int n = snprintf(name, sizeof(name), "thread %llu", (unsigned long long)number);

	return builder_thread(t->b, 0, (uint32_t)number, builder_text(t->b, name, (size_t)n), 0);
}

static int take_call(struct tracy *t)
{
	const struct span *n = t->row.numbers;
	struct tracy_call call;
	struct zone z = {0};
	uint64_t line, thread;
	int64_t end;
	bool fresh;
	uint32_t *at;

	if (read_line_number(t, &line) || amount(t, "ns_since_start", n[1], &call.start_ns) ||
	    amount(t, "exec_time_ns", n[2], &call.length_ns))
		return -EINVAL;
	if (!span_number(n[3], 10, UINT32_MAX, &thread))
		return input_bad(t->in, "thread is no number that fits 32 bits");
	if (__builtin_add_overflow(call.start_ns, call.length_ns, &end))
		return input_bad(t->in, "the call's end does not fit 64 bits");
	if (__builtin_add_overflow(t->calls.sum_ns, call.length_ns, &t->calls.sum_ns))
		return input_bad(t->in, "the sum of the calls' times does not fit 64 bits");
	t->calls.end_ns = end > t->calls.end_ns ? end : t->calls.end_ns;
	at = known_at(&t->places, t->row.place, &fresh);
	if (fresh) {
		place_zone(t, &z, line);
		*at = (uint32_t)t->calls.zones.n;
		vec_push(&t->calls.zones, z);
	}
	call.zone = *at;
	call.thread = thread_of(t, thread);
	vec_push(&t->calls.calls, call);
	return 0;
}

/* "plot,,,1234,,,5.6" */
static bool is_plot(const struct tracy *t, struct span line)
{
	_free_ char *gap = mem_printf("%s%s%s", t->separator.s, t->separator.s, t->separator.s);

	return memmem(line.s, line.n, gap, strlen(gap)) != NULL;
}

static int take_row(struct tracy *t, struct span line)
{
	if (tracy_row_read(line, &t->header, &t->row)) {
		t->texts = t->header.kind == TRACY_CALLS && t->row.numbers[4].n;
		return t->header.kind == TRACY_CALLS ? take_call(t) : take_statistics(t);
	}
	if (t->header.kind == TRACY_CALLS && is_plot(t, line)) {
		builder_note(t->b, LEDGER_ZONES, LEDGER_APART, "values of plots, no calls", 1);
		return 0;
	}
	/* Texts of calls may have any number of lines, and are not kept. */
	if (t->texts)
		return 0;
	return input_bad(t->in, "too few columns for a row of tracy-csvexport");
}

static int read_header(struct tracy *t)
{
	struct span line;
	int rc = input_line(t->in, &line);

	if (rc < 0)
		return rc;
	if (rc && tracy_header_twice(line))
		return input_bad(t->in, "column '%s' stands there twice", tracy_header_twice(line));
	if (!rc || !tracy_header_read(line, &t->header))
		return input_bad(t->in,
				 "not the columns of zones that tracy-csvexport prints, with or "
				 "without -t or -u: name, src_file, src_line, …");
	str_addn(&t->separator, t->header.separator.s, t->header.separator.n);
	t->header.separator = (struct span){t->separator.s, t->separator.n};
	return 0;
}

static void describe(struct tracy *t)
{
	struct profile *p = t->b->profile;
	const bool calls = t->header.kind == TRACY_CALLS;

	profile_set_run(p, RUN_CLOCK, "wall");
	profile_set_run(p, RUN_ZONE_COLUMNS,
			calls	    ? COLUMNS_OF_CALLS
			: t->spread ? COLUMNS SPREAD
				    : COLUMNS);
	t->b->duration_ns += calls ? t->calls.end_ns
				   : (int64_t)fmin(round((t->least_ns + t->most_ns) / 2), 4e18);
}

/* A capture may hold no zone. */
static int tracy_csv_read(struct input *in, struct builder *b)
{
	struct tracy t = {.in = in, .b = b};
	struct span line;
	int rc = read_header(&t);

	profile_add_part(b->profile, PART_ZONES);
	while (!rc && (rc = input_line(in, &line)) > 0)
		rc = line.n ? builder_skip(b, in, take_row(&t, line)) : 0;
	if (!rc && b->skipped && !t.calls.calls.n && !b->profile->zones.n)
		rc = builder_nothing(b, in, "");
	if (!rc && t.header.kind == TRACY_CALLS)
		tracy_calls_finish(&t.calls, b);
	if (!rc)
		describe(&t);
	tracy_calls_release(&t.calls);
	tracy_row_release(&t.row);
	known_release(&t.places);
	str_release(&t.separator);
	return rc;
}

static bool tracy_csv_is(struct span head)
{
	struct span line = span_take(&head, '\n');

	return span_starts(line, "name") && line.n > 12 &&
	       memmem(line.s + 4, line.n - 4, "src_file", 8);
}

const struct import tracy_csv_import = {
	.name = "tracy-csv",
	.extension = "csv",
	.about = "what tracy-csvexport prints, with or without -t or -u",
	.is = tracy_csv_is,
	.read = tracy_csv_read,
};
