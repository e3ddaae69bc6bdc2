#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/units.h"
#include "cmd/cmd.h"
#include "cmd/zone_file.h"
#include "cmd/zones_listing.h"
#include "crew/crew_server.h"
#include "elf/buildid.h"
#include "elf/elffile.h"
#include "load/features.h"
#include "process/opener.h"
#include "process/closure.h"
#include "process/procs.h"
#include "function/zonelist_check.h"
#include "function/zonelist_read.h"

#define PID_MAX	  4194304 /* PID_MAX_LIMIT of 64-bit kernels */
#define ZONES_MAX 100000000

static const char help[] =
	"Examples:\n"
	"  eprof zones /usr/bin/sqlite3                all functions whose names are known\n"
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
	"  --switch-fn NAME  a function that switches stacks, besides those known\n"
	"  --sort COLUMN     " ZONES_ORDER_NAMES ";\n"
	"                    -COLUMN reverses it (default: by module, then address)\n"
	"  --measure         first time what a call costs on this machine (half a second, root)\n"
	"  --json            print JSON, for programs\n"
	"  -h, --help        this text\n";

struct options {
	int64_t pid; /* 0: none */
	int64_t max;
	const char *binary, *order; /* order NULL: the default */
	struct zonepatterns *patterns;
	VEC(const char *) switches;
	bool measure, json, help;
};

/* --- files ---------------------------------------------------------------------------------- */

/* What is read; the images of a process belong to @all. */
struct files {
	VEC(const struct image *) at;
	struct opener *opener;
	struct images *all;
	struct procs *procs;
	struct image binary;
};

/* @name: a path, or what PATH finds where there is no such file here. */
static int open_binary(struct files *f, const char *name)
{
	_free_ char *here = closure_path(f->opener, name, NULL);
	_free_ char *program = here ? NULL : closure_program(f->opener, name);
	_free_ char *whole = closure_absolute(program ? program : name);
	const char *path = program ? program : name;
	const struct opener_request r = {
		.what = OPENER_PATH, .path = whole, .root_fd = OPENER_OWN_ROOT};
	struct opener_answer a;
	struct elffile elf;
	int fd = opener_ask(f->opener, &r, &a);

	if (opener_is_silent(fd))
		return err(fd, "'%s' is %s", path, OPENER_SILENT);
	if (fd == -EINVAL)
		return err(fd, "'%s' is not a regular file", path);
	if (fd < 0)
		return err(fd, "cannot open '%s': %s", path, strerror(-fd));
	fd = a.fd;
	f->binary = (struct image){.kind = IMAGE_KIND_FILE,
				   .path = str_clean(path, strlen(path)),
				   .fd = fd,
				   .root_fd = -1};
	if (!elffile_open(fd, &elf)) {
		f->binary.build_id_bytes = buildid_read(&elf, f->binary.build_id);
		elffile_release(&elf);
	}
	vec_push(&f->at, &f->binary);
	return 0;
}

static void take_image(void *context, uint32_t number)
{
	struct files *f = context;
	const struct image *image = images_at(f->all, number);

	/* Not the kernel's own, as [vsyscall]. */
	if (image->kind == IMAGE_KIND_FILE && image->path[0] == '[')
		return;
	for (size_t i = 0; i < f->at.n; i++) {
		if (f->at.at[i] == image)
			return;
	}
	vec_push(&f->at, image);
}

static int open_process(struct files *f, uint32_t pid)
{
	int rc;

	f->all = images_new();
	images_set_opener(f->all, f->opener);
	f->procs = procs_new(f->all);
	rc = procs_snapshot(f->procs, pid);
	if (rc && kill((pid_t)pid, 0) && errno == ESRCH)
		return rc;
	if (!rc)
		procs_each_image(f->procs, pid, take_image, f);
	if (!f->at.n && geteuid())
		return err(-EACCES, "cannot read the mappings of process %u: run it with sudo",
			   pid);
	if (!f->at.n)
		return err(-EACCES,
			   "process %u maps no readable file: it is a kernel thread, or "
			   "closed even to root",
			   pid);
	take_image(f, IMAGE_VDSO);
	return 0;
}

static void release_files(struct files *f)
{
	if (f->binary.path)
		mem_cleanup_close(&f->binary.fd);
	free(f->binary.path);
	vec_release(&f->at);
	procs_free(f->procs);
	images_free(f->all);
	opener_free(f->opener);
}

/* --- exits ---------------------------------------------------------------------------------- */

/* Only where it is known that the kernel has none. */
static bool lacks_sessions(void)
{
	struct feature features[FEATURES_MAX];
	const size_t n = features_probe(features);

	for (size_t i = 0; i < n; i++) {
		if (!strcmp(features[i].key, "uprobe_session"))
			return features[i].state == FEATURE_MISSING;
	}
	return false;
}

/* Why a capture would let return addresses alone in a process that maps file @i. Owned by the
 * caller; NULL: it would not. */
static char *why_let_alone(const struct zones_found *l, size_t i)
{
	const struct zonelist *list = &l->lists[i];
	const char *base = str_base(l->images[i]->path);

	if (l->images[i]->kind == IMAGE_KIND_FILE && !zonelist_is_harmless(list))
		return list->hijack_unsafe
			       ? mem_strdup(list->hijack_unsafe)
			       : mem_printf("%s cannot be read: %s", base, list->problem);
	if (zonelist_runs_coroutines(list))
		return mem_printf("%s calls functions that switch stacks", base);
	return NULL;
}

static void judge_exits(struct zones_found *l)
{
	for (size_t i = 0; i < l->n && !l->why_not; i++)
		l->why_not = why_let_alone(l, i);
	if (!l->why_not && lacks_sessions())
		l->why_not = mem_strdup("this kernel has no uprobe sessions (Linux 6.13)");
	l->hijack = !l->why_not;
}

/* --- all ------------------------------------------------------------------------------------ */

static void show(const struct options *o, const struct zones_found *listing)
{
	struct zones_rows rows;

	zones_rows_build(listing, o->order, &rows);
	(o->json ? zones_listing_json : zones_listing_table)(listing, &rows);
	zones_rows_release(&rows);
}

static int list(const struct options *o, const struct files *f)
{
	const struct zonelist_request request = {.patterns = o->patterns,
						 .kernel = site_kernel_running(),
						 .max = (uint64_t)o->max,
						 .lines = true,
						 .switches = o->switches.at,
						 .n_switches = o->switches.n};
	struct zonelist *lists = mem_zalloc(f->at.n, sizeof(*lists));
	struct zones_cost cost;
	struct zones_found listing = {
		.images = f->at.at, .lists = lists, .n = f->at.n, .cost = &cost};
	int rc;

	zonelist_read(f->at.at, f->at.n, &request, lists);
	rc = zonelist_check(f->at.at, lists, f->at.n, &request);
	zones_cost_reference(&cost);
	if (!rc && o->measure)
		rc = zones_cost_measure(&cost);
	if (!rc) {
		judge_exits(&listing);
		show(o, &listing);
		free(listing.why_not);
	}
	for (size_t i = 0; i < f->at.n; i++)
		zonelist_release(&lists[i]);
	free(lists);
	return rc;
}

static int run(const struct options *o)
{
	struct files f = {0};
	int rc;

	f.opener = opener_new();
	rc = zonepatterns_find_files(o->patterns, f.opener);
	if (!rc)
		rc = o->pid ? open_process(&f, (uint32_t)o->pid) : open_binary(&f, o->binary);
	if (!rc)
		rc = list(o, &f);
	release_files(&f);
	return rc ? cmd_failed() : EXIT_OK;
}

/* One option; a negative errno when it is wrong. */
static int take(struct options *o, int opt)
{
	switch (opt) {
	case 'p':
		return units_parse_int(optarg, "process number", 1, PID_MAX, &o->pid);
	case 'm':
		return units_parse_int(optarg, "--zones-max", 1, ZONES_MAX, &o->max);
	case 'f':
		return zone_file_read(o->patterns, optarg);
	case 's':
		vec_push(&o->switches, optarg);
		return 0;
	case 'o':
		o->order = optarg;
		return zones_order_check(optarg);
	case 'c':
		o->measure = true;
		return 0;
	case 'j':
		o->json = true;
		return 0;
	case 'h':
		o->help = true;
		return 0;
	default:
		return 0;
	}
}

static int parse_arguments(struct options *o, int argc, char **argv)
{
	if (!o->pid && optind == argc)
		return cmd_usage("zones needs a BINARY or -p PID");
	if (!o->pid)
		o->binary = argv[optind++];
	for (; optind < argc; optind++) {
		const int rc = zonepatterns_add(o->patterns, argv[optind]);

		if (rc)
			return cmd_refused(rc);
	}
	return EXIT_OK;
}

static int parse(struct options *o, int argc, char **argv)
{
	static const struct option options[] = {{"zone-file", required_argument, NULL, 'f'},
						{"zones-max", required_argument, NULL, 'm'},
						{"switch-fn", required_argument, NULL, 's'},
						{"sort", required_argument, NULL, 'o'},
						{"measure", no_argument, NULL, 'c'},
						{"json", no_argument, NULL, 'j'},
						{"help", no_argument, NULL, 'h'},
						{0}};
	int opt;

	optind = 1;
	opterr = 0;
	while ((opt = getopt_long(argc, argv, ":p:h", options, NULL)) != -1) {
		const int rc = take(o, opt);

		if (opt == '?' || opt == ':')
			return cmd_bad_option(opt, argv, options);

		if (rc)
			return cmd_refused(rc);
	}
	return o->help ? EXIT_OK : parse_arguments(o, argc, argv);
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
