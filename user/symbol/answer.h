/*
 * answer: the names of one image's addresses, serialised by the confined worker process that read
 * the image and parsed by the loader. The bytes come from a process that a hostile file may have
 * taken over: they are checked in full before use.
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

/* An address asked for. */
struct query {
	uint64_t offset; /* as in struct place */
	bool is_return;
};

/* What is looked up: a return address may be the first byte behind its function, so that it is
 * the call, a byte before, that tells. */
static inline uint64_t query_lookup(const struct query *q)
{
	return q->is_return && q->offset ? q->offset - 1 : q->offset;
}

enum {
	ANSWER_CORRUPT = 1,    /* not an ELF file, or one that makes no sense */
	ANSWER_NO_SYMBOLS = 2, /* no symbol table and no DWARF */
};

struct answer_function {
	uint32_t name, linkage, file; /* where in the text; "" is at 0 */
	uint32_t line;
	uint32_t named;
};

struct answer_frame {
	uint32_t function; /* index */
	uint32_t line;
	uint32_t inlined;
	uint32_t address_low, address_high; /* struct frame, address */
};

/* While it is made. A zeroed one is empty and valid. */
struct answer {
	uint32_t flags;
	VEC(uint32_t) ends; /* per query, in order: where its frames end; innermost stands first */
	VEC(struct answer_frame) frames;
	VEC(struct answer_function) functions;
	VEC(uint32_t) folders; /* as in struct answer_view */
	struct intern text;
	struct map by_function; /* hash of a function → functions */
	struct map by_linkage;	/* string → string: demangled already */
};

/* The number of a string, 0 for NULL and "". */
uint32_t answer_text(struct answer *, const char *);
/* Adds a frame to the query that is being answered: of @f, whose texts are such numbers. */
void answer_add(struct answer *, struct answer_function f, uint32_t line, bool inlined);
/* The same by texts. @linkage and @file may be NULL. */
void answer_frame(struct answer *, const char *name, const char *linkage, const char *file,
		  uint32_t file_line, uint32_t line, bool inlined, bool named);
/* Says at which address the frame that was added last is: of a function without a name. */
void answer_address(struct answer *, uint64_t address);
/* Adds a folder that code was compiled in; nothing where it is there, or ANSWER_FOLDERS are. */
void answer_folder(struct answer *, const char *folder);
/* Ends the frames of one query. */
void answer_next(struct answer *);
void answer_release(struct answer *);

/* Appends it to @fd under the number @job. A negative errno, no text. */
int answer_write(struct answer *, uint32_t job, int fd);

/* One answer in memory; the pointers lead into the bytes it was read from. */
struct answer_view {
	uint32_t job, flags;
	uint32_t n_queries, n_frames, n_functions, n_folders;
	const uint32_t *ends;
	const struct answer_frame *frames;
	const struct answer_function *functions;
	const uint32_t *folders; /* where in the text */
	const char *text;
};

/* Reads the answer at the head of @n bytes at @at (aligned to 4). The bytes it took, or 0 when
 * there is no whole and consistent one. */
size_t answer_read(const void *at, size_t n, struct answer_view *out);

/* "libfoo.so.1+0x1f30", and "[JIT code]" for all of a process's JIT code, whose addresses say
 * nothing to anybody. The caller's to free. */
char *nameless(const struct image *, uint64_t offset);

#endif
