#include "perf/plain_sample.h"

#include <string.h>
#include <asm/perf_regs.h>

#define REGISTERS 17

/* The kernel's register numbers for CFI's numbers 0 … 16. */
static const uint8_t by_dwarf[REGISTERS] = {
	PERF_REG_X86_AX,  PERF_REG_X86_DX,  PERF_REG_X86_CX,  PERF_REG_X86_BX,	PERF_REG_X86_SI,
	PERF_REG_X86_DI,  PERF_REG_X86_BP,  PERF_REG_X86_SP,  PERF_REG_X86_R8,	PERF_REG_X86_R9,
	PERF_REG_X86_R10, PERF_REG_X86_R11, PERF_REG_X86_R12, PERF_REG_X86_R13, PERF_REG_X86_R14,
	PERF_REG_X86_R15, PERF_REG_X86_IP};
#define DWARF_RSP 7

static uint64_t all_registers(void)
{
	uint64_t mask = 0;

	for (size_t i = 0; i < REGISTERS; i++)
		mask |= 1ull << by_dwarf[i];
	return mask;
}

void plain_sample_ask(struct perf_event_attr *attr, uint32_t stack_bytes)
{
	attr->sample_type |= PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
			     PERF_SAMPLE_PERIOD | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
	attr->sample_regs_user = all_registers();
	attr->sample_stack_user = stack_bytes;
}

/* The unread rest of a record. */
struct rest {
	const uint8_t *at, *end;
};

/* Takes the next @bytes; NULL if there are fewer. */
static const void *take(struct rest *r, uint64_t bytes)
{
	const uint8_t *at = r->at;

	if (bytes > (uint64_t)(r->end - r->at))
		return NULL;
	r->at += bytes;
	return at;
}

static bool take_word(struct rest *r, uint64_t *out)
{
	const void *at = take(r, sizeof(*out));

	if (at)
		memcpy(out, at, sizeof(*out));
	return at;
}

/* Takes registers, in the order of the kernel's numbers. False: the record is too short. */
static bool take_registers(struct rest *r, struct wire_slice *s)
{
	uint64_t mask = all_registers(), value;

	for (uint8_t bit = 0; bit < 64; bit++) {
		if (!(mask >> bit & 1))
			continue;
		if (!take_word(r, &value))
			return false;
		for (size_t i = 0; i < REGISTERS; i++)
			if (by_dwarf[i] == bit)
				s->registers[i] = value;
	}
	return true;
}

/* Puts a copy shorter than a piece at the end of one. The bytes in front are no copy: what a
 * function has popped is read there, below the stack pointer. */
static void put_small(struct plain_slice *out, const uint8_t *stack, size_t bytes, uint64_t sp)
{
	const size_t before = WIRE_SLICE_PIECE - bytes;

	memset(out->stack, 0, before);
	memcpy(out->stack + before, stack, bytes);
	out->head.start[0] = sp - before;
	out->head.lowest = sp;
	out->head.pieces = out->head.split = 1;
	out->head.present = 1;
}

/* Puts the copy into whole pieces; the rest behind the last one goes into a piece that overlaps
 * it. */
static void put(struct plain_slice *out, const uint8_t *stack, size_t bytes, uint64_t sp)
{
	const uint32_t whole = (uint32_t)(bytes / WIRE_SLICE_PIECE);
	const bool more = bytes % WIRE_SLICE_PIECE;

	if (!whole) {
		put_small(out, stack, bytes, sp);
		return;
	}
	memcpy(out->stack, stack, (size_t)whole * WIRE_SLICE_PIECE);
	if (more)
		memcpy(out->stack + (size_t)whole * WIRE_SLICE_PIECE,
		       stack + bytes - WIRE_SLICE_PIECE, WIRE_SLICE_PIECE);
	out->head.start[0] = sp;
	out->head.start[1] = sp + bytes - WIRE_SLICE_PIECE;
	out->head.split = whole;
	out->head.pieces = whole + more;
	out->head.present = (1ull << out->head.pieces) - 1;
}

/* Takes the stack copy, of which the kernel may have read only a part. False: malformed. */
static bool take_stack(struct rest *r, struct plain_slice *out)
{
	const uint8_t *stack;
	uint64_t room, copied;

	if (!take_word(r, &room))
		return false;
	if (!room)
		return true;
	stack = take(r, room);
	if (!stack || !take_word(r, &copied) || copied > room || copied > PLAIN_STACK_MOST)
		return false;
	if (copied)
		put(out, stack, copied, out->head.registers[DWARF_RSP]);
	return true;
}

size_t plain_sample_decode(const struct perf_event_header *h, struct plain_slice *out, uint64_t *id)
{
	struct rest r = {(const uint8_t *)(h + 1), (const uint8_t *)h + h->size};
	struct wire_slice *s = &out->head;
	uint64_t task, abi;

	*s = (struct wire_slice){.sample.kind = WIRE_SLICE, .source = WIRE_SAMPLE};
	if (h->type != PERF_RECORD_SAMPLE || h->size < sizeof(*h) || !take_word(&r, id) ||
	    !take_word(&r, &task) || !take_word(&r, (uint64_t *)&s->sample.time_ns) ||
	    !take_word(&r, (uint64_t *)&s->sample.weight) || !take_word(&r, &abi))
		return 0;
	s->sample.pid = (uint32_t)task;
	s->sample.tid = (uint32_t)(task >> 32);
	if (abi != PERF_SAMPLE_REGS_ABI_NONE && !take_registers(&r, s))
		return 0;
	if (!take_stack(&r, out))
		return 0;
	return sizeof(*s) + (size_t)s->pieces * WIRE_SLICE_PIECE;
}
