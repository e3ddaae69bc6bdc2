/* Threads, metrics, stacks and samples. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "merge/merge_state.h"
#include "query/filter.h"

static uint32_t *new_numbers(size_t n)
{
	return mem_zalloc(n + 1, sizeof(uint32_t));
}

/* --- threads -------------------------------------------------------------------------------- */

/* Those that the key matches, as --thread or as --pid would. A profile may have none. */
static int choose_threads(struct merge_next *n)
{
	const char *key = n->m->choice.key;
	_free_ bool *by_pid = NULL;
	const struct selection of_pid = {.pid = key}, of_thread = {.thread = key};
	int rc;

	if (!key)
		return 0;
	rc = filter_threads(n->from, &of_pid, &by_pid);
	if (!rc || rc == -ENOENT)
		rc = filter_threads(n->from, &of_thread, &n->thread);
	if (rc && rc != -ENOENT)
		return rc;
	if (!n->thread)
		n->thread = mem_zalloc(n->from->threads.n + 1, sizeof(*n->thread));
	for (size_t i = 0; by_pid && i < n->from->threads.n; i++)
		n->thread[i] |= by_pid[i];
	return 0;
}

static uint32_t add_thread(struct merge_next *n, const struct thread *of)
{
	struct profile *p = n->m->p;
	struct thread t = *of;
	bool fresh;
	uint32_t row;

	t.name = copy_text(&n->names, t.name);
	t.process = copy_text(&n->names, t.process);
	t.cgroup = copy_text(&n->names, t.cgroup);
	row = merge_keys_row(
		&n->m->threads,
		(struct merge_key){{(uint64_t)t.pid << 32 | t.tid, t.name, t.start_ns, t.born_ns}},
		&fresh);
	if (fresh)
		return profile_thread(p, &t);
	p->threads.at[row].process = merge_text(p, p->threads.at[row].process, t.process);
	p->threads.at[row].cgroup = merge_text(p, p->threads.at[row].cgroup, t.cgroup);
	return row;
}

int merge_add_threads(struct merge_next *n)
{
	int rc = choose_threads(n);

	n->threads = new_numbers(n->from->threads.n);
	for (size_t i = 0; !rc && i < n->from->threads.n; i++)
		if (!n->thread || n->thread[i])
			n->threads[i] = add_thread(n, &n->from->threads.at[i]);
	return rc;
}

/* --- metrics -------------------------------------------------------------------------------- */

/* Its row; one of zeroes for the samples so far where it is new. */
static uint32_t add_metric(struct merge_next *n, const struct metric *of)
{
	struct profile *p = n->m->p;
	struct metric e = {.name = copy_text(&n->names, of->name),
			   .unit = copy_text(&n->names, of->unit),
			   .kind = of->kind,
			   .base = copy_text(&n->names, of->base)};
	profile_values *v;

	for (uint32_t i = 0; i < p->metrics.n; i++) {
		struct metric *m = &p->metrics.at[i];

		if (m->name == e.name && m->unit == e.unit && m->kind == e.kind) {
			m->base = merge_text(p, m->base, e.base);
			return i;
		}
	}
	vec_push(&p->metrics, e);
	v = vec_add(&p->samples.values);
	vec_reserve(v, p->samples.n);
	if (p->samples.n)
		memset(v->at, 0, p->samples.n * sizeof(*v->at));
	v->n = p->samples.n;
	return (uint32_t)p->metrics.n - 1;
}

void merge_add_metrics(struct merge_next *n)
{
	const size_t before = n->m->p->metrics.n, of = n->from->metrics.n;
	bool same = before == of || !before || !of;

	n->metrics = new_numbers(of);
	for (uint32_t i = 0; i < of; i++) {
		n->metrics[i] = add_metric(n, &n->from->metrics.at[i]);
		same &= n->metrics[i] == i;
	}
	n->m->metrics_differ |= !same;
}

/* --- samples -------------------------------------------------------------------------------- */

/* Where the sample is taken, its span, else NULL. */
static const struct merge_span *taken(const struct merge_next *n, size_t row, uint64_t *in_ns)
{
	const struct samples *s = &n->from->samples;

	if (n->thread && !n->thread[s->at[row].thread])
		return NULL;
	return merge_span_of(n, s->at[row].time_ns, in_ns);
}

/* Stacks of samples that are taken, with all above them; NULL: all that there are. */
static bool *used_nodes(const struct merge_next *n)
{
	const struct profile *from = n->from;
	uint64_t in_ns;
	bool *used;

	if (!n->chosen)
		return NULL;
	used = mem_zalloc(from->nodes.n, sizeof(*used));
	for (size_t i = 0; i < from->samples.n; i++)
		used[from->samples.at[i].node] |= taken(n, i, &in_ns) != NULL;
	for (size_t i = from->nodes.n; i-- > 1;)
		used[from->nodes.at[i].parent] |= used[i];
	return used;
}

static void add_nodes(struct merge_next *n)
{
	const struct profile *from = n->from;
	_free_ bool *used = used_nodes(n);

	n->nodes = new_numbers(from->nodes.n);
	for (uint32_t i = 1; i < from->nodes.n; i++)
		if (!used || used[i])
			n->nodes[i] = profile_node(n->m->p, n->nodes[from->nodes.at[i].parent],
						   copy_frame(&n->names, from->nodes.at[i].frame));
}

/* Two metrics of the profile may be the same here. */
static void add_values(struct merge_next *n, size_t row)
{
	struct samples *to = &n->m->p->samples;

	for (size_t m = 0; m < to->values.n; m++)
		vec_push(&to->values.at[m], 0);
	for (size_t m = 0; m < n->from->metrics.n; m++) {
		profile_values *v = &to->values.at[n->metrics[m]];

		MERGE_SUM(n->m, &v->at[v->n - 1], n->from->samples.values.at[m].at[row]);
	}
}

void merge_add_samples(struct merge_next *n)
{
	const struct samples *s = &n->from->samples;
	struct samples *to = &n->m->p->samples;

	add_nodes(n);
	for (size_t i = 0; i < s->n; i++) {
		uint64_t in_ns;
		const struct merge_span *span = taken(n, i, &in_ns);

		if (!span)
			continue;
		vec_push(to, ((struct sample){
				     .time_ns = in_ns,
				     .thread = n->threads[s->at[i].thread],
				     .node = n->nodes[s->at[i].node],
				     .zone = n->edges ? n->edges[s->at[i].zone] : 0,
				     .reason = copy_reason(&n->names, s->at[i].reason),
				     .wait_ns = s->at[i].wait_ns,
			     }));
		vec_push(&n->m->sample_origin, span->origin);
		add_values(n, i);
	}
}
