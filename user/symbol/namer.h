/*
 * namer: places to frames of a profile. Each distinct place is named once, grouped by image, the
 * images in parallel. Within an image the work is one pass over what its DWARF says of the units
 * that hold a wanted address, not a search an address.
 *
 * Names come, best first, from: DWARF (function, line, inlined frames) of the image or of its
 * separate debug file (build-id, then debuglink, under the process's root, then ours), the ELF
 * symbol tables (.symtab, the one in .gnu_debugdata, .dynsym, PLT stubs as "name@plt"), the own
 * table of a stripped Go program, and for the kernel /proc/kallsyms. JIT code: /tmp/perf-PID.map
 * in the process's own mount namespace. What has no name becomes "module+0xoffset", of JIT code
 * "[JIT code]" (named = 0), an address in no mapping "[unknown] 0x…" with kind KIND_UNKNOWN. C++,
 * Rust and D names are demangled (libiberty); "linkage" keeps the mangled form.
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
	VEC(uint32_t) frame; /* index in the profile's frames */
	VEC(uint32_t) first; /* one per place and one more */
};
void named_release(struct named *);

struct namer_stats {
	uint64_t places, unnamed, with_lines, inlined_frames;
	uint64_t put_off; /* of the unnamed: time was over */
	uint32_t images, images_unopened, images_corrupt;
};

/*
 * Adds modules, functions and frames to @p. @places are distinct. @is_return says per place that
 * the address is a return address: the line looked up is that of the byte before it.
 * Never fails for what a target brings: a corrupt file is counted and its places shown as
 * offsets. What is not named when
 * struct images' patience is over has its address, by which it can be named later. -ENOMEM aside
 * always 0.
 */
int namer_run(struct images *, const struct place *places, const uint8_t *is_return, size_t n,
	      struct profile *p, struct named *out, struct namer_stats *stats);

#endif
