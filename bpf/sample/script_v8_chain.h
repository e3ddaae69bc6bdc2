/* SPDX-License-Identifier: GPL-2.0 */
/*
 * script_v8_chain: functions of JavaScript for a stack that the loader walks. Where their frames
 * are is known by that walk alone. So all that looks like one goes to the loader, with the address
 * that would be its frame pointer; the loader takes those whose address is the frame pointer of a
 * frame that its walk leaves by that. What else looks so, as what is left of frames that have
 * ended, is not on the stack.
 *
 * For the includers of script_v8.h, which include that first.
 */
#ifndef SAMPLE_SCRIPT_V8_CHAIN_H
#define SAMPLE_SCRIPT_V8_CHAIN_H

/* Words that are looked at, and frames. */
#define V8_SCAN	 (WIRE_SLICE_BYTES / 8)
#define V8_CHAIN (WIRE_USER_FRAMES / 2)

/* What precedes the word that is looked at: a function, a context, the caller's frame pointer. The
 * word itself then is a return address. */
#define V8_SEEN_FUNCTION 0
#define V8_SEEN_CONTEXT	 1
#define V8_SEEN_CALLER	 2

static __always_inline void v8_scan_begin(struct walk *walk)
{
	struct script *s = &walk->script;

	/* So that a window lies in one page. */
	s->at = walk->registers[STEP_RSP] & ~(sizeof(walk->window) - 1ull);
	s->body[V8_SEEN_FUNCTION] = s->body[V8_SEEN_CONTEXT] = s->body[V8_SEEN_CALLER] = 0;
	s->outcome = WIRE_SCRIPT_NO_STATE;
}

/* Keeps the function and the address of a frame that ends before s->at, if it looks like one. */
static __always_inline void v8_seen(struct walk *walk)
{
	const struct script *s = &walk->script;
	const __u64 base = s->at - 8, caller = s->body[V8_SEEN_CALLER];
	const __u32 to = walk->chain_depth;

	if (caller % 8 || caller <= base || caller - base >= WIRE_SLICE_BYTES ||
	    !v8_is_pointer(s->body[V8_SEEN_CONTEXT]) || !v8_is_pointer(s->body[V8_SEEN_FUNCTION]))
		return;
	walk->chain.frames[to & (WIRE_USER_FRAMES - 1)] = s->body[V8_SEEN_FUNCTION];
	walk->chain.frames[(to + 1) & (WIRE_USER_FRAMES - 1)] = base;
	walk->chain_depth = to + 2;
}

/* Looks at the next word of the stack's memory. False: it was the last one. */
static __always_inline bool v8_scan(const struct script_memory *m, struct walk *walk)
{
	struct script *s = &walk->script;
	const __u32 slot = s->at / 8 & (WALK_WINDOW - 1);

	if (!slot && !read_user(m, walk->window, sizeof(walk->window), s->at))
		return false;
	v8_seen(walk);
	s->body[V8_SEEN_FUNCTION] = s->body[V8_SEEN_CONTEXT];
	s->body[V8_SEEN_CONTEXT] = s->body[V8_SEEN_CALLER];
	s->body[V8_SEEN_CALLER] = walk->window[slot];
	s->at += 8;
	return walk->chain_depth < WIRE_USER_FRAMES;
}

static __always_inline void v8_chain_begin(struct walk *walk)
{
	walk->script.found = walk->chain_depth;
	walk->script.shown = walk->chain_depth = 0;
}

/* Makes the next function a frame of the chain. False: there are no more. */
static __always_inline bool v8_chain_look(const struct script_memory *m, struct walk *walk)
{
	struct script *s = &walk->script;
	const __u32 at = s->shown, to = walk->chain_depth;

	if (at >= s->found)
		return false;
	if (!v8_look(m, s, walk->chain.frames[at & (WIRE_USER_FRAMES - 1)]))
		v8_new(m, walk);
	s->shown = at + 2;
	if (!v8_is_script(s))
		return true;
	s->outcome = WIRE_SCRIPT_WHOLE;
	walk->chain.frames[to & (WIRE_USER_FRAMES - 1)] = v8_frame_word(s);
	walk->chain.frames[(to + 1) & (WIRE_USER_FRAMES - 1)] =
		walk->chain.frames[(at + 1) & (WIRE_USER_FRAMES - 1)] | WIRE_BY_FRAME_POINTER;
	walk->chain_depth = to + 2;
	return true;
}

#endif
