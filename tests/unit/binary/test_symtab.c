#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <sys/stat.h>

#include "debuginfo/plt.h"
#include "debuginfo/symtab.h"
#include "snippet.h"

static const char source[] =
	"#include <stdio.h>\n"
	"int alpha(int x) { return x + 1; }\n"
	"int __alpha_twin(int x) __attribute__((alias(\"alpha\")));\n"
	"static int local_twin(int x) __attribute__((alias(\"alpha\"), used));\n"
	"__asm__(\".text\\n.globl unsized\\nunsized: nop\\nnop\\nnop\\n\"\n"
	"	\".globl framed\\n.type framed, @function\\nframed: nop\\ninner: nop\\nnop\\n\"\n"
	"	\".size framed, 3\\n.skip 64, 0x90\\n\");\n"
	"int main(int c, char **v) { puts(v[0]); return alpha(c); }\n";

struct opened {
	int fd;
	Elf *elf;
	struct symtab symtab;
};

static void open_table(const char *name, struct opened *o)
{
	*o = (struct opened){.fd = snippet_open(name)};
	elf_version(EV_CURRENT);
	o->elf = elf_begin(o->fd, ELF_C_READ_MMAP, NULL);
	assert_non_null(o->elf);
	symtab_add(&o->symtab, o->elf);
	plt_add(&o->symtab, o->elf);
	symtab_finish(&o->symtab);
}

static void close_table(struct opened *o)
{
	symtab_release(&o->symtab);
	elf_end(o->elf);
	close(o->fd);
}

static const char *name_at(const struct opened *o, uint64_t address)
{
	const struct symbol *s = symtab_find(&o->symtab, address);

	return s ? s->name : "none";
}

static void picks_the_plain_name_of_aliases(void **state)
{
	struct opened o;

	(void)state;
	snippet_build("a", source, "-O1");
	open_table("a", &o);
	assert_string_equal(name_at(&o, snippet_address("a", "alpha")), "alpha");
	assert_string_equal(name_at(&o, snippet_address("a", "main") + 3), "main");
	close_table(&o);
}

static void ends_where_the_symbol_says(void **state)
{
	uint64_t framed = snippet_address("a", "framed"), unsized = snippet_address("a", "unsized");
	struct opened o;

	(void)state;
	open_table("a", &o);
	assert_string_equal(name_at(&o, framed + 2), "framed"); /* not "inner" */
	assert_string_equal(name_at(&o, framed + 3), "none");
	assert_string_equal(name_at(&o, framed + 40), "none");
	assert_string_equal(name_at(&o, unsized + 2), "unsized");
	assert_false(symtab_find(&o.symtab, unsized)->sized);
	assert_string_equal(name_at(&o, 0), "none");
	assert_string_equal(name_at(&o, UINT64_MAX), "none");
	close_table(&o);
}

/* What objdump calls <puts@plt>, in each of the forms that linkers make. */
static void names_plt_stubs(void **state)
{
	static const char *const flags[] = {"-O1 -Wl,-z,lazy -fcf-protection=none",
					    "-O1 -Wl,-z,lazy -fcf-protection=full -Wl,-z,ibtplt",
					    "-O1 -Wl,-z,now"};

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		_free_ char *command =
			mem_printf("objdump -d %s/plt | awk '/^[0-9a-f]+ <puts@plt>/ {"
				   " print $1 }'",
				   snippet_dir);
		unsigned long stub = 0;
		struct opened o;
		FILE *f;

		snippet_build("plt", source, flags[i]);
		f = popen(command, "r");
		assert_non_null(f);
		assert_int_equal(fscanf(f, "%lx", &stub), 1);
		pclose(f);
		open_table("plt", &o);
		assert_string_equal(name_at(&o, stub + 5), "puts");
		assert_true(symtab_find(&o.symtab, stub + 5)->plt);
		close_table(&o);
	}
}

/* A stripped library has .dynsym alone: what it does not export stays nameless. */
static void stripped_has_exports_only(void **state)
{
	uint64_t hidden, shown;
	struct opened o;

	(void)state;
	snippet_build(
		"lib.so",
		"__attribute__((visibility(\"hidden\"))) int hidden(int x) { return x * 7; }\n"
		"int shown(int x) { return hidden(x) + 1; }\n",
		"-O1 -shared -fPIC -fno-inline");
	hidden = snippet_address("lib.so", "hidden");
	shown = snippet_address("lib.so", "shown");
	snippet_run("strip lib.so");
	open_table("lib.so", &o);
	assert_string_equal(name_at(&o, shown), "shown");
	assert_string_equal(name_at(&o, hidden), "none");
	close_table(&o);
}

static void names_variables(void **state)
{
	struct symtab t = {0};
	struct opened o;
	uint64_t table, zeroed;

	(void)state;
	snippet_build("v",
		      "int table[16] = {1}; static int zeroed; __thread int own;\n"
		      "int main(void) { return table[0] + zeroed + own; }\n",
		      "-O0");
	table = snippet_address("v", "table");
	zeroed = snippet_address("v", "zeroed");
	open_table("v", &o);
	symtab_add_variables(&t, o.elf);
	symtab_finish(&t);
	assert_string_equal(symtab_find(&t, table + 40)->name, "table");
	assert_string_equal(symtab_find(&t, zeroed)->name, "zeroed");
	/* Its value is no address. */
	assert_null(symtab_find(&t, 0));
	assert_string_equal(name_at(&o, table), "none");
	symtab_release(&t);
	close_table(&o);
}

/* Symbols by hand: inner ones cut outer ones, partial overlaps end in order. */
static void flattens_overlaps(void **state)
{
	struct symtab t = {0};
	static const struct {
		uint64_t address;
		const char *name;
	} want[] = {{99, NULL},	    {100, "outer"}, {119, "outer"}, {120, "inner"}, {129, "inner"},
		    {130, "outer"}, {189, "outer"}, {190, "next"},  {209, "next"},  {210, NULL}};

	(void)state;
	vec_push(&t.at, ((struct symbol){100, 200, "outer", 0, true, false}));
	vec_push(&t.at, ((struct symbol){190, 210, "next", 0, true, false}));
	vec_push(&t.at, ((struct symbol){120, 130, "inner", 0, true, false}));
	vec_push(&t.at, ((struct symbol){120, 130, "inner_worse", 1, true, false}));
	symtab_finish(&t);
	for (size_t i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
		const struct symbol *s = symtab_find(&t, want[i].address);

		if (want[i].name)
			assert_string_equal(s ? s->name : "none", want[i].name);
		else
			assert_null(s);
	}
	symtab_release(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(picks_the_plain_name_of_aliases),
		cmocka_unit_test(ends_where_the_symbol_says),
		cmocka_unit_test(names_plt_stubs),
		cmocka_unit_test(stripped_has_exports_only),
		cmocka_unit_test(names_variables),
		cmocka_unit_test(flattens_overlaps),
	};

	return cmocka_run_group_tests(tests, snippet_setup, snippet_teardown);
}
