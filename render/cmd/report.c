/* report: one profile through views to a document, and that to a format. */
#include "cmd/command.h"

#include <errno.h>
#include <getopt.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/units.h"
#include "cmd/material.h"
#include "cmd/output.h"
#include "cmd/style.h"
#include "format/format.h"
#include "query/filter.h"
#include "model/event_cursor.h"
#include "model/meta.h"
#include "query/selection.h"
#include "store/store.h"
#include "view/view.h"

#define TOP_MOST 1000000

struct report {
	const char *input, *output; /* output NULL: stdout */
	const char *append;	    /* the page to add to, which is the output then */
	struct input older;	    /* that page */
	struct span older_text;
	const char *format_name, *view_names;
	const struct format *format;
	const struct view *views[VIEWS_MOST];
	struct selection selection;
	struct style style;
	unsigned top; /* rows of each table; 0: all */
	bool force, folder;
};

static const char *const by_words[] = {"call", "function", "arguments", NULL};

static const struct option_row option_rows[] = {
	{"output", 'o', OPTION_TEXT, offsetof(struct report, output), {0}},
	{"format", 0, OPTION_TEXT, offsetof(struct report, format_name), {0}},
	{"view", 0, OPTION_TEXT, offsetof(struct report, view_names), {0}},
	{"top", 0, OPTION_COUNT, offsetof(struct report, top), {.range = {1, TOP_MOST}}},
	{"by", 0, OPTION_WORD, offsetof(struct report, selection.by), {.words = by_words}},
	{"force", 0, OPTION_FLAG, offsetof(struct report, force), {0}},
	{"folder", 0, OPTION_FLAG, offsetof(struct report, folder), {0}},
	{"append", 0, OPTION_TEXT, offsetof(struct report, append), {0}},
	{"version", 0, OPTION_STOP, RENDER_VERSION, {0}},
	{NULL, 0, OPTION_TABLE, offsetof(struct report, style), {.rows = style_rows}},
	{NULL, 0, OPTION_TABLE, offsetof(struct report, selection), {.rows = selection_rows}},
	{0},
};

/* --folder and --append are ways to write a page; the second names the output, too. */
static int choose_page(struct report *r)
{
	const char *option = r->append ? "--append" : "--folder";

	if (!r->append && !r->folder)
		return 0;
	if (r->append && r->folder)
		return err(-EINVAL, "--append adds to a page in one file: not with --folder");
	if (r->append && r->output)
		return err(-EINVAL, "--append %s writes that page: not with -o", r->append);
	if (r->format_name && strcmp(r->format_name, "html"))
		return err(-EINVAL, "%s is of HTML pages: not with --format %s", option,
			   r->format_name);
	r->format_name = "html";
	if (!r->append)
		return 0;
	r->output = r->append;
	r->force = true;
	return 0;
}

static bool are_same(int a, int b)
{
	struct stat one, other;

	return !fstat(a, &one) && !fstat(b, &other) && one.st_dev == other.st_dev &&
	       one.st_ino == other.st_ino;
}

/* Opens the page that is to be added to once nobody else adds to it: who does, puts another file in
 * its place. Where there are no locks, the last one wins. */
static int open_older(struct report *r)
{
	struct input again;
	bool same = false;
	int rc = 0;

	while (!same && !rc) {
		rc = input_open(&r->older, r->append);
		if (rc || flock(r->older.fd, LOCK_EX))
			return rc;
		rc = input_open(&again, r->append);
		same = !rc && are_same(r->older.fd, again.fd);
		input_close(&again);
		if (!same)
			input_close(&r->older);
	}
	return rc;
}

/* Before anything is worked out for it. */
static int read_older(struct report *r)
{
	int rc = open_older(r);

	return rc < 0 ? rc : input_all(&r->older, INPUT_ALL_MAX, &r->older_text);
}

/* The format by --format, else by the output's name, else text. */
static int choose_format(struct report *r)
{
	const char *dot, *base, *name = r->format_name;

	if (!name && (!r->output || !strcmp(r->output, "-")))
		name = "txt";
	if (!name) {
		base = strrchr(r->output, '/');
		dot = strrchr(base ? base : r->output, '.');
		if (!dot || !dot[1])
			return err(-EINVAL,
				   "'%s' does not say which format: use the extension .html, .pdf, "
				   ".svg, .png, .csv, .json or .txt, or --format",
				   r->output);
		name = dot + 1;
	}
	r->format = format_find(name);
	if (!r->format)
		return err(-EINVAL,
			   "no format '%s': the formats are html, pdf, svg, png, csv, "
			   "json and txt",
			   name);
	return 0;
}

static int no_view(const char *name)
{
	_free_ char *hint = view_hint(name);

	return err(-EINVAL, "no view '%s'%s: see eprof-render --help", name, hint);
}

static int add_view(struct report *r, size_t *n, const char *name)
{
	const struct view *v = view_find(name);

	if (!v)
		return no_view(name);
	if (*n == VIEWS_MOST - 1)
		return err(-E2BIG, "more than %d views", VIEWS_MOST - 1);
	r->views[(*n)++] = v;
	return 0;
}

/* The views that --view names; whether there are such is known before a profile is. */
static int parse_views(struct report *r)
{
	_free_ char *names = r->view_names ? mem_strdup(r->view_names) : NULL;
	size_t n = 0;
	int rc = 0;

	for (char *rest = names, *name; rest && !rc;) {
		name = strsep(&rest, ",");
		rc = add_view(r, &n, name);
	}
	return rc;
}

static int write_file(const struct report *r, const struct doc *doc,
		      const struct format_options *options)
{
	struct output out = {0};
	int rc = output_open(&out, r->output, r->force);

	if (rc == 0)
		rc = output_close(&out, r->format->write(doc, options, out.out));
	return rc < 0 && rc != -EEXIST && r->append
		       ? err(rc, "cannot add to '%s': %s", r->append, err_text())
		       : rc;
}

static int write_folder(const struct report *r, const struct doc *doc,
			struct format_options options)
{
	struct page_folder folder;
	int rc = page_folder_open(&folder, r->output, r->force);

	options.assets = &folder.assets;
	if (rc == 0)
		rc = r->format->write(doc, &options, page_folder_page(&folder));
	return page_folder_close(&folder, rc);
}

/* What put_in_order() returns where --sort names no column: wrong usage. */
#define SORT_UNKNOWN (-EDOM)

static int no_column(const struct material *m, const char *name)
{
	if (profile_has(m->profile, PART_ZONES))
		zone_events_no_column(&m->zone_rows.events, "--sort: ", name);
	else
		err(-EINVAL,
		    "--sort: no table of this report has a column '%s': those of functions are "
		    "self, "
		    "total, samples and name, those of threads time, samples, on_cpu, runnable, "
		    "blocked, waits, pid, tid and name",
		    name);
	return SORT_UNKNOWN;
}

/* Applies --sort and --top to the tables. */
static int put_in_order(const struct report *r, const struct material *m, struct doc *doc)
{
	const char *sort = r->selection.sort;
	const bool sorted = !sort || doc_sort(doc, sort);

	if (!sorted && !zone_rows_have(&m->zone_rows, sort) && strcmp(sort, "name"))
		return no_column(m, sort + (sort[0] == '-'));
	if (r->top && r->format->all_rows)
		doc_top(doc, r->top);
	return 0;
}

static int write_report(const struct report *r, struct material *m)
{
	const bool to_file = r->output && strcmp(r->output, "-") != 0;
	struct format_options options = style_options(&r->style, r->format, to_file);
	struct doc doc;
	int rc;

	options.append = r->older_text;
	options.rows = r->top ? r->top : options.rows;
	material_begin(m, &doc);
	rc = material_write(m, r->views, &doc);
	if (rc == 0)
		rc = put_in_order(r, m, &doc);
	if (options.ascii)
		doc_to_ascii(&doc);
	if (rc == 0)
		rc = r->folder ? write_folder(r, &doc, options) : write_file(r, &doc, &options);
	doc_release(&doc);
	return rc;
}

static bool has_view(const struct report *r, const char *name)
{
	const struct view *const *v = r->views;

	while (*v && strcmp((*v)->name, name))
		v++;
	return *v;
}

#define NAMED_MOST 3

/* Refuses the view of single zones if none is named, even if other views were requested too. */
static int check_zone_named(const struct report *r, const struct material *m)
{
	_free_ char *names = NULL;
	struct str s = {0};

	if (r->selection.zone || !has_view(r, "zone") || !profile_has(m->profile, PART_ZONES))
		return 0;
	for (size_t i = 0; i < m->zone_rows.rows.n && i < NAMED_MOST; i++)
		str_addf(&s, "%s%s", i ? ", " : "; the largest are ",
			 profile_text(m->profile, m->zone_rows.rows.at[i].at.name));
	names = str_steal(&s);
	return err(-EINVAL, "--view zone shows single zones: select some with --zone PATTERN%s",
		   names[0] ? names : "; this profile has none");
}

/* 0, or a negative errno with a text. */
static int write_material(struct report *r, struct material *m)
{
	if (!r->view_names)
		view_choose(r->format->medium, r->format->one_view, m->profile, r->views);
	/* The summary tells it in the report. */
	if (!has_view(r, "summary") && !has_view(r, "about")) {
		render_contradictions(m->profile, r->input);
		render_left_out(m->profile, &m->selection);
	}
	return write_report(r, m);
}

/* Leaves the events of a timeline in the file: views walk them. But a store must not stay locked
 * against others who add to it, as long as somebody reads the report. */
static int load(const struct report *r, struct profile **p)
{
	int rc = store_load_leaving(r->input, &r->selection.run, p);
	bool single = true;

	if (rc == 0 && (*p)->events_left)
		rc = store_is_single(r->input, &single);
	if (rc == 0 && !single)
		rc = events_load(*p);
	return rc;
}

/* The exit status, as of the two below. */
static int report_of(struct report *r, struct material *m)
{
	int rc = load(r, &m->profile);

	if (rc < 0)
		return render_fail();
	filter_choose_metric(m->profile, &r->selection);
	r->selection.sort_elsewhere = true;
	render_frames(&r->selection, m->profile, &m->waits);
	rc = render_settle(&r->selection, m->profile);
	if (rc == 0)
		rc = material_select(m, &r->selection, r->format->medium);
	if (rc == 0)
		rc = check_zone_named(r, m);
	if (rc < 0)
		return render_refuse(rc);
	rc = write_material(r, m);
	if (rc == SORT_UNKNOWN)
		return render_refuse(-EINVAL);
	if (rc == -EEXIST && r->append) {
		fprintf(stderr, "eprof-render: '%s' is left as it is: %s\n", r->append, err_text());
		return 0;
	}
	return rc < 0 ? render_fail() : 0;
}

/* Returns in the confined child, or fails with a text. */
static int enter(const struct report *r)
{
	struct allowed s = {0};
	int rc = r->folder ? page_folder_make(r->output) : 0;

	if (rc)
		return rc;
	allowed_add(&s, ALLOWED_READ, r->input, false);
	allowed_add(&s, ALLOWED_READ, r->append, false);
	if (r->folder)
		allowed_add(&s, ALLOWED_FILL, r->output, r->force);
	else
		allowed_add(&s, ALLOWED_MAKE, r->output, r->force);
	render_enter(&s);
	return 0;
}

static int make_report(struct report *r)
{
	struct material m = {0};
	int status, rc = r->folder ? page_folder_check(r->output, r->force, r->input)
				   : output_check(r->output, r->force, &r->input, 1);

	if (rc == 0)
		rc = enter(r);
	if (rc < 0)
		return render_refuse(rc);
	if (r->append && read_older(r) < 0) {
		input_close(&r->older);
		return render_fail();
	}
	status = report_of(r, &m);
	material_release(&m);
	if (r->append)
		input_close(&r->older);
	return status;
}

static int run_report(struct report *r)
{
	int rc = choose_page(r);

	if (rc == 0)
		rc = choose_format(r);
	if (rc == 0)
		rc = parse_views(r);
	return rc < 0 ? render_refuse(rc) : make_report(r);
}

static int version(void)
{
	_free_ char *text = sandbox_text();

	printf("eprof-render " EPROF_VERSION "\n%s\n", text);
	return 0;
}

int render_report(int argc, char **argv)
{
	static const struct render_options options = {NULL, option_rows, render_help_print,
						      version};
	struct report r = {0};
	int status = render_options(&options, argc, argv, &r);

	if (status >= 0)
		return status;
	if (optind == argc)
		return render_usage("no profile given: name one FILE");
	if (optind + 1 < argc)
		return render_usage("give one FILE only: '%s' is one too many", argv[optind + 1]);
	r.input = argv[optind];
	return run_report(&r);
}
