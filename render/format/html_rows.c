#include "format/html_rows.h"

#include <math.h>

#include "model/reason.h"
#include "query/wait_class.h"

/* A sample, as what tells rows apart. */
struct item {
	uint64_t time_ns, set; /* set: a bit for each metric that it is of */
	uint32_t row;	       /* of the profile */
	uint32_t node;	       /* its place in the page's data */
	uint32_t thread;       /* of those in the page */
	uint8_t reason;
};

struct rows {
	const struct html_union *samples;
	const struct profile *profile;
	VEC(struct item) items;	   /* in the order of rows */
	VEC(uint32_t) threads;	   /* in the page: numbers of the profile */
	VEC(int64_t) active;	   /* by thread: of the first metric, see struct thread_row */
	uint64_t last_ns, step_ns; /* the time of the last one; see html_rows.h */
	size_t tree_bytes;
	bool has_reasons;
	int64_t mean[HTML_METRICS_MOST];
};

/* The metrics that sample @row is of, and its place. */
static uint64_t set_of(const struct html_union *s, uint32_t row, uint32_t *place)
{
	uint64_t set = 0;

	for (size_t m = 0; m < s->n; m++) {
		const uint32_t node = s->trees[m]->sample_node[row];

		if (!node)
			continue;
		*place = html_union_place(s, m, node);
		set |= (uint64_t)1 << m;
	}
	return set;
}

static void gather(struct rows *r, const struct wait_classes *classes)
{
	const struct profile *p = r->profile;
	_free_ uint32_t *number = mem_zalloc(p->threads.n + 1, sizeof(*number));

	for (uint32_t row = 0; row < p->samples.n; row++) {
		const uint32_t thread = p->samples.at[row].thread;
		const uint32_t reason = r->has_reasons ? p->samples.at[row].reason : 0;
		const uint8_t kind = reason ? p->reasons.at[reason].kind : REASON_NONE;
		struct item item = {.time_ns = p->samples.at[row].time_ns,
				    .row = row,
				    .reason = kind < REASON_KINDS ? kind : REASON_NONE};

		item.set = set_of(r->samples, row, &item.node);
		if (!item.set)
			continue;
		if (!number[thread]) {
			vec_push(&r->threads, thread);
			vec_push(&r->active, 0);
			number[thread] = (uint32_t)r->threads.n;
		}
		item.thread = number[thread] - 1;
		if (wait_class_is_active(classes->of[row]))
			r->active.at[item.thread] +=
				measure_value(p, &r->samples->trees[0]->measure, row);
		if (item.time_ns > r->last_ns)
			r->last_ns = item.time_ns;
		vec_push(&r->items, item);
	}
}

/* All but the node. */
static int by_rest(const void *left, const void *right)
{
	const struct item *a = left, *b = right;

	return order_up(a->thread, b->thread) ?:
	       order_up(a->reason, b->reason) ?:
	       order_up(a->set, b->set) ?:
	       order_up(a->time_ns, b->time_ns) ?:
	       order_up(a->row, b->row);
}

/* By node first, which is a counting sort: nodes are many, and most have few samples. */
static void order(struct rows *r)
{
	const size_t nodes = r->samples->all->nodes.n, n = r->items.n;
	_free_ uint32_t *end = NULL;
	_free_ uint32_t *by_node = vec_order(&r->items, node, nodes, &end);
	struct item *sorted = mem_zalloc(n + 1, sizeof(*sorted));

	for (size_t i = 0; i < n; i++)
		sorted[i] = r->items.at[by_node[i]];
	vec_release(&r->items);
	r->items.at = sorted;
	r->items.n = n;
	r->items.cap = n + 1;
	for (size_t i = 0, from = 0; i < nodes; from = end[i++])
		if (end[i] - from > 1)
			qsort(sorted + from, end[i] - from, sizeof(*sorted), by_rest);
}

/* --- steps of time ---------------------------------------------------------------------------- */

/* 1, 2, 5, 10, 20, …; times end before 10^19, the last before it would overflow. */
static uint64_t nth_step(unsigned n)
{
	uint64_t step = (const uint64_t[]){1, 2, 5}[n % 3];

	for (; n >= 3; n -= 3)
		step *= 10;
	return step;
}

static bool is_same_group(const struct item *a, const struct item *b)
{
	return a->node == b->node && a->thread == b->thread && a->reason == b->reason &&
	       a->set == b->set;
}

static bool is_same_row(const struct item *a, const struct item *b, uint64_t step_ns)
{
	return is_same_group(a, b) && a->time_ns / step_ns == b->time_ns / step_ns;
}

/* The item behind the row that begins with @i. */
static size_t row_end(const struct rows *r, size_t i)
{
	size_t end = i + 1;

	while (end < r->items.n && is_same_row(&r->items.at[i], &r->items.at[end], r->step_ns))
		end++;
	return end;
}

/* One division an item, since it is counted for step after step. */
static size_t count_rows(const struct rows *r)
{
	const struct item *items = r->items.at;
	uint64_t before = 0;
	size_t n = 0;

	for (size_t i = 0; i < r->items.n; i++) {
		const uint64_t step = items[i].time_ns / r->step_ns;

		n += !i || step != before || !is_same_group(&items[i], &items[i - 1]);
		before = step;
	}
	return n;
}

static unsigned bits_of(uint64_t v)
{
	return v ? 64 - (unsigned)__builtin_clzll(v) : 0;
}

/* About how many bits the values take. */
static uint64_t value_bits(const struct rows *r)
{
	uint64_t bits = 0;

	for (size_t m = 0; m < r->samples->n; m++)
		for (size_t i = 0; i < r->items.n; i++) {
			const int64_t value = measure_value(
				r->profile, &r->samples->trees[m]->measure, r->items.at[i].row);
			const int64_t rest = value ? value - r->mean[m] : 0;

			bits += rest ? bits_of((uint64_t)llabs(rest)) : 0;
		}
	return bits;
}

/* How many bits there are for times. @groups: rows if there were one step. */
static uint64_t room_of(const struct rows *r, size_t groups)
{
	const uint64_t all = HTML_DATA_BYTES * UINT64_C(8), least = groups * HTML_STACK_BITS;
	const uint64_t taken = r->tree_bytes * UINT64_C(8) + value_bits(r);

	return taken + least < all ? all - taken : least;
}

/* Whether the times of rows fit into @room bits. A time is written as the steps since the row
 * before it in its group; a few more bits say that the row is there, and how many samples it has.
 */
static bool has_room(const struct rows *r, size_t groups, uint64_t room)
{
	const size_t rows = count_rows(r);
	const uint64_t steps = r->last_ns / r->step_ns + 1;
	const uint64_t gap = rows ? steps * groups / rows : 0;
	const uint64_t bits = rows * (2 + bits_of(gap)) + 2 * (rows - groups);

	return steps == 1 || (rows <= HTML_ROWS_MOST && bits <= room);
}

/* The shortest that has room. Longer steps have fewer rows, so that few need be counted. */
static void choose_step(struct rows *r)
{
	unsigned low = 0, high;
	uint64_t room;
	size_t groups;

	r->step_ns = r->last_ns + 1;
	groups = count_rows(r);
	room = room_of(r, groups);
	while (r->last_ns / nth_step(low) >= HTML_STEPS_MOST)
		low++;
	high = low;
	while (nth_step(high) <= r->last_ns)
		high++;
	while (low < high) {
		const unsigned middle = low + (high - low) / 2;

		r->step_ns = nth_step(middle);
		if (has_room(r, groups, room))
			high = middle;
		else
			low = middle + 1;
	}
	r->step_ns = nth_step(low);
}

/* --- what is written -------------------------------------------------------------------------- */

/* Whether nothing of its sums is left to chance, see spread.h, or their margins do not follow from
 * numbers of samples. */
static bool is_exact(const struct spread *spread)
{
	for (size_t i = 0; spread && i < spread->n_parts; i++)
		if (isfinite(spread->parts[i].c) &&
		    (spread->parts[i].c > 0 || spread->parts[i].one > 0))
			return false;
	return true;
}

/* The mean value of a sample, which most rows' values are multiples of. */
static void find_means(struct rows *r)
{
	for (size_t m = 0; m < r->samples->n; m++) {
		const struct tree_node *root = &r->samples->trees[m]->nodes.at[0];

		r->mean[m] = root->total_samples > 0 ? root->total / root->total_samples : 0;
	}
}

static void metrics_pack(const struct rows *r, struct pack *out)
{
	const struct html_union *s = r->samples;

	pack_uint(out, s->n);
	for (size_t m = 0; m < s->n; m++) {
		const struct tree *t = s->trees[m];

		pack_uint(out, pack_string(out, t->measure.name ? t->measure.name : ""));
		pack_uint(out, pack_string(out, t->unit ? t->unit : ""));
		pack_int(out, r->mean[m]);
		pack_uint(out, is_exact(t->spread));
		pack_uint(out, measure_is_summed(r->profile, &t->measure));
	}
}

static void threads_pack(const struct rows *r, struct pack *out)
{
	const struct profile *p = r->profile;

	pack_uint(out, r->threads.n);
	for (size_t i = 0; i < r->threads.n; i++) {
		const struct thread *t = &p->threads.at[r->threads.at[i]];

		pack_uint(out, t->pid);
		pack_uint(out, t->tid);
		pack_uint(out, pack_string(out, profile_text(p, t->name)));
		pack_uint(out, pack_string(out, profile_text(p, t->process)));
		pack_uint(out, pack_string(out, profile_text(p, t->cgroup)));
		pack_uint(out, t->start_ns);
		pack_uint(out, t->born_ns);
		pack_int(out, r->active.at[i]);
	}
}

/* Columns under way. */
struct columns {
	uint32_t *rows_of; /* by node of the page */
	struct pack thread, reason, step, set, samples, values[HTML_METRICS_MOST];
	struct map sets;     /* set: its number */
	VEC(uint64_t) known; /* the sets by number */
	size_t n;
};

static uint32_t set_number(struct columns *c, uint64_t set)
{
	const uint32_t number = map_number(&c->sets, set, c->known.n);

	if (number == c->known.n)
		vec_push(&c->known, set);
	return number;
}

static void values_add(const struct rows *r, struct columns *c, size_t from, size_t end)
{
	const struct html_union *s = r->samples;
	const uint64_t set = r->items.at[from].set;

	for (size_t m = 0; m < s->n; m++) {
		uint64_t sum = 0;

		if (!(set >> m & 1))
			continue;
		for (size_t i = from; i < end; i++)
			sum += (uint64_t)measure_value(r->profile, &s->trees[m]->measure,
						       r->items.at[i].row);
		pack_int(&c->values[m], (int64_t)(sum - (end - from) * (uint64_t)r->mean[m]));
	}
}

/* Steps since the row before, less the one that there is at least; of the first row of a node,
 * thread, reason and set since the start. */
static uint64_t step_gap(const struct rows *r, size_t from)
{
	const struct item *item = &r->items.at[from], *before = from ? item - 1 : NULL;
	const uint64_t step = item->time_ns / r->step_ns;

	if (before && is_same_group(before, item))
		return step - before->time_ns / r->step_ns - 1;
	return step;
}

static void row_add(const struct rows *r, struct columns *c, size_t from, size_t end)
{
	const struct item *item = &r->items.at[from];

	c->rows_of[item->node]++;
	pack_uint(&c->thread, item->thread);
	if (r->has_reasons)
		pack_uint(&c->reason, item->reason);
	pack_uint(&c->step, step_gap(r, from));
	pack_uint(&c->set, set_number(c, item->set));
	pack_uint(&c->samples, end - from - 1);
	values_add(r, c, from, end);
	c->n++;
}

/* How many rows each node has, less one where it calls nothing: that has one for certain. */
static void rows_of_pack(const struct rows *r, const struct columns *c, struct pack *out)
{
	const struct tree *t = r->samples->all;
	uint32_t node = 0;

	do {
		const bool leaf = node && !t->nodes.at[node].first_child;

		pack_uint(out, c->rows_of[r->samples->place[node]] - leaf);
		node = tree_next(t, node, true);
	} while (node);
}

static void columns_pack(const struct rows *r, struct columns *c, struct pack *out)
{
	const size_t metrics = r->samples->n;

	pack_uint(out, c->n);
	pack_uint(out, c->known.n);
	for (size_t i = 0; i < c->known.n; i++)
		for (size_t m = 0; m < metrics; m++)
			pack_uint(out, c->known.at[i] >> m & 1);
	rows_of_pack(r, c, out);
	pack_move(out, &c->thread);
	pack_move(out, &c->reason);
	pack_move(out, &c->step);
	if (c->known.n < 2)
		pack_release(&c->set);
	else
		pack_move(out, &c->set);
	pack_move(out, &c->samples);
	for (size_t m = 0; m < metrics; m++)
		pack_move(out, &c->values[m]);
	map_release(&c->sets);
	vec_release(&c->known);
}

void html_rows_pack(const struct html_union *s, bool has_reasons, size_t tree_bytes,
		    struct pack *out)
{
	struct rows r = {.samples = s,
			 .profile = s->trees[0]->profile,
			 .tree_bytes = tree_bytes,
			 .has_reasons = has_reasons};
	_free_ uint32_t *rows_of = mem_zalloc(s->all->nodes.n, sizeof(*rows_of));
	struct columns c = {.rows_of = rows_of};
	struct wait_classes classes;

	find_means(&r);
	wait_classes_init(&classes, r.profile);
	gather(&r, &classes);
	wait_classes_release(&classes);
	order(&r);
	choose_step(&r);
	metrics_pack(&r, out);
	threads_pack(&r, out);
	pack_uint(out, r.last_ns / r.step_ns + 1);
	pack_uint(out, r.step_ns);
	for (size_t i = 0, end; i < r.items.n; i = end) {
		end = row_end(&r, i);
		row_add(&r, &c, i, end);
	}
	columns_pack(&r, &c, out);
	vec_release(&r.items);
	vec_release(&r.threads);
	vec_release(&r.active);
}
