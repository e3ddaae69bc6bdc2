#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/options.h"
#include "base/str.h"
#include "base/units.h"
#include "cmd/cmd.h"
#include "cmd/zones_listing.h"
#include "crew/crew_server.h"
#include "load/features.h"
#include "process/opener.h"
#include "process/closure.h"
#include "process/procs.h"
#include "function/zonelist_read.h"

#define PID_MAX	  4194304 /* PID_MAX_LIMIT of 64-bit kernels */
#define ZONES_MAX 100000000

static const char help[] =
	"Examples:\n"
	"  eprof zones /usr/bin/python3                all functions whose names are known\n"
	"  eprof zones /lib/x86_64-linux-gnu/libc.so.6 'mem*' '!memfrob'\n"
	"  sudo eprof zones -p 4711 'std::vector<*>::*'  in all modules of a process\n"
	"  sudo eprof zones -p 4711 libfoo:@parse.c    functions of a source file\n"
	"\n"
	"Usage: eprof zones [OPTION]… BINARY|-p PID [PATTERN]…\n"
	"\n"
	"Lists the functions that --zone could count and time: what instruction the entry probe\n"
	"would be placed on (an emulated one is cheap, a stepped one is not), how the end of a\n"
	"call would be seen, what that costs per call, and why some functions cannot be zones.\n"
	"\n"
	"  PATTERN           [MODULE:]NAME with globs, [MODULE:]/REGEX/, [MODULE:]@FILE[:LINE];\n"
	"                    !PATTERN excludes; NAME@plt: calls of other modules\n"
	"  -p PID            all modules of that process, instead of one BINARY\n"
	"  --zone-file FILE  read more patterns from FILE, one a line\n"
	"  --zones-max N     list up to N functions (10000)\n"
	"  --args N          for probes that read the first N arguments (1 to 6): the sites, and\n"
	"                    what they cost, where none of these is overwritten yet\n"
	"  --switch-fn NAME  a function that switches stacks, besides those known\n"
	"  --sort COLUMN     " ZONES_SORT_NAMES ";\n"
	"                    -COLUMN reverses it (default: by module, then address)\n"
	"  --measure         first time what a call costs on this machine (half a second, root)\n"
	"  --json            print JSON, for programs\n"
	"  -h, --help        this text\n";

struct options {
	int64_t pid; /* 0: none */
	int64_t max;
	const char *binary, *sort; /* sort NULL: the default */
	struct zonepatterns *patterns;
	VEC(const char *) switches;
	bool measure, json, help;
};

/* --- files ---------------------------------------------------------------------------------- */

struct files {
	struct zones_found found;
	struct opener *opener;
	struct images *images;
	struct procs *procs;
};

static void take_image(void *context, uint32_t number)
{
	struct files *f = context;
	const struct image *image = images_at(f->images, number);

	/* The kernel's own, as [vsyscall], is no file. */
	if (image->kind == IMAGE_KIND_FILE && image->path[0] == '[')
		return;
	for (size_t i = 0; i < f->found.images.n; i++)
		if (f->found.images.at[i] == image)
			return;
	vec_push(&f->found.images, image);
}

/* @name: a path, or that of a program in PATH. */
static int open_binary(struct files *f, const char *name)
{
	_free_ char *here = closure_path(f->opener, name, NULL);
	_free_ char *program = here ? NULL : closure_program(f->opener, name);
	const char *path = program ? program : name;
	_free_ char *whole = closure_absolute(path);
	const struct opener_request r = {
		.what = OPENER_PATH, .path = whole, .root_fd = OPENER_OWN_ROOT};
	struct image_id id = {.path = whole};
	struct opener_answer a;
	const int rc = opener_ask(f->opener, &r, &a);

	if (opener_is_silent(rc))
		return err(rc, "'%s' is %s", path, OPENER_SILENT);
	if (rc == -EINVAL)
		return err(rc, "'%s' is not a regular file", path);
	if (rc < 0)
		return err(rc, "cannot open '%s': %s", path, strerror(-rc));
	id.dev_major = a.device_major;
	id.dev_minor = a.device_minor;
	id.inode = a.inode;
	opener_answer_release(f->opener, &a);
	take_image(f, images_file(f->images, (uint32_t)getpid(), 0, 0, &id));
	return 0;
}

static int open_process(struct files *f, uint32_t pid)
{
	int rc;

	f->procs = procs_new(f->images);
	rc = procs_snapshot(f->procs, pid);
	if (rc && kill((pid_t)pid, 0) && errno == ESRCH)
		return rc;
	if (!rc)
		procs_each_image(f->procs, pid, take_image, f);
	if (!f->found.images.n)
		return err(-EACCES,
			   geteuid()
				   ? "cannot read the mappings of process %u: run it with sudo"
				   : "process %u maps no readable file: it is a kernel thread, or "
				     "closed even to root",
			   pid);
	take_image(f, IMAGE_VDSO);
	return 0;
}

/* --- exits ---------------------------------------------------------------------------------- */

/* Only if it is known that the kernel has none. */
static bool lacks_sessions(void)
{
	struct feature features[FEATURES_MAX];
	const size_t n = features_probe(features);
	bool lacks = false;

	for (size_t i = 0; i < n; i++)
		lacks |= !strcmp(features[i].key, "uprobe_session") &&
			 features[i].state == FEATURE_MISSING;
	return lacks;
}

/* Why a capture would not replace return addresses in a process that maps the file; NULL: it would.
 * Owned by the caller. */
static char *why_no_session(const struct image *image, const struct zonelist *list)
{
	const char *base = str_base(image->path);

	if (image->kind == IMAGE_KIND_FILE && !zonelist_is_harmless(list))
		return list->hijack_unsafe
			       ? mem_strdup(list->hijack_unsafe)
			       : mem_printf("%s cannot be read: %s", base, list->problem);
	if (zonelist_runs_coroutines(list))
		return mem_printf("%s calls functions that switch stacks", base);
	return NULL;
}

/* --- all ------------------------------------------------------------------------------------ */

static int list(const struct options *o, struct zones_found *f)
{
	const struct zonelist_request request = {.patterns = o->patterns,
						 .kernel = site_kernel_running(),
						 .max = (uint64_t)o->max,
						 .lines = true,
						 .switches = o->switches.at,
						 .n_switches = o->switches.n};
	const size_t n = f->images.n;
	int rc;

	f->lists = mem_zalloc(n, sizeof(*f->lists));
	zonelist_read(f->images.at, n, &request, f->lists);
	rc = zonelist_check(f->images.at, f->lists, n, &request);
	if (rc)
		return rc;
	for (size_t i = 0; i < n && !f->no_session; i++)
		f->no_session = why_no_session(f->images.at[i], &f->lists[i]);
	if (!f->no_session && lacks_sessions())
		f->no_session = mem_strdup("this kernel has no uprobe sessions (Linux 6.13)");
	return zones_listing_print(f, o->sort, o->json, o->measure);
}

static void release_files(struct files *f)
{
	for (size_t i = 0; f->found.lists && i < f->found.images.n; i++)
		zonelist_release(&f->found.lists[i]);
	free(f->found.lists);
	free(f->found.no_session);
	vec_release(&f->found.images);
	procs_free(f->procs);
	images_free(f->images);
	opener_free(f->opener);
}

static int run(const struct options *o)
{
	struct files f = {.opener = opener_new(), .images = images_new()};
	int rc = zonepatterns_find_files(o->patterns, f.opener);

	f.images->opener = f.opener;
	if (!rc)
		rc = o->pid ? open_process(&f, (uint32_t)o->pid) : open_binary(&f, o->binary);
	if (!rc)
		rc = list(o, &f.found);
	release_files(&f);
	return rc ? cmd_failed() : EXIT_OK;
}

static int take_pid(void *pid, const char *arg)
{
	return units_parse_int(arg, "process number", 1, PID_MAX, pid);
}

static int take_max(void *max, const char *arg)
{
	return units_parse_int(arg, "--zones-max", 1, ZONES_MAX, max);
}

static int take_arguments(void *patterns, const char *arg)
{
	int64_t n = 0;
	const int rc = units_parse_int(arg, "--args", 1, 6, &n);

	zonepatterns_set_actions(*(struct zonepatterns **)patterns, 1, (1u << n) - 1, false);
	return rc;
}

static int take_file(void *patterns, const char *arg)
{
	return zonepatterns_add_file(*(struct zonepatterns **)patterns, arg);
}

static int take_switch(void *options, const char *arg)
{
	vec_push(&((struct options *)options)->switches, arg);
	return 0;
}

static int take_sort(void *sort, const char *arg)
{
	*(const char **)sort = arg;
	return zones_sort_check(arg);
}

#define AT(field) offsetof(struct options, field)

static int parse(struct options *o, int argc, char **argv)
{
	static const struct option_row rows[] = {
		{NULL, 'p', OPTION_TAKE, AT(pid), {take_pid}},
		{"zone-file", 0, OPTION_TAKE, AT(patterns), {take_file}},
		{"zones-max", 0, OPTION_TAKE, AT(max), {take_max}},
		{"args", 0, OPTION_TAKE, AT(patterns), {take_arguments}},
		{"switch-fn", 0, OPTION_TAKE, 0, {take_switch}},
		{"sort", 0, OPTION_TAKE, AT(sort), {take_sort}},
		{"measure", 0, OPTION_FLAG, AT(measure), {0}},
		{"json", 0, OPTION_FLAG, AT(json), {0}},
		{"help", 'h', OPTION_FLAG, AT(help), {0}},
		{0}};
	int rc = cmd_options(rows, argc, argv, o);

	if (rc || o->help)
		return rc;
	if (!o->pid && optind == argc)
		return cmd_usage("zones needs a BINARY or -p PID");
	if (!o->pid)
		o->binary = argv[optind++];
	while (!rc && optind < argc)
		rc = zonepatterns_add(o->patterns, argv[optind++]);
	return rc ? cmd_refused(rc) : EXIT_OK;
}

int cmd_zones(int argc, char **argv)
{
	struct options o = {.patterns = zonepatterns_new()};
	int status = parse(&o, argc, argv);

	if (status == EXIT_OK && o.help)
		fputs(help, stdout);
	else if (status == EXIT_OK)
		status = crew_server_start() ? cmd_failed() : run(&o);
	zonepatterns_free(o.patterns);
	vec_release(&o.switches);
	return status;
}
