/* export: a profile in the format of another tool. */
#include <errno.h>
#include <getopt.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "base/str.h"
#include "timeline/event_prices.h"
#include "cmd/command.h"
#include "cmd/output.h"
#include "export/export.h"
#include "export/secrets.h"
#include "model/meta.h"
#include "query/excerpt.h"
#include "query/filter.h"
#include "query/wait_class.h"
#include "store/store.h"

struct arguments {
	const char *input, *output, *table; /* output NULL: stdout */
	const struct export *to;
	bool force, self, reasons, commands;
	struct selection selection;
};

static void help(void)
{
	fputs("Examples:\n"
	      "  eprof-render export eprof.h5 -o out.folded\n"
	      "  eprof-render export eprof.h5 --to folded | flamegraph.pl > out.svg\n"
	      "  eprof-render export eprof.h5 -o eprof.pb.gz && go tool pprof -http : eprof.pb.gz\n"
	      "  eprof-render export eprof.h5 -o out.pftrace # for ui.perfetto.dev\n"
	      "  eprof-render export eprof.h5 -o tree.json --pid 4711 --from 2s --to 5s\n"
	      "  eprof-render export eprof.h5 --to tracy-csv -o zones.csv --where 'counts>10'\n"
	      "\n"
	      "Usage: eprof-render export FILE [-o OUT] [--to FORMAT] [--force] [selection]\n"
	      "\n"
	      "Writes the profile in a format of other tools. folded and json count samples, "
	      "unless\n"
	      "--metric asks for its values or the profile opens with a metric of its own (eprof "
	      "--wall);\n"
	      "of a profile of zones alone they hold the nanoseconds of the zones' call tree.\n"
	      "\n"
	      "  -o, --output OUT     write to OUT; without it, or for -, to the standard output\n"
	      "      --to FORMAT      the format, where OUT's extension does not say it:\n",
	      stdout);
	for (const struct export *const *e = exports; *e; e++)
		fprintf(stdout, "                         %-12s %s\n", (*e)->name, (*e)->about);
	fputs("      --with-reasons   a frame at the leaf: why, and for what, a thread waited\n"
	      "      --table NAME     csv: which table: samples, functions, zones …\n"
	      "      --cmdline        the command lines of processes, which may hold passwords, "
	      "too\n"
	      "  -e, --self           tracy-csv: self times instead of total times\n"
	      "      --force          replace OUT if it exists\n"
	      "      --mode OCTAL     the mode of what is made (root: 600; else by the umask)\n"
	      "  -h, --help           this text\n"
	      "\nSelection (a --to that names no format is a time, as in --to 5s):\n",
	      stdout);
	selection_help(stdout, true);
}

/* There is none of that name, or none was named: NULL. */
static int no_format(const char *name)
{
	struct str s = {0};
	int rc;

	for (const struct export *const *e = exports; *e; e++)
		str_addf(&s, "%s%s", s.n ? ", " : "", (*e)->name);
	rc = name ? err(-EINVAL, "no format '%s': the formats are %s", name, s.s)
		  : err(-EINVAL, "name a format with --to: %s", s.s);
	str_release(&s);
	return rc;
}

/* The status of an export of one table without --table. */
static int no_table(void)
{
	struct str s = {0};
	int status;

	for (const struct table_place *t = profile_tables; t->table; t++)
		str_addf(&s, "%s%s", s.n ? ", " : "", t->table->name);
	status = render_usage("export: csv: name a table with --table: %s", str_text(&s));
	str_release(&s);
	return status;
}

/* --to is the format, and the end of a span of time as well. */
static int take_to(void *arguments, const char *value)
{
	struct arguments *a = arguments;
	const struct export *to = export_find(value);

	if (!to && !(value[0] >= '0' && value[0] <= '9'))
		return no_format(value);
	if (!to)
		return options_take(selection_rows, "to", value, &a->selection);
	a->to = to;
	return 0;
}

static const struct option_row option_rows[] = {
	{"to", 0, OPTION_TAKE, 0, {.take = take_to}},
	{NULL, 0, OPTION_TABLE, offsetof(struct arguments, selection), {.rows = selection_rows}},
	{"output", 'o', OPTION_TAKE, offsetof(struct arguments, output), {.take = output_take}},
	{"force", 0, OPTION_FLAG, offsetof(struct arguments, force), {0}},
	{"with-reasons", 0, OPTION_FLAG, offsetof(struct arguments, reasons), {0}},
	{"cmdline", 0, OPTION_FLAG, offsetof(struct arguments, commands), {0}},
	{"self", 'e', OPTION_FLAG, offsetof(struct arguments, self), {0}},
	{"table", 0, OPTION_TEXT, offsetof(struct arguments, table), {0}},
	{0},
};

/* -1: go on; else the exit status. */
static int parse(int argc, char **argv, struct arguments *a)
{
	static const struct render_options options = {"export", option_rows, help, NULL};
	int status = render_options(&options, argc, argv, a);

	if (status >= 0)
		return status;
	if (argc - optind != 1)
		return render_usage("export: name one profile");
	a->input = argv[optind];
	if (!a->to && a->output)
		a->to = export_find_for(a->output);
	if (!a->to && no_format(NULL))
		return render_usage("export: %s", err_text());
	if (a->self && !a->to->takes_self)
		return render_usage("export: --self is for tracy-csv, not for %s", a->to->name);
	if (!a->table && a->to->takes_table)
		return no_table();
	if (a->table && !a->to->takes_table)
		return render_usage("export: --table is for csv, not for %s", a->to->name);
	return -1;
}

/* Of zones alone the exact time of their tree is what there is to export. */
static int build_tree(const struct arguments *a, const struct profile *p, bool zones,
		      struct export_input *in)
{
	struct tree *t = NULL;
	int rc = zones ? zone_tree_build(p, &a->selection, &t) : tree_build(p, &a->selection, &t);

	in->tree = t;
	in->values = zones || a->selection.metric || profile_run(p, RUN_METRIC);
	return rc;
}

/* The selection as a profile: *@own where that is another than @p. */
static int build_part(const struct arguments *a, const struct profile *p, bool zones,
		      struct export_input *in, struct profile **own)
{
	int rc = zones ? 0 : excerpt_build(p, &a->selection, a->to->reads == EXPORT_TABLES, own);

	if (zones)
		*own = export_zone_stacks(in->tree);
	in->part = *own ? *own : p;
	return rc;
}

/* What the export reads of the selection. */
static int build(const struct arguments *a, const struct profile *p, struct export_input *in,
		 struct profile **own)
{
	const enum export_source reads = a->to->reads;
	const bool whole =
		reads == EXPORT_TABLES || (reads == EXPORT_EVENTS && profile_has(p, PART_EVENTS));
	const bool zones = !whole && !profile_has(p, PART_SAMPLES) && profile_has(p, PART_ZONES);
	int rc = 0;

	if (reads == EXPORT_TREE || reads == EXPORT_ZONES || zones)
		rc = build_tree(a, p, zones, in);
	if (!rc && reads != EXPORT_TREE && reads != EXPORT_ZONES)
		rc = build_part(a, p, zones, in, own);
	return rc;
}

/* The exit status, as of the one below. */
static int write_export(const struct arguments *a, const struct export_input *in)
{
	struct output output;
	int rc = output_open(&output, a->output, a->force);

	if (!rc)
		rc = output_close(&output, a->to->write(in, output.out));
	return rc ? render_fail() : 0;
}

/* Up to the tree errors are the selection's: the profile was checked when it was read. */
static int export_profile(const struct arguments *a, const struct profile *p)
{
	struct zone_rows rows;
	struct profile *own = NULL;
	struct export_input in = {.profile = p,
				  .selection = &a->selection,
				  .zone_rows = &rows,
				  .self = a->self,
				  .table = a->table};
	int rc = zone_rows_build(p, &a->selection, &rows), status;

	if (!rc)
		rc = build(a, p, &in, &own);
	if (!rc) {
		render_contradictions(p, a->input);
		render_left_out(p, &a->selection);
	}
	status = rc ? render_refuse(rc) : write_export(a, &in);
	tree_free((struct tree *)in.tree);
	profile_free(own);
	zone_rows_release(&rows);
	return status;
}

int render_export(int argc, char **argv)
{
	struct arguments a = {0};
	struct wait_classes waits = {0};
	struct profile *p = NULL;
	int status = parse(argc, argv, &a), rc;

	if (status >= 0)
		return status;
	rc = output_check(a.output, a.force, &a.input, 1);
	if (rc)
		return render_refuse(rc);
	render_enter_to(a.output, a.force, &a.input, 1);
	rc = a.to->walks ? store_load_leaving(a.input, &a.selection.run, &p)
			 : store_load(a.input, &a.selection.run, &p);
	if (rc)
		return render_fail();
	filter_choose_metric(p, &a.selection);
	rc = render_settle(&a.selection, p);
	if (rc) {
		profile_free(p);
		return render_refuse(rc);
	}
	a.selection.waits = &waits;
	render_frames(&a.selection, p, &waits);
	if (!a.commands)
		export_hide_secrets(p);
	if (a.reasons)
		excerpt_add_reasons(p);
	if (a.selection.net)
		fprintf(stderr, "eprof-render: " NET_TIMES "\n");
	status = export_profile(&a, p);
	wait_classes_release(&waits);
	profile_free(p);
	return status;
}
