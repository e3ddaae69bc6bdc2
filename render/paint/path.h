/*
 * path: a hot stack as the words of a line: names, runs of one function as one, and the middle
 * of a long stack as a gap. The same for every format.
 */
#ifndef PAINT_PATH_H
#define PAINT_PATH_H

#include "doc.h"

struct path_item {
	uint32_t node;	/* in the tree; 0: a gap */
	uint32_t times; /* frames in this run, or frames left out in this gap */
};
typedef VEC(struct path_item) path_items;

/* At most @max items, root first, where max is at least 5; the last ones are kept rather than
 * the first. The caller releases *@out. */
void path_layout(const struct tree *, const struct doc_path *, size_t max, path_items *out);

/* "name", "name ×12", "… 40 frames …"; clean UTF-8, freed by the caller. */
char *path_item_text(const struct tree *, const struct path_item *);

#endif
