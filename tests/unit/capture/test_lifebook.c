/* The book of processes: births, execs, ends, pids that are used again, and its limits; and how
 * arguments become text. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "process/cmdline.h"
#include "book/lifebook.h"

static const char *command(const struct lifebook *b, uint32_t pid)
{
	const struct life *l = lifebook_living(b, pid);

	return l ? intern_text(&b->texts, l->command) : NULL;
}

static void a_child_has_its_parents_command(void **state)
{
	struct lifebook b = {0};

	(void)state;
	lifebook_command(&b, lifebook_add(&b, 10, 0), "make -j8", 9, false);
	lifebook_birth(&b, 10, 11, 5);
	assert_string_equal(command(&b, 11), "make -j8");
	lifebook_exec(lifebook_living(&b, 11), 6);
	assert_string_equal(command(&b, 11), "");
	lifebook_command(&b, lifebook_living(&b, 11), "cc x.c", 7, false);
	lifebook_birth(&b, 11, 12, 7);
	assert_string_equal(command(&b, 12), "cc x.c");
	assert_int_equal(lifebook_living(&b, 12)->parent, 11);
	assert_string_equal(command(&b, 10), "make -j8");
	lifebook_release(&b);
}

/* A pid that is used again is another row, whether or not the end before it was seen. */
static void a_pid_is_used_again(void **state)
{
	struct lifebook b = {0};

	(void)state;
	lifebook_birth(&b, 1, 11, 5);
	lifebook_command(&b, lifebook_living(&b, 11), "first", 6, false);
	lifebook_end(&b, lifebook_living(&b, 11), PROCESS_EXITED, 3, 9);
	assert_null(lifebook_living(&b, 11));
	lifebook_birth(&b, 1, 11, 10);
	lifebook_living(&b, 11)->exit_ns = 12;
	lifebook_birth(&b, 1, 11, 20);
	assert_int_equal(b.rows.n, 3);
	assert_int_equal(b.rows.at[0].status, 3);
	assert_int_equal(b.rows.at[1].end, PROCESS_ENDED);
	assert_int_equal(b.rows.at[1].end_ns, 12);
	assert_int_equal(lifebook_living(&b, 11)->born_ns, 20);
	/* The second had no command line yet, nor had the parent. */
	assert_int_equal(b.unread, 1);
	lifebook_release(&b);
}

static void what_is_over_is_forgotten(void **state)
{
	struct lifebook b = {0};

	(void)state;
	for (uint32_t pid = 1; pid <= 4; pid++) {
		_free_ char *text = mem_printf("number %u", pid);

		lifebook_command(&b, lifebook_add(&b, pid, pid), text, 9, false);
	}
	lifebook_end(&b, lifebook_living(&b, 2), PROCESS_KILLED, 9, 50);
	lifebook_end(&b, lifebook_living(&b, 3), PROCESS_EXITED, 0, 60);
	/* The third ended after the window. */
	b.rows.at[1].over = true;
	lifebook_forget(&b);
	assert_int_equal(b.rows.n, 3);
	assert_string_equal(command(&b, 1), "number 1");
	assert_string_equal(command(&b, 4), "number 4");
	assert_string_equal(intern_text(&b.texts, b.rows.at[1].command), "number 3");
	assert_int_equal(intern_count(&b.texts), 4);
	lifebook_release(&b);
}

/* However many processes there are: what it holds is bounded, and the rest is counted. */
static void it_is_bounded(void **state)
{
	struct lifebook b = {0};
	char line[4096];

	(void)state;
	memset(line, 'x', sizeof(line));
	for (uint32_t pid = 1; pid <= LIFEBOOK_ROWS + 1000; pid++) {
		struct life *l;

		lifebook_birth(&b, 0, pid, pid);
		l = lifebook_living(&b, pid);
		if (!l)
			continue;
		snprintf(line, sizeof(line), "%u", pid);
		line[strlen(line)] = ' ';
		line[sizeof(line) - 1] = '\0';
		lifebook_command(&b, l, line, sizeof(line), false);
	}
	assert_int_equal(b.rows.n, LIFEBOOK_ROWS);
	assert_int_equal(b.left_out, 1000);
	assert_in_range(b.texts.bytes.n, LIFEBOOK_BYTES, LIFEBOOK_BYTES + sizeof(line));
	assert_int_equal(b.commands_left_out, LIFEBOOK_ROWS - (intern_count(&b.texts) - 1));
	assert_non_null(lifebook_living(&b, LIFEBOOK_ROWS));
	assert_null(lifebook_living(&b, LIFEBOOK_ROWS + 1));
	lifebook_release(&b);
}

static void is_text(const char *arguments, size_t n, const char *want)
{
	_free_ char *text = cmdline_text(arguments, n);

	assert_string_equal(text, want);
}
#define IS_TEXT(arguments, want) is_text(arguments, sizeof(arguments) - 1, want)

static void arguments_become_text(void **state)
{
	(void)state;
	IS_TEXT("ls\0-l\0", "ls -l");
	IS_TEXT("ls\0-l", "ls -l");
	IS_TEXT("a\0\0b\0", "a  b");
	IS_TEXT("a title\0\0\0\0", "a title");
	IS_TEXT("a title    ", "a title");
	IS_TEXT("a\nb\t\033[31m\0\177\0", "a?b??[31m ?");
	IS_TEXT("\xc3\xa4 \xff\0", "ä �");
	/* A character that was cut off is no bad byte. */
	IS_TEXT("ab\xc3", "ab");
	IS_TEXT("ab\xe2\x82", "ab");
	IS_TEXT("ab\xf0\x9f\x98", "ab");
	IS_TEXT("ab\xf0\x9f\x98\x80", "ab😀");
	IS_TEXT("", "");
	IS_TEXT("\0\0", "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_child_has_its_parents_command),
		cmocka_unit_test(a_pid_is_used_again),
		cmocka_unit_test(what_is_over_is_forgotten),
		cmocka_unit_test(it_is_bounded),
		cmocka_unit_test(arguments_become_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
