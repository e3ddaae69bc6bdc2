/* Script frames that come with a slice: their order, and how the walk of the stack merges them with
 * the native ones. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "stack/chains.h"
#include "unwind/native_walk.h"
#include "wire_script.h"

#define SCRIPT(n) \
	((uint64_t)WIRE_FRAME_SCRIPT << WIRE_FRAME_SHIFT | (uint64_t)(n) << WIRE_SCRIPT_SHIFT)
#define NOTE(what)  ((uint64_t)WIRE_FRAME_SCRIPT << WIRE_FRAME_SHIFT | (what))
#define BASE	    0x7000u
#define CODE	    0x1000u
#define FRAMES	    5
#define FRAME_WORDS 8
#define FRAME_BYTES (FRAME_WORDS * 8u)
/* The variable @word of frame @i, counted from the innermost. */
#define INSIDE(i, word) (BASE + (i)*FRAME_BYTES + (word)*8u)

/* A stack of FRAMES frames that are linked by their frame pointers: each begins with its caller's,
 * the return address follows, then variables. */
struct stack {
	uint64_t words[(FRAMES + 1) * FRAME_WORDS];
	uint64_t registers[CFI_REGISTERS];
	uint64_t lost_from; /* addresses from here on cannot be read */
	bool in_file;	    /* the code is in a file, which has no rules for it */
};

static bool read_word(void *context, uint64_t address, uint64_t *out)
{
	const struct stack *s = context;
	const uint64_t word = (address - BASE) / 8;

	if (word >= sizeof(s->words) / 8 || address >= s->lost_from)
		return false;
	*out = s->words[word];
	return true;
}

static bool find_code(void *context, uint64_t address, struct native_code *out)
{
	static const struct table_blob no_rules;
	const struct stack *s = context;

	*out = (struct native_code){.table = s->in_file ? &no_rules : NULL};
	return address >= CODE && address < CODE + 0x1000;
}

static void make_stack(struct stack *s)
{
	*s = (struct stack){.lost_from = UINT64_MAX};
	for (uint64_t i = 0; i < FRAMES; i++) {
		/* The frame pointer is at the end of a frame, so that its variables are in it. */
		uint64_t *last = &s->words[i * FRAME_WORDS + FRAME_WORDS - 2];

		last[0] = i + 1 < FRAMES ? BASE + (i + 2) * FRAME_BYTES - 16 : 0;
		last[1] = i + 1 < FRAMES ? CODE + (i + 1) * 0x10 : 0;
	}
	s->registers[16] = CODE;
	s->registers[7] = BASE;
	s->registers[6] = BASE + FRAME_BYTES - 16;
}

static size_t walk(struct stack *s, const uint64_t *chain, size_t n, uint64_t *frames)
{
	const struct native_walk w = {.registers = s->registers,
				      .find = find_code,
				      .read = read_word,
				      .chain = chain,
				      .n_chain = n,
				      .context = s};
	const struct native_end end = native_walk(&w, frames, 64);

	for (size_t i = 0; i < end.n; i++)
		frames[i] &= WIRE_FRAME_WORD;
	return end.n;
}

#define WALK(s, chain, frames) walk(s, chain, sizeof(chain) / sizeof(*(chain)), frames)

static void expect(const uint64_t *frames, size_t n, const uint64_t *wanted, size_t n_wanted)
{
	assert_int_equal(n, n_wanted);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(frames[i], wanted[i]);
}
#define EXPECT(frames, n, ...) \
	expect(frames, n, (const uint64_t[]){__VA_ARGS__}, sizeof((uint64_t[]){__VA_ARGS__}) / 8)

static void runs_replace_their_loops(void **state)
{
	const uint64_t chain[] = {SCRIPT(1), SCRIPT(2), INSIDE(1, 3), SCRIPT(3), INSIDE(3, 0)};
	uint64_t frames[64];
	struct stack s;

	(void)state;
	make_stack(&s);
	EXPECT(frames, WALK(&s, chain, frames), CODE, SCRIPT(1), SCRIPT(2), CODE + 0x20, SCRIPT(3),
	       CODE + 0x40);
	/* Without a chain. */
	EXPECT(frames, walk(&s, NULL, 0, frames), CODE, CODE + 0x10, CODE + 0x20, CODE + 0x30,
	       CODE + 0x40);
}

static void the_innermost_frame_may_be_a_loop(void **state)
{
	const uint64_t chain[] = {SCRIPT(1), INSIDE(0, 2)};
	uint64_t frames[64];
	struct stack s;

	(void)state;
	make_stack(&s);
	EXPECT(frames, WALK(&s, chain, frames), SCRIPT(1), CODE + 0x10, CODE + 0x20, CODE + 0x30,
	       CODE + 0x40);
}

static void runs_without_a_loop_are_left_out(void **state)
{
	/* The first entry is below the stack, as that of a frame that was left. */
	const uint64_t chain[] = {SCRIPT(9), BASE - 64, SCRIPT(1), INSIDE(2, 1), SCRIPT(2)};
	uint64_t frames[64];
	struct stack s;

	(void)state;
	make_stack(&s);
	/* Nor are frames without an entry taken: the last ones here. */
	EXPECT(frames, WALK(&s, chain, frames), CODE, CODE + 0x10, SCRIPT(1), CODE + 0x30,
	       CODE + 0x40);
}

static void the_rest_follows_a_mark(void **state)
{
	const uint64_t chain[] = {SCRIPT(1), INSIDE(1, 3), SCRIPT(2), SCRIPT(3), INSIDE(3, 0)};
	uint64_t frames[64];
	struct stack s;

	(void)state;
	make_stack(&s);
	s.lost_from = BASE + 2 * FRAME_BYTES;
	EXPECT(frames, WALK(&s, chain, frames), CODE, SCRIPT(1), CODE + 0x20,
	       NOTE(WIRE_SCRIPT_NATIVE), SCRIPT(2), SCRIPT(3));
}

/* Of V8: what looked like a frame, with the address that would be its frame pointer. */
#define MAYBE(i, word) (INSIDE(i, word) | WIRE_BY_FRAME_POINTER)

static void frames_are_told_by_their_pointer(void **state)
{
	/* Each second one is not at the frame pointer, but elsewhere in the frame's memory. */
	const uint64_t chain[] = {SCRIPT(8), MAYBE(1, 2), SCRIPT(1), MAYBE(1, 6),
				  SCRIPT(9), MAYBE(2, 7), SCRIPT(3), MAYBE(3, 6)};
	const uint64_t innermost[] = {SCRIPT(1), MAYBE(0, 6)};
	uint64_t frames[64];
	struct stack s;

	(void)state;
	make_stack(&s);
	EXPECT(frames, WALK(&s, chain, frames), CODE, SCRIPT(1), CODE + 0x20, SCRIPT(3),
	       CODE + 0x40);
	EXPECT(frames, WALK(&s, innermost, frames), SCRIPT(1), CODE + 0x10, CODE + 0x20,
	       CODE + 0x30, CODE + 0x40);
	/* A stub in the program's file, which works on its caller's frame. */
	s.in_file = true;
	EXPECT(frames, WALK(&s, innermost, frames), CODE, SCRIPT(1), CODE + 0x10, CODE + 0x20,
	       CODE + 0x30, CODE + 0x40);
	s.in_file = false;
	/* Nothing says that those which the walk did not get to are frames. */
	s.lost_from = BASE + 2 * FRAME_BYTES;
	EXPECT(frames, WALK(&s, chain, frames), CODE, SCRIPT(1), CODE + 0x20);
}

/* A record as it is sent: the outermost of too many words are in a ring. */
struct sent {
	struct wire_stack head;
	uint64_t words[WIRE_USER_FRAMES];
};

static void chains_are_found_by_number(void **state)
{
	static struct chains c;
	static struct sent s;
	const struct chain *chain;

	(void)state;
	s.head = (struct wire_stack){.kind = WIRE_CHAIN, .hash = 7, .depth = 3};
	memcpy(s.words, (const uint64_t[]){SCRIPT(1), SCRIPT(2), BASE}, 24);
	chains_take(&c, &s.head);
	chain = chains_find(&c, 7);
	assert_non_null(chain);
	EXPECT(chain->words, chain->n, SCRIPT(1), SCRIPT(2), BASE);
	assert_null(chains_find(&c, 0));
	assert_null(chains_find(&c, 7 + CHAINS));
	/* Another one took its place. */
	s.head.hash = 7 + CHAINS;
	chains_take(&c, &s.head);
	assert_null(chains_find(&c, 7));
}

static void too_many_words_have_a_note(void **state)
{
	const uint32_t inner = WIRE_USER_FRAMES - WIRE_TAIL_FRAMES, left_out = 10;
	static struct chains c;
	static struct sent s;
	const struct chain *chain;

	(void)state;
	s.head = (struct wire_stack){
		.kind = WIRE_CHAIN, .hash = 1, .depth = WIRE_USER_FRAMES, .left_out = left_out};
	for (uint32_t i = 0; i < WIRE_USER_FRAMES + left_out; i++)
		s.words[i < inner ? i : inner + (i - inner) % WIRE_TAIL_FRAMES] = SCRIPT(i + 1);
	chains_take(&c, &s.head);
	chain = chains_find(&c, 1);
	assert_int_equal(chain->n, WIRE_USER_FRAMES + 1);
	assert_int_equal(chain->words[inner - 1], SCRIPT(inner));
	assert_int_equal(chain->words[inner], NOTE(WIRE_SCRIPT_TORN));
	assert_int_equal(chain->words[inner + 1], SCRIPT(inner + left_out + 1));
	assert_int_equal(chain->words[WIRE_USER_FRAMES], SCRIPT(WIRE_USER_FRAMES + left_out));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(runs_replace_their_loops),
		cmocka_unit_test(the_innermost_frame_may_be_a_loop),
		cmocka_unit_test(runs_without_a_loop_are_left_out),
		cmocka_unit_test(the_rest_follows_a_mark),
		cmocka_unit_test(frames_are_told_by_their_pointer),
		cmocka_unit_test(chains_are_found_by_number),
		cmocka_unit_test(too_many_words_have_a_note),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
