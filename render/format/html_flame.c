#include "format/html_flame.h"

#include "base/hash.h"
#include "model/frame_class.h"
#include "model/reason.h"
#include "paint/flame.h"

/* Frames by number, in the order in which a walk meets them. */
struct frames {
	struct pack *out;
	const struct tree *tree;
	VEC(uint32_t) first;   /* a tree node of each frame */
	VEC(uint32_t) colours; /* as 0xrrggbb */
	uint32_t *of_function; /* by function, called and inlined: its frame's number + 1 */
	struct map others;     /* the same of threads, and of functions with a reason */
	struct map by_colour;
};

/* Threads are one frame a name, functions one each for called and inlined; and each of these one
 * for every reason that colours it. */
static uint32_t *number_of(struct frames *f, const struct tree_node *n)
{
	const uint64_t what = n->function ? (uint64_t)n->function << 2 | 2 | !!n->inlined
					  : (uint64_t)n->name << 2;
	bool fresh;

	if (n->function && !n->reason)
		return &f->of_function[2 * n->function + !!n->inlined];
	return map_put(&f->others, what << 8 | n->reason, &fresh);
}

static uint32_t frame_of(struct frames *f, uint32_t node, const struct tree_node *n)
{
	uint32_t *number = number_of(f, n);

	if (!*number) {
		vec_push(&f->first, node);
		*number = (uint32_t)f->first.n;
	}
	return *number - 1;
}

static uint32_t colour_of(struct frames *f, const struct tree_node *n)
{
	struct rgb c = flame_colour(f->tree, n);
	uint32_t key = (uint32_t)c.r << 16 | (uint32_t)c.g << 8 | c.b;
	bool fresh;
	uint32_t *colour = map_put(&f->by_colour, key, &fresh);

	if (fresh) {
		*colour = (uint32_t)f->colours.n;
		vec_push(&f->colours, key);
	}
	return *colour;
}

static void frame_pack(struct frames *f, const struct tree_node *n)
{
	const struct profile *p = f->tree->profile;
	const struct function *fn = &p->functions.at[n->function];
	uint32_t module = p->modules.at[fn->module].path;

	pack_uint(f->out, pack_string(f->out, profile_text(p, n->name)));
	pack_uint(f->out, pack_string(f->out, profile_text(p, fn->file)));
	pack_uint(f->out, fn->line);
	pack_uint(f->out, pack_string(f->out, profile_text(p, module)));
	pack_uint(f->out, frame_class_of_node(f->tree, n));
	if (f->tree->has_reasons)
		pack_uint(f->out, pack_string(f->out, reason_kind_name(n->reason)));
	pack_uint(f->out, colour_of(f, n));
}

static void frames_pack(struct frames *f)
{
	pack_uint(f->out, f->first.n);
	for (size_t i = 0; i < f->first.n; i++)
		frame_pack(f, &f->tree->nodes.at[f->first.at[i]]);
	pack_uint(f->out, f->colours.n);
	for (size_t i = 0; i < f->colours.n; i++)
		pack_uint(f->out, f->colours.at[i]);
}

/* The columns, and what filling them needs to know of the boxes above: by level. */
struct columns {
	struct pack closed, frame, samples, value, gap;
	int64_t mean;
	uint32_t depth;		 /* of the box before */
	int64_t *cursor;	 /* where a level's next box begins unless there is a gap */
	uint32_t *above;	 /* frame */
	struct map numbers;	 /* caller's frame, frame: number among that caller's callees */
	VEC(uint32_t) n_callees; /* by frame */
};

/* A function calls few others, so each box's frame is told by its number among those that its
 * parent's frame called before it, from 1; 0 and the frame for a new one. */
static void frame_add(struct columns *c, uint32_t depth, uint32_t frame)
{
	uint32_t caller = depth ? c->above[depth - 1] : 0;
	bool fresh;
	uint32_t *number = map_put(&c->numbers, (uint64_t)caller << 32 | frame, &fresh);

	c->above[depth] = frame;
	while (c->n_callees.n <= frame)
		vec_push(&c->n_callees, 0);
	pack_uint(&c->frame, *number);
	if (!fresh)
		return;
	*number = ++c->n_callees.at[caller];
	pack_uint(&c->frame, frame);
}

static void box_add(struct columns *c, const struct flame_box *b, const struct tree_node *n,
		    uint32_t frame)
{
	if (b->depth) {
		pack_uint(&c->closed, c->depth + 1 - b->depth);
		pack_int(&c->gap, b->x - c->cursor[b->depth - 1]);
		c->cursor[b->depth - 1] = b->x + b->w;
	} else {
		pack_int(&c->gap, b->x);
	}
	c->depth = b->depth;
	c->cursor[b->depth] = b->x;
	frame_add(c, b->depth, frame);
	pack_int(&c->samples, n->self_samples);
	pack_int(&c->value,
		 (int64_t)((uint64_t)n->self - (uint64_t)n->self_samples * (uint64_t)c->mean));
}

/* Fills the columns with the boxes in the order of a walk, and @place with where each node is.
 * @box_of: each node's box, HTML_NO_NODE where it has none. Returns the number of boxes. */
static uint32_t walk(const struct flame *flame, const uint32_t *box_of, struct frames *f,
		     struct columns *c, uint32_t *place)
{
	uint32_t n = 0, node = 0;

	do {
		const struct tree_node *at = &flame->tree->nodes.at[node];
		uint32_t box = box_of[node];

		if (box != HTML_NO_NODE) {
			box_add(c, &flame->boxes.at[box], at, frame_of(f, node, at));
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
	struct pack *columns[] = {&c->closed, &c->frame, &c->samples, &c->value, &c->gap};

	pack_int(out, c->mean);
	pack_uint(out, n);
	for (size_t i = 0; i < sizeof(columns) / sizeof(columns[0]); i++) {
		pack_bytes(out, columns[i]->bytes.at, columns[i]->bytes.n);
		pack_release(columns[i]);
	}
}

/* @c and @f filled from the boxes and written. */
static void boxes_pack(const struct flame *flame, struct frames *f, uint32_t *place)
{
	const struct tree *t = flame->tree;
	_free_ uint32_t *box_of = mem_zalloc(t->nodes.n, sizeof(*box_of));
	_free_ uint32_t *above = mem_zalloc(flame->rows, sizeof(*above));
	_free_ int64_t *cursor = mem_zalloc(flame->rows, sizeof(*cursor));
	struct columns c = {.mean = mean_value(&t->nodes.at[0]), .cursor = cursor, .above = above};
	uint32_t n;

	memset(box_of, 0xff, t->nodes.n * sizeof(*box_of));
	for (size_t i = 0; i < flame->boxes.n; i++)
		box_of[flame->boxes.at[i].node] = (uint32_t)i;
	n = walk(flame, box_of, f, &c, place);
	frames_pack(f);
	columns_pack(&c, n, f->out);
	map_release(&c.numbers);
	vec_release(&c.n_callees);
}

void html_flame_pack(const struct tree *t, struct pack *out, uint32_t *place)
{
	_free_ uint32_t *of_function =
		mem_zalloc(2 * t->profile->functions.n, sizeof(*of_function));
	struct frames f = {.out = out, .tree = t, .of_function = of_function};
	struct flame flame;

	flame_layout(t, 0, &flame);
	memset(place, 0xff, t->nodes.n * sizeof(*place));
	pack_uint(out, pack_string(out, t->unit ? t->unit : ""));
	pack_uint(out, t->of_zones);
	pack_uint(out, t->has_reasons);
	boxes_pack(&flame, &f, place);
	flame_release(&flame);
	vec_release(&f.first);
	vec_release(&f.colours);
	map_release(&f.others);
	map_release(&f.by_colour);
}
