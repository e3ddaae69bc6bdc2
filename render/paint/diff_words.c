#include "paint/diff_words.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "base/units.h"

#define ALL (1 - 1e-12)

char *change_value(const char *unit, double value)
{
	/* Rounding in a sum of quotients must not make 100 % less than that. */
	if (!strcmp(unit, "share"))
		return mem_strdup(percent_text(value > ALL ? 1 : value, 1));
	return mem_strdup(value_text(value, unit));
}

char *change_text(double ratio)
{
	const double percent = 100 * ratio;

	if (!isfinite(ratio))
		return mem_strdup("–");
	if (percent >= 1000)
		return mem_printf("×%.3g", 1 + ratio);
	if (fabs(percent) >= 99.95)
		return mem_printf("%+.0f %%", percent);
	return mem_printf(fabs(percent) < 9.995 ? "%+.2f %%" : "%+.1f %%", percent);
}

char *diff_side(const struct diff *d, int side)
{
	return mem_printf("%s: %s", side == BASE ? "Before" : "After", d->side[side]);
}

char *diff_sign(const struct diff *d, size_t node)
{
	const struct diff_finding *f = diff_finding(d, node);

	if (f->effect == DIFF_SAME)
		return mem_strdup("");
	if (f->effect >= DIFF_NEW)
		return mem_strdup(f->effect == DIFF_NEW ? "new" : "gone");
	if (f->of_self) {
		_free_ char *self = change_text(expm1((double)f->self_change));

		return mem_printf("self %s", self);
	}
	return change_text(expm1((double)f->change));
}

static char *interval_text(float change, float half)
{
	_free_ char *low = change_text(expm1((double)change - (double)half));
	_free_ char *high = change_text(expm1((double)change + (double)half));

	return mem_printf("%s … %s", low, high);
}

char *diff_interval(const struct diff *d, size_t node)
{
	const struct diff_finding *f = diff_finding(d, node);

	if (f->of_self)
		return interval_text(f->self_change, f->self_half);
	/* Of what one side has not there is only a least factor. */
	if (!isfinite(f->half) || f->effect >= DIFF_NEW)
		return mem_strdup("–");
	return interval_text(f->change, f->half);
}

/* One run a side cannot decide: what looks worse is suspect. */
static const char *doubt(const struct diff *d, const struct diff_finding *f)
{
	const bool more = f->effect == DIFF_MORE || f->effect == DIFF_NEW;

	if (!d->single)
		return "";
	return more == (d->better == LOWER_IS_BETTER) ? "suspect: " : "apparently ";
}

char *diff_verdict(const struct diff *d, size_t node)
{
	static const char *const words[DIFF_EFFECTS] = {"not distinguishable", "more", "less",
							"new", "gone"};
	static const char *const sure[DIFF_STRENGTHS + 1] = {"", ", 95 % sure", ", 99 % sure",
							     ", 99.9 % sure"};
	const struct diff_finding *f = diff_finding(d, node);
	const struct diff_node *n = &d->nodes.at[node];

	if (d->not_comparable)
		return mem_printf("not comparable: %s", d->not_comparable);
	if (f->effect == DIFF_SAME && isnan(f->change))
		return mem_strdup(n->samples[BASE] + n->samples[NEW] < COMPARE_LEAST
					  ? "not distinguishable: too few samples"
					  : "the same: all that there is");
	if (f->effect == DIFF_SAME)
		return mem_strdup("not distinguishable");
	return mem_printf("%s%s%s%s%s", doubt(d, f), words[f->effect],
			  f->of_self ? " in its own code" : "", sure[f->strength],
			  f->moved ? "; moved: its caller is as before" : "");
}

/* Three digits are more than is known. */
static double rounded(double n)
{
	const double unit = pow(10, floor(log10(n)) - 1);

	return n < 100 ? n : ceil(n / unit) * unit;
}

char *diff_needed(const struct diff *d, size_t node)
{
	const struct diff_finding *f = diff_finding(d, node);
	const struct diff_node *n = &d->nodes.at[node];
	char need[UNITS_BUF], have[UNITS_BUF];

	if (f->effect != DIFF_SAME || isnan(f->need) || f->need <= 0)
		return NULL;
	if (isinf(f->need))
		return mem_strdup("no number of samples: several runs a side are needed");
	units_count(need, sizeof(need), (int64_t)rounded((double)f->need));
	if (!d->single)
		return mem_printf("about %s runs a side", need);
	return mem_printf("about %s samples on both sides together; these are %s", need,
			  units_count(have, sizeof(have), n->samples[BASE] + n->samples[NEW]));
}

static void add_side(struct str *s, const struct diff *d, size_t node, int side)
{
	const struct diff_measure *m = &d->measure[d->way];
	const struct diff_node *n = &d->nodes.at[node];
	const double self = (double)n->self[side] * m->scale[side];
	_free_ char *name = diff_side(d, side);
	_free_ char *total_text = change_value(m->unit, diff_value(d, d->way, node, side));
	_free_ char *self_text = change_value(m->unit, self);
	char count[UNITS_BUF];

	str_addf(s, "%s: %s, self %s; %s sample%s", name, total_text, self_text,
		 units_count(count, sizeof(count), n->samples[side]),
		 n->samples[side] == 1 ? "" : "s");
}

char *diff_lines(const struct diff *d, size_t node)
{
	const struct diff_finding *f = diff_finding(d, node);
	_free_ char *change = change_text(expm1((double)f->change));
	_free_ char *interval = interval_text(f->change, f->half);
	_free_ char *self = change_text(expm1((double)f->self_change));
	_free_ char *of_self = interval_text(f->self_change, f->self_half);
	_free_ char *verdict = diff_verdict(d, node), *needed = diff_needed(d, node);
	struct str s = {0};

	add_side(&s, d, node, BASE);
	str_add(&s, "\n");
	add_side(&s, d, node, NEW);
	if (isfinite(f->half) && f->effect < DIFF_NEW)
		str_addf(&s, "\nChange: %s, 95 %% interval %s", change, interval);
	if (isfinite(f->self_half) && f->self_effect)
		str_addf(&s, "\nSelf: %s, 95 %% interval %s", self, of_self);
	str_addf(&s, "\nVerdict: %s", verdict);
	if (needed)
		str_addf(&s, "\nTo decide: %s", needed);
	return str_steal(&s);
}

void diff_label(struct diff *d)
{
	free(d->label);
	d->label = mem_zalloc(d->nodes.n, sizeof(*d->label));
	for (size_t i = 0; i < d->nodes.n; i++) {
		const uint32_t name = d->tree->nodes.at[i].name;
		_free_ char *sign = diff_sign(d, i), *label = NULL;

		d->label[i] = name;
		if (!*sign)
			continue;
		label = mem_printf("%s %s", sign, profile_text(d->names, name));
		d->label[i] = intern_add(&d->names->strings, label);
	}
}

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
