/* generate: reports of all profiles in a folder, which are added to a store. */
#include "cmd/generate.h"

#include <errno.h>
#include <getopt.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/err.h"
#include "base/file_new.h"
#include "cmd/command.h"
#include "cmd/folder.h"
#include "model/meta.h"
#include "store/catalog.h"
#include "store/store.h"

#define STORE_NAME "profiles.h5"
#define MOST_RUNS  1000 /* they are in memory together */

struct arguments {
	const char *input, *output, *version, *platform, *pdf_name;
	enum backend backend;
	struct style style;
	bool no_store, force;
};

static void help(void)
{
	fputs("Examples:\n"
	      "  eprof-render generate -i captures -o reports\n"
	      "  eprof-render generate -i traces -o reports --backend tracy --version-key 1.4.2\n"
	      "\n"
	      "Usage: eprof-render generate -i DIR -o DIR [--backend NAME] [--pdf-name NAME] "
	      "[--no-h5]\n"
	      "\n"
	      "Finds the profiles in a folder and those below it, adds them to the "
	      "store " STORE_NAME "\n"
	      "in the output's folder, and writes a PDF and a page there for each version and\n"
	      "platform: perf_report_VERSION_PLATFORM.pdf and .html. What the store holds of the\n"
	      "version before is what they are compared with.\n"
	      "\n"
	      "  -i, --input DIR        where the profiles are\n"
	      "  -o, --output DIR       where the reports go; made if it is not there\n"
	      "      --backend NAME     whose files: eprof (.h5), tracy (.csv, .tracy), cprofile\n"
	      "                         (.prof), or auto: all of these\n"
	      "      --version-key V    file all profiles under version V\n"
	      "      --platform P       and under platform P; here: this machine's\n"
	      "      --pdf-name NAME    name of the PDF, and of the page beside it, where all\n"
	      "                         profiles are of one version and platform\n"
	      "      --no-h5            add nothing to a store, and compare with none\n"
	      "      --force            replace reports that exist\n"
	      "      --mode OCTAL       the mode of what is made (root: 600; else by the umask)\n",
	      stdout);
	fputs(style_paper_help, stdout);
	fputs("  -h, --help             this text\n", stdout);
}

static int take_backend(void *field, const char *name)
{
	enum backend *backend = field;

	*backend = backend_find(name);
	return *backend < BACKENDS ? 0
				   : err(-EINVAL,
					 "no backend '%s': there are auto, eprof, tracy and "
					 "cprofile",
					 name);
}

static int take_name(void *field, const char *name)
{
	*(const char **)field = name;
	return strchr(name, '/')
		       ? err(-EINVAL, "--pdf-name is a file's name, in the folder of -o: not '%s'",
			     name)
		       : 0;
}

static const struct option_row option_rows[] = {
	{"input", 'i', OPTION_TEXT, offsetof(struct arguments, input), {0}},
	{"output", 'o', OPTION_TEXT, offsetof(struct arguments, output), {0}},
	{"backend", 0, OPTION_TAKE, offsetof(struct arguments, backend), {.take = take_backend}},
	{"pdf-name", 0, OPTION_TAKE, offsetof(struct arguments, pdf_name), {.take = take_name}},
	{"no-h5", 0, OPTION_FLAG, offsetof(struct arguments, no_store), {0}},
	{"h5", 0, OPTION_CLEAR, offsetof(struct arguments, no_store), {0}},
	{"version-key", 0, OPTION_TEXT, offsetof(struct arguments, version), {0}},
	{"platform", 0, OPTION_TEXT, offsetof(struct arguments, platform), {0}},
	{"force", 0, OPTION_FLAG, offsetof(struct arguments, force), {0}},
	{NULL, 0, OPTION_TABLE, offsetof(struct arguments, style), {.rows = style_paper_rows}},
	{0},
};

/* -1: go on; else the exit status. */
static int parse(int argc, char **argv, struct arguments *a)
{
	static const struct render_options options = {"generate", option_rows, help, NULL};
	int status = render_options(&options, argc, argv, a);

	if (status >= 0)
		return status;
	if (optind < argc)
		return render_usage("generate: '%s' is one too many: name folders with -i and -o",
				    argv[optind]);
	if (!a->input || !a->output)
		return render_usage(
			"generate: name the folder of the profiles, -i DIR, and that of "
			"the reports, -o DIR");
	return -1;
}

/* What was found, and where it goes. */
struct generation {
	const struct arguments *a;
	char *store; /* owned; NULL: none */
	VEC(struct generate_run) runs;
};

/* Takes the profile over. */
static int take(struct generation *g, const char *path, struct profile *p)
{
	struct generate_run run = {.path = mem_strdup(path), .material = {.profile = p}};

	import_label(p,
		     &(struct import_names){g->a->version, g->a->platform, &path, 1, g->a->input});
	vec_push(&g->runs, run);
	if (g->runs.n > MOST_RUNS)
		return err(-EFBIG, "more than %d runs: name a smaller folder", MOST_RUNS);
	return g->store ? store_add(g->store, p, NULL) : 0;
}

/* All runs of a file of eprof. */
static int take_store(struct generation *g, const char *path)
{
	struct catalog c;
	int rc = catalog_load(path, &c);

	for (size_t i = 0; i < c.runs.n && !rc; i++) {
		const struct catalog_run *r = &c.runs.at[i];
		struct profile *p = NULL;

		rc = store_load(path, &(struct store_key){r->version, r->platform, r->name}, &p);
		if (!rc)
			rc = take(g, path, p);
	}
	catalog_release(&c);
	return rc;
}

static int take_file(struct generation *g, const struct folder_file *f)
{
	const char *const path = f->path;
	struct profile *p = NULL;
	int rc;

	if (!f->kind)
		return take_store(g, f->path);
	rc = import_files(&path, 1, import_find(f->kind), &p);
	return rc ? rc : take(g, f->path, p);
}

/* The others are read where one cannot be. Returns the exit status. */
static int take_files(struct generation *g, const struct folder *files)
{
	int status = 0;

	for (size_t i = 0; i < files->files.n; i++) {
		int rc = take_file(g, &files->files.at[i]);

		if (rc == -EFBIG || rc == -ENOSPC)
			return render_fail();
		status = rc ? render_fail() : status;
	}
	return status;
}

static int by_key(const void *left, const void *right)
{
	const struct generate_run *a = left, *b = right;
	const struct profile *p = a->material.profile, *q = b->material.profile;
	int rc = strcmp(profile_meta(p, META_VERSION), profile_meta(q, META_VERSION));

	if (!rc)
		rc = strcmp(profile_meta(p, META_PLATFORM), profile_meta(q, META_PLATFORM));
	if (!rc)
		rc = strcmp(a->path, b->path);
	return rc ? rc
		  : (p->started_unix_ns > q->started_unix_ns) -
			       (p->started_unix_ns < q->started_unix_ns);
}

static bool is_of_one(const struct generate_run *a, const struct generate_run *b)
{
	const struct profile *p = a->material.profile, *q = b->material.profile;

	return !strcmp(profile_meta(p, META_VERSION), profile_meta(q, META_VERSION)) &&
	       !strcmp(profile_meta(p, META_PLATFORM), profile_meta(q, META_PLATFORM));
}

/* How many runs from @first on are of one version and platform. */
static size_t group_of(const struct generation *g, size_t first)
{
	size_t n = 1;

	while (first + n < g->runs.n && is_of_one(&g->runs.at[first], &g->runs.at[first + n]))
		n++;
	return n;
}

static int write_all(struct generation *g)
{
	const struct generate_reports to = {.store = g->store,
					    .folder = g->a->output,
					    .pdf_name = g->a->pdf_name,
					    .style = &g->a->style,
					    .force = g->a->force};
	int rc = 0;

	vec_sort(&g->runs, by_key);
	if (to.pdf_name && group_of(g, 0) < g->runs.n)
		return err(-EINVAL, "--pdf-name is for one report, and there are profiles of "
				    "several versions or platforms: leave it out, or give all one "
				    "--version-key and --platform");
	for (size_t i = 0, n; i < g->runs.n && !rc; i += n) {
		n = group_of(g, i);
		rc = generate_reports(&to, &g->runs.at[i], n);
	}
	return rc;
}

static int make_folder(const char *path)
{
	const int rc = file_make_folder(path);
	struct stat st;

	if (!rc)
		return 0;
	if (rc != -EEXIST || stat(path, &st))
		return err(rc, "cannot make the folder '%s': %s", path, strerror(-rc));
	return S_ISDIR(st.st_mode) ? 0 : err(-ENOTDIR, "'%s' is no folder", path);
}

/* The exit status. */
static int generate(struct generation *g, const struct folder *files)
{
	int status = take_files(g, files), rc;

	if (!g->runs.n)
		return status;
	rc = write_all(g);
	return rc ? render_refuse(rc) : status;
}

static void confine(const struct generation *g, const struct folder *files)
{
	struct allowed s = {.runs_exporter = true};

	for (size_t i = 0; i < files->files.n; i++)
		allowed_add(&s, ALLOWED_READ, files->files.at[i].path, false);
	allowed_add(&s, ALLOWED_CHANGE, g->store, false);
	allowed_add(&s, ALLOWED_FILL, g->a->output, g->a->force);
	render_enter(&s);
}

int render_generate(int argc, char **argv)
{
	struct arguments a = {0};
	struct generation g = {.a = &a};
	struct folder files = {0};
	_free_ char *here = NULL;
	int status = parse(argc, argv, &a), rc;

	if (status >= 0)
		return status;
	a.platform = render_platform(a.platform, &here);
	g.store = mem_printf("%s/" STORE_NAME, a.output);
	rc = folder_find(a.input, a.backend, g.store, &files);
	if (!rc && !files.files.n)
		rc = err(-ENOENT, "'%s' holds no profile%s: they end in .h5, .csv, .tracy or .prof",
			 a.input, a.backend ? " of that backend" : "");
	if (!rc)
		rc = make_folder(a.output);
	if (a.no_store) {
		free(g.store);
		g.store = NULL;
	}
	if (!rc)
		confine(&g, &files);
	status = rc ? render_refuse(rc) : generate(&g, &files);
	for (size_t i = 0; i < g.runs.n; i++) {
		material_release(&g.runs.at[i].material);
		free(g.runs.at[i].path);
	}
	vec_release(&g.runs);
	folder_release(&files);
	free(g.store);
	return status;
}
