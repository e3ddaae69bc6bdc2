/*
 * dwoview: ELF files in memory that are each made of parts of one file. A package of .dwo files
 * (.dwp), and a .dwo file with several sections of entries, become files that libdw reads: ones
 * with one section of each name. Nothing of the file is copied, unless it is compressed. Uses
 * libelf: only in confined worker processes.
 */
#ifndef DEBUGINFO_DWOVIEW_H
#define DEBUGINFO_DWOVIEW_H

#include <libelf.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "debuginfo/splitbytes.h"

/* Parts that one file is made of. */
#define DWOVIEW_PARTS 12
/* The most files that are made of one. */
#define DWOVIEW_MOST 4096

/* A section, or a part of one. */
struct dwoview_part {
	const char *name;
	uint64_t offset, bytes; /* in the memory of the view */
};

struct dwoview {
	uint8_t *memory; /* of .bytes: headers of the files that were made, and the whole file */
	uint64_t bytes;
	uint32_t made;
	VEC(struct dwoview_part) sections; /* those of debug information, not compressed */
	char *names;			   /* of these */
};

/* Maps the file. false: it is no 64-bit little-endian ELF file, or is too large; @out is empty
 * then, but released as others are. @fd may be closed. */
bool dwoview_open(int fd, struct dwoview *out);
void dwoview_release(struct dwoview *);

struct split_bytes dwoview_bytes(const struct dwoview *, const struct dwoview_part *);
/* The first section called @name; NULL: there is none. */
const struct dwoview_part *dwoview_section(const struct dwoview *, const char *name);

/* Makes a file of @n parts, at most DWOVIEW_PARTS, for elf_end(), which must precede the release.
 * NULL: one too many. */
Elf *dwoview_make(struct dwoview *, const struct dwoview_part *, uint32_t n);

#endif
