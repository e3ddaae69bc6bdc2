/*
 * Unwind tables say what libdw says of the same files. With files as arguments: compares those
 * instead, and tells how much there was to compare.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <libelf.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <unistd.h>

#include "cfi_judge.h"
#include "elf/segments.h"
#include "table_sample.h"

struct comparison {
	struct table_blob table;
	struct elffile file;
	Dwarf_CFI *cfi;
	uint64_t covered_to; /* by libdw, as far as we came */
	size_t n_equal, n_padding, n_none, n_wrong;
};

static bool may_be_ours_alone(const struct comparison *c, uint64_t offset,
			      const struct table_rule *r)
{
	return offset - c->covered_to <= 15 || r->ra == TABLE_UNDEFINED ||
	       (r->flags & (TABLE_SIGNAL | TABLE_GUESS));
}

/* Compares the rules at @offset. Returns the offset up to which libdw's holds. */
static uint64_t compare_at(struct comparison *c, uint64_t offset)
{
	struct table_rule ours, theirs;
	bool has_ours = native_find(&c->table, offset, &ours), has_theirs;
	uint64_t address, end;

	if (!segments_address(&c->file, offset, &address))
		return offset + 1;
	has_theirs = judge_rule(c->cfi, address, &theirs, &end);
	end = has_theirs ? end - address + offset : offset + 1;
	if (has_theirs && end > c->covered_to)
		c->covered_to = end;
	if (!has_ours && !has_theirs)
		c->n_none++;
	else if (has_ours && has_theirs && !memcmp(&ours, &theirs, sizeof(ours)))
		c->n_equal++;
	else if (has_ours && !has_theirs && may_be_ours_alone(c, offset, &ours))
		c->n_padding++;
	else if (!c->n_wrong++)
		print_error("first difference at %#lx\n", address);
	return end;
}

/* At each row of ours and of libdw's, and one byte before: what a return address asks for. Of
 * gaps that are no padding only every 64th byte is asked for. */
static void compare_row(struct comparison *c, uint64_t start, uint64_t end)
{
	struct table_rule rule;
	uint64_t step = native_find(&c->table, start, &rule) ? 0 : 64;

	for (uint64_t at = start; at < end;) {
		uint64_t next = compare_at(c, at);

		at = next > at + step ? next : at + step;
	}
	compare_at(c, end - 1);
}

static void compare_table(struct comparison *c)
{
	struct parts p = parts_of(&c->table);

	for (uint32_t page = 0; page < p.header->n_pages; page++) {
		uint64_t base = (uint64_t)(p.header->first_page + page) * PAGE;

		for (uint32_t i = p.pages[page]; i < p.pages[page + 1]; i++)
			compare_row(
				c, base + (p.rows[i] & 0xffff),
				base + (i + 1 < p.pages[page + 1] ? p.rows[i + 1] & 0xffff : PAGE));
	}
}

/* False, with a text, where the file has no table or libdw finds no frames. */
static bool compare_file(const char *path, struct comparison *c)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	Elf *elf;

	*c = (struct comparison){0};
	if (fd < 0 || elffile_open(fd, &c->file))
		return false;
	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	c->cfi = dwarf_getcfi_elf(elf);
	if (c->cfi && !table_build(&c->file, &c->table))
		compare_table(c);
	else
		c->n_wrong++;
	table_blob_release(&c->table);
	elffile_release(&c->file);
	dwarf_cfi_end(c->cfi);
	elf_end(elf);
	close(fd);
	return true;
}

/* The path from which the loader takes the library @name; "" where there is none. */
static void find_library(const char *name, char path[PATH_MAX])
{
	void *library = dlopen(name, RTLD_LAZY);
	struct link_map *map;

	path[0] = '\0';
	if (!library)
		return;
	if (!dlinfo(library, RTLD_DI_LINKMAP, &map))
		snprintf(path, PATH_MAX, "%s", map->l_name);
	dlclose(library);
}

static void equals_libdw(void **state)
{
	static const char *const libraries[] = {"libc.so.6", "libstdc++.so.6"};

	(void)state;
	for (size_t i = 0; i < sizeof(libraries) / sizeof(*libraries); i++) {
		struct comparison c;
		char path[PATH_MAX];

		find_library(libraries[i], path);
		assert_true(compare_file(path, &c));
		assert_int_equal(c.n_wrong, 0);
		assert_true(c.n_equal > 40000);
	}
}

static int compare_files(int n, char **paths)
{
	int status = 0;

	for (int i = 0; i < n; i++) {
		struct comparison c;

		if (!compare_file(paths[i], &c)) {
			print_error("%s: cannot be read\n", paths[i]);
			return 1;
		}
		print_message("%s: %zu equal, %zu in padding and stubs, %zu without rule, "
			      "%zu different\n",
			      paths[i], c.n_equal, c.n_padding, c.n_none, c.n_wrong);
		status |= c.n_wrong != 0;
	}
	return status;
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equals_libdw),
	};

	if (argc > 1)
		return compare_files(argc - 1, argv + 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
