/*
 * html_flame: a flame graph's tree as data of the HTML report. For format/html only.
 */
#ifndef FORMAT_HTML_FLAME_H
#define FORMAT_HTML_FLAME_H

#include "query/tree.h"
#include "web/pack.h"

#define HTML_NO_NODE UINT32_MAX

/*
 * Adds @t to @out in the order of a walk, a parent before its children, and sets @place[i] to
 * where the tree's node i stands in it (HTML_NO_NODE: nowhere). @place has one entry a node.
 *
 * What is written: unit, whether of zones, value a sample (mean), colours, frames, then columns of
 * the boxes of flame_layout(): levels closed before this one, frame (as a callee of the parent's),
 * samples of its own, its own value less samples times the mean, and how far it lies right of where
 * the box before it ended.
 */
void html_flame_pack(const struct tree *t, struct pack *out, uint32_t *place);

#endif
