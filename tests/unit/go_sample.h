/*
 * A small program with a Go table of the test's choice: what gotab reads.
 */
#ifndef GO_SAMPLE_H
#define GO_SAMPLE_H

#include <elf.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { TEXT = 0x1000, TEXT_BYTES = 0x1000, TABLE = 0x2000, TABLE_BYTES = 0x400, BIAS = 0x400000 };
/* In the table. */
enum { NAMES = 72, STEPS = 200, FUNCTIONS = 300, RECORDS = 400, RECORD_BYTES = 44 };
enum { TOP = 1, SP_WRITE = 2 };

static const struct {
	uint32_t start;
	const char *name;
	uint8_t flags;
	const char *steps; /* pairs: change by zigzag, bytes of code; from -1 on */
} functions[] = {
	{0x00, "main.framed", 0, "\x02\x04\x20\x10\x1f\x0c"}, /* 0 for 4, 16 for 16, 0 for 12 */
	{0x20, "main.leaf", 0, "\x02\x20"},
	{0x40, "runtime.systemstack", SP_WRITE, "\x02\x20"},
	{0x60, "runtime.goexit", TOP, "\x02\x20"},
	{0x80, "runtime.mcall", SP_WRITE, "\x02\x20"},
	{0xa0, "runtime.sigtramp", TOP, "\x02\x10\x30\x10"}, /* 0, then 24 */
	{0xc0, "runtime.sigreturn", 0, "\x02\x20"},
	{0xe0, "time.now", SP_WRITE, "\x02\x08\x20\x18"}, /* 0, then 16 */
};
#define N   (sizeof(functions) / sizeof(*functions))
#define END 0x100

static inline void put(uint8_t *table, size_t at, uint64_t value, size_t bytes)
{
	memcpy(table + at, &value, bytes);
}

static inline void write_table(uint8_t *table, bool new_magic)
{
	size_t names = NAMES, steps = STEPS + 1;

	put(table, 0, new_magic ? 0xfffffff1 : 0xfffffff0, 4);
	put(table, 6, 0x0801, 2);
	put(table, 8, N, 8);
	put(table, 24, TEXT + BIAS, 8);
	put(table, 32, NAMES, 8);
	put(table, 56, STEPS, 8);
	put(table, 64, FUNCTIONS, 8);
	for (size_t i = 0; i < N; i++) {
		size_t record = RECORDS + i * RECORD_BYTES, n = strlen(functions[i].steps);

		put(table, FUNCTIONS + 8 * i, functions[i].start, 4);
		put(table, FUNCTIONS + 8 * i + 4, record - FUNCTIONS, 4);
		put(table, record + 4, names - NAMES, 4);
		put(table, record + 16, steps - STEPS, 4);
		put(table, record + (new_magic ? 41 : 37), functions[i].flags, 1);
		memcpy(table + names, functions[i].name, strlen(functions[i].name) + 1);
		names += strlen(functions[i].name) + 1;
		memcpy(table + steps, functions[i].steps, n + 1);
		steps += n + 1;
	}
	put(table, FUNCTIONS + 8 * N, END, 4);
	assert_true(names <= STEPS && steps <= FUNCTIONS);
}

/* The file of a table of @bytes, open for reading and writing. */
static inline int write_file_of(const uint8_t *table, size_t bytes)
{
	static const char names[] = "\0.gopclntab";
	Elf64_Phdr text = {.p_type = PT_LOAD,
			   .p_flags = PF_R | PF_X,
			   .p_offset = TEXT,
			   .p_vaddr = TEXT + BIAS,
			   .p_filesz = TEXT_BYTES};
	Elf64_Shdr sections[3] = {
		{0},
		{.sh_name = 1, .sh_type = SHT_PROGBITS, .sh_offset = TABLE, .sh_size = bytes},
		{.sh_offset = TABLE + bytes, .sh_size = sizeof(names)},
	};
	Elf64_Ehdr h = {
		.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
		.e_type = ET_EXEC,
		.e_machine = EM_X86_64,
		.e_phoff = sizeof(h),
		.e_phentsize = sizeof(text),
		.e_phnum = 1,
		.e_shoff = TABLE + bytes + sizeof(names),
		.e_shentsize = sizeof(*sections),
		.e_shnum = 3,
		.e_shstrndx = 2,
	};
	int fd = memfd_create("go", MFD_CLOEXEC);

	assert_int_equal(pwrite(fd, &h, sizeof(h), 0), sizeof(h));
	assert_int_equal(pwrite(fd, &text, sizeof(text), sizeof(h)), sizeof(text));
	assert_int_equal(pwrite(fd, table, bytes, TABLE), bytes);
	assert_int_equal(pwrite(fd, names, sizeof(names), TABLE + bytes), sizeof(names));
	assert_int_equal(pwrite(fd, sections, sizeof(sections), (off_t)h.e_shoff),
			 sizeof(sections));
	return fd;
}

static inline int write_file(const uint8_t *table)
{
	return write_file_of(table, TABLE_BYTES);
}

#endif
