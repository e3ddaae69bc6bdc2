#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "process/kallsyms.h"

static int find(const char *text, const uint64_t *at, size_t n, struct kallsym *out)
{
	char *copy = strdup(text);
	FILE *f = fmemopen(copy, strlen(text), "r");
	int rc;

	assert_non_null(f);
	rc = kallsyms_find(f, at, n, out);
	fclose(f);
	free(copy);
	return rc;
}

static void nearest_below_is_the_name(void **state)
{
	static const char text[] = "ffffffff81000000 T _stext\n"
				   "ffffffff81000100 t helper\n"
				   "ffffffff81000100 T __sys_open\n"
				   "ffffffff81000100 T sys_open\n"
				   "ffffffff81000180 D some_data\n"
				   "ffffffff81000200 W weak_one\n"
				   "rubbish\n"
				   "ffffffff81000300\n"
				   "ffffffffc0a01000 t ext4_sync_fs\t[ext4]\n"
				   "ffffffffc0b00000 t bpf_prog_1234_on_cpu\t[bpf]\n";
	static const uint64_t at[] = {0xffffffff80ffffff, 0xffffffff81000000, 0xffffffff810000ff,
				      0xffffffff81000100, 0xffffffff810001ff, 0xffffffff81000250,
				      0xffffffff90000000, 0xffffffffc0a01010, 0xffffffffc0b00020};
	static const char *const want[] = {NULL,       "_stext",       "_stext",
					   "sys_open", "sys_open",     "weak_one",
					   NULL,       "ext4_sync_fs", "bpf_prog_1234_on_cpu"};
	static const char *const module[] = {NULL, NULL, NULL,	 NULL, NULL,
					     NULL, NULL, "ext4", "bpf"};
	struct kallsym out[9];

	(void)state;
	assert_int_equal(find(text, at, 9, out), 0);
	for (int i = 0; i < 9; i++) {
		assert_string_equal(out[i].name ? out[i].name : "-", want[i] ? want[i] : "-");
		assert_string_equal(out[i].module ? out[i].module : "-",
				    module[i] ? module[i] : "-");
	}
	assert_int_equal(out[4].start, 0xffffffff81000100);
	kallsyms_release(out, 9);
}

/* The file is not sorted: modules and programs come as they were loaded. */
static void order_does_not_matter(void **state)
{
	static const char text[] = "ffffffffc0000300 t c\t[m]\n"
				   "ffffffffc0000100 t a\n"
				   "ffffffffc0000200 t b\t[n]\n";
	static const uint64_t at[] = {0xffffffffc0000110, 0xffffffffc0000120, 0xffffffffc0000210,
				      0xffffffffc0000310};
	struct kallsym out[4];

	(void)state;
	assert_int_equal(find(text, at, 4, out), 0);
	assert_string_equal(out[0].name, "a");
	assert_string_equal(out[1].name, "a");
	assert_string_equal(out[2].name, "b");
	assert_string_equal(out[3].name, "c");
	kallsyms_release(out, 4);
}

static void hidden_addresses_name_nothing(void **state)
{
	static const char text[] = "0000000000000000 T _stext\n0000000000000000 T sys_open\n";
	static const uint64_t at = 0xffffffff81000100;
	struct kallsym out;

	(void)state;
	assert_int_equal(find(text, &at, 1, &out), -EPERM);
	assert_non_null(strstr(err_text(), "kptr_restrict"));
	assert_null(out.name);
	kallsyms_release(&out, 1);
}

static const char asked_text[] = "0000000000000000 A __per_cpu_start\n"
				 "ffffffff81000100 T in_text\n"
				 "ffffffffc0b00000 t trampoline\t[__builtin__ftrace]\n";

/* As the kernel would: knows two addresses of four, and of one what is no function of it. */
static int know_two(const uint64_t *addresses, size_t n, struct kallsym *out)
{
	static const char *const names[] = {"told", "bpf_prog_0123456789abcdef_on_cpu"};

	assert_int_equal(n, 4);
	for (size_t i = 0; i < 2; i++)
		out[i] = (struct kallsym){addresses[i] - 1, strdup(names[i]), NULL};
	out[3] = (struct kallsym){addresses[3] - (1 << 20), strdup("far_below"), strdup("m")};
	return 0;
}

/* Gives up half-way. */
static int fail_late(const uint64_t *addresses, size_t n, struct kallsym *out)
{
	(void)n;
	out[0] = (struct kallsym){addresses[0], strdup("half"), NULL};
	return -ENOTSUP;
}

static int must_not_ask(const uint64_t *addresses, size_t n, struct kallsym *out)
{
	(void)addresses, (void)n, (void)out;
	fail_msg("asked for hidden addresses");
	return 0;
}

static int ask(const char *text, kallsyms_ask_fn fn, const uint64_t *at, size_t n,
	       struct kallsym *out)
{
	FILE *f = fmemopen((char *)text, strlen(text), "r");
	int rc;

	assert_non_null(f);
	rc = kallsyms_ask(f, fn, at, n, out);
	fclose(f);
	return rc;
}

static void what_was_not_told_is_read(void **state)
{
	static const uint64_t at[] = {0xffffffff81000110, 0xffffffff81000120, 0xffffffffc0b00008,
				      0xffffffffd0000000};
	struct kallsym out[4];

	(void)state;
	assert_int_equal(ask(asked_text, know_two, at, 4, out), 0);
	assert_string_equal(out[0].name, "told");
	assert_int_equal(out[0].start, at[0] - 1);
	assert_null(out[0].module);
	assert_string_equal(out[1].module, "bpf");
	assert_string_equal(out[2].name, "trampoline");
	assert_string_equal(out[2].module, "__builtin__ftrace");
	assert_null(out[3].name);
	kallsyms_release(out, 4);
}

static void text_is_read_where_asking_fails(void **state)
{
	static const uint64_t at[] = {0xffffffff81000110, 0xffffffffc0b00008};
	static const kallsyms_ask_fn fns[] = {NULL, fail_late};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct kallsym out[2];

		assert_int_equal(ask(asked_text, fns[i], at, 2, out), 0);
		assert_string_equal(out[0].name, "in_text");
		assert_string_equal(out[1].name, "trampoline");
		kallsyms_release(out, 2);
	}
}

static void hidden_addresses_are_not_asked_for(void **state)
{
	static const uint64_t at = 0xffffffff81000100;
	struct kallsym out;

	(void)state;
	assert_int_equal(ask("0000000000000000 T _stext\n", must_not_ask, &at, 1, &out), -EPERM);
	assert_null(out.name);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nearest_below_is_the_name),
		cmocka_unit_test(order_does_not_matter),
		cmocka_unit_test(hidden_addresses_name_nothing),
		cmocka_unit_test(what_was_not_told_is_read),
		cmocka_unit_test(text_is_read_where_asking_fails),
		cmocka_unit_test(hidden_addresses_are_not_asked_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
