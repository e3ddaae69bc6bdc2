/* import: what another tool wrote, as a profile. */
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "cmd/command.h"
#include "cmd/output.h"
#include "import/import.h"
#include "store/store.h"

struct arguments {
	const char *const *inputs;
	size_t n;
	const char *output, *version, *platform;
	const struct import *from;
	bool force;
};

enum { OPT_FORCE = 0x400, OPT_FROM, OPT_VERSION_KEY, OPT_PLATFORM };

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
	      "      --platform P       and under platform P\n"
	      "      --force            replace FILE if it exists\n"
	      "      --mode OCTAL       the mode of what is made (root: 600; else by the umask)\n"
	      "  -h, --help             this text\n",
	      stdout);
}

static int from_option(struct arguments *a, const char *name)
{
	a->from = import_find(name);
	return a->from ? -1
		       : render_usage(
				 "import: no format '%s': eprof-render import --help lists them",
				 name);
}

/* -1: go on; else the exit status. */
static int option(void *arg, int opt)
{
	struct arguments *a = arg;

	switch (opt) {
	case 'o':
		a->output = optarg;
		return -1;
	case OPT_FORCE:
		a->force = true;
		return -1;
	case OPT_FROM:
		return from_option(a, optarg);
	case OPT_VERSION_KEY:
		a->version = optarg;
		return -1;
	default:
		a->platform = optarg;
		return -1;
	}
}

static int parse(int argc, char **argv, struct arguments *a)
{
	static const struct option longopts[] = {
		{"output", 1, 0, 'o'},
		{"from-format", 1, 0, OPT_FROM},
		{"version-key", 1, 0, OPT_VERSION_KEY},
		{"platform", 1, 0, OPT_PLATFORM},
		{"force", 0, 0, OPT_FORCE},
		RENDER_MODE_OPTION,
		{"help", 0, 0, 'h'},
		{0},
	};
	static const struct render_options options = {"import", ":o:h", longopts, help, option};
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
	allowed_make(&s, a->output, a->force);
	render_enter(&s);
}

int render_import(int argc, char **argv)
{
	struct arguments a = {0};
	struct profile *p = NULL;
	int status = parse(argc, argv, &a), rc;

	if (status >= 0)
		return status;
	rc = output_check(a.output, a.force, a.inputs, a.n);
	if (rc)
		return render_refuse(rc);
	confine(&a);
	if (import_files(a.inputs, a.n, a.from, &p))
		return render_fail();
	import_label(p, a.version, a.platform);
	rc = save(&a, p);
	profile_free(p);
	return rc ? render_fail() : 0;
}
