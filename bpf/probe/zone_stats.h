/* SPDX-License-Identifier: GPL-2.0 */
/*
 * zone_stats: the statistics of the action zone: nodes of the call tree, and each zone's histogram.
 */
#ifndef PROBE_ZONE_STATS_H
#define PROBE_ZONE_STATS_H

#include "probe/proc.h"
#include "wire_zone.h"

extern const volatile __u32 config_zone_count; /* zones, at most: see zone_nodes */

/* Node → its statistics. 0 is the root, 1 + zone the zone's own node for calls without a place; the
 * rest are allocated as places are first met. Written by programs, read through mmap by the loader,
 * which sets the size. */
struct zone_nodes_map {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct wire_zone_node);
};
extern struct zone_nodes_map zone_nodes SEC(".maps");

static __always_inline struct wire_zone_node *zone_node(__u32 node)
{
	return bpf_map_lookup_elem(&zone_nodes, &node);
}

static __always_inline struct wire_zone_stats *zone_stats(struct wire_zone_node *n)
{
	return &n->window[zone_window & 1];
}

/* Thread number, parent node, zone → node. Written by programs when a place is first met, read by
 * them; the loader reads the same from the nodes. */
struct zone_edges_map {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, WIRE_ZONE_NODES);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, struct wire_zone_edge);
	__type(value, __u32);
};
extern struct zone_edges_map zone_edges SEC(".maps");

/* WIRE_ZONE_HIST() → 64 bins. Written with atomic operations by all threads, read by the loader.
 * A zone has about five octaves: room for 6,000 zones; memory is allocated as used. */
struct zone_hist_map {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 32768);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, __u32);
	__type(value, struct wire_zone_bins);
};
extern struct zone_hist_map zone_hist SEC(".maps");

/* Nodes allocated so far, without the zones' own. */
extern __u32 zone_nodes_used;

/* Allocates the node of a call that was not met before; the zone's own node if none is left. */
__u32 zone_node_new(const struct wire_zone_edge *edge, bool shared) __hidden;
/* As zone_hist_add(), for a bin of a new octave. */
void zone_hist_new(__u32 key, __u32 slot) __hidden;
/* Adds a timed call to a node that several threads write. */
void zone_stats_add_shared(struct wire_zone_stats *s, __u64 ns, __u64 self_ns) __hidden;

/* @window: the same as for the call's node, though the loader changes it meanwhile. */
static __always_inline void zone_hist_add(__u32 zone, __u32 window, __u64 ns)
{
	__u32 bin = wire_zone_bin(ns), slot = bin & (WIRE_ZONE_BINS - 1);
	__u32 key = WIRE_ZONE_HIST(zone, window, bin / WIRE_ZONE_BINS);
	struct wire_zone_bins *bins = bpf_map_lookup_elem(&zone_hist, &key);

	if (bins)
		__sync_fetch_and_add(&bins->count[slot], 1);
	else
		zone_hist_new(key, slot);
}

static __always_inline void zone_node_add(struct wire_zone_node *node, __u32 window, __u64 ns,
					  __u64 self_ns)
{
	struct wire_zone_stats *n = &node->window[window & 1];

	if (node->flags & WIRE_NODE_SHARED) {
		zone_stats_add_shared(n, ns, self_ns);
		return;
	}
	n->timed++;
	n->total_ns += ns;
	n->self_ns += self_ns;
	/* min_ns is stored one larger, 0 meaning none; minus one, none becomes the largest
	 * value. */
	if (ns < n->min_ns - 1)
		n->min_ns = ns + 1;
	if (ns > n->max_ns)
		n->max_ns = ns;
	if (self_ns < n->self_min_ns - 1)
		n->self_min_ns = self_ns + 1;
	if (self_ns > n->self_max_ns)
		n->self_max_ns = self_ns;
	wire_add_square(&n->squares, ns);
	wire_add_square(&n->self_squares, self_ns);
}

static __always_inline void zone_node_count(struct wire_zone_node *n, __u64 *counter)
{
	if (n->flags & WIRE_NODE_SHARED)
		__sync_fetch_and_add(counter, 1);
	else
		++*counter;
}

/* The node of a call of @zone in @parent of @thread. */
static __always_inline __u32 zone_node_of(__u32 thread, __u32 parent, __u32 zone, bool shared)
{
	struct wire_zone_edge edge = {thread, parent, zone};
	__u32 *node = bpf_map_lookup_elem(&zone_edges, &edge);

	return node ? *node : zone_node_new(&edge, shared);
}

#endif
