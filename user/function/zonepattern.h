/*
 * zonepattern: patterns that select functions: [MODULE:]NAME, [MODULE:]/REGEX/,
 * [MODULE:]@FILE[:LINE], or one of these after a "!":
 *
 *   malloc		the function of that name, in any module
 *   libc.so.6:mem*	MODULE is a glob on the base name of the module's path
 *   std::vector<*>::*	NAME is a glob on the whole name; "*" also matches "::"
 *   /^parse_(int|float)$/	an extended regular expression, found anywhere in the name
 *   @json.c		functions declared in a source file: a path, or the end of one
 *   @src/json.c:120	the function around that line
 *   python.gc__*@usdt	static markers, by provider and name; only patterns with "@usdt" match these
 *   !free_*		excludes functions that other patterns select
 *   *@plt		calls of other modules' functions; only patterns with "@plt" match these
 *
 * MODULE may omit ".so" and what follows it: libc is libc.so.6; with a "/" it is a glob on the
 * whole path; it may be a link, in PATH or of a library's name (libz.so.1), to a file of another
 * name. C++ and Rust names match as people write them, with and without the parameter list, and as
 * the linker writes them. A compiler's copies of the whole function (name.constprop.0, name.isra.0)
 * match by the function's name, parts of it (name.part.0) do not; all functions that an IFUNC may
 * choose match by its name. A pattern that equals a name matches it, whatever special characters it
 * holds. Patterns without "!" add up; if all have a "!", "*" precedes them.
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

/* For patterns added from now on: bits for the actions that a selected function gets (their meaning
 * is the caller's), the arguments that these need at the entry (site_world.h), and whether patterns
 * may match nothing. Defaults: 1, none and false. */
void zonepatterns_set_actions(struct zonepatterns *, uint32_t actions, uint32_t arguments,
			      bool may_miss);
/* For the next pattern: the number of the argument that its actions are about, from 1 on. */
void zonepatterns_set_argument(struct zonepatterns *, uint32_t number);
/* -EINVAL with a text that quotes @pattern. */
int zonepatterns_add(struct zonepatterns *, const char *pattern);
/* Adds the patterns in a file, one on each line; empty lines and those that start with "#" are
 * skipped. Errors name the line; a file without any pattern is an error, as no pattern would mean
 * all functions. */
int zonepatterns_add_file(struct zonepatterns *, const char *path);

struct opener;
/* Finds the files that the modules name, see zonepatterns_file(). Call it once, when all patterns
 * are added. An error, with a text: a file is on a mount that does not answer. */
int zonepatterns_find_files(struct zonepatterns *, struct opener *);

/* Serialises the patterns for zonepatterns_get() in a worker process. */
void zonepatterns_put(const struct zonepatterns *, struct str *out);
struct zonepatterns *zonepatterns_get(const char *bytes, size_t n);

size_t zonepatterns_count(const struct zonepatterns *);
/* As the user wrote it. */
const char *zonepatterns_text(const struct zonepatterns *, size_t i);
bool zonepatterns_is_exclusion(const struct zonepatterns *, size_t i);
/* Whether it may match nothing. Not sent to a worker process. */
bool zonepatterns_may_miss(const struct zonepatterns *, size_t i);
/* 0: none was named. Not sent to a worker process. */
uint32_t zonepatterns_argument(const struct zonepatterns *, size_t i);
/* Whether a pattern names source files, so that matching needs DWARF. */
bool zonepatterns_need_lines(const struct zonepatterns *);

/* Whether a pattern that is no exclusion may concern the module at @path: others need not be
 * read. */
bool zonepatterns_want_module(const struct zonepatterns *, const char *path);

/* A function as patterns see it; NULL: unknown. */
struct zone_names {
	const char *module; /* path */
	const char *linkage;
	const char *name;	 /* demangled, without parameter list; the same as linkage for C */
	const char *full;	 /* demangled, with parameter list */
	const char *file;	 /* of its declaration */
	uint32_t line, end_line; /* its lines in that file; end_line 0: unknown */
	bool stub;		 /* a call of another module's function: names end in "@plt" */
	bool marker;		 /* a static marker: names end in "@usdt" */
};

/* False: no pattern selects a function that the linker calls @linkage, whatever its readable name.
 * Avoids demangling every name of a large library. */
bool zonepatterns_may_take(const struct zonepatterns *, const char *linkage);

#define ZONEPATTERN_NONE SIZE_MAX

/* What patterns say about a function. */
struct zone_taking {
	size_t first;	    /* pattern that selects it; ZONEPATTERN_NONE: none */
	uint32_t taken;	    /* actions of all patterns that select it */
	uint32_t arguments; /* arguments that these actions need */
	uint32_t excluded;  /* actions of the exclusions that match it */
};

/* Increments @hits, one for each pattern, for those that match the function (but not for
 * exclusions); may be NULL. */
struct zone_taking zonepatterns_match(const struct zonepatterns *, const struct zone_names *,
				      uint32_t *hits);

/* The path, with links resolved, of the file that @pattern's MODULE names, mapped or not, if MODULE
 * has no wildcards and is a path, a program in PATH, or a library that the dynamic linker finds.
 * NULL: there is none, or the pattern excludes, or zonepatterns_find_files() was not called. */
const char *zonepatterns_file(const struct zonepatterns *, size_t pattern);
/* @pattern's MODULE; NULL: it has none, or excludes. */
const char *zonepatterns_module(const struct zonepatterns *, size_t pattern);
/* Whether @pattern's MODULE matches @path, or it has none. */
bool zonepatterns_is_for(const struct zonepatterns *, size_t pattern, const char *path);
/* The NAME of a pattern of that form, without its MODULE; NULL for others. */
const char *zonepatterns_name(const struct zonepatterns *, size_t pattern);

#endif
