#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <bpf/bpf.h>

#include "base/err.h"
#include "base/mem.h"
#include "load/counters.h"
#include "load/zone_taken.h"
#include "load/probemaps.h"

/* An array map, mapped into our memory. */
struct probemaps_table {
	void *at;
	size_t bytes;
};

/* A counter that only grows: its value at the last take, and at the last drop. */
struct probemaps_count {
	uint64_t now, before;
};

struct probemaps {
	struct probemaps_raw raw;
	struct probemaps_table nodes, threads, sums, beside;
	struct zone_taken taken;
	VEC(struct probemaps_count) calls;   /* by zone: of the action count */
	struct probemaps_count own_stack[4]; /* of all threads, as in struct probemaps_own_stack */
};

static int map_table(int fd, size_t n, size_t size, struct probemaps_table *out)
{
	const int ret = counters_map(fd, n, size, PROT_READ | PROT_WRITE, &out->at, &out->bytes);

	return ret ? err(ret, "cannot map the tables of zones: %s", strerror(-ret)) : 0;
}

/* The first node after the zones' own, of which each zone has one. */
static size_t first_place(const struct probemaps *m)
{
	return 1 + (size_t)m->raw.max_zones + WIRE_PROBE_SPARE;
}

static size_t all_nodes(const struct probemaps *m)
{
	return first_place(m) + WIRE_ZONE_NODES;
}

int probemaps_new(const struct probemaps_raw *raw, struct probemaps **out)
{
	struct probemaps *m = mem_zalloc(1, sizeof(*m));
	int ret;

	m->raw = *raw;
	ret = map_table(raw->zone_nodes, all_nodes(m), sizeof(struct wire_zone_node), &m->nodes);
	if (!ret)
		ret = map_table(raw->probe_threads, WIRE_PROBE_THREADS,
				sizeof(struct wire_probe_thread), &m->threads);
	if (!ret && raw->zone_sums >= 0)
		ret = map_table(raw->zone_sums, 2 * all_nodes(m), sizeof(struct wire_zone_sums),
				&m->sums);
	if (!ret && raw->zone_beside >= 0)
		ret = map_table(raw->zone_beside, 2 * all_nodes(m), sizeof(struct wire_zone_beside),
				&m->beside);
	if (ret) {
		probemaps_free(m);
		return ret;
	}
	*out = m;
	return 0;
}

static void unmap(struct probemaps_table *t)
{
	if (t->at)
		munmap(t->at, t->bytes);
}

void probemaps_free(struct probemaps *m)
{
	if (!m)
		return;
	unmap(&m->nodes);
	unmap(&m->threads);
	unmap(&m->sums);
	unmap(&m->beside);
	zone_taken_release(&m->taken);
	vec_release(&m->calls);
	free(m);
}

void probemaps_enable(struct probemaps *m, bool on)
{
	__atomic_store_n(m->raw.probe_enabled, on, __ATOMIC_SEQ_CST);
}

static void changed(struct probemaps *m)
{
	/* Skips 0, which is the epoch of an unknown thread. */
	if (!__atomic_add_fetch(m->raw.probe_epoch, 1, __ATOMIC_SEQ_CST))
		__atomic_add_fetch(m->raw.probe_epoch, 1, __ATOMIC_SEQ_CST);
}

void probemaps_look_again(struct probemaps *m)
{
	changed(m);
}

int probemaps_set_proc(struct probemaps *m, uint32_t pid, struct wire_probe_proc proc)
{
	int ret = bpf_map_update_elem(m->raw.probe_procs, &pid, &proc, BPF_ANY);

	if (ret)
		return err(ret, "cannot pass the target to the BPF programs: %s", strerror(-ret));
	changed(m);
	return 0;
}

void probemaps_pass_file(struct probemaps *m, const struct wire_probe_file *file)
{
	uint8_t one = 1;

	(void)bpf_map_update_elem(m->raw.probe_files, file, &one, BPF_ANY);
}

void probemaps_forget_file(struct probemaps *m, const struct wire_probe_file *file)
{
	bpf_map_delete_elem(m->raw.probe_files, file);
}

void probemaps_set_generation(struct probemaps *m, uint32_t image, uint8_t generation)
{
	__atomic_store_n(&m->raw.probe_generation[image % WIRE_PROBE_IMAGES], generation,
			 __ATOMIC_SEQ_CST);
}

uint32_t probemaps_max_zones(const struct probemaps *m)
{
	return m->raw.max_zones;
}

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

size_t probemaps_nodes(const struct probemaps *m)
{
	uint32_t used = __atomic_load_n(m->raw.zone_nodes_used, __ATOMIC_ACQUIRE);

	return least(first_place(m) + used, all_nodes(m));
}

struct probemaps_live probemaps_live(const struct probemaps *m, size_t node)
{
	const struct wire_zone_node *n = (const struct wire_zone_node *)m->nodes.at + node;
	struct probemaps_live live = {.zone = n->zone};

	for (uint32_t w = 0; w < 2; w++) {
		live.timed += n->window[w].timed;
		live.total_ns += n->window[w].total_ns;
		if (m->sums.at) {
			const struct wire_zone_sums *s =
				(const struct wire_zone_sums *)m->sums.at + WIRE_ZONE_ROW(node, w);

			live.cpu_ns += s->sum[WIRE_SUM_CPU];
			live.sys_ns += s->sum[WIRE_SUM_SYS];
		}
	}
	return live;
}

size_t probemaps_threads(const struct probemaps *m)
{
	uint32_t used = __atomic_load_n(m->raw.probe_threads_used, __ATOMIC_ACQUIRE);

	return least(1 + (size_t)used, WIRE_PROBE_THREADS);
}

struct wire_probe_thread probemaps_thread(const struct probemaps *m, size_t thread)
{
	return ((const struct wire_probe_thread *)m->threads.at)[thread];
}

/* 0 if unreadable. */
static uint64_t sum_cpus(int fd, uint32_t key)
{
	uint64_t n;

	return counters_sum(fd, key, &n) ? 0 : n;
}

static void add_nodes(const struct probemaps *m, struct probemaps_calls *out, uint32_t n)
{
	const struct wire_zone_node *node = m->nodes.at;
	size_t nodes = probemaps_nodes(m);

	for (size_t i = 1; i < nodes; i++) {
		const struct zone_taken_node *t =
			i < m->taken.nodes.n ? &m->taken.nodes.at[i] : NULL;
		const struct wire_zone_stats *w = node[i].window;
		uint64_t untimed = w[0].untimed + w[1].untimed + (t ? t->untimed : 0);
		uint64_t entered = w[0].entered + w[1].entered + (t ? t->entered : 0);

		if (node[i].zone >= n || entered < untimed)
			continue;
		out[node[i].zone].timed += entered - untimed;
		out[node[i].zone].counted += untimed;
	}
}

/* Adds to @out the count of each of the first @n zones with WIRE_CLOCK_NONE. */
static void count_calls(const struct probemaps *m, uint64_t *out, uint32_t n)
{
	struct map_entries e = {0};

	(void)counters_entries(m->raw.count_calls, false, n, &e);
	for (size_t i = 0; i < e.n; i++) {
		const uint64_t *by_cpu = map_entry_value(&e, i);

		for (size_t cpu = 0; cpu < e.value_words; cpu++)
			out[*(const uint32_t *)map_entry_key(&e, i)] += by_cpu[cpu];
	}
	vec_release(&e.words);
}

static void add_counters(const struct probemaps *m, struct probemaps_calls *out, uint32_t n)
{
	_free_ uint64_t *calls = mem_zalloc(n + 1, sizeof(*calls));

	count_calls(m, calls, n);
	for (uint32_t i = 0; i < n; i++)
		out[i].counted += calls[i];
}

void probemaps_add_calls(const struct probemaps *m, struct probemaps_calls *out, uint32_t n)
{
	add_nodes(m, out, n);
	if (m->raw.count_calls >= 0)
		add_counters(m, out, n);
}

void probemaps_count_only(struct probemaps *m, uint32_t zone, bool on)
{
	uint32_t value = on;

	if (m->raw.probe_counted >= 0)
		(void)bpf_map_update_elem(m->raw.probe_counted, &zone, &value, BPF_ANY);
}

uint64_t probemaps_counter(const struct probemaps *m, enum wire_probe_counter counter)
{
	return sum_cpus(m->raw.probe_counters, counter);
}

bool probemaps_counter_by_cpu(const struct probemaps *m, enum wire_probe_counter counter,
			      uint64_t *out)
{
	uint32_t key = counter;

	return !bpf_map_lookup_elem(m->raw.probe_counters, &key, out);
}

/* --- windows --------------------------------------------------------------------------------- */

static void take_counts(struct probemaps *m)
{
	_free_ uint64_t *calls = mem_zalloc(m->raw.max_zones + 1, sizeof(*calls));
	uint64_t own[4] = {0};

	for (size_t i = 1; i < probemaps_threads(m); i++) {
		const struct wire_probe_thread t = probemaps_thread(m, i);

		own[0] += t.stays;
		own[1] += t.main_ns;
		own[2] += t.waits;
		own[3] += t.wait_ns;
	}
	for (size_t i = 0; i < 4; i++)
		m->own_stack[i].now = own[i];
	if (m->raw.count_calls < 0)
		return;
	while (m->calls.n < m->raw.max_zones)
		vec_add(&m->calls);
	count_calls(m, calls, m->raw.max_zones);
	for (size_t i = 0; i < m->calls.n; i++)
		m->calls.at[i].now = calls[i];
}

void probemaps_take(struct probemaps *m)
{
	const uint32_t window = __atomic_fetch_add(m->raw.zone_window, 1, __ATOMIC_SEQ_CST) & 1;
	struct zone_taken_from from = {.nodes = m->nodes.at,
				       .threads = m->threads.at,
				       .sums = m->sums.at,
				       .beside = m->beside.at,
				       .hist = m->raw.zone_hist,
				       .max_zones = m->raw.max_zones};

	counters_await_programs();
	from.n_nodes = probemaps_nodes(m);
	from.n_threads = probemaps_threads(m);
	zone_taken_add(&m->taken, &from, window);
	take_counts(m);
}

void probemaps_drop(struct probemaps *m)
{
	zone_taken_drop(&m->taken);
	for (size_t i = 0; i < m->calls.n; i++)
		m->calls.at[i].before = m->calls.at[i].now;
	for (size_t i = 0; i < 4; i++)
		m->own_stack[i].before = m->own_stack[i].now;
}

struct probemaps_node probemaps_node(const struct probemaps *m, size_t node)
{
	const struct wire_zone_node *n = (const struct wire_zone_node *)m->nodes.at + node;
	struct probemaps_node out = {.thread = n->thread, .parent = n->parent, .zone = n->zone};
	const struct zone_taken_node *t;

	if (node >= m->taken.nodes.n)
		return out;
	t = &m->taken.nodes.at[node];
	out.is = t->is;
	out.open = t->entered > t->untimed + t->done ? t->entered - t->untimed - t->done : 0;
	return out;
}

struct wire_zone_sums probemaps_sums(const struct probemaps *m, size_t node)
{
	return node < m->taken.sums.n ? m->taken.sums.at[node] : (struct wire_zone_sums){0};
}

struct wire_zone_beside probemaps_beside(const struct probemaps *m, size_t node)
{
	return node < m->taken.beside.n ? m->taken.beside.at[node] : (struct wire_zone_beside){0};
}

uint64_t probemaps_calls(const struct probemaps *m, uint32_t zone)
{
	return zone < m->calls.n ? m->calls.at[zone].now - m->calls.at[zone].before : 0;
}

void probemaps_bins(const struct probemaps *m, probemaps_bins_fn fn, void *context)
{
	for (size_t i = 0; i < m->taken.octaves.n; i++)
		fn(context, m->taken.octaves.at[i].zone, m->taken.octaves.at[i].octave,
		   &m->taken.octaves.at[i].bins);
}

struct probemaps_own_stack probemaps_own_stack(const struct probemaps *m)
{
	uint64_t n[4];

	for (size_t i = 0; i < 4; i++)
		n[i] = m->own_stack[i].now - m->own_stack[i].before;
	return (struct probemaps_own_stack){n[0], n[1], n[2], n[3]};
}

uint64_t probemaps_entered(const struct probemaps *m)
{
	uint64_t n = 0;

	for (size_t i = 0; i < m->taken.nodes.n; i++)
		n += m->taken.nodes.at[i].entered;
	return n;
}

uint64_t probemaps_counted(const struct probemaps *m, uint32_t zone)
{
	return zone < m->calls.n ? m->calls.at[zone].now : 0;
}
