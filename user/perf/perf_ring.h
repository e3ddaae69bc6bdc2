/*
 * perf_ring: the mapped ring into which the kernel writes records of perf events, and its reader.
 * Used by sideband and session_plain.
 */
#ifndef PERF_PERF_RING_H
#define PERF_PERF_RING_H

#include <stdint.h>
#include <linux/perf_event.h>

#include "base/vec.h"

/* The largest length that a record's header can hold. */
#define PERF_RING_RECORD 65536

struct perf_ring {
	int fd; /* of the event it was mapped with; owned. -1: none */
	struct perf_event_mmap_page *page;
	const uint8_t *data; /* behind the control page */
	uint64_t bytes;
};
typedef VEC(struct perf_ring) perf_rings;

/* Maps the ring of @fd; @bytes is a power of two of pages. 0, or a negative errno without a text;
 * release it in either case. */
int perf_ring_map(struct perf_ring *, int fd, uint64_t bytes);
void perf_ring_release(struct perf_ring *);
/* Releases all of them. */
void perf_rings_release(perf_rings *);

/* Calls the function for every complete record present at the time of the call, each copied to
 * @scratch (PERF_RING_RECORD bytes), and frees their room at once. Stops after @most_bytes, which
 * the last record may exceed. Returns the number of bytes read. */
typedef void (*perf_ring_fn)(void *context, const struct perf_event_header *);
uint64_t perf_ring_drain(struct perf_ring *, uint64_t most_bytes, void *scratch, perf_ring_fn,
			 void *context);

#endif
