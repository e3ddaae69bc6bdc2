#include "model/filter.h"

#include <stdlib.h>
#include <string.h>

#include "model/zone_rows.h"

/* A number or a pattern: --thread and --pid take either. */
struct chooser {
	struct pattern *pattern; /* NULL: by number, or all when any is set */
	uint32_t number;
	bool any;
};

static int chooser_init(struct chooser *c, const char *text)
{
	uint64_t number = 0;

	*c = (struct chooser){.any = !text};
	if (!text)
		return 0;
	if (!*text || strlen(text) > 10 || strspn(text, "0123456789") != strlen(text))
		return pattern_new(text, &c->pattern);
	for (; *text; text++)
		number = 10 * number + (*text - '0');
	c->number = number <= UINT32_MAX ? number : UINT32_MAX;
	return 0;
}

static bool chooser_takes(const struct chooser *c, uint32_t number, const char *name)
{
	if (c->any)
		return true;
	return c->pattern ? pattern_match(c->pattern, name) : number == c->number;
}

int filter_threads(const struct profile *p, const struct selection *sel, bool **out)
{
	struct chooser by_thread, by_pid = {0};
	int rc = chooser_init(&by_thread, sel->thread);

	*out = NULL;
	if (!rc)
		rc = chooser_init(&by_pid, sel->pid);
	if (!rc && (sel->thread || sel->pid)) {
		*out = mem_zalloc(p->threads.n + 1, sizeof(**out));
		for (size_t i = 0; i < p->threads.n; i++) {
			const struct thread *t = &p->threads.at[i];

			(*out)[i] = chooser_takes(&by_thread, t->tid, profile_text(p, t->name)) &&
				    chooser_takes(&by_pid, t->pid, profile_text(p, t->process));
		}
	}
	pattern_free(by_thread.pattern);
	pattern_free(by_pid.pattern);
	return rc;
}

int filter_zones(const struct profile *p, const struct selection *sel, bool **out)
{
	_free_ bool *match = NULL;
	int rc = zone_match(p, sel->zone, &match);

	*out = NULL;
	if (rc || !match)
		return rc;
	*out = mem_zalloc(p->zone_edges.n, sizeof(**out));
	for (size_t i = 1; i < p->zone_edges.n; i++) {
		const struct zone_edge *e = &p->zone_edges.at[i];

		(*out)[i] = (*out)[e->parent] || match[e->zone];
	}
	return 0;
}

/* *@out: per function whether its name matches @text; stays NULL without a text. */
static int match_functions(const struct profile *p, const char *text, bool **out)
{
	struct pattern *pattern;
	int rc;

	if (!text)
		return 0;
	rc = pattern_new(text, &pattern);
	if (rc)
		return rc;
	*out = mem_zalloc(p->functions.n, sizeof(**out));
	for (size_t i = 1; i < p->functions.n; i++)
		(*out)[i] = pattern_match(pattern, profile_text(p, p->functions.at[i].name));
	pattern_free(pattern);
	return 0;
}

/* *@out: per node whether a frame of its stack is of a function in @match. */
static bool *spread(const struct profile *p, const bool *match)
{
	bool *out = mem_zalloc(p->nodes.n, sizeof(*out));

	for (size_t i = 1; i < p->nodes.n; i++) {
		const struct node *n = &p->nodes.at[i];

		out[i] = out[n->parent] || match[p->frames.at[n->frame].function];
	}
	return out;
}

static int choose_nodes(struct filter *f, const struct selection *sel)
{
	const struct profile *p = f->profile;
	_free_ bool *focus = NULL, *ignore = NULL, *in = NULL, *out = NULL;
	int rc = match_functions(p, sel->focus, &focus);

	if (!rc)
		rc = match_functions(p, sel->ignore, &ignore);
	if (rc || (!focus && !ignore))
		return rc;
	in = focus ? spread(p, focus) : NULL;
	out = ignore ? spread(p, ignore) : NULL;
	f->node = mem_zalloc(p->nodes.n, sizeof(*f->node));
	for (size_t i = 0; i < p->nodes.n; i++)
		f->node[i] = (!in || in[i]) && !(out && out[i]);
	return 0;
}

int filter_init(struct filter *f, const struct profile *p, const struct selection *sel)
{
	bool none = !p->metrics.n && p->zones.n && !sel->metric;
	int metric = none ? 0 : profile_find_metric(p, sel->metric), rc;

	*f = (struct filter){
		.profile = p,
		.metric = metric,
		.from_ns = sel->from_ns,
		.to_ns = sel->to_ns ? (uint64_t)sel->to_ns : UINT64_MAX,
	};
	if (metric < 0)
		return metric;
	rc = filter_threads(p, sel, &f->thread);
	if (!rc)
		rc = choose_nodes(f, sel);
	if (!rc)
		rc = match_functions(p, sel->omit, &f->omit);
	if (!rc)
		rc = filter_zones(p, sel, &f->zone);
	return rc;
}

void filter_release(struct filter *f)
{
	free(f->thread);
	free(f->node);
	free(f->omit);
	free(f->zone);
	*f = (struct filter){0};
}

int64_t filter_value(const struct filter *f, size_t row)
{
	const struct samples *s = &f->profile->samples;
	uint64_t t = s->time_ns.at[row];

	if (f->metric >= s->values.n)
		return 0;
	if (t < f->from_ns || t >= f->to_ns)
		return 0;
	if (f->thread && !f->thread[s->thread.at[row]])
		return 0;
	if (f->node && !f->node[s->node.at[row]])
		return 0;
	if (f->zone && !f->zone[s->zone.at[row]])
		return 0;
	return s->values.at[f->metric].at[row];
}
