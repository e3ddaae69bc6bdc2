/*
 * frames_shown: which frames of stacks are shown (--frames): those of scripts alone, or all others.
 * For what reads profiles.
 */
#ifndef SELECT_FRAMES_SHOWN_H
#define SELECT_FRAMES_SHOWN_H

struct profile;

/* As in FRAMES_SHOWN_WORDS. */
enum frames_shown { FRAMES_ALL, FRAMES_SCRIPT, FRAMES_NATIVE, FRAMES_SHOWN_CHOICES };
extern const char *const FRAMES_SHOWN_WORDS[FRAMES_SHOWN_CHOICES + 1]; /* ends with a NULL */

/* What a stack is shown as of which no frame is left: its samples are in no script, or in nothing
 * else. */
#define FRAMES_NO_SCRIPT "[native]"
#define FRAMES_NO_NATIVE "[script]"

/* Leaves the others out of the stacks of @p. What was sampled in a frame that is left out counts
 * for the nearest caller that is not. Rows of nodes that no sample has any more stay in their
 * table. */
void frames_show(struct profile *p, enum frames_shown);

#endif
