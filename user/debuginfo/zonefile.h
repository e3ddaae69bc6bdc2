/*
 * zonefile: one binary open to be asked for the sites of its functions. Uses libelf: for processes
 * that may die of it.
 */
#ifndef ELF_ZONEFILE_H
#define ELF_ZONEFILE_H

#include <libelf.h>

#include "base/hash.h"
#include "code/frames.h"
#include "code/site.h"
#include "debuginfo/function.h"
#include "elf/elffile.h"

/* Stubs that call other modules: of .plt and its like. */
#define ZONEFILE_STUBS 3
struct zonefile_stubs {
	uint64_t start, bytes;
};

struct zonefile {
	struct elffile file;
	uint16_t elf_type;    /* ET_EXEC, ET_DYN */
	uint64_t start;	      /* where the program starts: nobody calls that */
	Elf *elf, *debug;     /* debug: its separate debug file, NULL: none */
	const uint8_t *bytes; /* of the whole file; in the Elf's memory */
	size_t n_bytes;
	struct frames frames;
	struct functions functions;
	struct zonefile_stubs stubs[ZONEFILE_STUBS];
	struct map keepers;  /* slots of the GOT: of functions that use their return address */
	bool stores_keepers; /* variables of its own hold such functions, too */
	struct map harmless; /* functions to which others may leave a hijacked return address */
};

/* Both descriptors stay the caller's; @debug_fd may be -1. -EINVAL or -ENOTSUP, with a text that is
 * one clause, for what is no program or library for 64-bit x86. */
int zonefile_open(int fd, int debug_fd, struct zonefile *out);
void zonefile_release(struct zonefile *);

/* Up to @n bytes of code at @address; false where there is none. */
bool zonefile_code(const struct zonefile *, uint64_t address, uint64_t n, struct code *out);

/* In zonefile_sites.c: the sites of the function at @address. @switches: it leaves its stack, see
 * struct site_world. */
void zonefile_sites(struct zonefile *, const struct site_kernel *, uint64_t address, uint64_t size,
		    bool switches, struct sites *out);

#endif
