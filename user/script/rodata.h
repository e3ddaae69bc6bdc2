/*
 * rodata: finds a text in the constants of an ELF file, by bounded reads.
 */
#ifndef SCRIPT_RODATA_H
#define SCRIPT_RODATA_H

#include <stdbool.h>

#include "elf/elffile.h"

/* Bytes behind a text that are copied, and a NUL. */
#define RODATA_BEHIND 16

/* Whether @text is in the first MiBs of .rodata; copies what follows it to @out, cut, with zeros
 * behind what there is. */
bool rodata_find(const struct elffile *, const char *text, char out[RODATA_BEHIND]);

#endif
