/*
 * interleave: puts the frames of a script into the places of the native frames of the interpreter's
 * loop that run them, for languages of which the walker sends both one behind the other
 * (WIRE_FRAME_CHAIN, wire_script.h). A pure function of a stack's words.
 */
#ifndef STACK_INTERLEAVE_H
#define STACK_INTERLEAVE_H

#include <stdint.h>

#include "wire_script.h"

/* A stack's words, innermost first. */
struct interleave_words {
	uint64_t *at;
	uint32_t n;
	uint32_t cut_at; /* words before the frames that were left out; 0: none were */
};

/* Gives @n native frames, innermost first, of which none has a kind yet, the kinds that the walker
 * in the kernel gives to those of the loop of @proc. */
void interleave_mark(uint64_t *frames, uint32_t n, const struct wire_script_proc *proc);

/*
 * Changes @words, of a stack that ended as @end (enum wire_end) says; there will be no more than
 * before. Runs and loops are paired from the outermost on. A surplus run, just beginning or ending,
 * stands on top; a surplus loop stays native. Without a loop, and so without a place, the script's
 * frames stand behind the native ones and a note, unless these reach the thread's first frame. If
 * they are too different (WIRE_CHAIN_PAIRS), or the script's are not whole, so that nothing says
 * which belong together, the script's frames stand together in the place of the innermost loop,
 * with a note, and the native frames between the loops are left out. So too if the frames stand in
 * the places of loops already, but loops are left.
 */
void interleave(struct interleave_words *words, uint8_t end);

#endif
