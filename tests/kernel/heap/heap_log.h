/*
 * heap_log: what shim.c counts, as it lies in the file HEAP_LOG.
 */
#ifndef HEAP_LOG_H
#define HEAP_LOG_H

#include <stdint.h>

#define HEAP_LOG_BITS	 21
#define HEAP_LOG_ENTRIES (1u << HEAP_LOG_BITS)

struct heap_log {
	uint64_t calls, bytes, live, live_bytes, peak_bytes, temporary, unknown;
	uint32_t programs, lock;
	struct heap_entry {
		uint64_t key;
		uint64_t size : 63, live : 1;
	} entries[HEAP_LOG_ENTRIES];
};

#endif
