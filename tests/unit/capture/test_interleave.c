/* Frames of a script find the places of the loops that run them. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "stack/interleave.h"
#include "wire_script.h"

#define KIND(kind, value) ((uint64_t)(kind) << WIRE_FRAME_SHIFT | (value))
#define LOOP(address)	  KIND(WIRE_FRAME_LOOP, address)
#define CORE(address)	  KIND(WIRE_FRAME_CORE, address)
#define SCRIPT(number)	  KIND(WIRE_FRAME_SCRIPT, (uint64_t)(number) << WIRE_SCRIPT_SHIFT | 7)
#define END(number)	  (SCRIPT(number) | WIRE_SCRIPT_END)
#define NOTE(note)	  KIND(WIRE_FRAME_SCRIPT, note)
#define TORN(frames, runs) \
	KIND(WIRE_FRAME_CHAIN, (uint64_t)(runs) << WIRE_CHAIN_SHIFT | (uint64_t)(frames))
#define CHAIN(frames, runs) (TORN(frames, runs) | WIRE_CHAIN_WHOLE)

/* Checks what becomes of the words of a stack that ended so. */
static void check_words(const uint64_t *given, uint32_t n, uint8_t end, const uint64_t *expected,
			uint32_t n_expected)
{
	uint64_t words[WIRE_USER_FRAMES];
	struct interleave_words w = {.at = words, .n = n};

	memcpy(words, given, n * sizeof(*words));
	interleave(&w, end);
	assert_int_equal(w.cut_at, 0);
	assert_int_equal(w.n, n_expected);
	for (uint32_t i = 0; i < n_expected; i++)
		assert_int_equal(words[i], expected[i]);
}

#define WORDS(...)		     ((const uint64_t[]){__VA_ARGS__})
#define COUNT(...)		     (sizeof(WORDS(__VA_ARGS__)) / sizeof(uint64_t))
#define ALL(...)		     WORDS(__VA_ARGS__), COUNT(__VA_ARGS__)
#define CHECK(given, end, expected)  CHECK_(given, end, expected)
#define CHECK_(words, n, end, ex, m) check_words(words, n, end, ex, m)

static void runs_take_the_places_of_loops(void **state)
{
	(void)state;
	CHECK(ALL(0x10, LOOP(0x20), 0x30, 0x40, LOOP(0x50), 0x60, CHAIN(5, 2), SCRIPT(1), END(2),
		  SCRIPT(3), SCRIPT(4), END(5)),
	      WIRE_END_ROOT,
	      ALL(0x10, SCRIPT(1), SCRIPT(2), 0x30, 0x40, SCRIPT(3), SCRIPT(4), SCRIPT(5), 0x60));
	/* A loop on top was interrupted itself; flags of native frames stay. */
	CHECK(ALL(LOOP(0x20), 0x30 | WIRE_EXACT, 0x40 | WIRE_BY_FRAME_POINTER, CHAIN(1, 1), END(1)),
	      WIRE_END_ROOT, ALL(SCRIPT(1), 0x30 | WIRE_EXACT, 0x40 | WIRE_BY_FRAME_POINTER));
}

static void a_core_goes_with_its_loop(void **state)
{
	(void)state;
	CHECK(ALL(CORE(0x10), LOOP(0x20), 0x30, CORE(0x40), LOOP(0x50), 0x60, CHAIN(2, 2), END(1),
		  END(2)),
	      WIRE_END_ROOT, ALL(SCRIPT(1), 0x30, SCRIPT(2), 0x60));
	/* But not with other code, or with a loop that stays. */
	CHECK(ALL(CORE(0x10), 0x20, CORE(0x30), LOOP(0x40), CORE(0x50), LOOP(0x60), CHAIN(1, 1),
		  END(1)),
	      WIRE_END_ROOT, ALL(0x10, 0x20, 0x30, 0x40, SCRIPT(1)));
	CHECK(ALL(CORE(0x10), 0x20), WIRE_END_ROOT, ALL(0x10, 0x20));
}

static void native_stacks_stay(void **state)
{
	(void)state;
	CHECK(ALL(0x10, 0x20 | WIRE_EXACT, SCRIPT(9), 0x30), WIRE_END_ROOT,
	      ALL(0x10, 0x20 | WIRE_EXACT, SCRIPT(9), 0x30));
	/* Loops, but no frames of a script: the thread runs none. */
	CHECK(ALL(0x10, LOOP(0x20) | WIRE_BY_FRAME_POINTER, 0x30), WIRE_END_NO_TABLE,
	      ALL(0x10, 0x20 | WIRE_BY_FRAME_POINTER, 0x30));
}

/* As of CPython before 3.11. */
static void frames_in_place_are_taken_out_again(void **state)
{
	uint64_t words[] = {SCRIPT(1), 0x10, SCRIPT(2), LOOP(0x20), 0x30};
	struct interleave_words w = {.at = words, .n = 5, .cut_at = 2};

	(void)state;
	/* Another interpreter's loops: which are the script's? */
	CHECK(ALL(0x10, SCRIPT(1), 0x20, SCRIPT(2), 0x30, LOOP(0x40), 0x50, LOOP(0x60), 0x70),
	      WIRE_END_ROOT, ALL(0x10, SCRIPT(1), SCRIPT(2), NOTE(WIRE_SCRIPT_TORN), 0x70));
	CHECK(ALL(SCRIPT(1), 0x20, LOOP(0x40), 0x50), WIRE_END_BROKEN,
	      ALL(SCRIPT(1), NOTE(WIRE_SCRIPT_TORN)));
	/* Of a deep stack the cut stays where it is. */
	interleave(&w, WIRE_END_ROOT);
	assert_int_equal(w.n, 4);
	assert_int_equal(w.cut_at, 1);
	assert_int_equal(words[1], SCRIPT(2));
	assert_int_equal(words[3], 0x30);
}

static void one_more_is_at_the_inner_end(void **state)
{
	(void)state;
	/* A loop that has no frame any more, or not yet. */
	CHECK(ALL(LOOP(0x10), 0x20, LOOP(0x30), 0x40, CHAIN(2, 1), SCRIPT(1), END(2)),
	      WIRE_END_ROOT, ALL(0x10, 0x20, SCRIPT(1), SCRIPT(2), 0x40));
	/* A function whose loop does not run yet; the native frame was interrupted. */
	CHECK(ALL(0x10, 0x20, LOOP(0x30), 0x40, CHAIN(3, 2), END(1), SCRIPT(2), END(3)),
	      WIRE_END_ROOT, ALL(SCRIPT(1), 0x10 | WIRE_EXACT, 0x20, SCRIPT(2), SCRIPT(3), 0x40));
}

static void without_a_pair_they_stand_together(void **state)
{
	(void)state;
	/* Two more loops than runs. */
	CHECK(ALL(0x10, LOOP(0x20), 0x30, LOOP(0x40), 0x50, LOOP(0x60), 0x70, CHAIN(2, 1),
		  SCRIPT(1), END(2)),
	      WIRE_END_ROOT, ALL(0x10, SCRIPT(1), SCRIPT(2), NOTE(WIRE_SCRIPT_TORN), 0x70));
	/* The native stack does not reach its root, so its loops are not the outermost ones. */
	CHECK(ALL(0x10, LOOP(0x20), 0x30, CHAIN(3, 2), SCRIPT(1), END(2), END(3)),
	      WIRE_END_UNREADABLE,
	      ALL(0x10, SCRIPT(1), SCRIPT(2), SCRIPT(3), NOTE(WIRE_SCRIPT_NATIVE)));
	/* It does not either, but has as many loops as runs. */
	CHECK(ALL(0x10, LOOP(0x20), 0x30, CHAIN(2, 1), SCRIPT(1), END(2)), WIRE_END_NO_RULE,
	      ALL(0x10, SCRIPT(1), SCRIPT(2), 0x30));
	/* The script's frames do not. */
	CHECK(ALL(0x10, LOOP(0x20), 0x30, TORN(2, 1), END(1), SCRIPT(2)), WIRE_END_ROOT,
	      ALL(0x10, SCRIPT(1), SCRIPT(2), NOTE(WIRE_SCRIPT_TORN), 0x30));
}

/* Words of a stack with @loops loops, of which each runs @each frames, numbered from 1 on, as the
 * walker keeps them: native frames 0x1000 + i, the loops every second one. */
static uint32_t make_deep(uint64_t *words, uint32_t loops, uint32_t each)
{
	const uint32_t frames = loops * each, at = 2 * loops + 1;
	const uint32_t head = WIRE_USER_FRAMES - WIRE_TAIL_FRAMES - at;
	uint32_t slot;

	for (uint32_t i = 0; i < loops; i++) {
		words[2 * i] = LOOP(0x1000 + 2 * i);
		words[2 * i + 1] = 0x1000 + 2 * i + 1;
	}
	words[at - 1] = CHAIN(frames, loops);
	for (uint32_t i = 0; i < frames; i++) {
		slot = i < head ? i : head + (i - head) % WIRE_TAIL_FRAMES;
		words[at + slot] = i % each == each - 1 ? END(i + 1) : SCRIPT(i + 1);
	}
	return WIRE_USER_FRAMES;
}

static void deep_scripts_are_cut(void **state)
{
	uint64_t words[WIRE_USER_FRAMES];
	struct interleave_words w = {.at = words};

	(void)state;
	/* One run: what is left out lies within it. */
	w.n = make_deep(words, 1, 1000);
	interleave(&w, WIRE_END_ROOT);
	assert_int_equal(w.n, WIRE_USER_FRAMES - 3 + 1);
	assert_int_equal(w.cut_at, WIRE_USER_FRAMES - WIRE_TAIL_FRAMES - 3);
	assert_int_equal(words[0], SCRIPT(1));
	assert_int_equal(words[w.cut_at - 1], SCRIPT(w.cut_at));
	assert_int_equal(words[w.cut_at], SCRIPT(1000 - WIRE_TAIL_FRAMES + 1));
	assert_int_equal(words[w.n - 2], SCRIPT(1000));
	assert_int_equal(words[w.n - 1], 0x1001);
	/* Ten runs of 100: the native frames of those that are left out go, too. */
	w = (struct interleave_words){.at = words, .n = make_deep(words, 10, 100)};
	interleave(&w, WIRE_END_ROOT);
	/* 427 frames at the inner end are in five runs, the last 64 in the tenth. */
	assert_int_equal(w.cut_at, 427 + 4);
	assert_int_equal(words[99], SCRIPT(100));
	assert_int_equal(words[100], 0x1001);
	assert_int_equal(words[101], SCRIPT(101));
	assert_int_equal(words[w.cut_at - 1], SCRIPT(427));
	assert_int_equal(words[w.cut_at], SCRIPT(1000 - 64 + 1));
	assert_int_equal(words[w.n - 1], 0x1000 + 19);
	assert_int_equal(w.n, 427 + 4 + 64 + 1);
}

static void without_a_loop_they_stand_behind(void **state)
{
	(void)state;
	/* The native walk did not get to the loops. */
	CHECK(ALL(0x10, 0x20, CHAIN(3, 2), SCRIPT(1), END(2), END(3)), WIRE_END_UNREADABLE,
	      ALL(0x10, 0x20, NOTE(WIRE_SCRIPT_NATIVE), SCRIPT(1), SCRIPT(2), SCRIPT(3)));
	CHECK(ALL(0x10, CHAIN(1, 0), SCRIPT(1)), WIRE_END_BROKEN,
	      ALL(0x10, NOTE(WIRE_SCRIPT_NATIVE), SCRIPT(1)));
	/* It got to the thread's first frame: there is none. */
	CHECK(ALL(0x10, 0x20, CHAIN(1, 1), END(1)), WIRE_END_ROOT, ALL(0x10, 0x20));
}

static void loops_are_marked_by_their_code(void **state)
{
	const struct wire_script_proc proc = {.loop = 0x1000,
					      .loop_bytes = 0x100,
					      .cold = 0x3000,
					      .cold_bytes = 0x10,
					      .core = 0x2000,
					      .core_bytes = 0x100};
	/* A return address may be just behind its function, an interrupted one just at it. */
	uint64_t words[] = {0x1000, 0x2000, 0x2100, 0x1000 | WIRE_EXACT,
			    0x1100, 0x1101, 0x3010, 0x1080 | WIRE_BY_FRAME_POINTER};
	const uint64_t expected[] = {
		LOOP(0x1000), 0x2000, CORE(0x2100), LOOP(0x1000) | WIRE_EXACT,
		LOOP(0x1100), 0x1101, LOOP(0x3010), LOOP(0x1080) | WIRE_BY_FRAME_POINTER};

	(void)state;
	interleave_mark(words, 8, &proc);
	assert_memory_equal(words, expected, sizeof(words));
}

/* A record that is forged harms nobody else. */
static void any_words_stay_within_bounds(void **state)
{
	/* More than a stack has: those that the loader walks are cut afterwards. */
	const uint32_t most = 2 * WIRE_USER_FRAMES;
	uint64_t words[2 * WIRE_USER_FRAMES + 1], random = 1;

	(void)state;
	for (uint32_t round = 0; round < 20000; round++) {
		struct interleave_words w = {.at = words, .n = round % (most + 1)};
		const uint32_t given = w.n;

		for (uint32_t i = 0; i < w.n; i++) {
			random = random * 6364136223846793005u + 1442695040888963407u;
			words[i] = random >> 3 ^ random << 40;
			if (random >> 60 < 8)
				words[i] = KIND(random >> 57 & 7, words[i] & 0xffffff) |
					   (words[i] & WIRE_EXACT);
		}
		if (w.n && round % 3)
			words[random % w.n] = (round % 2 ? CHAIN(random % 9000, random >> 20 & 63)
							 : TORN(random % 9000, 3));
		words[given] = 0x5aa5;
		interleave(&w, round % WIRE_ENDS);
		assert_true(w.n <= given);
		assert_true(w.cut_at <= w.n);
		assert_int_equal(words[given], 0x5aa5);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(runs_take_the_places_of_loops),
		cmocka_unit_test(a_core_goes_with_its_loop),
		cmocka_unit_test(native_stacks_stay),
		cmocka_unit_test(frames_in_place_are_taken_out_again),
		cmocka_unit_test(one_more_is_at_the_inner_end),
		cmocka_unit_test(without_a_pair_they_stand_together),
		cmocka_unit_test(deep_scripts_are_cut),
		cmocka_unit_test(without_a_loop_they_stand_behind),
		cmocka_unit_test(loops_are_marked_by_their_code),
		cmocka_unit_test(any_words_stay_within_bounds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
