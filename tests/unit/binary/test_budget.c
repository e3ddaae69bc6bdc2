/*
 * Budgets of foreign files (elf/budget.h): that each kind of file that was made to keep a reader
 * busy ends within its own, counted without a clock; that the pool is fair between owners, and that
 * the reader looks around often.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <zlib.h>

#include "cfi_sample.h"
#include "effort.h"
#include "elf/buildid.h"
#include "elf/needed.h"
#include "process/identity.h"
#include "table_sample.h"

#define MIB UINT64_C(1048576)

/* As in elf/budget.c: what opening a file may take. */
#define FILE_BYTES (384 * MIB)
#define FILE_STEPS (1u << 25)

static const struct budget_limits of_piece = {.bytes = 2 * MIB, .steps = 1u << 21};

/* --- files ---------------------------------------------------------------------------------- */

struct section {
	const char *name;
	uint64_t offset, bytes, flags;
};

/* An ELF file of @bytes, sparse, with @segments behind its header. */
static int file_of(const Elf64_Phdr *segments, size_t n, uint64_t bytes)
{
	const Elf64_Ehdr h = {
		.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
		.e_machine = EM_X86_64,
		.e_phoff = sizeof(h),
		.e_phentsize = sizeof(*segments),
		.e_phnum = (uint16_t)n,
		.e_shentsize = sizeof(Elf64_Shdr),
	};
	int fd = memfd_create("forged", MFD_CLOEXEC);

	assert_int_equal(ftruncate(fd, (off_t)bytes), 0);
	sample_write(fd, 0, &h, sizeof(h));
	if (n)
		sample_write(fd, sizeof(h), segments, n * sizeof(*segments));
	return fd;
}

/* Puts @n section headers at @at, the names' last. */
static void put_sections(int fd, uint64_t at, const struct section *sections, uint16_t n)
{
	const uint64_t names_at = at + (n + 2) * sizeof(Elf64_Shdr);
	const uint16_t count = (uint16_t)(n + 2), last = (uint16_t)(n + 1);
	uint64_t name = 1;
	Elf64_Shdr s = {0};

	sample_write(fd, at, &s, sizeof(s));
	for (uint16_t i = 0; i < n; i++) {
		s = (Elf64_Shdr){.sh_name = (uint32_t)name,
				 .sh_type = SHT_PROGBITS,
				 .sh_flags = sections[i].flags,
				 .sh_addr = sections[i].offset,
				 .sh_offset = sections[i].offset,
				 .sh_size = sections[i].bytes};
		sample_write(fd, at + (i + 1u) * sizeof(s), &s, sizeof(s));
		sample_write(fd, names_at + name, sections[i].name, strlen(sections[i].name) + 1);
		name += strlen(sections[i].name) + 1;
	}
	s = (Elf64_Shdr){.sh_type = SHT_STRTAB, .sh_offset = names_at, .sh_size = name};
	sample_write(fd, at + last * sizeof(s), &s, sizeof(s));
	sample_write(fd, names_at, "", 1);
	sample_write(fd, offsetof(Elf64_Ehdr, e_shoff), &at, sizeof(at));
	sample_write(fd, offsetof(Elf64_Ehdr, e_shnum), &count, sizeof(count));
	sample_write(fd, offsetof(Elf64_Ehdr, e_shstrndx), &last, sizeof(last));
}

static Elf64_Phdr code_of(uint64_t offset, uint64_t bytes)
{
	return (Elf64_Phdr){PT_LOAD, PF_R | PF_X, offset, offset, 0, bytes, bytes, 1};
}

/* --- reading -------------------------------------------------------------------------------- */

/* As the unwinder does: opens the file, makes the tables of its first @pieces pieces, asks for
 * @places in each. Closes @fd. How the budget ended. */
static enum budget_end read_within(int fd, struct budget *b, uint64_t pieces, uint64_t places)
{
	struct table_maker *maker = NULL;
	struct elffile f;

	effort_start();
	if (budget_begin(b, NULL) && !elffile_open_within(fd, b, &f)) {
		if (table_maker_new(&f, &maker))
			maker = NULL;
		for (uint64_t i = 0; i < pieces && maker; i++) {
			struct table_blob t = {0};
			struct cfi_frame frame;

			if (budget_begin(b, &of_piece) &&
			    !table_make(maker, i << WIRE_PIECE_BITS, (i + 1) << WIRE_PIECE_BITS,
					&t))
				assert_true(is_sound(&t));
			table_blob_release(&t);
			for (uint64_t k = 0; k < places && !budget_is_over(b); k++)
				table_frame(maker, (i << WIRE_PIECE_BITS) + 16 * k, &frame);
		}
		table_maker_free(maker);
		elffile_release(&f);
	}
	close(fd);
	return budget_end(b);
}

/* Reads it with a budget of its own, and checks what it took: @steps and @bytes at most. */
static enum budget_end check_file(int fd, uint64_t pieces, uint64_t places, uint64_t steps,
				  uint64_t bytes)
{
	struct budget b;
	enum budget_end end;

	budget_open(NULL, 0, &b);
	end = read_within(fd, &b, pieces, places);
	assert_in_range(effort_spent().steps, 0, steps);
	assert_in_range(effort_spent().read_bytes, 0, bytes);
	assert_in_range(b.spent.bytes, 0, FILE_BYTES + pieces * of_piece.bytes + MIB);
	assert_in_range(b.spent.steps, 0, FILE_STEPS + pieces * of_piece.steps + 16 * MIB);
	budget_close(&b);
	return end;
}

/* 511 segments that show the same 16 MiB, each a byte later: they were read and searched 511 times.
 */
static void segments_that_overlap(void **state)
{
	Elf64_Phdr segments[512];

	(void)state;
	for (uint64_t i = 0; i < 511; i++)
		segments[i] = (Elf64_Phdr){.p_type = PT_LOAD,
					   .p_flags = PF_R,
					   .p_offset = MIB + i,
					   .p_vaddr = (i + 1) << 32,
					   .p_filesz = 16 * MIB - i};
	segments[511] = code_of(65536, 4096);
	check_file(file_of(segments, 512, 17 * MIB), 1, 8, 60 * MIB, 18 * MIB);
}

/* Of 4 GiB that cost nothing, in segments that do not overlap. */
static void a_sparse_file(void **state)
{
	Elf64_Phdr segments[65];

	(void)state;
	for (uint64_t i = 0; i < 64; i++)
		segments[i] = (Elf64_Phdr){.p_type = PT_LOAD,
					   .p_flags = PF_R,
					   .p_offset = (1 + 64 * i) * MIB,
					   .p_vaddr = (i + 1) << 32,
					   .p_filesz = 64 * MIB};
	segments[64] = code_of(65536, 4096);
	assert_int_equal(check_file(file_of(segments, 65, 4097 * MIB), 1, 1, 400 * MIB,
				    FILE_BYTES + 2 * MIB),
			 BUDGET_USED_UP);
	/* It is searched part by part. */
	assert_in_range(effort_spent().allocated_bytes, 0, 8 * MIB);
}

/* CIEs without an entry behind them, each of which looks like the first one. */
static void heads_of_nothing(void **state)
{
	static const char cie[] = "\x40\0\0\0\0\0\0\0\1zR\0\1\x78\x10\1\x1b";
	const Elf64_Phdr segments[] = {
		{.p_type = PT_LOAD, .p_flags = PF_R, .p_offset = MIB, .p_filesz = 32 * MIB},
		code_of(65536, 4096)};
	_free_ char *text = mem_zalloc(32 * MIB, 1);
	int fd = file_of(segments, 2, 33 * MIB);

	(void)state;
	for (size_t i = 0; i + sizeof(cie) <= 32 * MIB; i += sizeof(cie) - 1)
		memcpy(text + i, cie, sizeof(cie) - 1);
	sample_write(fd, MIB, text, 32 * MIB);
	assert_int_equal(check_file(fd, 1, 1, 200 * MIB, 34 * MIB), BUDGET_USED_UP);
}

/* 65,535 sections with the same long name, searched for 131,070 times. */
static void names_of_sections(void **state)
{
	enum { N = 65535 };
	int fd = file_of(NULL, 0, 8 * MIB);
	const uint64_t at = 64;
	struct budget b;
	struct elffile f;
	Elf64_Shdr s = {.sh_size = N, .sh_offset = 7 * MIB};

	(void)state;
	sample_write(fd, offsetof(Elf64_Ehdr, e_shoff), &at, sizeof(at));
	sample_write(fd, at, &s, sizeof(s));
	budget_open(NULL, 0, &b);
	effort_start();
	assert_true(budget_begin(&b, NULL));
	assert_int_equal(elffile_open_within(fd, &b, &f), 0);
	assert_int_equal(f.n_sections, N);
	for (int i = 0; i < 2 * N; i++)
		assert_int_not_equal(elffile_section(&f, i % 2 ? ".eh_frame" : ".debug_frame", &s),
				     0);
	assert_in_range(effort_spent().read_bytes, 0, 16 * MIB);
	assert_in_range(effort_spent().reads, 0, 300000);
	assert_in_range(effort_spent().steps, 0, 2000 * MIB);
	assert_int_equal(budget_end(&b), BUDGET_USED_UP);
	elffile_release(&f);
	close(fd);
}

/* A section that inflates to all that a section may have, for nothing. */
static void a_section_inflated(void **state)
{
	const Elf64_Phdr code = code_of(65536, 4096);
	const Elf64_Chdr head = {.ch_type = ELFCOMPRESS_ZLIB, .ch_size = 128 * MIB};
	uLongf n = compressBound(head.ch_size);
	_free_ unsigned char *all = mem_zalloc(head.ch_size, 1), *packed = mem_zalloc(n, 1);
	int fd = file_of(&code, 1, 4 * MIB);
	struct section s = {".debug_frame", MIB, 0, SHF_COMPRESSED};

	(void)state;
	assert_int_equal(compress2(packed, &n, all, head.ch_size, 9), Z_OK);
	sample_write(fd, MIB, &head, sizeof(head));
	sample_write(fd, MIB + sizeof(head), packed, n);
	s.bytes = sizeof(head) + n;
	put_sections(fd, 3 * MIB, &s, 1);
	assert_int_equal(check_file(fd, 1, 1, 200 * MIB, 2 * MIB), BUDGET_USED_UP);
}

/* Go's table: 256 MiB of nothing are not even read. */
static void a_table_without_a_head(void **state)
{
	const Elf64_Phdr code = code_of(65536, 4096);
	const struct section s = {".gopclntab", MIB, 256 * MIB, 0};
	int fd = file_of(&code, 1, 260 * MIB);

	(void)state;
	put_sections(fd, 259 * MIB, &s, 1);
	assert_int_equal(check_file(fd, 1, 1, MIB, MIB), BUDGET_GOES_ON);
}

/* One function of 48 MiB with a row for each byte: it was told from its start for each piece. */
static void a_function_of_go(void **state)
{
	enum { ROWS = 48 << 20 };
	const Elf64_Phdr code = code_of(MIB, ROWS);
	const struct section s[] = {{".gopclntab", 64 * MIB, 100 * MIB, 0},
				    {".text", MIB, ROWS, 0}};
	const uint64_t head[] = {0x08010000fffffff1, 1, 0, MIB, 200, 0, 0, 4096, 1024};
	const uint32_t table[] = {0, 64, ROWS, 0};
	int fd = file_of(&code, 1, 170 * MIB);
	_free_ char *steps = mem_zalloc(2 * ROWS, 1);

	(void)state;
	for (size_t i = 0; i < ROWS; i++) {
		steps[2 * i] = i % 2 ? 1 : 2;
		steps[2 * i + 1] = 1;
	}
	sample_write(fd, 64 * MIB, head, sizeof(head));
	sample_write(fd, 64 * MIB + 1024, table, sizeof(table));
	sample_write(fd, 64 * MIB + 1024 + 64 + 16, &(uint32_t){1}, 4);
	sample_write(fd, 64 * MIB + 4097, steps, 2 * ROWS);
	put_sections(fd, 168 * MIB, s, 2);
	assert_int_equal(check_file(fd, 190, 0, 1000 * MIB, 400 * MIB), BUDGET_USED_UP);
}

/* Code without call frame information, of nothing but jumps back over pushes. */
static void code_of_jumps(void **state)
{
	const Elf64_Phdr code = code_of(MIB, 16 * MIB);
	_free_ char *text = mem_zalloc(16 * MIB, 1);
	int fd = file_of(&code, 1, 17 * MIB);

	(void)state;
	for (size_t i = 0; i + 4 <= 16 * MIB; i += 4)
		memcpy(text + i, i % 8 ? "\x50\x75\xfa\x58" : "\x53\x74\x06\xc3", 4);
	sample_write(fd, MIB, text, 16 * MIB);
	check_file(fd, 68, 0, UINT64_C(4000) * MIB, 64 * MIB);
}

/* A million entries over the same code, without a sorted table: one counts. */
static void entries_of_one_place(void **state)
{
	struct sample s = {0};
	const size_t cie = sample_cie(&s);

	(void)state;
	for (int i = 0; i < 1000000; i++)
		sample_fde(&s, cie, 0, CODE_BYTES, BYTES("\x0e\x10"));
	check_file(sample_file(&s), 1, 10000, 600 * MIB, 64 * MIB);
}

/* CIEs with augmentations that are as long as the rest of the section. */
static void chains_of_augmentations(void **state)
{
	struct sample s = {0};

	(void)state;
	for (int i = 0; i < 60000; i++) {
		const size_t at = sample_begin(&s, 0);

		sample_put(&s, BYTES("\1zRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRRR\0\x01\x78\x10\x30"));
		for (int k = 0; k < 48; k++)
			vec_push(&s.frames, 0x1b);
		sample_end(&s, at);
	}
	check_file(sample_file(&s), 1, 100, 200 * MIB, 16 * MIB);
}

/* What the dynamic section may name: 4,096 times the same 4,000 bytes. */
static void a_long_dynamic_section(void **state)
{
	enum { N = 4096 };
	const Elf64_Phdr segments[] = {
		{PT_LOAD, PF_R, 0, 0, 0, MIB, MIB, 1},
		{PT_DYNAMIC, PF_R, 65536, 65536, 0, N * sizeof(Elf64_Dyn), 0, 8}};
	_free_ Elf64_Dyn *entries = mem_zalloc(N, sizeof(*entries));
	_free_ char *text = mem_zalloc(4000, 1);
	int fd = file_of(segments, 2, MIB);
	struct needed needed = {0};
	struct budget b;
	struct elffile f;

	(void)state;
	memset(text, 'x', 3999);
	sample_write(fd, 4096, text, 4000);
	entries[0] = (Elf64_Dyn){DT_STRTAB, {4096}};
	for (int i = 1; i < N; i++)
		entries[i].d_tag = DT_NEEDED;
	sample_write(fd, 65536, entries, N * sizeof(*entries));
	budget_open_small(NULL, 0, &b);
	effort_start();
	assert_true(budget_begin(&b, NULL));
	assert_int_equal(elffile_open_within(fd, &b, &f), 0);
	needed_read(&f, &needed);
	assert_in_range(effort_spent().read_bytes, 0, MIB);
	assert_int_equal(budget_end(&b), BUDGET_USED_UP);
	needed_release(&needed);
	elffile_release(&f);
	close(fd);
}

/* Notes without an end, for what a file is known by. */
static void notes_of_nothing(void **state)
{
	Elf64_Phdr segments[512];
	uint8_t id[BUILDID_MAX];
	int fd;

	(void)state;
	for (size_t i = 0; i < 512; i++)
		segments[i] =
			(Elf64_Phdr){.p_type = PT_NOTE, .p_offset = MIB + 4 * i, .p_filesz = 65536};
	fd = file_of(segments, 512, 2 * MIB);
	effort_start();
	assert_int_equal(identity_read_build_id(fd, NULL, 0, id), 0);
	assert_in_range(effort_spent().read_bytes, 0, MIB);
	assert_in_range(effort_spent().steps, 0, MIB);
	close(fd);
}

/* --- the pool ------------------------------------------------------------------------------- */

static uint64_t clock_at, asked;
static bool goes_on;

static uint64_t now(void)
{
	return clock_at;
}

static bool ask(void *context)
{
	(void)context;
	asked++;
	return goes_on;
}

static struct budget_pool *new_pool(void)
{
	const struct budget_world world = {now, ask, NULL, 1024 * MIB};

	clock_at = UINT64_C(1000000000);
	asked = 0;
	goes_on = true;
	return budget_pool_new(&world);
}

#define SECOND UINT64_C(1000000000)

static uint64_t owner_of(uint32_t uid)
{
	return budget_owner_of(uid, 7, true);
}

/* As much as each file may have at first, and a bit. Whether it may have more at once. */
static bool grow(struct budget *b)
{
	assert_true(budget_begin(b, NULL));
	while (budget_steps(b, 1000))
		clock_at += 4000;
	assert_true(b->is_large);
	assert_int_equal(budget_end(b), BUDGET_PUT_OFF);
	return budget_begin(b, NULL);
}

/* Reads until it is told to stop, as a forged file would have it, and once more where it turned out
 * to be large. The nanoseconds that it took, in terms of the budget. */
static uint64_t use_up(struct budget_pool *p, uint64_t owner, enum budget_end *end)
{
	struct budget b;
	uint64_t ns;

	budget_open(p, owner, &b);
	for (int i = 0; i < 2; i++) {
		if (!budget_begin(&b, NULL))
			break;
		while (budget_steps(&b, 1000))
			clock_at += 4000;
		budget_end(&b);
	}
	*end = b.end;
	ns = budget_cost_ns(&b);
	budget_close(&b);
	return ns;
}

/* Until the owner's large files have to wait. */
static void use_up_share(struct budget_pool *p, uint64_t owner)
{
	enum budget_end end = BUDGET_GOES_ON;

	for (int i = 0; i < 100 && end != BUDGET_PUT_OFF; i++)
		use_up(p, owner, &end);
	assert_int_equal(end, BUDGET_PUT_OFF);
}

/* A thousand forged files of one owner, as often as they may be read within an hour, take little
 * more than ten. */
static void a_thousand_files(void **state)
{
	struct budget_pool *p = new_pool();
	enum budget_end end;
	uint64_t one, all = 0;

	(void)state;
	one = use_up(p, owner_of(1000), &end);
	assert_int_equal(end, BUDGET_USED_UP);
	for (int i = 0; i < 1000;) {
		all += use_up(p, owner_of(1000), &end);
		i += end != BUDGET_PUT_OFF;
		clock_at += SECOND / 100;
	}
	assert_in_range(all, 5 * one, 14 * one);
	assert_in_range(budget_pool_losses(p)->files, 1001, 1001);
	assert_true(budget_pool_losses(p)->spared > 900);
	budget_pool_free(p);
}

/* Meanwhile other owners' files have all that they need, at once. */
static void other_owners(void **state)
{
	struct budget_pool *p = new_pool();
	enum budget_end end;
	uint64_t one;

	(void)state;
	one = use_up(p, owner_of(1001), &end);
	budget_pool_free(p);
	p = new_pool();
	for (int i = 0; i < 1000; i++)
		use_up(p, owner_of(1000), &end);
	assert_int_equal(end, BUDGET_PUT_OFF);
	assert_true(budget_pool_losses(p)->put_off > 900);
	assert_true(use_up(p, owner_of(1001), &end) >= one);
	assert_int_equal(end, BUDGET_USED_UP);
	assert_true(use_up(p, owner_of(0), &end) >= one);
	assert_int_equal(end, BUDGET_USED_UP);
	/* Root of a container is not root. */
	for (int i = 0; i < 1000; i++)
		use_up(p, budget_owner_of(0, 9, false), &end);
	assert_true(use_up(p, owner_of(0), &end) >= one);
	budget_pool_free(p);
}

/* Files that take little are read while the same owner's large ones wait. */
static void small_files(void **state)
{
	struct budget_pool *p = new_pool();

	(void)state;
	use_up_share(p, owner_of(1000));
	for (int i = 0; i < 1000; i++) {
		struct budget b;

		budget_open(p, owner_of(1000), &b);
		assert_true(budget_begin(&b, NULL));
		assert_true(budget_steps(&b, 20000));
		assert_int_equal(budget_end(&b), BUDGET_GOES_ON);
		budget_close(&b);
	}
	budget_pool_free(p);
}

/* A large file that is open goes on while large ones that are not wait; when the owner's whole
 * share is used up, its pieces are put off without a read, and come when the share has refilled. */
static void pieces_of_a_large_file(void **state)
{
	struct budget_pool *p = new_pool();
	uint64_t pieces = 0;
	struct budget b;

	(void)state;
	budget_open(p, owner_of(1000), &b);
	assert_true(grow(&b));
	assert_true(budget_steps(&b, FILE_STEPS / 2));
	assert_int_equal(budget_end(&b), BUDGET_GOES_ON);
	use_up_share(p, owner_of(1000));
	for (; pieces < 10000 && budget_begin(&b, &of_piece); pieces++) {
		assert_true(budget_steps(&b, of_piece.steps / 2));
		assert_int_equal(budget_end(&b), BUDGET_GOES_ON);
	}
	assert_in_range(pieces, 50, 250);
	assert_int_equal(b.end, BUDGET_PUT_OFF);
	clock_at += SECOND;
	assert_true(budget_begin(&b, &of_piece));
	assert_true(budget_steps(&b, 1000));
	assert_int_equal(budget_end(&b), BUDGET_GOES_ON);
	budget_close(&b);
	budget_pool_free(p);
}

/* As many users as there are take half of the time at most, and root's files go on. */
static void many_owners(void **state)
{
	struct budget_pool *p = new_pool();
	const uint64_t start = clock_at;
	enum budget_end end;
	uint64_t all = 0;

	(void)state;
	for (uint32_t i = 0; clock_at < start + 60 * SECOND; i++) {
		all += use_up(p, owner_of(100000 + i), &end);
		clock_at += SECOND / 1000;
	}
	assert_in_range(all, SECOND, 2 * SECOND + (clock_at - start) * 50 / 100);
	use_up(p, owner_of(0), &end);
	assert_int_equal(end, BUDGET_USED_UP);
	budget_pool_free(p);
}

/* What takes long without steps is charged as time. */
static void slow_reads(void **state)
{
	struct budget_pool *p = new_pool();
	struct budget b;

	(void)state;
	budget_open(p, owner_of(1000), &b);
	assert_true(grow(&b));
	for (int i = 0; i < 1000 && budget_bytes(&b, 5 * MIB / 4); i++)
		clock_at += SECOND / 10;
	assert_int_equal(budget_end(&b), BUDGET_USED_UP);
	assert_in_range(b.spent.ns, 5 * SECOND, 6 * SECOND);
	assert_in_range(b.spent.bytes, 1, 100 * MIB);
	budget_close(&b);
	budget_pool_free(p);
}

/* The end of the capture is looked at every millisecond or two; the file may be read later. */
static void looks_around(void **state)
{
	struct budget_pool *p = new_pool();
	uint64_t n = 0;
	struct budget b;

	(void)state;
	budget_open(p, owner_of(1000), &b);
	assert_true(grow(&b));
	asked = 0;
	for (; n < 4000 && budget_steps(&b, 1000); n++)
		clock_at += 4000;
	assert_in_range(asked, 10, 40);
	goes_on = false;
	for (n = 0; budget_steps(&b, 1000); n++)
		clock_at += 4000;
	assert_in_range(n, 0, 600);
	assert_int_equal(budget_end(&b), BUDGET_STOPPED);
	assert_false(budget_steps(&b, 1));
	goes_on = true;
	clock_at += SECOND;
	assert_true(budget_begin(&b, NULL));
	assert_true(budget_steps(&b, 1));
	assert_int_equal(budget_pool_losses(p)->stopped, 1);
	budget_close(&b);
	budget_pool_free(p);
}

/* What a file is known by is read even when the capture has ended, within limits. */
static void identities_at_the_end(void **state)
{
	struct budget_pool *p = new_pool();
	uint64_t n = 0;
	struct budget b;

	(void)state;
	goes_on = false;
	budget_open_small(p, owner_of(1000), &b);
	assert_true(budget_begin(&b, NULL));
	for (; n < 1000 && budget_steps(&b, 100); n++)
		clock_at += 400;
	assert_in_range(n, 50, 100);
	assert_int_equal(budget_end(&b), BUDGET_USED_UP);
	assert_int_equal(budget_pool_losses(p)->stopped, 0);
	budget_close(&b);
	budget_pool_free(p);
}

/* Memory: half of it for one user, then half of the rest; root may have what is left. */
static void memory(void **state)
{
	struct budget_pool *p = new_pool();
	struct budget b[4];

	(void)state;
	for (uint32_t i = 0; i < 3; i++) {
		budget_open(p, owner_of(i < 2 ? 1000 + i : 0), &b[i]);
		assert_true(grow(&b[i]));
	}
	assert_true(budget_memory(&b[0], 500 * MIB));
	assert_false(budget_memory(&b[0], 20 * MIB));
	assert_int_equal(b[0].end, BUDGET_USED_UP);
	assert_true(budget_memory(&b[1], 200 * MIB));
	assert_true(budget_memory(&b[2], 250 * MIB));
	budget_open(p, owner_of(1001), &b[3]);
	assert_true(budget_begin(&b[3], NULL));
	assert_false(budget_memory(&b[3], 100 * MIB));
	assert_int_equal(budget_end(&b[3]), BUDGET_PUT_OFF);
	for (int i = 0; i < 4; i++)
		budget_close(&b[i]);
	clock_at += 60 * SECOND;
	budget_open(p, owner_of(1000), &b[0]);
	assert_true(grow(&b[0]));
	assert_true(budget_memory(&b[0], 500 * MIB));
	budget_close(&b[0]);
	budget_pool_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(segments_that_overlap),
		cmocka_unit_test(a_sparse_file),
		cmocka_unit_test(heads_of_nothing),
		cmocka_unit_test(names_of_sections),
		cmocka_unit_test(a_section_inflated),
		cmocka_unit_test(a_table_without_a_head),
		cmocka_unit_test(a_function_of_go),
		cmocka_unit_test(code_of_jumps),
		cmocka_unit_test(entries_of_one_place),
		cmocka_unit_test(chains_of_augmentations),
		cmocka_unit_test(a_long_dynamic_section),
		cmocka_unit_test(notes_of_nothing),
		cmocka_unit_test(a_thousand_files),
		cmocka_unit_test(other_owners),
		cmocka_unit_test(small_files),
		cmocka_unit_test(pieces_of_a_large_file),
		cmocka_unit_test(many_owners),
		cmocka_unit_test(slow_reads),
		cmocka_unit_test(looks_around),
		cmocka_unit_test(identities_at_the_end),
		cmocka_unit_test(memory),
	};

	effort_count();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
