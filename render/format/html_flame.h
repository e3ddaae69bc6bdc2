/*
 * html_flame: a flame graph as data of the HTML report (web/pack.h): its frames, the shape of its
 * boxes, and the tree as a whole. For format/html*.c only.
 */
#ifndef FORMAT_HTML_FLAME_H
#define FORMAT_HTML_FLAME_H

#include <stdbool.h>

#include "base/hash.h"
#include "query/tree.h"
#include "web/pack.h"

#define HTML_NO_NODE UINT32_MAX

/* Frames by number, in the order in which a walk meets them. Threads are one frame a name,
 * functions one each for called and inlined; and, where asked for, each of these one for every
 * reason that colours it. */
struct html_frames {
	const struct tree *tree; /* borrowed */
	bool by_reason;
	VEC(uint32_t) first;   /* a tree node of each frame */
	uint32_t *of_function; /* owned; by function, called and inlined: its frame's number + 1 */
	struct map others;     /* the same of threads, and of functions with a reason */
};

void html_frames_init(struct html_frames *, const struct tree *, bool by_reason);
void html_frames_release(struct html_frames *);
/* The number of the frame of tree node @node. */
uint32_t html_frame_of(struct html_frames *, uint32_t node);
/* How many; of each name, file, line, module, class, reason (if by it) and colour, all but class
 * and line numbers; then the colours, as 0xrrggbb. */
void html_frames_pack(const struct html_frames *, struct pack *out);
/* The same with the shade (flame_shade) for reason and colour, and no colours behind them. */
void html_frames_pack_shades(const struct html_frames *, struct pack *out);

/* Boxes in the order of a walk, as two columns: levels closed before this one, and the frame. */
struct html_shape {
	struct pack closed, frame;
	uint32_t n;
	uint32_t depth;		 /* of the box before */
	VEC(uint32_t) above;	 /* by level: frame */
	VEC(uint64_t) calls;	 /* by box: caller's frame << 32 | frame, until they are numbered */
	struct map numbers;	 /* the same: number among that caller's callees */
	VEC(uint32_t) n_callees; /* by frame */
};

/* A zeroed shape is empty and valid. */
void html_shape_add(struct html_shape *, uint32_t depth, uint32_t frame);
/* Makes the column of frames of the boxes so far. */
void html_shape_finish(struct html_shape *);
/* Finishes the shape, adds its columns to @out and releases it. */
void html_shape_pack(struct html_shape *, struct pack *out);

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
