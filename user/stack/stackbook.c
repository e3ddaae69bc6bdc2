#include <string.h>

#include "script/codes.h"
#include "stack/interleave.h"
#include "stack/stackbook.h"

/* --- places ---------------------------------------------------------------------------------- */

static uint32_t placebook_add(struct placebook *b, struct place p, bool is_return, bool guessed)
{
	uint64_t key = hash_two(p.offset, (uint64_t)p.image << 2 | guessed << 1 | is_return);

	for (;; key++) {
		bool fresh;
		uint32_t *at = map_put(&b->by_hash, key, &fresh);
		const struct place *known;

		if (fresh) {
			*at = (uint32_t)b->places.n;
			vec_push(&b->places, p);
			vec_push(&b->is_return, is_return);
			vec_push(&b->guessed, guessed);
			return *at;
		}
		known = &b->places.at[*at];
		if (known->offset == p.offset && known->image == p.image &&
		    b->is_return.at[*at] == is_return && b->guessed.at[*at] == guessed)
			return *at;
	}
}

static void placebook_release(struct placebook *b)
{
	vec_release(&b->places);
	vec_release(&b->is_return);
	vec_release(&b->guessed);
	map_release(&b->by_hash);
}

/* --- stacks ---------------------------------------------------------------------------------- */

/* The address of frame @i, innermost first: if the stack was too deep, its outermost frames are in
 * a ring buffer (wire.h). */
static uint32_t frame_at(const struct wire_stack *w, uint32_t i)
{
	const uint32_t tail = WIRE_USER_FRAMES - WIRE_TAIL_FRAMES;

	if (!w->left_out || i < tail)
		return i;
	return tail + (i - tail + w->left_out) % WIRE_TAIL_FRAMES;
}

static bool is_return(const struct stack_frames *f, uint32_t i)
{
	if (!f->kernel && (WIRE_FRAME_KIND(f->address[i]) == WIRE_FRAME_SCRIPT ||
			   WIRE_FRAME_KIND(f->address[i]) == WIRE_FRAME_AWAITER))
		return false;
	if (i == 0)
		return f->syscall;
	return f->kernel || !(f->address[i] & WIRE_EXACT);
}

static struct place frame_place(const struct stackbook *s, const struct stack_frames *f, uint32_t i,
				uint32_t pid, struct procs *procs)
{
	const uint64_t word = f->address[i];

	if (f->kernel)
		return (struct place){.image = IMAGE_KERNEL, .offset = word};
	if (WIRE_FRAME_KIND(word) == WIRE_FRAME_CODE)
		return procs_place(procs, pid, WIRE_FRAME_VALUE(word));
	if (WIRE_FRAME_KIND(word) == WIRE_FRAME_SCRIPT && s->codes)
		return (struct place){.image = IMAGE_SCRIPT,
				      .offset = codes_offset(s->codes, WIRE_FRAME_VALUE(word))};
	if (WIRE_FRAME_KIND(word) == WIRE_FRAME_AWAITER && s->codes)
		return (struct place){.image = IMAGE_SCRIPT,
				      .offset = codes_offset(s->codes, WIRE_FRAME_VALUE(word)) |
						CODES_AWAITER};
	return (struct place){.image = IMAGE_NONE, .offset = word & WIRE_FRAME_WORD};
}

static bool is_guessed(const struct stack_frames *f, uint32_t i)
{
	return !f->kernel && (f->address[i] & WIRE_BY_FRAME_POINTER);
}

static bool is_jit(const struct procs *procs, struct place place)
{
	return images_at(procs->images, place.image)->kind == IMAGE_KIND_JIT;
}

/* Whether the guesses of a stack proved right: they left the code of a runtime that keeps frame
 * pointers, in its file or generated (or a function of V8, by its name), each time for a caller
 * that the walk then followed to the thread's first frame. Other code may use rbp for something
 * else, and be skipped so. */
static bool is_proved(const struct stack_frames *f, const struct place *places,
		      const struct procs *procs)
{
	bool has_runtime = false;

	if (f->kernel || f->end != WIRE_END_ROOT || f->cut_at || !f->n || is_guessed(f, 0) ||
	    is_jit(procs, places[f->n - 1]))
		return false;
	for (uint32_t i = 0; i < f->n; i++) {
		const bool is_runtimes = images_at(procs->images, places[i].image)->framed;

		has_runtime |= is_runtimes;
		if (i + 1 < f->n && is_guessed(f, i + 1) && !is_runtimes &&
		    !is_jit(procs, places[i]) && places[i].image != IMAGE_SCRIPT)
			return false;
	}
	return has_runtime;
}

static struct place place_of(const struct stackbook *s, const struct stack *stack, uint32_t frame)
{
	return s->book.places.at[s->chain.at[stack->first + frame]];
}

/* Corrects how a user stack ended, where user space knows more about the outermost frame than the
 * walker. */
static void correct_end(struct stackbook *s, struct stack *stack, const struct procs *procs)
{
	/* Unwinding led to an address without code: not a frame, but a random word of a stack that
	 * was set up by hand, different in each. A stack of makecontext() ends in such a return
	 * address: the function to run last. */
	if (stack->end == WIRE_END_BROKEN && stack->n > 1 &&
	    place_of(s, stack, stack->n - 1).image == IMAGE_NONE &&
	    place_of(s, stack, stack->n - 2).image != IMAGE_NONE) {
		stack->n--;
		s->chain.n--;
		if (s->starts_function &&
		    s->starts_function(s->context, place_of(s, stack, stack->n - 1)))
			stack->end = WIRE_END_ROOT;
	}
	/* No thread starts in JIT code: if rbp is no frame pointer there, 0 in it means nothing. */
	if (stack->end == WIRE_END_ROOT && stack->n &&
	    images_at(procs->images, place_of(s, stack, stack->n - 1).image)->kind ==
		    IMAGE_KIND_JIT)
		stack->end = WIRE_END_NO_RULE;
}

uint32_t stackbook_add_frames(struct stackbook *s, const struct stack_frames *f, uint32_t pid,
			      struct procs *procs)
{
	struct stack *stack = vec_add(&s->stacks);
	struct place places[WIRE_USER_FRAMES];
	bool proved;

	*stack = (struct stack){
		.first = (uint32_t)s->chain.n, .n = f->n, .cut_at = f->cut_at, .end = f->end};
	for (uint32_t i = 0; i < f->n; i++)
		places[i] = frame_place(s, f, i, pid, procs);
	proved = is_proved(f, places, procs);
	for (uint32_t i = 0; i < f->n; i++) {
		const bool guessed = is_guessed(f, i) && !proved;

		stack->guessed |= guessed;
		vec_push(&s->chain, placebook_add(&s->book, places[i], is_return(f, i), guessed));
	}
	if (!f->kernel)
		correct_end(s, stack, procs);
	return (uint32_t)s->stacks.n - 1;
}

/* Maps the kernel's @hash to stack @number. If another stack has the same hash, it is the same
 * stack only if the second hash agrees; else one was crafted to collide. */
static void put_hash(struct stackbook *s, uint64_t hash, uint32_t number)
{
	bool fresh;
	uint32_t *at = map_put(&s->by_hash, hash, &fresh);

	if (fresh || (*at != NO_STACK && s->stacks.at[*at].check == s->stacks.at[number].check))
		*at = number;
	else
		*at = NO_STACK;
}

void stackbook_frames(const struct wire_stack *w, uint64_t *frames, struct stack_frames *out)
{
	const uint32_t n = w->depth < WIRE_USER_FRAMES ? w->depth : WIRE_USER_FRAMES;
	const uint8_t *sent = (const uint8_t *)(w + 1);

	for (uint32_t i = 0; i < n; i++)
		memcpy(&frames[i], sent + frame_at(w, i) * sizeof(*frames), sizeof(*frames));
	*out = (struct stack_frames){.address = frames,
				     .n = n,
				     .cut_at =
					     w->left_out ? WIRE_USER_FRAMES - WIRE_TAIL_FRAMES : 0,
				     .end = w->end,
				     .kernel = w->kernel,
				     .syscall = w->syscall};
}

void stackbook_add(struct stackbook *s, const struct wire_stack *w, struct procs *procs)
{
	struct interleave_words words;
	uint64_t frames[WIRE_USER_FRAMES];
	struct stack_frames f;
	uint32_t number;

	stackbook_frames(w, frames, &f);
	words = (struct interleave_words){.at = frames, .n = f.n, .cut_at = f.cut_at};
	if (!w->kernel)
		interleave(&words, w->end);
	f.n = words.n;
	f.cut_at = words.cut_at;
	number = stackbook_add_frames(s, &f, w->pid, procs);
	s->stacks.at[number].check = w->check;
	put_hash(s, w->hash, number);
}

uint32_t stackbook_find(struct stackbook *s, uint64_t hash)
{
	const uint32_t *at = hash ? map_get(&s->by_hash, hash) : NULL;

	if (hash && (!at || *at == NO_STACK))
		s->missing++;
	return at ? *at : NO_STACK;
}

static void keep_stack(struct stackbook *to, const struct stackbook *from, uint32_t i)
{
	const struct placebook *book = &from->book;
	struct stack stack = from->stacks.at[i];
	const uint32_t first = stack.first;

	stack.first = (uint32_t)to->chain.n;
	for (uint32_t k = 0; k < stack.n; k++) {
		const uint32_t at = from->chain.at[first + k];

		vec_push(&to->chain, placebook_add(&to->book, book->places.at[at],
						   book->is_return.at[at], book->guessed.at[at]));
	}
	vec_push(&to->stacks, stack);
}

static void keep_hashes(struct stackbook *to, const struct stackbook *from, const uint32_t *numbers)
{
	bool fresh;

	for (size_t i = 0; i < from->by_hash.cap; i++) {
		const struct map_slot *slot = &from->by_hash.slots[i];

		if (slot->used && slot->value != NO_STACK && numbers[slot->value] != NO_STACK)
			*map_put(&to->by_hash, slot->key, &fresh) = numbers[slot->value];
	}
}

void stackbook_forget(struct stackbook *s, uint32_t from, uint32_t *numbers)
{
	struct stackbook rest = {.starts_function = s->starts_function,
				 .context = s->context,
				 .codes = s->codes,
				 .missing = s->missing};

	for (uint32_t i = 0; i < s->stacks.n; i++) {
		bool kept = i >= from || numbers[i];

		numbers[i] = kept ? (uint32_t)rest.stacks.n : NO_STACK;
		if (kept)
			keep_stack(&rest, s, i);
	}
	keep_hashes(&rest, s, numbers);
	stackbook_release(s);
	*s = rest;
}

void stackbook_release(struct stackbook *s)
{
	placebook_release(&s->book);
	vec_release(&s->chain);
	vec_release(&s->stacks);
	map_release(&s->by_hash);
}
