/* SPDX-License-Identifier: GPL-2.0 */
/*
 * script_python: frames of CPython 3.11 to 3.14; and what those of 3.9 and 3.10 have in common with
 * them. For script.bpf.c, which includes script_code.h first.
 *
 * A thread's state leads to its innermost frame; each frame leads to its caller's. Calls from one
 * Python function to another stay within one native frame of the interpreter's loop: such a run
 * ends in an entry that the loop keeps in its own C frame. Up to 3.12 that is a _PyCFrame;
 * since 3.12 a frame of no function follows the run's last, and since 3.13 that is the entry.
 */
#ifndef SAMPLE_SCRIPT_PYTHON_H
#define SAMPLE_SCRIPT_PYTHON_H

#include "sample/python_state.h"
#include "sample/script_object.h"

/* Frames of one run, at most. */
#define RUN_FRAMES 8192

/* Thread states that are looked at for one that runs, and where each has the one behind it. */
#define FIND_STATES 64
#define STATE_NEXT  8

/* Low bits of a code object's pointer that 3.14 uses. */
#define TAG 3

static __always_inline void python_stop(struct script *s)
{
	s->entry = 0;
	s->mode = SCRIPT_NATIVE;
}

/* Looks for the entry of the run whose innermost frame is @first. */
static __always_inline void python_run(struct script *s, __u64 first)
{
	s->first = s->at = first;
	s->left = RUN_FRAMES;
	s->torn = s->found = s->shown = 0;
	s->next = s->entry = 0;
	s->mode = first ? SCRIPT_SEEK : SCRIPT_NATIVE;
}

/* Goes to the frames of the run that the C frame or frame @at begins. */
static __always_inline void python_next(struct script *s, __u64 at)
{
	if (!s->proc.has_cframes) {
		python_run(s, at);
		return;
	}
	s->entry = 0;
	s->cframe = at;
	s->mode = at ? SCRIPT_OPEN : SCRIPT_NATIVE;
}

/* Goes to the frames of @state; false: it has none. */
static __always_inline bool python_enter(const struct script_memory *m, struct script *s,
					 __u64 state)
{
	__u64 frame = 0;

	if (!state || !read_user(m, &frame, 8, state + s->proc.state_frame) || !frame)
		return false;
	if (s->has_loops)
		s->first = frame;
	else
		python_next(s, frame);
	return true;
}

/* Of a version in which the key of a thread leads to one of its states: begins with the one that
 * runs, if the thread has the interpreter's lock, and keeps the key's, @state, for later. */
static __always_inline void python_begin_active(const struct script_memory *m, struct script *s,
						__u64 state)
{
	__u64 active = 0;

	if (read_user(m, &active, 8, s->proc.runtime + s->proc.active) && active != state &&
	    python_state_of(m, &s->proc, active, s->base) && python_enter(m, s, active))
		s->state = state;
	else if (!python_enter(m, s, state))
		s->base = 0;
}

/* Has the next round begin. @base: pthread_self() of the thread. */
static __always_inline void python_begin(struct script *s, __u64 base)
{
	s->outcome = WIRE_SCRIPT_NO_STATE;
	s->window_at = 1;
	s->base = base;
	s->state = s->among = s->first = 0;
	s->chain_n = 0;
	s->mode = SCRIPT_BEGIN;
}

static __always_inline void python_first(const struct script_memory *m, struct script *s)
{
	const __u64 state = python_state(m, &s->proc, s->base);

	s->mode = SCRIPT_NATIVE;
	if (s->proc.active) {
		python_begin_active(m, s, state);
	} else {
		s->base = 0;
		python_enter(m, s, state);
	}
}

/* Begins to look for a state of this thread that runs something. */
static __always_inline void python_search(const struct script_memory *m, struct script *s)
{
	if (!read_user(m, &s->among, 8, s->proc.runtime + s->proc.interpreters) ||
	    !read_user(m, &s->at, 8, s->among + s->proc.threads))
		return;
	s->left = FIND_STATES;
	s->mode = SCRIPT_FIND;
}

/* The frames of a state have ended. Then come those of the key's state, which called this one's
 * code. If there was none at all, the thread may wait in another interpreter, as those of Apache's
 * mod_wsgi do. */
static __always_inline void python_outermost(const struct script_memory *m, struct script *s)
{
	const __u64 state = s->state;

	s->state = 0;
	python_stop(s);
	if (state)
		python_enter(m, s, state);
	else if (s->base && s->outcome == WIRE_SCRIPT_NO_STATE && s->among)
		s->mode = SCRIPT_FIND;
	else if (s->base && s->outcome == WIRE_SCRIPT_NO_STATE)
		python_search(m, s);
}

/* Looks whether the state at .at is one of this thread; if it runs nothing, python_outermost() goes
 * on behind it. A state has a pointer to the one behind it, an interpreter begins with one to the
 * next interpreter. */
static __always_inline void python_find(const struct script_memory *m, struct script *s)
{
	const __u64 state = s->at;

	if (!s->left) {
		python_stop(s);
		return;
	}
	s->left--;
	if (!state && (!read_user(m, &s->among, 8, s->among) || !s->among ||
		       !read_user(m, &s->at, 8, s->among + s->proc.threads)))
		python_stop(s);
	else if (state && !read_user(m, &s->at, 8, state + STATE_NEXT))
		python_stop(s);
	else if (python_state_of(m, &s->proc, state, s->base))
		python_enter(m, s, state);
}

/* Reads the C frame: its current frame, and the next C frame. The outermost one is in the thread's
 * state and runs nothing. A loop that begins has linked its C frame, but still with the frame of
 * the loop that it was called from, whose frames must not be taken twice. */
static __always_inline void python_open(const struct script_memory *m, struct script *s)
{
	__u64 current, outer = 0;

	if (!read_user(m, s->frame, 16, s->cframe + s->proc.cframe)) {
		s->outcome = WIRE_SCRIPT_CUT;
		python_stop(s);
		return;
	}
	current = s->frame[0];
	s->outer = s->frame[1];
	if (!s->outer) {
		python_outermost(m, s);
		return;
	}
	if (!read_user(m, &outer, 8, s->outer + s->proc.cframe) || outer == current || !current)
		python_next(s, s->outer);
	else
		python_run(s, current);
}

/* Reads the frame at .at, and what is before it in its page: its caller's frame is mostly there. */
static __always_inline bool python_read(const struct script_memory *m, struct script *s)
{
	const __u64 page = s->at & -(1ull << PAGE_SHIFT);
	__u64 from = s->at - s->window_at;

	/* An empty window is at no word. */
	if (s->at % 8 || from % 8 || from > (SCRIPT_WINDOW - SCRIPT_FRAME_WORDS) * 8) {
		from = (SCRIPT_WINDOW - SCRIPT_FRAME_WORDS) * 8;
		if (s->at - page < from)
			from = s->at - page & -8ull;
		s->window_at = s->at - from;
		if (!read_user(m, s->window, sizeof(s->window), s->window_at)) {
			s->window_at = 1;
			return false;
		}
	}
	s->window_from = from / 8;
	return true;
}

static __always_inline __u64 python_word(const struct script *s, __u32 offset)
{
	return s->window[s->window_from + offset / 8 & (SCRIPT_WINDOW - 1)];
}

/* Whether the frame that was read ends its run. */
static __always_inline bool python_ends(const struct script *s)
{
	return (python_word(s, s->proc.end) >> s->proc.end % 8 * 8 & 0xff) >= s->proc.end_least;
}

/* Remembers the frame that was read. */
static __always_inline void python_found(struct script *s)
{
	struct script_frame *frame = &s->run[s->found & (SCRIPT_RUN - 1)];

	if (s->found == SCRIPT_RUN)
		s->rest = s->at;
	if (s->found < SCRIPT_RUN) {
		frame->code = python_word(s, s->proc.code);
		frame->instruction = python_word(s, s->proc.instruction);
	}
	s->found++;
	s->async.here = s->at == s->async.frame;
}

static __always_inline void python_seek(const struct script_memory *m, struct script *s)
{
	bool read = s->left && python_read(m, s);
	const bool ends = read && python_ends(s);

	s->left--;
	if (read && (!ends || s->proc.end_shown))
		python_found(s);
	if (read) {
		s->next = python_word(s, s->proc.previous);
		if (!ends && s->next) {
			s->at = s->next;
			return;
		}
		read = ends;
	}
	s->mode = SCRIPT_NATIVE;
	s->torn = !read;
	s->entry = s->at;
	if (s->proc.has_cframes)
		s->entry = s->cframe;
	else if (!read)
		s->entry = 0;
	if (!read)
		s->outcome = WIRE_SCRIPT_CUT;
	else if (s->outcome == WIRE_SCRIPT_NO_STATE)
		s->outcome = WIRE_SCRIPT_WHOLE;
}

static __always_inline void python_note(struct walk *walk, enum wire_script_note note)
{
	script_keep(walk, (__u64)WIRE_FRAME_SCRIPT << WIRE_FRAME_SHIFT | note);
}

/* Adds the native frame that called the loop, if it is known. */
static __always_inline void python_caller(struct walk *walk)
{
	struct script *s = &walk->script;

	if (s->caller)
		script_keep(walk, s->caller);
	if (s->has_loops)
		object_next(s);
	else
		python_next(s, s->proc.has_cframes ? s->outer : s->next);
}

/* The run is on the stack. */
static __always_inline void python_left(struct walk *walk)
{
	struct script *s = &walk->script;

	if (s->torn)
		python_note(walk, WIRE_SCRIPT_TORN);
	if (s->async.here)
		async_start(s);
	else
		python_caller(walk);
}

/* Where in the code object at @tagged the instruction is. -1, before the first one, becomes
 * WIRE_SCRIPT_BEGIN. */
static __always_inline __u64 python_unit(const struct script *s, __u64 tagged, __u64 instruction)
{
	return (instruction - (tagged & ~TAG) - s->proc.bytecode) / UNIT & WIRE_SCRIPT_MOST;
}

static __always_inline void python_add(const struct script_memory *m, struct walk *walk,
				       __u64 tagged, __u64 instruction)
{
	struct script *s = &walk->script;
	const __u64 number = code_number(m, walk, tagged & ~TAG);

	if (!number) {
		if (s->outcome == WIRE_SCRIPT_WHOLE)
			s->outcome = WIRE_SCRIPT_SOME_UNREAD;
		python_note(walk, WIRE_SCRIPT_UNREAD);
		return;
	}
	script_keep(walk, (__u64)WIRE_FRAME_SCRIPT << WIRE_FRAME_SHIFT |
				  number << WIRE_SCRIPT_SHIFT |
				  python_unit(s, tagged, instruction));
}

/* Reads the next frame, one behind those that are remembered, again. */
static __always_inline bool python_again(const struct script_memory *m, struct script *s)
{
	s->at = s->shown == SCRIPT_RUN ? s->rest : python_word(s, s->proc.previous);
	return python_read(m, s);
}

static __always_inline void python_emit(const struct script_memory *m, struct walk *walk)
{
	struct script *s = &walk->script;
	const struct script_frame *frame = &s->run[s->shown & (SCRIPT_RUN - 1)];
	__u64 code = frame->code, instruction = frame->instruction;

	if (s->shown >= SCRIPT_RUN && s->shown < s->found) {
		if (!python_again(m, s)) {
			s->torn = 1;
			s->outcome = WIRE_SCRIPT_CUT;
			s->found = s->shown;
		}
		code = python_word(s, s->proc.code);
		instruction = python_word(s, s->proc.instruction);
	}
	if (s->shown < s->found) {
		python_add(m, walk, code, instruction);
		s->shown++;
	}
	if (s->torn || s->shown >= s->found)
		python_left(walk);
}

#endif
