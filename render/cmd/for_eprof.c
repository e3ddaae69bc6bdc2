/*
 * for-eprof: what eprof has done here rather than read a stranger's HDF5 itself, which may run as
 * root: see user/cmd/render_run.h. It is no command for people: --help does not list it, and each
 * release of eprof may call others. Files are named by their paths, what eprof captured by that of
 * a descriptor; answers, as bytes, go to stdout.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "base/file.h"
#include "base/str.h"
#include "cmd/command.h"
#include "cmd/enter.h"
#include "cmd/for_eprof.h"
#include "store/catalog.h"
#include "store/store.h"

/* --- store ------------------------------------------------------------------------------------ */

static void enter_store(struct for_eprof *f)
{
	struct allowed s = {0};

	allowed_change(&s, f->words[0]);
	if (f->n > 1)
		allowed_read(&s, f->words[1]);
	render_enter(&s);
}

/* check-store STORE */
static int check_store(struct for_eprof *f)
{
	enter_store(f);
	return store_check(f->words[0]);
}

/* add STORE CAPTURED → "added": it is to be known, too, where nobody gets the exit status. */
static int add(struct for_eprof *f)
{
	struct profile *p = NULL;
	struct str answer = {0};
	int rc;

	enter_store(f);
	rc = store_load(f->words[1], NULL, &p);
	if (!rc)
		rc = store_add(f->words[0], p, NULL);
	profile_free(p);
	str_add(&answer, "added");
	if (!rc)
		rc = for_eprof_answer(&answer);
	str_release(&answer);
	return rc;
}

/* --- baseline --------------------------------------------------------------------------------- */

/* check-baseline FILE [VERSION] */
static int check_baseline(struct for_eprof *f)
{
	const char *file = f->words[0], *version = f->n > 1 ? f->words[1] : NULL;
	struct allowed s = {0};
	struct catalog c;
	bool any = false;
	int rc;

	allowed_read_as_owner(&s, file);
	render_enter(&s);
	rc = catalog_load(file, &c);
	for (size_t i = 0; !rc && i < c.runs.n; i++)
		any |= !version || !strcmp(c.runs.at[i].version, version);
	catalog_release(&c);
	if (rc || any)
		return rc;
	return version ? err(-ENOENT, "'%s' has no version '%s' to compare with", file, version)
		       : err(-ENOENT, "'%s' holds no run to compare with", file);
}

static const struct action {
	const char *name;
	int (*run)(struct for_eprof *);
	size_t least, most; /* words */
} actions[] = {
	{"check-store", check_store, 1, 1},	  {"add", add, 2, 2},
	{"check-baseline", check_baseline, 1, 2}, {"compare", for_eprof_compare, 4, 5},
	{"unnamed", for_eprof_unnamed, 4, 4},	  {"rename", for_eprof_rename, 6, 7},
};

int for_eprof_answer(const struct str *answer)
{
	if (answer->n)
		fwrite(answer->s, 1, answer->n, stdout);
	return file_flush(stdout, "stdout");
}

#define MODE "--mode="

int render_for_eprof(int argc, char **argv)
{
	struct for_eprof f;

	if (argc > 1 && str_starts(argv[1], MODE)) {
		if (file_use_mode(argv[1] + strlen(MODE)))
			return render_usage("for-eprof: %s", err_text());
		argc--;
		argv++;
	}
	f = (struct for_eprof){(const char *const *)argv + 2, argc > 2 ? (size_t)argc - 2 : 0};
	/* A file that may not grow is an error to be told. */
	signal(SIGXFSZ, SIG_IGN);
	for (size_t i = 0; argc > 1 && i < sizeof(actions) / sizeof(*actions); i++) {
		const struct action *a = &actions[i];

		if (!strcmp(argv[1], a->name) && f.n >= a->least && f.n <= a->most)
			return a->run(&f) ? render_fail() : 0;
	}
	return render_usage("for-eprof: it is not of the same version as the eprof that runs it");
}
