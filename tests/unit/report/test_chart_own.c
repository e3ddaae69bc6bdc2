/* The profiler's own work below the calls of a timeline, of timeline_of_work(). */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/str.h"
#include "timeline/call_chart.h"
#include "timeline/own_work.h"

#include "report_doc.h"
#include "timeline_profile.h"

/* fontconfig keeps what it read of the fonts until the process ends. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
	return "leak:libfontconfig";
}

static void assert_own(const struct call_chart *c, const char *text)
{
	struct str told = {0};

	vec_each (own, &c->own)
		str_addf(&told, "%s%u@%llu-%llu %g", told.n ? "; " : "", own->lane,
			 (unsigned long long)own->start_ns, (unsigned long long)own->end_ns,
			 own->percent);
	assert_string_equal(str_text(&told), text);
	str_release(&told);
}

static const struct call_chart *chart_of(struct report_doc *r, struct profile *p,
					 const struct selection *s)
{
	report_doc_init(r, p, s, (const char *const[]){"timeline", NULL});
	return &report_doc_block(r, BLOCK_CHART, 0)->chart;
}

/* That of coroutines stands in the lane of their thread. */
static void of_each_thread(void **state)
{
	struct report_doc r;
	const struct call_chart *c = chart_of(&r, timeline_of_work(), NULL);

	(void)state;
	assert_int_equal(c->lanes.n, 3);
	assert_true(c->lanes.at[0].own && !c->lanes.at[1].own && c->lanes.at[2].own);
	assert_int_equal(c->own_step_ns, 10);
	assert_own(c, "0@1000-2000 100; 0@2000-2010 50; 0@5000-6500 100; 0@6500-6510 50; "
		      "0@9000-9500 100; 2@3000-4500 100; 2@4500-4510 50");
	report_doc_release(&r);
}

/* Work that began before the selected time; parts of 3 ns, which work fills by a third. */
static void of_a_part_of_the_time(void **state)
{
	struct report_doc r;
	const struct call_chart *c = chart_of(&r, timeline_of_work(),
					      &(struct selection){.from_ns = 1900, .to_ns = 4900});

	(void)state;
	assert_int_equal(c->own_step_ns, 3);
	assert_own(c, "0@1900-2005 100; 1@2998-3001 33.3; 1@3001-4504 100; "
		      "1@4504-4507 33.3");
	report_doc_release(&r);
}

static void none_of_net_times_and_without_prices(void **state)
{
	struct report_doc r;

	(void)state;
	assert_own(chart_of(&r, timeline_of_work(), &(struct selection){.net = true}), "");
	report_doc_release(&r);
	assert_own(chart_of(&r, timeline_known(), NULL), "");
	assert_false(report_doc_block(&r, BLOCK_CHART, 0)->chart.lanes.at[0].own);
	report_doc_release(&r);
}

static void bounded(void **state)
{
	struct profile *p = timeline_of_work();
	struct report_doc r;
	const struct call_chart *c;

	(void)state;
	p->duration_ns = 1000000000;
	p->events.n = 0;
	for (uint32_t i = 0; i < 300; i++)
		small_thread(p, 10, 100 + i, "many", "prog");
	for (uint32_t i = 0; i < 300000; i++)
		timeline_put(p, 3000 * i + i % 7 * 100, 2 + i % 300, 0, EVENT_CALL, "f", 0);
	c = chart_of(&r, p, NULL);
	assert_int_equal(c->lanes.n, CHART_LANES_MOST);
	assert_in_range(c->own.n, CHART_LANES_MOST, CHART_OWN_MOST);
	report_doc_release(&r);
}

/* --- as drawn --------------------------------------------------------------------------------- */

/* What boxes of a colour cover, of those no higher than the strip. */
static double area_of(const char *svg, const char *fill)
{
	double sum = 0, x, y, w, h;

	for (const char *at = svg; (at = strstr(at, "<rect ")); at++) {
		char colour[8] = "";

		if (sscanf(at,
			   "<rect x=\"%lf\" y=\"%lf\" width=\"%lf\" height=\"%lf\" "
			   "fill=\"%7[#0-9a-f]\"",
			   &x, &y, &w, &h, colour) == 5 &&
		    !strcmp(colour, fill) && h <= 5)
			sum += w * h;
	}
	return sum;
}

/* Two strips, of which 30.1 and 15.05 % are filled. */
static void drawn_on_sheets(void **state)
{
	struct report_doc r;
	char *svg;
	size_t n;

	(void)state;
	(void)chart_of(&r, timeline_of_work(), NULL);
	svg = report_doc_write(&r.doc, "svg", &(struct format_options){0}, &n);
	assert_non_null(strstr(svg, " own work, 0 to 100 % of the thread"));
	assert_true(fabs(area_of(svg, "#985cb2") / area_of(svg, "#f2eaf5") - 0.22575) < 0.002);
	free(svg);
	report_doc_release(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(of_each_thread),
		cmocka_unit_test(of_a_part_of_the_time),
		cmocka_unit_test(none_of_net_times_and_without_prices),
		cmocka_unit_test(bounded),
		cmocka_unit_test(drawn_on_sheets),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
