/*
 * perf_ring: the ring of records that the kernel writes for perf events, mapped and read. Used by
 * sideband and session_plain.
 */
#ifndef PERF_RING_H
#define PERF_RING_H

#include <stdint.h>
#include <linux/perf_event.h>

#include "base/vec.h"

/* A record is at most as long as its header can tell. */
#define PERF_RING_RECORD 65536

struct perf_ring {
	int fd; /* of the event that it was mapped by; owned. -1: none */
	struct perf_event_mmap_page *page;
	const uint8_t *data; /* behind the page */
	uint64_t bytes;
};
typedef VEC(struct perf_ring) perf_rings;

/* Maps the ring of @fd, of @bytes, a power of two of pages. 0, or a negative errno without a text;
 * to be released in either case. */
int perf_ring_map(struct perf_ring *, int fd, uint64_t bytes);
void perf_ring_release(struct perf_ring *);
/* All of them. */
void perf_rings_release(perf_rings *);

/* Hands out the records that are there at the moment of the call, whole, each in @scratch of
 * PERF_RING_RECORD bytes, and gives the kernel their room back at once. No more than @most_bytes
 * (the last one may exceed that). Returns how many bytes that was. */
typedef void (*perf_ring_fn)(void *context, const struct perf_event_header *);
uint64_t perf_ring_drain(struct perf_ring *, uint64_t most_bytes, void *scratch, perf_ring_fn,
			 void *context);

#endif
