#include "format/html_flame.h"

#include "model/reason.h"
#include "paint/flame.h"
#include "query/frame_class.h"

/* The columns, and what filling them needs to know of the boxes above. */
struct columns {
	struct html_shape shape;
	struct pack samples, value, gap;
	int64_t mean;
	int64_t *cursor; /* by level: where its next box begins unless there is a gap */
};
void html_frames_init(struct html_frames *f, const struct tree *t, bool by_reason)
{
	*f = (struct html_frames){.tree = t, .by_reason = by_reason};
	f->of_function = mem_zalloc(2 * t->profile->functions.n, sizeof(*f->of_function));
}

void html_frames_release(struct html_frames *f)
{
	vec_release(&f->first);
	free(f->of_function);
	map_release(&f->others);
}

static uint32_t *number_of(struct html_frames *f, const struct tree_node *n)
{
	const uint64_t what = n->function ? (uint64_t)n->function << 2 | 2 | !!n->inlined
					  : (uint64_t)n->name << 2;
	const uint8_t reason = f->by_reason ? n->reason : 0;
	bool fresh;

	if (n->function && !reason)
		return &f->of_function[2 * n->function + !!n->inlined];
	return map_put(&f->others, what << 8 | reason, &fresh);
}

uint32_t html_frame_of(struct html_frames *f, uint32_t node)
{
	uint32_t *number = number_of(f, &f->tree->nodes.at[node]);

	if (!*number) {
		vec_push(&f->first, node);
		*number = (uint32_t)f->first.n;
	}
	return *number - 1;
}

static const struct tree_node *node_of(const struct html_frames *f, size_t frame)
{
	return &f->tree->nodes.at[f->first.at[frame]];
}

static void frame_pack(const struct html_frames *f, size_t frame, struct pack *out)
{
	const struct profile *p = f->tree->profile;
	const struct tree_node *n = node_of(f, frame);
	const struct function *fn = &p->functions.at[n->function];
	uint32_t module = p->modules.at[fn->module].path;

	pack_uint(out, pack_string(out, profile_text(p, n->name)));
	pack_uint(out, pack_string(out, profile_text(p, fn->file)));
	pack_uint(out, fn->line);
	pack_uint(out, pack_string(out, profile_text(p, module)));
	pack_uint(out, frame_class_of_node(f->tree, n));
}

static uint32_t colour_number(struct map *known, uint32_t rgb, struct pack *colours)
{
	const size_t n = known->n;
	const uint32_t colour = map_number(known, rgb, n);

	if (colour == n)
		pack_uint(colours, rgb);
	return colour;
}

void html_frames_pack(const struct html_frames *f, struct pack *out)
{
	struct pack colours = {0};
	struct map known = {0};

	pack_uint(out, f->first.n);
	for (size_t i = 0; i < f->first.n; i++) {
		const struct rgb c = flame_colour(f->tree, node_of(f, i));
		const uint32_t rgb = (uint32_t)c.r << 16 | (uint32_t)c.g << 8 | c.b;

		frame_pack(f, i, out);
		if (f->by_reason)
			pack_uint(out, pack_string(out, reason_kind_name(node_of(f, i)->reason)));
		pack_uint(out, colour_number(&known, rgb, &colours));
	}
	pack_uint(out, known.n);
	pack_move(out, &colours);
	map_release(&known);
}

void html_frames_pack_shades(const struct html_frames *f, struct pack *out)
{
	pack_uint(out, f->first.n);
	for (size_t i = 0; i < f->first.n; i++) {
		frame_pack(f, i, out);
		pack_uint(out, flame_shade(profile_text(f->tree->profile, node_of(f, i)->name)));
	}
}

/* Calls whose places in the map are asked for ahead of the one that is numbered. */
#define AHEAD 16

/* A function calls few others, so each box has the number of its frame among those that its
 * parent's frame called before it, from 1; 0 and the frame for a new one. */
static void callee_add(struct html_shape *s, uint64_t call)
{
	const uint32_t caller = (uint32_t)(call >> 32), frame = (uint32_t)call;
	bool fresh;
	uint32_t *number = map_put(&s->numbers, call, &fresh);

	while (s->n_callees.n <= frame)
		vec_push(&s->n_callees, 0);
	pack_uint(&s->frame, *number);
	if (!fresh)
		return;
	*number = ++s->n_callees.at[caller];
	pack_uint(&s->frame, frame);
}

void html_shape_finish(struct html_shape *s)
{
	for (size_t i = 0; i < s->calls.n; i++) {
		if (i + AHEAD < s->calls.n)
			map_prefetch(&s->numbers, s->calls.at[i + AHEAD]);
		callee_add(s, s->calls.at[i]);
	}
	vec_release(&s->calls);
}

void html_shape_add(struct html_shape *s, uint32_t depth, uint32_t frame)
{
	while (s->above.n <= depth)
		vec_push(&s->above, 0);
	if (s->n++)
		pack_uint(&s->closed, s->depth + 1 - depth);
	vec_push(&s->calls, (uint64_t)(depth ? s->above.at[depth - 1] : 0) << 32 | frame);
	s->above.at[depth] = frame;
	s->depth = depth;
}

void html_shape_pack(struct html_shape *s, struct pack *out)
{
	html_shape_finish(s);
	pack_move(out, &s->closed);
	pack_move(out, &s->frame);
	vec_release(&s->above);
	vec_release(&s->n_callees);
	map_release(&s->numbers);
}

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
