/*
 * zonefile: one binary, opened to find the probe sites of its functions. Uses libelf, which may
 * crash on a hostile file: only in confined worker processes.
 */
#ifndef DEBUGINFO_ZONEFILE_H
#define DEBUGINFO_ZONEFILE_H

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
	uint64_t start;	      /* the program's entry point: nothing calls it */
	Elf *elf, *debug;     /* debug: its separate debug file, NULL: none */
	const uint8_t *bytes; /* of the whole file; in the Elf's memory */
	size_t n_bytes;
	struct frames frames;
	struct functions functions;
	struct zonefile_stubs stubs[ZONEFILE_STUBS];
	struct map keepers;  /* GOT slots of imported functions that use their return address */
	bool stores_keepers; /* its own variables hold such functions, too */
	struct map harmless; /* functions that may be tail-called with a hijacked return address */
};

/* Both descriptors stay the caller's; @debug_fd may be -1. -EINVAL or -ENOTSUP, with a text of one
 * clause, where the file is not a program or library for 64-bit x86. */
int zonefile_open(int fd, int debug_fd, struct zonefile *out);
void zonefile_release(struct zonefile *);

/* The sites of the function at @address. @switches: it leaves its stack;
 * @arguments: needed at its entry; see struct site_world. */
void zonefile_sites(struct zonefile *, const struct site_kernel *, uint64_t address, uint64_t size,
		    bool switches, uint32_t arguments, struct sites *out);

/* Replaces the exits of @sites, those of the function at @address, by the RETs at which a call ends
 * that it leaves by a jump to other functions of the file: where these end, and what they jump to.
 * @is_probed: functions whose own calls are seen. Nothing changes where one of the jumps cannot be
 * followed. */
void zonefile_follow(struct zonefile *, const struct site_kernel *, uint64_t address, uint64_t size,
		     bool (*is_probed)(const void *context, uint64_t address), const void *context,
		     struct sites *sites);

/* The reason, to be put after the file's name: "throws C++ exceptions"; NULL: no hazard known.
 * @base: the base name of its path. */
const char *hazard_find(const struct zonefile *, const char *base);

#endif
