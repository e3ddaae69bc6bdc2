#include "model/zone_column.h"

#include <inttypes.h>
#include <stddef.h>
#include <string.h>

#include "base/str.h"
#include "model/meta.h"

#define COLUMN(name, title, help, kind, field)                                                   \
	{                                                                                        \
#name, title, help, ZONE_##kind, ZONE_FIELD_##field, offsetof(struct zone, name) \
	}

const struct zone_column zone_columns[] = {
	COLUMN(name, "Zone", NULL, TEXT, STRING),
	COLUMN(src_file, "File", NULL, TEXT, STRING),
	COLUMN(src_line, "Line", NULL, CODE, U32),
	COLUMN(total_ns, "Total",
	       "time from call to return; of recursive calls the outermost alone", TIME, I64),
	COLUMN(total_perc, "Share",
	       "total time as a share of the capture's length; threads add up, so it may pass 100 "
	       "%",
	       PERCENT, F64),
	COLUMN(counts, "Calls", "calls that ended, exact", COUNT, U64),
	COLUMN(mean_ns, "Mean", "of one call, as measured", TIME, I64),
	COLUMN(min_ns, "Min", "shortest call", TIME, I64),
	COLUMN(max_ns, "Max", "longest call", TIME, I64),
	COLUMN(std_ns, "Std", "standard deviation of the calls' times", TIME, F64),
	COLUMN(self_ns, "Self", "time outside all zones called from it", TIME, I64),
	COLUMN(calls_ns, "All calls", "total time with recursive calls added up", TIME, I64),
	COLUMN(m2, "M2", "sum of squared differences from the mean", SQUARE, F64),
	COLUMN(self_min_ns, "Self min", "shortest self time of one call", TIME, I64),
	COLUMN(self_max_ns, "Self max", "longest self time of one call", TIME, I64),
	COLUMN(self_std_ns, "Self std", "standard deviation of the calls' self times", TIME, F64),
	COLUMN(self_m2, "Self M2", "sum of squared differences from the mean self time", SQUARE,
	       F64),
	COLUMN(p50_ns, "p50", "half of the calls took no longer", TIME, I64),
	COLUMN(p90_ns, "p90", "nine of ten calls took no longer", TIME, I64),
	COLUMN(p99_ns, "p99", "99 of 100 calls took no longer", TIME, I64),
	COLUMN(p999_ns, "p99.9", "999 of 1,000 calls took no longer", TIME, I64),
	COLUMN(comp_total_ns, "Net total", "total less what the probes added", TIME, I64),
	COLUMN(comp_self_ns, "Net self", "self less what the probes added", TIME, I64),
	COLUMN(comp_mean_ns, "Net mean", "mean less what the probes added", TIME, I64),
	COLUMN(total_margin_ns, "± total", "how far net total may be off, to either side", TIME,
	       I64),
	COLUMN(self_margin_ns, "± self", "how far net self may be off, to either side", TIME, I64),
	COLUMN(mean_margin_ns, "± mean", "how far net mean may be off, to either side", TIME, I64),
	COLUMN(probe_ns, "Probes", "what the probes of its calls cost the threads that made them",
	       TIME, I64),
	COLUMN(cpu_ns, "CPU", "time on a CPU, less what the probes added", TIME, I64),
	COLUMN(user_ns, "User", "of that, time in user code", TIME, I64),
	COLUMN(sys_ns, "System", "of that, time in system calls", TIME, I64),
	COLUMN(runnable_ns, "Runnable", "time waiting for a CPU", TIME, I64),
	COLUMN(blocked_ns, "Blocked", "time off the CPU, waiting for something", TIME, I64),
	COLUMN(suspended_ns, "Suspended", "time in which its coroutine was switched out", TIME,
	       I64),
	COLUMN(minflt, "Minor faults", NULL, COUNT, U64),
	COLUMN(majflt, "Major faults", NULL, COUNT, U64),
	{"faults", "Faults", "page faults, minor and major", ZONE_COUNT, ZONE_FIELD_FAULTS, 0},
	COLUMN(nvcsw, "Vol. switches", "voluntary context switches", COUNT, U64),
	COLUMN(nivcsw, "Invol. switches", "involuntary context switches", COUNT, U64),
	COLUMN(inblock, "Blocks in", "blocks of 512 bytes read from disks", COUNT, U64),
	COLUMN(oublock, "Blocks out", "blocks of 512 bytes written to disks", COUNT, U64),
	COLUMN(in_flight, "In flight",
	       "calls that had not ended when the capture did; in no other column", COUNT, U64),
	COLUMN(at_start, "At start",
	       "calls that ended, but began before the capture; in no other column", COUNT, U64),
	COLUMN(unwound, "Unwound",
	       "calls left by longjmp, an exception or the thread's end: counted, not timed", COUNT,
	       U64),
	COLUMN(untimed, "Untimed", "calls that were counted, not timed", COUNT, U64),
	COLUMN(rets, "By returns", "timed calls whose end was seen by a probe at an exit", COUNT,
	       U64),
	COLUMN(site_class, "Site", "what the probe at the entry costs: nop5 least, stepped most",
	       TEXT, SITE),
	COLUMN(exit_way, "Exit", "how the end of a call was seen", TEXT, EXIT),
	COLUMN(flags, "Marks", NULL, TEXT, MARKS),
	COLUMN(module, "Module", "file that holds the function's code", TEXT, MODULE),
	COLUMN(address, "Address", "of the function in its module", CODE, U64),
	COLUMN(note, "Why", "why calls are only counted", TEXT, STRING),
	{0},
};

static bool is_named(const struct zone_column *c, const char *name)
{
	size_t n = strlen(name);

	return !strcmp(c->name, name) ||
	       (!strncmp(c->name, name, n) && !strcmp(c->name + n, "_ns"));
}

const struct zone_column *zone_column_find(const char *name)
{
	static const char *const other[][2] = {
		{"count", "counts"},  {"calls", "counts"},    {"marks", "flags"},
		{"file", "src_file"}, {"line", "src_line"},   {"share", "total_perc"},
		{"zone", "name"},     {"site", "site_class"}, {"exit", "exit_way"}};

	for (size_t i = 0; i < sizeof(other) / sizeof(*other); i++)
		if (!strcmp(name, other[i][0]))
			name = other[i][1];
	for (const struct zone_column *c = zone_columns; c->name; c++)
		if (is_named(c, name))
			return c;
	return NULL;
}

bool zone_column_is_known(const struct zone_column *c, const struct profile *p)
{
	const char *known = profile_run(p, RUN_ZONE_COLUMNS);

	if (!known || c->field == ZONE_FIELD_EVENT)
		return true;
	while (*known) {
		const size_t n = strcspn(known, ",");

		if (strlen(c->name) == n && !memcmp(known, c->name, n))
			return true;
		known += n + (known[n] == ',');
	}
	return false;
}

static const void *field_of(const struct zone_column *c, const struct zone *z)
{
	return (const char *)z + c->offset;
}

/* A stranger's file may have counts whose sum does not fit. */
static int64_t faults_of(const struct zone *z)
{
	uint64_t sum;

	if (__builtin_add_overflow(z->minflt, z->majflt, &sum) || sum > INT64_MAX)
		return INT64_MAX;
	return (int64_t)sum;
}

long double zone_column_number(const struct zone_column *c, const struct zone *z)
{
	const void *at = field_of(c, z);

	switch (c->field) {
	case ZONE_FIELD_I64:
		return (long double)*(const int64_t *)at;
	case ZONE_FIELD_U64:
		return (long double)*(const uint64_t *)at;
	case ZONE_FIELD_F64:
		return (long double)*(const double *)at;
	case ZONE_FIELD_U32:
		return (long double)*(const uint32_t *)at;
	case ZONE_FIELD_FAULTS:
		return (long double)faults_of(z);
	default:
		return 0;
	}
}

static const char *marks_text(const struct zone *z)
{
	bool is_short = z->flags & ZONE_SHORT, pseudo = z->flags & ZONE_PSEUDO;

	if (z->flags & ZONE_DETACHED)
		return is_short ? "short detached" : "detached";
	return is_short && pseudo ? "short pseudo" : is_short ? "short" : pseudo ? "pseudo" : "";
}

const char *zone_column_text(const struct zone_column *c, const struct profile *p,
			     const struct zone *z)
{
	const void *at = field_of(c, z);

	switch (c->field) {
	case ZONE_FIELD_STRING:
		return profile_text(p, *(const uint32_t *)at);
	case ZONE_FIELD_MODULE:
		return profile_text(p, p->modules.at[*(const uint32_t *)at].path);
	case ZONE_FIELD_SITE:
		return site_class_name(*(const uint8_t *)at);
	case ZONE_FIELD_EXIT:
		return exit_way_name(*(const uint8_t *)at);
	case ZONE_FIELD_MARKS:
		return marks_text(z);
	default:
		return "";
	}
}

char *zone_column_print(const struct zone_column *c, const struct profile *p, const struct zone *z)
{
	const void *at = field_of(c, z);

	if (!zone_column_is_known(c, p))
		return mem_strdup("");
	switch (c->field) {
	case ZONE_FIELD_I64:
		return mem_printf("%" PRId64, *(const int64_t *)at);
	case ZONE_FIELD_U64:
		return mem_printf("%" PRIu64, *(const uint64_t *)at);
	case ZONE_FIELD_F64:
		return mem_printf("%.17g", *(const double *)at);
	case ZONE_FIELD_U32:
		return mem_printf("%" PRIu32, *(const uint32_t *)at);
	case ZONE_FIELD_FAULTS:
		return mem_printf("%" PRId64, faults_of(z));
	default:
		return mem_strdup(zone_column_text(c, p, z));
	}
}

static int64_t event_of(const struct zone_column *c, const struct zone_row *r)
{
	return r->events ? r->events[c->offset] : 0;
}

long double zone_row_number(const struct zone_column *c, const struct zone_row *r)
{
	if (c->field == ZONE_FIELD_EVENT)
		return (long double)event_of(c, r);
	return zone_column_number(c, &r->at);
}

char *zone_row_print(const struct zone_column *c, const struct profile *p, const struct zone_row *r)
{
	if (c->field == ZONE_FIELD_EVENT)
		return mem_printf("%" PRId64, event_of(c, r));
	return zone_column_print(c, p, &r->at);
}
