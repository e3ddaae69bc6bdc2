#include "compare/baseline.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/err.h"
#include "base/str.h"
#include "compare/comparable.h"
#include "compare/matrix.h"
#include "compare/dist.h"
#include "select/version.h"

#define WILD_LEAST  4
#define WILD_SIGMAS 3.5
#define WILD_CHANGE 1.1
#define NAMED_MOST  6 /* versions that an error names */

/* An unknown text ("") agrees with any. */
static bool agree(const char *a, const char *b)
{
	return !*a || !*b || !strcmp(a, b);
}

static bool same_machine(const struct catalog_run *a, const struct catalog_run *b)
{
	return agree(a->platform, b->platform) && agree(a->cpu_fingerprint, b->cpu_fingerprint);
}

static bool is_older(const struct catalog_run *a, const struct catalog_run *b)
{
	const int order = version_compare(a->version, b->version);

	if (!strcmp(a->version, b->version))
		return false;
	return order < 0 || (order == 0 && a->started_unix_ns < b->started_unix_ns);
}

static bool is_candidate(const struct catalog_run *r, const struct catalog_run *run,
			 const char *named)
{
	return catalog_same_program(r, run) &&
	       (named ? !strcmp(r->version, named) : is_older(r, run));
}

/* Keeps the last @most of the runs of @version, on the run's machine or (@any) on all. */
static void take(const struct catalog *c, const struct catalog_run *run, const char *version,
		 bool any, size_t most, struct baseline *out)
{
	for (size_t i = 0; i < c->runs.n; i++) {
		const struct catalog_run *r = &c->runs.at[i];

		if (!strcmp(r->version, version) && (any || same_machine(r, run)) &&
		    catalog_same_program(r, run))
			vec_push(&out->runs, i);
	}
	if (out->runs.n > most)
		vec_drop_first(&out->runs, out->runs.n - most);
}

static int no_version(const struct catalog *c, const char *named)
{
	const char *before = NULL;
	struct str names = {0};
	size_t n = 0;

	for (size_t i = c->runs.n; i-- > 0;) {
		const char *version = c->runs.at[i].version;

		if (before && !strcmp(before, version))
			continue;
		before = version;
		if (n++ < NAMED_MOST)
			str_addf(&names, "%s%s", names.n ? ", " : "", version);
	}
	err(-ENOENT, "no version '%s' to compare with: there %s %s%s", named, n == 1 ? "is" : "are",
	    n ? str_text(&names) : "none", n > NAMED_MOST ? " and older ones" : "");
	str_release(&names);
	return -ENOENT;
}

/* Other runs than @run, of its program or (@any) of any. */
static bool has_others(const struct catalog *c, const struct catalog_run *run, bool any)
{
	for (size_t i = 0; i < c->runs.n; i++) {
		const struct catalog_run *r = &c->runs.at[i];

		if ((any || catalog_same_program(r, run)) &&
		    (strcmp(r->version, run->version) != 0 ||
		     r->started_unix_ns != run->started_unix_ns))
			return true;
	}
	return false;
}

/* Why nothing is older than the run, if not because of its version; else NULL. */
static char *why_none(const struct catalog *c, const struct catalog_run *run)
{
	_free_ char *program = str_program(run->command);

	if (*program && has_others(c, run, true) && !has_others(c, run, false))
		return mem_printf("the store has no other run of '%s'", program);
	if (!strcmp(run->version, VERSION_NONE))
		return mem_printf("the version of '%s' is not known, so none is before it: "
				  "--version-key names it",
				  *program ? program : "the program");
	return NULL;
}

static int none_found(const struct catalog *c, const struct catalog_run *run, const char *named,
		      const struct catalog_run *elsewhere, char **reason)
{
	if (named)
		return no_version(c, named);
	if (elsewhere) {
		*reason = mem_printf("no version older than '%s' on this CPU: '%s' has runs on "
				     "another one (%s), which are not comparable",
				     run->version, elsewhere->version,
				     *elsewhere->cpu_fingerprint ? elsewhere->cpu_fingerprint
								 : elsewhere->platform);
		return err(-ENOENT, "%s; --baseline VERSION compares all the same", *reason);
	}
	*reason = why_none(c, run);
	if (*reason)
		return err(-ENOENT, "%s", *reason);
	*reason = mem_printf("'%s' is the first version in the store", run->version);
	return err(-ENOENT,
		   "no version older than '%s' in the store: add one (eprof-render store add), or "
		   "name a version with --baseline",
		   run->version);
}

int baseline_choose(const struct catalog *c, const struct catalog_run *run, const char *named,
		    size_t most, struct baseline *out)
{
	const struct catalog_run *best = NULL, *elsewhere = NULL;
	const char *on;

	*out = (struct baseline){.reason = NULL};
	/* The catalog is in order: the last one that is older is the one right before. */
	vec_each (r, &c->runs) {
		if (!is_candidate(r, run, named))
			continue;
		if (same_machine(r, run))
			best = r;
		else
			elsewhere = r;
	}
	if (!best && !(named && elsewhere))
		return none_found(c, run, named, elsewhere, &out->reason);
	on = best ? "the same platform and CPU" : "another CPU";
	best = best ? best : elsewhere;
	take(c, run, best->version, !same_machine(best, run), most + BASELINE_SPARE, out);
	out->reason = named ? mem_printf("%s, as asked for, on %s", best->version, on)
			    : mem_printf("%s, the version before %s on %s", best->version,
					 run->version, on);
	return 0;
}

void baseline_release(struct baseline *b)
{
	vec_release(&b->runs);
	free(b->reason);
	*b = (struct baseline){.reason = NULL};
}

/* --- wild runs -------------------------------------------------------------------------------- */

static double log_of_whole(const struct profile *p)
{
	double sum = 0;

	for (size_t i = 0; p->samples.values.n && i < p->samples.n; i++)
		sum += (double)p->samples.values.at[0].at[i];
	if (!(sum > 0))
		sum = (double)p->duration_ns;
	return sum > 0 ? log(sum) : NAN;
}

/* @off: per run the median over its zones of how far each is from its own median over the runs. */
static void zones_off(const struct profile *const *runs, size_t n, double *off)
{
	const struct selection all = {0};
	_free_ double *logs = mem_zalloc(n + 1, sizeof(*logs));
	struct subjects names = {0};
	struct matrix m;

	matrix_init(&m, n);
	for (size_t i = 0; i < n; i++)
		matrix_add_zones(&m, &names, i, runs[i], &all, PER_WORK,
				 matrix_zones_are_net(runs, n));
	for (size_t i = 0; i < n; i++) {
		_free_ double *of_run = mem_zalloc(m.rows.n + 1, sizeof(*of_run));
		size_t known = 0;

		for (size_t k = 0; k < m.rows.n; k++) {
			size_t with = 0;

			for (size_t r = 0; r < n; r++)
				if (isfinite(m.rows.at[k].at[r].log))
					logs[with++] = m.rows.at[k].at[r].log;
			if (with == n)
				of_run[known++] = m.rows.at[k].at[i].log - median_of(logs, n);
		}
		off[i] = median_of(of_run, known);
	}
	matrix_release(&m);
	subjects_release(&names);
}

static size_t mark(const double *values, size_t n, bool *wild)
{
	const double median = median_of(values, n);
	const double far =
		fmax(WILD_SIGMAS * MAD_TO_SD * mad_of(values, n, median), log(WILD_CHANGE));
	size_t marked = 0;

	for (size_t i = 0; i < n; i++) {
		wild[i] = fabs(values[i] - median) > far;
		marked += wild[i];
	}
	return marked;
}

size_t baseline_wild(const struct profile *const *runs, size_t n, bool *wild)
{
	_free_ double *values = mem_zalloc(n + 1, sizeof(*values));
	bool whole = true;

	memset(wild, 0, n * sizeof(*wild));
	for (size_t i = 0; i < n; i++) {
		whole &= comparable_is_whole(runs[i]);
		values[i] = log_of_whole(runs[i]);
	}
	if (n < WILD_LEAST)
		return 0;
	if (!whole)
		zones_off(runs, n, values);
	for (size_t i = 0; i < n; i++)
		if (!isfinite(values[i]))
			return 0;
	return mark(values, n, wild);
}

/* --- history ---------------------------------------------------------------------------------- */

size_t *baseline_history(const struct catalog *c, const struct catalog_run *run, size_t most,
			 size_t *n)
{
	size_t *runs = mem_zalloc(c->runs.n + 1, sizeof(*runs)), first;

	*n = 0;
	for (size_t i = 0; i < c->runs.n; i++)
		if (same_machine(&c->runs.at[i], run) && is_candidate(&c->runs.at[i], run, NULL))
			runs[(*n)++] = i;
	first = *n > most ? *n - most : 0;
	*n -= first;
	memmove(runs, runs + first, *n * sizeof(*runs));
	return runs;
}
