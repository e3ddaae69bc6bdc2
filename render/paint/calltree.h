/*
 * calltree: a call tree as lines of text, as perf report -g prints it: what has one callee alone
 * stands in one column with it, only where calls branch the lines move to the right. For every
 * format that shows text.
 *
 *	├─ main
 *	│  run
 *	│  ├─ parse
 *	│  └─ eval
 */
#ifndef PAINT_CALLTREE_H
#define PAINT_CALLTREE_H

#include "query/tree.h"

struct calltree_line {
	uint32_t node;	/* of the tree; of a run the last one */
	uint32_t times; /* calls of a function by itself, all of one total, are one line */
	uint32_t level; /* branchings above it */
	char *guides;	/* "│  ├─ ", UTF-8, owned by the lines */
};

struct calltree {
	VEC(struct calltree_line) lines;
	uint32_t branches; /* that are left out */
};

/* Branches of less than @least percent of the whole are left out. Lines of more than @deepest
 * levels show "… " and the last of these alone. Iterative; any depth. */
void calltree_layout(const struct tree *, double least, uint32_t deepest, struct calltree *out);
void calltree_release(struct calltree *);

/* "name", "name ×12"; clean UTF-8, freed by the caller. */
char *calltree_name(const struct tree *, const struct calltree_line *);

/* "branches below 1 % are left out: 12 of them"; freed by the caller. */
char *calltree_note(const struct calltree *, double least);

#endif
