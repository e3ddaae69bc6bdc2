/*
 * Arenas of glibc (process/arenas.h) in a file that stands for another process's memory: as glibc
 * leaves them, and as who wants to harm the reader would.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/clock.h"
#include "process/arenas.h"

#define BINS 127

/* glibc's data, where the main arena is in them, and `top` in an arena of glibc 2.36. */
#define DATA	 UINT64_C(0x100000)
#define DATA_END (DATA + 0x40000)
#define MAIN	 (DATA + 0x400)
#define TOP	 96
/* Another arena, and the memory of both. */
#define SECOND	    UINT64_C(0x7f0000000030)
#define HEAP	    UINT64_C(0x555500000000)
#define SECOND_HEAP UINT64_C(0x7f0000001000)

/* What the reader is to do in, whatever the memory holds: the promised 100 ms, on a machine that
 * has other things to do. */
#define SOON_NS UINT64_C(5000000000)

/* From `top` on, as in malloc/malloc.c. */
struct state {
	uint64_t top, last_remainder, bins[BINS][2];
	uint32_t binmap[4];
	uint64_t next, next_free, attached, system, system_most;
};

static int mem;

static void put(uint64_t at, const void *bytes, size_t n)
{
	assert_int_equal(pwrite(mem, bytes, n, (off_t)at), n);
}

static void put_word(uint64_t at, uint64_t word)
{
	put(at, &word, sizeof(word));
}

/* The links of a bin count as those of a block that begins 16 bytes before them. */
static uint64_t bin(uint64_t arena, size_t i)
{
	return arena + TOP + offsetof(struct state, bins) + i * 16 - 16;
}

/* A block: its size, and the neighbours in its list. */
static void put_block(uint64_t at, uint64_t size, uint64_t forward, uint64_t back)
{
	put_word(at + 8, size);
	put_word(at + 16, forward);
	put_word(at + 24, back);
}

/* An arena of @pages at @heap, the last of which are its top, without other free blocks. */
static void put_arena(uint64_t arena, uint64_t next, uint64_t heap, uint64_t pages,
		      uint64_t top_pages)
{
	struct state s = {.top = heap + (pages - top_pages) * 4096,
			  .next = next,
			  .system = pages * 4096,
			  .system_most = pages * 4096};

	for (size_t i = 0; i < BINS; i++)
		s.bins[i][0] = s.bins[i][1] = bin(arena, i);
	put(arena + TOP, &s, sizeof(s));
	put_word(s.top + 8, top_pages * 4096 | 1);
}

/* A list of two blocks in a bin of the main arena. */
static void put_two(size_t i, uint64_t first, uint64_t second, uint64_t size)
{
	put_word(bin(MAIN, i) + 16, first);
	put_word(bin(MAIN, i) + 24, second);
	put_block(first, size | 1, second, bin(MAIN, i));
	put_block(second, size | 1, bin(MAIN, i), first);
}

static bool is_read(struct arenas *a)
{
	const uint64_t start_ns = clock_ns(CLOCK_MONOTONIC);
	const bool found = arenas_read(mem, DATA, DATA_END, a);

	assert_true(clock_ns(CLOCK_MONOTONIC) - start_ns < SOON_NS);
	return found;
}

static int fresh(void **state)
{
	(void)state;
	mem = memfd_create("memory", MFD_CLOEXEC);
	return mem < 0 || ftruncate(mem, (off_t)1 << 47) ||
	       !(put_arena(MAIN, SECOND, HEAP, 33, 2), true) ||
	       !(put_arena(SECOND, MAIN, SECOND_HEAP, 20, 10), true);
}

static int done(void **state)
{
	(void)state;
	return close(mem);
}

/* --- as glibc leaves them ----------------------------------------------------------------------
 */

static void both_arenas_and_their_tops(void **state)
{
	struct arenas a;

	(void)state;
	assert_true(is_read(&a));
	assert_int_equal(a.n, 2);
	assert_int_equal(a.system_bytes, 53 * 4096);
	assert_int_equal(a.free_bytes, 12 * 4096);
	assert_int_equal(a.free_blocks, 0);
	assert_int_equal(a.busy, 0);
	assert_false(a.knows_mmapped);
}

static void free_blocks_count(void **state)
{
	struct arenas a;

	(void)state;
	put_two(0, HEAP + 0x1000, HEAP + 0x4ff0, 0x90);
	put_two(40, HEAP + 0x2000, HEAP + 0x9000, 0x400);
	assert_true(is_read(&a));
	assert_int_equal(a.free_blocks, 4);
	assert_int_equal(a.free_bytes, 12 * 4096 + 2 * 0x90 + 2 * 0x400);
	assert_int_equal(a.busy, 0);
}

/* struct malloc_par, behind the main arena. */
static void blocks_in_mappings_of_their_own(void **state)
{
	const uint32_t n[] = {3, 65536, 5, 0};
	struct arenas a;

	(void)state;
	put(DATA + 0x2000, n, sizeof(n));
	put_word(DATA + 0x2010, 3 * 0x21000);
	put_word(DATA + 0x2018, 5 * 0x21000);
	put_word(DATA + 0x2020, HEAP);
	assert_true(is_read(&a));
	assert_true(a.knows_mmapped);
	assert_int_equal(a.mmapped_blocks, 3);
	assert_int_equal(a.mmapped_bytes, 3 * 0x21000);
}

static void an_arena_that_was_never_used(void **state)
{
	struct arenas a;

	(void)state;
	put_word(SECOND + TOP + offsetof(struct state, system), 0);
	put_word(SECOND + TOP + offsetof(struct state, system_most), 0);
	assert_true(is_read(&a));
	assert_int_equal(a.n, 1);
	assert_int_equal(a.system_bytes, 33 * 4096);
}

/* --- as they should not be ---------------------------------------------------------------------
 */

/* There is more free than is counted, which is said. */
static void expect_busy(void)
{
	struct arenas a;

	assert_true(is_read(&a));
	assert_int_equal(a.n, 2);
	assert_int_equal(a.busy, 1);
	assert_true(a.free_bytes <= a.system_bytes);
}

static void blocks_in_a_circle(void **state)
{
	(void)state;
	put_two(3, HEAP + 0x1000, HEAP + 0x2000, 0x40);
	put_word(HEAP + 0x2000 + 16, HEAP + 0x1000);
	expect_busy();
	/* One that agrees at each step: the block's own neighbour. */
	put_two(3, HEAP + 0x1000, HEAP + 0x1000, 0x40);
	put_block(HEAP + 0x1000, 0x41, HEAP + 0x1000, HEAP + 0x1000);
	expect_busy();
}

static void sizes_that_cannot_be(void **state)
{
	static const uint64_t sizes[] = {0, 0x10, 0x28, 34 * 4096, UINT64_MAX, INT64_MAX};

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		put_two(3, HEAP + 0x1000, HEAP + 0x2000, 0x40);
		put_word(HEAP + 0x2000 + 8, sizes[i]);
		expect_busy();
	}
	put_two(3, HEAP + 0x1000, HEAP + 0x2000, 0x40);
	put_word(HEAP + 31 * 4096 + 8, UINT64_MAX); /* the top's */
	expect_busy();
}

static void pointers_to_nowhere(void **state)
{
	static const uint64_t to[] = {0x10, 0x1ff0, HEAP + 8, (UINT64_C(1) << 47) - 16, HEAP - 16};

	(void)state;
	for (size_t i = 0; i < sizeof(to) / sizeof(*to); i++) {
		put_word(bin(MAIN, 3) + 16, to[i]);
		put_word(bin(MAIN, 3) + 24, to[i]);
		expect_busy();
	}
}

/* The first window is for what is at 0, of which it has nothing. What it had before is no answer:
 * here the links of a block that is in the window's place. */
static void nothing_is_left_of_other_memory(void **state)
{
	const uint64_t like = HEAP + 64 * 8192;

	(void)state;
	put_two(3, like, 0x100, 0x40);
	put_block(like + 0x100, 0x41, bin(MAIN, 3), like);
	put_block(0x100, 0, 0, 0);
	expect_busy();
}

static void forged_links_are_no_arena(void **state)
{
	struct arenas a;

	(void)state;
	put_word(bin(MAIN, 5) + 24, UINT64_MAX);
	assert_false(is_read(&a));
	put_word(bin(MAIN, 5) + 24, bin(MAIN, 5));
	put_word(MAIN + TOP + offsetof(struct state, system_most), 32 * 4096); /* below system */
	assert_false(is_read(&a));
	put_word(MAIN + TOP + offsetof(struct state, system_most), 33 * 4096);
	put_word(MAIN + TOP + offsetof(struct state, next), UINT64_MAX);
	assert_false(is_read(&a));
	put_word(MAIN + TOP + offsetof(struct state, next), SECOND);
	assert_true(is_read(&a));
}

static void arenas_in_a_circle_without_the_main_one(void **state)
{
	struct arenas a;

	(void)state;
	put_word(SECOND + TOP + offsetof(struct state, next), SECOND);
	assert_false(is_read(&a));
}

/* Links one behind the other are the bins of arenas that overlap, if a few words among them are
 * something else: thousands, each with a chain that does not lead back. */
static void thousands_of_arenas_take_no_longer(void **state)
{
	const size_t words = (DATA_END - DATA) / 8;
	uint64_t data[words];
	struct arenas a;

	(void)state;
	for (size_t i = 0; i < words; i++)
		data[i] = i % 12 < 3 ? SECOND : i % 12 < 6 ? 4096 : DATA + 8 * (i - i % 2) - 16;
	put(DATA, data, sizeof(data));
	put_word(SECOND + TOP + offsetof(struct state, next), SECOND);
	assert_false(is_read(&a));
}

static void data_that_cannot_be(void **state)
{
	struct arenas a;

	(void)state;
	assert_false(arenas_read(mem, DATA + 4, DATA_END, &a));
	assert_false(arenas_read(mem, DATA, DATA, &a));
	assert_false(arenas_read(mem, DATA_END, DATA, &a));
	assert_false(arenas_read(mem, 0, UINT64_MAX, &a));
	assert_false(arenas_read(mem, DATA, DATA + (257 << 10), &a));
	assert_false(arenas_read(mem, UINT64_MAX - 4095, UINT64_MAX, &a));
	assert_false(arenas_read(-1, DATA, DATA_END, &a));
}

static void files_that_may_be_glibc(void **state)
{
	(void)state;
	assert_true(arenas_may_have("/lib/x86_64-linux-gnu/libc.so.6"));
	assert_true(arenas_may_have("/lib64/libc-2.31.so"));
	assert_false(arenas_may_have("/lib/libcrypto.so.3"));
	assert_false(arenas_may_have("/lib/ld-musl-x86_64.so.1"));
	assert_false(arenas_may_have(""));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fresh, done)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(both_arenas_and_their_tops),
		TEST(free_blocks_count),
		TEST(blocks_in_mappings_of_their_own),
		TEST(an_arena_that_was_never_used),
		TEST(blocks_in_a_circle),
		TEST(sizes_that_cannot_be),
		TEST(pointers_to_nowhere),
		TEST(nothing_is_left_of_other_memory),
		TEST(forged_links_are_no_arena),
		TEST(arenas_in_a_circle_without_the_main_one),
		TEST(thousands_of_arenas_take_no_longer),
		TEST(data_that_cannot_be),
		TEST(files_that_may_be_glibc),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
