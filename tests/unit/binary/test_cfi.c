/* Call frame information becomes rows; what makes no sense in it does no harm. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <zlib.h>

#include "base/err.h"
#include "base/str.h"
#include "cfi/cfi.h"
#include "cfi_sample.h"

static void add_value(struct str *out, const struct cfi_value *v)
{
	switch (v->how) {
	case CFI_SAME:
		str_add(out, "same");
		break;
	case CFI_UNDEFINED:
		str_add(out, "lost");
		break;
	case CFI_REG:
		str_addf(out, "r%d%+d", v->reg, v->offset);
		break;
	case CFI_AT_REG:
		str_addf(out, "*(r%d%+d)%+d", v->reg, v->offset, v->add);
		break;
	case CFI_AT_INDEX:
		str_addf(out, "*(r%d%+d+8*r%d)%+d", v->reg, v->offset, v->index, v->add);
		break;
	case CFI_CFA:
		str_addf(out, "cfa%+d", v->offset);
		break;
	case CFI_EXPRESSION:
	case CFI_AT_EXPRESSION:
		str_add(out, v->how == CFI_EXPRESSION ? "expression" : "*expression");
		break;
	case CFI_AT_CFA:
		str_addf(out, "c%+d", v->offset);
		break;
	case CFI_PLT:
		str_addf(out, "plt%d", v->offset);
		break;
	default:
		str_add(out, v->how == CFI_OTHER ? "other" : "none");
	}
}

/* "10: r7+8 c-8 same; ", by the offset from the start of the code. */
static int add_row(void *context, const struct cfi_row *row)
{
	struct str *out = context;

	str_addf(out, "%lx: ", row->offset - CODE);
	add_value(out, &row->cfa);
	if (row->cfa.how != CFI_NONE) {
		str_addc(out, ' ');
		add_value(out, &row->ra);
		str_addc(out, ' ');
		add_value(out, &row->bp);
	}
	str_add(out, row->signal ? " signal; " : "; ");
	return 0;
}

static int all_rows(int fd, cfi_row_fn *row, void *context)
{
	struct elffile f;
	struct cfi *cfi;
	int rc;

	assert_int_equal(elffile_open(fd, &f), 0);
	rc = cfi_open(&f, &cfi);
	elffile_release(&f);
	if (!rc) {
		rc = cfi_rows(cfi, 0, UINT64_MAX, row, context);
		cfi_close(cfi);
	}
	return rc;
}

static int read_rows(int fd, struct str *out)
{
	int rc;

	rc = all_rows(fd, add_row, out);
	close(fd);
	return rc;
}

static void expect_rows(struct sample *s, const char *expected)
{
	struct str got = {0};

	assert_int_equal(read_rows(sample_file(s), &got), 0);
	assert_string_equal(str_text(&got), expected);
	str_release(&got);
}

static void follows_a_function(void **state)
{
	struct sample s = {.section = ".eh_frame"};

	(void)state;
	/* push rbp; mov rsp, rbp; …; leave; ret; … and once more, as behind an early return */
	sample_fde(&s, sample_cie(&s), 0x10, 0x40,
		   BYTES("\x41\x0e\x10\x86\x02\x43\x0d\x06\x48\x0a\xc6\x0c\x07\x08\x41\x0b"));
	expect_rows(&s, "10: r7+8 c-8 same; 11: r7+16 c-8 c-16; 14: r6+16 c-8 c-16; "
			"1c: r7+8 c-8 same; 1d: r6+16 c-8 c-16; 50: none; ");
}

struct program {
	const char *bytes;
	size_t n;
	const char *expected; /* after "0: " */
};

/* Each stands at the head of an FDE of 16 bytes of code. */
static const struct program programs[] = {
	{BYTES("\x00"), "r7+8 c-8 same; "},
	{BYTES("\x0e\x90\x01"), "r7+144 c-8 same; "},
	{BYTES("\x0d\x0a"), "r10+8 c-8 same; "},
	{BYTES("\x12\x06\x7e"), "r6+16 c-8 same; "},
	{BYTES("\x13\x7d"), "r7+24 c-8 same; "},
	{BYTES("\x0e\xff\xff\xff\xff\x7f"), "other c-8 same; "},
	{BYTES("\x0c\x20\x08"), "other c-8 same; "},
	{BYTES("\x05\x06\x03"), "r7+8 c-8 c-24; "},
	{BYTES("\x11\x06\x7f"), "r7+8 c-8 c+8; "},
	{BYTES("\x2f\x06\x02"), "r7+8 c-8 c+16; "},
	{BYTES("\x86\x02\x06\x06"), "r7+8 c-8 same; "},
	{BYTES("\x86\x02\xc6"), "r7+8 c-8 same; "},
	{BYTES("\x86\x02\x08\x06"), "r7+8 c-8 same; "},
	{BYTES("\x07\x10"), "r7+8 lost same; "},
	{BYTES("\x09\x10\x05"), "r7+8 r5+0 same; "},
	{BYTES("\x09\x10\x11"), "r7+8 other same; "},
	{BYTES("\x14\x06\x02"), "r7+8 c-8 cfa-16; "},
	{BYTES("\x15\x06\x7e"), "r7+8 c-8 cfa+16; "},
	{BYTES("\x2e\x10"), "r7+8 c-8 same; "},
	{BYTES("\x83\x02\x8c\x03"), "r7+8 c-8 same; "},
	/* CFA = *(rsp + 160); *(rbp - 8) + 16 */
	{BYTES("\x0f\x04\x77\xa0\x01\x06"), "*(r7+160)+0 c-8 same; "},
	{BYTES("\x0f\x05\x76\x78\x06\x23\x10"), "*(r6-8)+16 c-8 same; "},
	{BYTES("\x0f\x02\x76\x10"), "r6+16 c-8 same; "},
	{BYTES("\x0f\x07\x76\x78\x06\x23\xff\xff\x7f"), "*(r6-8)+2097151 c-8 same; "},
	{BYTES("\x0f\x09\x76\x78\x06\x23\xff\xff\xff\xff\x0f"), "expression c-8 same; "},
	/* *(rsp + 8 + 8 * r9) + 8, as in OpenSSL's bn_mul_mont; not with another factor. */
	{BYTES("\x0f\x0a\x77\x08\x79\x00\x38\x1e\x22\x06\x23\x08"), "*(r7+8+8*r9)+8 c-8 same; "},
	{BYTES("\x0f\x0a\x77\x08\x79\x00\x34\x1e\x22\x06\x23\x08"), "expression c-8 same; "},
	{BYTES("\x0f\x0a\x77\x08\x79\x01\x38\x1e\x22\x06\x23\x08"), "expression c-8 same; "},
	{BYTES("\x0f\x07\x77\x08\x79\x00\x38\x1e\x22"), "expression c-8 same; "},
	{BYTES("\x0f\x0b\x77\x08\x80\x00\x3f\x1a\x3b\x2a\x33\x24\x22"), "plt11 c-8 same; "},
	{BYTES("\x0f\x0b\x77\x08\x80\x00\x3f\x1a\x3a\x2a\x33\x24\x22"), "plt10 c-8 same; "},
	{BYTES("\x0f\x0b\x77\x10\x80\x00\x3f\x1a\x3b\x2a\x33\x24\x22"), "expression c-8 same; "},
	{BYTES("\x0f\x00"), "expression c-8 same; "},
	{BYTES("\x0f\x01\x9c"), "expression c-8 same; "},
	/* rbp at *(rbp + 0), the return address at *(rsp + 168); rbp = rbx + 0 */
	{BYTES("\x10\x06\x02\x76\x00"), "r7+8 c-8 *(r6+0)+0; "},
	{BYTES("\x10\x10\x03\x77\xa8\x01"), "r7+8 *(r7+168)+0 same; "},
	{BYTES("\x10\x06\x03\x76\x00\x06"), "r7+8 c-8 *expression; "},
	{BYTES("\x16\x06\x02\x73\x00"), "r7+8 c-8 r3+0; "},
	/* An expression hides register and offset. libgcrypt takes them up again. */
	{BYTES("\x0f\x03\x77\x08\x06\x0e\x30"), "*(r7+8)+0 c-8 same; "},
	{BYTES("\x0e\x38\x0f\x03\x77\x08\x06\x0d\x06"), "r6+56 c-8 same; "},
	/* Advances of all widths; the last is behind the code. */
	{BYTES("\x02\x02\x0e\x10\x03\x02\x00\x0e\x18\x04\x02\x00\x00\x00\x0e\x20"),
	 "r7+8 c-8 same; 2: r7+16 c-8 same; 4: r7+24 c-8 same; 6: r7+32 c-8 same; "},
	{BYTES("\x1d\x02\x00\x00\x00\x00\x00\x00\x00\x0e\x10"),
	 "r7+8 c-8 same; 2: r7+16 c-8 same; "},
	{BYTES("\x1d\xff\xff\xff\xff\xff\xff\xff\xff\x0e\x10"), "r7+8 c-8 same; "},
	{BYTES("\x4f\x0e\x10\x4f\x0e\x18"), "r7+8 c-8 same; f: r7+16 c-8 same; "},
	/* What makes no sense ends the rows: restoring what was not kept, unknown instructions,
	 * operands behind the end, a set_loc backwards. */
	{BYTES("\x44\x0e\x10\x0b"), "r7+8 c-8 same; 4: none; "},
	{BYTES("\x44\x1c"), "r7+8 c-8 same; 4: none; "},
	{BYTES("\x44\x2d"), "r7+8 c-8 same; 4: none; "},
	{BYTES("\x44\x0f\x70\x77"), "r7+8 c-8 same; 4: none; "},
	{BYTES("\x44\x01\x00\x00\xfc\xff"), "r7+8 c-8 same; 4: none; "},
	{BYTES("\x44\x0c\x07\xff"), "r7+8 c-8 same; 4: none; "},
	{BYTES("\x44\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a\x0a"),
	 "r7+8 c-8 same; 4: none; "},
};

static void runs_every_instruction(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(programs) / sizeof(*programs); i++) {
		const struct program *p = &programs[i];
		struct sample s = {.section = ".eh_frame"};
		struct str expected = {0};

		sample_fde(&s, sample_cie(&s), 0, 16, p->bytes, p->n);
		str_addf(&expected, "0: %s", p->expected);
		if (!str_ends(p->expected, "none; "))
			str_add(&expected, "10: none; ");
		expect_rows(&s, str_text(&expected));
		str_release(&expected);
	}
}

static void reads_augmentations(void **state)
{
	struct sample s = {.section = ".eh_frame"};
	size_t cie;

	(void)state;
	cie = sample_cie_of(&s, BYTES("zRS\0"), BYTES("\x01\x1b"));
	sample_fde(&s, cie, 0, 16, BYTES(""));
	/* A personality by indirect pointer, which is skipped, and an LSDA encoding. */
	cie = sample_cie_of(&s, BYTES("zPLR\0"), BYTES("\x07\x9b\1\2\3\4\x1b\x1b"));
	sample_fde(&s, cie, 32, 16, BYTES("\x0e\x10"));
	/* Letters that nobody knows, and one that an old compiler wrote. */
	cie = sample_cie_of(&s, BYTES("zX\0"), BYTES("\x01\x1b"));
	sample_fde(&s, cie, 64, 16, BYTES(""));
	cie = sample_cie_of(&s, BYTES("eh\0"), BYTES(""));
	sample_fde(&s, cie, 96, 16, BYTES(""));
	expect_rows(&s, "0: r7+8 c-8 same signal; 10: none; 20: r7+16 c-8 same; 30: none; ");
}

/* One FDE whose addresses are written as @encoding says. */
static void write_encoded(struct sample *s, char encoding, uint64_t start, size_t bytes)
{
	const char data[] = {1, encoding};
	uint64_t length = 16;
	size_t cie = sample_cie_of(s, "zR", 3, data, sizeof(data));
	size_t at = sample_begin(s, (uint32_t)(s->frames.n + 4 - cie));

	if (encoding & 0x10)
		start -= FRAMES + BIAS + s->frames.n;
	sample_put(s, &start, bytes);
	sample_put(s, &length, bytes);
	sample_put(s, BYTES("\0"));
	sample_end(s, at);
}

static void reads_pointers(void **state)
{
	struct sample s = {.section = ".eh_frame"};

	(void)state;
	write_encoded(&s, 0x00, CODE + BIAS, 8);	 /* absptr */
	write_encoded(&s, 0x03, CODE + BIAS + 0x20, 4);	 /* udata4 */
	write_encoded(&s, 0x04, CODE + BIAS + 0x40, 8);	 /* udata8 */
	write_encoded(&s, 0x1b, CODE + BIAS + 0x60, 4);	 /* pcrel sdata4 */
	write_encoded(&s, 0x1c, CODE + BIAS + 0x80, 8);	 /* pcrel sdata8 */
	write_encoded(&s, 0x10, CODE + BIAS + 0xa0, 8);	 /* pcrel absptr */
	write_encoded(&s, (char)0x9b, CODE + BIAS, 4);	 /* indirect */
	write_encoded(&s, 0x3b, CODE + BIAS + 0x100, 4); /* datarel, of no known base */
	write_encoded(&s, 0x50, CODE + BIAS + 0x120, 8); /* aligned */
	write_encoded(&s, 0x05, CODE + BIAS + 0x140, 8); /* no such form */
	write_encoded(&s, (char)0xff, CODE + BIAS, 8);	 /* omitted */
	expect_rows(&s, "0: r7+8 c-8 same; 10: none; 20: r7+8 c-8 same; 30: none; "
			"40: r7+8 c-8 same; 50: none; 60: r7+8 c-8 same; 70: none; "
			"80: r7+8 c-8 same; 90: none; a0: r7+8 c-8 same; b0: none; ");
}

static void finds_frames_without_sections(void **state)
{
	struct sample s = {0};
	size_t cie = sample_cie(&s);

	(void)state;
	sample_fde(&s, cie, 0, 16, BYTES("\x44\x0e\x10"));
	sample_put32(&s, 0);
	sample_fde(&s, cie, 32, 16, BYTES(""));
	expect_rows(&s, "0: r7+8 c-8 same; 4: r7+16 c-8 same; 10: none; ");
}

/* Entries of .debug_frame: version 4, and the 64-bit form of DWARF 3. */
static void write_debug_frame(struct sample *s)
{
	uint64_t words[] = {CODE + BIAS + 0x20, 16};
	size_t at = sample_begin(s, UINT32_MAX);

	sample_put(s, BYTES("\4\0\x08\0\x01\x78\x10\x0c\x07\x08\x90\x01"));
	sample_end(s, at);
	at = sample_begin(s, 0);
	sample_put(s, words, sizeof(words));
	sample_put(s, BYTES("\x41\x0e\x10"));
	sample_end(s, at);
	at = s->frames.n;
	sample_put(s, BYTES("\xff\xff\xff\xff\x14\0\0\0\0\0\0\0"));
	sample_put(s, BYTES("\xff\xff\xff\xff\xff\xff\xff\xff"));
	sample_put(s, BYTES("\3\0\x01\x78\x10\x0c\x07\x08\x90\x01\0\0"));
	sample_put(s, BYTES("\xff\xff\xff\xff\x1c\0\0\0\0\0\0\0"));
	words[0] = at;
	sample_put(s, words, 8);
	words[0] = CODE + BIAS;
	sample_put(s, words, sizeof(words));
	sample_put(s, BYTES("\x42\x0e\x18\0"));
}

#define DEBUG_FRAME_ROWS                                                                         \
	"0: r7+8 c-8 same; 2: r7+24 c-8 same; 10: none; 20: r7+8 c-8 same; 21: r7+16 c-8 same; " \
	"30: none; "

static void reads_debug_frame(void **state)
{
	struct sample s = {.section = ".debug_frame"};

	(void)state;
	write_debug_frame(&s);
	expect_rows(&s, DEBUG_FRAME_ROWS);
}

static void reads_deflated_debug_frame(void **state)
{
	struct sample plain = {0}, s = {.section = ".debug_frame", .flags = SHF_COMPRESSED};
	Elf64_Chdr head = {.ch_type = ELFCOMPRESS_ZLIB};
	uint8_t packed[512];
	uLongf n = sizeof(packed);

	(void)state;
	write_debug_frame(&plain);
	head.ch_size = plain.frames.n;
	assert_int_equal(compress(packed, &n, plain.frames.at, plain.frames.n), Z_OK);
	vec_release(&plain.frames);
	sample_put(&s, &head, sizeof(head));
	sample_put(&s, packed, n);
	expect_rows(&s, DEBUG_FRAME_ROWS);

	/* A size that no compression can have is not believed. */
	head.ch_size = UINT64_C(1) << 40;
	sample_put(&s, &head, sizeof(head));
	sample_put(&s, packed, n);
	s.section = ".debug_frame";
	expect_rows(&s, "");
}

static void cuts_overlaps(void **state)
{
	struct sample s = {.section = ".eh_frame"};
	size_t cie = sample_cie(&s);

	(void)state;
	sample_fde(&s, cie, 0x40, 0x10, BYTES("\x0e\x18"));
	sample_fde(&s, cie, 0x00, 0x60, BYTES("\x44\x0e\x10"));
	sample_fde(&s, cie, 0x40, 0x20, BYTES("\x0e\x20"));
	sample_fde(&s, cie, 0x50, 0x00, BYTES("\x0e\x28"));
	sample_fde(&s, cie, 0x48, 0x10, BYTES("\x44\x0e\x18"));
	expect_rows(&s, "0: r7+8 c-8 same; 4: r7+16 c-8 same; 40: r7+24 c-8 same; "
			"48: r7+8 c-8 same; 4c: r7+24 c-8 same; 58: none; ");
}

static void ignores_what_is_not_code(void **state)
{
	struct sample s = {.section = ".eh_frame"};
	size_t cie = sample_cie(&s);

	(void)state;
	sample_fde(&s, cie, (uint64_t)-CODE, 0x10, BYTES(""));	 /* before */
	sample_fde(&s, cie, CODE_BYTES - 8, 0x10, BYTES(""));	 /* over the end */
	sample_fde(&s, cie, CODE_BYTES, 0x10, BYTES(""));	 /* behind */
	sample_fde(&s, cie, 0x10, 0xffffffff, BYTES(""));	 /* longer than all */
	sample_fde(&s, cie, CODE_BYTES - 0x10, 0x10, BYTES("")); /* the very last */
	expect_rows(&s, "2fff0: r7+8 c-8 same; 30000: none; ");
}

static void ignores_entries_that_lead_nowhere(void **state)
{
	struct sample s = {.section = ".eh_frame"};
	size_t cie = sample_cie(&s), fde, at;

	(void)state;
	fde = sample_fde(&s, cie, 0, 16, BYTES(""));
	sample_fde(&s, fde, 0x20, 16, BYTES(""));	     /* its CIE is an FDE */
	sample_fde(&s, s.frames.n, 0x40, 16, BYTES(""));     /* … itself */
	sample_fde(&s, cie + 1, 0x60, 16, BYTES(""));	     /* … inside another entry */
	sample_fde(&s, s.frames.n + 5, 0x80, 16, BYTES("")); /* … ahead */
	at = sample_begin(&s, 0);			     /* CIE cut off in the middle */
	sample_put(&s, BYTES("\1zR"));
	sample_end(&s, at);
	sample_fde(&s, at, 0xa0, 16, BYTES(""));
	sample_fde(&s, cie, 0xc0, 16, BYTES(""));
	sample_put(&s, BYTES("\xff\xff\xff\x7f\0\0\0\0")); /* longer than the section */
	sample_fde(&s, cie, 0xe0, 16, BYTES(""));
	expect_rows(&s, "0: r7+8 c-8 same; 10: none; c0: r7+8 c-8 same; d0: none; ");
}

static void refuses_other_machines(void **state)
{
	struct sample s = {.section = ".eh_frame", .machine = EM_AARCH64};
	struct str got = {0};

	(void)state;
	sample_fde(&s, sample_cie(&s), 0, 16, BYTES(""));
	assert_int_equal(read_rows(sample_file(&s), &got), -ENOTSUP);
	assert_string_equal(err_text(), "not a 64-bit x86 file");
	assert_string_equal(str_text(&got), "");
}

static int count_row(void *context, const struct cfi_row *row)
{
	(void)row;
	++*(size_t *)context;
	return 0;
}

/* Many entries that share one CIE with a long program, and a long run of zeros: linear all the
 * same. Were the CIE run for each entry, this would take minutes. */
static void stays_linear(void **state)
{
	struct sample s = {.section = ".eh_frame"};
	size_t at = sample_begin(&s, 0), n = 0;
	int fd;

	(void)state;
	sample_put(&s, BYTES("\1zR\0\x01\x78\x10\x01\x1b\x0c\x07\x08"));
	for (size_t i = 0; i < 100000; i++)
		sample_put(&s, BYTES("\x90\x01"));
	sample_end(&s, at);
	for (size_t i = 0; i < 20000; i++)
		sample_fde(&s, at, 2 * (19999 - i), 1, BYTES(""));
	for (size_t i = 0; i < 100000; i++)
		sample_put32(&s, 0);
	fd = sample_file(&s);
	assert_int_equal(all_rows(fd, count_row, &n), 0);
	assert_int_equal(n, 40000);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(follows_a_function),
		cmocka_unit_test(runs_every_instruction),
		cmocka_unit_test(reads_augmentations),
		cmocka_unit_test(reads_pointers),
		cmocka_unit_test(finds_frames_without_sections),
		cmocka_unit_test(reads_debug_frame),
		cmocka_unit_test(reads_deflated_debug_frame),
		cmocka_unit_test(cuts_overlaps),
		cmocka_unit_test(ignores_what_is_not_code),
		cmocka_unit_test(ignores_entries_that_lead_nowhere),
		cmocka_unit_test(refuses_other_machines),
		cmocka_unit_test(stays_linear),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
