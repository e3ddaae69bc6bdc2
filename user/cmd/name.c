/* name: names afterwards what a capture could not, from debug files found by build-id. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/file_new.h"
#include "base/options.h"
#include "base/str.h"
#include "base/units.h"
#include "cmd/cmd.h"
#include "cmd/render_run.h"
#include "cmd/unprivileged.h"
#include "crew/crew_server.h"
#include "elf/debugfile.h"
#include "symbol/debugserver.h"
#include "symbol/rename.h"

#define SYSTEM_DIR "/usr/lib/debug"
#define MOST_DIRS  16
#define TIMEOUT_NS INT64_C(120000000000)

struct options {
	const char *input, *output; /* output NULL: the input */
	const char *dirs[MOST_DIRS];
	size_t n_dirs;
	int64_t timeout_ns;
	bool force, help;
	struct {
		const char *version, *platform, *run;
	} key; /* selects a run of a store; NULL: any */
};

/* The state of one run of the command. */
struct run {
	const struct options *o;
	struct str packed; /* the list of unnamed addresses, as received */
	struct unnamed unnamed;
	struct rename rename;
	struct debugdir dirs[MOST_DIRS + 1]; /* the system's is last */
	size_t n_dirs;
	uint64_t deadline_ns; /* for all downloads together */
	bool shows_progress;
	const char *module; /* for which a debug file is being downloaded */
};

static void help(void)
{
	fputs("eprof name: name afterwards what a capture could not\n\n"
	      "  eprof name eprof.h5                          debug packages installed since\n"
	      "  eprof name eprof.h5 --debug-dir ./symbols    a folder of debug files\n"
	      "  DEBUGINFOD_URLS=https://debuginfod.debian.net eprof name eprof.h5 -o named.h5\n\n"
	      "Usage: eprof name FILE [-o OUT] [--debug-dir DIR]…\n\n"
	      "Functions without symbols are shown as module+offset. This looks for the debug "
	      "files "
	      "of\n"
	      "their modules, by build-id, in the folders given, in /usr/lib/debug and, where\n"
	      "DEBUGINFOD_URLS is set, from its servers, and puts functions, lines and inlined "
	      "calls\n"
	      "into the profile. All else in it stays. No privileges are needed, and none kept.\n\n"
	      "  -o, --output OUT   write to OUT instead of FILE\n"
	      "      --force        replace OUT if it exists\n"
	      "      --mode OCTAL   the mode of what is written (root: 600; else by the umask)\n"
	      "      --debug-dir DIR  look in DIR, too: for .build-id/xx/yyyy.debug below it, and\n"
	      "                     for any file in it; may be given 16 times\n"
	      "      --version-key V  of a store: a run of that version; else the newest run\n"
	      "      --platform P   of a store: one on that platform\n"
	      "      --run NAME     of a store: the run of that name\n"
	      "      --timeout TIME how long all downloads together may take (2m)\n"
	      "  -h, --help         this text\n",
	      stdout);
}

/* --- options -------------------------------------------------------------------------------- */

static int take_dir(void *options, const char *dir)
{
	struct options *o = options;

	if (o->n_dirs == MOST_DIRS)
		return err(-E2BIG, "--debug-dir: more than %d folders", MOST_DIRS);
	o->dirs[o->n_dirs++] = dir;
	return 0;
}

#define AT(field) offsetof(struct options, field)

static const struct option_row rows[] = {
	{"output", 'o', OPTION_TEXT, AT(output), {0}},
	{"force", 0, OPTION_FLAG, AT(force), {0}},
	{"mode", 0, OPTION_TAKE, 0, {cmd_take_mode}},
	{"debug-dir", 0, OPTION_TAKE, 0, {take_dir}},
	{"timeout", 0, OPTION_NS, AT(timeout_ns), {0}},
	{"version-key", 0, OPTION_TEXT, AT(key.version), {0}},
	{"platform", 0, OPTION_TEXT, AT(key.platform), {0}},
	{"run", 0, OPTION_TEXT, AT(key.run), {0}},
	{"help", 'h', OPTION_FLAG, AT(help), {0}},
	{0},
};

/* -1: go on; else the exit status. */
static int parse(int argc, char **argv, struct options *o)
{
	const int status = cmd_options(rows, argc, argv, o);

	if (status)
		return status;
	if (o->help)
		return help(), EXIT_OK;
	if (argc - optind != 1)
		return cmd_usage("name needs one profile: eprof name FILE");
	o->input = argv[optind];
	return -1;
}

/* --- debug files ---------------------------------------------------------------------------- */

/* Searches the folders in order. Prints a message for a file that does not fit. */
static int find_file(struct run *r, struct rename_module *m, char **path)
{
	int fd = -ENOENT;

	for (size_t i = 0; i < r->n_dirs && fd < 0; i++) {
		fd = debugdir_open(&r->dirs[i], m->id, m->bytes, path);
		if (fd != -EBADMSG)
			continue;
		fprintf(stderr, "eprof: refused '%s' for %s: its build-id is another\n", *path,
			m->unnamed->name);
		free(*path);
		*path = NULL;
	}
	return fd;
}

static void show_progress(void *context, uint64_t got, uint64_t of)
{
	const struct run *r = context;
	char now[UNITS_BUF], all[UNITS_BUF];

	if (!r->shows_progress)
		return;
	units_bytes(now, sizeof(now), (double)got);
	units_bytes(all, sizeof(all), (double)of);
	fprintf(stderr, "\r\033[Keprof: debug file of %s: %s%s%s", r->module, now, of ? " of " : "",
		of ? all : "");
}

static int download(struct run *r, struct rename_module *m, char **path)
{
	struct debugserver_wait w = {show_progress, r, r->deadline_ns};
	int fd;

	r->module = m->unnamed->name;
	if (r->shows_progress)
		fprintf(stderr, "eprof: debug file of %s: asking", r->module);
	fd = debugserver_fetch(m->id, m->bytes, &w, path);
	if (r->shows_progress)
		fputs("\r\033[K", stderr);
	if (fd < 0 || debugfile_is(fd, m->id, m->bytes))
		return fd;
	close(fd);
	return err(-EBADMSG,
		   "refused '%s', which a server of DEBUGINFOD_URLS sent: it is not of that "
		   "build-id",
		   *path);
}

static void print_not_found(const struct rename_module *m, const char *why)
{
	char hex[BUILDID_HEX];

	fprintf(stderr, "eprof: %s: %zu address%s without a name; %s (build-id %s)\n",
		m->unnamed->name, m->unnamed->n, m->unnamed->n == 1 ? "" : "es", why,
		m->bytes ? buildid_hex(m->id, m->bytes, hex) : "not known");
}

static void find_one(struct run *r, struct rename_module *m)
{
	char *path = NULL;

	if (!m->bytes)
		return print_not_found(m, "nothing can be looked for");
	m->fd = find_file(r, m, &path);
	if (m->fd < 0 && debugserver_is_set())
		m->fd = download(r, m, &path);
	else if (m->fd < 0)
		err(m->fd, "no debug file: install its debug package, or use --debug-dir or "
			   "DEBUGINFOD_URLS");
	if (m->fd < 0)
		print_not_found(m, err_text());
	else
		m->path = realpath(path, NULL);
	free(path);
}

static int open_dirs(struct run *r)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < r->o->n_dirs; i++)
		rc = debugdir_init(&r->dirs[r->n_dirs++], r->o->dirs[i], true);
	if (!rc)
		rc = debugdir_init(&r->dirs[r->n_dirs++], SYSTEM_DIR, false);
	return rc;
}

/* --- the profile ---------------------------------------------------------------------------- */

/* Prints "libsqlite3.so.0: 120 of 130 addresses have a name now, 118 a line; 40 inlined calls". */
static uint64_t print_result(const struct run *r)
{
	uint64_t named = 0;

	for (size_t i = 0; i < r->rename.modules.n; i++) {
		const struct rename_module *m = &r->rename.modules.at[i];

		named += m->named;
		if (m->fd >= 0)
			fprintf(stderr,
				"eprof: %s: %u of %zu addresses have a name now, %u a line; %u "
				"inlined "
				"calls\n",
				m->unnamed->name, m->named, m->unnamed->n, m->lines, m->inlined);
	}
	return named;
}

/* Reports that all addresses have names, or that the capture has none to look up. */
static int nothing_to_name(const struct run *r)
{
	if (r->unnamed.without_address)
		fprintf(stderr,
			"eprof: '%s' keeps no addresses of its %llu functions without a name: "
			"their "
			"files could not be read, or it was captured by an older eprof\n",
			r->o->input, (unsigned long long)r->unnamed.without_address);
	else
		fprintf(stderr, "eprof: all functions of '%s' that are in files have a name\n",
			r->o->input);
	return r->unnamed.without_address ? EXIT_FAILED : EXIT_OK;
}

/* A word for eprof-render: "" stands for none. */
static const char *word(const char *text)
{
	return text ? text : "";
}

/* Has eprof-render put the names into the profile, together with the list they are for: it checks
 * that the profile has not changed since. */
static int save(const struct run *r, const struct renaming *names)
{
	const struct options *o = r->o;
	const uint64_t n = r->packed.n;
	struct render_file file = {.fd = -1};
	struct str bytes = {0};
	int rc;

	str_addn(&bytes, (const char *)&n, sizeof(n));
	str_addn(&bytes, r->packed.s, r->packed.n);
	renaming_pack(names, &bytes);
	rc = render_file_make(&file, bytes.s, bytes.n);
	str_release(&bytes);
	if (!rc) {
		const char *const words[] = {"rename",
					     o->input,
					     word(o->key.version),
					     word(o->key.platform),
					     word(o->key.run),
					     file.path,
					     o->force ? "force" : "",
					     o->output,
					     NULL};

		rc = render_run(words, &file, RENDER_RUN_ON, NULL);
	}
	render_file_close(&file);
	return rc;
}

static void name_modules(struct run *r, struct renaming *names)
{
	for (size_t i = 0; i < r->rename.modules.n; i++)
		find_one(r, &r->rename.modules.at[i]);
	rename_run(&r->rename, names);
}

/* Returns the exit status. */
static int name_all(struct run *r)
{
	struct renaming names = {0};
	int rc;

	rename_init(&r->rename, &r->unnamed);
	if (!r->rename.modules.n)
		return nothing_to_name(r);
	if (open_dirs(r))
		return cmd_failed();
	name_modules(r, &names);
	if (!print_result(r)) {
		fprintf(stderr, "eprof: nothing could be named: '%s' is left as it is\n",
			r->o->input);
		renaming_release(&names);
		return EXIT_FAILED;
	}
	rc = save(r, &names);
	renaming_release(&names);
	return rc ? cmd_failed() : EXIT_OK;
}

/* Has eprof-render list what needs names. */
static int load(struct run *r)
{
	const struct options *o = r->o;
	const char *const words[] = {
		"unnamed",	  o->input, word(o->key.version), word(o->key.platform),
		word(o->key.run), NULL};
	int rc = o->output ? file_check_new(o->output, o->force) : 0;

	if (!rc)
		rc = render_run(words, NULL, RENDER_RUN_ON, &r->packed);
	return rc ? rc : unnamed_unpack(str_text(&r->packed), r->packed.n, &r->unnamed);
}

static void release(struct run *r)
{
	for (size_t i = 0; i < r->n_dirs; i++)
		debugdir_release(&r->dirs[i]);
	rename_release(&r->rename);
	unnamed_release(&r->unnamed);
	str_release(&r->packed);
}

int cmd_name(int argc, char **argv)
{
	struct options o = {.timeout_ns = TIMEOUT_NS};
	struct run r = {.o = &o, .shows_progress = isatty(STDERR_FILENO)};
	int status = parse(argc, argv, &o);

	if (status >= 0)
		return status;
	/* Start it before we lose the right to change users: its workers become nobody. */
	if (crew_server_start())
		return cmd_failed();
	if (cmd_drop_privileges()) {
		fprintf(stderr, "eprof: cannot drop privileges: %s\n", strerror(errno));
		return EXIT_FAILED;
	}
	r.deadline_ns = clock_ns(CLOCK_MONOTONIC) + (uint64_t)o.timeout_ns;
	status = load(&r) ? cmd_failed() : name_all(&r);
	release(&r);
	return status;
}
