/*
 * splice: puts the windows of one capture, each a profile, together to one profile. Texts,
 * functions, stacks and threads that a later window repeats take no more memory.
 */
#ifndef MODEL_SPLICE_H
#define MODEL_SPLICE_H

#include "base/vec.h"
#include "model/profile.h"

/* A process's last name and cgroup. */
struct splice_process {
	uint32_t name, cgroup;
};

struct splice {
	struct profile *p;
	bool running;		   /* a window was: struct profile */
	bool added;		   /* there was a window */
	struct map process_by_key; /* pid and birth → processes */
	VEC(struct splice_process) processes;
};

void splice_init(struct splice *);

/* Adds the rows of @next, which was checked and begins where the last window ended, and replaces
 * the attributes; if @next is running, it replaces running tables (model/table.h), too. -EINVAL
 * with a text, and nothing changed, if its metrics are those of another capture. */
int splice_add(struct splice *, const struct profile *next);

/* Adds the last window of a capture, whose cumulative tables are of the whole capture. */
int splice_add_last(struct splice *, const struct profile *next);

/* Copies the functions so far to @p, which is empty. */
void splice_seed(const struct splice *, struct profile *p);

/* The profile, which the caller owns from then on. */
struct profile *splice_finish(struct splice *);
void splice_release(struct splice *);

#endif
