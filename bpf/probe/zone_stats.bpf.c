/* SPDX-License-Identifier: GPL-2.0 */
#include "probe/zone_stats.h"
#include "probe/thread.h"

const volatile __u32 config_zone_count = 1;

struct zone_nodes_map zone_nodes SEC(".maps");
struct zone_edges_map zone_edges SEC(".maps");
struct zone_hist_map zone_hist SEC(".maps");

__u32 zone_nodes_used;

static const struct wire_zone_bins no_bins;

static __u32 own_node(__u32 zone)
{
	struct wire_zone_node *n = zone_node(1 + zone);

	probe_tell(WIRE_PROBE_NOTE_FULL);
	if (n && !n->flags) {
		n->zone = zone;
		n->flags = WIRE_NODE_SHARED;
	}
	return 1 + zone;
}

/* The remaining nodes are reserved for existing threads, and for the tree that the others share. */
#define ROOM_FOR_THREADS (WIRE_ZONE_NODES / 4 * 3)

__u32 zone_node_new(const struct wire_zone_edge *edge, bool shared)
{
	__u32 number = 1 + config_zone_count, *known;
	struct wire_zone_node *n;

	if (zone_nodes_used >= WIRE_ZONE_NODES)
		return own_node(edge->zone);
	number += __sync_fetch_and_add(&zone_nodes_used, 1);
	if (zone_nodes_used >= ROOM_FOR_THREADS)
		probe_threads_full = 1;
	n = zone_node(number);
	if (!n)
		return own_node(edge->zone);
	n->thread = edge->thread;
	n->parent = edge->parent;
	n->zone = edge->zone;
	n->flags = shared || !edge->thread ? WIRE_NODE_SHARED : 0;
	if (!bpf_map_update_elem(&zone_edges, edge, &number, BPF_NOEXIST))
		return number;
	/* Another thread was faster, or memory ran out; the number stays unused. */
	known = bpf_map_lookup_elem(&zone_edges, edge);
	return known ? *known : own_node(edge->zone);
}

void zone_hist_new(__u32 key, __u32 slot)
{
	struct wire_zone_bins *bins;

	bpf_map_update_elem(&zone_hist, &key, &no_bins, BPF_NOEXIST);
	bins = bpf_map_lookup_elem(&zone_hist, &key);
	if (bins)
		__sync_fetch_and_add(&bins->count[slot & (WIRE_ZONE_BINS - 1)], 1);
	else
		probe_tell(WIRE_PROBE_NOTE_HIST);
}

/* Tries of an atomic minimum: given up only if more threads write one node at once. */
#define TRIES 16

static __always_inline void atomic_max(__u64 *at, __u64 value)
{
	__u64 seen = *at;

	for (int i = 0; i < TRIES && value > seen; i++) {
		__u64 was = __sync_val_compare_and_swap(at, seen, value);

		if (was == seen)
			return;
		seen = was;
	}
}

/* For values stored one larger, 0 meaning none. */
static __always_inline void atomic_min(__u64 *at, __u64 value)
{
	__u64 seen = *at;

	for (int i = 0; i < TRIES && value < seen - 1; i++) {
		__u64 was = __sync_val_compare_and_swap(at, seen, value + 1);

		if (was == seen)
			return;
		seen = was;
	}
}

static __always_inline void atomic_square(struct wire_wide *sum, __u64 ns)
{
	struct wire_wide one = {0};
	__u64 before;

	wire_add_square(&one, ns);
	before = __sync_fetch_and_add(&sum->low, one.low);
	__sync_fetch_and_add(&sum->high, one.high + (before + one.low < before));
}

void zone_stats_add_shared(struct wire_zone_stats *n, __u64 ns, __u64 self_ns)
{
	__sync_fetch_and_add(&n->timed, 1);
	__sync_fetch_and_add(&n->total_ns, ns);
	__sync_fetch_and_add(&n->self_ns, self_ns);
	atomic_min(&n->min_ns, ns);
	atomic_max(&n->max_ns, ns);
	atomic_min(&n->self_min_ns, self_ns);
	atomic_max(&n->self_max_ns, self_ns);
	atomic_square(&n->squares, ns);
	atomic_square(&n->self_squares, self_ns);
}
