/*
 * calltree: a call tree, or one hot path of it, as lines of text, for every format that shows text.
 * A tree is laid out as perf report -g prints it: what has one callee alone stands in one column
 * with it, only where calls branch the lines move to the right.
 *
 *	├─ main
 *	│  run
 *	│  ├─ parse
 *	│  └─ eval
 */
#ifndef PAINT_CALLTREE_H
#define PAINT_CALLTREE_H

#include "doc.h"
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

/* Part of a hot path: runs of one function are one item, and so is the middle of a long stack. */
struct path_item {
	uint32_t node;	/* in the tree; 0: a gap */
	uint32_t times; /* frames in this run, or frames left out in this gap */
};
typedef VEC(struct path_item) path_items;

/* At most @max items, root first, where max is at least 5; frames of query/startup.h go first, then
 * the last ones are kept rather than the first. The caller releases *@out. */
void path_layout(const struct tree *, const struct doc_path *, size_t max, path_items *out);

/* The last @max frames of a path that say something of the program (query/startup.h), in order, and
 * the gaps before and between them; all of a path that has no more. */
void path_end(const struct tree *, const struct doc_path *, size_t max, path_items *out);

/* "name", "name ×12", "… 40 frames …"; clean UTF-8, freed by the caller. */
char *path_item_text(const struct tree *, const struct path_item *);

#endif
