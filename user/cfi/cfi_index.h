/*
 * cfi_index: finds the entries of a file's call frame information by the code that they cover.
 * With .eh_frame_hdr's sorted table it reads only those asked for, so that a large library costs
 * nothing until its code is met; without the table it reads all at once. Only for the cfi files.
 */
#ifndef CFI_CFI_INDEX_H
#define CFI_CFI_INDEX_H

#include "base/hash.h"
#include "base/vec.h"
#include "cfi/cfi_program.h"
#include "cfi/fde.h"
#include "elf/elffile.h"

/* Executable ones; linkers make one to four. */
#define CFI_MAX_SEGMENTS 64

/* A CIE as its FDEs need it. */
struct cfi_common {
	struct cfi_cie cie;
	struct cfi_state initial;
	uint8_t section; /* index of it */
	bool bad;	 /* cannot be used: nor can its FDEs */
};

/* An FDE. */
struct cfi_span {
	uint64_t start, end; /* of its code, offsets in the file */
	uint64_t address;    /* of start */
	const uint8_t *program;
	uint32_t program_bytes;
	uint32_t common; /* index */
	uint32_t number; /* in order of reading */
};

/* The CIEs of one section. Neighbouring FDEs mostly share one, so the last one found is tried
 * first. */
struct cfi_commons {
	struct map by_place; /* offset in the section, seeded → index in commons */
	uint64_t last_at;
	uint32_t last; /* index of that at last_at */
	bool has_last;
	uint64_t bytes; /* of all: less than the section has, since they do not overlap */
};

struct cfi_index {
	Elf64_Phdr segments[CFI_MAX_SEGMENTS]; /* executable, inside the file */
	size_t n_segments;
	struct cfi_section sections[2]; /* .eh_frame, .debug_frame */
	struct cfi_commons by_section[2];
	VEC(struct cfi_common) commons;
	VEC(struct cfi_span) spans; /* sorted; those of the last find, or all */
	struct budget *budget;	    /* of the file */
	struct fde_table table;	    /* no rows: all were read at once */
};

/* Errors as cfi_open(). @f need not outlive it. */
int cfi_index_open(const struct elffile *f, struct cfi_index *out);
void cfi_index_release(struct cfi_index *);

/* Makes sure that spans holds every entry whose code reaches into [@from, @to). */
int cfi_index_find(struct cfi_index *, uint64_t from, uint64_t to);
/* The first span whose code may reach beyond @from. */
size_t cfi_index_first(const struct cfi_index *, uint64_t from);

#endif
