#include "paint/diff_look.h"

/* All are light enough for near-black text. */
static const struct {
	struct rgb colour;
	const char *label;
} looks[DIFF_LOOKS] = {
	[LOOK_GONE] = {{176, 150, 232}, "gone"},
	[LOOK_LESS] = {{186, 216, 246}, "less: 95 %"},
	[LOOK_LESS + 1] = {{128, 182, 236}, "99 %"},
	[LOOK_LESS + 2] = {{72, 142, 220}, "99.9 % sure"},
	[LOOK_MORE] = {{255, 214, 160}, "more: 95 %"},
	[LOOK_MORE + 1] = {{250, 170, 90}, "99 %"},
	[LOOK_MORE + 2] = {{230, 115, 35}, "99.9 % sure"},
	[LOOK_NEW] = {{246, 226, 70}, "new"},
	[LOOK_SAME] = {{214, 214, 212}, "not distinguishable"},
};

enum diff_look diff_look_of(const struct diff *d, size_t node)
{
	const struct diff_finding *f = diff_finding(d, node);
	const unsigned step = f->strength ? f->strength - 1u : 0;

	switch ((enum diff_effect)f->effect) {
	case DIFF_MORE:
		return LOOK_MORE + step;
	case DIFF_LESS:
		return LOOK_LESS + step;
	case DIFF_NEW:
		return LOOK_NEW;
	case DIFF_GONE:
		return LOOK_GONE;
	default:
		return LOOK_SAME;
	}
}

struct rgb diff_look_colour(enum diff_look look)
{
	return looks[look].colour;
}

const char *diff_look_label(enum diff_look look)
{
	return looks[look].label;
}
