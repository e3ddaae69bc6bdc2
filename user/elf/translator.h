/*
 * translator: recognises binary translators (valgrind, qemu's user mode): programs that read
 * another program's code and run a translated copy of it. They would translate a probe's breakpoint
 * as an instruction, and the program that they run would crash. Recognised by strings in their
 * constants, or by name. Bounded reads of an untrusted file.
 */
#ifndef ELF_TRANSLATOR_H
#define ELF_TRANSLATOR_H

#include <stdbool.h>

#include "elf/elffile.h"

struct translator {
	const char *name;
	bool needs_libraries; /* the files that it maps executable are its own libraries, which run
			       * natively; what it translates it maps without execute permission */
};

/* By the file's contents; NULL: not a known translator. */
const struct translator *translator_find(const struct elffile *);
/* By the base name of the program, or of a script that starts it; NULL as above. */
const struct translator *translator_called(const char *base);

/* The names under which such programs are installed. A file of such a name need not be one. */
void translator_each_name(void (*each)(void *context, const char *name), void *context);

#endif
