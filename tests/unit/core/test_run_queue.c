/* How long threads waited for a CPU: as text, through windows, and checked. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <string.h>

#include "model/waits.h"
#include "model/splice.h"
#include "report_doc.h"

static struct profile *queues(const struct run_queue *rows, size_t n)
{
	struct profile *p = profile_new();

	profile_add_part(p, PART_OFFCPU);
	for (size_t i = 0; i < n; i++)
		vec_push(&p->run_queues, rows[i]);
	return p;
}
#define QUEUES(...)                                     \
	queues((const struct run_queue[]){__VA_ARGS__}, \
	       sizeof((const struct run_queue[]){__VA_ARGS__}) / sizeof(struct run_queue))

static void assert_text(struct profile *p, const char *expected)
{
	const struct format_options options = {.width = 100};
	struct report_doc r;
	char *text, *body;
	size_t n;

	report_doc_init(&r, p, NULL, (const char *const[]){"run-queue", NULL});
	text = report_doc_write(&r.doc, "txt", &options, &n);
	body = strstr(text, "subtitle\n");
	assert_non_null(body);
	assert_string_equal(body + strlen("subtitle\n"), expected);
	free(text);
	report_doc_release(&r);
}

static void by_cpu_and_by_length(void **state)
{
	(void)state;
	/* Bins one wide: the numbers are exact. */
	assert_text(QUEUES({0, 0, 1, 50}, {0, 5, 6, 40}, {0, 60, 61, 10}, {3, 5, 6, 60},
			   {3, 1024, 1152, 40}),
		    "\n"
		    "Waiting for a CPU  from ready to running, all waits\n"
		    "  CPU  Waits  50 %     90 %     99 %   99.9 %  Maximum\n"
		    "  all    200  5 ns  1.09 µs  1.14 µs  1.15 µs  1.15 µs\n"
		    "  0      100  0 ns     5 ns    60 ns    60 ns    61 ns\n"
		    "  3      100  5 ns  1.12 µs  1.15 µs  1.15 µs  1.15 µs\n"
		    "\n"
		    "the same by length, on all CPUs\n"
		    "     From       To  Waits   Share          \n"
		    "     0 ns     1 ns     50  25.0 %  ██      \n"
		    "     4 ns     8 ns    100  50.0 %  ████    \n"
		    "    32 ns    64 ns     10   5.0 %  ▍       \n"
		    "  1.02 µs  2.05 µs     40  20.0 %  █▋      \n");
	/* A bin that is wider than its power of two keeps its bounds. */
	assert_text(QUEUES({0, 0, 8, 3}, {0, 64, 65, 1}),
		    "\n"
		    "Waiting for a CPU  from ready to running, all waits\n"
		    "  CPU  Waits  50 %   90 %   99 %  99.9 %  Maximum\n"
		    "  all      4  4 ns  64 ns  64 ns   64 ns    65 ns\n"
		    "  0        4  4 ns  64 ns  64 ns   64 ns    65 ns\n"
		    "\n"
		    "the same by length, on all CPUs\n"
		    "   From      To  Waits   Share          \n"
		    "   0 ns    8 ns      3  75.0 %  ██████  \n"
		    "  64 ns  128 ns      1  25.0 %  ██      \n");
}

static void nothing_where_nothing_is_known(void **state)
{
	(void)state;
	assert_text(profile_new(),
		    "\n"
		    "  Nothing is known of waits for a CPU: eprof --off-cpu captures them.\n");
	assert_text(queues(NULL, 0),
		    "\n"
		    "  No thread waited for a CPU, or the kernel does not say how long.\n");
}

/* @running: the rows of a window are of the whole capture so far, as in older files. */
static void assert_spliced(bool running, int64_t waits)
{
	struct profile *first = QUEUES({0, 0, 1, 50}), *p;
	struct profile *second = QUEUES({0, 0, 1, 70}, {1, 5, 6, 2});
	struct splice s;

	first->running = second->running = running;
	splice_init(&s);
	assert_int_equal(splice_add(&s, first), 0);
	assert_int_equal(splice_add(&s, second), 0);
	p = splice_finish(&s);
	assert_int_equal(p->run_queues.n, 2);
	assert_int_equal(p->run_queues.at[0].waits, waits);
	assert_int_equal(profile_check(p), 0);
	profile_free(first);
	profile_free(second);
	profile_free(p);
}

static void windows_add_up(void **state)
{
	(void)state;
	assert_spliced(false, 120);
	assert_spliced(true, 70);
}

static void assert_refused(struct profile *p)
{
	assert_int_equal(profile_check(p), -EINVAL);
	profile_free(p);
}

static void what_leads_astray_is_refused(void **state)
{
	struct profile *good = QUEUES({0, 0, 1, 1}, {0, 1, INT64_MAX, INT64_MAX - 1});

	(void)state;
	assert_int_equal(profile_check(good), 0);
	profile_free(good);
	assert_refused(QUEUES({0, 1, 1, 1}));
	assert_refused(QUEUES({0, -5, 1, 1}));
	assert_refused(QUEUES({0, 0, -1, 1}));
	assert_refused(QUEUES({0, 0, 1, -1}));
	assert_refused(QUEUES({0, 0, 2, 1}, {0, 1, 3, 1}));
	assert_refused(QUEUES({1, 0, 1, 1}, {0, 0, 1, 1}));
	assert_refused(QUEUES({0, 0, 1, INT64_MAX}, {1, 0, 1, 1}));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(by_cpu_and_by_length),
		cmocka_unit_test(nothing_where_nothing_is_known),
		cmocka_unit_test(windows_add_up),
		cmocka_unit_test(what_leads_astray_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
