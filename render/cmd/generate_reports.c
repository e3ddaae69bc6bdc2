#include "cmd/generate.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/file_new.h"
#include "base/str.h"
#include "compare/baseline.h"
#include "cmd/output.h"
#include "compare/sides.h"
#include "format/format.h"
#include "model/meta.h"
#include "query/filter.h"
#include "select/awaiters.h"
#include "store/catalog.h"
#include "view/comparison.h"

/* --- what changed ----------------------------------------------------------------------------- */

/* The run, with all others of its program in the store, against what comes before them. */
static int compare_run(const struct generate_reports *g, const struct profile *p,
		       struct comparison *c)
{
	static const struct compare_options all;
	const struct selection of_run = {.run.version = profile_meta(p, META_VERSION),
					 .run.platform = profile_meta(p, META_PLATFORM),
					 .run.run = profile_run(p, RUN_NAME)};
	const struct sides_wanted wanted = {.files[NEW] = &g->store,
					    .n[NEW] = 1,
					    .selection = &of_run,
					    .siblings = true,
					    .runs = BASELINE_RUNS};
	struct sides sides;
	int rc = sides_load(&wanted, &sides);

	if (!rc)
		rc = sides_compare(&sides, &all, c);
	sides_release(&sides);
	return rc;
}

static int find_changes(const struct generate_reports *g, struct generate_run *run)
{
	int rc;

	run->changes = mem_zalloc(1, sizeof(*run->changes));
	rc = compare_run(g, run->material.profile, run->changes);
	if (!rc)
		return 0;
	comparison_release(run->changes);
	free(run->changes);
	run->changes = NULL;
	run->no_changes = mem_strdup(err_text());
	return rc == -ENOENT ? 0 : rc;
}

/* The first of the runs that is of the same program: they are compared together. */
static size_t first_of(const struct generate_run *runs, size_t i)
{
	const struct catalog_run run = {
		.command = (char *)profile_run(runs[i].material.profile, RUN_COMMAND)};
	size_t k;

	for (k = 0; k < i; k++) {
		const struct catalog_run before = {
			.command = (char *)profile_run(runs[k].material.profile, RUN_COMMAND)};

		if (catalog_same_program(&before, &run))
			break;
	}
	return k;
}

static int find_all_changes(const struct generate_reports *g, struct generate_run *runs, size_t n)
{
	int rc = 0;

	for (size_t i = 0; i < n && g->store && !rc; i++) {
		const size_t first = first_of(runs, i);

		if (first == i)
			rc = find_changes(g, &runs[i]);
		runs[i].material.comparison = runs[first].changes;
	}
	return rc;
}

static void release_changes(struct generate_run *runs, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (runs[i].changes)
			comparison_release(runs[i].changes);
		free(runs[i].changes);
		free(runs[i].no_changes);
		runs[i].changes = NULL;
		runs[i].no_changes = NULL;
	}
}

static void put_changes(const struct generate_run *run, struct doc *doc)
{
	if (!run->changes && !run->no_changes)
		return;
	doc_heading(doc, "Since the version before");
	if (run->changes)
		comparison_write(run->changes, doc, ROWS_FOLDED);
	else
		doc_text(doc, "Nothing to compare with: %s", run->no_changes);
}

/* --- reports ---------------------------------------------------------------------------------- */

/* What stands once, before all runs. */
static void leave_out(const struct view **wanted, const struct view *one)
{
	size_t n = 0;

	for (size_t i = 0; wanted[i]; i++)
		if (wanted[i] != one)
			wanted[n++] = wanted[i];
	wanted[n] = NULL;
}

/* On the cover: the verdict on each program. */
static void put_verdicts(const struct generate_run *runs, size_t n, struct doc *doc)
{
	struct doc_block *facts = NULL;

	for (size_t i = 0; i < n; i++) {
		if (!runs[i].changes)
			continue;
		facts = facts ? facts : doc_facts(doc);
		if (n > 1)
			doc_fact(facts, false, "Program", "%s",
				 profile_run(runs[i].material.profile, RUN_COMMAND));
		comparison_write_verdict(runs[i].changes, facts);
	}
}

/* Takes the summary out of what is wanted, where it comes first, and writes it. */
static int put_summary(struct generate_run *run, const struct view **wanted, struct doc *doc)
{
	const struct view *const summary[] = {view_find("about"), NULL};

	if (wanted[0] != summary[0])
		return 0;
	leave_out(wanted, summary[0]);
	return material_write(&run->material, summary, doc);
}

/* One run of several is a part of the document, and says which it is. */
static int put_run(struct generate_run *run, size_t n, const struct view **wanted, struct doc *doc)
{
	struct material *m = &run->material;
	struct doc one;
	int rc = 0;

	if (n > 1) {
		material_begin(m, &one);
		doc->part = run->path;
		doc_heading(doc, "%s", one.title);
		doc_text(doc, "%s", one.subtitle);
		doc_release(&one);
		rc = put_summary(run, wanted, doc);
	}
	put_changes(run, doc);
	if (!rc)
		rc = material_write(m, wanted, doc);
	doc->part = NULL;
	return rc;
}

/* The views of a run, but for those that stand once, before all runs. */
static void views_of(const struct format *format, struct generate_run *runs, size_t i,
		     const struct view **wanted)
{
	view_choose(format->medium, false, runs[i].material.profile, wanted);
	leave_out(wanted, view_find("platform"));
	/* The report compares all runs together, not each as its capture did. */
	if (runs[first_of(runs, i)].changes)
		leave_out(wanted, view_find("regression"));
}

static int put_runs(const struct format *format, struct generate_run *runs, size_t n,
		    struct doc *doc)
{
	const struct view *const platform[] = {view_find("platform"), NULL};
	const struct view *wanted[VIEWS_MOST];
	int rc = 0;

	put_verdicts(runs, n, doc);
	views_of(format, runs, 0, wanted);
	if (n == 1)
		rc = put_summary(&runs[0], wanted, doc);
	if (!rc)
		rc = material_write(&runs[0].material, platform, doc);
	for (size_t i = 0; i < n && !rc; i++) {
		if (i)
			views_of(format, runs, i, wanted);
		rc = put_run(&runs[i], n, wanted, doc);
	}
	return rc;
}

static int write_doc(const struct generate_reports *g, const struct format *format,
		     const char *path, const struct doc *doc)
{
	const struct format_options options = style_options(g->style, format, true);
	struct output out = {0};
	int rc = output_open(&out, path, g->force);

	return rc ? rc : output_close(&out, format->write(doc, &options, out.out));
}

static int write_report(const struct generate_reports *g, const char *extension, const char *path,
			struct generate_run *runs, size_t n)
{
	const struct format *format = format_find(extension);
	const struct profile *p = runs[0].material.profile;
	_free_ char *title = mem_printf("Performance report: %s", profile_meta(p, META_VERSION));
	_free_ char *subtitle = mem_printf("%s · %zu profile%s", profile_meta(p, META_PLATFORM), n,
					   n == 1 ? "" : "s");
	struct doc doc;
	int rc;

	doc_init(&doc, p, title, subtitle);
	rc = put_runs(format, runs, n, &doc);
	if (!rc)
		rc = write_doc(g, format, path, &doc);
	doc_release(&doc);
	return rc;
}

/* Everything, in the metric that the profile opens with. */
static int select_all(struct generate_run *run, enum doc_medium medium)
{
	filter_choose_metric(run->material.profile, &run->all);
	awaiters_show(run->material.profile, false);
	return material_select(&run->material, &run->all, medium);
}

/* A version as a part of a file's name. */
static char *file_part(const char *text)
{
	char *part = mem_strdup(text);

	for (char *c = part; *c; c++)
		if (*c == '/' || (unsigned char)*c < ' ' || *c == 0x7f)
			*c = '_';
	return part;
}

/* Owned by the caller. */
static char *pdf_path(const struct generate_reports *g, const struct profile *p)
{
	_free_ char *version = file_part(profile_meta(p, META_VERSION));
	_free_ char *platform = file_part(profile_meta(p, META_PLATFORM));

	if (g->pdf_name)
		return mem_printf("%s/%s", g->folder, g->pdf_name);
	return mem_printf("%s/perf_report_%s_%s.pdf", g->folder, version, platform);
}

/* That of the page beside it; owned by the caller. */
static char *page_path(const char *pdf)
{
	size_t n = strlen(pdf);

	if (n > 4 && !strcmp(pdf + n - 4, ".pdf"))
		n -= 4;
	return mem_printf("%.*s.html", (int)n, pdf);
}

/* Whether it can be made, as the broker sees it: the folder may be closed to this process. */
static int check_new(const char *path, bool force)
{
	struct file_new f;
	int rc = file_begin(&f, path, force);

	if (!rc)
		file_drop(&f);
	return rc;
}

int generate_reports(const struct generate_reports *g, struct generate_run *runs, size_t n)
{
	_free_ char *pdf = pdf_path(g, runs[0].material.profile), *page = page_path(pdf);
	/* Several metrics and several runs cannot both be parts of one document. */
	const enum doc_medium medium = n == 1 ? DOC_PAGE : DOC_TERMINAL;
	int rc = check_new(pdf, g->force);

	if (!rc)
		rc = check_new(page, g->force);
	if (!rc)
		rc = find_all_changes(g, runs, n);
	for (size_t i = 0; i < n && !rc; i++)
		rc = select_all(&runs[i], medium);
	if (!rc)
		rc = write_report(g, "pdf", pdf, runs, n);
	if (!rc)
		rc = write_report(g, "html", page, runs, n);
	release_changes(runs, n);
	if (!rc)
		fprintf(stderr, "eprof-render: wrote '%s' and '%s'\n", pdf, page);
	return rc;
}
