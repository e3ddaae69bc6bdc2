/*
 * elffile: the headers of a foreign ELF file, read by pread(2) alone: every offset and count in
 * it is checked against the file's size first, so it may be used with full privileges. What
 * needs libelf or libdw (symtab, plt, dwarf) is for processes that may die of it.
 */
#ifndef ELF_ELFFILE_H
#define ELF_ELFFILE_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"

/* A 32-bit file's headers are widened to these. */
struct elffile {
	int fd;		/* borrowed */
	uint64_t bytes; /* of the file */
	bool is_64;
	uint16_t machine;
	VEC(Elf64_Phdr) segments;
	uint64_t sections_offset; /* 0: none */
	uint32_t n_sections;
	uint32_t names_section; /* index of .shstrtab */
};

/*
 * -EINVAL with a text for what is no little-endian ELF or has headers outside the file. @fd stays
 * the caller's and must outlive the elffile.
 */
int elffile_open(int fd, struct elffile *out);
/* Whether elffile_open() takes it; a negative @fd is none. */
bool elffile_is(int fd);
void elffile_release(struct elffile *);

/* Exactly @n bytes at @offset, or -EINVAL: no text, since callers go on without. */
int elffile_read(const struct elffile *, uint64_t offset, void *buf, size_t n);

/* The first section called @name; -ENOENT (no text) where there is none. */
int elffile_section(const struct elffile *, const char *name, Elf64_Shdr *out);

/*
 * Opens @path for reading below @root_fd (-1: our own root) as a process with that root would,
 * symbolic links included. Only a regular file is ever opened; -EINVAL (no text) for others.
 */
int elffile_open_path(int root_fd, const char *path);

#endif
