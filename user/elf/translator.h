/*
 * translator: programs that run the code of another program by reading it and running a copy of
 * their own make: what a probe has put there they take for code, of which the other program dies.
 * Known by what stands in their constants, or by name. Bounded reads of an untrusted file.
 */
#ifndef ELF_TRANSLATOR_H
#define ELF_TRANSLATOR_H

#include <stdbool.h>

#include "elf/elffile.h"

struct translator {
	const char *name;
	bool needs_libraries; /* what it maps executable are libraries of its own, which the
			       * processor runs as they are; it reads what it maps otherwise */
};

/* By what is in the file; NULL: it is none that is known. */
const struct translator *translator_find(const struct elffile *);
/* By its name, or that of a script that starts it, without folders; NULL the same. */
const struct translator *translator_called(const char *base);

/* The names under which such programs are installed. Who is called so need not be one. */
void translator_each_name(void (*each)(void *context, const char *name), void *context);

#endif
