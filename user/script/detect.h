/*
 * detect: which interpreter of scripts an ELF file has, and where in it; and from that, what the
 * walker in the kernel must know of a process that runs it. Reads the file alone, within its
 * budget, by bounded reads: so in the privileged process, too.
 */
#ifndef SCRIPT_DETECT_H
#define SCRIPT_DETECT_H

#include <stdbool.h>
#include <stdint.h>

#include "elf/elffile.h"
#include "script/language.h"
#include "wire_script.h"

/* True if the file has an interpreter, known or refused. */
bool script_detect(const struct elffile *, struct interpreter *out);

/* What the walker must know of a process that has the file loaded, @base being what its addresses
 * are more than those of the file. All 0 for a refused one. */
struct wire_script_proc script_proc(const struct interpreter *, uint64_t base);

#endif
