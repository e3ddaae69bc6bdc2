/*
 * pending: what has come from the kernel and waits to be taken in order of time: the ring's
 * records and the sideband's, from all CPUs.
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
	uint32_t order; /* of arrival; decides where times are equal */
	uint32_t side;	/* index + 1 in side, or 0: a record of the ring */
	size_t at, n;	/* of a ring's record: its place in bytes, padded */
};

/* A zeroed one is empty and valid. */
struct pending {
	side_records side;
	VEC(uint8_t) bytes;
	VEC(struct pending_item) items;
};

/* A copy of a ring's record. */
void pending_ring(struct pending *, const void *record, size_t n, uint64_t time_ns);
/*
 * The time by which a ring record of @time_ns is to be taken; records in the order of the ring. A
 * sample comes behind the stack that it names, but its own time can be the earlier one: that is the
 * time of the hit, and of two programs that find the same stack on two CPUs the one that hit later
 * may send it first. So nothing is taken before a stack that came before it. *@stack_ns, 0 at
 * first, is the latest stack's time.
 */
uint64_t pending_due_ns(uint64_t *stack_ns, bool is_stack, uint64_t time_ns);
/* Side records are drained into p->side directly; this makes items of those from @first on. */
void pending_side(struct pending *, size_t first);

/* Moves the ring records of @from behind those of @to; @from is empty then. */
void pending_append(struct pending *to, struct pending *from);

/* Calls one of the two for each item with a time before @until_ns, in order of time; what is
 * later stays. A record from another CPU can come a little late, so @until_ns should be the time
 * before the rings were drained. */
struct pending_handlers {
	void (*ring)(void *context, const void *record);
	void (*side)(void *context, const struct side_record *);
	void *context;
	const bool *stop; /* once it is set, what is left stays; NULL: nothing stops it */
};
void pending_take(struct pending *, uint64_t until_ns, const struct pending_handlers *);
void pending_release(struct pending *);

#endif
