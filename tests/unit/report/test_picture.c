#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <string.h>

#include "base/err.h"
#include "format/picture.h"
#include "paint/plot.h"
#include "report_doc.h"
#include "zone_profile.h"

/* fontconfig keeps what it read of the fonts until the process ends. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
	return "leak:libfontconfig";
}

static const char *const flame_view[] = {"flame", NULL};

static size_t count(const char *text, const char *what)
{
	size_t n = 0;

	for (; (text = strstr(text, what)); text += strlen(what))
		n++;
	return n;
}

/* @n samples of as many children of one function, and one of a stack @depth deep. */
static struct profile *wide_and_deep(uint32_t n, uint32_t depth)
{
	struct profile *p = sample_profile();
	uint32_t top = sample_node(p, "a"), node = top;

	for (uint32_t i = 0; i < n; i++) {
		char name[24];
		struct function f = {.kind = KIND_NATIVE, .named = 1};
		struct frame frame = {0};

		snprintf(name, sizeof(name), "child%u", i);
		f.name = intern_add(&p->strings, name);
		frame.function = profile_function(p, &f);
		profile_sample(p, i, 0, profile_node(p, top, profile_frame(p, &frame)),
			       &(int64_t){1});
	}
	while (depth--)
		node = profile_node(p, node, sample_frame(p, 'w', false));
	profile_sample(p, n, 0, node, &(int64_t){SAMPLE_PERIOD});
	return p;
}

static void test_boxes_stand_on_their_parents(void **state)
{
	struct report_doc r;
	struct plot plot;
	struct plot_rect root, box;

	(void)state;
	report_doc_init(&r, sample_profile(), NULL, flame_view);
	plot_init(&plot, r.tree, 1000, 0.1);
	plot.row_height = 10;
	assert_true(plot_place(&plot, &plot.flame.boxes.at[0], &root));
	assert_float_equal(root.x, 0, 1e-9);
	assert_float_equal(root.w, 1000, 1e-9);
	assert_float_equal(root.y, 10.0 * (SAMPLE_DEPTH + 1), 1e-9);
	for (size_t i = 1; i < plot.flame.boxes.n; i++) {
		assert_true(plot_place(&plot, &plot.flame.boxes.at[i], &box));
		assert_float_equal(box.y, 10.0 * (SAMPLE_DEPTH + 1 - plot.flame.boxes.at[i].depth),
				   1e-9);
	}
	assert_float_equal(plot.left_out, 0, 1e-9);
	plot_release(&plot);
	report_doc_release(&r);
}

static void test_what_is_left_out_is_said(void **state)
{
	struct report_doc r;
	struct plot plot;
	_free_ char *note = NULL;

	(void)state;
	report_doc_init(&r, sample_profile(), NULL, flame_view);
	/* 5 samples of 1,000 are 0.5 units of 100: two such boxes, and 10 samples are 1. */
	plot_init(&plot, r.tree, 100, 0.9);
	assert_float_equal(plot.left_out, 1.0, 1e-9);
	note = plot_note(&plot, 0.9, "px");
	assert_string_equal(note, "not drawn: 1.0 % in boxes under 0.9 px");
	plot_release(&plot);
	report_doc_release(&r);
}

static void test_legend_names_what_is_there(void **state)
{
	const struct selection jit = {.threads.pid = "node", .focus = "JS:*"};
	struct legend_entry legend[LEGEND_MAX];
	struct report_doc r;
	struct plot plot;

	(void)state;
	report_doc_init(&r, sample_profile(), &jit, flame_view);
	plot_init(&plot, r.tree, 1000, 0.1);
	assert_int_equal(plot_legend(&plot, legend), 3);
	assert_string_equal(legend[0].label, "user");
	assert_string_equal(legend[1].label, "JIT code");
	assert_string_equal(legend[2].label, "thread");
	plot_release(&plot);
	report_doc_release(&r);
}

static void test_svg_is_escaped_and_whole(void **state)
{
	struct report_doc r;
	size_t n;
	_free_ char *svg = NULL;

	(void)state;
	report_doc_init(&r, sample_profile(), NULL, flame_view);
	svg = report_doc_write(&r.doc, "svg", &(struct format_options){0}, &n);
	assert_int_equal(count(svg, "<path "), r.tree->nodes.n);
	assert_int_equal(count(svg, "<title>"), r.tree->nodes.n + 1);
	assert_non_null(strstr(svg, "<title>title &lt;&amp;&gt;</title>"));
	assert_non_null(
		strstr(svg, "say(&quot;hi; there&quot;, std::less&lt;long long&gt;&amp;&amp;)"));
	assert_non_null(strstr(svg, "\n/usr/lib/libfoo &amp; bar.so</title>"));
	assert_non_null(strstr(svg, "\n45.0 %, 4.50 s, 450 samples; self 30.0 %\n"));
	assert_null(strstr(svg, "<long"));
	assert_string_equal(svg + n - 7, "</svg>\n");
	report_doc_release(&r);
}

static void test_svg_stays_small(void **state)
{
	struct report_doc r;
	size_t n;
	_free_ char *svg = NULL;

	(void)state;
	/* 100,000 ns in children of 1 ns each: nowhere near a tenth of a pixel. */
	report_doc_init(&r, wide_and_deep(100000, 900), NULL, flame_view);
	svg = report_doc_write(&r.doc, "svg", &(struct format_options){0}, &n);
	assert_true(n < 300000);
	assert_non_null(strstr(svg, "not drawn: &lt;0.1 % in boxes under 0.1 px"));
	assert_non_null(strstr(svg, "height=\"14554\"")); /* 903 rows of 16, and the frame */
	report_doc_release(&r);
}

static void test_png_is_cut_where_it_must_be(void **state)
{
	struct report_doc r;
	struct flame_picture picture;
	size_t n;
	_free_ char *png = NULL;
	_free_ char *caption = NULL;

	(void)state;
	report_doc_init(&r, wide_and_deep(10, 900), NULL, flame_view);
	flame_picture_init(&picture, &r.doc, flame_alone(&r.doc), &(struct format_options){0},
			   1706);
	assert_int_equal(picture.rows_cut, 803);
	assert_float_equal(picture.height, 1706, 0);
	caption = flame_picture_caption(&picture);
	assert_non_null(strstr(caption, "803 rows at the top are cut off"));
	flame_picture_release(&picture);
	png = report_doc_write(&r.doc, "png", &(struct format_options){.width = 32767}, &n);
	assert_true(n > 1000);
	assert_memory_equal(png, "\x89PNG\r\n\x1a\n", 8);
	report_doc_release(&r);
}

static void test_pdf_has_its_pages(void **state)
{
	struct report_doc r;
	size_t n;
	_free_ char *pdf = NULL;

	(void)state;
	report_doc_init(&r, wide_and_deep(1000, 900), NULL,
			(const char *const[]){"summary", "flame", "functions", "cost", NULL});
	pdf = report_doc_write(&r.doc, "pdf", &(struct format_options){0}, &n);
	assert_memory_equal(pdf, "%PDF-", 5);
	assert_memory_equal(pdf + n - 6, "%%EOF\n", 6);
	report_doc_release(&r);
}

/* A single flame graph can be zoomed; anything else is text and boxes, of the same document. */
static void test_pictures_show_any_view(void **state)
{
	const char *const views_wanted[] = {"threads", "functions", "flame", "tree",
					    "heatmap", "bars",	    "paths", NULL};
	struct report_doc r;
	size_t n;
	_free_ char *svg = NULL;
	_free_ char *png = NULL;

	(void)state;
	report_doc_init(&r, sample_profile(), NULL, views_wanted);
	assert_null(flame_alone(&r.doc));
	svg = report_doc_write(&r.doc, "svg", &(struct format_options){0}, &n);
	assert_null(strstr(svg, "<script"));
	assert_non_null(strstr(svg, ">sqlite3VdbeExec</text>"));
	assert_non_null(strstr(svg, ">Samples over time</text>"));
	assert_non_null(
		strstr(svg, "say(&quot;hi; there&quot;, std::less&lt;long long&gt;&amp;&amp;)"));
	assert_null(strstr(svg, "<long"));
	png = report_doc_write(&r.doc, "png", &(struct format_options){.width = 800}, &n);
	assert_memory_equal(png, "\x89PNG\r\n\x1a\n", 8);
	assert_memory_equal(png + 16, "\0\0\x03\x20", 4); /* its width: 800 */
	report_doc_release(&r);
}

static void test_pictures_are_as_high_as_asked(void **state)
{
	static const char *const wanted[][2] = {{"flame", NULL}, {"threads", NULL}};
	struct report_doc r;
	size_t n;

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		const struct format_options o = {.width = 640, .height = 480, .dark = true};
		_free_ char *svg = NULL;
		_free_ char *png = NULL;

		report_doc_init(&r, sample_profile(), NULL, wanted[i]);
		svg = report_doc_write(&r.doc, "svg", &o, &n);
		assert_non_null(strstr(svg, "width=\"640\" height=\"480\""));
		png = report_doc_write(&r.doc, "png", &o, &n);
		assert_memory_equal(png + 16, "\0\0\x02\x80\0\0\x01\xe0", 8);
		report_doc_release(&r);
	}
}

static void test_pictures_too_high_are_refused(void **state)
{
	struct report_doc r;
	FILE *out = tmpfile();

	(void)state;
	report_doc_init(&r, wide_and_deep(3000, 9), NULL, (const char *const[]){"functions", NULL});
	assert_int_equal(
		format_find("png")->write(
			&r.doc, &(struct format_options){.width = 32767, .rows = 5000}, out),
		-E2BIG);
	assert_non_null(strstr(err_text(), "pixels high"));
	fclose(out);
	report_doc_release(&r);
}

/* A thousand neighbours of half a pixel each are one box, and counted. */
static void test_narrow_neighbours_are_one_box(void **state)
{
	struct profile *p = sample_profile();
	struct report_doc r;
	struct plot plot;
	struct plot_rect rect;
	_free_ char *name = NULL;
	_free_ char *note = NULL;
	const struct flame_merged *m;

	(void)state;
	/* 1,000 samples more in children of one function: half of all. */
	for (uint32_t i = 0; i < 1000; i++) {
		char text[24];
		struct function f = {.kind = KIND_NATIVE, .named = 1};

		snprintf(text, sizeof(text), "child%04u", i);
		f.name = intern_add(&p->strings, text);
		profile_sample(
			p, i, 0,
			profile_node(p, sample_node(p, "zy"),
				     profile_frame(p, &(struct frame){.function = profile_function(
									      p, &f)})),
			&(int64_t){SAMPLE_PERIOD});
	}
	report_doc_init(&r, p, NULL, flame_view);
	plot_init(&plot, r.tree, 1000, 0.6);
	assert_int_equal(plot.flame.merged.n, 1);
	m = &plot.flame.merged.at[0];
	assert_int_equal(m->nodes, 1000);
	assert_int_equal(m->w, 1000LL * SAMPLE_PERIOD);
	assert_true(plot_place_merged(&plot, m, &rect));
	assert_float_equal(rect.w, 500, 1e-9);
	name = plot_merged_name(m);
	assert_string_equal(name, "1,000 boxes");
	note = plot_note(&plot, 0.6, "px");
	assert_string_equal(note, "1,000 boxes under 0.6 px are drawn as 1");
	plot_release(&plot);
	report_doc_release(&r);
}

/* The views of @format's report of @p, which it frees, each with a space behind it. */
static const char *views_of(struct profile *p, const char *format)
{
	static char text[256];
	const struct format *f = format_find(format);
	const struct view *v[VIEWS_MOST];

	text[0] = 0;
	view_choose(f->medium, f->one_view, p, v);
	for (size_t i = 0; v[i]; i++)
		strcat(strcat(text, v[i]->name), " ");
	profile_free(p);
	return text;
}

static void test_reports_show_what_there_is(void **state)
{
	(void)state;
	assert_string_equal(views_of(sample_profile(), "txt"),
			    "summary functions capture paths processes threads cost ");
	assert_string_equal(views_of(zones_only_profile(), "txt"),
			    "summary zones zone capture cost ");
	assert_string_equal(views_of(zone_profile(), "txt"),
			    "summary zones zone functions capture paths processes threads cost ");
	assert_string_equal(views_of(sample_profile(), "csv"), "functions ");
	assert_string_equal(views_of(zones_only_profile(), "csv"), "zones ");
	assert_string_equal(views_of(zone_profile(), "csv"), "zones ");
	assert_string_equal(views_of(zones_only_profile(), "png"), "zone-flame ");
	assert_string_equal(views_of(zone_profile(), "png"), "flame ");
}

static void test_every_format_copes_with_nothing(void **state)
{
	(void)state;
	for (const struct format *const *f = formats; *f; f++) {
		struct profile *p = profile_new();
		struct report_doc r;
		size_t n;
		_free_ char *text = NULL;

		profile_metric(p, "cpu-clock", "ns", METRIC_SUM);
		report_doc_of_format(&r, p, *f);
		text = report_doc_write(&r.doc, (*f)->extension, &(struct format_options){0}, &n);
		assert_true(n > 0);
		report_doc_release(&r);
	}
}

static void test_every_format_copes_with_zones_that_none_called(void **state)
{
	(void)state;
	for (const struct format *const *f = formats; *f; f++) {
		struct profile *p = zones_none_profile();
		struct report_doc r;
		size_t n;
		_free_ char *text = NULL;

		report_doc_of_format(&r, p, *f);
		text = report_doc_write(&r.doc, (*f)->extension, &(struct format_options){0}, &n);
		assert_true(n > 100);
		report_doc_release(&r);
	}
}

static void test_flame_of_nothing_is_its_root(void **state)
{
	struct profile *p = zones_none_profile();
	struct plot_rect rect;
	struct tree *t;
	struct plot plot;

	(void)state;
	assert_int_equal(zone_tree_build(p, &(struct selection){0}, &t), 0);
	plot_init(&plot, t, 100, 0.1);
	assert_int_equal(plot.flame.boxes.n, 1);
	assert_true(plot_place(&plot, &plot.flame.boxes.at[0], &rect));
	assert_float_equal(rect.w, 100, 1e-9);
	plot_release(&plot);
	tree_free(t);
	profile_free(p);
}

/* Zones with samples, and alone. */
static void test_every_format_shows_zones(void **state)
{
	(void)state;
	for (const struct format *const *f = formats; *f; f++)
		for (int alone = 0; alone < 2; alone++) {
			struct profile *p = alone ? zones_only_profile() : zone_profile();
			struct report_doc r;
			size_t n;
			_free_ char *text = NULL;

			report_doc_of_format(&r, p, *f);
			text = report_doc_write(&r.doc, (*f)->extension,
						&(struct format_options){0}, &n);
			assert_true(n > 1000);
			report_doc_release(&r);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_boxes_stand_on_their_parents),
		cmocka_unit_test(test_what_is_left_out_is_said),
		cmocka_unit_test(test_legend_names_what_is_there),
		cmocka_unit_test(test_svg_is_escaped_and_whole),
		cmocka_unit_test(test_svg_stays_small),
		cmocka_unit_test(test_png_is_cut_where_it_must_be),
		cmocka_unit_test(test_pdf_has_its_pages),
		cmocka_unit_test(test_pictures_show_any_view),
		cmocka_unit_test(test_pictures_are_as_high_as_asked),
		cmocka_unit_test(test_pictures_too_high_are_refused),
		cmocka_unit_test(test_narrow_neighbours_are_one_box),
		cmocka_unit_test(test_reports_show_what_there_is),
		cmocka_unit_test(test_every_format_copes_with_nothing),
		cmocka_unit_test(test_every_format_copes_with_zones_that_none_called),
		cmocka_unit_test(test_flame_of_nothing_is_its_root),
		cmocka_unit_test(test_every_format_shows_zones),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
