/*
 * Files that were made to keep a reader busy: small ones that would have it read, allocate or step
 * for hours, or forever. What each takes is counted; were a bound missing, most of these would
 * hang.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "cfi_sample.h"
#include "cfi/fde.h"
#include "debugfile_find.h"
#include "effort.h"
#include "elf/buildid.h"
#include "elf/needed.h"
#include "process/closure.h"
#include "snippet.h"
#include "table_sample.h"

#define MIB (1u << 20)

/* --- call frame information ----------------------------------------------------------------- */

/* Entries, and a sorted table of them in .eh_frame_hdr. */
struct forged {
	struct sample s;
	VEC(struct fde_row) rows; /* from the start of the code, and of the entries */
};

static void add_row(struct forged *x, size_t start, size_t entry)
{
	vec_push(&x->rows, ((struct fde_row){(int32_t)start, (int32_t)entry}));
}

static void put_zeros(struct forged *x, size_t n)
{
	while (n--)
		vec_push(&x->s.frames, 0);
}

static void write_sections(int fd, size_t frames_bytes, uint64_t at)
{
	static const char names[] = "\0.eh_frame";
	const Elf64_Shdr h[3] = {
		{0},
		{.sh_name = 1,
		 .sh_type = SHT_PROGBITS,
		 .sh_addr = FRAMES + BIAS,
		 .sh_offset = FRAMES,
		 .sh_size = frames_bytes},
		{.sh_offset = at + sizeof(h), .sh_size = sizeof(names)},
	};

	sample_write(fd, at, h, sizeof(h));
	sample_write(fd, at + sizeof(h), names, sizeof(names));
}

/* The .eh_frame_hdr at @at: its rows from there on. @count: what it says of their number. */
static void write_rows(int fd, struct forged *x, uint64_t at, uint32_t count)
{
	const int32_t to_frames = (int32_t)(FRAMES - at - 4);
	uint8_t head[12] = {1, PCREL_SDATA4, 0x03, 0x3b};

	memcpy(head + 4, &to_frames, sizeof(to_frames));
	memcpy(head + 8, &count, sizeof(count));
	for (size_t i = 0; i < x->rows.n; i++) {
		x->rows.at[i].start += (int32_t)(CODE - at);
		x->rows.at[i].entry += (int32_t)(FRAMES - at);
	}
	sample_write(fd, at, head, sizeof(head));
	if (x->rows.n)
		sample_write(fd, at + sizeof(head), x->rows.at, x->rows.n * sizeof(struct fde_row));
}

/* Of an ELF file whose segments follow it. */
static Elf64_Ehdr header_of(size_t n_segments)
{
	return (Elf64_Ehdr){
		.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
		.e_machine = EM_X86_64,
		.e_phoff = sizeof(Elf64_Ehdr),
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_phnum = (uint16_t)n_segments,
	};
}

/* The file; @x is released. @count: rows that it says that it has, in so many bytes. */
static int forge(struct forged *x, uint32_t count)
{
	const uint64_t n = x->s.frames.n, hdr_at = (FRAMES + n + 7) / 8 * 8;
	const uint64_t rows = 12 + UINT64_C(8) * count, sections_at = hdr_at + rows + 8;
	const Elf64_Phdr segments[] = {
		{PT_LOAD, PF_R | PF_X, CODE, CODE + BIAS, 0, CODE_BYTES, CODE_BYTES, 1},
		{PT_LOAD, PF_R, FRAMES, FRAMES + BIAS, 0, sections_at - FRAMES, 0, 1},
		{PT_GNU_EH_FRAME, PF_R, hdr_at, hdr_at + BIAS, 0, rows, rows, 1},
	};
	int fd = memfd_create("forged", MFD_CLOEXEC);
	Elf64_Ehdr h = header_of(3);

	h.e_shoff = sections_at;
	h.e_shentsize = sizeof(Elf64_Shdr);
	h.e_shnum = 3;
	h.e_shstrndx = 2;
	sample_write(fd, 0, &h, sizeof(h));
	sample_write(fd, sizeof(h), segments, sizeof(segments));
	sample_write(fd, FRAMES, x->s.frames.at, n);
	write_rows(fd, x, hdr_at, count);
	write_sections(fd, n, sections_at);
	vec_release(&x->s.frames);
	vec_release(&x->rows);
	return fd;
}

/* What it takes to make the table of the code and to ask for @places frames. */
static struct effort make_table(int fd, uint64_t places)
{
	struct table_maker *maker;
	struct table_blob table;
	struct cfi_frame frame;
	struct elffile f;

	effort_start();
	assert_int_equal(elffile_open(fd, &f), 0);
	assert_int_equal(table_maker_new(&f, &maker), 0);
	if (!table_make(maker, 0, 1u << WIRE_PIECE_BITS, &table))
		assert_true(is_sound(&table));
	table_blob_release(&table);
	for (uint64_t i = 0; i < places; i++)
		table_frame(maker, CODE + i * (CODE_BYTES / places), &frame);
	assert_in_range(table_maker_bytes(maker), 0, effort_spent().allocated_bytes);
	table_maker_free(maker);
	elffile_release(&f);
	close(fd);
	return effort_spent();
}

/* Rows of the table that lead into a run of zeros, where no entry is: it was searched to its end
 * for each. */
static void rows_into_zeros(void **state)
{
	struct forged x = {0};
	size_t cie = sample_cie(&x.s), zeros;
	struct effort e;

	(void)state;
	sample_fde(&x.s, cie, 0, 16, BYTES("\x0e\x10"));
	zeros = x.s.frames.n;
	put_zeros(&x, MIB);
	for (size_t i = 0; i < 10000; i++)
		add_row(&x, 16 * i, zeros);
	e = make_table(forge(&x, 10000), 100);
	assert_in_range(e.steps, 0, 20 * MIB);
}

/* Entries with one program: each reaches to the end of the section, over the heads of those that
 * follow, which it skips as the bytes of an expression. Each was run as a whole. */
static void programs_that_overlap(void **state)
{
	enum { N = 2000, HEAD = 17 };
	static const char skip[] = {0x16, 0, HEAD};
	struct forged x = {0};
	const size_t cie = sample_cie(&x.s), first = x.s.frames.n, tail = 200000;
	const size_t end = first + N * (HEAD + sizeof(skip)) + tail;
	struct effort e;

	(void)state;
	for (size_t i = 0; i < N; i++) {
		const size_t at = x.s.frames.n;

		add_row(&x, 16 * i, at);
		sample_put32(&x.s, end - at - 4);
		sample_put32(&x.s, at + 4 - cie);
		sample_put32(&x.s, CODE + 16 * i - FRAMES - x.s.frames.n);
		sample_put32(&x.s, 16);
		sample_put(&x.s, BYTES("\0"));
		sample_put(&x.s, skip, sizeof(skip));
	}
	put_zeros(&x, tail);
	e = make_table(forge(&x, N), 100);
	assert_in_range(e.steps, 0, 60 * MIB);
}

/* The same of what entries have in common: it is read once each. */
static void commons_that_overlap(void **state)
{
	enum { N = 2000, CIE = 13 };
	static const char skip[] = {0x16, 0, CIE};
	struct forged x = {0};
	const size_t tail = 200000, end = N * (CIE + sizeof(skip)) + tail;
	struct effort e;

	(void)state;
	for (size_t i = 0; i < N; i++) {
		sample_put32(&x.s, end - x.s.frames.n - 4);
		sample_put32(&x.s, 0);
		sample_put(&x.s, BYTES("\1\0\x01\x78\x10"));
		sample_put(&x.s, skip, sizeof(skip));
	}
	put_zeros(&x, tail);
	for (size_t i = 0; i < N; i++) {
		add_row(&x, 16 * i, x.s.frames.n);
		sample_put32(&x.s, 20);
		sample_put32(&x.s, x.s.frames.n - i * (CIE + sizeof(skip)));
		put_zeros(&x, 16);
	}
	e = make_table(forge(&x, N), 100);
	assert_in_range(e.steps, 0, 60 * MIB);
}

/* Rows that all begin with the second byte of the code: more of them than it has bytes. */
static void rows_of_one_place(void **state)
{
	enum { N = 1500000 };
	struct forged x = {0};
	size_t cie = sample_cie(&x.s), fde = sample_fde(&x.s, cie, 1, 16, BYTES("\x0e\x10"));
	struct effort e;

	(void)state;
	add_row(&x, 0, fde);
	for (size_t i = 1; i < N; i++)
		add_row(&x, 1, fde);
	e = make_table(forge(&x, N), 1000);
	assert_in_range(e.steps, 0, 48 * MIB);
	assert_in_range(e.allocated_bytes, 0, 64 * MIB);
}

/* One function of which megabytes say nothing. */
static void endless_program(void **state)
{
	struct forged x = {0};
	size_t cie = sample_cie(&x.s), fde = sample_begin(&x.s, (uint32_t)(x.s.frames.n + 4 - cie));
	struct effort e;

	(void)state;
	sample_put32(&x.s, CODE - FRAMES - x.s.frames.n);
	sample_put32(&x.s, CODE_BYTES);
	put_zeros(&x, 8 * MIB);
	sample_end(&x.s, fde);
	add_row(&x, 0, fde);
	e = make_table(forge(&x, 1), 8);
	assert_in_range(e.steps, 0, 30 * MIB);
}

/* As the stack of such a function, which returns to itself. */
static bool find_again(void *context, uint64_t address, struct native_code *out)
{
	*out = (struct native_code){.table = context, .offset = address};
	return true;
}

static struct table_maker *asked;

static bool find_in_full(void *context, uint64_t address, struct cfi_frame *out)
{
	(void)context;
	return table_frame(asked, address, out);
}

static bool read_again(void *context, uint64_t address, uint64_t *out)
{
	(void)context;
	(void)address;
	*out = CODE + 100;
	return true;
}

static struct effort walk_through(int fd, enum step_end *end)
{
	const uint64_t registers[CFI_REGISTERS] = {[CFI_RSP] = MIB, [CFI_RIP] = CODE + 100};
	uint64_t frames[4096];
	struct table_blob table;
	const struct native_walk walk = {.registers = registers,
					 .find = find_again,
					 .read = read_again,
					 .frame = find_in_full,
					 .context = &table};
	struct elffile f;

	assert_int_equal(elffile_open(fd, &f), 0);
	assert_int_equal(table_maker_new(&f, &asked), 0);
	assert_int_equal(table_make(asked, 0, 1u << WIRE_PIECE_BITS, &table), 0);
	effort_start();
	*end = native_walk(&walk, frames, 4096).end;
	table_blob_release(&table);
	table_maker_free(asked);
	elffile_release(&f);
	close(fd);
	return effort_spent();
}

/* A function with a CFA that no table can hold, its program @n bytes of nothing more. */
static int forge_expression(size_t n)
{
	struct forged x = {0};
	size_t cie = sample_cie(&x.s), fde = sample_begin(&x.s, (uint32_t)(x.s.frames.n + 4 - cie));

	sample_put32(&x.s, CODE - FRAMES - x.s.frames.n);
	sample_put32(&x.s, CODE_BYTES);
	sample_put(&x.s, BYTES("\0\x0f\x03\x77\x08\x96"));
	put_zeros(&x, n);
	sample_end(&x.s, fde);
	add_row(&x, 0, fde);
	return forge(&x, 1);
}

static void a_walk_of_endless_programs(void **state)
{
	enum step_end end;

	(void)state;
	walk_through(forge_expression(100), &end);
	assert_int_equal(end, STEP_NEXT);
	assert_in_range(walk_through(forge_expression(MIB), &end).steps, 0, 300 * MIB);
	assert_int_equal(end, STEP_OTHER);
}

/* A sparse file says that its table has 2^29 rows: 4 GiB of memory. */
static void table_of_gigabytes(void **state)
{
	struct forged x = {0};
	size_t cie = sample_cie(&x.s);
	struct effort e;

	(void)state;
	add_row(&x, 0, sample_fde(&x.s, cie, 0, 16, BYTES("\x0e\x10")));
	e = make_table(forge(&x, 1u << 29), 10);
	assert_in_range(e.allocated_bytes, 0, 16 * MIB);
	assert_in_range(e.read_bytes, 0, 16 * MIB);
}

/* Segments that are empty in the file, as one of variables may be. Their bytes were never freed,
 * which LeakSanitizer tells at the end. */
static void empty_segments(void **state)
{
	const Elf64_Phdr segments[] = {{.p_type = PT_LOAD, .p_flags = PF_R},
				       {.p_type = PT_LOAD, .p_flags = PF_R | PF_X}};
	const Elf64_Ehdr h = header_of(2);
	int fd = memfd_create("forged", MFD_CLOEXEC);

	(void)state;
	sample_write(fd, 0, &h, sizeof(h));
	sample_write(fd, sizeof(h), segments, sizeof(segments));
	make_table(fd, 10);
}

/* --- headers -------------------------------------------------------------------------------- */

/* A file of @n_segments like @segment, and sections by the 32-bit number that the first one has. */
static int forge_headers(const Elf64_Phdr *segment, size_t n_segments, uint32_t n_sections,
			 uint64_t bytes)
{
	const Elf64_Shdr first = {.sh_size = n_sections};
	int fd = memfd_create("forged", MFD_CLOEXEC);
	Elf64_Ehdr h = header_of(n_segments);

	h.e_shoff = sizeof(h) + n_segments * sizeof(*segment);
	h.e_shentsize = sizeof(Elf64_Shdr);
	h.e_shstrndx = 1;
	assert_int_equal(ftruncate(fd, (off_t)bytes), 0);
	sample_write(fd, 0, &h, sizeof(h));
	for (size_t i = 0; i < n_segments; i++)
		sample_write(fd, h.e_phoff + i * sizeof(*segment), segment, sizeof(*segment));
	sample_write(fd, h.e_shoff, &first, sizeof(first));
	return fd;
}

/* A million section headers in a sparse file, to be searched for each name. */
static void a_million_sections(void **state)
{
	int fd = forge_headers(NULL, 0, MIB, 80 * MIB);
	struct elffile f;
	Elf64_Shdr s;

	(void)state;
	effort_start();
	assert_int_equal(elffile_open(fd, &f), 0);
	assert_int_not_equal(elffile_section(&f, ".eh_frame", &s), 0);
	assert_in_range(effort_spent().reads, 0, 100);
	elffile_release(&f);
	close(fd);
}

/* Segments of notes: the same 64 KiB again and again. */
static void hundreds_of_notes(void **state)
{
	const Elf64_Phdr segment = {.p_type = PT_NOTE, .p_offset = MIB, .p_filesz = 65536};
	int fd = forge_headers(&segment, 500, 0, 2 * MIB);
	uint8_t id[BUILDID_MAX];
	struct elffile f;

	(void)state;
	effort_start();
	assert_int_equal(elffile_open(fd, &f), 0);
	assert_int_equal(buildid_read(&f, id), 0);
	assert_in_range(effort_spent().read_bytes, 0, 2 * MIB);
	elffile_release(&f);
	close(fd);
	fd = forge_headers(&segment, 5000, 0, 2 * MIB);
	assert_int_equal(elffile_open(fd, &f), -EINVAL);
	close(fd);
}

/* --- closure -------------------------------------------------------------------------------- */

/* A program that needs @n libraries, none of which there is, from each of some 1,300 folders. */
static void forge_program(const char *name, uint64_t n)
{
	enum { TEXTS = 1000, DYNAMIC = 0x4000 };
	const Elf64_Phdr segments[] = {
		{PT_LOAD, PF_R, 0, 0, 0, MIB, MIB, 1},
		{PT_DYNAMIC, PF_R, DYNAMIC, DYNAMIC, 0, (n + 2) * sizeof(Elf64_Dyn), 0, 8},
	};
	const Elf64_Ehdr h = {
		.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
		.e_machine = EM_X86_64,
		.e_phoff = sizeof(h),
		.e_phentsize = sizeof(*segments),
		.e_phnum = 2,
	};
	const Elf64_Dyn start[] = {{DT_STRTAB, {TEXTS}}, {DT_RPATH, {2}}}, one = {DT_NEEDED, {0}};
	_free_ char *path = snippet_path(name);
	int fd = open(path, O_CREAT | O_TRUNC | O_RDWR | O_CLOEXEC, 0755);

	assert_int_equal(ftruncate(fd, MIB), 0);
	sample_write(fd, 0, &h, sizeof(h));
	sample_write(fd, sizeof(h), segments, sizeof(segments));
	sample_write(fd, TEXTS, "x", 2);
	for (uint64_t i = 0; i < 1300; i++)
		sample_write(fd, TEXTS + 2 + 3 * i, "/d:", 3);
	sample_write(fd, DYNAMIC, start, sizeof(start));
	for (uint64_t i = 0; i < n; i++)
		sample_write(fd, DYNAMIC + sizeof(start) + i * sizeof(one), &one, sizeof(one));
	close(fd);
}

static int open_folder(void)
{
	int fd = open(snippet_dir, O_PATH | O_CLOEXEC);

	assert_true(fd >= 0);
	return fd;
}

/* Each of its 10,000 names was looked for in each of 1,300 folders. */
static void a_program_that_needs_too_much(void **state)
{
	_close_ int root_fd = open_folder();
	closure c = {0};

	(void)state;
	forge_program("needy", 10000);
	effort_start();
	closure_search_program(root_fd, "/needy", NULL, &c);
	assert_int_equal(c.n, 1);
	assert_in_range(effort_spent().allocated_bytes, 0, 64 * MIB);
	closure_release(&c);
}

/* A linker's cache whose entries all have one name of a megabyte: it was measured for each of them,
 * and that for each library that is needed. */
static void a_cache_of_one_name(void **state)
{
	enum { N = 50000, HEADER = 48, ENTRY = 24 };
	static const uint32_t entry[6] = {0x0303, HEADER + N * ENTRY, HEADER + N * ENTRY};
	_free_ char *path = snippet_path("etc/ld.so.cache"), *text = mem_zalloc(MIB + 1, 1);
	_close_ int root_fd = open_folder();
	const uint32_t n = N;
	closure c = {0};
	int fd;

	(void)state;
	snippet_run("mkdir etc");
	fd = open(path, O_CREAT | O_RDWR | O_CLOEXEC, 0644);
	sample_write(fd, 0, "glibc-ld.so.cache1.1", 20);
	sample_write(fd, 20, &n, sizeof(n));
	for (uint64_t i = 0; i < N; i++)
		sample_write(fd, HEADER + i * ENTRY, entry, sizeof(entry));
	memset(text, 'x', MIB);
	sample_write(fd, HEADER + N * ENTRY, text, MIB + 1);
	close(fd);
	forge_program("cached", 1000);
	closure_search_program(root_fd, "/cached", NULL, &c);
	assert_int_equal(c.n, 1);
	closure_release(&c);
}

/* --- debug files ---------------------------------------------------------------------------- */

/* A sparse file under the name of a debug file, whose bytes are to be summed up. */
static void an_endless_debug_file(void **state)
{
	_free_ char *path = snippet_path("a"), *debug = snippet_path("a.debug");
	struct elffile f;
	int fd;

	(void)state;
	snippet_build("a", "int main(void) { return 0; }\n", "-Wl,--build-id=none");
	snippet_run("echo > a.debug && objcopy --add-gnu-debuglink=a.debug a");
	assert_int_equal(truncate(debug, INT64_C(1) << 40), 0);
	fd = snippet_open("a");
	assert_int_equal(elffile_open(fd, &f), 0);
	effort_start();
	assert_int_equal(debugfile_find(&f, path, -1), -ENOENT);
	assert_in_range(effort_spent().read_bytes, 0, MIB);
	elffile_release(&f);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_into_zeros),
		cmocka_unit_test(programs_that_overlap),
		cmocka_unit_test(commons_that_overlap),
		cmocka_unit_test(rows_of_one_place),
		cmocka_unit_test(endless_program),
		cmocka_unit_test(a_walk_of_endless_programs),
		cmocka_unit_test(table_of_gigabytes),
		cmocka_unit_test(empty_segments),
		cmocka_unit_test(a_million_sections),
		cmocka_unit_test(hundreds_of_notes),
		cmocka_unit_test(a_program_that_needs_too_much),
		cmocka_unit_test(a_cache_of_one_name),
		cmocka_unit_test(an_endless_debug_file),
	};

	effort_count();
	return cmocka_run_group_tests(tests, snippet_setup, snippet_teardown);
}
