/*
 * elffile: the headers of a foreign ELF file, read by pread(2) alone: every offset and count in
 * it is checked against the file's size first, so it may be used with full privileges. Code that
 * needs libelf or libdw (debuginfo/) runs in confined worker processes, which a hostile file may
 * crash.
 */
#ifndef ELF_ELFFILE_H
#define ELF_ELFFILE_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"
#include "elf/budget.h"

/* The names of the sections, read once: at each search for one they would be read again. */
struct elffile_names;

/* A 32-bit file's headers are widened to these. */
struct elffile {
	int fd;		       /* borrowed */
	uint64_t bytes;	       /* of the file, as it says */
	struct budget *budget; /* borrowed; charged with all that is read; NULL: no limits */
	bool is_64;
	uint16_t machine;
	VEC(Elf64_Phdr) segments;
	uint64_t sections_offset; /* 0: none */
	uint32_t n_sections;
	uint32_t names_section;	     /* index of .shstrtab */
	struct elffile_names *names; /* filled at the first search */
};

/*
 * -EINVAL with a text where the file is not a little-endian ELF file or its headers lie outside
 * it. @fd stays the caller's and must outlive the elffile. For worker processes, which have limits
 * of their own.
 */
int elffile_open(int fd, struct elffile *out);
/* The same with @budget, which must outlive it, too: for all other processes. */
int elffile_open_within(int fd, struct budget *budget, struct elffile *out);
/* Whether elffile_open() accepts it; false for a negative @fd. */
bool elffile_is(int fd);
void elffile_release(struct elffile *);

/* Exactly @n bytes at @offset, or -EINVAL: no text, since callers do without them. Also where the
 * budget is used up. */
int elffile_read(const struct elffile *, uint64_t offset, void *buf, size_t n);

/* The first section called @name; -ENOENT (no text) where there is none. */
int elffile_section(const struct elffile *, const char *name, Elf64_Shdr *out);

/*
 * Opens @path for reading below @root_fd (-1: our own root) as a process with that root would,
 * symbolic links included. Only a regular file is ever opened; -EINVAL (no text) for others.
 */
int elffile_open_path(int root_fd, const char *path);

#endif
