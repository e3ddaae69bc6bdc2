#include "format/html_flame.h"

#include "format/html_frames.h"
#include "paint/flame.h"

/* The columns, and what filling them needs to know of the boxes above. */
struct columns {
	struct html_shape shape;
	struct pack samples, value, gap;
	int64_t mean;
	int64_t *cursor; /* by level: where its next box begins unless there is a gap */
};

static void box_add(struct columns *c, const struct flame_box *b, const struct tree_node *n,
		    uint32_t frame)
{
	html_shape_add(&c->shape, b->depth, frame);
	if (b->depth) {
		pack_int(&c->gap, b->x - c->cursor[b->depth - 1]);
		c->cursor[b->depth - 1] = b->x + b->w;
	} else {
		pack_int(&c->gap, b->x);
	}
	c->cursor[b->depth] = b->x;
	pack_int(&c->samples, n->self_samples);
	pack_int(&c->value,
		 (int64_t)((uint64_t)n->self - (uint64_t)n->self_samples * (uint64_t)c->mean));
}

/* Fills the columns with the boxes in the order of a walk, and @place with where each node is.
 * @box_of: each node's box, HTML_NO_NODE where it has none. Returns the number of boxes. */
static uint32_t walk(const struct flame *flame, const uint32_t *box_of, struct html_frames *f,
		     struct columns *c, uint32_t *place)
{
	uint32_t n = 0, node = 0;

	do {
		const struct tree_node *at = &flame->tree->nodes.at[node];
		uint32_t box = box_of[node];

		if (box != HTML_NO_NODE) {
			box_add(c, &flame->boxes.at[box], at, html_frame_of(f, node));
			place[node] = n++;
		}
		node = tree_next(flame->tree, node, box != HTML_NO_NODE);
	} while (node);
	return n;
}

/* The mean value of a sample, which most nodes' values are multiples of. */
static int64_t mean_value(const struct tree_node *root)
{
	return root->total_samples > 0 ? root->total / root->total_samples : 0;
}

static void columns_pack(struct columns *c, uint32_t n, struct pack *out)
{
	pack_int(out, c->mean);
	pack_uint(out, n);
	html_shape_pack(&c->shape, out);
	pack_move(out, &c->samples);
	pack_move(out, &c->value);
	pack_move(out, &c->gap);
}

/* @c and @f filled from the boxes and written. */
static void boxes_pack(const struct flame *flame, struct html_frames *f, struct pack *out,
		       uint32_t *place)
{
	const struct tree *t = flame->tree;
	_free_ uint32_t *box_of = mem_zalloc(t->nodes.n, sizeof(*box_of));
	_free_ int64_t *cursor = mem_zalloc(flame->rows, sizeof(*cursor));
	struct columns c = {.mean = mean_value(&t->nodes.at[0]), .cursor = cursor};
	uint32_t n;

	memset(box_of, 0xff, t->nodes.n * sizeof(*box_of));
	for (size_t i = 0; i < flame->boxes.n; i++)
		box_of[flame->boxes.at[i].node] = (uint32_t)i;
	n = walk(flame, box_of, f, &c, place);
	html_frames_pack(f, out);
	columns_pack(&c, n, out);
}

void html_flame_pack(const struct tree *t, struct pack *out, uint32_t *place)
{
	struct html_frames f;
	struct flame flame;

	html_frames_init(&f, t, t->has_reasons);
	flame_layout(t, 0, &flame);
	memset(place, 0xff, t->nodes.n * sizeof(*place));
	pack_uint(out, pack_string(out, t->unit ? t->unit : ""));
	pack_uint(out, t->of_zones);
	pack_uint(out, t->has_reasons);
	boxes_pack(&flame, &f, out, place);
	flame_release(&flame);
	html_frames_release(&f);
}
