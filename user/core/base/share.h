/*
 * share: a part of the loader's time that somebody may have: so much at once, which refills as time
 * passes.
 */
#ifndef BASE_SHARE_H
#define BASE_SHARE_H

#include <stdbool.h>
#include <stdint.h>

struct share_rate {
	int64_t most_ns; /* all that may be had at once */
	int64_t percent; /* of the time that passes, by which it refills */
};

struct share {
	const struct share_rate *rate;
	int64_t left_ns; /* negative: more was taken than there was */
	uint64_t at_ns;	 /* when that was so */
};

/* A full one; @rate is borrowed. */
void share_open(struct share *, const struct share_rate *, uint64_t now_ns);
/* What has passed since is added; whether there is any. */
bool share_refill(struct share *, uint64_t now_ns);

#endif
