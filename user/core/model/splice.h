/*
 * splice: the windows of one capture, each a profile of its own, put together to one profile. Only
 * what differs takes memory: texts, functions, stacks and threads that a later window has again are
 * found again.
 */
#ifndef MODEL_SPLICE_H
#define MODEL_SPLICE_H

#include "base/vec.h"
#include "model/profile.h"

/* A process, and what it was called when it was seen last. */
struct splice_process {
	uint32_t name, cgroup;
};

struct splice {
	struct profile *p;
	bool added;		   /* a window was */
	struct map process_by_key; /* pid and birth → processes */
	VEC(struct splice_process) processes;
};

void splice_init(struct splice *);

/* Adds @next, which was checked and whose time begins where the last one's ended. Tables that are
 * running (model/table.h), and attributes, are of the whole capture up to then, and take the place
 * of what was there; the rows of all others are added. -EINVAL with a
 * text, and nothing changed, where it is of another capture: its metrics are others. */
int splice_add(struct splice *, const struct profile *next);

/* Makes @p, which is empty, know the functions that are there already. */
void splice_seed(const struct splice *, struct profile *p);

/* The profile, the caller's from then on. */
struct profile *splice_finish(struct splice *);
void splice_release(struct splice *);

#endif
