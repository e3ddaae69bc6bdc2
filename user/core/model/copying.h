/*
 * copying: modules, functions, frames and reasons of one profile into another, each once, when it
 * is asked for: from their numbers there to those here.
 */
#ifndef MODEL_COPYING_H
#define MODEL_COPYING_H

#include "model/profile.h"

/* Numbers by old number, of @n; 0: not yet. */
struct copying_numbers {
	uint32_t *at;
	size_t n;
};

struct copying {
	const struct profile *from;
	struct profile *to;
	struct copying_numbers strings, modules, functions, frames, reasons;
	const struct copying *before; /* see copying_init_after() */
};

/* Both are borrowed while it lasts, and @from does not grow. */
void copying_init(struct copying *, const struct profile *from, struct profile *to);
/* The same, where a profile was copied to @to already, by @before, which lasts as long: profiles of
 * one program are much alike, so what has the same number in both is tried first. */
void copying_init_after(struct copying *, const struct profile *from, struct profile *to,
			const struct copying *before);
void copying_release(struct copying *);

/* The number here; 0, which is none in both, stays 0. */
uint32_t copy_text(struct copying *, uint32_t string);
uint32_t copy_module(struct copying *, uint32_t module);
uint32_t copy_function(struct copying *, uint32_t function);
uint32_t copy_frame(struct copying *, uint32_t frame);
uint32_t copy_reason(struct copying *, uint32_t reason);

/* Sets the attributes of the machine and the run, and when it was, to those of @from; but not what
 * a comparison of @from found (model/regression.h). */
void copy_attributes(const struct profile *from, struct profile *to);

#endif
