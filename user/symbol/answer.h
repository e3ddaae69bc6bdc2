/*
 * answer: the names of one image's addresses, serialised by the confined worker process that read
 * the image, and parsed by the loader. A hostile file may have taken over the worker: the bytes are
 * checked in full before use.
 */
#ifndef SYMBOL_ANSWER_H
#define SYMBOL_ANSWER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/intern.h"
#include "base/vec.h"
#include "process/images.h"

#define ANSWER_FOLDERS 1024
#define ANSWER_SPLITS  65536

/* An address to name. */
struct query {
	uint64_t offset; /* as in struct place */
	bool is_return;
};

/* The address to look up. A return address may be the first byte after its function, so look up the
 * byte before it, which belongs to the call. */
static inline uint64_t query_lookup(const struct query *q)
{
	return q->is_return && q->offset ? q->offset - 1 : q->offset;
}

enum {
	ANSWER_CORRUPT = 1,    /* not an ELF file, or malformed */
	ANSWER_NO_SYMBOLS = 2, /* no symbol table and no DWARF */
	ANSWER_ZSTD = 4,       /* DWARF is compressed with zstd, and libelf cannot read that */
	ANSWER_SPLIT = 8,      /* some of the DWARF is in .dwo files, and was not read */
	ANSWER_DWP = 16,       /* … nor from a .dwp that is there */
	ANSWER_ALT = 32,       /* some is in a file of dwz's that was not found */
};

struct answer_function {
	uint32_t name, linkage, file; /* offsets in the text; 0 is "" */
	uint32_t line;
	uint32_t named;
};

struct answer_frame {
	uint32_t function; /* index */
	uint32_t line;
	uint32_t inlined;
	uint32_t address_low, address_high; /* struct frame, address */
};

/* A .dwo file that was not given, and the folder its name is relative to. */
struct answer_split {
	uint32_t name, folder; /* offsets in the text */
};

/* An answer being made. A zeroed one is empty and valid. */
struct answer {
	uint32_t flags;
	uint32_t bad_lines, first_bad; /* of a perf map: lines not understood, and the first */
	VEC(uint32_t)
	ends; /* for each query, in order: the index after its last frame; innermost frames come
		 first */
	VEC(struct answer_frame) frames;
	VEC(struct answer_function) functions;
	VEC(uint32_t) folders; /* as in struct answer_view */
	VEC(struct answer_split) splits;
	VEC(uint32_t) split_of; /* as in struct answer_view */
	struct intern text;
	struct map by_function; /* hash of a function → functions */
	struct map by_linkage; /* mangled → readable name (strings), for those demangled already */
};

/* The number of a string; 0 for NULL and "". */
uint32_t answer_text(struct answer *, const char *);
/* Adds a frame of @f, whose strings are such numbers, to the current query. */
void answer_add(struct answer *, struct answer_function f, uint32_t line, bool inlined);
/* The same from strings. @linkage and @file may be NULL. */
void answer_frame(struct answer *, const char *name, const char *linkage, const char *file,
		  uint32_t file_line, uint32_t line, bool inlined, bool named);
/* Sets the address of the frame that was added last, whose function has no name. */
void answer_address(struct answer *, uint64_t address);
/* Adds a folder that code was compiled in, once; ignored beyond ANSWER_FOLDERS. */
void answer_folder(struct answer *, const char *folder);
/* Adds a .dwo file that was not given; @folder may be NULL. Returns 1 + its number, or 0 beyond
 * ANSWER_SPLITS. */
uint32_t answer_split(struct answer *, const char *name, const char *folder);
/* Ends the current query. */
void answer_next(struct answer *);
void answer_release(struct answer *);

/* Appends the answer to @fd with the number @job. A negative errno, no text. */
int answer_write(struct answer *, uint32_t job, int fd);

/* An answer in memory; the pointers lead into the bytes it was read from. */
struct answer_view {
	uint32_t job, flags;
	uint32_t bad_lines, first_bad;
	uint32_t n_queries, n_frames, n_functions, n_folders, n_splits;
	const uint32_t *ends;
	const struct answer_frame *frames;
	const struct answer_function *functions;
	const uint32_t *folders; /* offsets in the text */
	const struct answer_split *splits;
	const uint32_t *split_of; /* by query: 1 + the number of the .dwo file that has its
				     function, 0: none; NULL where there are no splits */
	const char *text;
};

/* Reads the answer at the start of the @n bytes at @at (aligned to 4). Returns its length, or 0 if
 * it is incomplete or inconsistent. */
size_t answer_read(const void *at, size_t n, struct answer_view *out);

/* "libfoo.so.1+0x1f30"; "[JIT code]" for all JIT code of a process, whose addresses mean nothing to
 * a reader. The caller frees it. */
char *nameless(const struct image *, uint64_t offset);

#endif
