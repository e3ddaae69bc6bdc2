/* Recordings of Java's Flight Recorder: tests/fuzz/corpus/jfr/two-chunks has of each kind of value
 * and text one, and twice the same second: threads "main" and "worker", four samples in Java, one
 * of which refers to a stack that is not there, and one in native code. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>

#include "base/file.h"
#include "base/mem.h"
#include "export_text.h"
#include "imported.h"
#include "metric_sum.h"

extern const struct export folded_export;

static char *recording(size_t *n)
{
	char *bytes = NULL;

	assert_int_equal(file_read("tests/fuzz/corpus/jfr/two-chunks", 1 << 16, &bytes, n), 0);
	return bytes;
}

static void samples_and_stacks(void **state)
{
	size_t n;
	_free_ char *bytes = recording(&n);
	struct profile *p = imported_bytes("jfr", bytes, n);
	_free_ char *text = export_text(&folded_export, p, false);

	(void)state;
	assert_ptr_equal(import_recognise("x", (struct span){bytes, n}), import_find("jfr"));
	assert_string_equal(text, "main;demo.App.main;demo.App.größe 4\n"
				  "worker;demo.App.größe;demo.App.höhe 2\n");
	assert_int_equal(metric_sum(p, 0), 6);
	assert_int_equal(metric_sum(p, 1), 2); /* in native code */
	assert_int_equal(ledger_count(p, 0, LEDGER_LOST), 2);
	assert_int_equal(ledger_count(p, 0, LEDGER_NOTE), 2); /* cut stacks */
	assert_int_equal(p->started_unix_ns, INT64_C(1772366400000000000));
	/* The clock has a million ticks a second; the second chunk is of a second later. */
	assert_int_equal(p->samples.at[0].time_ns, 0);
	assert_int_equal(p->samples.at[p->samples.n - 1].time_ns, 1003000000);
	assert_int_equal(p->threads.at[0].tid, 4711);
	profile_free(p);
}

static void damaged_ones_are_refused(void **state)
{
	size_t n;
	_free_ char *bytes = recording(&n);

	(void)state;
	refused_bytes("jfr", bytes, 60, "is damaged");
	refused_bytes("jfr", bytes, n - 1, "is damaged");
	bytes[67] = 0; /* numbers of a fixed size */
	refused_bytes("jfr", bytes, n, "is damaged");
	bytes[67] = 3;
	bytes[22] ^= 1; /* the pools are elsewhere */
	refused_bytes("jfr", bytes, n, "is damaged");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(samples_and_stacks),
		cmocka_unit_test(damaged_ones_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
