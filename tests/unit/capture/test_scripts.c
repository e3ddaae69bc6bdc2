/* Functions of scripts: their texts and lines as the walker sends them, and which files have an
 * interpreter. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <unistd.h>

#include "script/async.h"
#include "script/codes.h"
#include "script/detect.h"
#include "script/language.h"

/* Of CPython 3.11:
 *	def f(a):
 *		b = a
 *		for i in range(3):
 *			if i:
 *				b += (i *
 *				   a)
 *		return b
 */
static const uint8_t loop[] = {0x80, 0x00, 0xd8, 0x08, 0x09, 0x80, 0x41, 0xdd, 0x0d, 0x12, 0x90,
			       0x31, 0x89, 0x58, 0x8c, 0x58, 0xf0, 0x00, 0x03, 0x05, 0x12, 0xf0,
			       0x00, 0x03, 0x05, 0x12, 0x88, 0x01, 0xd8, 0x0b, 0x0c, 0xf0, 0x00,
			       0x02, 0x09, 0x12, 0xd8, 0x0c, 0x0d, 0x90, 0x21, 0xd8, 0x0f, 0x10,
			       0xf1, 0x03, 0x01, 0x13, 0x11, 0xf1, 0x00, 0x01, 0x0d, 0x12, 0x88,
			       0x41, 0xf8, 0xe0, 0x0b, 0x0c, 0x80, 0x48};
/* A line 300 below the one before it, and instructions without a line behind handlers. */
static const uint8_t far[] = {
	0x80, 0x00, 0xf0, 0x04, 0x03, 0x05, 0x0c, 0xdd, 0x08, 0x09, 0x89, 0x03, 0x8c, 0x03, 0x88,
	0x03, 0xe5, 0x08, 0x09, 0x89, 0x03, 0x8c, 0x03, 0x88, 0x03, 0x88, 0x03, 0xf8, 0x8d, 0x01,
	0x89, 0x03, 0x8c, 0x03, 0x88, 0x03, 0x88, 0x03, 0xf8, 0xf8, 0xf8, 0xf5, 0x5a, 0x09, 0x00,
	0x05, 0x06, 0x81, 0x43, 0x84, 0x43, 0x80, 0x43, 0x80, 0x43, 0x80, 0x43};

/* Of CPython 3.10 and 3.9:
 *	def f(a):
 *	    b = a
 *	    for i in (
 *	        1,
 *	        2):
 *	        b += (
 *	            i
 *	            + b)
 *	    try:
 *	        b()
 *	    finally:
 *	        del b
 */
static const uint8_t ranges[] = {0x04, 0x01, 0x08, 0x01, 0x02, 0x03, 0x02, 0x01, 0x02, 0x01,
				 0x02, 0xff, 0x06, 0xff, 0x02, 0x03, 0x08, 0x01, 0x0a, 0x02};
static const uint8_t steps[] = {0x00, 0x01, 0x04, 0x01, 0x08, 0x03, 0x02, 0x01, 0x02, 0x01,
				0x02, 0xff, 0x02, 0xff, 0x06, 0x03, 0x02, 0x01, 0x08, 0x02};
/* More than 127 lines and 254 bytes at once, forwards and back. */
static const uint8_t far_ranges[] = {0x00, 0x7f, 0x00, 0x7f, 0xfe, 0x2f, 0xfe, 0x00, 0xfe,
				     0x00, 0xfe, 0x00, 0xbc, 0x00, 0x00, 0x7f, 0x02, 0x4b,
				     0x00, 0x81, 0x04, 0xb6, 0x00, 0x7f, 0x04, 0x4b};
static const uint8_t far_steps[] = {0x00, 0x7f, 0x00, 0x7f, 0x00, 0x2f, 0xff, 0x00,
				    0xff, 0x00, 0x60, 0x7f, 0x00, 0x4b, 0x02, 0x80,
				    0x00, 0xb7, 0x04, 0x7f, 0x00, 0x4b};
/* Four bytes without a line of their own. */
static const uint8_t no_line[] = {0x04, 0x01, 0x04, 0x80, 0x02, 0x02};

static uint32_t line_of(const uint8_t *table, uint32_t n, uint16_t form, uint32_t position)
{
	const struct script_code code = {
		.form = form, .first_line = 1, .table = (uint8_t *)table, .table_bytes = n};

	return python_language.line(&code, position);
}

#define LINE(table, position)	   line_of(table, sizeof(table), 0, position)
#define LINE_3_10(table, position) line_of(table, sizeof(table), 1, position)
#define LINE_3_9(table, position)  line_of(table, sizeof(table), 2, position)

static void lines_of_python(void **state)
{
	(void)state;
	assert_int_equal(LINE(loop, 0), 1);
	assert_int_equal(LINE(loop, 1), 2);
	assert_int_equal(LINE(loop, 3), 3);
	assert_int_equal(LINE(loop, 19), 3);
	assert_int_equal(LINE(loop, 20), 4);
	assert_int_equal(LINE(loop, 22), 5);
	assert_int_equal(LINE(loop, 24), 6);
	assert_int_equal(LINE(loop, 25), 5);
	assert_int_equal(LINE(loop, 31), 7);
	assert_int_equal(LINE(loop, 32), 7);
	assert_int_equal(LINE(loop, 33), 0);
	assert_int_equal(LINE(loop, WIRE_SCRIPT_BEGIN), 1);
	/* Without a line of its own: that before it. */
	assert_int_equal(LINE(loop, 30), 5);
	assert_int_equal(LINE(far, 31), 6);
	assert_int_equal(LINE(far, 48), 6);
	assert_int_equal(LINE(far, 50), 307);
	assert_int_equal(LINE(far, 65), 307);
	assert_int_equal(LINE(far, 66), 0);
}

/* The lines are those that the interpreters' own module dis finds. */
static void lines_of_python_before_3_11(void **state)
{
	static const uint8_t lines[] = {2, 2, 3,  3,  3,  3,  6,  7,  8,  7,  6, 6,
					6, 9, 10, 10, 10, 10, 12, 12, 12, 12, 12};

	(void)state;
	for (uint32_t i = 0; i < sizeof(lines); i++) {
		assert_int_equal(LINE_3_10(ranges, i), lines[i]);
		assert_int_equal(LINE_3_9(steps, i), lines[i]);
	}
	assert_int_equal(LINE_3_10(ranges, 23), 0);
	assert_int_equal(LINE_3_9(steps, 23), 12);
	assert_int_equal(LINE_3_10(ranges, WIRE_SCRIPT_BEGIN), 1);
	assert_int_equal(LINE_3_9(steps, WIRE_SCRIPT_BEGIN), 1);
	assert_int_equal(LINE_3_10(far_ranges, 0), 302);
	assert_int_equal(LINE_3_10(far_ranges, 601), 302);
	assert_int_equal(LINE_3_10(far_ranges, 602), 504);
	assert_int_equal(LINE_3_10(far_ranges, 603), 303);
	assert_int_equal(LINE_3_10(far_ranges, 606), 505);
	assert_int_equal(LINE_3_9(far_steps, 302), 302);
	assert_int_equal(LINE_3_9(far_steps, 303), 504);
	assert_int_equal(LINE_3_9(far_steps, 304), 303);
	assert_int_equal(LINE_3_9(far_steps, 307), 505);
	assert_int_equal(LINE_3_10(no_line, 1), 2);
	assert_int_equal(LINE_3_10(no_line, 3), 2);
	assert_int_equal(LINE_3_10(no_line, 4), 4);
}

static void any_bytes_are_lines(void **state)
{
	struct script_code code = {0};
	uint8_t bytes[64];

	(void)state;
	for (uint32_t round = 0; round < 5000; round++) {
		for (size_t i = 0; i < sizeof(bytes); i++)
			bytes[i] = (uint8_t)(round * 2654435761u >> (i % 25)) ^ (uint8_t)(i * 37);
		for (uint32_t n = 0; n <= sizeof(bytes); n += 7) {
			code = (struct script_code){.form = n % 3,
						    .first_line = round,
						    .table = bytes,
						    .table_bytes = n};
			(void)python_language.line(&code, round % 300);
		}
	}
	memset(bytes, 0xff, sizeof(bytes));
	for (code.form = 0; code.form < 3; code.form++) {
		code.first_line = UINT32_MAX;
		code.table_bytes = sizeof(bytes);
		(void)python_language.line(&code, 1);
	}
}

/* A record with room for a table. */
struct sent {
	struct wire_script w;
	uint8_t table[WIRE_SCRIPT_SMALL];
};

static void make(struct sent *s, uint64_t number, const char *name, const char *file)
{
	*s = (struct sent){.w = {.kind = WIRE_SCRIPT,
				 .number = number,
				 .language = WIRE_SCRIPT_PYTHON,
				 .first_line = 1,
				 .file = {.bytes = (uint32_t)strlen(file), .width = 1},
				 .name = {.bytes = (uint32_t)strlen(name), .width = 1},
				 .table_bytes = sizeof(loop),
				 .table_sent = sizeof(loop)}};
	memcpy(s->w.name_text, name, strlen(name));
	memcpy(s->w.file_text, file, strlen(file));
	memcpy(s->table, loop, sizeof(loop));
}

static uint64_t value_of(uint64_t number, uint64_t position)
{
	return number << WIRE_SCRIPT_SHIFT | position;
}

static void functions_are_known_by_number(void **state)
{
	struct codes *c = codes_new(NULL);
	uint64_t at, again;
	struct sent s;

	(void)state;
	make(&s, 7, "f", "a.py");
	codes_take(c, &s.w, sizeof(s));
	at = codes_offset(c, value_of(7, 22));
	assert_string_equal(codes_at(c, at)->name, "f");
	assert_string_equal(codes_at(c, at)->file, "a.py");
	assert_int_equal(codes_line(c, at), 5);
	/* The walker forgot it, and sent it under another number. */
	make(&s, 9, "f", "a.py");
	codes_take(c, &s.w, sizeof(s));
	again = codes_offset(c, value_of(9, 22));
	assert_int_equal(again, at);
	/* Never sent, and notes. */
	at = codes_offset(c, value_of(8, 22));
	assert_null(codes_at(c, at));
	assert_string_equal(codes_note(at), "[script frame unread]");
	at = codes_offset(c, WIRE_SCRIPT_TORN);
	assert_null(codes_at(c, at));
	assert_string_equal(codes_note(at), "[script frames missing]");
	codes_free(c);
}

static void texts_become_utf8(void **state)
{
	static const uint16_t two[] = {'a', 0x20ac, 0xd800};
	static const uint32_t four[] = {0x1f600, 0x110000};
	struct codes *c = codes_new(NULL);
	const struct script_code *code;
	struct sent s;

	(void)state;
	make(&s, 1, "Gr\xf6\xdf", "x");
	s.w.file = (struct wire_script_text){.bytes = sizeof(two), .width = 2, .cut = 1};
	memcpy(s.w.file_text, two, sizeof(two));
	codes_take(c, &s.w, sizeof(s));
	code = codes_at(c, codes_offset(c, value_of(1, 0)));
	assert_string_equal(code->name, "Größ");
	assert_string_equal(code->file, "a€\xef\xbf\xbd…");
	make(&s, 2, "", "x");
	s.w.name = (struct wire_script_text){.bytes = sizeof(four), .width = 4};
	memcpy(s.w.name_text, four, sizeof(four));
	codes_take(c, &s.w, sizeof(s));
	assert_string_equal(codes_at(c, codes_offset(c, value_of(2, 0)))->name,
			    "\xf0\x9f\x98\x80\xef\xbf\xbd");
	codes_free(c);
}

/* PHP sends the name of a class apart, and texts in UTF-8. */
static void names_are_qualified(void **state)
{
	struct codes *c = codes_new(NULL);
	const struct script_code *code;
	struct sent s;

	(void)state;
	make(&s, 1, "l\xc3\xa4nge\xff", "a.php");
	s.w.language = WIRE_SCRIPT_PHP;
	s.w.name.width = s.w.file.width = WIRE_SCRIPT_UTF8;
	memcpy(s.table, "A@anonymous\0/a.php:3$0", 22);
	s.w.table_bytes = s.w.table_sent = 22;
	codes_take(c, &s.w, sizeof(s));
	code = codes_at(c, codes_offset(c, value_of(1, 12)));
	assert_string_equal(code->name, "A@anonymous::länge\xef\xbf\xbd");
	assert_int_equal(code->table_bytes, 0);
	assert_int_equal(codes_line(c, codes_offset(c, value_of(1, 12))), 12);
	s.w.number = 2;
	s.w.name.bytes = s.w.table_bytes = s.w.table_sent = 0;
	codes_take(c, &s.w, sizeof(s));
	assert_string_equal(codes_at(c, codes_offset(c, value_of(2, 0)))->name, "{main}");
	codes_free(c);
}

/* Of V8 parts of a name come apart, and files as URLs. */
static void names_are_put_together(void **state)
{
	struct codes *c = codes_new(NULL);
	struct wire_script_made made = {.position = 27, .n = 3, .before = 1};
	const struct script_code *code;
	struct sent s;

	(void)state;
	make(&s, 1, "middle", "file:///srv/a%20b/%zz%00.mjs");
	s.w.language = WIRE_SCRIPT_V8;
	made.parts[0].text = (struct wire_script_text){.bytes = 4, .width = 1};
	memcpy(made.parts[0].bytes, "Old.", 4);
	made.parts[1].text = (struct wire_script_text){.bytes = 4, .width = 2};
	memcpy(made.parts[1].bytes, "(\0)\0", 4);
	s.w.table_bytes = s.w.table_sent = sizeof(made);
	memcpy(s.table, &made, sizeof(made));
	codes_take(c, &s.w, sizeof(s));
	code = codes_at(c, codes_offset(c, value_of(1, 0)));
	/* The third part could not be read. */
	assert_string_equal(code->name, "Old.middle…()");
	assert_string_equal(code->file, "/srv/a b/%zz%00.mjs");
	assert_int_equal(code->first_line, 0);
	assert_int_equal(codes_line(c, codes_offset(c, value_of(1, 0))), 0);
	/* Neither has a name, but they begin elsewhere. */
	for (uint32_t i = 2; i < 4; i++) {
		make(&s, i, "", "");
		s.w.language = WIRE_SCRIPT_V8;
		made = (struct wire_script_made){.position = i, .n = UINT16_MAX};
		s.w.table_bytes = s.w.table_sent = 8;
		memcpy(s.table, &made, 8);
		codes_take(c, &s.w, sizeof(s));
	}
	code = codes_at(c, codes_offset(c, value_of(2, 0)));
	assert_string_equal(code->file, "[eval]");
	assert_int_not_equal(codes_offset(c, value_of(2, 0)), codes_offset(c, value_of(3, 0)));
	codes_free(c);
}

static void lengths_are_checked(void **state)
{
	struct codes *c = codes_new(NULL);
	const struct script_code *code;
	struct sent s;

	(void)state;
	make(&s, 1, "f", "x");
	s.w.name.bytes = s.w.file.bytes = s.w.table_sent = s.w.table_bytes = UINT32_MAX;
	codes_take(c, &s.w, sizeof(s));
	code = codes_at(c, codes_offset(c, value_of(1, 0)));
	assert_int_equal(code->table_bytes, WIRE_SCRIPT_SMALL);
	assert_true(code->cut);
	codes_free(c);
}

/* However many one process makes up, another's have room. */
static void a_process_has_its_share(void **state)
{
	struct codes *c = codes_new(NULL);
	uint64_t last = 0;
	struct sent s;

	(void)state;
	for (uint32_t i = 1; i <= 40000; i++) {
		char name[16];

		snprintf(name, sizeof(name), "f%u", i);
		make(&s, i, name, "x");
		s.w.pid = 7;
		codes_take(c, &s.w, sizeof(s));
		last = codes_offset(c, value_of(i, 0));
	}
	assert_null(codes_at(c, last));
	assert_string_equal(codes_note(last), "[script frame unread]");
	make(&s, 50000, "g", "x");
	s.w.pid = 8;
	codes_take(c, &s.w, sizeof(s));
	assert_string_equal(codes_at(c, codes_offset(c, value_of(50000, 0)))->name, "g");
	codes_free(c);
}

static void take_task(struct codes *c, uint64_t number, uint32_t pid, const char *name)
{
	struct sent s;

	make(&s, number, name, "");
	s.w.pid = pid;
	s.w.language = WIRE_SCRIPT_TASK_NAME;
	s.w.table_bytes = s.w.table_sent = 0;
	codes_take(c, &s.w, sizeof(s));
}

static const char *name_of(struct codes *c, uint64_t number)
{
	return codes_at(c, codes_offset(c, value_of(number, 0)))->name;
}

/* A program may give each task a name of its own. A coroutine of the same name without a file is
 * none. */
static void names_of_tasks_are_bounded(void **state)
{
	struct codes *c = codes_new(NULL);
	struct sent s;

	(void)state;
	for (uint32_t i = 1; i <= 300; i++) {
		char name[16];

		snprintf(name, sizeof(name), "request %u", i);
		take_task(c, i, 7, name);
	}
	assert_string_equal(name_of(c, 256), "request 256");
	assert_string_equal(name_of(c, 257), "");
	assert_true(codes_is_task(codes_at(c, codes_offset(c, value_of(257, 0)))));
	take_task(c, 400, 7, "request 1");
	assert_string_equal(name_of(c, 400), "request 1");
	take_task(c, 401, 8, "another");
	assert_string_equal(name_of(c, 401), "another");
	make(&s, 402, "request 300", "");
	s.w.pid = 7;
	codes_take(c, &s.w, sizeof(s));
	assert_string_equal(name_of(c, 402), "request 300");
	assert_false(codes_is_task(codes_at(c, codes_offset(c, value_of(402, 0)))));
	codes_free(c);
}

static void marks_of_tasks_have_texts(void **state)
{
	(void)state;
	assert_string_equal(async_note(WIRE_SCRIPT_TASK), "[task]");
	assert_string_equal(async_note(WIRE_SCRIPT_AWAITED_BY + 2), "[awaited by 2 tasks]");
	assert_string_equal(async_note(WIRE_SCRIPT_AWAITED_BY + 9), "[awaited by 9 tasks]");
	assert_string_equal(async_note(WIRE_SCRIPT_AWAITED_BY + WIRE_SCRIPT_AWAITED_MOST),
			    "[awaited by 10 or more tasks]");
	assert_string_equal(async_note(WIRE_SCRIPT_AWAITED_BY), "[script frame unread]");
	assert_string_equal(async_note(WIRE_SCRIPT_UNREAD), "[script frame unread]");
	assert_string_equal(async_note(WIRE_SCRIPT_MOST), "[script frame unread]");
}

static void unused_functions_are_forgotten(void **state)
{
	struct codes *c = codes_new(NULL);
	uint8_t used[8] = {0};
	uint64_t f, g;
	struct sent s;

	(void)state;
	make(&s, 1, "f", "x");
	codes_take(c, &s.w, sizeof(s));
	make(&s, 2, "g", "x");
	codes_take(c, &s.w, sizeof(s));
	f = codes_offset(c, value_of(1, 0));
	g = codes_offset(c, value_of(2, 0));
	/* Just received: stacks that have them may be on their way. */
	codes_forget(c, used);
	assert_non_null(codes_at(c, f));
	used[codes_number(g)] = 1;
	codes_forget(c, used);
	assert_null(codes_at(c, f));
	assert_null(codes_at(c, codes_offset(c, value_of(1, 0))));
	assert_string_equal(codes_at(c, g)->name, "g");
	/* It comes again, with a number of its own. */
	make(&s, 3, "f", "x");
	codes_take(c, &s.w, sizeof(s));
	assert_int_not_equal(codes_offset(c, value_of(3, 0)), f);
	assert_int_equal(codes_offset(c, value_of(2, 0)), g);
	codes_free(c);
}

static bool detect(const char *path, struct interpreter *out)
{
	struct elffile f;
	const int fd = open(path, O_RDONLY | O_CLOEXEC);
	bool found;

	if (fd < 0)
		skip();
	assert_int_equal(elffile_open(fd, &f), 0);
	found = script_detect(&f, out);
	elffile_release(&f);
	close(fd);
	return found;
}

static void interpreters_are_found(void **state)
{
	struct wire_script_proc proc;
	struct interpreter i;

	(void)state;
	assert_false(detect("/proc/self/exe", &i));
	assert_true(detect("/usr/bin/python3.11", &i));
	assert_int_equal(i.language, WIRE_SCRIPT_PYTHON);
	assert_int_equal(i.major, 3);
	assert_int_equal(i.minor, 11);
	assert_string_equal(i.reason, "");
	assert_string_equal(async_why(&i), "needs Python 3.14");
	proc = script_proc(&i, 0x1000);
	assert_int_equal(proc.runtime, i.runtime + 0x1000);
	assert_int_equal(proc.code_type, i.code_type + 0x1000);
	snprintf(i.reason, sizeof(i.reason), "no");
	assert_int_equal(script_proc(&i, 0).language, WIRE_SCRIPT_NONE);
}

/* Debian's, built by gcc: a part of the loop is elsewhere, before all other code. */
static void php_is_found(void **state)
{
	struct wire_script_proc proc;
	struct interpreter i;

	(void)state;
	assert_true(detect("/usr/bin/php8.2", &i));
	assert_int_equal(i.language, WIRE_SCRIPT_PHP);
	assert_int_equal(i.major, 8);
	assert_int_equal(i.minor, 2);
	assert_string_equal(i.reason, "");
	assert_true(i.loop.function.bytes > 30000);
	assert_true(i.loop.cold.bytes > 1000 && i.loop.cold.bytes < i.loop.function.bytes);
	assert_true(i.loop.cold.at + i.loop.cold.bytes <= i.loop.function.at);
	proc = script_proc(&i, 0x1000);
	assert_int_equal(proc.cold, i.loop.cold.at + 0x1000);
	assert_int_equal(proc.file, 152);
}

/* The library keeps the variable; the program that loads it has no interpreter. */
static void ruby_is_found(void **state)
{
	static const char library[] = "/usr/lib/x86_64-linux-gnu/libruby-3.1.so.3.1";
	struct wire_script_proc proc;
	struct interpreter i;

	(void)state;
	assert_true(detect(library, &i));
	assert_int_equal(i.language, WIRE_SCRIPT_RUBY);
	assert_int_equal(i.major, 3);
	assert_int_equal(i.minor, 1);
	assert_string_equal(i.reason, "");
	assert_true(i.runtime && !i.tls);
	assert_true(i.loop.function.bytes > 1000);
	assert_true(i.loop.core.bytes > i.loop.function.bytes);
	proc = script_proc(&i, 0x1000);
	assert_int_equal(proc.core_bytes, i.loop.core.bytes);
	assert_int_equal(proc.previous, 64);
	assert_false(detect("/usr/bin/ruby3.1", &i));
}

/* A copy of @path, whose sections are damaged more at each round. */
static void damage(const char *path, uint32_t rounds)
{
	const int from = open(path, O_RDONLY | O_CLOEXEC),
		  to = memfd_create("damaged", MFD_CLOEXEC);
	const off_t bytes = from < 0 ? -1 : lseek(from, 0, SEEK_END);
	uint64_t random = 1;
	struct interpreter i;
	char copy[64];

	if (from < 0)
		skip();
	assert_int_equal(sendfile(to, from, &(off_t){0}, (size_t)bytes), bytes);
	close(from);
	snprintf(copy, sizeof(copy), "/proc/self/fd/%d", to);
	assert_true(detect(copy, &i));
	for (uint32_t round = 0; round < rounds; round++) {
		for (uint32_t k = 0; k < 400; k++) {
			random = random * 6364136223846793005u + 1442695040888963407u;
			/* The tables of symbols and of frames are in the first half. */
			assert_int_equal(pwrite(to, &(char){(char)(random >> 24)}, 1,
						1024 + (off_t)(random >> 33) % (bytes / 2)),
					 1);
		}
		(void)detect(copy, &i);
	}
	close(to);
}

static void damaged_files_are_read(void **state)
{
	(void)state;
	damage("/usr/bin/php8.2", 60);
	damage("/usr/lib/x86_64-linux-gnu/libruby-3.1.so.3.1", 60);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_of_python),
		cmocka_unit_test(lines_of_python_before_3_11),
		cmocka_unit_test(any_bytes_are_lines),
		cmocka_unit_test(functions_are_known_by_number),
		cmocka_unit_test(texts_become_utf8),
		cmocka_unit_test(names_are_put_together),
		cmocka_unit_test(lengths_are_checked),
		cmocka_unit_test(a_process_has_its_share),
		cmocka_unit_test(names_of_tasks_are_bounded),
		cmocka_unit_test(marks_of_tasks_have_texts),
		cmocka_unit_test(unused_functions_are_forgotten),
		cmocka_unit_test(interpreters_are_found),
		cmocka_unit_test(names_are_qualified),
		cmocka_unit_test(php_is_found),
		cmocka_unit_test(ruby_is_found),
		cmocka_unit_test(damaged_files_are_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
