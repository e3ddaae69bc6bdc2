/*
 * subject: what identifies a function in two profiles: its module's file name (a library's up to
 * ".so"; of a script its own file's, in a package with the folders in that) and its name without
 * the suffixes that compilers append to copies. Never its line, address or build-id, which any edit
 * changes.
 */
#ifndef COMPARE_SUBJECT_H
#define COMPARE_SUBJECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hash.h"
#include "base/intern.h"
#include "model/profile.h"

/* How many bytes of @name are left without ".cold", ".isra.0", ".constprop.0", ".part.0",
 * ".lto_priv.0", ".llvm.123", any number of them behind each other; also as demanglers write them:
 * " [clone .cold]". */
size_t subject_length(const char *name);

/* One that was seen. */
struct subject {
	uint32_t module, name; /* strings: as people see them, without suffixes */
	uint8_t kind;	       /* enum frame_kind */
	bool named;	       /* false: only module and offset, which another build moves */
};

/* Each function once; a zeroed one is empty and valid. Two profiles that share it have the same
 * numbers for the same functions. */
struct subjects {
	struct intern strings;
	/* Borrowed: the module @alias is taken for @alias_of, as a program that was built under
	 * another name is. NULL: none is. */
	const char *alias, *alias_of;
	VEC(struct subject) all;
	struct map by_key;
};

/* Adds the function of that name in that module where it is new; its number. @module is a path of
 * which the last part counts. @build: "" of a function with a name; else the build-id, without
 * which "libc.so.6+0x1f30" says nothing. */
uint32_t subject_add(struct subjects *, const char *module, const char *name, uint8_t kind,
		     const char *build);
/* What stands for the module of row @function in these calls: its path; of a script the file, from
 * its package on (select/script_package.h). Freed by the caller. */
char *subject_place(const struct profile *, uint32_t function);
/* Of row @function (not 0) of a profile. */
uint32_t subject_of(struct subjects *, const struct profile *, uint32_t function);
const char *subject_name(const struct subjects *, uint32_t);
const char *subject_module(const struct subjects *, uint32_t);
void subjects_release(struct subjects *);

#endif
