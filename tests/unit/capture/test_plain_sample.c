/* Samples of perf events without any program: what the kernel writes, and the slice made of it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/err.h"
#include "perf/event.h"
#include "perf/plain_sample.h"
#include "perf/rights.h"

#define SP 0x7ffd12345678

/* A record as perf_event_open(2) lists its fields. */
struct record {
	struct perf_event_header h;
	uint64_t words[9000];
	size_t n;
};

static void word(struct record *r, uint64_t value)
{
	r->words[r->n++] = value;
	r->h.size = (uint16_t)(sizeof(r->h) + r->n * 8);
}

/* Registers by the kernel's number + 1000, but for the stack pointer; room for @room bytes of the
 * stack, of which @copied were read: each word is its own address. */
static struct record *sample(uint64_t room, uint64_t copied)
{
	struct record *r = calloc(1, sizeof(*r));

	assert_non_null(r);
	r->h.type = PERF_RECORD_SAMPLE;
	word(r, 77);		       /* identifier */
	word(r, 4711 | 4712ull << 32); /* pid, tid */
	word(r, 123456789);	       /* time */
	word(r, 10101010);	       /* period */
	word(r, PERF_SAMPLE_REGS_ABI_64);
	for (uint64_t i = 0; i < 24; i++)
		if (i < 9 || i >= 16)
			word(r, i == 7 ? SP : 1000 + i);
	word(r, room);
	for (uint64_t at = 0; at < room; at += 8)
		word(r, SP + at);
	if (room)
		word(r, copied);
	return r;
}

#define UNREADABLE (~0ull)

/* As the unwinder reads a slice. */
static uint64_t read_at(const struct plain_slice *s, uint64_t address)
{
	const struct wire_slice *h = &s->head;
	uint64_t value;

	for (uint32_t i = 0; i < h->pieces; i++) {
		uint32_t part = i >= h->split;
		uint64_t start = h->start[part] + (i - (part ? h->split : 0)) * WIRE_SLICE_PIECE;

		if (address >= start && address >= h->lowest &&
		    address + 8 <= start + WIRE_SLICE_PIECE) {
			memcpy(&value, s->stack + i * WIRE_SLICE_PIECE + (address - start), 8);
			return value;
		}
	}
	return UNREADABLE;
}

static void test_fields(void **state)
{
	struct plain_slice *s = malloc(sizeof(*s));
	struct record *r = sample(16384, 8192);
	uint64_t id = 0;

	(void)state;
	assert_int_equal(plain_sample_decode(&r->h, s, &id),
			 sizeof(s->head) + 4 * WIRE_SLICE_PIECE);
	assert_int_equal(id, 77);
	assert_int_equal(s->head.sample.kind, WIRE_SLICE);
	assert_int_equal(s->head.sample.pid, 4711);
	assert_int_equal(s->head.sample.tid, 4712);
	assert_int_equal(s->head.sample.time_ns, 123456789);
	assert_int_equal(s->head.sample.weight, 10101010);
	/* rax rdx rcx rbx rsi rdi rbp rsp r8 … r15 rip; the kernel has rax rbx rcx rdx … rip. */
	assert_int_equal(s->head.registers[0], 1000);
	assert_int_equal(s->head.registers[1], 1003);
	assert_int_equal(s->head.registers[3], 1001);
	assert_int_equal(s->head.registers[6], 1006);
	assert_int_equal(s->head.registers[7], SP);
	assert_int_equal(s->head.registers[8], 1016);
	assert_int_equal(s->head.registers[15], 1023);
	assert_int_equal(s->head.registers[16], 1008);
	free(r);
	free(s);
}

/* What was copied can be read, each word at its address, and nothing in front of it or behind. */
static void test_stack(void **state)
{
	static const uint64_t copied[] = {8, 2040, 2048, 2056, 4088, 8192, 12000, 61440};
	struct plain_slice *s = malloc(sizeof(*s));
	uint64_t id;

	(void)state;
	for (size_t i = 0; i < sizeof(copied) / sizeof(*copied); i++) {
		struct record *r = sample(61440, copied[i]);

		assert_true(plain_sample_decode(&r->h, s, &id) > 0);
		assert_int_equal(read_at(s, SP - 8), UNREADABLE);
		for (uint64_t at = 0; at < copied[i]; at += 8)
			assert_int_equal(read_at(s, SP + at), SP + at);
		assert_int_equal(read_at(s, SP + copied[i]), UNREADABLE);
		free(r);
	}
	free(s);
}

/* A task without user registers or stack: the sample counts all the same. */
static void test_nothing_of_user(void **state)
{
	struct plain_slice *s = malloc(sizeof(*s));
	struct record *r = calloc(1, sizeof(*r));
	uint64_t id;

	(void)state;
	r->h.type = PERF_RECORD_SAMPLE;
	for (uint64_t i = 0; i < 4; i++)
		word(r, i);
	word(r, PERF_SAMPLE_REGS_ABI_NONE);
	word(r, 0); /* no stack */
	assert_int_equal(plain_sample_decode(&r->h, s, &id), sizeof(s->head));
	assert_int_equal(s->head.pieces, 0);
	free(r);
	free(s);
}

/* A record that ends too early, or says what cannot be, is none. */
static void test_cut(void **state)
{
	struct plain_slice *s = malloc(sizeof(*s));
	struct record *r = sample(8192, 8192);
	const uint16_t whole = r->h.size;
	uint64_t id;

	(void)state;
	for (uint16_t size = 0; size < whole; size = (uint16_t)(size + 4)) {
		r->h.size = size;
		assert_int_equal(plain_sample_decode(&r->h, s, &id), 0);
	}
	r->h.size = whole;
	r->words[r->n - 1] = 8200; /* copied more than there was room */
	assert_int_equal(plain_sample_decode(&r->h, s, &id), 0);
	r->h.type = PERF_RECORD_COMM;
	assert_int_equal(plain_sample_decode(&r->h, s, &id), 0);
	free(r);
	free(s);
}

static void test_user_only(void **state)
{
	static const char *const names[][2] = {
		{"cpu-clock", "cpu-clock:u"},	{"cpu-clock:uk", "cpu-clock:u"},
		{"cpu-clock:u", "cpu-clock:u"}, {"cpu-clock:k", "cpu-clock:k"},
		{"cycles", "cycles:u"},		{"page-faults", "page-faults"}};

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		struct event e;

		assert_int_equal(event_parse(names[i][0], &e), 0);
		event_user_only(&e);
		assert_string_equal(e.name, names[i][1]);
	}
}

/* Debian's kernels know a level 3, at which there is nothing for users. */
static void test_paranoid(void **state)
{
	(void)state;
	assert_true(rights_no_events(3) < 0);
	assert_non_null(strstr(err_text(), "kernel.perf_event_paranoid is 3"));
	assert_non_null(strstr(err_text(), "sudo sysctl kernel.perf_event_paranoid=2"));
	assert_true(rights_no_events(2) < 0);
	assert_null(strstr(err_text(), "perf_event_paranoid"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fields),		cmocka_unit_test(test_stack),
		cmocka_unit_test(test_nothing_of_user), cmocka_unit_test(test_cut),
		cmocka_unit_test(test_user_only),	cmocka_unit_test(test_paranoid),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
