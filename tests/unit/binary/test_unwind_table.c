/* Unwind tables of small files, of damaged ones, and damaged tables. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <fcntl.h>
#include <unistd.h>

#include "cfi_sample.h"
#include "table_sample.h"

static void build_sample(struct sample *s, struct table_blob *out)
{
	int fd = sample_file(s);

	assert_int_equal(build(fd, out), 0);
	assert_true(is_sound(out));
	close(fd);
}

/* The CFA's offset at @at from the start of the code, or -1 where there is no rule; -2 where the
 * stack ends. */
static int offset_at(const struct table_blob *t, uint64_t at)
{
	struct table_rule r;

	if (!native_find(t, CODE + at, &r))
		return -1;
	return r.ra == TABLE_UNDEFINED ? -2 : r.cfa_offset;
}

static void fills_padding_only(void **state)
{
	struct sample s = {.section = ".eh_frame"};
	size_t cie = sample_cie(&s);
	struct table_blob t;

	(void)state;
	sample_fde(&s, cie, 0x00, 0x11, BYTES("\x0e\x10"));
	sample_fde(&s, cie, 0x20, 0x10, BYTES("\x0e\x18"));
	sample_fde(&s, cie, 0x40, 0x10, BYTES("\x0e\x20"));
	build_sample(&s, &t);
	assert_int_equal(offset_at(&t, 0), 16);
	assert_int_equal(offset_at(&t, 0x1f), 16);
	assert_int_equal(offset_at(&t, 0x20), 24);
	assert_int_equal(offset_at(&t, 0x2f), 24);
	assert_int_equal(offset_at(&t, 0x30), -1);
	assert_int_equal(offset_at(&t, 0x3f), -1);
	assert_int_equal(offset_at(&t, 0x40), 32);
	assert_int_equal(offset_at(&t, 0x50), -1);
	assert_int_equal(offset_at(&t, CODE_BYTES), -1);
	assert_int_equal(offset_at(&t, (uint64_t)-CODE), -1);
	assert_int_equal(offset_at(&t, UINT64_MAX - CODE), -1);
	table_blob_release(&t);
}

static void crosses_pages(void **state)
{
	struct sample s = {.section = ".eh_frame"};
	size_t cie = sample_cie(&s);
	struct table_blob t;
	struct parts p;

	(void)state;
	_Static_assert(CODE % PAGE == 0, "the code starts with a page");
	/* From the first page into the third; the next one starts with the fourth. */
	sample_fde(&s, cie, 0, 2 * PAGE + 16, BYTES("\x0e\x10"));
	sample_fde(&s, cie, 3 * PAGE, 16, BYTES("\x0e\x18"));
	build_sample(&s, &t);
	p = parts_of(&t);
	assert_int_equal(p.header->first_page, CODE / PAGE);
	assert_int_equal(p.header->n_pages, 4);
	assert_int_equal(p.header->n_rows, 1 + 1 + 2 + 2);
	assert_int_equal(offset_at(&t, PAGE), 16);
	assert_int_equal(offset_at(&t, 2 * PAGE + 15), 16);
	assert_int_equal(offset_at(&t, 2 * PAGE + 16), -1);
	assert_int_equal(offset_at(&t, 3 * PAGE - 1), -1);
	assert_int_equal(offset_at(&t, 3 * PAGE), 24);
	assert_int_equal(offset_at(&t, 3 * PAGE + 16), -1);
	table_blob_release(&t);
}

static void shares_rules(void **state)
{
	struct sample s = {.section = ".eh_frame"};
	size_t cie = sample_cie(&s);
	struct table_blob t;

	(void)state;
	for (uint64_t i = 0; i < 1000; i++)
		sample_fde(&s, cie, 0x20 * i, 0x20, BYTES("\x41\x0e\x10\x42\x0e\x18"));
	build_sample(&s, &t);
	/* None, other, and the three, of which one says what the next one is. */
	assert_int_equal(parts_of(&t).header->n_rules, 4);
	/* An entry starts on each page, so that none has a row more. */
	assert_int_equal(parts_of(&t).header->n_rows, 2001);
	table_blob_release(&t);
}

struct fold {
	const char *program;
	size_t n;
	uint32_t n_rows; /* with that of the end */
	uint64_t at[4];	 /* places … */
	int offset[4];	 /* … and their CFA's offset */
};

/* The row of a push or a pop goes into the one before, where that says all. */
static const struct fold folds[] = {
	{BYTES("\x41\x0e\x10"), 2, {0, 1, 15}, {8, 16, 16}},
	{BYTES("\x0e\x18\x47\x0e\x10"), 2, {0, 6, 7, 15}, {24, 24, 16, 16}},
	{BYTES("\x48\x0e\x10"), 3, {0, 7, 8}, {8, 8, 16}},		/* too far */
	{BYTES("\x41\x0e\x20"), 3, {0, 1}, {8, 32}},			/* more words */
	{BYTES("\x41\x0e\x10\x41\x0e\x18"), 3, {0, 1, 2}, {8, 16, 24}}, /* two: in pairs */
	{BYTES("\x41\x0e\x10\x41\x0e\x18\x41\x0e\x20"), 3, {0, 1, 2, 3}, {8, 16, 24, 32}},
	{BYTES("\x41\x0e\x10\x86\x02"), 3, {0, 1}, {8, 16}}, /* rbp too */
	{BYTES("\x41\x0d\x06\x0e\x10"), 3, {0}, {8}},	     /* by rbp */
};

static void folds_rows(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(folds) / sizeof(*folds); i++) {
		const struct fold *f = &folds[i];
		struct sample s = {.section = ".eh_frame"};
		struct table_blob t;

		sample_fde(&s, sample_cie(&s), 0, 16, f->program, f->n);
		build_sample(&s, &t);
		assert_int_equal(parts_of(&t).header->n_rows, f->n_rows);
		for (size_t k = 0; k < 4 && f->offset[k]; k++)
			assert_int_equal(offset_at(&t, f->at[k]), f->offset[k]);
		assert_int_equal(offset_at(&t, 16), -1);
		table_blob_release(&t);
	}
}

/* Not over the border of a page; and of entries for one place the later one counts. */
static void folds_within_limits(void **state)
{
	struct sample s = {.section = ".eh_frame"};
	size_t cie = sample_cie(&s);
	struct table_blob t;

	(void)state;
	sample_fde(&s, cie, PAGE - 2, 16, BYTES("\x42\x0e\x10\x42\x0e\x18"));
	sample_fde(&s, cie, PAGE + 64, 16, BYTES("\x42\x0e\x10"));
	sample_fde(&s, cie, PAGE + 66, 16, BYTES("\x42\x0e\x10"));
	sample_fde(&s, cie, PAGE + 128, 16, BYTES("\x42\x0e\x10"));
	sample_fde(&s, cie, PAGE + 130, 16, BYTES("\x0e\x20"));
	build_sample(&s, &t);
	assert_int_equal(offset_at(&t, PAGE - 1), 8);
	assert_int_equal(offset_at(&t, PAGE), 16);
	assert_int_equal(offset_at(&t, PAGE + 1), 16);
	assert_int_equal(offset_at(&t, PAGE + 2), 24);
	assert_int_equal(offset_at(&t, PAGE + 65), 8);
	assert_int_equal(offset_at(&t, PAGE + 66), 8);
	assert_int_equal(offset_at(&t, PAGE + 68), 16);
	assert_int_equal(offset_at(&t, PAGE + 129), 8);
	assert_int_equal(offset_at(&t, PAGE + 130), 32);
	table_blob_release(&t);
}

/* More rules than a row can name: what is too much is left to user space. */
static void overflows_to_user_space(void **state)
{
	struct sample s = {.section = ".eh_frame"};
	size_t cie = sample_cie(&s);
	struct table_blob t;
	struct table_rule r;

	(void)state;
	for (uint64_t i = 0; i < 70000; i++) {
		char program[] = {0x0e, (char)(i | 0x80), (char)(i >> 7 | 0x80), (char)(i >> 14)};

		program[3] &= 0x7f;
		sample_fde(&s, cie, 2 * i, 2, program, sizeof(program));
	}
	build_sample(&s, &t);
	assert_int_equal(parts_of(&t).header->n_rules, 65535);
	assert_int_equal(offset_at(&t, 2 * 1000), 1000);
	assert_int_equal(offset_at(&t, 2 * 65532), 65532);
	assert_true(native_find(&t, CODE + 2 * 69999, &r));
	assert_int_equal(r.cfa, TABLE_CFA_OTHER);
	table_blob_release(&t);
}

static void ends_at_entry_and_sigreturn(void **state)
{
	struct sample s = {.section = ".eh_frame", .entry = CODE + BIAS + 0x100};
	uint64_t stub = CODE_BYTES - sizeof(s.code) + 16;
	struct table_rule r;
	struct table_blob t;

	(void)state;
	memcpy(s.code + 16, "\x48\xc7\xc0\x0f\0\0\0\x0f\x05", 9);
	memcpy(s.code + 40, "\x48\xc7\xc1\x0f\0\0\0\x0f\x05", 9);
	sample_fde(&s, sample_cie(&s), 0x120, 0x10, BYTES(""));
	build_sample(&s, &t);
	assert_int_equal(offset_at(&t, 0xff), -1);
	assert_int_equal(offset_at(&t, 0x100), -2);
	assert_int_equal(offset_at(&t, 0x11f), -2);
	assert_int_equal(offset_at(&t, 0x120), 8);
	assert_int_equal(offset_at(&t, 0x130), -1);
	assert_int_equal(offset_at(&t, stub - 2), -1);
	assert_int_equal(offset_at(&t, stub - 1), 160);
	assert_int_equal(offset_at(&t, stub + 8), 160);
	assert_int_equal(offset_at(&t, stub + 9), -1);
	assert_int_equal(offset_at(&t, stub + 24), -1);
	assert_true(native_find(&t, CODE + stub, &r));
	assert_int_equal(r.flags, TABLE_SIGNAL);
	assert_int_equal(r.ra_offset, 168);
	assert_int_equal(r.bp_offset, 120);
	table_blob_release(&t);

	/* An entry point that is described keeps its description. */
	s = (struct sample){.section = ".eh_frame", .entry = CODE + BIAS + 0x100};
	sample_fde(&s, sample_cie(&s), 0x100, 0x10, BYTES(""));
	build_sample(&s, &t);
	assert_int_equal(offset_at(&t, 0x100), 8);
	table_blob_release(&t);
}

/* As main() of a Rust program that aborts on panic, between functions of its library. */
static void reads_small_functions_between_others(void **state)
{
	struct sample s = {.section = ".eh_frame"};
	const uint64_t at = CODE_BYTES - sizeof(s.code);
	size_t cie = sample_cie(&s);
	struct table_blob t;
	struct table_rule r;

	(void)state;
	/* sub $24, %rsp; nop; add $24, %rsp; ret; padding */
	memset(s.code, 0xcc, sizeof(s.code));
	memcpy(s.code + 0x10, "\x48\x83\xec\x18\x90\x48\x83\xc4\x18\xc3", 10);
	sample_fde(&s, cie, at, 0x10, BYTES("\x0e\x10"));
	sample_fde(&s, cie, at + 0x30, 0x10, BYTES("\x0e\x20"));
	build_sample(&s, &t);
	assert_int_equal(offset_at(&t, at + 0xf), 16);
	assert_int_equal(offset_at(&t, at + 0x10), 8);
	assert_int_equal(offset_at(&t, at + 0x14), 32);
	assert_int_equal(offset_at(&t, at + 0x19), 8);
	assert_int_equal(offset_at(&t, at + 0x1a), -1);
	assert_int_equal(offset_at(&t, at + 0x30), 32);
	assert_true(native_find(&t, CODE + at + 0x14, &r));
	assert_true(r.flags & TABLE_GUESS);
	table_blob_release(&t);
}

static void builds_without_frames(void **state)
{
	struct sample s = {.entry = CODE + BIAS + 0x100};
	struct table_blob t;

	(void)state;
	sample_put32(&s, 0);
	build_sample(&s, &t);
	assert_int_equal(offset_at(&t, 0xff), -1);
	assert_int_equal(offset_at(&t, 0x13f), -2);
	assert_int_equal(offset_at(&t, 0x140), -1);
	table_blob_release(&t);
	s = (struct sample){.section = ".eh_frame"};
	sample_put32(&s, 0);
	build_sample(&s, &t);
	assert_int_equal(parts_of(&t).header->n_rows, 0);
	assert_int_equal(offset_at(&t, 0), -1);
	table_blob_release(&t);
}

static uint64_t next_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

/* Where a file has been damaged: its frames as a rule, sometimes its headers. */
static void damage(uint8_t *bytes, size_t n, const Elf64_Shdr *frames, uint64_t *random)
{
	size_t n_hits = 1 + next_random(random) % 8;
	bool headers = next_random(random) % 4 == 0;
	uint64_t start = headers ? 0 : frames->sh_offset, size = headers ? 1024 : frames->sh_size;

	for (size_t i = 0; i < n_hits; i++) {
		uint64_t value = next_random(random), at = start + next_random(random) % size;

		/* Also whole numbers, and the extreme ones among them. */
		if (value % 3 && at + 8 <= n)
			memset(bytes + at, value % 3 == 1 ? 0xff : 0x00, 1 + value / 8 % 8);
		else
			bytes[at] = (uint8_t)(value >> 8);
	}
}

static void survives_damage(void **state)
{
	uint64_t random = 0x9e3779b97f4a7c15;
	size_t n_built = 0;
	struct elffile f;
	Elf64_Shdr frames;
	uint8_t *good, *bad;
	int fd = open("/bin/true", O_RDONLY | O_CLOEXEC);

	(void)state;
	assert_int_equal(elffile_open(fd, &f), 0);
	assert_int_equal(elffile_section(&f, ".eh_frame", &frames), 0);
	good = mem_zalloc(f.bytes, 1);
	bad = mem_zalloc(f.bytes, 1);
	assert_int_equal(elffile_read(&f, 0, good, f.bytes), 0);
	for (int i = 0; i < 1000; i++) {
		int copy = memfd_create("damaged", MFD_CLOEXEC);
		size_t n = f.bytes;
		struct table_blob t;

		memcpy(bad, good, n);
		damage(bad, n, &frames, &random);
		if (i % 10 == 0)
			n = next_random(&random) % n;
		sample_write(copy, 0, bad, n);
		if (!build(copy, &t)) {
			n_built++;
			assert_true(is_sound(&t));
		}
		table_blob_release(&t);
		close(copy);
	}
	assert_in_range(n_built, 500, 999);
	free(good);
	free(bad);
	elffile_release(&f);
	close(fd);
}

/* A table whose words were changed leads to some rule or to none, never out of it. */
static void survives_a_damaged_table(void **state)
{
	struct sample s = {.section = ".eh_frame"};
	size_t cie = sample_cie(&s);
	uint64_t random = 1;
	struct table_rule r;
	struct table_blob t;

	(void)state;
	for (uint64_t i = 0; i < 100; i++)
		sample_fde(&s, cie, 0x20 * i, 0x20, BYTES("\x41\x0e\x10\x42\x0e\x18"));
	build_sample(&s, &t);
	for (int i = 0; i < 20000; i++) {
		size_t at = next_random(&random) % t.n_words;
		uint64_t kept = t.words[at];

		t.words[at] = i % 2 ? next_random(&random) : UINT64_MAX;
		native_find(&t, next_random(&random) % (2 * PAGE), &r);
		if (i % 4)
			t.words[at] = kept;
		if (i % 1000 == 999)
			((struct table_header *)t.words)->magic = TABLE_MAGIC;
	}
	table_blob_release(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fills_padding_only),
		cmocka_unit_test(crosses_pages),
		cmocka_unit_test(shares_rules),
		cmocka_unit_test(folds_rows),
		cmocka_unit_test(folds_within_limits),
		cmocka_unit_test(overflows_to_user_space),
		cmocka_unit_test(ends_at_entry_and_sigreturn),
		cmocka_unit_test(reads_small_functions_between_others),
		cmocka_unit_test(builds_without_frames),
		cmocka_unit_test(survives_damage),
		cmocka_unit_test(survives_a_damaged_table),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
