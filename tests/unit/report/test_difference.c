/*
 * Diffs as they are shown: rectangles, colours, words, formats. With a folder as its argument it
 * writes there what tests/cli/diff.test reads.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>

#include "compare/compare.h"
#include "diff/diff.h"
#include "diff_runs.h"
#include "format/format.h"
#include "paint/diff_words.h"
#include "paint/flame.h"
#include "paint/plot.h"
#include "store/store.h"
#include "view/comparison.h"

#define N(a)  (sizeof(a) / sizeof(*(a)))
#define EVIL  "</script><script>alert(1)</script>&\"'"
#define ALONE "only_old(int, char const*)"

/* 1,000 samples before, 1,500 after: 2,500 are DIFF_WIDTH. */
static const struct stack before[] = {
	{"main;parse;scan", 300}, {"main;parse", 100}, {"main;emit", 400}, {"main;" ALONE, 200}};
static const struct stack after[] = {
	{"main;parse;scan", 900}, {"main;parse", 100}, {"main;emit", 400}, {"main;" EVIL, 100}};

struct shown {
	struct profile *runs[SIDES];
	struct comparison c;
	struct diff *d;
};

static void shown_make(struct shown *s, const char *old, const char *new)
{
	const struct compare_options options = {.per = PER_AUTO};
	const struct diff_options o = {.side = {old, new}};
	struct compare_input in = {.n = {1, 1}};

	s->runs[BASE] = exact_run(before, N(before), true);
	s->runs[NEW] = exact_run(after, N(after), true);
	in.runs[BASE] = (const struct profile *const *)&s->runs[BASE];
	in.runs[NEW] = (const struct profile *const *)&s->runs[NEW];
	assert_int_equal(compare_runs(&in, &options, &s->c), 0);
	assert_int_equal(diff_build(&in, &s->c, &o, &s->d), 0);
}

static void shown_release(struct shown *s)
{
	diff_free(s->d);
	comparison_release(&s->c);
	profile_free(s->runs[BASE]);
	profile_free(s->runs[NEW]);
}

static uint32_t find(const struct diff *d, const char *name)
{
	for (uint32_t i = 0; i < d->nodes.n; i++)
		if (!strcmp(profile_text(d->names, d->tree->nodes.at[i].name), name))
			return i;
	fail_msg("no %s", name);
	return 0;
}

/* --- rectangles ------------------------------------------------------------------------------- */

static void test_golden_rectangles(void **state)
{
	/* In samples of both sides; siblings by name. */
	static const struct {
		const char *name;
		uint32_t depth;
		int64_t x, w;
	} golden[] = {{"root", 0, 0, 2500},	{"made", 1, 0, 2500},	{"main", 2, 0, 2500},
		      {EVIL, 3, 0, 100},	{"emit", 3, 100, 800},	{ALONE, 3, 900, 200},
		      {"parse", 3, 1100, 1400}, {"scan", 4, 1100, 1200}};
	const int64_t sample = (int64_t)(DIFF_WIDTH / 2500);
	struct shown s;
	struct flame f;

	(void)state;
	shown_make(&s, "old", "new");
	flame_layout(s.d->tree, 0, &f);
	assert_int_equal(f.boxes.n, N(golden));
	for (size_t i = 0; i < N(golden); i++) {
		const uint32_t node = find(s.d, golden[i].name);
		const struct flame_box *b = f.boxes.at;

		while (b->node != node)
			b++;
		assert_int_equal(b->depth, golden[i].depth);
		assert_int_equal(b->x, golden[i].x * sample);
		assert_int_equal(b->w, golden[i].w * sample);
	}
	flame_release(&f);
	shown_release(&s);
}

/* --- colours ---------------------------------------------------------------------------------- */

/* How people see who lack the cones for long, middle, or short waves: Machado, Oliveira and
 * Fernandes, "A physiologically-based model for simulation of color vision deficiency" (2009),
 * severity 1.0, on linear RGB. */
static const double eyes[][3][3] = {
	{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
	{{.152286, 1.052583, -.204868},
	 {.114503, .786281, .099216},
	 {-.003882, -.048116, 1.051998}},
	{{.367322, .860646, -.227968}, {.280085, .672501, .047413}, {-.011820, .042940, .968881}},
	{{1.255528, -.076749, -.178779}, {-.078411, .930809, .147602}, {.004733, .691367, .303900}},
};

static double linear(uint8_t v)
{
	const double c = v / 255.;

	return c <= .04045 ? c / 12.92 : pow((c + .055) / 1.055, 2.4);
}

static double lab_of(double t)
{
	return t > .008856 ? cbrt(t) : 7.787 * t + 16. / 116;
}

/* CIE L*a*b* with white of D65. */
static void see(struct rgb c, const double eye[3][3], double lab[3])
{
	static const double to_xyz[3][3] = {
		{.4124564 / .95047, .3575761 / .95047, .1804375 / .95047},
		{.2126729, .7151522, .0721750},
		{.0193339 / 1.08883, .1191920 / 1.08883, .9503041 / 1.08883}};
	const double in[3] = {linear(c.r), linear(c.g), linear(c.b)};
	double seen[3], f[3] = {0};

	for (size_t i = 0; i < 3; i++)
		seen[i] =
			fmin(fmax(eye[i][0] * in[0] + eye[i][1] * in[1] + eye[i][2] * in[2], 0), 1);
	for (size_t i = 0; i < 3; i++)
		f[i] = lab_of(to_xyz[i][0] * seen[0] + to_xyz[i][1] * seen[1] +
			      to_xyz[i][2] * seen[2]);
	lab[0] = 116 * f[1] - 16;
	lab[1] = 500 * (f[0] - f[1]);
	lab[2] = 200 * (f[1] - f[2]);
}

/* CIE 1976; 2.3 is just noticed, 15 is another colour at a glance. */
static double distance(enum diff_look a, enum diff_look b, size_t eye)
{
	double x[3], y[3];

	see(diff_look_colour(a), eyes[eye], x);
	see(diff_look_colour(b), eyes[eye], y);
	return sqrt((x[0] - y[0]) * (x[0] - y[0]) + (x[1] - y[1]) * (x[1] - y[1]) +
		    (x[2] - y[2]) * (x[2] - y[2]));
}

/* -1 less, 0 no difference, 1 more. */
static int way_of(enum diff_look look)
{
	return look == LOOK_SAME					    ? 0
	       : look == LOOK_NEW || (look >= LOOK_MORE && look < LOOK_NEW) ? 1
									    : -1;
}

static void test_colour_blind(void **state)
{
	(void)state;
	for (size_t eye = 0; eye < N(eyes); eye++)
		for (enum diff_look a = 0; a < DIFF_LOOKS; a++)
			for (enum diff_look b = a + 1; b < DIFF_LOOKS; b++)
				if (way_of(a) != way_of(b) && distance(a, b, eye) < 15)
					fail_msg("eyes %zu: %s and %s are %.1f apart", eye,
						 diff_look_label(a), diff_look_label(b),
						 distance(a, b, eye));
	/* Strengths ascend in lightness, whatever the eyes. */
	for (size_t eye = 0; eye < N(eyes); eye++)
		for (unsigned k = 0; k + 1 < DIFF_STRENGTHS; k++)
			for (unsigned from = LOOK_LESS; from <= LOOK_MORE; from += DIFF_STRENGTHS) {
				double weak[3], strong[3];

				see(diff_look_colour(from + k), eyes[eye], weak);
				see(diff_look_colour(from + k + 1), eyes[eye], strong);
				assert_true(weak[0] - strong[0] > 5);
			}
}

/* The text in boxes is #16181d: 4.5 to 1 at least, as WCAG 2.1 asks for. */
static void test_contrast(void **state)
{
	const double ink =
		.2126729 * linear(0x16) + .7151522 * linear(0x18) + .0721750 * linear(0x1d);

	(void)state;
	for (enum diff_look look = 0; look < DIFF_LOOKS; look++) {
		const struct rgb c = diff_look_colour(look);
		const double light =
			.2126729 * linear(c.r) + .7151522 * linear(c.g) + .0721750 * linear(c.b);

		assert_true((light + .05) / (ink + .05) >= 4.5);
	}
}

static void test_colours_of_boxes(void **state)
{
	struct shown s;
	struct legend_entry legend[LEGEND_MAX];
	struct plot plot;

	(void)state;
	shown_make(&s, "old", "new");
	assert_int_equal(diff_look_of(s.d, find(s.d, "scan")), LOOK_MORE + 2);
	assert_int_equal(diff_look_of(s.d, find(s.d, ALONE)), LOOK_GONE);
	assert_int_equal(diff_look_of(s.d, find(s.d, EVIL)), LOOK_NEW);
	assert_int_equal(diff_look_of(s.d, find(s.d, "emit")), LOOK_SAME);
	diff_label(s.d);
	plot_init(&plot, s.d->tree, 1000, .1);
	assert_int_equal(plot_legend(&plot, legend), DIFF_LOOKS);
	assert_string_equal(legend[LOOK_SAME].label, "not distinguishable");
	assert_string_equal(plot_name(&plot, &(struct flame_box){.node = find(s.d, "scan")}),
			    "+200 % scan");
	assert_string_equal(plot_name(&plot, &(struct flame_box){.node = find(s.d, EVIL)}),
			    "new " EVIL);
	plot_release(&plot);
	shown_release(&s);
}

/* --- words ------------------------------------------------------------------------------------ */

static void expect_lines(const struct shown *s, const char *name, const char *expected)
{
	_free_ char *lines = diff_lines(s->d, find(s->d, name));

	if (!strstr(lines, expected))
		fail_msg("%s: no '%s' in:\n%s", name, expected, lines);
}

static void test_words(void **state)
{
	struct shown s;

	(void)state;
	shown_make(&s, "1.0", "1.1");
	expect_lines(&s, "scan",
		     "Before: 1.0: 300 ms, self 300 ms; 300 samples\n"
		     "After: 1.1: 900 ms, self 900 ms; 900 samples\nChange: +200 %, ");
	expect_lines(&s, "scan", "Verdict: suspect: more, 99.9 % sure");
	expect_lines(&s, "parse", "self 100 ms; 1,000 samples");
	expect_lines(&s, ALONE,
		     "After: 1.1: 0 ns, self 0 ns; 0 samples\nVerdict: apparently gone, ");
	expect_lines(&s, "emit", "Verdict: not distinguishable\nTo decide: ");
	diff_choose(s.d, DIFF_SHARE);
	expect_lines(&s, "scan", "Before: 1.0: 30.0 %, self 30.0 %; ");
	expect_lines(&s, "main", "Before: 1.0: 100 %, self 0 %; ");
	/* What is said of it is the same, whatever its values are per. */
	expect_lines(&s, "main", "Verdict: suspect: more, 99.9 % sure");
	expect_lines(&s, "scan", "Change: +200 %, ");
	shown_release(&s);
}

/* --- formats ---------------------------------------------------------------------------------- */

/* All that @format writes of it; freed by the caller. */
static char *written(struct shown *s, const struct format *format)
{
	const struct format_options options = {.width = 0};
	struct doc doc;
	char *text = NULL;
	size_t n = 0;
	FILE *out = open_memstream(&text, &n);

	doc_init(&doc, s->runs[NEW], "made", "new against old before");
	difference_write(s->d, &doc, format->medium);
	assert_int_equal(format->write(&doc, &options, out), 0);
	doc_release(&doc);
	fclose(out);
	return text;
}

static void test_text(void **state)
{
	struct shown s;
	_free_ char *text = NULL;

	(void)state;
	shown_make(&s, "1.0", "1.1");
	text = written(&s, format_find("txt"));
	assert_non_null(
		strstr(text, "Before: 1.0 · After: 1.1 · cpu-clock per run of the command"));
	assert_non_null(strstr(text, "… › main › parse › scan"));
	assert_non_null(strstr(text, ALONE));
	/* Its callee has all of the change. */
	assert_null(strstr(text, "main › parse\n"));
	shown_release(&s);
}

static void test_svg(void **state)
{
	struct shown s;
	_free_ char *text = NULL;

	(void)state;
	shown_make(&s, "1.0", "1.1");
	text = written(&s, format_find("svg"));
	assert_non_null(strstr(text, "Before: 1.0 · After: 1.1"));
	assert_non_null(strstr(text, "After: 1.1: 900 ms, self 900 ms; 900 samples"));
	assert_non_null(strstr(text, "fill=\"#e67323\""));
	assert_non_null(strstr(text, "not distinguishable</text>"));
	assert_null(strstr(text, "<script>alert"));
	shown_release(&s);
}

/* --- for the browser -------------------------------------------------------------------------- */

static void save(const char *folder, const char *name, struct profile *p, const char *version)
{
	_free_ char *path = mem_printf("%s/%s", folder, name);

	profile_set_meta(p, META_VERSION, version);
	profile_set_meta(p, META_PLATFORM, "linux-x86_64-made");
	profile_set_run(p, RUN_NAME, "made");
	assert_int_equal(store_save(path, true, p), 0);
}

/* Each way's boxes as the layout has them: [[name, depth, x, w] …] by way. */
static void save_boxes(const char *folder, struct diff *d)
{
	_free_ char *path = mem_printf("%s/boxes.json", folder);
	FILE *out = fopen(path, "w");

	assert_non_null(out);
	for (enum diff_way way = 0; way < DIFF_WAYS; way++) {
		struct flame f;

		diff_choose(d, way);
		flame_layout(d->tree, 0, &f);
		fprintf(out, "%s\"%s\": [", way ? ",\n" : "{", diff_way_name(way));
		for (size_t i = 0; i < f.boxes.n; i++)
			fprintf(out, "%s[%u, %lld, %lld]", i ? ", " : "", f.boxes.at[i].depth,
				(long long)f.boxes.at[i].x, (long long)f.boxes.at[i].w);
		fputs("]", out);
		flame_release(&f);
	}
	fputs("}\n", out);
	assert_int_equal(fclose(out), 0);
}

static int write_all(const char *folder)
{
	struct shown s;

	const struct made_zones zones = {.n = 3, .calls = 100, .changed = 3};
	struct chance chance = {1};
	struct profile *p = made_zone_run(&chance, &zones);

	save(folder, "zones.h5", p, "1.0");
	profile_free(p);
	shown_make(&s, "1.0", "1.1");
	s.runs[BASE]->started_unix_ns = 1700000000000000000;
	s.runs[NEW]->started_unix_ns = 1700000060000000000;
	save_boxes(folder, s.d);
	save(folder, "old.h5", s.runs[BASE], "1.0");
	save(folder, "new.h5", s.runs[NEW], "1.1");
	shown_release(&s);
	return 0;
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_golden_rectangles),
		cmocka_unit_test(test_colour_blind),
		cmocka_unit_test(test_contrast),
		cmocka_unit_test(test_colours_of_boxes),
		cmocka_unit_test(test_words),
		cmocka_unit_test(test_text),
		cmocka_unit_test(test_svg),
	};

	if (argc > 1)
		return write_all(argv[1]);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
