#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <bpf/bpf.h>

#include "base/err.h"
#include "base/mem.h"
#include "load/zonemaps.h"
#include "load/counters.h"

/* An array map, mapped into our memory. */
struct table {
	const void *at;
	size_t bytes;
};

struct zonemaps {
	struct zonemaps_raw raw;
	struct table nodes, threads, sums, beside;
};

static int map_table(int fd, size_t n, size_t size, struct table *out)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	void *at;

	out->bytes = (n * size + page - 1) / page * page;
	at = mmap(NULL, out->bytes, PROT_READ, MAP_SHARED, fd, 0);
	if (at == MAP_FAILED)
		return err(-errno, "cannot map the tables of zones: %s", strerror(errno));
	out->at = at;
	return 0;
}

/* The first node that is not a zone's own. */
static size_t first_place(const struct zonemaps *m)
{
	return 1 + (size_t)m->raw.max_zones + WIRE_ZONE_SPARE;
}

static size_t all_nodes(const struct zonemaps *m)
{
	return first_place(m) + WIRE_ZONE_NODES;
}

int zonemaps_new(const struct zonemaps_raw *raw, struct zonemaps **out)
{
	struct zonemaps *m = mem_zalloc(1, sizeof(*m));
	int ret;

	m->raw = *raw;
	ret = map_table(raw->zone_nodes, all_nodes(m), sizeof(struct wire_zone_node), &m->nodes);
	if (!ret)
		ret = map_table(raw->zone_threads, WIRE_ZONE_THREADS,
				sizeof(struct wire_zone_thread), &m->threads);
	if (!ret && raw->zone_sums >= 0)
		ret = map_table(raw->zone_sums, all_nodes(m), sizeof(struct wire_zone_sums),
				&m->sums);
	if (!ret && raw->zone_beside >= 0)
		ret = map_table(raw->zone_beside, all_nodes(m), sizeof(struct wire_zone_beside),
				&m->beside);
	if (ret) {
		zonemaps_free(m);
		return ret;
	}
	*out = m;
	return 0;
}

static void unmap(struct table *t)
{
	if (t->at)
		munmap((void *)(uintptr_t)t->at, t->bytes);
}

void zonemaps_free(struct zonemaps *m)
{
	if (!m)
		return;
	unmap(&m->nodes);
	unmap(&m->threads);
	unmap(&m->sums);
	unmap(&m->beside);
	free(m);
}

void zonemaps_enable(struct zonemaps *m, bool on)
{
	__atomic_store_n(m->raw.zone_enabled, on, __ATOMIC_SEQ_CST);
}

static void changed(struct zonemaps *m)
{
	/* Skips 0, which is the epoch of an unknown thread. */
	if (!__atomic_add_fetch(m->raw.zone_epoch, 1, __ATOMIC_SEQ_CST))
		__atomic_add_fetch(m->raw.zone_epoch, 1, __ATOMIC_SEQ_CST);
}

void zonemaps_look_again(struct zonemaps *m)
{
	changed(m);
}

int zonemaps_set_proc(struct zonemaps *m, uint32_t pid, struct wire_zone_proc proc)
{
	int ret = bpf_map_update_elem(m->raw.zone_procs, &pid, &proc, BPF_ANY);

	if (ret)
		return err(ret, "cannot pass the target to the BPF programs: %s", strerror(-ret));
	changed(m);
	return 0;
}

void zonemaps_forget_proc(struct zonemaps *m, uint32_t pid)
{
	bpf_map_delete_elem(m->raw.zone_procs, &pid);
	changed(m);
}

void zonemaps_pass_file(struct zonemaps *m, const struct wire_zone_file *file)
{
	uint8_t one = 1;

	(void)bpf_map_update_elem(m->raw.zone_files, file, &one, BPF_ANY);
}

void zonemaps_forget_file(struct zonemaps *m, const struct wire_zone_file *file)
{
	bpf_map_delete_elem(m->raw.zone_files, file);
}

void zonemaps_set_generation(struct zonemaps *m, uint32_t image, uint8_t generation)
{
	__atomic_store_n(&m->raw.zone_generation[image % WIRE_ZONE_IMAGES], generation,
			 __ATOMIC_SEQ_CST);
}

uint32_t zonemaps_max_zones(const struct zonemaps *m)
{
	return m->raw.max_zones;
}

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

size_t zonemaps_nodes(const struct zonemaps *m)
{
	uint32_t used = __atomic_load_n(m->raw.zone_nodes_used, __ATOMIC_ACQUIRE);

	return least(first_place(m) + used, all_nodes(m));
}

struct wire_zone_node zonemaps_node(const struct zonemaps *m, size_t node)
{
	return ((const struct wire_zone_node *)m->nodes.at)[node];
}

struct wire_zone_sums zonemaps_sums(const struct zonemaps *m, size_t node)
{
	if (!m->sums.at)
		return (struct wire_zone_sums){0};
	return ((const struct wire_zone_sums *)m->sums.at)[node];
}

struct wire_zone_beside zonemaps_beside(const struct zonemaps *m, size_t node)
{
	if (!m->beside.at)
		return (struct wire_zone_beside){0};
	return ((const struct wire_zone_beside *)m->beside.at)[node];
}

size_t zonemaps_threads(const struct zonemaps *m)
{
	uint32_t used = __atomic_load_n(m->raw.zone_threads_used, __ATOMIC_ACQUIRE);

	return least(1 + (size_t)used, WIRE_ZONE_THREADS);
}

struct wire_zone_thread zonemaps_thread(const struct zonemaps *m, size_t thread)
{
	return ((const struct wire_zone_thread *)m->threads.at)[thread];
}

void zonemaps_bins(const struct zonemaps *m, zonemaps_bins_fn fn, void *context)
{
	struct wire_zone_bins bins;
	uint32_t key, next;
	bool first = true;

	while (!bpf_map_get_next_key(m->raw.zone_hist, first ? NULL : &key, &next)) {
		first = false;
		key = next;
		if (!bpf_map_lookup_elem(m->raw.zone_hist, &key, &bins))
			fn(context, key >> 8, key & 0xff, &bins);
	}
}

/* 0 where it cannot be read. */
static uint64_t sum_cpus(int fd, uint32_t key)
{
	uint64_t n;

	return counters_sum(fd, key, &n) ? 0 : n;
}

uint64_t zonemaps_calls(const struct zonemaps *m, uint32_t zone)
{
	return m->raw.zone_calls < 0 ? 0 : sum_cpus(m->raw.zone_calls, zone);
}

static void add_nodes(const struct zonemaps *m, struct zonemaps_calls *out, uint32_t n)
{
	const struct wire_zone_node *node = m->nodes.at;
	size_t nodes = zonemaps_nodes(m);

	for (size_t i = 1; i < nodes; i++) {
		uint64_t untimed = node[i].untimed;

		if (node[i].zone >= n || node[i].entered < untimed)
			continue;
		out[node[i].zone].timed += node[i].entered - untimed;
		out[node[i].zone].counted += untimed;
	}
}

/* Zones whose values, for all CPUs, are read at a time. */
#define BATCH 128

static void add_counters(const struct zonemaps *m, struct zonemaps_calls *out, uint32_t n)
{
	int cpus = counters_cpus();
	_free_ uint64_t *values = mem_zalloc(BATCH * (size_t)cpus, sizeof(*values));
	uint32_t keys[BATCH], next = 0, got = BATCH;

	for (uint32_t first = 0; first < n && got; first += got) {
		got = BATCH;
		if (bpf_map_lookup_batch(m->raw.zone_calls, first ? &next : NULL, &next, keys,
					 values, &got, NULL) &&
		    errno != ENOENT)
			return;
		for (uint32_t i = 0; i < got && keys[i] < n; i++)
			for (int cpu = 0; cpu < cpus; cpu++)
				out[keys[i]].counted += values[i * (uint32_t)cpus + (uint32_t)cpu];
	}
}

void zonemaps_add_calls(const struct zonemaps *m, struct zonemaps_calls *out, uint32_t n)
{
	add_nodes(m, out, n);
	if (m->raw.zone_calls >= 0)
		add_counters(m, out, n);
}

void zonemaps_count_only(struct zonemaps *m, uint32_t zone, bool on)
{
	uint32_t value = on;

	if (m->raw.zone_counted >= 0)
		(void)bpf_map_update_elem(m->raw.zone_counted, &zone, &value, BPF_ANY);
}

uint64_t zonemaps_counter(const struct zonemaps *m, enum wire_zone_counter counter)
{
	return sum_cpus(m->raw.zone_counters, counter);
}

bool zonemaps_counter_by_cpu(const struct zonemaps *m, enum wire_zone_counter counter,
			     uint64_t *out)
{
	uint32_t key = counter;

	return !bpf_map_lookup_elem(m->raw.zone_counters, &key, out);
}
