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
	bool running;		   /* its windows are: struct profile */
	bool added;		   /* a window was */
	struct map process_by_key; /* pid and birth → processes */
	VEC(struct splice_process) processes;
};

void splice_init(struct splice *);

/* Adds @next, which was checked and whose time begins where the last one's ended. Its rows are
 * added; its attributes take the place of those that were there. So do, where @next is running, the
 * tables that are (model/table.h). -EINVAL with a
 * text, and nothing changed, where it is of another capture: its metrics are others. */
int splice_add(struct splice *, const struct profile *next);

/* The same of the last window of a capture, whose cumulative tables are of the whole capture. */
int splice_add_last(struct splice *, const struct profile *next);

/* Makes @p, which is empty, know the functions that are there already. */
void splice_seed(const struct splice *, struct profile *p);

/* The profile, the caller's from then on. */
struct profile *splice_finish(struct splice *);
void splice_release(struct splice *);

#endif
