#include "compare/sides.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/str.h"
#include "compare/baseline.h"
#include "model/meta.h"
#include "query/filter.h"
#include "select/awaiters.h"
#include "store/store.h"
#include "timeline/call_zones.h"

#define LEARN_VERSIONS 3 /* so many versions, with so many runs each, tell how runs differ */
#define LEARN_RUNS     4

static void release(sides_runs *runs)
{
	vec_each (p, runs)
		profile_free((struct profile *)*p);
	vec_release(runs);
}

void sides_release(struct sides *s)
{
	if (s->captured)
		s->runs[NEW].n = 0;
	release(&s->runs[BASE]);
	release(&s->runs[NEW]);
	release(&s->history);
	free(s->choice);
}

static int load(const char *path, const struct catalog_run *r, sides_runs *runs)
{
	struct profile *p = NULL;
	int rc = store_load(path, &(struct store_key){r->version, r->platform, r->name}, &p);

	if (rc)
		return rc;
	/* A timeline of another tool has its calls one by one, and no table of zones. */
	call_zones_add(p);
	vec_push(runs, p);
	return 0;
}

/* Whether @r is one that the selection allows. */
static bool is_selected(const struct catalog_run *r, const struct selection *sel)
{
	return (!sel->run.version || !strcmp(r->version, sel->run.version)) &&
	       (!sel->run.platform || !strcmp(r->platform, sel->run.platform)) &&
	       (!sel->run.run || !strcmp(r->name, sel->run.run));
}

/* The last run that the selection allows, if possible one of @like's program (NULL: any): the file
 * stands for its version and platform. -ENOENT with a text where there is none. */
static int find_last(const char *path, const struct catalog *c, const struct selection *sel,
		     const struct catalog_run *like, const struct catalog_run **last)
{
	const struct catalog_run *other = NULL;

	*last = NULL;
	for (size_t i = 0; i < c->runs.n; i++) {
		if (!is_selected(&c->runs.at[i], sel))
			continue;
		other = &c->runs.at[i];
		if (!like || catalog_same_program(other, like))
			*last = other;
	}
	*last = *last ? *last : other;
	if (*last)
		return 0;
	return err(-ENOENT, "'%s' holds no %srun", path,
		   sel->run.version || sel->run.platform || sel->run.run ? "such " : "");
}

static bool is_same_kind(const struct catalog_run *a, const struct catalog_run *b)
{
	return catalog_same_program(a, b) && !strcmp(a->version, b->version) &&
	       !strcmp(a->platform, b->platform) && !strcmp(a->cpu_fingerprint, b->cpu_fingerprint);
}

/* All runs of the version, platform and CPU of @last, the last @most. */
static int load_version(const char *path, const struct catalog *c, const struct catalog_run *last,
			const struct selection *sel, size_t most, struct sides *s, int side)
{
	VEC(size_t) runs = {0};
	int rc = 0;

	for (size_t i = 0; i < c->runs.n; i++) {
		const struct catalog_run *r = &c->runs.at[i];

		if (is_selected(r, sel) && is_same_kind(r, last))
			vec_push(&runs, i);
	}
	for (size_t i = runs.n > most ? runs.n - most : 0; i < runs.n && !rc; i++)
		rc = load(path, &c->runs.at[runs.at[i]], &s->runs[side]);
	vec_release(&runs);
	return rc;
}

/* The profile's row of a catalog; texts are borrowed. */
static struct catalog_run run_of(const struct profile *p)
{
	const struct {
		size_t at;
		const char *text;
	} texts[] = {
		{offsetof(struct catalog_run, version), profile_meta(p, META_VERSION)},
		{offsetof(struct catalog_run, platform), profile_meta(p, META_PLATFORM)},
		{offsetof(struct catalog_run, name), profile_run(p, RUN_NAME)},
		{offsetof(struct catalog_run, cpu_fingerprint),
		 profile_meta(p, META_CPU_FINGERPRINT)},
		{offsetof(struct catalog_run, machine_id), profile_meta(p, META_MACHINE)},
		{offsetof(struct catalog_run, cores), profile_meta(p, META_CORES)},
		{offsetof(struct catalog_run, release), profile_meta(p, META_RELEASE)},
		{offsetof(struct catalog_run, command), profile_run(p, RUN_COMMAND)},
	};
	struct catalog_run run = {.started_unix_ns = p->started_unix_ns,
				  .duration_ns = p->duration_ns};

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		*(const char **)((char *)&run + texts[i].at) = texts[i].text ? texts[i].text : "";
	return run;
}

static int load_file(const char *path, const struct sides_wanted *w, int side, struct sides *s)
{
	const struct selection base = {.run.version = w->baseline};
	const struct selection *sel = side == NEW ? w->selection : &base;
	struct catalog_run like;
	const struct catalog_run *last;
	struct catalog c;
	int rc = catalog_load(path, &c);

	if (w->captured)
		like = run_of(w->captured);
	if (!rc)
		rc = find_last(path, &c, sel, w->captured ? &like : NULL, &last);
	if (!rc)
		rc = load_version(path, &c, last, sel, w->runs, s, side);
	catalog_release(&c);
	return rc;
}

/* --- from a store ----------------------------------------------------------------------------- */

/* Keeps the last runs that are not wild. */
static size_t drop_wild(struct sides *s, size_t most)
{
	struct profile **runs = (struct profile **)s->runs[BASE].at;
	const size_t n = s->runs[BASE].n;
	_free_ bool *wild = mem_zalloc(n + 1, sizeof(*wild));
	const size_t dropped = baseline_wild((const struct profile *const *)runs, n, wild);
	size_t spare = n - dropped > most ? n - dropped - most : 0, kept = 0;

	for (size_t i = 0; i < n; i++) {
		const bool is_spare = !wild[i] && spare;

		spare -= is_spare;
		if (wild[i] || is_spare)
			profile_free(runs[i]);
		else
			runs[kept++] = runs[i];
	}
	s->runs[BASE].n = kept;
	return dropped;
}

static int load_base(const char *store, const struct catalog *c, const struct catalog_run *run,
		     const struct sides_wanted *w, struct sides *s)
{
	struct baseline b;
	size_t dropped = 0;
	int rc = baseline_choose(c, run, w->baseline, w->runs, &b);

	for (size_t i = 0; i < b.runs.n && !rc; i++)
		rc = load(store, &c->runs.at[b.runs.at[i]], &s->runs[BASE]);
	if (!rc) {
		dropped = drop_wild(s, w->runs);
		s->choice = mem_printf("%s: the last %zu run%s%s", b.reason, s->runs[BASE].n,
				       s->runs[BASE].n == 1 ? "" : "s",
				       dropped ? ", wild ones left out" : "");
	} else if (b.reason) {
		s->choice = mem_strdup(b.reason);
	}
	baseline_release(&b);
	return rc;
}

static int load_history(const char *store, const struct catalog *c, const struct catalog_run *run,
			size_t most, struct sides *s)
{
	size_t n;
	_free_ size_t *runs = baseline_history(c, run, most, &n);
	int rc = 0;

	for (size_t i = 0; i < n && !rc; i++)
		rc = load(store, &c->runs.at[runs[i]], &s->history);
	return rc;
}

/* Loads runs of other versions on that machine, newest version first, to learn how runs differ. */
static int learn(const char *store, const struct catalog *c, const struct catalog_run *run,
		 struct sides *s)
{
	size_t n, versions = 0;
	_free_ size_t *runs = baseline_history(c, run, c->runs.n, &n);
	struct compare_group groups[LEARN_VERSIONS];
	sides_runs loaded[LEARN_VERSIONS] = {{0}};
	int rc = 0;

	for (size_t i = n, first; i > 0 && versions < LEARN_VERSIONS && !rc; i = first) {
		sides_runs *of = &loaded[versions];

		for (first = i - 1; first > 0 && !strcmp(c->runs.at[runs[first - 1]].version,
							 c->runs.at[runs[i - 1]].version);)
			first--;
		if (i - first < 2)
			continue;
		for (size_t k = first; k < i && of->n < LEARN_RUNS && !rc; k++)
			rc = load(store, &c->runs.at[runs[k]], of);
		groups[versions++] = (struct compare_group){of->at, of->n};
	}
	s->between = rc ? 0 : compare_learn(groups, versions);
	for (size_t i = 0; i < versions; i++)
		release(&loaded[i]);
	return rc;
}

/* Loads what @run is compared with from the store; the new side must be loaded before. */
static int load_before(const char *store, const struct catalog *c, const struct catalog_run *run,
		       const struct sides_wanted *w, struct sides *s)
{
	int rc = load_base(store, c, run, w, s);

	if (!rc && w->history)
		rc = load_history(store, c, run, w->history, s);
	if (!rc && s->runs[BASE].n == 1 && s->runs[NEW].n == 1)
		rc = learn(store, c, run, s);
	return rc;
}

/* Where the store is the new file itself, its catalog is loaded once. */
static int load_against_store(const struct sides_wanted *w, struct sides *s)
{
	const char *file = w->files[NEW][0], *store = w->store ? w->store : file;
	const bool apart = strcmp(store, file) != 0;
	struct selection of_new = *w->selection;
	const struct catalog_run *run = NULL;
	struct catalog of_file, of_store = {0};
	int rc = catalog_load(file, &of_file);

	if (!rc)
		rc = find_last(file, &of_file, w->selection, NULL, &run);
	if (w->siblings)
		of_new.run.run = NULL;
	if (!rc)
		rc = load_version(file, &of_file, run, &of_new, w->runs, s, NEW);
	if (!rc && apart)
		rc = catalog_load(store, &of_store);
	if (!rc)
		rc = load_before(store, apart ? &of_store : &of_file, run, w, s);
	catalog_release(&of_store);
	catalog_release(&of_file);
	return rc;
}

static int load_captured(const struct sides_wanted *w, struct sides *s)
{
	const struct catalog_run run = run_of(w->captured);
	struct catalog c;
	int rc;

	s->captured = w->captured;
	vec_push(&s->runs[NEW], w->captured);
	if (w->n[BASE])
		return load_file(w->files[BASE][0], w, BASE, s);
	rc = catalog_load(w->store, &c);
	if (!rc)
		rc = load_before(w->store, &c, &run, w, s);
	catalog_release(&c);
	return rc;
}

static int load_files(const struct sides_wanted *w, struct sides *s)
{
	int rc = 0;

	for (int side = BASE; side < SIDES; side++)
		for (size_t i = 0; i < w->n[side] && !rc; i++)
			rc = load_file(w->files[side][i], w, side, s);
	return rc;
}

static void show_frames(const sides_runs *runs, const struct selection *s)
{
	vec_each (p, runs) {
		awaiters_show((struct profile *)*p, s->async);
		frames_show((struct profile *)*p, s->frames);
	}
}

int sides_load(const struct sides_wanted *w, struct sides *s)
{
	int rc;

	*s = (struct sides){.choice = NULL};
	if (w->captured)
		rc = load_captured(w, s);
	else
		rc = w->n[BASE] ? load_files(w, s) : load_against_store(w, s);
	for (int side = BASE; side < SIDES && !rc; side++)
		show_frames(&s->runs[side], w->selection);
	show_frames(&s->history, w->selection);
	return rc;
}

int sides_compare(const struct sides *s, const struct compare_options *wanted,
		  struct comparison *out)
{
	struct compare_options options = *wanted;
	struct compare_input in = {.n = {s->runs[BASE].n, s->runs[NEW].n},
				   .history = s->history.at,
				   .n_history = s->history.n};
	int rc;

	in.runs[BASE] = s->runs[BASE].at;
	in.runs[NEW] = s->runs[NEW].at;
	options.between = s->between;
	filter_choose_metric(in.runs[NEW][0], &options.selection);
	rc = compare_runs(&in, &options, out);
	out->choice = s->choice ? comparison_own(out, mem_strdup(s->choice)) : NULL;
	return rc;
}
