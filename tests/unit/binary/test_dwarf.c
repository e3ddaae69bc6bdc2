#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <sys/stat.h>

#include <errno.h>

#include "debuginfo/dwarf.h"
#include "snippet.h"

/* Line numbers below count from here. */
static const char chain[] =
	"static inline __attribute__((always_inline)) int innermost(int x)\n" /* 1
									       */
	"{\n"
	"	__asm__ volatile(\".globl in_innermost\\nin_innermost: nop\" ::: "
	"\"memory\");\n" /* 3 */
	"	return x * 3;\n"
	"}\n"
	"static inline __attribute__((always_inline)) int middle(int x)\n" /* 6 */
	"{\n"
	"	x += 2;\n"
	"	return innermost(x);\n" /* 9 */
	"}\n"
	"__attribute__((noinline)) int outer(int x)\n" /* 11 */
	"{\n"
	"	x ^= 5;\n"
	"	x = middle(x);\n" /* 14 */
	"	__asm__ volatile(\".globl in_outer\\nin_outer: nop\" ::: "
	"\"memory\");\n" /* 15 */
	"	return x;\n"
	"}\n"
	"int main(int c, char **v)\n"
	"{\n"
	"	int local(int y)\n" /* 20: GNU C's nested function stands inside
				       main's entry */
	"	{\n"
	"		__asm__ volatile(\".globl in_local\\nin_local: nop\" ::: "
	"\"memory\");\n" /* 22 */
	"		return y + c;\n"
	"	}\n"
	"	int (*volatile f)(int) = local;\n"
	"	(void)v;\n"
	"	return outer(c) + f(c);\n"
	"}\n";

struct expected {
	const char *name;
	uint32_t line, declared;
};

struct opened {
	int fd;
	Elf *elf;
	struct dwarf_names names;
};

static void look_up(const char *binary, const char *symbol, struct opened *o)
{
	uint64_t address = snippet_address(binary, symbol);

	elf_version(EV_CURRENT);
	*o = (struct opened){.fd = snippet_open(binary)};
	o->elf = elf_begin(o->fd, ELF_C_READ_MMAP, NULL);
	assert_non_null(o->elf);
	assert_int_equal(dwarf_find(o->elf, &address, 1, 0x1000, &o->names), 0);
	assert_int_equal(o->names.spans.n, 1);
}

static void close_all(struct opened *o)
{
	dwarf_names_release(&o->names);
	elf_end(o->elf);
	close(o->fd);
}

static void expect(const char *binary, const char *symbol, const struct expected *want, uint32_t n)
{
	struct opened o;

	look_up(binary, symbol, &o);
	assert_int_equal(o.names.spans.at[0].n, n);
	for (uint32_t i = 0; i < n; i++) {
		const struct dwarf_frame *frame = &o.names.frames.at[o.names.spans.at[0].first + i];
		const struct dwarf_function *f = &o.names.functions.at[frame->function];

		assert_string_equal(f->name, want[i].name);
		assert_int_equal(frame->line, want[i].line);
		assert_int_equal(f->line, want[i].declared);
		assert_non_null(f->file);
		assert_non_null(strstr(f->file, ".c"));
	}
	close_all(&o);
}

static void expect_chain(const char *binary)
{
	static const struct expected inlined[] = {
		{"innermost", 3, 1}, {"middle", 9, 6}, {"outer", 14, 11}};
	static const struct expected plain[] = {{"outer", 15, 11}};
	static const struct expected nested[] = {{"local", 22, 20}};

	expect(binary, "in_innermost", inlined, 3);
	expect(binary, "in_outer", plain, 1);
	expect(binary, "in_local", nested, 1);
}

static void names_inline_chains(void **state)
{
	(void)state;
	snippet_build("five", chain, "-O2 -z execstack -gdwarf-5");
	expect_chain("five");
	snippet_build("four", chain, "-O2 -z execstack -gdwarf-4");
	expect_chain("four");
	snippet_build("lto", chain, "-O2 -z execstack -g -flto");
	expect_chain("lto");
	snippet_build("packed", chain, "-O2 -z execstack -g -gz=zlib");
	expect_chain("packed");
}

static void needs_no_aranges(void **state)
{
	(void)state;
	snippet_run("objcopy --remove-section .debug_aranges five bare");
	expect_chain("bare");
}

static void lives_without_lines(void **state)
{
	struct opened o;

	(void)state;
	snippet_run("objcopy --remove-section .debug_line five lineless");
	look_up("lineless", "in_innermost", &o);
	assert_int_equal(o.names.spans.at[0].n, 3);
	assert_int_equal(o.names.frames.at[0].line, 0);
	assert_int_equal(o.names.frames.at[1].line, 9);
	close_all(&o);
}

static void says_when_there_is_none(void **state)
{
	static const uint64_t address = 0x1139;
	struct dwarf_names names;
	int fd;
	Elf *elf;

	(void)state;
	snippet_build("plain", chain, "-O2 -z execstack");
	fd = snippet_open("plain");
	elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	assert_int_equal(dwarf_find(elf, &address, 1, 0, &names), -ENOENT);
	assert_int_equal(names.spans.n, 0);
	dwarf_names_release(&names);
	elf_end(elf);
	close(fd);
}

/* Functions that the linker dropped keep their DWARF, moved to address 0. */
static void ignores_dropped_code(void **state)
{
	static const uint64_t low = 0x10;
	struct dwarf_names names;
	int fd;
	Elf *elf;

	(void)state;
	snippet_build("gc",
		      "int used(void) { return 1; }\n"
		      "int unused(int x) { return x / 7 % 13 / 11 % 3; }\n"
		      "int main(void) { return used(); }\n",
		      "-g -O1 -ffunction-sections -Wl,--gc-sections");
	fd = snippet_open("gc");
	elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	assert_int_equal(dwarf_find(elf, &low, 1, 0x1000, &names), 0);
	assert_int_equal(names.spans.at[0].n, 0);
	dwarf_names_release(&names);
	elf_end(elf);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_inline_chains),	cmocka_unit_test(needs_no_aranges),
		cmocka_unit_test(lives_without_lines),	cmocka_unit_test(says_when_there_is_none),
		cmocka_unit_test(ignores_dropped_code),
	};

	return cmocka_run_group_tests(tests, snippet_setup, snippet_teardown);
}
