/*
 * reason_frames: why threads waited as frames of the stacks in which they did, for what shows
 * stacks alone: main;pop;[lock: futex app:queue_lock].
 */
#ifndef MODEL_REASON_FRAMES_H
#define MODEL_REASON_FRAMES_H

#include "model/profile.h"

/* "lock: futex app:queue_lock": its kind, system call and object, as far as they are known. Freed
 * by the caller. */
char *reason_text(const struct profile *, const struct reason *);

/* Ends each sample's stack that has a reason with a frame of it, a mark. */
void reason_frames_add(struct profile *);

#endif
