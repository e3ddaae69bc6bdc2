/*
 * tracy-csv: zones as Tracy's tracy-csvexport prints them, for what reads its output:
 *
 *	name,src_file,src_line,total_ns,total_perc,counts,mean_ns,min_ns,max_ns,std_ns
 *	parse,src/json.c,120,6000000000,60.000000,100,60000000,50000000,70000000,10050378.152592
 *
 * Zones without time are left out, as there; so are those whose calls were counted only. Two faults
 * of the model are not repeated: names with a comma stand in quotes (RFC 4180), and with --self the
 * deviation is that of self times. Times are as measured.
 */
#include "export/export.h"

#include <errno.h>
#include <inttypes.h>

#include "base/err.h"
#include "base/str.h"
#include "paint/csv.h"

static void text_field(FILE *out, const char *before, const struct profile *p, uint32_t string)
{
	const char *text = profile_text(p, string);
	_free_ char *clean = str_clean(text, strlen(text));

	csv_field(out, before, clean);
}

/* The five figures that --self changes. */
struct figures {
	int64_t total, mean, min, max;
	double std;
};

static struct figures of_calls(const struct zone *z)
{
	return (struct figures){z->total_ns, z->mean_ns, z->min_ns, z->max_ns, z->std_ns};
}

static struct figures of_self(const struct zone *z)
{
	uint64_t timed = zone_timed(z);

	return (struct figures){
		.total = z->self_ns,
		.mean = timed ? (int64_t)((uint64_t)z->self_ns / timed) : 0,
		.min = z->self_min_ns,
		.max = z->self_max_ns,
		.std = z->self_std_ns,
	};
}

/* What an imported profile does not know stays empty: cProfile's has no least, most, deviation. */
static bool is_known(const struct export_input *in, const char *column)
{
	return zone_column_is_known(zone_column_find(column), in->profile);
}

static void row_write(const struct export_input *in, const struct zone *z, FILE *out)
{
	const struct figures f = in->self ? of_self(z) : of_calls(z);
	double length = (double)in->profile->duration_ns;

	text_field(out, "", in->profile, z->name);
	text_field(out, ",", in->profile, z->src_file);
	fprintf(out, ",%" PRIu32 ",%" PRId64 ",%.6f,%" PRIu64 ",%" PRId64, z->src_line, f.total,
		length > 0 ? 100. * (double)f.total / length : 0, z->counts, f.mean);
	if (is_known(in, "min_ns"))
		fprintf(out, ",%" PRId64 ",%" PRId64 ",%.6f\n", f.min, f.max, f.std);
	else
		fputs(",,,\n", out);
}

/* Refuses a profile that lacks what the format needs. */
static int check(const struct export_input *in)
{
	const struct zone_rows *rows = in->zone_rows;

	if (!profile_has(in->profile, PART_ZONES))
		return err(-EINVAL, "the profile has no zones: capture them with eprof --zone");
	if (rows->of_threads)
		return err(-EINVAL, "tracy-csv: deviations are kept of all threads together: leave "
				    "--thread and --pid out");
	for (size_t i = 0; in->self && i < rows->rows.n; i++) {
		const struct zone *z = &rows->rows.at[i].at;

		if (z->total_ns && !(z->flags & ZONE_SELF_SPREAD))
			return err(
				-EINVAL,
				"tracy-csv: the profile does not hold how the self times of '%s' "
				"spread: leave --self out",
				profile_text(in->profile, z->name));
	}
	return 0;
}

static int tracy_csv_write(const struct export_input *in, FILE *out)
{
	int rc = check(in);

	if (rc)
		return rc;
	fputs("name,src_file,src_line,total_ns,total_perc,counts,mean_ns,min_ns,max_ns,std_ns\n",
	      out);
	for (size_t i = 0; i < in->zone_rows->rows.n; i++)
		if (in->zone_rows->rows.at[i].at.total_ns)
			row_write(in, &in->zone_rows->rows.at[i].at, out);
	return 0;
}

const struct export tracy_csv_export = {
	.name = "tracy-csv",
	.about = "zones as tracy-csvexport prints them",
	.reads = EXPORT_ZONES,
	.takes_self = true,
	.write = tracy_csv_write,
};
