/* Source texts of files that anybody may have put there. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "symbol/sourcetext.h"
#include "temp_folder.h"

/* As if all of them might be read. */
static void open_all(void *context, const struct profile *p, const uint32_t *files, size_t n,
		     int *fds)
{
	(void)context;
	for (size_t i = 0; i < n; i++)
		fds[i] = open(profile_text(p, files[i]), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
}

static void open_none(void *context, const struct profile *p, const uint32_t *files, size_t n,
		      int *fds)
{
	(void)context, (void)p, (void)files;
	for (size_t i = 0; i < n; i++)
		fds[i] = -1;
}

static void write_file(const char *path, const char *text, size_t n)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_int_equal(fwrite(text, 1, n, f), n);
	fclose(f);
}

/* A profile with a sample in that line of that file. */
static void sample_at(struct profile *p, const char *file, uint32_t line)
{
	const struct function f = {.name = intern_add(&p->strings, file),
				   .file = intern_add(&p->strings, file),
				   .named = 1};
	const struct frame frame = {.function = profile_function(p, &f), .line = line};

	profile_sample(p, 0, 0, profile_node(p, 0, profile_frame(p, &frame)), &(int64_t){1});
}

static struct profile *empty(void)
{
	struct profile *p = profile_new();

	assert_int_equal(chmod(".", 0755), 0);
	profile_metric(p, "cpu-clock", "ns", METRIC_SUM);
	profile_thread(p, &(struct thread){.tid = 1});
	return p;
}

/* The line's text; NULL: there is none. */
static const char *text_at(const struct profile *p, const char *file, uint32_t line)
{
	for (size_t i = 0; i < p->source_lines.n; i++) {
		const struct source_line *e = &p->source_lines.at[i];

		if (e->line == line && !strcmp(profile_text(p, e->file), file))
			return profile_text(p, e->text);
	}
	return NULL;
}

static void lines_are_read(void **state)
{
	static const char text[] = "one\n\ttab\tx\r\n  größe <b>\n\n\x01 control \xff\nlast";
	struct sourcetext_report r;
	struct profile *p = empty();

	(void)state;
	write_file("a.c", text, sizeof(text) - 1);
	sample_at(p, "a.c", 3);
	sourcetext_add(p, open_all, NULL, &r);
	assert_int_equal(r.files, 1);
	assert_int_equal(r.read, 1);
	assert_int_equal(r.lines, 6);
	assert_string_equal(text_at(p, "a.c", 1), "one");
	assert_string_equal(text_at(p, "a.c", 2), "        tab     x");
	assert_string_equal(text_at(p, "a.c", 3), "  größe <b>");
	assert_string_equal(text_at(p, "a.c", 4), "");
	assert_string_equal(text_at(p, "a.c", 5), "? control \xef\xbf\xbd");
	assert_string_equal(text_at(p, "a.c", 6), "last");
	assert_true(profile_has(p, PART_SOURCE));
	assert_int_equal(profile_check(p), 0);
	profile_free(p);
}

static void only_what_is_near_is_read(void **state)
{
	struct sourcetext_report r;
	struct profile *p = empty();
	FILE *f = fopen("long.c", "w");

	(void)state;
	for (int i = 1; i <= 3000; i++)
		fprintf(f, "line %d\n", i);
	fclose(f);
	sample_at(p, "long.c", 100);
	sample_at(p, "long.c", 2990);
	sample_at(p, "long.c", 90000); /* behind the end */
	sourcetext_add(p, open_all, NULL, &r);
	assert_int_equal(r.lines, 22);
	assert_string_equal(text_at(p, "long.c", 95), "line 95");
	assert_string_equal(text_at(p, "long.c", 2995), "line 2995");
	assert_null(text_at(p, "long.c", 94));
	profile_free(p);
}

static void long_lines_are_cut(void **state)
{
	_free_ char *text = mem_zalloc(1 << 20, 1);
	struct sourcetext_report r;
	struct profile *p = empty();

	(void)state;
	memset(text, 'x', (1 << 20) - 1);
	write_file("wide.c", text, (1 << 20) - 1);
	sample_at(p, "wide.c", 1);
	sourcetext_add(p, open_all, NULL, &r);
	assert_int_equal(r.lines, 1);
	assert_int_equal(strlen(text_at(p, "wide.c", 1)), SOURCETEXT_LINE_BYTES);
	profile_free(p);
}

/* None of these is waited for, read or kept; what is sound beside them is. */
static void hostile_files_are_left_out(void **state)
{
	static const char binary[] = "text\n\0\1\2 more\n";
	static const char *const names[] = {"binary",  "sparse", "fifo",
					    "missing", "folder", "/dev/zero"};
	struct sourcetext_report r;
	struct profile *p = empty();

	(void)state;
	write_file("binary", binary, sizeof(binary));
	write_file("good.c", "good\n", 5);
	write_file("sparse", "x\n", 2);
	assert_int_equal(truncate("sparse", 1 << 30), 0);
	assert_int_equal(mkfifo("fifo", 0666), 0);
	assert_int_equal(mkdir("folder", 0755), 0);
	sample_at(p, "good.c", 1);
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		sample_at(p, names[i], 1);
	sourcetext_add(p, open_all, NULL, &r);
	assert_int_equal(r.files, 7);
	assert_int_equal(r.read, 1);
	assert_int_equal(r.lines, 1);
	assert_string_equal(text_at(p, "good.c", 1), "good");
	profile_free(p);
}

/* What may not be read is not there. */
static void what_is_not_opened_is_left_out(void **state)
{
	struct sourcetext_report r;
	struct profile *p = empty();

	(void)state;
	write_file("good.c", "good\n", 5);
	sample_at(p, "good.c", 1);
	sourcetext_add(p, open_none, NULL, &r);
	assert_int_equal(r.files, 1);
	assert_int_equal(r.lines, 0);
	assert_false(profile_has(p, PART_SOURCE));
	profile_free(p);
}

static void nothing_is_wanted(void **state)
{
	struct sourcetext_report r;
	struct profile *p = empty();

	(void)state;
	sourcetext_add(p, open_all, NULL, &r);
	assert_int_equal(r.files, 0);
	profile_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_FOLDER(lines_are_read),
		IN_FOLDER(only_what_is_near_is_read),
		IN_FOLDER(long_lines_are_cut),
		IN_FOLDER(hostile_files_are_left_out),
		IN_FOLDER(what_is_not_opened_is_left_out),
		IN_FOLDER(nothing_is_wanted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
