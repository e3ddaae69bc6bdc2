#include "format/html_diff.h"

#include <math.h>
#include <string.h>

#include "format/html_flame.h"
#include "paint/diff_words.h"

/* Boxes in the order of a walk. */
static void shape_pack(const struct diff *d, struct pack *out)
{
	struct html_frames frames;
	struct html_shape shape = {0};
	uint32_t node = 0;

	html_frames_init(&frames, d->tree, false);
	do {
		html_shape_add(&shape, d->tree->nodes.at[node].depth, html_frame_of(&frames, node));
		node = tree_next(d->tree, node, true);
	} while (node);
	html_frames_pack(&frames, out);
	pack_uint(out, d->nodes.n);
	html_shape_pack(&shape, out);
	html_frames_release(&frames);
}

/* Samples of a node's own: less those of its callees. */
static int64_t own_samples(const struct diff *d, uint32_t node, int side)
{
	const struct tree_node *nodes = d->tree->nodes.at;
	int64_t own = d->nodes.at[node].samples[side];

	for (uint32_t c = nodes[node].first_child; c; c = nodes[c].next_sibling)
		own -= d->nodes.at[c].samples[side];
	return own;
}

/* A sample's value, which most nodes' values are multiples of. */
static int64_t mean_value(const struct diff *d, int side)
{
	const struct diff_node *root = &d->nodes.at[0];

	return root->samples[side] > 0 ? root->total[side] / root->samples[side] : 0;
}

static void side_pack(const struct diff *d, int side, struct pack *out)
{
	const int64_t mean = mean_value(d, side);
	struct pack values = {0};
	uint32_t node = 0;

	pack_int(out, mean);
	do {
		const int64_t own = own_samples(d, node, side);

		pack_int(out, own);
		pack_int(&values, (int64_t)((uint64_t)d->nodes.at[node].self[side] -
					    (uint64_t)own * (uint64_t)mean));
		node = tree_next(d->tree, node, true);
	} while (node);
	pack_move(out, &values);
}

static void looks_pack(struct pack *out)
{
	pack_uint(out, DIFF_LOOKS);
	for (enum diff_look look = 0; look < DIFF_LOOKS; look++) {
		const struct rgb c = diff_look_colour(look);

		pack_uint(out, pack_string(out, diff_look_label(look)));
		pack_uint(out, (uint32_t)c.r << 16 | (uint32_t)c.g << 8 | c.b);
	}
}

static void need_pack(const struct diff_finding *f, struct pack *out)
{
	if (isnan(f->need))
		pack_uint(out, 0);
	else if (isinf(f->need))
		pack_uint(out, 1);
	else
		pack_uint(out, (uint64_t)f->need + 2);
}

static void finding_pack(const struct diff_finding *f, struct pack *out)
{
	const unsigned numbers = isfinite(f->half), self = isfinite(f->self_half) && f->self_effect;

	pack_uint(out, f->effect | f->strength << 3 | (unsigned)f->moved << 5 | numbers << 6 |
			       (unsigned)f->of_self << 7 | self << 8);
	if (numbers) {
		pack_float(out, (double)f->change);
		pack_float(out, (double)f->half);
		need_pack(f, out);
	}
	if (self) {
		pack_float(out, (double)f->self_change);
		pack_float(out, (double)f->self_half);
	}
}

static void findings_pack(const struct diff *d, struct pack *out)
{
	uint32_t node = 0;

	do {
		finding_pack(&d->findings[node], out);
		node = tree_next(d->tree, node, true);
	} while (node);
}

static void exact_pack(double value, struct pack *out)
{
	char text[32];

	snprintf(text, sizeof(text), "%.17g", value);
	pack_uint(out, pack_string(out, text));
}

static void way_pack(const struct diff *d, enum diff_way way, struct pack *out)
{
	const struct diff_measure *m = &d->measure[way];

	pack_uint(out, pack_string(out, m->why_not ? "" : diff_way_name(way)));
	if (m->why_not)
		return;
	pack_uint(out, pack_string(out, m->per));
	pack_uint(out, pack_string(out, m->unit));
	exact_pack(m->scale[BASE], out);
	exact_pack(m->scale[NEW], out);
}

void html_diff_pack(const struct diff *d, struct pack *out)
{
	const char *why = d->not_comparable ? d->not_comparable : "";

	pack_uint(out, pack_string(out, d->metric));
	pack_uint(out, pack_string(out, d->side[BASE]));
	pack_uint(out, pack_string(out, d->side[NEW]));
	pack_uint(out, d->single | (unsigned)(d->better == HIGHER_IS_BETTER) << 1);
	pack_uint(out, pack_string(out, why));
	shape_pack(d, out);
	side_pack(d, BASE, out);
	side_pack(d, NEW, out);
	looks_pack(out);
	for (enum diff_way way = 0; way < DIFF_WAYS; way++)
		way_pack(d, way, out);
	pack_uint(out, d->way);
	findings_pack(d, out);
}
