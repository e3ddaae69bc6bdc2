/* What is told of a small program with a Go table, and of damaged ones. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/mem.h"
#include "cfi/gotab.h"
#include "unwind/native_walk.h"

enum { TEXT = 0x1000, TEXT_BYTES = 0x1000, TABLE = 0x2000, TABLE_BYTES = 0x400, BIAS = 0x400000 };
/* In the table. */
enum { NAMES = 72, STEPS = 200, FUNCTIONS = 300, RECORDS = 400, RECORD_BYTES = 44 };
enum { TOP = 1, SP_WRITE = 2 };

static const struct {
	uint32_t start;
	const char *name;
	uint8_t flags;
	const char *steps; /* pairs: change by zigzag, bytes of code; from -1 on */
} functions[] = {
	{0x00, "main.framed", 0, "\x02\x04\x20\x10\x1f\x0c"}, /* 0 for 4, 16 for 16, 0 for 12 */
	{0x20, "main.leaf", 0, "\x02\x20"},
	{0x40, "runtime.systemstack", SP_WRITE, "\x02\x20"},
	{0x60, "runtime.goexit", TOP, "\x02\x20"},
	{0x80, "runtime.mcall", SP_WRITE, "\x02\x20"},
	{0xa0, "runtime.sigtramp", TOP, "\x02\x10\x30\x10"}, /* 0, then 24 */
	{0xc0, "runtime.sigreturn", 0, "\x02\x20"},
	{0xe0, "time.now", SP_WRITE, "\x02\x08\x20\x18"}, /* 0, then 16 */
};
#define N   (sizeof(functions) / sizeof(*functions))
#define END 0x100

static void put(uint8_t *table, size_t at, uint64_t value, size_t bytes)
{
	memcpy(table + at, &value, bytes);
}

static void write_table(uint8_t *table, bool new_magic)
{
	size_t names = NAMES, steps = STEPS + 1;

	put(table, 0, new_magic ? 0xfffffff1 : 0xfffffff0, 4);
	put(table, 6, 0x0801, 2);
	put(table, 8, N, 8);
	put(table, 24, TEXT + BIAS, 8);
	put(table, 32, NAMES, 8);
	put(table, 56, STEPS, 8);
	put(table, 64, FUNCTIONS, 8);
	for (size_t i = 0; i < N; i++) {
		size_t record = RECORDS + i * RECORD_BYTES, n = strlen(functions[i].steps);

		put(table, FUNCTIONS + 8 * i, functions[i].start, 4);
		put(table, FUNCTIONS + 8 * i + 4, record - FUNCTIONS, 4);
		put(table, record + 4, names - NAMES, 4);
		put(table, record + 16, steps - STEPS, 4);
		put(table, record + (new_magic ? 41 : 37), functions[i].flags, 1);
		memcpy(table + names, functions[i].name, strlen(functions[i].name) + 1);
		names += strlen(functions[i].name) + 1;
		memcpy(table + steps, functions[i].steps, n + 1);
		steps += n + 1;
	}
	put(table, FUNCTIONS + 8 * N, END, 4);
	assert_true(names <= STEPS && steps <= FUNCTIONS);
}

static int write_file(const uint8_t *table)
{
	static const char names[] = "\0.gopclntab";
	Elf64_Phdr text = {.p_type = PT_LOAD,
			   .p_flags = PF_R | PF_X,
			   .p_offset = TEXT,
			   .p_vaddr = TEXT + BIAS,
			   .p_filesz = TEXT_BYTES};
	Elf64_Shdr sections[3] = {
		{0},
		{.sh_name = 1, .sh_type = SHT_PROGBITS, .sh_offset = TABLE, .sh_size = TABLE_BYTES},
		{.sh_offset = TABLE + TABLE_BYTES, .sh_size = sizeof(names)},
	};
	Elf64_Ehdr h = {
		.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
		.e_type = ET_EXEC,
		.e_machine = EM_X86_64,
		.e_phoff = sizeof(h),
		.e_phentsize = sizeof(text),
		.e_phnum = 1,
		.e_shoff = TABLE + TABLE_BYTES + sizeof(names),
		.e_shentsize = sizeof(*sections),
		.e_shnum = 3,
		.e_shstrndx = 2,
	};
	int fd = memfd_create("go", MFD_CLOEXEC);

	assert_int_equal(pwrite(fd, &h, sizeof(h), 0), sizeof(h));
	assert_int_equal(pwrite(fd, &text, sizeof(text), sizeof(h)), sizeof(text));
	assert_int_equal(pwrite(fd, table, TABLE_BYTES, TABLE), TABLE_BYTES);
	assert_int_equal(pwrite(fd, names, sizeof(names), TABLE + TABLE_BYTES), sizeof(names));
	assert_int_equal(pwrite(fd, sections, sizeof(sections), (off_t)h.e_shoff),
			 sizeof(sections));
	return fd;
}

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tells_frames),
		cmocka_unit_test(tells_functions),
		cmocka_unit_test(knows_its_versions),
		cmocka_unit_test(survives_damage),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
