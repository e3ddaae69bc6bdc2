/* What is told of a small program with a Go table, and of damaged ones. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "cfi/gotab.h"
#include "effort.h"
#include "go_sample.h"
#include "unwind/native_walk.h"

static int build(const uint8_t *table, struct table_blob *out)
{
	int fd = write_file(table), rc;
	struct elffile f;

	assert_int_equal(elffile_open(fd, &f), 0);
	rc = table_build(&f, out);
	elffile_release(&f);
	close(fd);
	return rc;
}

/* The rule at a place counted from the start of the text, as text. */
static const char *rule_at(const struct table_blob *t, uint64_t place)
{
	static char text[64];
	struct table_rule r;

	if (!native_find(t, TEXT + place, &r))
		return "none";
	if (r.ra == TABLE_UNDEFINED)
		return "top";
	if (r.flags & TABLE_SIGNAL)
		return "signal";
	snprintf(text, sizeof(text), "r%d+%d%s", r.reg, r.cfa_offset,
		 r.bp == TABLE_SAME ? "" : " bp");
	return text;
}

static void tells_frames(void **state)
{
	(void)state;
	for (int new_magic = 0; new_magic < 2; new_magic++) {
		uint8_t table[TABLE_BYTES] = {0};
		struct table_blob t;

		write_table(table, new_magic);
		assert_int_equal(build(table, &t), 0);
		assert_string_equal(rule_at(&t, 0), "r7+8");
		assert_string_equal(rule_at(&t, 3), "r7+8");
		assert_string_equal(rule_at(&t, 4), "r7+24 bp");
		assert_string_equal(rule_at(&t, 0x13), "r7+24 bp");
		assert_string_equal(rule_at(&t, 0x14), "r7+8");
		assert_string_equal(rule_at(&t, 0x3f), "r7+8");
		assert_string_equal(rule_at(&t, 0x40), "r6+16 bp");
		assert_string_equal(rule_at(&t, 0x5f), "r6+16 bp");
		assert_string_equal(rule_at(&t, 0x60), "top");
		assert_string_equal(rule_at(&t, 0x9f), "top");
		assert_string_equal(rule_at(&t, 0xa0), "r7+8");
		assert_string_equal(rule_at(&t, 0xb0), "r7+32 bp");
		assert_string_equal(rule_at(&t, 0xbe), "r7+32 bp");
		assert_string_equal(rule_at(&t, 0xbf), "signal");
		assert_string_equal(rule_at(&t, 0xdf), "signal");
		assert_string_equal(rule_at(&t, 0xe0), "r7+8");
		assert_string_equal(rule_at(&t, 0xe8), "r6+16 bp");
		assert_string_equal(rule_at(&t, 0xff), "r6+16 bp");
		assert_string_equal(rule_at(&t, TEXT_BYTES), "none");
		table_blob_release(&t);
	}
}

struct told {
	const struct gotab *go;
	size_t n, bytes; /* of names */
	bool whole;	 /* the table is as it was written */
};

static void take_function(void *context, const char *name, uint64_t start, uint64_t end)
{
	struct told *told = context;

	if (told->whole && told->n < N && !strcmp(name, functions[told->n].name)) {
		assert_int_equal(start, TEXT + BIAS + functions[told->n].start);
		assert_int_equal(end, told->n + 1 < N ? TEXT + BIAS + functions[told->n + 1].start
						      : TEXT + BIAS + END);
	}
	told->n++;
	told->bytes += strlen(name);
	/* The same by address; a damaged table may name one twice. */
	if (told->whole) {
		assert_string_equal(gotab_name(told->go, start), name);
		assert_string_equal(gotab_name(told->go, end - 1), name);
	} else if (gotab_name(told->go, start)) {
		told->bytes += strlen(gotab_name(told->go, start));
	}
}

static struct told tell_functions(const uint8_t *table, bool whole)
{
	int fd = write_file(table);
	struct told told = {.whole = whole};
	struct gotab *t;
	struct elffile f;

	assert_int_equal(elffile_open(fd, &f), 0);
	t = gotab_open(&f);
	told.go = t;
	if (t)
		gotab_functions(t, take_function, &told);
	if (t && whole) {
		assert_null(gotab_name(t, TEXT + BIAS - 1));
		assert_null(gotab_name(t, TEXT + BIAS + END));
		assert_null(gotab_name(t, UINT64_MAX));
	}
	gotab_close(t);
	elffile_release(&f);
	close(fd);
	return told;
}

static void tells_functions(void **state)
{
	size_t bytes = 0;

	(void)state;
	for (size_t i = 0; i < N; i++)
		bytes += strlen(functions[i].name);
	for (int new_magic = 0; new_magic < 2; new_magic++) {
		uint8_t table[TABLE_BYTES] = {0};
		struct told told;

		write_table(table, new_magic);
		told = tell_functions(table, true);
		assert_int_equal(told.n, N);
		assert_int_equal(told.bytes, bytes);
	}
}

static void knows_its_versions(void **state)
{
	uint8_t table[TABLE_BYTES] = {0};
	struct table_blob t;

	(void)state;
	write_table(table, true);
	put(table, 0, 0xfffffffa, 4);
	assert_int_equal(build(table, &t), 0);
	assert_string_equal(rule_at(&t, 4), "none");
	table_blob_release(&t);
}

static uint64_t next_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

static void survives_damage(void **state)
{
	uint64_t random = 0x9e3779b97f4a7c15;
	size_t n_built = 0;

	(void)state;
	for (int i = 0; i < 5000; i++) {
		uint8_t table[TABLE_BYTES] = {0};
		struct table_blob t = {0};

		write_table(table, i % 2);
		for (uint64_t hits = 1 + next_random(&random) % 8; hits; hits--) {
			uint64_t value = next_random(&random);

			memset(table + value % (TABLE_BYTES - 8), (int)(value >> 32),
			       1 + (value >> 16) % (value & 1 ? 1 : 8));
		}
		n_built += !build(table, &t);
		tell_functions(table, false);
		for (uint64_t at = 0; t.words && at < 0x110; at += 7)
			rule_at(&t, at);
		table_blob_release(&t);
	}
	assert_true(n_built > 4000);
}

/* A table of @n functions of a byte each or, if @over, in turns of all the code and of its last
 * byte. All have the same steps, which are the rest of the table. */
static int write_large(uint32_t n, bool over, const char steps[2], size_t step_bytes)
{
	const size_t record = FUNCTIONS + 8 * (size_t)(n + 1), at = record + RECORD_BYTES;
	const size_t bytes = at + step_bytes;
	_free_ uint8_t *table = mem_zalloc(bytes, 1);

	write_table(table, true);
	put(table, 8, n, 8);
	put(table, 56, at - 1, 8);
	memset(table + FUNCTIONS, 0, bytes - FUNCTIONS);
	for (uint32_t i = 0; i <= n; i++) {
		put(table, FUNCTIONS + 8 * (size_t)i, !over ? i : i % 2 ? TEXT_BYTES - 1 : 0, 4);
		put(table, FUNCTIONS + 8 * (size_t)i + 4, record - FUNCTIONS, 4);
	}
	put(table, FUNCTIONS + 8 * (size_t)n, TEXT_BYTES, 4);
	put(table, record + 16, 1, 4);
	for (size_t i = 0; i < step_bytes; i++)
		table[at + i] = (uint8_t)steps[i % 2];
	return write_file_of(table, bytes);
}

static struct effort make_table(int fd)
{
	struct table_blob t;
	struct elffile f;

	effort_start();
	assert_int_equal(elffile_open(fd, &f), 0);
	assert_int_equal(table_build(&f, &t), 0);
	table_blob_release(&t);
	elffile_release(&f);
	close(fd);
	return effort_spent();
}

/* Steps that lead no further, which all functions share: each had them all read. */
static void steps_that_stand_still(void **state)
{
	(void)state;
	assert_in_range(make_table(write_large(TEXT_BYTES, false, "\x02\x00", 500000)).steps, 0,
			5000000);
}

/* Functions that begin at the start again and again: all of the code was told for each. */
static void functions_that_overlap(void **state)
{
	(void)state;
	assert_in_range(make_table(write_large(4001, true, "\x02\x01", 10000)).steps, 0, 5000000);
}

/* A table of code in a segment that cannot be executed: its last row was taken to hold up to the
 * end of the address space, which no memory has room for. */
static void code_of_no_segment(void **state)
{
	static const uint32_t flags = PF_R;
	uint8_t table[TABLE_BYTES] = {0};
	struct effort e;
	int fd;

	(void)state;
	write_table(table, true);
	fd = write_file(table);
	assert_int_equal(pwrite(fd, &flags, sizeof(flags),
				sizeof(Elf64_Ehdr) + offsetof(Elf64_Phdr, p_flags)),
			 sizeof(flags));
	e = make_table(fd);
	assert_in_range(e.allocated_bytes, 0, 1000000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tells_frames),		  cmocka_unit_test(tells_functions),
		cmocka_unit_test(knows_its_versions),	  cmocka_unit_test(survives_damage),
		cmocka_unit_test(steps_that_stand_still), cmocka_unit_test(functions_that_overlap),
		cmocka_unit_test(code_of_no_segment),
	};

	effort_count();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
