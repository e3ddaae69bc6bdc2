/*
 * zonepattern: which functions are meant. A pattern is [MODULE:]NAME, [MODULE:]/REGEX/,
 * [MODULE:]@FILE[:LINE], or one of these behind a "!":
 *
 *	malloc			the function of that name, in any module
 *	libc.so.6:mem*		MODULE is a glob on the base name of the module's path
 *	std::vector<*>::*	NAME is a glob on the whole name; "*" also matches "::"
 *	/^parse_(int|float)$/	an extended regular expression, found anywhere in the name
 *	@json.c			functions declared in a source file: a path, or the end of one
 *	@src/json.c:120		the function around that line
 *	!free_*			takes out again what the others take
 *	*@plt			the calls of other modules' functions; patterns without "@plt" mean
 *				none of these
 *
 * MODULE may leave out ".so" and what follows it: libc is libc.so.6; with a "/" it is a glob on the
 * whole path; it may be a link, in PATH or of a library's name (libz.so.1), to a file of another
 * name. C++ and Rust names match as people write them, with and without the parameter list, and as
 * the linker writes them. Copies that a compiler made of the whole function (name.constprop.0,
 * name.isra.0) match by its name, parts of it (name.part.0) do not; all functions that an IFUNC may
 * choose match by its name. A pattern is a name in the first place: one that equals a name matches
 * it whatever signs are in it. Patterns without "!" add up; where all have one, "*" stands before
 * them.
 */
#ifndef FUNCTION_ZONEPATTERN_H
#define FUNCTION_ZONEPATTERN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

struct zonepatterns;

struct zonepatterns *zonepatterns_new(void);
void zonepatterns_free(struct zonepatterns *);

/* What is to be done with the functions that a pattern takes: bits, which mean something to the
 * caller alone; the arguments that this needs at the entry (site_world.h); and whether patterns may
 * match nothing. Those of patterns that are added from now on; 1, none and no as long as nobody
 * says. */
void zonepatterns_set_actions(struct zonepatterns *, uint32_t actions, uint32_t arguments,
			      bool may_miss);
/* -EINVAL with a text that quotes @pattern. */
int zonepatterns_add(struct zonepatterns *, const char *pattern);
/* Adds a file of patterns, one a line; empty lines and those that start with "#" are passed over.
 * Errors name the line; one is that the file has no pattern, as none would mean all functions. */
int zonepatterns_add_file(struct zonepatterns *, const char *path);

struct opener;
/* When all are added, once: finds the files that their modules name, see zonepatterns_file(). An
 * error, with a text, where one is on a mount that does not answer. */
int zonepatterns_find_files(struct zonepatterns *, struct opener *);

/* Appends them to @out, as zonepatterns_get() in a worker process takes them. */
void zonepatterns_put(const struct zonepatterns *, struct str *out);
struct zonepatterns *zonepatterns_get(const char *bytes, size_t n);

size_t zonepatterns_count(const struct zonepatterns *);
/* As it was given. */
const char *zonepatterns_text(const struct zonepatterns *, size_t i);
bool zonepatterns_is_exclusion(const struct zonepatterns *, size_t i);
/* Whether it may match nothing. Lost on the way to a worker process. */
bool zonepatterns_may_miss(const struct zonepatterns *, size_t i);
/* Whether any pattern speaks of source files: then DWARF must be read to match. */
bool zonepatterns_need_lines(const struct zonepatterns *);

/* Whether any pattern but exclusions may concern the module at @path: what none does need not be
 * read. */
bool zonepatterns_want_module(const struct zonepatterns *, const char *path);

/* A function as patterns see it. Absent texts are NULL. */
struct zone_names {
	const char *module; /* path */
	const char *linkage;
	const char *name;	 /* demangled, no parameter list; the same as linkage for C */
	const char *full;	 /* demangled, with the parameter list */
	const char *file;	 /* where it is declared */
	uint32_t line, end_line; /* its lines in that file; end_line 0: not known */
	bool stub;		 /* a call of another module's function: its names end in "@plt" */
};

/* False: none takes a function that the linker calls @linkage, whatever its readable name is. So
 * that not every name of a large library need be made readable. */
bool zonepatterns_may_take(const struct zonepatterns *, const char *linkage);

#define ZONEPATTERN_NONE SIZE_MAX

/* What patterns say of a function. */
struct zone_taking {
	size_t first;	    /* pattern that takes it; ZONEPATTERN_NONE: none does */
	uint32_t taken;	    /* actions of all that do */
	uint32_t arguments; /* that these need */
	uint32_t excluded;  /* actions of exclusions that match it */
};

/* @hits, one a pattern: those are counted up that match the function, exclusions left aside; may be
 * NULL. */
struct zone_taking zonepatterns_ask(const struct zonepatterns *, const struct zone_names *,
				    uint32_t *hits);

/* The path, without symbolic links, of the file that @pattern's MODULE names, whether any process
 * maps it or not: one without globs that is a path, a program in PATH, or what the dynamic linker
 * finds for a library of that name. NULL: there is none, or the pattern excludes, or
 * zonepatterns_find_files() was not called. */
const char *zonepatterns_file(const struct zonepatterns *, size_t pattern);
/* @pattern's MODULE; NULL: it has none, or excludes. */
const char *zonepatterns_module(const struct zonepatterns *, size_t pattern);
/* Whether @pattern's MODULE matches @path; where it has none, any does. */
bool zonepatterns_is_for(const struct zonepatterns *, size_t pattern, const char *path);
/* The NAME of a pattern that is one, without its MODULE; NULL for others. */
const char *zonepatterns_name(const struct zonepatterns *, size_t pattern);

#endif
