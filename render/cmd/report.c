/* report: one profile through views to a document, and that to a format. */
#include "cmd/command.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/ascii.h"
#include "base/err.h"
#include "base/str.h"
#include "base/units.h"
#include "base/usage.h"
#include "cmd/metrics.h"
#include "cmd/output.h"
#include "format/format.h"
#include "model/filter.h"
#include "model/meta.h"
#include "model/selection.h"
#include "store/store.h"
#include "view/view.h"

#define MAX_WIDTH   32767
#define LEAST_WIDTH 40 /* columns; a narrower terminal wraps by itself */

enum colour { COLOUR_AUTO, COLOUR_ALWAYS, COLOUR_NEVER };

struct report {
	const char *input, *output; /* output NULL: stdout */
	const char *format_name, *view_names;
	const struct format *format;
	const struct view *views[VIEWS_MOST];
	struct selection selection;
	unsigned width;
	enum colour colour;
	bool force;
};

enum { OPT_FORMAT = 256, OPT_VIEW, OPT_FORCE, OPT_WIDTH, OPT_COLOUR, OPT_VERSION };

static const struct option long_options[] = {
	{"output", required_argument, NULL, 'o'},
	{"format", required_argument, NULL, OPT_FORMAT},
	{"view", required_argument, NULL, OPT_VIEW},
	{"force", no_argument, NULL, OPT_FORCE},
	{"width", required_argument, NULL, OPT_WIDTH},
	{"colour", required_argument, NULL, OPT_COLOUR},
	{"color", required_argument, NULL, OPT_COLOUR},
	{"help", no_argument, NULL, 'h'},
	{"version", no_argument, NULL, OPT_VERSION},
	SELECTION_LONGOPTS,
	{NULL, 0, NULL, 0},
};

static int parse_colour(struct report *r, const char *text)
{
	static const char *const names[] = {"auto", "always", "never"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (!strcmp(text, names[i])) {
			r->colour = (enum colour)i;
			return 0;
		}
	}
	return err(-EINVAL, "--colour is auto, always or never, not '%s'", text);
}

static int parse_width(struct report *r, const char *text)
{
	int64_t width;
	int rc = units_parse_int(text, "--width", LEAST_WIDTH, MAX_WIDTH, &width);

	if (rc == 0)
		r->width = (unsigned)width;
	return rc;
}

/* 0 or a negative errno with a text. */
static int parse_option(struct report *r, int opt, const char *arg)
{
	int rc;

	switch (opt) {
	case 'o':
		r->output = arg;
		return 0;
	case OPT_FORMAT:
		r->format_name = arg;
		return 0;
	case OPT_VIEW:
		r->view_names = arg;
		return 0;
	case OPT_FORCE:
		r->force = true;
		return 0;
	case OPT_WIDTH:
		return parse_width(r, arg);
	case OPT_COLOUR:
		return parse_colour(r, arg);
	default:
		rc = selection_option(&r->selection, opt, arg);
		return rc == 0 ? err(-EINVAL, "unknown option") : rc < 0 ? rc : 0;
	}
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
				   ".svg, .png, .csv or .txt, or --format",
				   r->output);
		name = dot + 1;
	}
	r->format = format_find(name);
	if (!r->format)
		return err(-EINVAL,
			   "no format '%s': the formats are html, pdf, svg, png, csv and txt",
			   name);
	return 0;
}

static int add_view(struct report *r, size_t *n, const char *name)
{
	const struct view *v = view_find(name);

	if (!v)
		return err(-EINVAL, "no view '%s': see eprof-render --help", name);
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

/* Columns of the terminal; 0: no limit. COLUMNS has the last word. */
static unsigned terminal_width(bool terminal)
{
	const char *columns = getenv("COLUMNS");
	struct winsize size;
	int64_t width;

	if (columns && units_parse_int(columns, "COLUMNS", 1, MAX_WIDTH, &width) == 0)
		return width < LEAST_WIDTH ? LEAST_WIDTH : (unsigned)width;
	if (!terminal || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) || !size.ws_col)
		return 0;
	return size.ws_col < LEAST_WIDTH ? LEAST_WIDTH : size.ws_col;
}

static struct format_options format_options(const struct report *r)
{
	const char *no_colour = getenv("NO_COLOR"), *term = getenv("TERM");
	bool text = !strcmp(r->format->extension, "txt");
	bool to_stdout = !r->output || !strcmp(r->output, "-");
	bool terminal = to_stdout && isatty(STDOUT_FILENO);
	/* A file is read elsewhere: it is in UTF-8 always. */
	struct format_options o = {.width = r->width, .ascii = text && to_stdout && ascii_wanted()};

	if (r->colour == COLOUR_AUTO)
		o.colour = terminal && !(no_colour && no_colour[0]) &&
			   !(term && !strcmp(term, "dumb"));
	else
		o.colour = r->colour == COLOUR_ALWAYS;
	if (text && to_stdout && !o.width)
		o.width = terminal_width(terminal);
	return o;
}

static void init_doc(struct doc *doc, const struct view_input *in)
{
	const char *command = profile_run(in->profile, RUN_COMMAND);
	const char *events = profile_run(in->profile, RUN_EVENTS);
	const char *node = profile_meta(in->profile, META_NODE);
	char length[UNITS_BUF], count[UNITS_BUF];
	struct str subtitle = {0};

	units_ns(length, sizeof(length), (double)in->profile->duration_ns);
	if (events || !profile_has(in->profile, PART_ZONES))
		str_addf(&subtitle, "%s · ", events ? events : "unknown event");
	str_add(&subtitle, length);
	if (profile_has(in->profile, PART_SAMPLES) || !profile_has(in->profile, PART_ZONES))
		str_addf(&subtitle, " · %s sample%s",
			 units_count(count, sizeof(count), in->tree->samples),
			 in->tree->samples == 1 ? "" : "s");
	if (profile_has(in->profile, PART_ZONES))
		str_addf(&subtitle, " · %s zone%s",
			 units_count(count, sizeof(count), (int64_t)in->zone_rows->rows.n),
			 in->zone_rows->rows.n == 1 ? "" : "s");
	if (node)
		str_addf(&subtitle, " · %s", node);
	doc_init(doc, in->profile, command && command[0] ? command : "profile", subtitle.s);
	str_release(&subtitle);
}

/* Writes the views from @first on that are of one metric, for each of @metrics. Returns the number
 * of these views, or a negative errno with a text. */
static int write_metrics(const struct view *const *first, const struct view_input *in,
			 const struct metric_trees *metrics, struct doc *doc)
{
	struct selection selection = *in->selection;
	struct view_input of_it = *in;
	int n = 0, rc = 0;

	of_it.selection = &selection;

	while (first[n] && first[n]->by_metric)
		n++;
	for (size_t i = 0; i < metrics->all.n; i++) {
		const struct metric_tree *m = &metrics->all.at[i];

		doc->part = selection.metric = m->name;
		of_it.tree = m->tree;
		of_it.top = &m->top;
		for (int k = 0; k < n && !rc; k++)
			rc = first[k]->write(&of_it, doc);
	}
	doc->part = NULL;
	return rc ? rc : n;
}

static int write_views(const struct report *r, const struct view_input *in,
		       const struct metric_trees *metrics, struct doc *doc)
{
	const struct view *const *v = r->views;
	int rc = 0;

	while (*v && rc >= 0) {
		if ((*v)->by_metric && metrics->all.n) {
			rc = write_metrics(v, in, metrics, doc);
			v += rc > 0 ? rc : 0;
		} else {
			rc = (*v++)->write(in, doc);
		}
	}
	return rc < 0 ? rc : 0;
}

static int write_report(const struct report *r, const struct view_input *in,
			const struct metric_trees *metrics)
{
	const struct format_options options = format_options(r);
	struct output out = {0};
	struct doc doc;
	int rc;

	init_doc(&doc, in);
	rc = write_views(r, in, metrics, &doc);
	if (options.ascii)
		doc_to_ascii(&doc);
	if (rc == 0)
		rc = output_open(&out, r->output, r->force);
	if (rc == 0)
		rc = output_close(&out, r->format->write(&doc, &options, out.out));
	doc_release(&doc);
	return rc;
}

/* All that views look at, built from one profile. */
struct material {
	struct profile *profile;
	struct tree *tree, *zone_tree;
	struct top top;
	struct zone_rows zone_rows;
	struct metric_trees metrics; /* in a report that has room for several */
};

/* What the selection takes of the profile. Errors are the selection's: the profile was checked when
 * it was read. */
static int material_select(struct material *m, const struct report *r)
{
	int rc = tree_build(m->profile, &r->selection, &m->tree);

	if (rc == 0)
		rc = zone_tree_build(m->profile, &r->selection, &m->zone_tree);
	if (rc == 0)
		rc = zone_rows_build(m->profile, &r->selection, &m->zone_rows);
	if (rc == 0)
		top_build(m->tree, &m->top);
	if (rc == 0 && (r->format->place == DOC_PAGE || r->format->place == DOC_PAPER))
		rc = metric_trees_build(m->profile, &r->selection, &m->metrics);
	return rc;
}

static void material_release(struct material *m)
{
	metric_trees_release(&m->metrics);
	top_release(&m->top);
	zone_rows_release(&m->zone_rows);
	tree_free(m->zone_tree);
	tree_free(m->tree);
	profile_free(m->profile);
}

static bool has_view(const struct report *r, const char *name)
{
	const struct view *const *v = r->views;

	while (*v && strcmp((*v)->name, name))
		v++;
	return *v;
}

#define NAMED_MOST 3

/* The view of single zones has nothing to say where none is named: that is told by name, which the
 * other views asked for must not hide. */
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
static int write_material(struct report *r, const struct material *m)
{
	if (!r->view_names)
		view_choose(r->format->place, r->format->one_view, m->profile, r->views);
	/* The summary tells it in the report. */
	if (!has_view(r, "summary"))
		render_doubt(m->profile, r->input);
	return write_report(r,
			    &(struct view_input){.profile = m->profile,
						 .selection = &r->selection,
						 .tree = m->tree,
						 .top = &m->top,
						 .zone_tree = m->zone_tree,
						 .zone_rows = &m->zone_rows},
			    &m->metrics);
}

/* The exit status, as of the two below. */
static int report_of(struct report *r, struct material *m)
{
	int rc = store_load(r->input, &(struct store_key){0}, &m->profile);

	if (rc < 0)
		return render_fail();
	filter_choose_metric(m->profile, &r->selection);
	rc = material_select(m, r);
	if (rc == 0)
		rc = check_zone_named(r, m);
	if (rc < 0)
		return render_refuse(rc);
	return write_material(r, m) < 0 ? render_fail() : 0;
}

static int make_report(struct report *r)
{
	struct material m = {0};
	int status, rc = output_check(r->output, r->force, &r->input, 1);

	if (rc < 0)
		return render_refuse(rc);
	status = report_of(r, &m);
	material_release(&m);
	return status;
}

static int run_report(struct report *r)
{
	int rc = choose_format(r);

	if (rc == 0)
		rc = parse_views(r);
	return rc < 0 ? render_refuse(rc) : make_report(r);
}

int render_report(int argc, char **argv)
{
	struct report r = {0};
	int opt;

	opterr = 0;
	while ((opt = getopt_long(argc, argv, ":o:h", long_options, NULL)) != -1) {
		if (opt == '?' || opt == ':') {
			usage_option(opt, argv, long_options);
			return render_usage("%s", err_text());
		}
		if (opt == 'h')
			return render_help(argc, argv);
		if (opt == OPT_VERSION) {
			puts("eprof-render " EPROF_VERSION);
			return 0;
		}
		if (parse_option(&r, opt, optarg) < 0)
			return render_usage("%s", err_text());
	}
	if (optind == argc)
		return render_usage("no profile given: name one FILE");
	if (optind + 1 < argc)
		return render_usage("give one FILE only: '%s' is one too many", argv[optind + 1]);
	r.input = argv[optind];
	return run_report(&r);
}
