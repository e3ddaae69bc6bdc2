/*
 * One layout: the boxes that reach a page of paper, a picture in pixels and an SVG are those of
 * flame_layout(), at the same places. What is drawn is recorded by a canvas that draws nothing.
 * (tests/web/picture.test.js holds the page's data against the SVG's.)
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "base/str.h"
#include "format/picture.h"
#include "format/sheet.h"
#include "report_doc.h"
#include "sample_profile.h"
#include "small_profile.h"

const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
	return "leak:libfontconfig"; /* kept until the process ends */
}

struct box {
	struct rgb rgb;
	double x, y, w, h;
};

struct trace {
	VEC(struct box) boxes;
	VEC(struct box) striped; /* boxes whose stripes were drawn, all within them */
	struct str texts;
};

static void trace_box(struct canvas *c, struct rgb rgb, double x, double y, double w, double h)
{
	struct trace *t = c->to;

	vec_push(&t->boxes, ((struct box){rgb, x, y, w, h}));
}

static void trace_text(struct canvas *c, enum canvas_font font, struct rgb rgb, double x, double y)
{
	struct trace *t = c->to;

	(void)font, (void)rgb, (void)x, (void)y;
	str_addf(&t->texts, "%s\n", pango_layout_get_text(c->layout));
}

/* Stripes are drawn behind their box; each rises to the right from one edge of it to another. */
static void trace_stripes(struct canvas *c, const struct canvas_line *lines, size_t n, double width)
{
	struct trace *t = c->to;
	const struct box *b = &t->boxes.at[t->boxes.n - 1];

	assert_true(n > 0 && width > 0);
	for (size_t i = 0; i < n; i++) {
		const struct canvas_line *l = &lines[i];

		assert_true(l->x0 >= b->x && l->x1 <= b->x + b->w + 1e-6);
		assert_true(l->y1 >= b->y - 1e-6 && l->y0 <= b->y + b->h + 1e-6);
		assert_true(fabs((l->x1 - l->x0) - (l->y0 - l->y1)) < 1e-6);
	}
	vec_push(&t->striped, *b);
}

static const struct canvas_out TRACE = {
	.box = trace_box, .text = trace_text, .stripes = trace_stripes};

static void trace_release(struct trace *t)
{
	vec_release(&t->boxes);
	vec_release(&t->striped);
	str_release(&t->texts);
}

static bool same_colour(struct rgb a, struct rgb b)
{
	return a.r == b.r && a.g == b.g && a.b == b.b;
}

/* Whether @t has a box of that colour whose edges lie there; between boxes is a gap of less than a
 * unit. */
static bool has_box(const struct trace *t, struct rgb rgb, double x, double w)
{
	for (size_t i = 0; i < t->boxes.n; i++) {
		const struct box *b = &t->boxes.at[i];

		if (same_colour(b->rgb, rgb) && fabs(b->x - x) < 1e-6 && b->w <= w + 1e-6 &&
		    b->w > w - 1)
			return true;
	}
	return false;
}

static void check_all(const struct trace *t, const struct tree *tree, double left, double room)
{
	struct flame f;

	flame_layout(tree, 0, &f);
	assert_true(f.boxes.n > 50);
	for (size_t i = 0; i < f.boxes.n; i++) {
		const struct flame_box *b = &f.boxes.at[i];
		const struct rgb rgb = flame_colour(tree, &tree->nodes.at[b->node]);
		const double scale = room / (double)f.width;

		assert_true(has_box(t, rgb, left + (double)b->x * scale, (double)b->w * scale));
	}
	flame_release(&f);
}

static struct canvas canvas_of(struct trace *t, cairo_surface_t *surface)
{
	struct canvas c;

	canvas_init(&c, surface, 1);
	c.out = &TRACE;
	c.to = t;
	return c;
}

static const char *const flame_view[] = {"flame", NULL};

/* Of small_waits(). */
static void test_waits_are_striped(void **state)
{
	cairo_surface_t *nothing = cairo_image_surface_create(CAIRO_FORMAT_A8, 1, 1);
	struct trace t = {.texts = {0}};
	struct report_doc r;
	struct canvas c = canvas_of(&t, nothing);
	struct plot plot;
	size_t waits = 0;

	(void)state;
	report_doc_init(&r, small_waits(), NULL, flame_view);
	plot_init(&plot, r.tree, 1000, 0.1);
	plot.row_height = 16;
	canvas_plot(&c, &plot);
	vec_each (b, &plot.flame.boxes)
		waits += flame_is_wait(r.tree, &r.tree->nodes.at[b->node]);
	assert_true(waits > 5 && waits < plot.flame.boxes.n);
	assert_int_equal(t.striped.n, waits);
	t.striped.n = t.boxes.n = 0;
	canvas_legend(&c, &plot, 0, 20);
	/* "sleep" and "runnable", of which most of every box of waits is; not the kinds of code. */
	assert_int_equal(t.striped.n, 2);
	assert_int_equal(t.boxes.n, 5);
	plot_release(&plot);
	canvas_release(&c);
	trace_release(&t);
	report_doc_release(&r);
	cairo_surface_destroy(nothing);
}

static void test_paper_has_the_layout(void **state)
{
	cairo_surface_t *nothing = cairo_image_surface_create(CAIRO_FORMAT_A8, 1, 1);
	const struct format_options o = {0};
	struct trace t = {.texts = {0}};
	struct report_doc r;
	struct sheet s;

	(void)state;
	report_doc_init(&r, sample_profile(), NULL, flame_view);
	sheet_init(&s, &r.doc, 842, 595);
	s.options = &o;
	s.canvas = canvas_of(&t, nothing);
	sheet_run(&s, false);
	assert_int_equal(t.boxes.n, 0); /* the first pass only measures */
	sheet_run(&s, true);
	check_all(&t, r.tree, SHEET_MARGIN, 842 - 2 * SHEET_MARGIN);
	assert_non_null(strstr(t.texts.s, "\nFlame graph\n"));
	canvas_release(&s.canvas);
	sheet_release(&s);
	trace_release(&t);
	report_doc_release(&r);
	cairo_surface_destroy(nothing);
}

static void test_pictures_have_the_layout(void **state)
{
	cairo_surface_t *nothing = cairo_image_surface_create(CAIRO_FORMAT_A8, 1, 1);
	const struct format_options o = {.width = 1000};
	struct trace t = {.texts = {0}};
	struct flame_picture p;
	struct report_doc r;
	struct canvas c;

	(void)state;
	report_doc_init(&r, sample_profile(), NULL, flame_view);
	flame_picture_init(&p, &r.doc, flame_alone(&r.doc), &o, 1e6);
	c = canvas_of(&t, nothing);
	canvas_plot(&c, &p.plot);
	assert_int_equal(t.boxes.n, p.plot.flame.boxes.n);
	check_all(&t, r.tree, PICTURE_MARGIN, 1000 - 2 * PICTURE_MARGIN);
	canvas_release(&c);
	flame_picture_release(&p);
	trace_release(&t);
	report_doc_release(&r);
	cairo_surface_destroy(nothing);
}

/* "M16 0h1168v15H16z" data-f="0,2s" → the trace of it. */
typedef VEC(int64_t) numbers;

static void read_svg(const char *svg, struct trace *t, numbers *places)
{
	const char *at = svg;

	while ((at = strstr(at, "<path"))) {
		const char *fill = strstr(at, "fill=\"#") + 7, *d = strstr(at, "d=\"M") + 4;
		const char *exact = strstr(at, "data-f=\"") + 8;
		unsigned long rgb = strtoul(fill, NULL, 16);
		struct box b = {{(uint8_t)(rgb >> 16), (uint8_t)(rgb >> 8), (uint8_t)rgb},
				strtod(d, NULL),
				0,
				strtod(strchr(d, 'h') + 1, NULL),
				0};
		char *comma;

		vec_push(&t->boxes, b);
		vec_push(places, strtoll(exact, &comma, 36));
		vec_push(places, strtoll(comma + 1, NULL, 36));
		at = exact;
	}
}

/* Its numbers are tenths of a pixel; those for its script are exact. */
static void test_svg_has_the_layout(void **state)
{
	const double room = 1000 - 2 * PICTURE_MARGIN;
	struct trace t = {.texts = {0}};
	numbers places = {0};
	struct report_doc r;
	struct flame f;
	_free_ char *svg = NULL;
	size_t n;

	(void)state;
	report_doc_init(&r, sample_profile(), NULL, flame_view);
	svg = report_doc_write(&r.doc, "svg", &(struct format_options){.width = 1000}, &n);
	read_svg(svg, &t, &places);
	flame_layout(r.tree, 0, &f);
	assert_int_equal(t.boxes.n, f.boxes.n);
	for (size_t i = 0; i < f.boxes.n; i++) {
		const struct flame_box *b = &f.boxes.at[i];
		const struct rgb rgb = flame_colour(r.tree, &r.tree->nodes.at[b->node]);
		size_t k = 0;

		while (k < t.boxes.n &&
		       !(places.at[2 * k] == b->x && places.at[2 * k + 1] == b->w &&
			 same_colour(t.boxes.at[k].rgb, rgb)))
			k++;
		assert_true(k < t.boxes.n);
		assert_float_equal(t.boxes.at[k].x,
				   PICTURE_MARGIN + (double)b->x / (double)f.width * room, 0.051);
		assert_float_equal(t.boxes.at[k].w, (double)b->w / (double)f.width * room, 0.56);
	}
	flame_release(&f);
	vec_release(&places);
	trace_release(&t);
	report_doc_release(&r);
}

/* What had no room in a table stands whole in the appendix, once; nothing else does. */
static void test_cut_names_are_in_the_appendix(void **state)
{
	cairo_surface_t *nothing = cairo_image_surface_create(CAIRO_FORMAT_A8, 1, 1);
	const struct format_options o = {0};
	struct trace t = {.texts = {0}};
	struct report_doc r;
	const char *appendix;
	struct sheet s;

	(void)state;
	report_doc_init(&r, sample_profile(), NULL,
			(const char *const[]){"functions", "bars", NULL});
	sheet_init(&s, &r.doc, 595, 842);
	s.options = &o;
	s.canvas = canvas_of(&t, nothing);
	sheet_run(&s, false);
	sheet_run(&s, true);
	appendix = strstr(t.texts.s, "\nNames in full\nof those");
	assert_non_null(appendix);
	assert_non_null(strstr(appendix, "\nstd::__detail::__variant::__gen_vtable_impl<std::"));
	assert_null(strstr(appendix, "\nmain\n"));
	assert_string_equal(s.sections.at[s.sections.n - 1].text, "Names in full");
	canvas_release(&s.canvas);
	sheet_release(&s);
	trace_release(&t);
	report_doc_release(&r);
	cairo_surface_destroy(nothing);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_paper_has_the_layout),
		cmocka_unit_test(test_waits_are_striped),
		cmocka_unit_test(test_pictures_have_the_layout),
		cmocka_unit_test(test_svg_has_the_layout),
		cmocka_unit_test(test_cut_names_are_in_the_appendix),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
