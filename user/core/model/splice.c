#include "model/splice.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "model/copying.h"
#include "model/thread_wait.h"

/* What the next profile's numbers are in ours. */
struct numbers {
	struct copying names;
	uint32_t *nodes, *threads;
};

void splice_init(struct splice *s)
{
	*s = (struct splice){.p = profile_new()};
}

void splice_release(struct splice *s)
{
	profile_free(s->p);
	map_release(&s->thread_by_key);
	map_release(&s->process_by_key);
	vec_release(&s->processes);
	*s = (struct splice){0};
}

/* --- what is found again -------------------------------------------------------------------- */

static uint32_t *new_numbers(size_t n)
{
	return mem_zalloc(n + 1, sizeof(uint32_t));
}

static void begin(struct numbers *to, const struct profile *next, struct profile *p)
{
	*to = (struct numbers){0};
	copying_init(&to->names, next, p);
}

static void release(struct numbers *to)
{
	copying_release(&to->names);
	free(to->nodes);
	free(to->threads);
}

static void add_functions(struct numbers *to)
{
	for (uint32_t i = 1; i < to->names.from->functions.n; i++)
		copy_function(&to->names, i);
}

static void add_nodes(struct profile *p, const struct profile *next, struct numbers *to)
{
	to->nodes = new_numbers(next->nodes.n);
	for (uint32_t i = 1; i < next->nodes.n; i++)
		to->nodes[i] = profile_node(p, to->nodes[next->nodes.at[i].parent],
					    copy_frame(&to->names, next->nodes.at[i].frame));
}

void splice_seed(const struct splice *s, struct profile *p)
{
	struct numbers to;

	begin(&to, s->p, p);
	add_functions(&to);
	release(&to);
}

/* --- threads -------------------------------------------------------------------------------- */

static bool same_thread(const struct thread *a, const struct thread *b)
{
	return a->pid == b->pid && a->tid == b->tid && a->name == b->name &&
	       a->start_ns == b->start_ns && a->born_ns == b->born_ns;
}

/* Where it stands, or the end. */
static uint32_t find_thread(struct splice *s, const struct thread *t)
{
	uint64_t key = hash_two(hash_two((uint64_t)t->pid << 32 | t->tid, t->name),
				hash_two(t->start_ns, t->born_ns));

	for (;; key++) {
		bool fresh;
		uint32_t *at = map_put(&s->thread_by_key, key, &fresh);

		if (fresh)
			return *at = (uint32_t)s->p->threads.n;
		if (same_thread(&s->p->threads.at[*at], t))
			return *at;
	}
}

static uint64_t process_key(const struct thread *t)
{
	return hash_two(t->pid, t->born_ns);
}

static void know_process(struct splice *s, const struct thread *t)
{
	bool fresh;
	uint32_t *at = map_put(&s->process_by_key, process_key(t), &fresh);

	if (fresh) {
		*at = (uint32_t)s->processes.n;
		vec_add(&s->processes);
	}
	s->processes.at[*at] = (struct splice_process){t->process, t->cgroup};
}

static void add_threads(struct splice *s, const struct profile *next, struct numbers *to)
{
	to->threads = new_numbers(next->threads.n);
	for (uint32_t i = 0; i < next->threads.n; i++) {
		struct thread t = next->threads.at[i];

		t.name = copy_text(&to->names, t.name);
		t.process = copy_text(&to->names, t.process);
		t.cgroup = copy_text(&to->names, t.cgroup);
		know_process(s, &t);
		to->threads[i] = find_thread(s, &t);
		if (to->threads[i] == s->p->threads.n)
			profile_thread(s->p, &t);
	}
}

/* --- what takes the place of what was there ------------------------------------------------- */

static void add_text_columns(const struct table *t, struct any_vec *v, size_t first,
			     struct numbers *to)
{
	for (size_t c = 0; c < t->n_columns; c++) {
		if (t->columns[c].type != COLUMN_TEXT)
			continue;
		for (size_t i = first; i < v->n; i++) {
			char *at = v->at + i * t->row_bytes + t->columns[c].offset;
			uint32_t text;

			memcpy(&text, at, sizeof(text));
			text = copy_text(&to->names, text);
			memcpy(at, &text, sizeof(text));
		}
	}
}

/* All rows of a table of @next, behind the first @keep that ours has; texts in our numbers. */
static void take_table(struct profile *p, const struct profile *next,
		       const struct table_place *place, size_t keep, struct numbers *to)
{
	const struct any_vec *from = table_vec(place, next);
	struct any_vec *v = table_vec(place, p);
	const size_t bytes = place->table->row_bytes;

	v->at = mem_realloc(v->at, keep + from->n + 1, bytes);
	v->cap = keep + from->n + 1;
	v->n = keep + from->n;
	if (from->n)
		memcpy(v->at + keep * bytes, from->at, from->n * bytes);
	add_text_columns(place->table, v, keep, to);
}

static bool is_taken(const struct table *t)
{
	static const char *const names[] = {"metrics", "ledger", "cost", "run_queues",
					    "source_lines"};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(t->name, names[i]))
			return true;
	return t->part == PART_ZONES;
}

static void take_tables(struct profile *p, const struct profile *next, struct numbers *to)
{
	for (const struct table_place *t = profile_tables; t->table; t++) {
		if (!strcmp(t->table->name, "windows"))
			take_table(p, next, t, p->windows.n, to);
		else if (is_taken(t->table) && profile_has(next, t->table->part))
			take_table(p, next, t, 0, to);
	}
}

static void take_attrs(struct profile *p, const struct profile *next)
{
	copy_attributes(next, p);
	p->hz = next->hz;
	p->parts |= next->parts;
}

/* --- zones ---------------------------------------------------------------------------------- */

/* What the samples so far refer to. */
struct old_edges {
	struct zone_edge *at;
	size_t n;
	size_t zones;
};

static struct old_edges keep_edges(const struct profile *p)
{
	struct old_edges old = {.n = p->zone_edges.n, .zones = p->zones.n};

	old.at = mem_zalloc(old.n + 1, sizeof(*old.at));
	memcpy(old.at, p->zone_edges.at, old.n * sizeof(*old.at));
	return old;
}

/* Zones keep their rows while a capture goes on, but new calls come to stand amid the tree. */
static void place_samples(struct profile *p, const struct old_edges *old)
{
	_free_ uint32_t *edge = new_numbers(old->n);
	bool moved = false;

	for (uint32_t i = 1; i < old->n; i++) {
		const struct zone_edge *e = &old->at[i];

		if (e->zone < p->zones.n)
			edge[i] = profile_zone_edge(p, edge[e->parent], e->zone);
		moved |= edge[i] != i;
	}
	for (size_t i = 0; moved && i < p->samples.n; i++)
		p->samples.at[i].zone = edge[p->samples.at[i].zone];
}

static void renumber_zones(struct profile *p, struct numbers *to)
{
	for (size_t i = 0; i < p->zones.n; i++) {
		p->zones.at[i].module = copy_module(&to->names, p->zones.at[i].module);
		p->zones.at[i].function = copy_function(&to->names, p->zones.at[i].function);
	}
	for (size_t i = 0; i < p->zone_threads.n; i++)
		p->zone_threads.at[i].thread = to->threads[p->zone_threads.at[i].thread];
	map_release(&p->zone_edge_by_key);
	map_release(&p->zone_thread_by_key);
	map_release(&p->zone_bin_by_key);
	map_release(&p->zone_value_by_key);
}

/* Each is in the window in which its thread ended. */
static void add_thread_waits(struct profile *p, const struct profile *next,
			     const struct numbers *to)
{
	for (size_t i = 0; i < next->thread_waits.n; i++) {
		struct thread_wait w = next->thread_waits.at[i];

		w.thread = to->threads[w.thread];
		vec_push(&p->thread_waits, w);
	}
}

/* --- samples -------------------------------------------------------------------------------- */

static void add_samples(struct profile *p, const struct profile *next, struct numbers *to)
{
	const struct samples *s = &next->samples;
	_free_ int64_t *values = mem_zalloc(p->metrics.n + 1, sizeof(*values));

	while (p->samples.values.n < p->metrics.n)
		vec_add(&p->samples.values);
	for (size_t i = 0; i < s->n; i++) {
		for (size_t m = 0; m < p->metrics.n; m++)
			values[m] = s->values.at[m].at[i];
		struct sample *row;

		profile_sample(p, s->at[i].time_ns, to->threads[s->at[i].thread],
			       to->nodes[s->at[i].node], values);
		row = &p->samples.at[p->samples.n - 1];
		row->zone = s->at[i].zone;
		row->reason = copy_reason(&to->names, s->at[i].reason);
		row->wait_ns = s->at[i].wait_ns;
	}
}

static bool same_metrics(const struct profile *p, const struct profile *next)
{
	bool same = p->metrics.n == next->metrics.n;

	for (size_t i = 0; same && i < p->metrics.n; i++)
		same = !strcmp(profile_text(p, p->metrics.at[i].name),
			       profile_text(next, next->metrics.at[i].name));
	return same;
}

int splice_add(struct splice *s, const struct profile *next)
{
	struct old_edges old;
	struct numbers to;

	if (s->added && !same_metrics(s->p, next))
		return err(-EINVAL, "a window of another capture");
	s->added = true;
	begin(&to, next, s->p);
	add_functions(&to);
	add_nodes(s->p, next, &to);
	add_threads(s, next, &to);
	old = keep_edges(s->p);
	take_tables(s->p, next, &to);
	take_attrs(s->p, next);
	if (profile_has(next, PART_ZONES)) {
		renumber_zones(s->p, &to);
		place_samples(s->p, &old);
	}
	add_thread_waits(s->p, next, &to);
	add_samples(s->p, next, &to);
	free(old.at);
	release(&to);
	return 0;
}

struct profile *splice_finish(struct splice *s)
{
	struct profile *p = s->p;

	for (size_t i = 0; i < p->threads.n; i++) {
		struct thread *t = &p->threads.at[i];
		const struct splice_process *process =
			&s->processes.at[*map_get(&s->process_by_key, process_key(t))];

		t->process = process->name;
		t->cgroup = process->cgroup;
	}
	s->p = NULL;
	splice_release(s);
	return p;
}
