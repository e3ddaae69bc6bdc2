/*
 * flame: the layout of a flame graph, the same for svg, png, pdf and html: one box a node, with
 * exact integer positions in units of the metric. Formats only scale it. Iterative; any depth.
 */
#ifndef PAINT_FLAME_H
#define PAINT_FLAME_H

#include "paint/rgb.h"
#include "query/frame_class.h"
#include "query/tree.h"

struct flame_box {
	uint32_t node;	/* in the tree */
	uint32_t depth; /* row: the root 0 */
	int64_t x, w;	/* left edge and width, in the metric's units: w is the node's total */
};

/* Neighbours that are too narrow, as one. */
struct flame_merged {
	uint32_t parent; /* the node that they all are children of */
	uint32_t depth;
	int64_t x, w;	/* w is the sum of theirs */
	uint32_t nodes; /* that it stands for: they, and all that is above them */
};

struct flame {
	const struct tree *tree;
	int64_t width;		     /* of the root: the tree's total */
	uint32_t rows;		     /* depth of the deepest box + 1 */
	VEC(struct flame_box) boxes; /* in drawing order: by node, parents before children */
	VEC(struct flame_merged) merged;
};

/* Boxes narrower than @min (in units of the metric) are left out with all that is above them, and
 * drawn as one with neighbours that are as narrow where they are together wide enough; 0 keeps
 * every one. Siblings lie in the tree's order (by name), from their parent's left edge, the
 * parent's self time at the right. */
void flame_layout(const struct tree *, int64_t min, struct flame *out);
void flame_release(struct flame *);

/* What the colour of a frame means: of waits why the threads waited for most of the frame's time,
 * else the kind of code. */
#define FLAME_CLASSES (FRAME_CLASSES + REASON_KINDS)
unsigned flame_class(const struct tree *, const struct tree_node *);
/* Whether it is a colour of time off the CPU: such boxes are striped, so that one tells them from
 * frames without colours, too. */
bool flame_is_wait(const struct tree *, const struct tree_node *);
/* What stripes are: lines that rise to the right, FLAME_STRIPE units from one to the next across.
 */
#define FLAME_STRIPE	   7
#define FLAME_STRIPE_WIDTH 1.6
#define FLAME_STRIPE_ALPHA 0.17
#define FLAME_STRIPE_LEAST 3 /* units that a striped box is wide, more than */
extern const struct rgb FLAME_STRIPE_INK;
/* For legends: "user", "lock". */
const char *flame_class_label(const struct tree *, unsigned flame_class);

/* The colour of a frame, the same in every format: of a difference what is said of it
 * (paint/diff_words.h), else by class (user code warm, kernel orange, inlined
 * aqua, JIT green, unnamed grey; poll, epoll and sleeps grey and blue, other waits in colours of
 * their own), shade by a hash of the function's name so that neighbours differ and a function keeps
 * its colour. */
extern const struct rgb FLAME_MERGED; /* of boxes that stand for many */
struct rgb flame_colour(const struct tree *, const struct tree_node *);
/* The same in two steps, for the page, which chooses the class by itself: the two ends of a class's
 * colours, and the step between them, of FLAME_SHADES, that is a function's own. */
#define FLAME_SHADES 16
void flame_palette(unsigned flame_class, struct rgb *from, struct rgb *to);
unsigned flame_shade(const char *name);

#endif
