/* Fields of tracepoints: formats as tracefs prints them, what events ask for, and their words. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "base/err.h"
#include "perf/tracepoint_fields.h"
#include "book/label.h"

static const char block[] = "name: block_rq_issue\nID: 1209\nformat:\n"
			    "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
			    "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
			    "\tfield:dev_t dev;\toffset:8;\tsize:4;\tsigned:0;\n"
			    "\tfield:sector_t sector;\toffset:16;\tsize:8;\tsigned:0;\n"
			    "\tfield:unsigned int bytes;\toffset:28;\tsize:4;\tsigned:0;\n"
			    "\tfield:char rwbs[8];\toffset:34;\tsize:8;\tsigned:0;\n"
			    "\tfield:char comm[16];\toffset:42;\tsize:16;\tsigned:0;\n"
			    "\tfield:unsigned long args[6];\toffset:64;\tsize:48;\tsigned:0;\n"
			    "\tfield:__data_loc char[] cmd;\toffset:112;\tsize:4;\tsigned:0;\n"
			    "\nprint fmt: \"%d,%d\", ((unsigned int) ((REC->dev) >> 20))\n";
static const char sched[] = "\tfield:long prev_state;\toffset:32;\tsize:8;\tsigned:1;\n"
			    "\tfield:int error;\toffset:40;\tsize:4;\tsigned:1;\n"
			    "\tfield:const void * call_site;\toffset:48;\tsize:8;\tsigned:0;\n"
			    "\tfield:u64 runtime;\toffset:56;\tsize:8;\tsigned:0;\n";

static struct tracepoint_fields found(const char *event, const char *format, const char *wanted)
{
	struct tracepoint_fields f;

	assert_int_equal(tracepoint_fields_find(event, format, wanted, &f), 0);
	return f;
}

static void refused(const char *format, const char *wanted, const char *text)
{
	struct tracepoint_fields f;

	assert_int_equal(tracepoint_fields_find("x:y", format, wanted, &f), -EINVAL);
	if (!strstr(err_text(), text))
		fail_msg("'%s' is not in: %s", text, err_text());
}

static void test_finds_them(void **state)
{
	const struct tracepoint_fields f =
		found("block:block_rq_issue", block, "dev,cmd,sum=bytes");

	(void)state;
	assert_int_equal(f.n, 2);
	assert_int_equal(f.labels[0].at.offset, 8);
	assert_int_equal(f.labels[0].at.bytes, 4);
	assert_int_equal(f.labels[0].at.kind, WIRE_FIELD_NUMBER);
	assert_int_equal(f.labels[0].meaning, FIELD_DEVICE);
	assert_int_equal(f.labels[1].at.kind, WIRE_FIELD_FAR);
	assert_int_equal(f.labels[1].at.offset, 112);
	assert_true(f.has_sum);
	assert_int_equal(f.sum.at.offset, 28);
	assert_string_equal(f.sum.unit, "bytes");
	assert_string_equal(found("sched:x", sched, "sum=runtime").sum.unit, "ns");
	assert_null(found("sched:x", sched, "sum=error").sum.unit);
}

static void test_refuses_others(void **state)
{
	(void)state;
	refused(block, "common_pid", "has no field 'common_pid'");
	refused(block, "args", "it has: dev, sector, bytes, rwbs, comm, cmd");
	refused(block, "sum=comm", "a text cannot be summed up");
	refused(block, "sum=bytes,sum=sector", "only one field");
	refused(block, "dev,sector,bytes", "at most 2 fields");
	refused(block, "", "name a field between the slashes");
	refused(block, ",,", "name a field between the slashes");
	refused("", "dev", "it has: none");
	refused("\tfield:dev_t dev\n\tfield:;\toffset:x;\n\tfield:int a;\toffset:1;\n", "a",
		"it has: none");
	/* Sizes and offsets that no record has. */
	refused("\tfield:int a;\toffset:8;\tsize:3;\tsigned:1;\n", "a", "has no field");
	refused("\tfield:int a;\toffset:70000;\tsize:4;\tsigned:1;\n", "a", "has no field");
}

/* The label of such a sample. */
static void assert_label(struct labels *l, const struct tracepoint_fields *f, uint64_t first,
			 uint64_t second, const char *text)
{
	const struct wire_labelled w = {.labels = {{first}, {second}}};

	assert_string_equal(labels_text(l, labels_take(l, f, 0, &w)), text);
}

static void test_words(void **state)
{
	const struct tracepoint_fields one = found("b:x", block, "dev,sector");
	const struct tracepoint_fields two = found("s:x", sched, "prev_state,error");
	const struct tracepoint_fields site = found("k:x", sched, "call_site");
	const struct tracepoint_fields call =
		found("raw_syscalls:sys_enter", "\tfield:long id;\toffset:8;\tsize:8;\tsigned:1;\n",
		      "id");
	struct labels l;

	(void)state;
	labels_init(&l);
	/* No machine has block devices of that number. */
	assert_label(&l, &one, 4000ull << 20 | 17, 123, "[dev=4000:17, sector=123]");
	labels_release(&l);
	labels_init(&l);
	assert_label(&l, &two, 2, 0xfffffffe, "[prev_state=D, error=-2]");
	assert_label(&l, &two, 0, 0, "[prev_state=R, error=0]");
	assert_label(&l, &two, 0x100, 1, "[prev_state=R+, error=1]");
	labels_release(&l);
	labels_init(&l);
	assert_label(&l, &site, 0xffffffff81000000, 0, "[call_site=0xffffffff81000000]");
	labels_release(&l);
	labels_init(&l);
	assert_label(&l, &call, 257, 0, "[id=257 (openat)]");
	assert_label(&l, &call, 99999, 0, "[id=99999]");
	assert_label(&l, &call, (uint64_t)-1, 0, "[id=-1]");
	labels_release(&l);
}

static void test_texts_are_cleaned(void **state)
{
	const struct tracepoint_fields f = found("b:x", block, "comm");
	struct wire_labelled w = {0};
	struct labels l;

	(void)state;
	labels_init(&l);
	memcpy(w.labels[0], "a\033[2Jbcdefghijkl", sizeof(w.labels[0]));
	assert_null(strchr(labels_text(&l, labels_take(&l, &f, 0, &w)), '\033'));
	labels_release(&l);
}

static void test_values_are_bounded(void **state)
{
	const struct tracepoint_fields f = found("b:x", block, "sector");
	struct labels l;

	(void)state;
	labels_init(&l);
	for (uint64_t i = 0; i < LABELS_MOST + 10; i++) {
		const struct wire_labelled w = {.labels = {{i}}};
		const uint32_t row = labels_take(&l, &f, 0, &w);

		assert_int_equal(labels_take(&l, &f, 0, &w), row);
	}
	assert_int_equal(l.rows.n, LABELS_MOST + 2);
	assert_int_equal(l.left_out, 20);
	assert_label(&l, &f, 0, 0, "[sector=0]");
	assert_label(&l, &f, LABELS_MOST + 5, 0, "[other values]");
	labels_release(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_finds_them),
		cmocka_unit_test(test_refuses_others),
		cmocka_unit_test(test_words),
		cmocka_unit_test(test_texts_are_cleaned),
		cmocka_unit_test(test_values_are_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
