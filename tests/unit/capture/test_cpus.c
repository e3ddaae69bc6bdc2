/* Which CPUs came online since the last look. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "perf/cpus.h"

#define S 1000000000ull

/* What a look at the CPUs of @text, as "023", finds; NULL is nothing. */
static void saw(struct cpu_watch *w, const char *text, uint64_t asleep_ns, const char *back)
{
	int n = (int)strlen(text), *online = mem_zalloc((size_t)n, sizeof(*online)), *out;

	for (int i = 0; i < n; i++)
		online[i] = text[i] - '0';
	assert_int_equal(cpu_watch_saw(w, online, n, asleep_ns, &out), strlen(back));
	for (size_t i = 0; back[i]; i++)
		assert_int_equal(out[i], back[i] - '0');
	free(out);
}

static void test_goes_and_returns(void **state)
{
	struct cpu_watch w = {0};

	(void)state;
	saw(&w, "0123", 0, "");
	saw(&w, "0123", 0, "");
	saw(&w, "02", 0, "");
	saw(&w, "02", 0, "");
	saw(&w, "023", 0, "3");
	saw(&w, "0123", 0, "1");
	saw(&w, "0123", 0, "");
	cpu_watch_release(&w);
}

static void test_another_in_its_place(void **state)
{
	struct cpu_watch w = {0};

	(void)state;
	saw(&w, "02", 0, "");
	saw(&w, "135", 0, "135");
	saw(&w, "0", 0, "0");
	saw(&w, "05", 0, "5");
	cpu_watch_release(&w);
}

/* All were away, which the list does not show. */
static void test_the_machine_slept(void **state)
{
	struct cpu_watch w = {0};

	(void)state;
	saw(&w, "01", 7 * S, ""); /* before the capture */
	saw(&w, "01", 7 * S, "");
	saw(&w, "01", 10 * S, "01");
	saw(&w, "01", 10 * S, "");
	cpu_watch_release(&w);
}

/* The reader was held up between two clocks: the machine seems to have slept less. */
static void test_a_late_reading(void **state)
{
	struct cpu_watch w = {0};

	(void)state;
	saw(&w, "01", 7 * S, "");
	saw(&w, "01", 0, "");
	saw(&w, "01", 7 * S + 900, "");
	cpu_watch_release(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_goes_and_returns),
		cmocka_unit_test(test_another_in_its_place),
		cmocka_unit_test(test_the_machine_slept),
		cmocka_unit_test(test_a_late_reading),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
