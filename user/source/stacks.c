#include <string.h>

#include "source/stacks.h"

/* Which of the addresses sent is frame @i, innermost first: the outermost frames of a stack that is
 * too deep stand in a ring (wire.h). */
static uint32_t frame_at(const struct wire_stack *w, uint32_t i)
{
	const uint32_t tail = WIRE_USER_FRAMES - WIRE_TAIL_FRAMES;

	if (!w->left_out || i < tail)
		return i;
	return tail + (i - tail + w->left_out) % WIRE_TAIL_FRAMES;
}

static bool is_return(const struct wire_stack *w, uint32_t i, uint64_t address)
{
	if (i == 0)
		return w->syscall;
	return w->kernel || !(address & WIRE_EXACT);
}

void stacks_add(struct stacks *s, const struct wire_stack *w, struct procs *procs)
{
	const uint8_t *frames = (const uint8_t *)(w + 1);
	struct stack *stack = vec_add(&s->stacks);
	bool fresh;

	*stack = (struct stack){.first = (uint32_t)s->chain.n, .n = w->depth, .end = w->end};
	if (w->left_out)
		stack->cut_at = WIRE_USER_FRAMES - WIRE_TAIL_FRAMES;
	for (uint32_t i = 0; i < w->depth; i++) {
		struct place place = {.image = IMAGE_KERNEL};
		uint64_t address;
		bool guessed;

		memcpy(&address, frames + frame_at(w, i) * sizeof(address), sizeof(address));
		if (w->kernel)
			place.offset = address;
		else
			place = procs_place(procs, w->pid,
					    address & ~(WIRE_BY_FRAME_POINTER | WIRE_EXACT));
		guessed = !w->kernel && (address & WIRE_BY_FRAME_POINTER);
		stack->guessed |= guessed;
		vec_push(&s->chain,
			 placebook_add(&s->book, place, is_return(w, i, address), guessed));
	}
	*map_put(&s->by_hash, w->hash, &fresh) = (uint32_t)s->stacks.n - 1;
}

uint32_t stacks_add_frames(struct stacks *s, const struct stack_frames *f, uint32_t pid,
			   struct procs *procs)
{
	struct stack *stack = vec_add(&s->stacks);

	*stack = (struct stack){.first = (uint32_t)s->chain.n, .n = f->n, .end = f->end};
	for (uint32_t i = 0; i < f->n; i++) {
		stack->guessed |= f->by_bp[i];
		vec_push(&s->chain, placebook_add(&s->book, procs_place(procs, pid, f->address[i]),
						  i > 0 || f->syscall, f->by_bp[i]));
	}
	return (uint32_t)s->stacks.n - 1;
}

uint32_t stacks_find(struct stacks *s, uint64_t hash)
{
	const uint32_t *at = hash ? map_get(&s->by_hash, hash) : NULL;

	if (hash && !at)
		s->missing++;
	return at ? *at : NO_STACK;
}

void stacks_release(struct stacks *s)
{
	placebook_release(&s->book);
	vec_release(&s->chain);
	vec_release(&s->stacks);
	map_release(&s->by_hash);
}
