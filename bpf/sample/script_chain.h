/* SPDX-License-Identifier: GPL-2.0 */
/*
 * script_chain: frames of scripts that say nothing of the native frame of the loop that runs them.
 * They are added behind the native frames, and user space puts them into the places of the loops,
 * from the outermost on (user/stack/interleave): so the walk need not know beforehand how many
 * there are of either. Of a stack that the loader walks they are sent beside it, walk->chain.
 * For script_pairs.h.
 */
#ifndef SAMPLE_SCRIPT_CHAIN_H
#define SAMPLE_SCRIPT_CHAIN_H

/* Frames that must have room besides the native ones: a few, and the ring. */
#define CHAIN_ROOM (2 * WIRE_TAIL_FRAMES)

static __always_inline __u64 *chain_slot(struct walk *walk, __u32 slot)
{
	slot &= WIRE_USER_FRAMES - 1;
	return walk->script.chained ? &walk->chain.frames[slot] : &walk->out.frames[slot];
}

static __always_inline void chain_keep(struct walk *walk, __u64 word)
{
	struct script *s = &walk->script;
	__u32 slot = s->chain_n++;

	if (slot >= s->chain_head)
		slot = s->chain_head + (slot - s->chain_head) % WIRE_TAIL_FRAMES;
	*chain_slot(walk, slot + s->chain_at) = word;
}

/* A frame of the function @number at @position; @ends: the last one of its run. */
static __always_inline void chain_add(struct walk *walk, __u64 number, __u64 position, bool ends)
{
	struct script *s = &walk->script;
	__u64 word = number << WIRE_SCRIPT_SHIFT | (position & WIRE_SCRIPT_MOST);

	if (!number) {
		word = WIRE_SCRIPT_UNREAD;
		s->outcome = WIRE_SCRIPT_SOME_UNREAD;
	}
	word |= (__u64)WIRE_FRAME_SCRIPT << WIRE_FRAME_SHIFT;
	if (ends)
		word |= WIRE_SCRIPT_END;
	s->chain_runs += ends;
	chain_keep(walk, word);
}

/* False: no frame, or no room. */
static __always_inline bool chain_begin(struct walk *walk, __u64 first)
{
	struct script *s = &walk->script;

	s->at = first;
	s->chain_more = first != 0;
	s->chain_n = s->chain_runs = s->chain_whole = 0;
	s->chain_at = s->chained ? 1 : walk->depth + 1;
	s->outcome = WIRE_SCRIPT_NO_STATE;
	if (!first)
		return false;
	s->outcome = WIRE_SCRIPT_CUT;
	if (s->chain_at + CHAIN_ROOM > WIRE_USER_FRAMES)
		return false;
	s->chain_head = WIRE_USER_FRAMES - WIRE_TAIL_FRAMES - s->chain_at;
	s->outcome = WIRE_SCRIPT_WHOLE;
	return true;
}

/* Goes on at @next; 0: @walk is at the outermost frame. */
static __always_inline void chain_next(struct script *s, __u64 next)
{
	s->at = next;
	s->chain_more = next != 0;
	s->chain_whole = !next;
}

/* Whether the runs will find their loops, as far as is known here. */
static __always_inline bool chain_pairs(const struct walk *walk)
{
	const struct script *s = &walk->script;

	return s->chained ||
	       WIRE_CHAIN_PAIRS(s->chain_runs, s->loops, walk->out.head.end == WIRE_END_ROOT);
}

/* Says how many frames there are. */
static __always_inline void chain_end(struct walk *walk)
{
	struct script *s = &walk->script;
	__u32 kept = s->chain_n;

	if (!kept) {
		s->outcome = WIRE_SCRIPT_NO_STATE;
		return;
	}
	if (kept > s->chain_head + WIRE_TAIL_FRAMES)
		kept = s->chain_head + WIRE_TAIL_FRAMES;
	if (!s->chain_whole || !chain_pairs(walk))
		s->outcome = WIRE_SCRIPT_CUT;
	*chain_slot(walk, s->chain_at - 1) = (__u64)WIRE_FRAME_CHAIN << WIRE_FRAME_SHIFT |
					     (s->chain_whole ? WIRE_CHAIN_WHOLE : 0) |
					     (__u64)s->chain_runs << WIRE_CHAIN_SHIFT | s->chain_n;
	if (s->chained)
		walk->chain_depth = s->chain_at + kept;
	else
		walk->out.head.depth = s->chain_at + kept;
}

#endif
