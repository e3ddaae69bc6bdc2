/* Frames of code without call frame information, by the code itself. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/str.h"
#include "cfi_sample.h"
#include "code/returns.h"
#include "library.h"

/* "5: r7+32 c-16; ", by the offset from the start of the code: the CFA, then rbp. */
static int add_row(void *context, const struct cfi_row *row)
{
	struct str *out = context;

	str_addf(out, "%lx: ", row->offset - CODE);
	if (row->cfa.how == CFI_NONE) {
		str_add(out, "none; ");
		return 0;
	}
	assert_int_equal(row->cfa.how, CFI_REG);
	assert_int_equal(row->ra.how, CFI_AT_CFA);
	assert_int_equal(row->ra.offset, -8);
	str_addf(out, "r%d%+d", row->cfa.reg, row->cfa.offset);
	if (row->bp.how == CFI_AT_CFA)
		str_addf(out, " c%+d", row->bp.offset);
	else
		str_add(out, row->bp.how == CFI_SAME ? "" : " lost");
	str_add(out, "; ");
	return 0;
}

/* A file whose code starts with these bytes, and is zeros then. */
static void open_code_entered(uint64_t entry, const void *bytes, size_t n, struct elffile *f)
{
	struct sample s = {.section = ".eh_frame", .entry = entry};
	int fd;

	sample_put32(&s, 0);
	fd = sample_file(&s);
	sample_write(fd, CODE, bytes, n);
	assert_int_equal(elffile_open(fd, f), 0);
}

static void open_code(const void *bytes, size_t n, struct elffile *f)
{
	open_code_entered(0, bytes, n, f);
}

static void close_code(struct elffile *f)
{
	close(f->fd);
	elffile_release(f);
}

static int read_rows(const struct elffile *f, uint64_t from, uint64_t to, cfi_row_fn *row,
		     void *context)
{
	const struct returns_part part = {from, to, true, true};
	struct returns *x = returns_new(f);
	int rc = returns_rows(x, &part, row, context);

	returns_free(x);
	return rc;
}

struct function {
	const char *bytes;
	size_t n;
	const char *expected; /* up to the end of bytes, if that is none */
};

static const struct function functions[] = {
	/* push rbx; sub $16, rsp; call …; add $16, rsp; pop rbx; ret */
	{BYTES("\x53\x48\x83\xec\x10\xe8\x10\x00\x00\x00\x48\x83\xc4\x10\x5b\xc3"),
	 "0: r7+8; 1: r7+16; 5: r7+32; e: r7+16; f: r7+8; "},
	/* push rbp; mov rsp, rbp; and $-32, rsp; call *rax; leave; ret */
	{BYTES("\x55\x48\x89\xe5\x48\x83\xe4\xe0\xff\xd0\xc9\xc3"),
	 "0: r7+8; 1: r7+16 c-16; 4: r6+16 c-16; b: r7+8; "},
	/* The same, with lea -8(rbp), rsp; pop rbx; pop rbp; ret */
	{BYTES("\x55\x48\x89\xe5\x53\x29\xc4\xff\xd0\x48\x8d\x65\xf8\x5b\x5d\xc3"),
	 "0: r7+8; 1: r7+16 c-16; 4: r6+16 c-16; d: r7+24 c-16; e: r7+16 c-16; f: r7+8; "},
	/* rbp as any other register: push rbp; mov edi, ebp; call; pop rbp; ret */
	{BYTES("\x55\x89\xfd\xe8\x10\x00\x00\x00\x5d\xc3"), "0: r7+8; 1: r7+16 c-16; 9: r7+8; "},
	/* … kept by mov: sub $24, rsp; mov rbp, 8(rsp); xor ebp, ebp; mov 8(rsp), rbp; add; ret */
	{BYTES("\x48\x83\xec\x18\x48\x89\x6c\x24\x08\x31\xed\x48\x8b\x6c\x24\x08\x48\x83\xc4\x18"
	       "\xc3"),
	 "0: r7+8; 4: r7+32; 9: r7+32 c-24; 10: r7+32; 14: r7+8; "},
	/* … and lost: xor ebp, ebp; ret */
	{BYTES("\x31\xed\xc3"), "0: r7+8 lost; 2: r7+8; "},
	/* A loop: push rbx; dec edi; jnz back; pop rbx; ret */
	{BYTES("\x53\xff\xcf\x75\xfc\x5b\xc3"), "0: r7+8; 1: r7+16; 6: r7+8; "},
	/* Two ways that agree: test; je over; push; call; pop; ret */
	{BYTES("\x85\xff\x74\x04\x53\xff\xd0\x5b\xc3"), "0: r7+8; 5: r7+16; 8: r7+8; "},
	/* … and that do not: je over; push rbx; ret */
	{BYTES("\x74\x01\x53\xc3"), "0: none; 3: r7+8; "},
	/* Stack of a size that is not known, without rbp: push rbx; sub rax, rsp; pop rbx; ret */
	{BYTES("\x53\x48\x29\xc4\x5b\xc3"), "0: none; 4: r7+16; 5: r7+8; "},
	/* A jump by a table: push rbx; jmp *rax; pop rbx; ret */
	{BYTES("\x53\xff\xe0\x5b\xc3"), "0: none; 3: r7+16; 4: r7+8; "},
	/* A stub of the PLT: endbr64; jmp *…(rip) */
	{BYTES("\xf3\x0f\x1e\xfa\xff\x25\x10\x00\x00\x00"), "0: r7+8; "},
	/* crti's _init: endbr64; sub $8, rsp; mov …(rip), rax; test; je; call *rax; add; ret */
	{BYTES("\xf3\x0f\x1e\xfa\x48\x83\xec\x08\x48\x8b\x05\x10\x00\x00\x00\x48\x85\xc0\x74\x02"
	       "\xff"
	       "\xd0\x48\x83\xc4\x08\xc3"),
	 "0: r7+8; 8: r7+16; 1a: r7+8; "},
	/* What never returns: its start is known by the call of it, nothing else. (That a call
	 * leaves no more on the stack than the return address is taken for the end of a function.)
	 * call 7; ret; nop; push rbx; sub $8, rsp; call *rax; ud2 */
	{BYTES("\xe8\x02\x00\x00\x00\xc3\x90\x53\x48\x83\xec\x08\xff\xd0\x0f\x0b"),
	 "0: none; 5: r7+8; 6: none; 7: r7+8; 8: r7+16; c: r7+24; e: none; "},
	/* … and its caller: push rbx; call …; then another function, push rbp; pop rbp; ret */
	{BYTES("\x53\xe8\x10\x00\x00\x00\x55\x5d\xc3"),
	 "0: none; 6: r7+8; 7: r7+16 c-16; 8: r7+8; "},
	/* A jump to a function: call 8; ret; nop; nop; ret … push; pop; jmp 8 */
	{BYTES("\xe8\x03\x00\x00\x00\xc3\x90\x90\xc3\x53\x5b\xeb\xfb"),
	 "0: none; 5: r7+8; a: r7+16; b: r7+8; "},
	/* Nonsense: enter, pop rsp, an instruction that is cut off by the end of the code. */
	{BYTES("\xc8\x00\x00\x00\xc3"), "0: none; 4: r7+8; "},
	{BYTES("\x5c\xc3"), "0: none; 1: r7+8; "},
	/* More than any frame: sub $0x7fffffff, rsp; add $0x7fffffff, rsp; ret */
	{BYTES("\x48\x81\xec\xff\xff\xff\x7f\x48\x81\xc4\xff\xff\xff\x7f\xc3"),
	 "0: none; e: r7+8; "},
};

static void check_rows(const void *bytes, size_t n, const char *expected)
{
	struct str got = {0};
	struct elffile f;

	open_code(bytes, n, &f);
	assert_int_equal(read_rows(&f, CODE, CODE + n, add_row, &got), 0);
	assert_string_equal(str_text(&got), expected);
	str_release(&got);
	close_code(&f);
}

static void follows_functions(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(functions) / sizeof(*functions); i++) {
		const struct function *t = &functions[i];

		check_rows(t->bytes, t->n, t->expected);
	}
}

/* main() that never returns, and is called by nobody but the C library: the entry point tells. */
static void knows_main(void **state)
{
	/* push rbx; sub $8, rsp; call *rax; ud2 */
	static const char main[] = "\x53\x48\x83\xec\x08\xff\xd0\x0f\x0b";
	static const struct {
		const char *bytes; /* behind xor ebp, ebp */
		size_t n;
		const char *expected;
	} entries[] = {
		/* lea main(rip), rdi; mov $main, rdi; mov $main, edi: main is at 0x11000 */
		{BYTES("\x48\x8d\x3d\xf7\xef\xff\xff"), "0: r7+8; 1: r7+16; 5: r7+24; 7: none; "},
		{BYTES("\x48\xc7\xc7\x00\x10\x01\x00"), "0: r7+8; 1: r7+16; 5: r7+24; 7: none; "},
		{BYTES("\xbf\x00\x10\x01\x00"), "0: r7+8; 1: r7+16; 5: r7+24; 7: none; "},
		/* mov $main, esi; mov $1, edi */
		{BYTES("\xbe\x00\x10\x01\x00"), "0: none; "},
		{BYTES("\xbf\x01\x00\x00\x00"), "0: none; "},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(entries) / sizeof(*entries); i++) {
		const uint64_t entry = CODE + 0x1000;
		struct str got = {0};
		struct elffile f;

		open_code_entered(entry + BIAS, main, sizeof(main) - 1, &f);
		sample_write(f.fd, entry, "\x31\xed", 2);
		sample_write(f.fd, entry + 2, entries[i].bytes, entries[i].n);
		assert_int_equal(read_rows(&f, CODE, CODE + sizeof(main) - 1, add_row, &got), 0);
		assert_string_equal(str_text(&got), entries[i].expected);
		str_release(&got);
		close_code(&f);
	}
}

/* --- libraries, whose call frame information knows better --------------------------------- */

struct judged {
	VEC(struct cfi_row) ours;
	size_t at; /* in ours, of the judge's row */
	size_t n_equal, n_different, n_unknown;
};

static int keep_row(void *context, const struct cfi_row *row)
{
	struct judged *j = context;

	vec_push(&j->ours, *row);
	return 0;
}

/* rbp may be in its register still, or again, and in memory too. */
static bool is_equal(const struct cfi_row *ours, const struct cfi_row *theirs)
{
	return !memcmp(&ours->cfa, &theirs->cfa, sizeof(ours->cfa)) &&
	       (ours->bp.how != CFI_AT_CFA || theirs->bp.how != CFI_AT_CFA ||
		ours->bp.offset == theirs->bp.offset);
}

static int judge_row(void *context, const struct cfi_row *row)
{
	struct judged *j = context;
	const struct cfi_row *ours;

	while (j->at + 1 < j->ours.n && j->ours.at[j->at + 1].offset <= row->offset)
		j->at++;
	ours = &j->ours.at[j->at];
	/* What one tells by rsp the other may tell by rbp. */
	if (row->cfa.how == CFI_NONE ||
	    (row->cfa.how == CFI_REG && row->cfa.reg != ours->cfa.reg && ours->cfa.how == CFI_REG))
		return 0;
	if (ours->cfa.how == CFI_NONE)
		j->n_unknown++;
	else if (is_equal(ours, row))
		j->n_equal++;
	else
		j->n_different++;
	return 0;
}

static void judge_file(int fd, struct judged *j)
{
	struct elffile f;
	struct cfi *cfi;

	assert_int_equal(elffile_open(fd, &f), 0);
	for (size_t i = 0; i < f.segments.n; i++) {
		const Elf64_Phdr *p = &f.segments.at[i];
		uint64_t end = p->p_offset + p->p_filesz;

		if (p->p_type != PT_LOAD || !(p->p_flags & PF_X))
			continue;
		for (uint64_t from = p->p_offset; from < end; from += 1 << 18)
			assert_int_equal(read_rows(&f, from,
						   end - from < 1 << 18 ? end : from + (1 << 18),
						   keep_row, j),
					 0);
	}
	for (size_t i = 1; i < j->ours.n; i++)
		assert_true(j->ours.at[i - 1].offset < j->ours.at[i].offset);
	assert_int_equal(cfi_open(&f, &cfi), 0);
	assert_int_equal(cfi_rows(cfi, 0, UINT64_MAX, judge_row, j), 0);
	cfi_close(cfi);
	elffile_release(&f);
}

/* In a thousand places one may be told wrong (stubs of the PLT that resolve, and what is behind a
 * call that never returns), and nine of ten must be told. */
static void agrees_with_libraries(void **state)
{
	static const char *const libraries[] = {"libc.so.6", "libstdc++.so.6"};

	(void)state;
	for (size_t i = 0; i < sizeof(libraries) / sizeof(*libraries); i++) {
		const int fd = library_open(libraries[i]);
		struct judged j = {0};

		judge_file(fd, &j);
		assert_true(j.n_equal > 15000);
		assert_in_range(j.n_different, 0, j.n_equal / 1000);
		assert_in_range(j.n_unknown, 0, j.n_equal / 10);
		vec_release(&j.ours);
		close(fd);
	}
}

/* --- what is left alone --------------------------------------------------------------------- */

/* push rbp; mov rsp, rbp (in both forms); pop rbp; ret. And: push rbp; xor ebp, ebp; pop; ret */
#define SET_UP	"\x55\x48\x89\xe5\x5d\xc3"
#define SET_UP2 "\x55\x48\x8b\xec\x5d\xc3"
#define OTHER	"\x55\x31\xed\x5d\xc3"

static void leaves_frame_pointers(void **state)
{
	(void)state;
	check_rows(BYTES(SET_UP SET_UP2 SET_UP),
		   "0: r7+8; 1: r7+16 c-16; 5: r7+8; 7: r7+16 c-16; b: r7+8; d: r7+16 c-16; "
		   "11: r7+8; ");
	check_rows(BYTES(SET_UP SET_UP2 SET_UP SET_UP2), "0: none; ");
	/* Where rbp is kept as any other register, some functions set up frames too. */
	check_rows(BYTES(OTHER SET_UP SET_UP SET_UP SET_UP2),
		   "0: r7+8; 1: r7+16 c-16; 4: r7+8; 6: r7+16 c-16; a: r7+8; c: r7+16 c-16; "
		   "10: r7+8; 12: r7+16 c-16; 16: r7+8; 18: r7+16 c-16; 1c: r7+8; ");
	check_rows(BYTES(OTHER SET_UP SET_UP SET_UP SET_UP SET_UP2), "0: none; ");
}

static void leaves_data(void **state)
{
	(void)state;
	/* push rbx; pop rbx; ret, with bytes of no instruction, or zeros, between */
	check_rows(BYTES("\x53\x5b\xc3\x06\x06\x06\x06\x06\x53\x5b\xc3"),
		   "0: r7+8; 1: r7+16; 2: r7+8; 3: none; 8: r7+8; 9: r7+16; a: r7+8; ");
	check_rows(BYTES("\x53\x5b\xc3\x06\xc3\x06\xc3\x06\xc3\x06\xc3"), "0: none; ");
	check_rows(BYTES("\x53\x5b\xc3\0\0\xc3\0\0\xc3\0\0\xc3\0\0\xc3"), "0: none; ");
}

/* What stands in an executable segment, but in no executable section, where there are any. */
static void leaves_other_sections(void **state)
{
	static const uint8_t code[] = {0x53, 0x5b, 0xc3};
	struct sample s = {.section = ".debug_frame", .flags = SHF_ALLOC | SHF_EXECINSTR};
	struct str got = {0};
	struct elffile f;
	int fd;

	(void)state;
	sample_put(&s, code, sizeof(code));
	fd = sample_file(&s);
	sample_write(fd, CODE, code, sizeof(code));
	assert_int_equal(elffile_open(fd, &f), 0);
	assert_int_equal(read_rows(&f, CODE, CODE + sizeof(code), add_row, &got), 0);
	assert_int_equal(read_rows(&f, FRAMES - 2, FRAMES + sizeof(code), add_row, &got), 0);
	assert_int_equal(read_rows(&f, FRAMES + 1, FRAMES + 64, add_row, &got), 0);
	assert_string_equal(str_text(&got),
			    "0: none; 2fffe: none; 30000: r7+8; 30001: r7+16; "
			    "30002: r7+8; 30001: r7+16; 30002: r7+8; 30003: none; ");
	str_release(&got);
	close_code(&f);
}

/* --- what is no code ------------------------------------------------------------------------ */

static int count_row(void *context, const struct cfi_row *row)
{
	uint64_t *last = context;

	assert_true(row->offset >= *last);
	*last = row->offset + 1;
	return 0;
}

static void survives_noise(void **state)
{
	uint64_t x = 0x9e3779b97f4a7c15;
	static const uint8_t moves[] = {0x53, 0x5b, 0xc3, 0xe8, 0x55, 0x5d, 0xc9, 0x74};
	uint8_t noise[4096];
	int told = 0;

	(void)state;
	for (int i = 0; i < 300; i++) {
		uint64_t last = 0;
		struct elffile f;

		for (size_t k = 0; k < sizeof(noise); k++) {
			x ^= x << 13, x ^= x >> 7, x ^= x << 17;
			noise[k] = (uint8_t)(x >> 8);
			/* What moves stack and way, with some noise or none: much of it is data. */
			if (i % 2 || x % 64)
				noise[k] = moves[x >> 16 & 7];
		}
		open_code(noise, sizeof(noise), &f);
		assert_int_equal(read_rows(&f, CODE, CODE + sizeof(noise), count_row, &last), 0);
		told += last > CODE + 1;
		close_code(&f);
	}
	assert_true(told > 150);
}

static void tells_nothing_of_other_places(void **state)
{
	static const uint64_t places[][2] = {{0, 16},
					     {FRAMES + 4, FRAMES + 8},
					     {1 << 30, 1 << 31},
					     {CODE + 8, CODE + 8},
					     {CODE + 9, CODE + 8}};
	struct elffile f;

	(void)state;
	open_code("\xc3", 1, &f);
	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
		struct str got = {0}, expected = {0};

		str_addf(&expected, "%lx: none; ", places[i][0] - CODE);
		assert_int_equal(read_rows(&f, places[i][0], places[i][1], add_row, &got), 0);
		assert_string_equal(str_text(&got), str_text(&expected));
		str_release(&got);
		str_release(&expected);
	}
	close_code(&f);
}

/* The end of the code: nothing holds behind it. */
static void ends_with_the_segment(void **state)
{
	struct str got = {0};
	uint8_t code[512];
	struct elffile f;

	(void)state;
	open_code("", 1, &f);
	memset(code, 0x90, sizeof(code));
	code[sizeof(code) - 1] = 0xc3;
	sample_write(f.fd, FRAMES - sizeof(code), code, sizeof(code));
	assert_int_equal(read_rows(&f, FRAMES - 1, FRAMES + 32, add_row, &got), 0);
	assert_string_equal(str_text(&got), "2ffff: r7+8; 30000: none; ");
	str_release(&got);
	close_code(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(follows_functions),
		cmocka_unit_test(knows_main),
		cmocka_unit_test(agrees_with_libraries),
		cmocka_unit_test(leaves_frame_pointers),
		cmocka_unit_test(leaves_data),
		cmocka_unit_test(leaves_other_sections),
		cmocka_unit_test(survives_noise),
		cmocka_unit_test(tells_nothing_of_other_places),
		cmocka_unit_test(ends_with_the_segment),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
