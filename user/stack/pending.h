/*
 * pending: records from the kernel that wait to be taken in order of time: those of the ring and of
 * the sideband, from all CPUs.
 */
#ifndef STACK_PENDING_H
#define STACK_PENDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"
#include "perf/sideband.h"

struct pending_item {
	uint64_t time_ns;
	uint32_t order; /* order of arrival: decides between equal times */
	uint32_t side;	/* index + 1 in side; 0: a record of the ring */
	size_t at, n;	/* of a ring's record: offset and padded length in bytes */
};

/* A zeroed one is empty and valid. */
struct pending {
	side_records side;
	VEC(uint8_t) bytes;
	VEC(struct pending_item) items;
};

/* Adds a copy of a ring's record. */
void pending_ring(struct pending *, const void *record, size_t n, uint64_t time_ns);
/*
 * The time by which to take a ring record of @time_ns; call it in the order of the ring. A stack
 * precedes the samples that name it in the ring, but may have a later time: if programs on two CPUs
 * find the same new stack, the one with the later hit may send it first. So no record is due before
 * a stack that precedes it. *@stack_ns, 0 at first, is the latest stack's time.
 */
uint64_t pending_due_ns(uint64_t *stack_ns, bool is_stack, uint64_t time_ns);
/* Side records are drained into p->side directly; this adds items for those from @first on. */
void pending_side(struct pending *, size_t first);

/* Appends the ring records of @from to @to; @from is empty then. */
void pending_append(struct pending *to, struct pending *from);

/* Calls one of the two for each item before @until_ns, in order of time; later ones stay. A record
 * from another CPU can come a little late, so @until_ns should be the time before the rings were
 * drained. */
struct pending_handlers {
	void (*ring)(void *context, const void *record);
	void (*side)(void *context, const struct side_record *);
	void *context;
	const bool *stop; /* once it is true, the remaining items stay; NULL: never */
};
void pending_take(struct pending *, uint64_t until_ns, const struct pending_handlers *);
void pending_release(struct pending *);

#endif
