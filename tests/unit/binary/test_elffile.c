#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <sys/stat.h>

#include <errno.h>

#include "cfi/fde.h"
#include "elf/buildid.h"
#include "elf/elffile.h"
#include "elf/segments.h"
#include "snippet.h"

static const char source[] =
	"__attribute__((noinline)) static int hidden(int x)\n"
	"{ __asm__ volatile(\"\" ::: \"memory\"); return x * 3 + 1; }\n"
	"int main(int c, char **v) { (void)v; return hidden(c) + hidden(c + 1); }\n";

static void open_binary(const char *name, struct elffile *f)
{
	assert_int_equal(elffile_open(snippet_open(name), f), 0);
}

static void close_binary(struct elffile *f)
{
	close(f->fd);
	elffile_release(f);
}

static void reads_headers(void **state)
{
	struct elffile f;
	Elf64_Shdr s;

	(void)state;
	snippet_build("a", source, "-O1");
	open_binary("a", &f);
	assert_true(f.is_64);
	assert_int_equal(f.machine, EM_X86_64);
	assert_int_equal(elffile_section(&f, ".text", &s), 0);
	assert_true(s.sh_flags & SHF_EXECINSTR);
	assert_int_equal(elffile_section(&f, ".no_such_section", &s), -ENOENT);
	close_binary(&f);
}

static void addresses_and_offsets_agree(void **state)
{
	uint64_t offset, address, main_address;
	struct elffile f;

	(void)state;
	/* Code whose file offset and address differ. */
	snippet_build("apart", source, "-O1 -no-pie -Wl,-Ttext-segment=0x7000000");
	main_address = snippet_address("apart", "main");
	open_binary("apart", &f);
	assert_true(segments_offset(&f, main_address, &offset));
	assert_int_equal(main_address - offset, 0x7000000);
	assert_true(segments_address(&f, offset, &address));
	assert_int_equal(address, main_address);
	assert_false(segments_address(&f, UINT64_MAX, &address));
	assert_false(segments_offset(&f, 0x10, &offset));
	assert_true(segments_code_start(&f) > 0x7000000);
	assert_true(segments_code_start(&f) <= main_address);
	close_binary(&f);
}

static void finds_the_build_id(void **state)
{
	char hex[BUILDID_HEX];
	uint8_t id[BUILDID_MAX], n;
	struct elffile f;

	(void)state;
	snippet_build("id", source, "-Wl,--build-id=0xc0ffee0102030405");
	open_binary("id", &f);
	n = buildid_read(&f, id);
	assert_string_equal(buildid_hex(id, n, hex), "c0ffee0102030405");
	close_binary(&f);
	snippet_run("objcopy --only-keep-debug id id.debug");
	open_binary("id.debug", &f);
	n = buildid_read(&f, id);
	assert_string_equal(buildid_hex(id, n, hex), "c0ffee0102030405");
	close_binary(&f);
	snippet_build("noid", source, "-Wl,--build-id=none");
	open_binary("noid", &f);
	assert_int_equal(buildid_read(&f, id), 0);
	close_binary(&f);
}

/* @flags: of the linker; @cut: what is done to the stripped file "s". */
static void check_nameless(const char *flags, const char *cut, bool has_rows)
{
	unsigned long hidden, main_address;
	uint64_t start, end;
	struct elffile f;
	struct fde_table t;

	snippet_build("s", source, flags);
	hidden = snippet_address("s", "hidden");
	main_address = snippet_address("s", "main");
	snippet_run("strip s && %s", cut);
	open_binary("s", &f);
	fde_open(&f, &t);
	assert_int_equal(t.rows.n >= 2, has_rows);
	assert_true(fde_find(&t, hidden + 1, &start, &end));
	assert_int_equal(start, hidden);
	assert_true(end > hidden + 1 && end <= main_address);
	assert_true(fde_find(&t, main_address, &start, &end));
	assert_int_equal(start, main_address);
	assert_false(fde_find(&t, 0, &start, &end));
	assert_false(fde_find(&t, end + 0x100000, &start, &end));
	fde_release(&t);
	close_binary(&f);
}

/* Takes away what leads to the section headers: e_shoff, e_shnum, e_shstrndx. */
#define CUT_SECTIONS                                                             \
	"dd if=/dev/zero of=s bs=1 seek=40 count=8 conv=notrunc status=none && " \
	"dd if=/dev/zero of=s bs=1 seek=60 count=4 conv=notrunc status=none"

static void finds_nameless_functions(void **state)
{
	(void)state;
	check_nameless("-O1", "true", true);
	check_nameless("-O1", CUT_SECTIONS, true);
	check_nameless("-O1 -Wl,--no-eh-frame-hdr", "true", false);
	check_nameless("-O1 -Wl,--no-eh-frame-hdr", CUT_SECTIONS, false);
	check_nameless("-O1 -static -Wl,--no-eh-frame-hdr", CUT_SECTIONS, false);
}

/* Headers that lead outside the file are refused or passed over, whatever is cut off. */
static void survives_truncation(void **state)
{
	_free_ char *path = snippet_path("cut");
	int opened = 0, refused = 0;

	(void)state;
	snippet_build("whole", source, "-g");
	for (int bytes = 0; bytes < 20000; bytes += bytes < 1100 ? 7 : 997) {
		struct fde_table t;
		struct elffile f;
		uint8_t id[BUILDID_MAX];
		uint64_t start, end;
		Elf64_Shdr s;
		int fd;

		snippet_run("head -c %d whole > cut", bytes);
		fd = open(path, O_RDONLY);
		assert_true(fd >= 0);
		if (elffile_open(fd, &f)) {
			refused++;
		} else {
			opened++;
			buildid_read(&f, id);
			elffile_section(&f, ".gnu_debuglink", &s);
			fde_open(&f, &t);
			fde_find(&t, 0x1139, &start, &end);
			fde_release(&t);
			elffile_release(&f);
		}
		close(fd);
	}
	assert_true(refused > 50);
	assert_true(opened > 10);
}

static void opens_regular_files_only(void **state)
{
	_free_ char *pipe = snippet_path("pipe"), *absent = snippet_path("absent");
	_free_ char *file = snippet_path("whole.c");
	int fd;

	(void)state;
	assert_int_equal(mkfifo(pipe, 0600), 0);
	assert_int_equal(elffile_open_path(-1, pipe), -EINVAL);
	assert_int_equal(elffile_open_path(-1, snippet_dir), -EINVAL);
	assert_int_equal(elffile_open_path(-1, "/dev/zero"), -EINVAL);
	assert_int_equal(elffile_open_path(-1, absent), -ENOENT);
	snippet_write("whole.c", "x");
	fd = elffile_open_path(-1, file);
	assert_true(fd >= 0);
	close(fd);
}

/* An absolute link in a container leads to the container's file, never to ours. */
static void stays_in_the_root(void **state)
{
	_free_ char *root = snippet_path("root");
	char got[8] = "";
	int root_fd, fd;

	(void)state;
	snippet_run("mkdir -p root/etc && echo inside > root/etc/passwd &&"
		    " ln -s /etc/passwd root/link && ln -s ../../../../etc/passwd root/up");
	root_fd = open(root, O_PATH | O_CLOEXEC);
	assert_true(root_fd >= 0);
	fd = elffile_open_path(root_fd, "/link");
	assert_true(fd >= 0);
	assert_int_equal(read(fd, got, 6), 6);
	assert_string_equal(got, "inside");
	close(fd);
	fd = elffile_open_path(root_fd, "/up");
	assert_true(fd >= 0);
	assert_int_equal(read(fd, got, 6), 6);
	assert_string_equal(got, "inside");
	close(fd);
	close(root_fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_headers),
		cmocka_unit_test(addresses_and_offsets_agree),
		cmocka_unit_test(finds_the_build_id),
		cmocka_unit_test(finds_nameless_functions),
		cmocka_unit_test(survives_truncation),
		cmocka_unit_test(opens_regular_files_only),
		cmocka_unit_test(stays_in_the_root),
	};

	return cmocka_run_group_tests(tests, snippet_setup, snippet_teardown);
}
