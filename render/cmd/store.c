/* store: many runs in one file, by version and platform. */
#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/file.h"
#include "base/units.h"
#include "cmd/command.h"
#include "cmd/listing.h"
#include "model/meta.h"
#include "store/catalog.h"
#include "store/store.h"

static const char usage[] =
	"Examples:\n"
	"  eprof-render store add perf.h5 eprof.h5 other.h5\n"
	"  eprof-render store versions perf.h5\n"
	"  eprof-render store runs perf.h5 --version-key 1.4.2\n"
	"  eprof-render perf.h5 --version-key 1.4.2 -o report.html\n"
	"  eprof-render store remove perf.h5 --version-key 1.4.2-rc1\n"
	"\n"
	"Usage: eprof-render store ACTION STORE […]\n"
	"\n"
	"A store holds many runs, by version and platform. Every profile of eprof is one, of one "
	"run.\n"
	"Adding and removing are done as a whole or not at all, whoever else does so meanwhile.\n"
	"\n"
	"Actions:\n"
	"  add STORE FILE…     add the runs of files; STORE is made where there is none. A run "
	"that\n"
	"                      is there already, equal in each byte, is not added again\n"
	"  versions STORE      its versions, oldest first: by semantic version, then by time\n"
	"  platforms STORE [VERSION]  its platforms, version by version\n"
	"  runs STORE          its runs\n"
	"  meta STORE          all that is known of the machine and the circumstances of a run\n"
	"  show STORE          the report of a run, with the options of eprof-render\n"
	"  remove STORE        remove runs: those that all of the options given select\n"
	"  compact STORE       write it anew without the room of what was removed\n"
	"\n"
	"Which runs (meta, show: the newest of them):\n"
	"  --version-key V     those of a version; add: file under V instead of the version that\n"
	"                      FILE says\n"
	"  --platform P        those of a platform; add: file under P\n"
	"  --run NAME          the run of that name\n"
	"  --mode OCTAL        the mode of a store that is made (root: 600; else by the umask)\n"
	"  -h, --help          this text\n"
	"\n"
	"Lists are tab-separated, without headings, where they do not go to a terminal.\n";

/* What the command line says; all borrowed. */
struct command {
	const char *store;
	const char *const *files; /* what follows it */
	size_t n_files;
	struct store_key key; /* the options */
};

struct tally {
	size_t added, there;
};

static int add_run(const struct command *c, const char *file, const struct catalog_run *r,
		   struct tally *t)
{
	const struct store_key key = {r->version, r->platform, r->name};
	struct profile *p = NULL;
	bool added = false;
	int rc = store_load(file, &key, &p);

	if (!rc && profile_run(p, RUN_UNKNOWN_PARTS))
		rc = err(-ENOTSUP,
			 "cannot add '%s': it has parts that this program does not know (%s) and "
			 "would lose: use a newer eprof-render",
			 file, profile_run(p, RUN_UNKNOWN_PARTS));
	if (!rc && c->key.version)
		profile_set_meta(p, META_VERSION, c->key.version);
	if (!rc && c->key.platform)
		profile_set_meta(p, META_PLATFORM, c->key.platform);
	if (!rc)
		rc = store_add(c->store, p, &added);
	if (!rc)
		*(added ? &t->added : &t->there) += 1;
	profile_free(p);
	return rc;
}

static int add_file(const struct command *c, const char *file, struct tally *t)
{
	struct catalog runs;
	int rc;

	if (file_same(c->store, file))
		return err(-EINVAL, "'%s' is the store itself: name a file to add to it", file);
	rc = catalog_load(file, &runs);
	if (!rc && !runs.runs.n)
		rc = err(-ENOENT, "cannot add '%s': it holds no run", file);
	for (size_t i = 0; !rc && i < runs.runs.n; i++)
		rc = add_run(c, file, &runs.runs.at[i], t);
	catalog_release(&runs);
	return rc;
}

/* Where one file cannot be added, the others are. */
static int add(const struct command *c)
{
	struct tally t = {0};
	int status = 0;

	if (c->key.run)
		return render_usage("store add: --run is for what is in the store");
	for (size_t i = 0; i < c->n_files; i++) {
		int rc = add_file(c, c->files[i], &t);

		status = rc ? render_fail() : status;
	}
	if (!t.added && !t.there)
		return status;
	fprintf(stderr, "eprof-render: %zu run%s added to '%s'", t.added, t.added == 1 ? "" : "s",
		c->store);
	if (t.there)
		fprintf(stderr, ", %zu %s there already", t.there, t.there == 1 ? "was" : "were");
	fputs("\n", stderr);
	return status;
}

static int remove_runs(const struct command *c)
{
	size_t n = 0;
	int rc;

	if (!c->key.version && !c->key.platform && !c->key.run)
		return render_usage("store remove: say which runs: --version-key, --platform, "
				    "--run");
	rc = store_remove(c->store, &c->key, &n);
	if (!rc)
		fprintf(stderr, "eprof-render: %zu run%s removed from '%s'\n", n, n == 1 ? "" : "s",
			c->store);
	return rc;
}

static int compact(const struct command *c)
{
	uint64_t before = 0, after = 0;
	int rc = store_compact(c->store, &before, &after);

	if (!rc)
		fprintf(stderr, "eprof-render: '%s' takes %s, before %s\n", c->store,
			bytes_text((double)after), bytes_text((double)before));
	return rc;
}

static int versions(const struct command *c)
{
	static const char *const headings[] = {"VERSION", "RUNS", "PLATFORMS", "FIRST RUN", NULL};
	struct listing l = {headings, {0}};
	struct platforms list;
	int rc = platforms_load(c->store, &list);

	for (size_t i = 0, next; !rc && i < list.all.n; i = next) {
		const struct platform *p = &list.all.at[i];
		size_t runs = 0;

		for (next = i; next < list.all.n; next++) {
			if (strcmp(list.all.at[next].version, p->version) != 0)
				break;
			runs += list.all.at[next].runs;
		}
		listing_add(&l, "%s", p->version);
		listing_add(&l, "%zu", runs);
		listing_add(&l, "%zu", next - i);
		listing_add(&l, "%s", p->timestamp);
	}
	rc = listing_end(&l, rc);
	platforms_release(&list);
	return rc;
}

/* Whether the option @asked, if it was given, says @there. */
static bool is_wanted(const char *asked, const char *there)
{
	return !asked || !strcmp(asked, there);
}

static int platforms(const struct command *c)
{
	static const char *const headings[] = {"VERSION", "PLATFORM",  "RUNS",
					       "CORES",	  "PROCESSOR", NULL};
	const char *version = c->n_files ? c->files[0] : c->key.version;
	struct listing l = {headings, {0}};
	struct platforms list;
	int rc = platforms_load(c->store, &list);

	for (size_t i = 0; !rc && i < list.all.n; i++) {
		const struct platform *p = &list.all.at[i];

		if (!is_wanted(version, p->version) || !is_wanted(c->key.platform, p->platform))
			continue;
		listing_add(&l, "%s", p->version);
		listing_add(&l, "%s", p->platform);
		listing_add(&l, "%zu", p->runs);
		listing_add(&l, "%s", p->cores);
		listing_add(&l, "%s", p->processor);
	}
	if (!rc && version && !l.cells.n)
		rc = err(-ENOENT, "'%s' holds no version %s: see 'eprof-render store versions'",
			 c->store, version);
	rc = listing_end(&l, rc);
	platforms_release(&list);
	return rc;
}

static int runs(const struct command *c)
{
	static const char *const headings[] = {"VERSION", "PLATFORM", "RUN", "STARTED",
					       "LENGTH",  "COMMAND",  NULL};
	struct listing l = {headings, {0}};
	struct catalog catalog;
	int rc = catalog_load(c->store, &catalog);

	for (size_t i = 0; !rc && i < catalog.runs.n; i++) {
		const struct catalog_run *r = &catalog.runs.at[i];

		if (!is_wanted(c->key.version, r->version) ||
		    !is_wanted(c->key.platform, r->platform) || !is_wanted(c->key.run, r->name))
			continue;
		listing_add(&l, "%s", r->version);
		listing_add(&l, "%s", r->platform);
		listing_add(&l, "%s", r->name);
		listing_add(&l, "%s", time_text(r->started_unix_ns));
		listing_add(&l, "%s", ns_text((double)r->duration_ns));
		listing_add(&l, "%s", r->command);
	}
	rc = listing_end(&l, rc);
	catalog_release(&catalog);
	return rc;
}

static void list_attr(struct listing *l, const struct profile *p, const char *before,
		      const struct attr *at)
{
	listing_add(l, "%s%s", before, profile_text(p, at->key));
	listing_add(l, "%s", profile_text(p, at->text));
}

static int meta(const struct command *c)
{
	static const char *const headings[] = {"KEY", "TEXT", NULL};
	struct listing l = {headings, {0}};
	struct profile *p = NULL;
	int rc = store_load(c->store, &c->key, &p);

	for (size_t i = 0; !rc && i < p->meta.n; i++)
		list_attr(&l, p, "", &p->meta.at[i]);
	for (size_t i = 0; !rc && i < p->run.n; i++)
		list_attr(&l, p, "run.", &p->run.at[i]);
	rc = listing_end(&l, rc);
	profile_free(p);
	return rc;
}

/* The actions, but for show, which is the report. */
static const struct action {
	const char *name;
	/* Does it, and says on stderr what was done: 0, a negative errno with a text, or an exit
	 * status after what was wrong was said. */
	int (*run)(const struct command *);
	size_t least, most; /* arguments behind STORE */
	bool changes;	    /* the store */
} actions[] = {
	{"add", add, 1, SIZE_MAX, true},       {"versions", versions, 0, 0, false},
	{"platforms", platforms, 0, 1, false}, {"runs", runs, 0, 0, false},
	{"meta", meta, 0, 0, false},	       {"remove", remove_runs, 0, 0, true},
	{"compact", compact, 0, 0, true},
};

static const struct action *find_action(const char *name)
{
	for (size_t i = 0; i < sizeof(actions) / sizeof(*actions); i++)
		if (!strcmp(actions[i].name, name))
			return &actions[i];
	return NULL;
}

static const struct option_row option_rows[] = {
	{"version-key", 0, OPTION_TEXT, offsetof(struct command, key.version), {0}},
	{"platform", 0, OPTION_TEXT, offsetof(struct command, key.platform), {0}},
	{"run", 0, OPTION_TEXT, offsetof(struct command, key.run), {0}},
	{0},
};

static void help(void)
{
	fputs(usage, stdout);
}

static const struct render_options options = {"store", option_rows, help, NULL};

static int check(struct command *c, const struct action *a, int argc, char **argv)
{
	if (optind == argc)
		return render_usage("store %s: name a STORE", a->name);
	c->store = argv[optind];
	c->files = (const char *const *)argv + optind + 1;
	c->n_files = (size_t)(argc - optind - 1);
	if (c->n_files < a->least)
		return render_usage("store %s: name a FILE to add", a->name);
	if (c->n_files > a->most)
		return render_usage("store %s: '%s' is one too many", a->name, c->files[a->most]);
	return -1;
}

static void confine(const struct command *c, const struct action *a)
{
	struct allowed s = {0};

	if (a->changes)
		allowed_add(&s, ALLOWED_CHANGE, c->store, false);
	else
		allowed_add(&s, ALLOWED_READ, c->store, false);
	allowed_read_all(&s, c->files, c->n_files);
	render_enter(&s);
}

int render_store(int argc, char **argv)
{
	struct command c = {0};
	const struct action *a;
	int status;

	if (argc < 2)
		return render_usage("store: name an action, as in eprof-render store runs FILE");
	if (!strcmp(argv[1], "-h") || !strcmp(argv[1], "--help")) {
		render_help_charset();
		help();
		return 0;
	}
	if (!strcmp(argv[1], "show"))
		return render_report(argc - 1, argv + 1);
	a = find_action(argv[1]);
	if (!a)
		return render_usage("store: no action '%s': there are add, versions, platforms, "
				    "runs, meta, show, remove and compact",
				    argv[1]);
	status = render_options(&options, argc - 1, argv + 1, &c);
	if (status < 0)
		status = check(&c, a, argc - 1, argv + 1);
	if (status >= 0)
		return status;
	confine(&c, a);
	/* So that writing past RLIMIT_FSIZE is an error, which is reported. */
	signal(SIGXFSZ, SIG_IGN);
	status = a->run(&c);
	return status < 0 ? render_fail() : status;
}
