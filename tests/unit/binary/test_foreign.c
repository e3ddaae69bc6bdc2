/*
 * What the bounded parsers make of strangers' files: by the entries by which the privileged process
 * and its children call them (PRIVILEGED in tests/floors), of honest files, of thousands of damaged
 * ones. All of it under ASan and UBSan, and of each file it is counted how much was read, allocated
 * and done: no more than its size explains. Files that were made to keep a reader busy are in
 * test_forged.c.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>

#include "base/hash.h"
#include "cfi/cfi_step.h"
#include "cfi/fde.h"
#include "cfi/gotab.h"
#include "code/frames.h"
#include "code/reach.h"
#include "code/site.h"
#include "debugfile_find.h"
#include "effort.h"
#include "elf/buildid.h"
#include "elf/needed.h"
#include "elf/segments.h"
#include "go_sample.h"
#include "process/closure.h"
#include "process/filecopy.h"
#include "process/identity.h"
#include "snippet.h"
#include "table_sample.h"

/* --- one file ------------------------------------------------------------------------------- */

#define PIECE	   (UINT64_C(1) << WIRE_PIECE_BITS)
#define MAX_PIECES 4
#define PLACES	   12
#define FRAMES_MAX 64

/* A file that is driven through all parsers. */
struct driven {
	struct elffile f;
	struct table_maker *maker;
	struct table_blob tables[MAX_PIECES];
	uint64_t seed; /* of the places that are asked about */
};

static uint64_t next_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

/* A process whose memory holds places of the file's code, and noise. */
static bool read_word(void *context, uint64_t address, uint64_t *out)
{
	const struct driven *d = context;
	const uint64_t noise = hash_two(address, d->seed);

	*out = noise % 2 ? noise : noise / 2 % (d->f.bytes + 1);
	return noise % 16 != 0;
}

static bool find_code(void *context, uint64_t address, struct native_code *out)
{
	const struct driven *d = context;
	const uint64_t piece = address / PIECE;

	*out = (struct native_code){.offset = address};
	if (piece < MAX_PIECES && d->tables[piece].words)
		out->table = &d->tables[piece];
	return address < d->f.bytes;
}

static bool find_frame(void *context, uint64_t address, struct cfi_frame *out)
{
	const struct driven *d = context;

	return table_frame(d->maker, address, out);
}

static void walk(struct driven *d)
{
	uint64_t registers[CFI_REGISTERS], frames[FRAMES_MAX];
	const struct native_walk walk = {.registers = registers,
					 .find = find_code,
					 .read = read_word,
					 .frame = find_frame,
					 .context = d};

	for (size_t i = 0; i < CFI_REGISTERS; i++)
		registers[i] = next_random(&d->seed) % (d->f.bytes + 1);
	assert_true(native_walk(&walk, frames, FRAMES_MAX).n <= FRAMES_MAX);
}

/* As the unwinder does for what the walker in the kernel asks. */
static void drive_unwinder(struct driven *d)
{
	const struct cfi_memory memory = {read_word, d};
	struct cfi_registers r = {.known = (1u << CFI_REGISTERS) - 1};
	struct cfi_frame frame;

	if (table_maker_new(&d->f, &d->maker))
		return;
	for (uint64_t i = 0; i < MAX_PIECES && i * PIECE < d->f.bytes; i++) {
		if (!table_make(d->maker, i * PIECE, (i + 1) * PIECE, &d->tables[i]))
			assert_true(is_sound(&d->tables[i]));
	}
	for (int i = 0; i < PLACES; i++) {
		if (table_frame(d->maker, next_random(&d->seed) % (d->f.bytes + 1), &frame))
			cfi_step(&frame, &memory, &r);
	}
	for (int i = 0; i < PLACES; i++)
		walk(d);
	for (int i = 0; i < MAX_PIECES; i++)
		table_blob_release(&d->tables[i]);
	table_maker_free(d->maker);
}

static void drive_headers(const struct elffile *f)
{
	uint8_t id[BUILDID_MAX];
	struct needed needed = {0};
	int fd;

	assert_true(buildid_read(f, id) <= BUILDID_MAX);
	assert_int_equal(identity_read_build_id(f->fd, NULL, 0, id), buildid_read(f, id));
	needed_read(f, &needed);
	needed_release(&needed);
	fd = debugfile_find(f, "/nowhere/at/all", -1);
	if (fd >= 0)
		close(fd);
}

static bool world_frame(void *context, uint64_t address, struct site_frame *out)
{
	return frames_at(context, address, out);
}

/* What confined children alone do with it. */
static void drive_children(const struct elffile *f, uint64_t *seed)
{
	struct frames frames;
	struct fde_table table;
	const struct site_world world = {.kernel = {.long_nops = true},
					 .sweep = true,
					 .frame = world_frame,
					 .context = &frames};
	const Elf64_Phdr *code = NULL;
	struct reach reach = {0};
	uint8_t bytes[512];

	for (size_t i = 0; i < f->segments.n; i++)
		code = f->segments.at[i].p_flags & PF_X ? &f->segments.at[i] : code;
	frames_open(f, &frames);
	fde_open(f, &table);
	for (int i = 0; code && i < PLACES; i++) {
		const uint64_t at = next_random(seed) % (code->p_filesz | 1);
		const struct code own = {.bytes = bytes,
					 .n = 1 + next_random(seed) % sizeof(bytes),
					 .address = code->p_vaddr + at,
					 .offset = code->p_offset + at};
		struct sites sites;
		uint64_t start, end;

		fde_find(&table, own.address, &start, &end);
		reach_read(&reach, f, own.address, own.address + own.n);
		if (elffile_read(f, own.offset, bytes, own.n))
			continue;
		sites_find(&world, &own, &sites);
		sites_release(&sites);
	}
	reach_release(&reach);
	fde_release(&table);
	frames_release(&frames);
}

static int root_fd; /* the snippets' folder */

/* Drives the file @name in the folder through all parsers; what that took. */
static struct effort drive(const char *name, uint64_t seed)
{
	_close_ int fd = openat(root_fd, name, O_RDONLY | O_CLOEXEC);
	struct driven d = {.seed = seed};
	closure c = {0};

	assert_true(fd >= 0);
	effort_start();
	if (!elffile_open(fd, &d.f)) {
		drive_headers(&d.f);
		drive_unwinder(&d);
		drive_children(&d.f, &d.seed);
		elffile_release(&d.f);
	}
	closure_search_program(root_fd, name, NULL, &c);
	closure_release(&c);
	return effort_spent();
}

/* --- files ---------------------------------------------------------------------------------- */

static const char program_source[] =
	"#include <stdio.h>\n"
	"#include <stdlib.h>\n"
	"#include <string.h>\n"
	"static int many(int n, char *out)\n"
	"{ char at[n]; memset(at, n, n); memcpy(out, at, n); return at[n / 2]; }\n"
	"static int pick(int n)\n"
	"{ switch (n) { case 0: return 7; case 1: return puts(\"a\"); case 2: return rand();\n"
	"  case 3: abort(); case 4: return n * rand(); default: return many(n, malloc(n)); } }\n"
	"int main(int c, char **v) { return printf(\"%s %d\", *v, pick(c)); }\n";

/* No call frame information, no sections: the code itself tells, and what a scan finds. */
static const char bare_source[] =
	"__attribute__((noinline)) int add(int *a, int n)\n"
	"{ int s = 0; for (int i = 0; i < n; i++) s += a[i]; __asm__ volatile(\"\" ::: \"rbx\", "
	"\"rbp\"); return s; }\n"
	"__attribute__((noinline)) int all(int n) { int a[100]; a[n] = n; return add(a, n) + 1; }\n"
	"__asm__(\".globl stub\\nstub: mov $15, %eax\\n syscall\\n\");\n"
	"void _start(void) { __asm__ volatile(\"syscall\" :: \"a\"(60), \"D\"(all(3))); }\n";

static void strip_sections(const char *name)
{
	_free_ char *path = snippet_path(name);
	_close_ int fd = open(path, O_RDWR | O_CLOEXEC);
	Elf64_Ehdr h;

	assert_int_equal(pread(fd, &h, sizeof(h), 0), sizeof(h));
	h.e_shoff = 0;
	h.e_shnum = h.e_shstrndx = 0;
	assert_int_equal(pwrite(fd, &h, sizeof(h), 0), sizeof(h));
}

static void copy_fd(int from, const char *name)
{
	_free_ char *path = snippet_path(name);
	_close_ int to = open(path, O_CREAT | O_RDWR | O_TRUNC | O_CLOEXEC, 0644);
	char buf[4096];
	off_t at = 0;
	ssize_t n;

	assert_true(from >= 0 && to >= 0);
	while ((n = pread(from, buf, sizeof(buf), at)) > 0) {
		assert_int_equal(pwrite(to, buf, (size_t)n, at), n);
		at += n;
	}
	close(from);
}

static void copy_library(const char *library, const char *name)
{
	_free_ char *path = closure_library(NULL, library);

	assert_non_null(path);
	copy_fd(open(path, O_RDONLY | O_CLOEXEC), name);
}

static const char *const files[] = {"go",     "program", "bare", "scanned", "packed",
				    "static", "vdso",	 "true", "libz"};
#define FILES (sizeof(files) / sizeof(*files))

static int make_files(void **state)
{
	uint8_t table[TABLE_BYTES] = {0};

	if (snippet_setup(state))
		return -1;
	snippet_build("program", program_source,
		      "-O2 -Wl,--build-id=sha1 -Wl,-rpath,'$ORIGIN/../lib:/opt/lib'");
	snippet_build("bare", bare_source,
		      "-O1 -static -nostdlib -fno-asynchronous-unwind-tables -fno-stack-protector");
	snippet_build("scanned", bare_source, "-O1 -static -nostdlib -fno-stack-protector");
	strip_sections("scanned");
	snippet_build("packed", program_source, "-O2 -g1 -fno-asynchronous-unwind-tables -gz=zlib");
	snippet_build("static", bare_source,
		      "-O2 -static -nostdlib -fno-stack-protector -fno-pie -no-pie");
	write_table(table, true);
	copy_fd(write_file(table), "go");
	copy_fd(vdso_open(), "vdso");
	copy_fd(open("/bin/true", O_RDONLY | O_CLOEXEC), "true");
	copy_library("libz.so.1", "libz");
	root_fd = open(snippet_dir, O_PATH | O_CLOEXEC);
	return -(root_fd < 0);
}

static int remove_files(void **state)
{
	close(root_fd);
	return snippet_teardown(state);
}

/* --- damage --------------------------------------------------------------------------------- */

struct region {
	uint64_t start, bytes;
};

/* An honest file, and the parts of it that damage goes to. */
struct original {
	uint8_t *bytes;
	size_t n;
	VEC(struct region) regions;
};

static void add_region(struct original *o, uint64_t start, uint64_t bytes)
{
	if (bytes && start < o->n && bytes <= o->n - start)
		vec_push(&o->regions, ((struct region){start, bytes}));
}

static void read_original(const char *name, struct original *o)
{
	_close_ int fd = snippet_open(name);
	struct elffile f;
	Elf64_Shdr s;

	*o = (struct original){0};
	assert_int_equal(elffile_open(fd, &f), 0);
	o->n = f.bytes;
	o->bytes = mem_zalloc(o->n, 1);
	assert_int_equal(elffile_read(&f, 0, o->bytes, o->n), 0);
	add_region(o, 0, sizeof(Elf64_Ehdr));
	add_region(o, sizeof(Elf64_Ehdr), f.segments.n * sizeof(Elf64_Phdr));
	add_region(o, f.sections_offset, f.n_sections * sizeof(Elf64_Shdr));
	for (size_t i = 0; i < f.segments.n; i++)
		add_region(o, f.segments.at[i].p_offset, f.segments.at[i].p_filesz);
	for (uint32_t i = 1; i < f.n_sections; i++) {
		assert_int_equal(elffile_read(&f, f.sections_offset + i * sizeof(s), &s, sizeof(s)),
				 0);
		if (s.sh_type != SHT_NOBITS)
			add_region(o, s.sh_offset, s.sh_size);
	}
	elffile_release(&f);
}

static void release_original(struct original *o)
{
	free(o->bytes);
	vec_release(&o->regions);
}

/* Numbers that are too large, that are all of a file, or that lead back. */
static uint64_t odd_number(uint64_t *random, size_t n, size_t at)
{
	const uint64_t numbers[] = {UINT64_MAX,
				    INT64_MAX,
				    UINT32_MAX,
				    INT32_MAX,
				    UINT64_C(1) << 63,
				    1u << 31,
				    0,
				    1,
				    n,
				    n - 1,
				    n + 1,
				    at,
				    -(uint64_t)at,
				    UINT64_MAX - 4095,
				    1u << 28,
				    1u << 20,
				    0x1000,
				    (uint64_t)-8};

	return numbers[next_random(random) % (sizeof(numbers) / sizeof(*numbers))];
}

static void hit(uint8_t *bytes, size_t n, const struct region *r, uint64_t *random)
{
	const uint64_t at = r->start + next_random(random) % r->bytes, left = n - at;
	const uint64_t wide = next_random(random) % 2 ? 8 : 4, aligned = at / wide * wide;
	uint64_t number;

	switch (next_random(random) % 6) {
	case 0:
	case 1:
		bytes[at] ^= (uint8_t)(1u << next_random(random) % 8);
		break;
	case 2:
		bytes[at] = (uint8_t)next_random(random);
		break;
	case 3: /* a number */
		number = odd_number(random, n, at);
		if (aligned + wide <= n)
			memcpy(bytes + aligned, &number, wide);
		break;
	case 4: /* what stands elsewhere: references that lead astray, or to themselves */
		number = next_random(random) % 64;
		number = number < left ? number : left;
		memmove(bytes + at, bytes + next_random(random) % (n - number + 1), number);
		break;
	default: /* a run of one byte */
		number = next_random(random) % 256;
		memset(bytes + at, next_random(random) % 2 ? 0 : (int)next_random(random) & 0xff,
		       number < left ? number : left);
	}
}

/* A damaged copy in @bad; its size. */
static size_t damage(const struct original *o, uint8_t *bad, uint64_t *random)
{
	size_t hits = 1 + next_random(random) % 6;

	memcpy(bad, o->bytes, o->n);
	while (hits--)
		hit(bad, o->n, &o->regions.at[next_random(random) % o->regions.n], random);
	return next_random(random) % 12 ? o->n : next_random(random) % (o->n + 1);
}

static void write_bytes(const char *name, const uint8_t *bytes, size_t n)
{
	_free_ char *path = snippet_path(name);
	_close_ int fd = open(path, O_CREAT | O_RDWR | O_CLOEXEC, 0644);

	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, (off_t)n), 0);
	assert_int_equal(pwrite(fd, bytes, n, 0), n);
}

/* --- tests ---------------------------------------------------------------------------------- */

/*
 * Linear in the file's size, with room. Measured: 600,000 steps for honest files of up to 120 KB,
 * 40 a byte more for damaged ones; 2,200 reads, of 16 times the bytes of a small file; 20 times the
 * file's bytes.
 */
static void expect_linear(const struct effort *e, size_t bytes)
{
	assert_in_range(e->steps, 0, 3000000 + 200 * bytes);
	assert_in_range(e->reads, 0, 5000 + bytes / 16);
	assert_in_range(e->read_bytes, 0, 1000000 + 16 * bytes);
	assert_in_range(e->allocated_bytes, 0, 4000000 + 100 * bytes);
}

static void honest_files(void **state)
{
	(void)state;
	for (size_t i = 0; i < FILES; i++) {
		const struct effort e = drive(files[i], 1 + i);
		struct original o;

		read_original(files[i], &o);
		expect_linear(&e, o.n);
		release_original(&o);
	}
}

/* Of each file. */
#define ROUNDS 600

static void damaged_files(void **state)
{
	uint64_t random = 0x9e3779b97f4a7c15;

	(void)state;
	for (size_t i = 0; i < FILES; i++) {
		_free_ uint8_t *bad = NULL;
		struct original o;

		read_original(files[i], &o);
		bad = mem_zalloc(o.n + 1, 1);
		for (int k = 0; k < ROUNDS; k++) {
			struct effort e;

			write_bytes("damaged", bad, damage(&o, bad, &random));
			e = drive("damaged", random);
			expect_linear(&e, o.n);
		}
		release_original(&o);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(honest_files),
		cmocka_unit_test(damaged_files),
	};

	effort_count();
	return cmocka_run_group_tests(tests, make_files, remove_files);
}
