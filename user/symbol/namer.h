/*
 * namer: resolves places to frames of a profile. Names each distinct place once, grouped by image,
 * images in parallel; for an image, it passes once over the DWARF of the units that hold a wanted
 * address, rather than searching each address.
 *
 * Names come, best first, from: DWARF (function, line, inlined frames) of the image or of its
 * separate debug file (build-id, then debuglink, under the process's root, then ours), the ELF
 * symbol tables (.symtab, the one in .gnu_debugdata, .dynsym, PLT stubs as "name@plt"), the table
 * of a stripped Go program, and for the kernel /proc/kallsyms. JIT code: /tmp/perf-PID.map in the
 * process's own mount namespace. An address without a name becomes "module+0xoffset", in JIT code
 * "[JIT code]" (named = 0); one outside of all mappings "[unknown] 0x…" with kind KIND_UNKNOWN.
 * C++, Rust and D names are demangled (libiberty); "linkage" keeps the mangled form.
 */
#ifndef SYMBOL_NAMER_H
#define SYMBOL_NAMER_H

#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"
#include "model/profile.h"
#include "process/images.h"
#include "process/maps.h"

/* The frames of place i are frame.at[first[i] … first[i + 1] - 1], innermost (inlined) first. */
struct named {
	VEC(uint32_t) frame; /* indexes in the profile's frames */
	VEC(uint32_t) first; /* one for each place, and one more */
};
void named_release(struct named *);

struct namer_stats {
	uint64_t places, unnamed, with_lines, inlined_frames;
	uint64_t put_off; /* of the unnamed: there was no time */
	uint32_t images, images_unopened, images_corrupt;
	/* Of whose DWARF a part was not read: see answer.h. */
	uint32_t images_zstd, images_split, images_dwp, images_alt;
	char missing[128];  /* the first of their .dwo files, by its last name */
	uint64_t bad_lines; /* of perf maps: not understood */
	uint32_t first_bad; /* the first of them, in one of the maps */
};

/*
 * Adds modules, functions and frames to @p. @places are distinct. @is_return says for each place
 * whether it is a return address: then the byte before it is looked up. Never fails because of a
 * target's files: a corrupt file is counted, and its places are shown as offsets. Places not named
 * within images' .patience keep their address, so that they can be named later. Returns 0, or
 * -ENOMEM.
 */
int namer_run(struct images *, const struct place *places, const uint8_t *is_return, size_t n,
	      struct profile *p, struct named *out, struct namer_stats *stats);

#endif
