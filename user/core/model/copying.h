/*
 * copying: modules, functions, frames and reasons of one profile into another, each once, when it
 * is asked for: from their numbers there to those here.
 */
#ifndef MODEL_COPYING_H
#define MODEL_COPYING_H

#include "model/profile.h"

struct copying {
	const struct profile *from;
	struct profile *to;
	uint32_t *strings, *modules, *functions, *frames, *reasons; /* by old number; 0: not yet */
};

/* Both are borrowed while it lasts, and @from does not grow. */
void copying_init(struct copying *, const struct profile *from, struct profile *to);
void copying_release(struct copying *);

/* The number here; 0, which is none in both, stays 0. */
uint32_t copy_text(struct copying *, uint32_t string);
uint32_t copy_module(struct copying *, uint32_t module);
uint32_t copy_function(struct copying *, uint32_t function);
uint32_t copy_frame(struct copying *, uint32_t frame);
uint32_t copy_reason(struct copying *, uint32_t reason);

#endif
