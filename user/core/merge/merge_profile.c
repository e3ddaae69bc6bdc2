#include "merge/merge.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/units.h"
#include "merge/merge_state.h"
#include "model/meta.h"
#include "model/zone_finish.h"

#define TOLD_MOST 10 /* captures that the attribute RUN_MERGED names */

struct merge *merge_new(const struct merge_choice *choice)
{
	struct merge *m = mem_zalloc(1, sizeof(*m));

	m->choice = *choice;
	m->p = profile_new();
	return m;
}

void merge_free(struct merge *m)
{
	if (!m)
		return;
	profile_free(m->p);
	copying_release(&m->before);
	vec_release(&m->sample_origin);
	vec_release(&m->window_origin);
	map_release(&m->source_by_place);
	merge_keys_release(&m->threads);
	merge_keys_release(&m->ledger);
	merge_keys_release(&m->cost);
	merge_keys_release(&m->queues);
	merge_keys_release(&m->waits);
	merge_keys_release(&m->zones);
	vec_release(&m->zone_sums);
	vec_release(&m->costs);
	free(m->clock);
	free(m->clock_file);
	str_release(&m->left_out);
	free(m);
}

const char *merge_left_out(const struct merge *m)
{
	return m->left_out.n ? m->left_out.s : NULL;
}

/* --- one profile ---------------------------------------------------------------------------- */

static void begin(struct merge_next *n)
{
	const struct merge_choice *c = &n->m->choice;
	const uint64_t length = n->from->duration_ns > 0 ? (uint64_t)n->from->duration_ns : 0;
	const uint64_t recent = (uint64_t)c->recent_ns;

	copying_init_after(&n->names, n->from, n->m->p, &n->m->before);
	n->chosen = c->from_ns || c->to_ns || c->recent_ns || c->key;
	n->from_ns = recent && recent < length ? length - recent : (uint64_t)c->from_ns;
	n->to_ns = c->to_ns ? (uint64_t)c->to_ns : UINT64_MAX;
}

static void end(struct merge_next *n)
{
	/* The next profile is much the same, as a rule. */
	copying_release(&n->m->before);
	n->m->before = n->names;
	n->m->before.before = NULL;
	free(n->thread);
	free(n->nodes);
	free(n->threads);
	free(n->metrics);
	free(n->zones);
	free(n->edges);
	free(n->spans);
}

static void leave_out(struct merge *m, const char *what, bool is_there)
{
	if (is_there && !strstr(str_text(&m->left_out), what))
		str_addf(&m->left_out, "%s%s", m->left_out.n ? ", " : "", what);
}

/* What is of the whole capture: as it is, or with a choice not at all. */
static int add_whole(struct merge_next *n)
{
	const struct profile *from = n->from;

	if (n->chosen) {
		leave_out(n->m, "zones", profile_has(from, PART_ZONES));
		leave_out(n->m, "waits of threads", from->thread_waits.n > 0);
		leave_out(n->m, "run queues", from->run_queues.n > 0);
		leave_out(n->m, "costs that are sums", from->cost.n > 0);
		n->m->p->parts |= from->parts & ~(1u << PART_ZONES);
		return 0;
	}
	n->m->p->parts |= from->parts;
	merge_add_waits(n);
	return profile_has(from, PART_ZONES) ? merge_add_zones(n) : 0;
}

static int add(struct merge_next *n)
{
	int rc = merge_add_threads(n);

	if (!rc)
		merge_add_origins(n);
	if (!rc)
		rc = add_whole(n);
	if (rc)
		return rc;
	merge_add_metrics(n);
	merge_add_source(n);
	merge_add_samples(n);
	merge_add_windows(n);
	merge_add_ledger(n);
	merge_add_cost(n);
	merge_add_attrs(n);
	n->m->any = true;
	if (n->m->overflow)
		return err(-ERANGE, "with '%s' a sum is past 2^63: the profiles cannot be merged",
			   n->file);
	return 0;
}

int merge_add(struct merge *m, const struct profile *next, const char *file)
{
	struct merge_next n = {.m = m, .from = next, .file = file};
	int rc;

	begin(&n);
	rc = add(&n);
	end(&n);
	return rc;
}

/* --- all of them ---------------------------------------------------------------------------- */

/* "3: a.h5 (v1.0, 2026-11-21T21:52:00Z), …" */
static void tell_origins(struct profile *p)
{
	struct str s = {0};

	str_addf(&s, "%zu: ", p->origins.n);
	for (size_t i = 0; i < p->origins.n && i < TOLD_MOST; i++) {
		const struct origin *o = &p->origins.at[i];
		const char *version = profile_text(p, o->version);
		char started[UNITS_BUF];

		str_addf(&s, "%s%s (%s%s%s)", i ? ", " : "", profile_text(p, o->file), version,
			 version[0] ? ", " : "",
			 units_time(started, sizeof(started), o->started_unix_ns));
	}
	if (p->origins.n > TOLD_MOST)
		str_addf(&s, " and %zu more", p->origins.n - TOLD_MOST);
	profile_set_run(p, RUN_MERGED, s.s);
	str_release(&s);
}

/* Named after the first of them. */
static void name_run(struct profile *p)
{
	char started[UNITS_BUF];
	_free_ char *name = NULL;

	p->started_unix_ns = p->origins.n ? p->origins.at[0].started_unix_ns : 0;
	name = mem_printf("merge-%s", units_time(started, sizeof(started), p->started_unix_ns));
	profile_set_run(p, RUN_NAME, name);
}

static int check_any(const struct merge *m)
{
	if (!m->any)
		return err(-ENOENT, "no profile was named");
	if (!m->p->origins.n)
		return err(-ENOENT, "no profile has any of the time that was asked for");
	if (m->choice.key && !m->p->threads.n)
		return err(-ENOENT, "--key '%s': no thread or process of any profile matches",
			   m->choice.key);
	return 0;
}

int merge_finish(struct merge *m, struct profile **out)
{
	struct profile *p;
	int rc = check_any(m);

	if (rc)
		return rc;
	merge_settle_cost(m);
	merge_settle_zones(m);
	p = merge_order(m);
	tell_origins(p);
	name_run(p);
	zones_finish(p);
	if (m->overflow)
		rc = err(-ERANGE, "the captures together are longer than 292 years");
	else if (profile_check(p))
		rc = err(-ERANGE, "the profiles cannot be merged: %s", err_text());
	if (rc)
		profile_free(p);
	else
		*out = p;
	return rc;
}
