#include "format/html_samples.h"

#include "format/html_flame.h"
#include "format/html_rows.h"
#include "model/reason.h"
#include "paint/flame.h"

static void palette_pack(struct pack *out)
{
	pack_uint(out, FLAME_CLASSES);
	for (unsigned i = 0; i < FLAME_CLASSES; i++) {
		const char *label = i < FRAME_CLASSES ? frame_class_label(i, false)
						      : reason_kind_name(i - FRAME_CLASSES);
		struct rgb from, to;

		flame_palette(i, &from, &to);
		pack_uint(out, pack_string(out, label ? label : ""));
		pack_uint(out, (uint32_t)from.r << 16 | (uint32_t)from.g << 8 | from.b);
		pack_uint(out, (uint32_t)to.r << 16 | (uint32_t)to.g << 8 | to.b);
	}
}

/* Parts of a hundred that are left of the columns of a shape when they are deflated, and bytes that
 * a frame takes here and as a row of the table of functions: as measured at 100,000 stacks. */
#define FRAME_PERCENT  78
#define CLOSED_PERCENT 17
#define FRAME_BYTES    14

/* Returns about how many bytes that is, deflated. */
static size_t tree_pack(struct html_union *s, struct pack *out)
{
	const struct tree *t = s->all;
	size_t bytes;
	struct html_frames frames;
	struct html_shape shape = {0};
	uint32_t n = 0, node = 0;

	s->place = mem_zalloc(t->nodes.n, sizeof(*s->place));
	html_frames_init(&frames, t, false);
	do {
		s->place[node] = n++;
		html_shape_add(&shape, t->nodes.at[node].depth, html_frame_of(&frames, node));
		node = tree_next(t, node, true);
	} while (node);
	html_frames_pack_shades(&frames, out);
	pack_uint(out, n);
	html_shape_finish(&shape);
	bytes = shape.frame.bytes.n * FRAME_PERCENT / 100 +
		shape.closed.bytes.n * CLOSED_PERCENT / 100 + frames.first.n * FRAME_BYTES;
	html_shape_pack(&shape, out);
	html_frames_release(&frames);
	return bytes;
}

void html_samples_pack(struct html_union *s, struct pack *out)
{
	bool has_reasons = false;
	size_t tree_bytes;

	html_union_make(s);
	for (size_t i = 0; i < s->n; i++)
		has_reasons |= s->trees[i]->has_reasons;
	pack_uint(out, has_reasons);
	palette_pack(out);
	tree_bytes = tree_pack(s, out);
	html_rows_pack(s, has_reasons, tree_bytes, out);
}
