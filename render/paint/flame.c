#include "paint/flame.h"

#include "base/hash.h"
#include "paint/diff_words.h"
#include "query/frame_class.h"

const struct rgb FLAME_MERGED = {206, 208, 212};
const struct rgb FLAME_STRIPE_INK = {20, 24, 40};

#define RGB(word)                                                                \
	{                                                                        \
		(uint8_t)((word) >> 16), (uint8_t)((word) >> 8), (uint8_t)(word) \
	}

/* The two ends of each class's shades; see model/frame_kinds.def. */
static const struct {
	struct rgb from, to;
} palette[FLAME_CLASSES] = {
#define FRAME_KIND(NAME, number, label, of_zones, first, last, ...) \
	[FRAME_##NAME] = {RGB(first), RGB(last)},
#define FRAME_KIND_AS(NAME, ...)
#include "model/frame_kinds.def"
#undef FRAME_KIND
#undef FRAME_KIND_AS
#define WAIT(kind) [FRAME_CLASSES + REASON_##kind]
	WAIT(RUNNABLE) = {{255, 236, 130}, {244, 214, 84}},
	WAIT(LOCK) = {{250, 176, 168}, {240, 140, 132}},
	WAIT(FILE_LOCK) = {{246, 190, 206}, {236, 156, 178}},
	WAIT(PIPE) = {{186, 228, 150}, {150, 206, 114}},
	WAIT(SOCKET) = {{152, 224, 190}, {110, 200, 162}},
	WAIT(DISK) = {{244, 192, 130}, {226, 162, 92}},
	WAIT(FILE) = {{236, 214, 174}, {220, 192, 140}},
	WAIT(DEVICE) = {{206, 206, 150}, {184, 184, 118}},
	WAIT(OBJECT) = {{164, 222, 222}, {124, 198, 202}},
	WAIT(POLL) = {{214, 222, 234}, {192, 204, 220}},
	WAIT(EPOLL) = {{202, 214, 236}, {178, 194, 222}},
	WAIT(SLEEP) = {{222, 222, 230}, {200, 200, 212}},
	WAIT(CHILD) = {{220, 232, 130}, {198, 212, 98}},
	WAIT(SIGNAL) = {{218, 214, 226}, {196, 190, 208}},
	WAIT(FAULT) = {{222, 182, 240}, {202, 154, 228}},
	WAIT(FAULT_DISK) = {{240, 172, 232}, {224, 142, 214}},
	WAIT(MESSAGE) = {{178, 208, 250}, {146, 184, 236}},
	WAIT(STOPPED) = {{208, 198, 190}, {188, 174, 164}},
	WAIT(TRACED) = {{200, 190, 200}, {178, 166, 178}},
	WAIT(CALL) = {{250, 206, 146}, {238, 182, 112}},
	WAIT(KERNEL) = {{248, 164, 72}, {228, 122, 36}},
	WAIT(GIL) = {{252, 172, 142}, {240, 136, 102}},
#undef WAIT
};
_Static_assert(REASON_GIL + 1 == REASON_KINDS, "each reason has its shades");

unsigned flame_class(const struct tree *t, const struct tree_node *n)
{
	if (n->reason == REASON_NONE)
		return frame_class_of_node(t, n);
	return (unsigned)FRAME_CLASSES + n->reason;
}

bool flame_is_wait(const struct tree *t, const struct tree_node *n)
{
	return !t->diff && n->reason != REASON_NONE;
}

const char *flame_class_label(const struct tree *t, unsigned class)
{
	return class < FRAME_CLASSES ? frame_class_label(class, t->of_zones)
				     : reason_kind_name(class - FRAME_CLASSES);
}

static uint8_t blend(uint8_t from, uint8_t to, unsigned step)
{
	return (uint8_t)((from * (FLAME_SHADES - 1 - step) + to * step) / (FLAME_SHADES - 1));
}

void flame_palette(unsigned class, struct rgb *from, struct rgb *to)
{
	*from = palette[class].from;
	*to = palette[class].to;
}

unsigned flame_shade(const char *name)
{
	return (unsigned)(hash_bytes(name, strlen(name)) % FLAME_SHADES);
}

struct rgb flame_colour(const struct tree *t, const struct tree_node *n)
{
	const char *name = profile_text(t->profile, n->name);
	unsigned shade = flame_shade(name);
	const unsigned class = flame_class(t, n);
	struct rgb a = palette[class].from, b = palette[class].to;

	if (t->diff)
		return diff_look_colour(diff_look_of(t->diff, (size_t)(n - t->nodes.at)));
	return (struct rgb){blend(a.r, b.r, shade), blend(a.g, b.g, shade), blend(a.b, b.b, shade)};
}

/* Per node it and all below it. */
static uint32_t *subtree_sizes(const struct tree *t)
{
	uint32_t *sizes = mem_zalloc(t->nodes.n, sizeof(*sizes));

	for (size_t i = t->nodes.n; i-- > 0;) {
		sizes[i]++;
		if (i)
			sizes[t->nodes.at[i].parent] += sizes[i];
	}
	return sizes;
}

/* Ends a run of narrow siblings: draws it if it is wide enough, and starts the next. */
static void end_run(struct flame *out, int64_t min, struct flame_merged *run)
{
	if (run->w > 0 && run->w >= min) {
		vec_push(&out->merged, *run);
		out->rows = run->depth + 1 > out->rows ? run->depth + 1 : out->rows;
	}
	run->w = 0;
	run->nodes = 0;
}

/* Gives the children of @node their left edges; those too narrow keep -1 but take their room. */
static void place_children(struct flame *out, uint32_t node, int64_t min, const uint32_t *sizes,
			   int64_t *edges)
{
	const struct tree_node *nodes = out->tree->nodes.at;
	struct flame_merged run = {.parent = node, .depth = nodes[node].depth + 1};
	int64_t left = edges[node];

	for (uint32_t c = nodes[node].first_child; c; c = nodes[c].next_sibling) {
		if (nodes[c].total >= min) {
			end_run(out, min, &run);
			edges[c] = left;
		} else {
			run.x = run.nodes ? run.x : left;
			run.w += nodes[c].total;
			run.nodes += sizes[c];
		}
		left += nodes[c].total;
	}
	end_run(out, min, &run);
}

void flame_layout(const struct tree *t, int64_t min, struct flame *out)
{
	_free_ int64_t *edges = mem_zalloc(t->nodes.n, sizeof(*edges));
	_free_ uint32_t *sizes = subtree_sizes(t);

	*out = (struct flame){.tree = t, .width = t->nodes.at[0].total, .rows = 1};
	memset(edges, -1, t->nodes.n * sizeof(*edges));
	edges[0] = 0;
	for (uint32_t i = 0; i < t->nodes.n; i++) {
		const struct tree_node *n = &t->nodes.at[i];

		if (edges[i] < 0)
			continue;
		vec_push(&out->boxes,
			 ((struct flame_box){
				 .node = i, .depth = n->depth, .x = edges[i], .w = n->total}));
		if (n->depth + 1 > out->rows)
			out->rows = n->depth + 1;
		place_children(out, i, min, sizes, edges);
	}
}

void flame_release(struct flame *f)
{
	vec_release(&f->boxes);
	vec_release(&f->merged);
}
