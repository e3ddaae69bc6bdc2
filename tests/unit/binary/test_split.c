/* Debug information in .dwo files says of each address what it says without them. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <sys/stat.h>

#include "debuginfo/begin.h"
#include "debuginfo/dwarf.h"
#include "debuginfo/dwpindex.h"
#include "elf/elffile.h"
#include "snippet.h"

static const char one[] = "#include <algorithm>\n"
			  "#include <map>\n"
			  "#include <string>\n"
			  "#include <vector>\n"
			  "namespace shop {\n"
			  "static std::map<std::string, int> stock;\n"
			  "template <typename T> static inline T twice(T x)\n"
			  "{\n"
			  "	T y = x;\n"
			  "	for (int i = 0; i < 3; i++) {\n"
			  "		y += x;\n"
			  "		if (y > 100)\n"
			  "			y %= 7;\n"
			  "	}\n"
			  "	return y;\n"
			  "}\n"
			  "int count(const std::vector<int> &v)\n"
			  "{\n"
			  "	std::vector<int> w(v);\n"
			  "	std::sort(w.begin(), w.end());\n"
			  "	for (int x : w)\n"
			  "		stock[std::to_string(x)] += twice(x);\n"
			  "	return (int)stock.size();\n"
			  "}\n"
			  "}\n";
static const char two[] = "#include <stdlib.h>\n"
			  "#include <vector>\n"
			  "namespace shop { int count(const std::vector<int> &v); }\n"
			  "static inline int half(int x) { return x < 0 ? abs(x) / 2 : x / 2; }\n"
			  "__attribute__((cold)) int give_up(int n) { exit(half(n)); }\n"
			  "int main(int argc, char **argv)\n"
			  "{\n"
			  "	std::vector<int> v;\n"
			  "	for (int i = 0; i < 100; i++)\n"
			  "		v.push_back(half(i * argc));\n"
			  "	if (argc > 5)\n"
			  "		give_up(argc);\n"
			  "	return shop::count(v);\n"
			  "}\n";

/* A binary with its .dwo files. */
struct build {
	int fd, dwo_fd[2];
	Elf *elf;
	uint64_t start, n; /* of its code */
	uint64_t *addresses;
	struct dwarf_names names;
};

static void compile(const char *compiler, int version, const char *how, const char *name)
{
	const char *const sources[] = {"one", "two"};

	snippet_write("one.cc", one);
	snippet_write("two.cc", two);
	for (int i = 0; i < 2; i++)
		snippet_run("%s -O2 -fno-pie -gdwarf-%d %s -c %s.cc -o %s-%s.o", compiler, version,
			    how, sources[i], name, sources[i]);
	snippet_run("%s -no-pie %s-one.o %s-two.o -o %s", compiler, name, name, name);
}

static void open_build(const char *name, const char *const dwo[2], struct build *b)
{
	struct dwarf_more more = {.split = b->dwo_fd};
	struct elffile f;
	Elf64_Shdr text;

	*b = (struct build){.fd = snippet_open(name), .dwo_fd = {-1, -1}};
	b->elf = begin_elf(b->fd);
	for (int i = 0; i < 2 && dwo && dwo[i]; i++) {
		b->dwo_fd[i] = snippet_open(dwo[i]);
		more.n_split++;
	}
	assert_int_equal(elffile_open(b->fd, &f), 0);
	assert_int_equal(elffile_section(&f, ".text", &text), 0);
	elffile_release(&f);
	b->start = text.sh_addr;
	b->n = text.sh_size;
	b->addresses = mem_zalloc(b->n, sizeof(*b->addresses));
	for (uint64_t i = 0; i < b->n; i++)
		b->addresses[i] = b->start + i;
	assert_int_equal(
		dwarf_find_with(b->elf, &more, b->addresses, (uint32_t)b->n, 0x1000, &b->names), 0);
}

static void close_build(struct build *b)
{
	dwarf_names_release(&b->names);
	for (int i = 0; i < 2; i++)
		if (b->dwo_fd[i] >= 0)
			close(b->dwo_fd[i]);
	elf_end(b->elf);
	close(b->fd);
	free(b->addresses);
}

static void same_text(const char *a, const char *b)
{
	assert_string_equal(a ? a : "", b ? b : "");
}

/* Counts the frames that are inlined, too, as two that know nothing are also the same. */
static size_t same_at(const struct build *a, const struct build *b, uint64_t i)
{
	const struct dwarf_span *sa = &a->names.spans.at[i], *sb = &b->names.spans.at[i];

	assert_int_equal(sa->n, sb->n);
	assert_int_equal(sa->line, sb->line);
	for (uint32_t k = 0; k < sa->n; k++) {
		const struct dwarf_frame *fa = &a->names.frames.at[sa->first + k],
					 *fb = &b->names.frames.at[sb->first + k];
		const struct dwarf_function *ga = &a->names.functions.at[fa->function],
					    *gb = &b->names.functions.at[fb->function];

		assert_int_equal(fa->line, fb->line);
		assert_int_equal(ga->line, gb->line);
		same_text(ga->name, gb->name);
		same_text(ga->linkage, gb->linkage);
		same_text(ga->file, gb->file);
	}
	return sa->n > 1;
}

static void compare(const struct build *a, const struct build *b)
{
	size_t inlined = 0;

	assert_int_equal(a->start, b->start);
	assert_int_equal(a->n, b->n);
	for (uint64_t i = 0; i < a->n; i++)
		inlined += same_at(a, b, i);
	assert_true(inlined > 1000);
}

static const char *const dwo_files[2] = {"split-one.dwo", "split-two.dwo"};

static void is_as_without(const char *compiler, int version)
{
	struct build plain, split;

	compile(compiler, version, "", "plain");
	compile(compiler, version, "-gsplit-dwarf", "split");
	open_build("plain", NULL, &plain);
	open_build("split", dwo_files, &split);
	assert_int_equal(split.names.missing.n, 0);
	compare(&plain, &split);
	close_build(&split);
	close_build(&plain);
}

/* Packages, also when they are compressed. */
static void is_as_package(const char *compiler, int version, const char *dwp)
{
	static const char *const package[2] = {"split.dwp"}, *const small[2] = {"small.dwp"};
	struct build plain, split;

	compile(compiler, version, "", "plain");
	compile(compiler, version, "-gsplit-dwarf", "split");
	snippet_run("rm -f split.dwp; %s split-one.dwo split-two.dwo -o split.dwp", dwp);
	snippet_run("objcopy --compress-debug-sections=zlib split.dwp small.dwp");
	open_build("plain", NULL, &plain);
	for (int i = 0; i < 2; i++) {
		open_build("split", i ? small : package, &split);
		assert_int_equal(split.names.missing.n, 0);
		compare(&plain, &split);
		close_build(&split);
	}
	close_build(&plain);
}

static void reads_packages_4(void **state)
{
	(void)state;
	is_as_package("g++", 4, "dwp");
	is_as_package("g++", 4, "llvm-dwp");
}

/* Not of g++: that dwp of LLVM 14 takes for ever. */
static void reads_packages_5(void **state)
{
	(void)state;
	is_as_package("clang++", 5, "llvm-dwp");
}

/* Index of @version with two units, of whose sections it says what a damaged one may say. */
static void make_index(uint32_t version, uint8_t *out)
{
	const uint32_t head[] = {version, 3, 2, 4}, rows[] = {0, 1, 2, 0}, sections[] = {1, 3, 6},
		       offsets[] = {0, 0, 0, 100, 50, 20}, sizes[] = {100, 50, 20, 40, 30, 10};
	const uint64_t ids[] = {0, 0x11, 0x22, 0};

	memcpy(out, head, sizeof(head));
	memcpy(out + 16, ids, sizeof(ids));
	memcpy(out + 48, rows, sizeof(rows));
	memcpy(out + 64, sections, sizeof(sections));
	memcpy(out + 76, offsets, sizeof(offsets));
	memcpy(out + 100, sizes, sizeof(sizes));
}

#define INDEX_BYTES 124
#define VIEW_BYTES  1024

static uint32_t look_up(const uint8_t *index, uint64_t id, struct dwoview_part *parts)
{
	uint8_t memory[VIEW_BYTES] = {0};
	struct dwoview_part sections[] = {
		{".debug_cu_index", 0, INDEX_BYTES}, {".debug_info.dwo", 200, 140},
		{".debug_abbrev.dwo", 400, 80},	     {".debug_str_offsets.dwo", 500, 30},
		{".debug_str.dwo", 600, 10},
	};
	struct dwoview view = {.memory = memory, .bytes = sizeof(memory)};
	struct dwpindex x;
	uint32_t n;

	memcpy(memory, index, INDEX_BYTES);
	for (size_t i = 0; i < sizeof(sections) / sizeof(*sections); i++)
		vec_push(&view.sections, sections[i]);
	dwpindex_read(&view, ".debug_cu_index", &x);
	n = dwpindex_find(&x, &view, id, parts);
	for (uint32_t i = 0; i < n; i++) {
		const struct dwoview_part *s = dwoview_section(&view, parts[i].name);

		assert_non_null(s);
		assert_true(parts[i].offset >= s->offset && parts[i].bytes <= s->bytes &&
			    parts[i].offset - s->offset <= s->bytes - parts[i].bytes);
	}
	vec_release(&view.sections);
	return n;
}

static void finds_in_index(void **state)
{
	struct dwoview_part parts[DWOVIEW_PARTS];
	uint8_t index[INDEX_BYTES];

	(void)state;
	for (uint32_t version = 2; version <= 5; version += 3) {
		make_index(version, index);
		assert_int_equal(look_up(index, 0x22, parts), 4);
		assert_string_equal(parts[0].name, ".debug_info.dwo");
		assert_int_equal(parts[0].offset, 300);
		assert_int_equal(parts[0].bytes, 40);
		assert_int_equal(parts[2].offset, 520);
		assert_string_equal(parts[3].name, ".debug_str.dwo");
		assert_int_equal(look_up(index, 0x11, parts), 4);
		assert_int_equal(parts[0].offset, 200);
		assert_int_equal(look_up(index, 0x33, parts), 0);
	}
}

/* Whatever the index says, parts lie in their sections, and a search ends. */
static void refuses_damaged_index(void **state)
{
	static const uint8_t values[] = {0, 1, 2, 4, 5, 0x11, 0x22, 0x7f, 0x80, 0xff};
	struct dwoview_part parts[DWOVIEW_PARTS];
	uint8_t index[INDEX_BYTES];

	(void)state;
	for (uint32_t version = 2; version <= 5; version += 3)
		for (size_t i = 0; i < INDEX_BYTES; i++)
			for (size_t k = 0; k < sizeof(values); k++) {
				make_index(version, index);
				index[i] = values[k];
				look_up(index, 0x22, parts);
				/* No slot is empty. */
				memset(index + 48, values[k], 16);
				look_up(index, 0x55, parts);
			}
}

static void reads_gcc_4(void **state)
{
	(void)state;
	is_as_without("g++", 4);
}

static void reads_gcc_5(void **state)
{
	(void)state;
	is_as_without("g++", 5);
}

static void reads_clang_4(void **state)
{
	(void)state;
	is_as_without("clang++", 4);
}

static void reads_clang_5(void **state)
{
	(void)state;
	is_as_without("clang++", 5);
}

/* Of a file that is not there, or another build's, the addresses say which it is. */
static void says_what_is_missing(void **state)
{
	static const char *const only_two[2] = {"split-two.dwo"};
	static const char *const stale[2] = {"old-one.dwo", "split-two.dwo"};
	const char *const *given[] = {only_two, stale};
	uint64_t missing = 0;
	struct build b;

	(void)state;
	compile("g++", 5, "-gsplit-dwarf -DOLD -O1", "old");
	compile("g++", 5, "-gsplit-dwarf", "split");
	for (size_t k = 0; k < 2; k++) {
		open_build("split", given[k], &b);
		assert_int_equal(b.names.missing.n, 1);
		assert_string_equal(b.names.missing.at[0].name, dwo_files[0]);
		assert_string_equal(b.names.missing.at[0].folder, snippet_dir);
		for (uint64_t i = 0; i < b.n; i++)
			missing += b.names.spans.at[i].missing == 1;
		assert_true(missing > 1000);
		close_build(&b);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_gcc_4),		 cmocka_unit_test(reads_gcc_5),
		cmocka_unit_test(reads_clang_4),	 cmocka_unit_test(reads_clang_5),
		cmocka_unit_test(says_what_is_missing),	 cmocka_unit_test(reads_packages_4),
		cmocka_unit_test(reads_packages_5),	 cmocka_unit_test(finds_in_index),
		cmocka_unit_test(refuses_damaged_index),
	};

	return cmocka_run_group_tests(tests, snippet_setup, snippet_teardown);
}
