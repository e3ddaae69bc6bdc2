/* SPDX-License-Identifier: GPL-2.0 */
/*
 * script_object: frames of CPython 3.9 and 3.10, which are objects. For script_python.h.
 *
 * Each call of a Python function has a native frame of the interpreter's loop, which nothing but
 * its code tells. So the frames take the places of the loops in order, from the innermost on. A
 * loop that just begins has yet to link its frame, and one that ends has unlinked it: then there is
 * a loop more than frames when the walk is at its end, and each frame belongs to the next loop
 * (script_settle()).
 */
#ifndef SAMPLE_SCRIPT_OBJECT_H
#define SAMPLE_SCRIPT_OBJECT_H

/* Code units are two bytes. */
#define UNIT 2

/* What of a frame object is read: from here, so many words. */
#define OBJECT_FROM  24
#define OBJECT_WORDS 11

/* Reads the frame object at .at, as the run's only frame; false: it is not there. */
static __always_inline bool object_frame(const struct script_memory *m, struct script *s)
{
	__s64 unit;

	s->next = 0;
	if (!read_user(m, s->frame, OBJECT_WORDS * 8, s->at + OBJECT_FROM))
		return false;
	unit = (__s64)(__s32)script_word(s->frame, s->proc.instruction) >> (s->proc.end & 1);
	s->next = script_word(s->frame, s->proc.previous);
	s->run[0].code = script_word(s->frame, s->proc.code);
	s->run[0].instruction = s->run[0].code + unit * UNIT;
	return true;
}

/* Makes the frame object at .at a run. */
static __always_inline void object_read(const struct script_memory *m, struct script *s)
{
	s->mode = SCRIPT_EMIT;
	s->found = s->shown = s->torn = 0;
	if (!object_frame(m, s)) {
		s->torn = 1;
		s->outcome = WIRE_SCRIPT_CUT;
		return;
	}
	s->found = 1;
	s->chain_n++;
	if (s->outcome == WIRE_SCRIPT_NO_STATE)
		s->outcome = WIRE_SCRIPT_WHOLE;
}

/* It is on the stack: the next loop runs its caller. */
static __always_inline void object_next(struct script *s)
{
	s->first = s->next;
	s->entry = 0;
	s->mode = SCRIPT_NATIVE;
}

#endif
