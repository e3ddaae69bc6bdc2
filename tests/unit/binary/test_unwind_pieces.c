/*
 * Tables made piece by piece say at every byte what the table of the whole file says. With files as
 * arguments: tells what memory their tables take, if all of their code is met.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <fcntl.h>
#include <gnu/lib-names.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cfi_sample.h"
#include "library.h"
#include "snippet.h"
#include "table_sample.h"
#include "wire.h"

#define PIECE (UINT64_C(1) << WIRE_PIECE_BITS)

struct whole {
	struct elffile file;
	struct table_blob table;
	struct table_maker *maker;
	int fd;
};

static void open_whole(struct whole *w, int fd)
{
	w->fd = fd;
	assert_int_equal(elffile_open(fd, &w->file), 0);
	assert_int_equal(table_build(&w->file, &w->table), 0);
	assert_int_equal(table_maker_new(&w->file, &w->maker), 0);
}

static void close_whole(struct whole *w)
{
	table_maker_free(w->maker);
	table_blob_release(&w->table);
	elffile_release(&w->file);
	close(w->fd);
}

/* Places whose rule the piece and the whole disagree on. */
static size_t differences(const struct whole *w, uint64_t from, uint64_t to, size_t *n_rules)
{
	struct table_blob piece;
	size_t n = 0;

	assert_int_equal(table_make(w->maker, from, to, &piece), 0);
	assert_true(is_sound(&piece));
	for (uint64_t at = from; at < to; at++) {
		struct table_rule ours = {0}, theirs = {0};
		bool has_ours = native_find(&piece, at, &ours);
		bool has_theirs = native_find(&w->table, at, &theirs);

		*n_rules += has_theirs;
		if (has_ours == has_theirs && (!has_ours || !memcmp(&ours, &theirs, sizeof(ours))))
			continue;
		if (!n++)
			print_error("first difference at offset %#lx\n", (unsigned long)at);
	}
	table_blob_release(&piece);
	return n;
}

/* Pieces of @bytes, in an order of which none follows its neighbour. */
static void compare(int fd, uint64_t bytes, size_t least_rules)
{
	struct whole w = {0};
	uint64_t n_pieces, n_rules = 0;

	open_whole(&w, fd);
	n_pieces = w.file.bytes / bytes + 1;
	for (uint64_t parity = 0; parity < 2; parity++)
		for (uint64_t i = parity; i < n_pieces; i += 2) {
			uint64_t piece = n_pieces - 1 - i;

			assert_int_equal(
				differences(&w, piece * bytes, (piece + 1) * bytes, &n_rules), 0);
		}
	assert_true(n_rules >= least_rules);
	close_whole(&w);
}

static void equal_for_libc(void **state)
{
	(void)state;
	compare(library_open(LIBC_SO), PIECE, 1 << 20);
}

static void equal_for_libstdcxx(void **state)
{
	(void)state;
	compare(library_open("libstdc++.so.6"), PIECE, 1 << 19);
}

/* As small as pieces can be, each has more borders than rows. */
static void equal_by_pages(void **state)
{
	(void)state;
	compare(library_open(LIBM_SO), PAGE, 1 << 18);
}

/* An entry over three pieces, a gap over two, and one that begins on a border. */
static void entries_reach_over_pieces(void **state)
{
	struct sample s = {.section = ".eh_frame", .entry = CODE + BIAS + 7 * PAGE};
	size_t cie = sample_cie(&s);

	(void)state;
	sample_fde(&s, cie, PAGE / 2, 2 * PAGE, BYTES("\x41\x0e\x10\x03\x00\x0a\x0e\x18"));
	sample_fde(&s, cie, 5 * PAGE, PAGE, BYTES("\x44\x0e\x20"));
	sample_fde(&s, cie, 6 * PAGE, 16, BYTES("\x0e\x28"));
	compare(sample_file(&s), PAGE, 3 * PAGE);
}

static void has_empty_pieces(void **state)
{
	struct sample s = {.section = ".eh_frame"};
	struct whole w = {0};
	size_t n_rules = 0;

	(void)state;
	sample_fde(&s, sample_cie(&s), 0, 16, BYTES(""));
	open_whole(&w, sample_file(&s));
	assert_int_equal(differences(&w, 0, PAGE, &n_rules), 0);
	assert_int_equal(n_rules, 0);
	assert_int_equal(differences(&w, 1 << 30, (1 << 30) + PAGE, &n_rules), 0);
	assert_int_equal(n_rules, 0);
	assert_int_equal(differences(&w, CODE, CODE + PAGE, &n_rules), 0);
	assert_int_equal(n_rules, 16);
	close_whole(&w);
}

/* In the map of pieces: its key, its value and the kernel's own part of an element. */
#define PIECE_BYTES (sizeof(struct wire_piece) + sizeof(struct wire_table) + 48)

static int tell_memory(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	uint64_t text = 0, exact = 0, lines = 0, n_pieces = 0;
	struct whole w = {0};

	if (fd < 0) {
		print_error("%s: cannot be read\n", path);
		return 1;
	}
	open_whole(&w, fd);
	for (size_t i = 0; i < w.file.segments.n; i++)
		if (w.file.segments.at[i].p_type == PT_LOAD && w.file.segments.at[i].p_flags & PF_X)
			text += w.file.segments.at[i].p_filesz;
	for (uint64_t from = 0; from < w.file.bytes; from += PIECE) {
		struct table_blob piece;

		assert_int_equal(table_make(w.maker, from, from + PIECE, &piece), 0);
		if (parts_of(&piece).header->n_pages) {
			const struct table_header *h = parts_of(&piece).header;

			exact += (h->rules_at + 2 * (uint64_t)h->n_rules) * 8;
			lines += piece.n_words / TABLE_LINE_WORDS;
			n_pieces++;
		}
		table_blob_release(&piece);
	}
	print_message("%s: %.1f MiB of text, %lu pieces; a MiB of text takes %.1f KiB of tables, "
		      "%.1f KiB with whole lines and the map of pieces\n",
		      path, (double)text / (1 << 20), n_pieces,
		      (double)exact / 1024 / ((double)text / (1 << 20)),
		      (double)(lines * TABLE_LINE_BYTES + n_pieces * PIECE_BYTES) / 1024 /
			      ((double)text / (1 << 20)));
	close_whole(&w);
	return 0;
}

/* Bytes that this process has read so far. */
static uint64_t bytes_read(void)
{
	FILE *f = fopen("/proc/self/io", "re");
	unsigned long n = 0;

	if (!f)
		skip();
	assert_int_equal(fscanf(f, "rchar: %lu", &n), 1);
	fclose(f);
	return n;
}

/* As mold and GHC's programs: behind the first functions there are megabytes without call frame
 * information. A piece of them is read by itself, not all of them up to it. */
static void reads_no_other_piece(void **state)
{
	struct table_maker *maker;
	struct table_blob t;
	struct elffile f;
	uint64_t before;
	int fd;

	(void)state;
	snippet_build("gap",
		      "__asm__(\".text\\n.cfi_startproc\\nret\\n.cfi_endproc\\n"
		      ".skip 32 * 262144, 0x90\\nret\");\n",
		      "-shared -fPIC -nostdlib");
	fd = snippet_open("gap");
	assert_int_equal(elffile_open(fd, &f), 0);
	assert_int_equal(table_maker_new(&f, &maker), 0);
	before = bytes_read();
	assert_int_equal(table_make(maker, 30 * PIECE, 31 * PIECE, &t), 0);
	assert_true(bytes_read() - before < 3 * PIECE);
	table_blob_release(&t);
	table_maker_free(maker);
	elffile_release(&f);
	close(fd);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equal_for_libc),   cmocka_unit_test(equal_for_libstdcxx),
		cmocka_unit_test(equal_by_pages),   cmocka_unit_test(entries_reach_over_pieces),
		cmocka_unit_test(has_empty_pieces), cmocka_unit_test(reads_no_other_piece),
	};

	for (int i = 1; i < argc; i++)
		if (tell_memory(argv[i]))
			return 1;
	return argc > 1 ? 0 : cmocka_run_group_tests(tests, snippet_setup, snippet_teardown);
}
