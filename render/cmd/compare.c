/* compare: runs of two versions against each other; see compare/compare.h. */
#include "compare/compare.h"

#include <errno.h>
#include <getopt.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "base/fail_on.h"
#include "base/str.h"
#include "base/units.h"
#include "cmd/command.h"
#include "cmd/material.h"
#include "cmd/output.h"
#include "cmd/style.h"
#include "compare/baseline.h"
#include "diff/diff.h"
#include "compare/gate.h"
#include "compare/sides.h"
#include "query/filter.h"
#include "view/comparison.h"

struct arguments {
	struct sides_wanted wanted;
	struct compare_options options;
	enum diff_way way;
	bool has_way;
	const char *output, *format_name;
	const struct format *format; /* NULL: JSON */
	struct style style;
	struct fail_on fail_on;
	bool force, all, json, fail_undecided;
};

/* Sides are called by what tells them apart: their versions, their files, else when they were. */
static char *side_name(const struct comparison *c, const char *const files[SIDES], int side)
{
	const char *version = c->run[side][0].version, *other = c->run[!side][0].version;
	const bool named = files[BASE] && files[NEW];
	char when[UNITS_BUF];

	if (*version && *other && strcmp(version, other) != 0)
		return mem_strdup(version);
	if (named && strcmp(str_base(files[BASE]), str_base(files[NEW])) != 0)
		return mem_strdup(str_base(files[side]));
	if (named && strcmp(files[BASE], files[NEW]) != 0)
		return mem_strdup(files[side]);
	return mem_printf("%s of %s", side == BASE ? "base" : "new",
			  units_time(when, sizeof(when), c->run[side][0].started_unix_ns));
}

static const char help_text[] =
	"Examples:\n"
	"  eprof-render compare old.h5 new.h5           what changed, and how sure that is\n"
	"  eprof-render compare a1.h5 a2.h5 a3.h5 -- b1.h5 b2.h5 b3.h5\n"
	"                                               three runs a side: it can decide\n"
	"  eprof-render compare new.h5 --store perf.h5  against the version before it there\n"
	"  eprof-render compare perf.h5 --version-key 1.2 --baseline 1.1\n"
	"  eprof-render compare new.h5 --store perf.h5 --fail-on regressed:5  for CI\n"
	"  eprof-render compare old.h5 new.h5 -o diff.html   both as one flame graph, and tables\n"
	"  eprof-render compare old.h5 new.h5 -o changes.json\n"
	"\n"
	"Usage: eprof-render compare BASE NEW [OPTION...]\n"
	"       eprof-render compare BASE... -- NEW... [OPTION...]\n"
	"       eprof-render compare FILE [--store STORE] [--baseline VERSION] [OPTION...]\n"
	"\n"
	"Compares zones and sampled functions. A file of several runs stands for those of its\n"
	"newest version. What decides is how runs of one side differ among themselves: with one\n"
	"run a side, rows are \"undecided\" at most.\n"
	"\n"
	"      --store STORE    take the base from this store; without it, from FILE itself\n"
	"      --baseline V     … this version of it, not the one right before FILE's\n"
	"      --runs N         … at most the last N runs of a version (5)\n"
	"      --per WHAT       compare amounts per run, per second, or per work: zones by the\n"
	"                       call, functions by their share (auto: run where all are of whole\n"
	"                       commands, else work)\n"
	"      --gate PERCENT   ignore changes smaller than this (2)\n"
	"      --normalise WAY  values of the flame graph: share of the samples, per second of "
	"cpu\n"
	"                       time, or per unit of work: a run of the command, else a call of a\n"
	"                       zone (work where there is one, else share)\n"
	"      --work PATTERN   a call of these zones is the unit of work\n"
	"      --better WAY     lower or higher values are better (lower)\n"
	"      --history N      also look at the trend over the last N runs in the store\n"
	"      --fail-on WHAT   exit with 3 on regressed, regressed:PERCENT, or suspect; a line "
	"on\n"
	"                       stderr says what came of it, and what could have been seen\n"
	"      --fail-undecided exit with 4 where the runs cannot decide that; given alone, it "
	"asks\n"
	"                       about regressed\n"
	"      --all            show rows that are unchanged or undecided, too\n"
	"      --json           write JSON to the standard output\n"
	"  -o, --output OUT     write to OUT, in the format of its extension: json, csv, txt,\n"
	"                       html, pdf; svg, png: the flame graph alone\n"
	"      --format NAME    this format, whatever OUT is called\n"
	"      --force          replace OUT if it exists\n"
	"      --mode OCTAL     the mode of what is made (root: 600; else by the umask)\n"
	"      --width N        columns of txt\n"
	"      --colour auto|always|never  colours in txt\n";

static void help(void)
{
	fputs(help_text, stdout);
	fputs(style_help, stdout);
	fputs("  -h, --help           this text\n"
	      "\nSelection, of each run (--version-key, --platform, --run: of the new side's):\n",
	      stdout);
	selection_help(stdout, false);
	puts("\nExit status: 0 done, 1 failed, 2 wrong usage, 3 --fail-on found what it is for,\n"
	     "4 it is undecided and --fail-undecided was given.");
}

/* --- options ---------------------------------------------------------------------------------- */

static int take_gate(void *field, const char *text)
{
	double percent;
	int rc = fail_on_percent(text, "--gate", &percent);

	/* 0 is "not given" to those who compare: no change is as small as this one. */
	*(double *)field = percent > 0 ? percent / 100 : 1e-12;
	return rc;
}

static int take_way(void *arguments, const char *text)
{
	struct arguments *a = arguments;

	a->has_way = true;
	return diff_way_find(text, &a->way);
}

static int take_fail_on(void *field, const char *text)
{
	return fail_on_parse(text, field);
}

#define AT(field) offsetof(struct arguments, field)

/* In the order of their enums. */
static const char *const per_words[] = {"auto", "run", "second", "work", NULL};
static const char *const better_words[] = {"lower", "higher", NULL};

static const struct option_row option_rows[] = {
	{"store", 0, OPTION_TEXT, AT(wanted.store), {0}},
	{"baseline", 0, OPTION_TEXT, AT(wanted.baseline), {0}},
	{"runs", 0, OPTION_COUNT, AT(wanted.runs), {.range = {1, COMPARE_RUNS_MOST}}},
	{"per", 0, OPTION_WORD, AT(options.per), {.words = per_words}},
	{"gate", 0, OPTION_TAKE, AT(options.gate), {.take = take_gate}},
	{"normalise", 0, OPTION_TAKE, 0, {.take = take_way}},
	{"normalize", 0, OPTION_TAKE, 0, {.take = take_way}},
	{"work", 0, OPTION_TEXT, AT(options.work), {0}},
	{"better", 0, OPTION_WORD, AT(options.direction), {.words = better_words}},
	{"history", 0, OPTION_COUNT, AT(wanted.history), {.range = {1, COMPARE_RUNS_MOST}}},
	{"fail-on", 0, OPTION_TAKE, AT(fail_on), {.take = take_fail_on}},
	{"fail-undecided", 0, OPTION_FLAG, AT(fail_undecided), {0}},
	{"all", 0, OPTION_FLAG, AT(all), {0}},
	{"json", 0, OPTION_FLAG, AT(json), {0}},
	{"output", 'o', OPTION_TAKE, AT(output), {.take = output_take}},
	{"format", 0, OPTION_TEXT, AT(format_name), {0}},
	{"force", 0, OPTION_FLAG, AT(force), {0}},
	{NULL, 0, OPTION_TABLE, AT(style), {.rows = style_rows}},
	{NULL, 0, OPTION_TABLE, AT(options.selection), {.rows = selection_rows}},
	{0},
};

static const struct render_options own_options = {"compare", option_rows, help, NULL};

/* JSON is no format of documents: a->format is NULL then. */
static int choose_format(struct arguments *a)
{
	const char *dot = a->output ? strrchr(str_base(a->output), '.') : NULL;
	const char *name = a->json	    ? "json"
			   : a->format_name ? a->format_name
			   : dot	    ? dot + 1
					    : NULL;

	if (!name && a->output)
		return err(-EINVAL,
			   "'%s' does not say which format: use the extension .json, .csv, .txt, "
			   ".html, .pdf, .svg or .png, or --format",
			   a->output);
	name = name ? name : "txt";
	if (!strcmp(name, "json"))
		return 0;
	a->format = format_find(name);
	if (!a->format)
		return err(-EINVAL,
			   "no format '%s' of a comparison: they are json, csv, txt, html, "
			   "pdf, svg and png",
			   name);
	return 0;
}

/* The files before and behind "--"; or two, or one. */
static int take_files(struct arguments *a, char **files, size_t n, char **behind, size_t n_behind)
{
	struct sides_wanted *w = &a->wanted;
	const bool split = n_behind > 0;

	if (!n || (!split && n > 2))
		return err(-EINVAL, n ? "more than two files: put -- between those of the base and "
					"the new ones"
				      : "name two profiles, or one and the --store that its "
					"baseline is in");
	w->files[BASE] = (const char *const *)files;
	w->n[BASE] = split ? n : n - 1;
	w->files[NEW] = (const char *const *)(split ? behind : files + n - 1);
	w->n[NEW] = split ? n_behind : 1;
	if (w->n[BASE] && (w->store || w->baseline || w->history))
		return err(-EINVAL, "%s is for one file: the base is named here",
			   w->store	 ? "--store"
			   : w->baseline ? "--baseline"
					 : "--history");
	return 0;
}

/* -1: go on; else the exit status. "--" stands between the sides, with options on both of it, so it
 * is found before getopt(3) takes it for the end of them. */
static int parse(int argc, char **argv, struct arguments *a)
{
	char **files, **behind;
	int before = 1, n, n_behind = 0, status;

	while (before < argc && strcmp(argv[before], "--"))
		before++;
	a->wanted.runs = BASELINE_RUNS;
	a->wanted.selection = &a->options.selection;
	status = render_options(&own_options, before, argv, a);
	files = argv + optind;
	n = before - optind;
	behind = argv + argc;
	if (status < 0 && before < argc) {
		status = render_options(&own_options, argc - before, argv + before, a);
		behind = argv + before + optind;
		n_behind = argc - before - optind;
	}
	if (status >= 0)
		return status;
	if (before < argc && !n_behind)
		return render_usage("compare: name the new profiles behind --");
	if (a->options.selection.from_clock || a->options.selection.to_clock)
		return render_usage(
			"compare: --from and --to by the clock are of one capture; give "
			"times since the start of each: 2.5s");
	if (a->options.selection.net)
		return render_usage("compare: --net is of the calls of one timeline: zones are "
				    "compared net wherever all runs know it");
	if (a->options.selection.fold_kernel)
		return render_usage(
			"compare: --fold-kernel is of a report of one profile: not of a "
			"comparison");
	if (a->options.selection.frames && a->options.selection.omit_idle)
		return render_usage("compare: --omit-idle needs all frames of the stacks, so that "
				    "--frames is not with it");
	if (a->options.selection.sort)
		return render_usage("compare: rows are in the order of their verdicts: --sort is "
				    "of a report of one profile");
	if (choose_format(a) || take_files(a, files, (size_t)n, behind, (size_t)n_behind))
		return render_usage("compare: %s", err_text());
	return -1;
}

/* --- what comes of it ------------------------------------------------------------------------- */

/* The tables of the last new run, with what the base had beside each row: where there is room. */
static int write_tables(const struct arguments *a, struct material *m, struct doc *doc)
{
	const struct view *shown[3] = {NULL};
	size_t n = 0;
	int rc;

	if (a->format->medium != DOC_PAGE && a->format->medium != DOC_PAPER)
		return 0;
	rc = material_select(m, &a->options.selection, DOC_TERMINAL);
	if (deltas_have_zones(m->deltas))
		shown[n++] = view_find("zones");
	if (!rc && deltas_have_metric(m->deltas, m->tree->measure.name))
		shown[n++] = view_find("functions");
	return rc ? rc : material_write(m, shown, doc);
}

/* @d: NULL where no samples were compared. */
static int write_document(const struct arguments *a, const struct comparison *c, struct diff *d,
			  const struct profile *p, FILE *out)
{
	/* The profile stays its owner's. */
	struct material m = {.profile = (struct profile *)p, .comparison = c};
	const struct format_options options =
		style_options(&a->style, a->format, a->output != NULL);
	const char *command = c->run[NEW][0].command;
	_free_ char *title = mem_printf("%s: a comparison", *command ? command : "profiles");
	_free_ char *versions =
		d ? mem_printf("%s compared with %s", d->side[NEW], d->side[BASE])
		  : mem_printf("%s compared with %s",
			       *c->run[NEW][0].version ? c->run[NEW][0].version : "new",
			       *c->run[BASE][0].version ? c->run[BASE][0].version : "base");
	const enum doc_medium medium = a->format->medium;
	struct doc doc;
	int rc;

	doc_init(&doc, p, title, versions);
	if (medium != DOC_PICTURE)
		comparison_write_facts(c, &doc);
	if (d)
		difference_write(d, &doc, medium);
	if (medium != DOC_PICTURE)
		comparison_write_rows(c, &doc,
				      a->all || medium == DOC_TABLE ? ROWS_ALL
				      : medium == DOC_TERMINAL	    ? ROWS_CHANGED
								    : ROWS_FOLDED);
	rc = write_tables(a, &m, &doc);
	if (options.ascii)
		doc_to_ascii(&doc);
	if (!rc)
		rc = a->format->write(&doc, &options, out);
	doc_release(&doc);
	m.profile = NULL;
	material_release(&m);
	return rc;
}

static int write_comparison(const struct arguments *a, const struct comparison *c, struct diff *d,
			    const struct profile *p)
{
	struct output output;
	int rc = output_open(&output, a->output, a->force);

	if (rc)
		return rc;
	if (a->format)
		rc = write_document(a, c, d, p, output.out);
	else
		comparison_json(c, "eprof-render " EPROF_VERSION, output.out);
	return output_close(&output, rc);
}

/* What only documents show, and of tables of machines none. NULL where no samples were compared. */
static int build_diff(const struct arguments *a, const struct sides *s, struct comparison *c,
		      struct diff **d)
{
	const struct sides_wanted *w = &a->wanted;
	const char *const files[SIDES] = {w->n[BASE] ? w->files[BASE][0] : NULL, w->files[NEW][0]};
	const struct compare_input in = {.runs = {s->runs[BASE].at, s->runs[NEW].at},
					 .n = {s->runs[BASE].n, s->runs[NEW].n}};
	_free_ char *base = side_name(c, files, BASE), *new = side_name(c, files, NEW);
	struct diff_options o = {.selection = a->options.selection,
				 .side = {base, new},
				 .work = a->options.work,
				 .way = a->has_way ? &a->way : NULL};
	int rc;

	if (!a->format || a->format->medium == DOC_TABLE)
		return 0;
	filter_choose_metric(in.runs[NEW][0], &o.selection);
	rc = diff_build(&in, c, &o, d);
	if (!rc && !*d && a->format->medium == DOC_PICTURE)
		return err(-ENODATA, "a picture of a comparison is a flame graph of samples, and "
				     "none were compared: write html or pdf");
	return rc;
}

/* The exit status. What a gate found is said on stderr, whatever it was. */
static int pass_gate(const struct arguments *a, const struct comparison *c)
{
	const bool asked = a->fail_on.what != FAIL_NEVER || a->fail_undecided;
	const struct fail_on gate =
		a->fail_on.what == FAIL_NEVER ? (struct fail_on){FAIL_REGRESSED, 0} : a->fail_on;
	const enum gate_outcome outcome = gate_outcome(c, &gate);
	_free_ char *text = asked ? gate_text(c, &gate) : NULL;

	if (!asked)
		return 0;
	fprintf(stderr, "eprof-render: gate %s\n", text);
	if (outcome == GATE_UNDECIDED && a->fail_undecided)
		return FAIL_UNDECIDED_STATUS;
	return outcome == GATE_FIRED ? FAIL_ON_STATUS : 0;
}

static int compare_sides(const struct arguments *a, const struct sides *s)
{
	struct comparison c;
	struct diff *d = NULL;
	int rc = sides_compare(s, &a->options, &c);

	if (!rc)
		rc = build_diff(a, s, &c, &d);
	if (rc)
		rc = render_refuse(rc);
	else if (write_comparison(a, &c, d, s->runs[NEW].at[s->runs[NEW].n - 1]))
		rc = render_fail();
	else
		rc = pass_gate(a, &c);
	diff_free(d);
	comparison_release(&c);
	return rc;
}

static int check_output(const struct arguments *a)
{
	const struct sides_wanted *w = &a->wanted;
	int rc = output_check(a->output, a->force, w->files[NEW], w->n[NEW]);

	if (!rc)
		rc = output_check(a->output, a->force, w->files[BASE], w->n[BASE]);
	if (!rc && w->store)
		rc = output_check(a->output, a->force, &w->store, 1);
	return rc;
}

static void confine(const struct arguments *a)
{
	const struct sides_wanted *w = &a->wanted;
	struct allowed s = {0};

	allowed_read_all(&s, w->files[BASE], w->n[BASE]);
	allowed_read_all(&s, w->files[NEW], w->n[NEW]);
	allowed_add(&s, ALLOWED_READ, w->store, false);
	allowed_add(&s, ALLOWED_MAKE, a->output, a->force);
	render_enter(&s);
}

int render_compare(int argc, char **argv)
{
	struct arguments a = {.options = {.per = PER_AUTO}};
	struct sides sides;
	int status = parse(argc, argv, &a), rc;

	if (status >= 0)
		return status;
	rc = check_output(&a);
	if (rc)
		return render_refuse(rc);
	confine(&a);
	rc = sides_load(&a.wanted, &sides);
	status = rc ? render_fail() : compare_sides(&a, &sides);
	sides_release(&sides);
	return status;
}
