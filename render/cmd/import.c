/* import: what another tool wrote, as a profile. */
#include <errno.h>
#include <getopt.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "base/file_new.h"
#include "base/mem.h"
#include "cmd/command.h"
#include "cmd/output.h"
#include "import/import.h"
#include "select/meta_given.h"
#include "store/store.h"

struct arguments {
	const char *const *inputs;
	size_t n;
	const char *output, *version, *platform;
	const struct import *from;
	struct meta_given meta;
	bool force;
};

static void help(void)
{
	fputs("Examples:\n"
	      "  perf script | eprof-render import - -o perf.h5\n"
	      "  eprof-render import trace.csv -o trace.h5 --version-key 1.4.2\n"
	      "  eprof-render import program.prof -o program.h5\n"
	      "  eprof-render import a.folded b.folded -o both.h5\n"
	      "\n"
	      "Usage: eprof-render import IN… -o FILE [--from-format NAME] [--version-key V]\n"
	      "\n"
	      "Makes a profile of what other tools wrote; - is the standard input. The format of "
	      "a\n"
	      "file is told by what is in it, else by its name. Several files of one format "
	      "become\n"
	      "one profile; several runs are separate profiles.\n"
	      "\n"
	      "  -o, --output FILE      the profile\n"
	      "      --from-format NAME  the format of all files:\n",
	      stdout);
	for (const struct import *const *i = imports; *i; i++)
		fprintf(stdout, "                         %-11s %s\n", (*i)->name, (*i)->about);
	fputs("      --version-key V    file the profile under version V\n"
	      "      --platform P       and under platform P; here: this machine's. Without these "
	      "two\n"
	      "                         app.1.2.0.csv is of version 1.2.0, and linux-x86_64/ of "
	      "that\n"
	      "                         platform\n"
	      "      --meta KEY=VALUE   keep what else is known of the run; may be given 64 times\n"
	      "      --force            replace FILE if it exists\n"
	      "      --mode OCTAL       the mode of what is made (root: 600; else by the umask)\n"
	      "  -h, --help             this text\n",
	      stdout);
}

static int take_from(void *field, const char *name)
{
	const struct import **from = field;

	*from = import_find(name);
	return *from ? 0
		     : err(-EINVAL, "no format '%s': eprof-render import --help lists them", name);
}

static const struct option_row option_rows[] = {
	{"output", 'o', OPTION_TEXT, offsetof(struct arguments, output), {0}},
	{"from-format", 0, OPTION_TAKE, offsetof(struct arguments, from), {.take = take_from}},
	{"version-key", 0, OPTION_TEXT, offsetof(struct arguments, version), {0}},
	{"platform", 0, OPTION_TEXT, offsetof(struct arguments, platform), {0}},
	{"meta", 0, OPTION_TAKE, offsetof(struct arguments, meta), {meta_given_take}},
	{"force", 0, OPTION_FLAG, offsetof(struct arguments, force), {0}},
	{0},
};

/* -1: go on; else the exit status. */
static int parse(int argc, char **argv, struct arguments *a)
{
	static const struct render_options options = {"import", option_rows, help, NULL};
	int status = render_options(&options, argc, argv, a);

	if (status >= 0)
		return status;
	a->inputs = (const char *const *)argv + optind;
	a->n = (size_t)(argc - optind);
	if (!a->n)
		return render_usage("import: name a file to import");
	if (!a->output || !strcmp(a->output, "-"))
		return render_usage("import: name the profile to make: -o FILE");
	return -1;
}

/* What was made of foreign input must be within the bounds of those who read it. */
static int check_image(const struct arguments *a, const char *image, size_t n)
{
	struct profile *again = NULL;
	int rc = store_load_image(a->output, image, n, &again);

	profile_free(again);
	return rc ? err(rc, "cannot import '%s': no reader would take its profile: %s",
			a->inputs[0], err_text())
		  : 0;
}

static int save(const struct arguments *a, const struct profile *p)
{
	_free_ char *image = NULL;
	struct file_new f;
	size_t n = 0;
	int rc = file_begin(&f, a->output, a->force);

	if (rc)
		return rc;
	rc = store_image(p, &image, &n);
	if (!rc)
		rc = check_image(a, image, n);
	if (!rc)
		rc = file_write(&f, image, n);
	if (!rc)
		return file_commit(&f);
	file_drop(&f);
	return rc;
}

static void confine(const struct arguments *a)
{
	struct allowed s = {.runs_exporter = true};

	allowed_read_all(&s, a->inputs, a->n);
	allowed_add(&s, ALLOWED_MAKE, a->output, a->force);
	render_enter(&s);
}

int render_import(int argc, char **argv)
{
	struct arguments a = {0};
	struct profile *p = NULL;
	_free_ char *here = NULL;
	int status = parse(argc, argv, &a), rc;

	if (status >= 0)
		return status;
	a.platform = render_platform(a.platform, &here);
	rc = output_check(a.output, a.force, a.inputs, a.n);
	if (rc)
		return render_refuse(rc);
	confine(&a);
	if (import_files(a.inputs, a.n, a.from, &p))
		return render_fail();
	import_label(p, &(struct import_names){a.version, a.platform, a.inputs, a.n, NULL});
	meta_given_apply(&a.meta, p);
	rc = save(&a, p);
	profile_free(p);
	meta_given_release(&a.meta);
	return rc ? render_fail() : 0;
}
