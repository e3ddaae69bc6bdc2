/* Stacks from the kernel and stacks walked here become the same chains of places. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "sample/stack_hash.h"
#include "stack/stackbook.h"

#define PID 0x7ffffffe /* no process has it */

struct world {
	struct images *images;
	struct procs *procs;
	struct stackbook stacks;
};

static int open_world(void **state)
{
	struct world *w = mem_zalloc(1, sizeof(*w));

	w->images = images_new();
	w->procs = procs_new(w->images);
	*state = w;
	return 0;
}

static int close_world(void **state)
{
	struct world *w = *state;

	stackbook_release(&w->stacks);
	procs_free(w->procs);
	images_free(w->images);
	free(w);
	return 0;
}

/* A record as it comes from the ring. */
struct record {
	struct wire_stack head;
	uint64_t frames[WIRE_USER_FRAMES];
};

static const uint64_t handled[] = {0x1000, 0x2000, 0x3000 | WIRE_EXACT, 0x4000 | WIRE_EXACT,
				   0x5000 | WIRE_BY_FRAME_POINTER};

static void check_handled(const struct stackbook *s, uint32_t number, bool syscall)
{
	const struct stack *stack = &s->stacks.at[number];

	assert_int_equal(stack->n, 5);
	assert_true(stack->guessed);
	assert_int_equal(stack->cut_at, 0);
	for (uint32_t i = 0; i < 5; i++) {
		uint32_t frame = s->chain.at[stack->first + i];

		assert_int_equal(s->book.places.at[frame].offset, 0x1000 * (i + 1));
		/* Neither the innermost nor a signal's frames follow a call. */
		assert_int_equal(s->book.is_return.at[frame], i == 0 ? syscall : i == 1 || i == 4);
		assert_int_equal(s->book.guessed.at[frame], i == 4);
	}
}

static void tells_exact_frames(void **state)
{
	struct world *w = *state;
	struct record r = {
		.head = {.pid = PID, .hash = 7, .depth = 5, .end = WIRE_END_ROOT, .syscall = 1}};
	const struct stack_frames f = {.address = handled, .n = 5, .end = WIRE_END_BROKEN};

	memcpy(r.frames, handled, sizeof(handled));
	stackbook_add(&w->stacks, &r.head, w->procs);
	assert_int_equal(stackbook_find(&w->stacks, 7), 0);
	check_handled(&w->stacks, 0, true);
	assert_int_equal(stackbook_add_frames(&w->stacks, &f, PID, w->procs), 1);
	check_handled(&w->stacks, 1, false);
	assert_int_equal(w->stacks.stacks.at[1].end, WIRE_END_BROKEN);
	assert_int_equal(stackbook_find(&w->stacks, 7), 0);
	assert_int_equal(stackbook_find(&w->stacks, 8), NO_STACK);
	assert_int_equal(w->stacks.missing, 1);
}

static void puts_the_outermost_in_order(void **state)
{
	const uint32_t inner = WIRE_USER_FRAMES - WIRE_TAIL_FRAMES;
	struct world *w = *state;
	struct record r = {.head = {.pid = PID, .hash = 9, .depth = WIRE_USER_FRAMES}};
	const struct stack *stack;

	/* Frame i at address i + 1, of 600; the last ones stand in a ring. */
	r.head.left_out = 600 - WIRE_USER_FRAMES;
	for (uint64_t i = 0; i < 600; i++)
		r.frames[i < inner ? i : inner + (i - inner) % WIRE_TAIL_FRAMES] = i + 1;
	stackbook_add(&w->stacks, &r.head, w->procs);
	stack = &w->stacks.stacks.at[0];
	assert_int_equal(stack->cut_at, inner);
	for (uint32_t i = 0; i < WIRE_USER_FRAMES; i++) {
		uint32_t frame = w->stacks.chain.at[stack->first + i];

		assert_int_equal(w->stacks.book.places.at[frame].offset,
				 i < inner ? i + 1 : i + 1 + r.head.left_out);
	}
}

static uint32_t add_stack(struct world *w, uint64_t hash, uint64_t a, uint64_t b)
{
	struct record r = {.head = {.hash = hash, .depth = 2, .kernel = 1}};

	r.frames[0] = a;
	r.frames[1] = b;
	stackbook_add(&w->stacks, &r.head, w->procs);
	return stackbook_find(&w->stacks, hash);
}

static void assert_stack(const struct stackbook *s, uint32_t number, uint64_t a, uint64_t b)
{
	const struct stack *stack = &s->stacks.at[number];

	assert_int_equal(stack->n, 2);
	assert_int_equal(s->book.places.at[s->chain.at[stack->first]].offset, a);
	assert_int_equal(s->book.places.at[s->chain.at[stack->first + 1]].offset, b);
}

/* Those that the kernel sent since it was told to send them anew stay, and those in use. */
static void forgets_what_nobody_refers_to(void **state)
{
	struct world *w = *state;
	uint32_t numbers[4] = {0};

	add_stack(w, 1, 0x10, 0x20);
	numbers[add_stack(w, 2, 0x30, 0x20)] = 1;
	add_stack(w, 3, 0x40, 0x50);
	add_stack(w, 4, 0x30, 0x60);
	stackbook_forget(&w->stacks, 3, numbers);
	assert_int_equal(w->stacks.stacks.n, 2);
	assert_int_equal(numbers[0], NO_STACK);
	assert_int_equal(numbers[2], NO_STACK);
	assert_stack(&w->stacks, numbers[1], 0x30, 0x20);
	assert_stack(&w->stacks, numbers[3], 0x30, 0x60);
	assert_int_equal(w->stacks.book.places.n, 3);
	assert_int_equal(stackbook_find(&w->stacks, 2), numbers[1]);
	assert_int_equal(stackbook_find(&w->stacks, 4), numbers[3]);
	assert_int_equal(stackbook_find(&w->stacks, 1), NO_STACK);
	assert_int_equal(add_stack(w, 1, 0x10, 0x20), 2);
}

/* As the kernel does it, of two frames alone. */
static struct two_hashes hash_of(const uint64_t keys[2][2], const uint64_t *frames)
{
	struct two_hashes h = {0};

	for (size_t i = 0; i < 2; i++)
		stack_hash_mix(&h, keys[i], frames[i]);
	h.key = stack_hash_finish(h.key);
	h.check = stack_hash_finish(h.check);
	return h;
}

/* Two stacks of one hash, by whoever knows its keys: where the upper halves add up to 0, the lower
 * ones count for nothing. The other hash tells them apart, and so does the hash of another
 * capture. */
static void is_not_taken_for_a_forged_one(void **state)
{
	const uint64_t known[2][2] = {{0x1122334455667788, 0x123456789abcdef0},
				      {0x0fedcba987654321, 0x99aabbccddeeff11}};
	const uint64_t other[2][2] = {{0x5a5a5a5a12341234, 0x77777777cccccccc},
				      {0x3141592653589793, 0x2718281828459045}};
	const uint64_t upper = (uint64_t)(uint32_t)-0x11223344 << 32;
	const uint64_t mine[2] = {upper | 0x1000, 0x2000}, theirs[2] = {upper | 0x5000, 0x2000};
	const struct two_hashes a = hash_of(known, mine), b = hash_of(known, theirs);
	struct world *w = *state;
	struct record r = {.head = {.kernel = 1, .depth = 2, .hash = a.key, .check = a.check}};

	assert_int_equal(a.key, b.key);
	assert_true(a.check != b.check);
	assert_true(hash_of(other, mine).key != hash_of(other, theirs).key);
	memcpy(r.frames, mine, sizeof(mine));
	stackbook_add(&w->stacks, &r.head, w->procs);
	/* Sent again: the newest stands for it. */
	stackbook_add(&w->stacks, &r.head, w->procs);
	assert_int_equal(stackbook_find(&w->stacks, a.key), 1);
	assert_int_equal(w->stacks.missing, 0);
	memcpy(r.frames, theirs, sizeof(theirs));
	r.head.check = b.check;
	stackbook_add(&w->stacks, &r.head, w->procs);
	assert_int_equal(stackbook_find(&w->stacks, b.key), NO_STACK);
	assert_int_equal(w->stacks.missing, 1);
	/* For good, and what is forgotten meanwhile makes it no stack's. */
	r.head.check = a.check;
	stackbook_add(&w->stacks, &r.head, w->procs);
	assert_int_equal(stackbook_find(&w->stacks, a.key), NO_STACK);
	stackbook_forget(&w->stacks, 4, (uint32_t[4]){0, 1, 1, 1});
	assert_int_equal(w->stacks.stacks.n, 3);
}

/* A top bit in two frames: without a key for each word it cancels out, whatever the seed is. */
static void no_change_cancels_out(void **state)
{
	const uint64_t keys[2][2] = {{0x1122334455667788, 0x123456789abcdef0},
				     {0x0fedcba987654321, 0x99aabbccddeeff11}};
	const uint64_t plain[2] = {0x401000, 0x402000};
	const struct two_hashes a = hash_of(keys, plain);

	(void)state;
	for (int i = 0; i < 64; i++)
		for (int k = 0; k < 64; k++) {
			const uint64_t changed[2] = {plain[0] ^ 1ull << i, plain[1] ^ 1ull << k};
			const struct two_hashes b = hash_of(keys, changed);

			assert_true(a.key != b.key && a.check != b.check);
		}
}

static void marks_no_kernel_address(void **state)
{
	struct world *w = *state;
	struct record r = {.head = {.hash = 3, .depth = 2, .kernel = 1}};
	const struct place *p;

	r.frames[0] = r.frames[1] = 0xffffffff81000000;
	stackbook_add(&w->stacks, &r.head, w->procs);
	assert_false(w->stacks.stacks.at[0].guessed);
	p = &w->stacks.book.places.at[w->stacks.chain.at[1]];
	assert_int_equal(p->offset, 0xffffffff81000000);
	assert_int_equal(p->image, IMAGE_KERNEL);
	assert_false(w->stacks.book.is_return.at[w->stacks.chain.at[0]]);
	assert_true(w->stacks.book.is_return.at[w->stacks.chain.at[1]]);
}

static void map_code(struct world *w, uint64_t start, const char *path)
{
	procs_mmap(w->procs, &(struct proc_mmap){.pid = PID,
						 .tid = PID,
						 .start = start,
						 .end = start + 0x1000,
						 .id = {.path = path, .inode = 5}});
}

/* What is no address of code is looked up nowhere, and its kind is part of what it is. */
static void keeps_the_kind_of_a_frame(void **state)
{
	const uint64_t script = 5ull << WIRE_FRAME_SHIFT, other = 31ull << WIRE_FRAME_SHIFT;
	const uint64_t words[] = {0x1010, script | 0x1010 | WIRE_EXACT, other | 0x1010,
				  script | 0x1010};
	const struct stack_frames f = {.address = words, .n = 4, .end = WIRE_END_ROOT};
	struct world *w = *state;
	const uint32_t *chain;
	const struct place *places;

	map_code(w, 0x1000, "/opt/script.so");
	stackbook_add_frames(&w->stacks, &f, PID, w->procs);
	chain = w->stacks.chain.at;
	places = w->stacks.book.places.at;
	assert_true(places[chain[0]].image != IMAGE_NONE);
	for (uint32_t i = 1; i < 4; i++) {
		assert_int_equal(places[chain[i]].image, IMAGE_NONE);
		assert_int_equal(WIRE_FRAME_VALUE(places[chain[i]].offset), 0x1010);
		assert_int_equal(WIRE_FRAME_KIND(places[chain[i]].offset), i == 2 ? 31 : 5);
	}
	assert_int_equal(places[chain[1]].offset, places[chain[3]].offset);
}

/* What a rule leads to from the bottom of a stack that makecontext() made is no code. */
static void drops_what_is_no_code(void **state)
{
	static const uint64_t addresses[] = {0x1010, 0x1020, 0x5629c0ef4520};
	static const struct {
		uint32_t n;
		uint8_t end;
		uint32_t kept;
	} cases[] = {{3, WIRE_END_BROKEN, 2},
		     {3, WIRE_END_UNREADABLE, 3},
		     {2, WIRE_END_BROKEN, 2},
		     {1, WIRE_END_BROKEN, 1}};
	struct world *w = *state;

	map_code(w, 0x1000, "/opt/lost.so");
	for (uint32_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const struct stack_frames f = {
			.address = addresses, .n = cases[i].n, .end = cases[i].end};
		const uint32_t at = stackbook_add_frames(&w->stacks, &f, PID, w->procs);

		assert_int_equal(w->stacks.stacks.at[at].n, cases[i].kept);
		assert_int_equal(w->stacks.stacks.at[at].end, cases[i].end);
	}
	/* The chain goes on behind what was kept. */
	assert_int_equal(w->stacks.stacks.at[1].first, 2);
}

static bool is_the_second(void *context, struct place place)
{
	(*(int *)context)++;
	return place.offset == 0x1020 - 0x1000;
}

/* … which is where such a stack starts. */
static void made_up_stacks_are_whole(void **state)
{
	static const uint64_t addresses[] = {0x1010, 0x1020, 0x5629c0ef4520};
	struct world *w = *state;
	struct stack_frames f = {.address = addresses, .n = 3, .end = WIRE_END_BROKEN};
	int asked = 0;

	map_code(w, 0x1000, "/opt/lost.so");
	w->stacks.starts_function = is_the_second;
	w->stacks.context = &asked;
	assert_int_equal(stackbook_add_frames(&w->stacks, &f, PID, w->procs), 0);
	assert_int_equal(w->stacks.stacks.at[0].n, 2);
	assert_int_equal(w->stacks.stacks.at[0].end, WIRE_END_ROOT);
	f.n = 2; /* leads to code, which is another matter */
	assert_int_equal(stackbook_add_frames(&w->stacks, &f, PID, w->procs), 1);
	assert_int_equal(w->stacks.stacks.at[1].end, WIRE_END_BROKEN);
	assert_int_equal(asked, 1);
}

/* rbp may be 0 in code that keeps no frame pointer. */
static void no_thread_starts_in_jit_code(void **state)
{
	static const uint64_t in_jit[] = {0x1010, 0x3010}, in_file[] = {0x3010, 0x1010};
	struct world *w = *state;
	struct stack_frames f = {.address = in_jit, .n = 2, .end = WIRE_END_ROOT};

	map_code(w, 0x1000, "/opt/lost.so");
	map_code(w, 0x3000, "//anon");
	assert_int_equal(stackbook_add_frames(&w->stacks, &f, PID, w->procs), 0);
	assert_int_equal(w->stacks.stacks.at[0].end, WIRE_END_NO_RULE);
	f.address = in_file;
	assert_int_equal(stackbook_add_frames(&w->stacks, &f, PID, w->procs), 1);
	assert_int_equal(w->stacks.stacks.at[1].end, WIRE_END_ROOT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(tells_exact_frames, open_world, close_world),
		cmocka_unit_test_setup_teardown(puts_the_outermost_in_order, open_world,
						close_world),
		cmocka_unit_test_setup_teardown(forgets_what_nobody_refers_to, open_world,
						close_world),
		cmocka_unit_test_setup_teardown(is_not_taken_for_a_forged_one, open_world,
						close_world),
		cmocka_unit_test(no_change_cancels_out),
		cmocka_unit_test_setup_teardown(keeps_the_kind_of_a_frame, open_world, close_world),
		cmocka_unit_test_setup_teardown(marks_no_kernel_address, open_world, close_world),
		cmocka_unit_test_setup_teardown(drops_what_is_no_code, open_world, close_world),
		cmocka_unit_test_setup_teardown(made_up_stacks_are_whole, open_world, close_world),
		cmocka_unit_test_setup_teardown(no_thread_starts_in_jit_code, open_world,
						close_world),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
