/* folded stacks to profiles, and back to the same text. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>

#include "export_text.h"
#include "import/scan.h"
#include "imported.h"
#include "model/meta.h"

extern const struct export folded_export;

static void assert_round(const char *text)
{
	struct profile *p = imported("folded", text);
	char *back = export_text(&folded_export, p, true);

	assert_string_equal(back, text);
	free(back);
	profile_free(p);
}

static void comes_back_as_it_was(void **state)
{
	(void)state;
	assert_round("a 2\n"
		     "a;main;[stack cut];memcmp_[i];do_syscall_64_[k] 80\n"
		     "a;main;[unknown] 5\n"
		     "a;main;name with 3 blanks 4\n"
		     "a;main;x_[j] 4611686018427380000\n"
		     "b;liba.so+0x12f0 1\n");
}

static void tells_kinds(void **state)
{
	struct profile *p =
		imported("folded", "a;k_[k];i_[i];j_[j];u;[unknown];m+0x1f;[stack cut] 1\n");
	const struct node *n = p->nodes.at;
	const struct {
		enum frame_kind kind;
		bool inlined, named;
	} want[] = {{KIND_KERNEL, 0, 1}, {KIND_NATIVE, 1, 1}, {KIND_JIT, 0, 1}, {KIND_NATIVE, 0, 1},
		    {KIND_NATIVE, 0, 0}, {KIND_NATIVE, 0, 0}, {KIND_MARK, 0, 1}};

	(void)state;
	assert_int_equal(p->nodes.n, 8);
	for (size_t i = 0; i < 7; i++) {
		const struct frame *f = &p->frames.at[n[i + 1].frame];

		assert_int_equal(p->functions.at[f->function].kind, want[i].kind);
		assert_int_equal(p->functions.at[f->function].named, want[i].named);
		assert_int_equal(f->inlined, want[i].inlined);
	}
	profile_free(p);
}

static void adds_up_in_the_ledger(void **state)
{
	struct profile *p = imported("folded", "# a comment\r\n\r\na;b 3\r\na;b\t4\r\na;c 0");

	(void)state;
	assert_int_equal(p->metrics.n, 1);
	assert_int_equal(ledger_count(p, 0, LEDGER_TAKEN), 7);
	assert_int_equal(ledger_count(p, 0, LEDGER_KEPT), 7);
	assert_string_equal(profile_run(p, RUN_METRIC), "samples");
	assert_string_equal(profile_run(p, RUN_SOURCE), "x");
	profile_free(p);
}

static void two_counts_are_two_metrics(void **state)
{
	struct profile *p = imported("folded", "a;b 3 10\na;c 0 2\n");

	(void)state;
	assert_int_equal(p->metrics.n, 2);
	assert_string_equal(profile_text(p, p->metrics.at[0].name), "before");
	assert_string_equal(profile_text(p, p->metrics.at[1].name), "after");
	assert_int_equal(ledger_count(p, 0, LEDGER_KEPT), 3);
	assert_int_equal(ledger_count(p, 1, LEDGER_KEPT), 12);
	profile_free(p);
}

static void bad_lines_are_refused(void **state)
{
	(void)state;
	refused("folded", "", "empty");
	refused("folded", "# only\n", "no stack");
	refused("folded", "a;b\n", "line 1: a stack, a blank and a count");
	refused("folded", "a;b -3\n", "line 1");
	refused("folded", "a;b nan\n", "line 1");
	refused("folded", "a;b 9223372036854775808\n", "line 1");
	refused("folded", "a;b 3.5.1\n", "line 1");
	refused("folded", "a;b 3.5e1\n", "line 1");
	refused("folded", " 3\n", "line 1");
	refused("folded", "a;b 9223372036854775807\na;c 1\n", "does not fit");
}

static void an_odd_line_costs_that_line(void **state)
{
	struct profile *p = imported("folded", "a;b 10\nnot a stack\na;c -1\na;c 4\n");
	const struct ledger_row *last = &p->ledger.at[p->ledger.n - 1];

	(void)state;
	assert_int_equal(ledger_count(p, 0, LEDGER_KEPT), 14);
	assert_int_equal(last->count, 2);
	assert_string_equal(
		profile_text(p, last->name),
		"lines left out, the first: line 2: a stack, a blank and a count are expected");
	profile_free(p);
	p = imported("folded", "a 1 2\na 3\n");
	assert_int_equal(ledger_count(p, 0, LEDGER_APART), 1);
	profile_free(p);
}

/* As flamegraph.pl takes them; the finest of all lines tells the unit. */
static void counts_may_have_a_fraction(void **state)
{
	struct profile *p = imported("folded", "a;b 2\na;b 0.156\na;c 0.980\n");

	(void)state;
	assert_round("a;b 0.156\na;c 0.98\n");
	assert_round("a;b 12\na;c 0.000000001\n");
	assert_string_equal(profile_text(p, p->metrics.at[0].unit), "1/1000");
	assert_int_equal(p->samples.values.at[0].at[0], 2000);
	assert_int_equal(p->samples.values.at[0].at[1], 156);
	assert_int_equal(ledger_count(p, 0, LEDGER_KEPT), 3);
	profile_free(p);
	/* Not so where all are whole. */
	p = imported("folded", "a;b 2.0\na;c 3.\n");
	assert_string_equal(profile_text(p, p->metrics.at[0].unit), "events");
	assert_int_equal(ledger_count(p, 0, LEDGER_KEPT), 5);
	profile_free(p);
}

static void assert_recognised(const char *text, bool is)
{
	const struct import *found = import_recognise("x", span_of(text));

	assert_int_equal(found == import_find("folded"), is);
}

static void it_is_known_by_most_lines(void **state)
{
	(void)state;
	assert_recognised("a 1\na;b 0.5\n", true);
	assert_recognised("WARNING: 3 events were lost\na;b 1\na;c 2\n", true);
	assert_recognised("# x\n\na;b 1\r\n", true);
	assert_recognised("a 1\nb 2\n", false);
	assert_recognised("int f(void) {\n\treturn 1;\n}\na;b 1\n", false);
}

static void a_long_line_is_taken(void **state)
{
	const size_t n = 10 << 20;
	char *text = malloc(n + 8);
	struct profile *p;

	(void)state;
	for (size_t i = 0; i < n; i++)
		text[i] = i % 1000 ? 'x' : ';';
	text[0] = 'a';
	strcpy(text + n, " 5\n");
	p = imported("folded", text);
	assert_int_equal(p->nodes.n, 1 + n / 1000 + (n % 1000 > 0) - 1);
	assert_int_equal(ledger_count(p, 0, LEDGER_KEPT), 5);
	profile_free(p);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(comes_back_as_it_was),
		cmocka_unit_test(tells_kinds),
		cmocka_unit_test(adds_up_in_the_ledger),
		cmocka_unit_test(two_counts_are_two_metrics),
		cmocka_unit_test(bad_lines_are_refused),
		cmocka_unit_test(an_odd_line_costs_that_line),
		cmocka_unit_test(counts_may_have_a_fraction),
		cmocka_unit_test(it_is_known_by_most_lines),
		cmocka_unit_test(a_long_line_is_taken),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
