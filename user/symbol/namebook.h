/*
 * namebook: caches the names of places for a capture that names its places window by window: only
 * new places are looked up. It holds a limited number of entries, and is emptied when full. Not
 * cached: JIT code, whose addresses are reused, and the kernel's modules, which come and go.
 */
#ifndef SYMBOL_NAMEBOOK_H
#define SYMBOL_NAMEBOOK_H

#include "symbol/namer.h"

/* A place whose frames are known: frames[first … first + n - 1]. */
struct namebook_entry {
	uint64_t offset;
	uint32_t serial; /* of the image */
	uint32_t is_return;
	uint32_t first, n;
};

/* A zeroed one is empty and valid. */
struct namebook {
	struct profile *names; /* strings, modules, functions and frames alone; NULL: none yet */
	VEC(struct namebook_entry) entries;
	VEC(uint32_t) frames;	  /* indexes of frames in names */
	struct map by_place;	  /* → entries */
	struct namer_stats stats; /* over all lookups */
	struct map unopened;	  /* serials of the images that could not be opened, for stats */
	uint64_t generation;	  /* incremented each time it is emptied */
	size_t most;		  /* limit of entries; 0: the default */
};

void namebook_release(struct namebook *);

/* namer_run(), without the statistics. */
int namebook_run(struct namebook *, struct images *, const struct place *, const uint8_t *is_return,
		 size_t n, struct profile *p, struct named *out);

/* The amount of data in a book, for namebook_send(). */
struct namebook_mark {
	uint64_t generation;
	size_t strings, modules, functions, frames, entries, entry_frames;
};
struct namebook_mark namebook_mark(const struct namebook *);
/* Writes what was added to the book after @since to @fd, for another process's copy of the book,
 * which is still as it was at @since. -errno. */
int namebook_send(const struct namebook *, const struct namebook_mark *since, int fd);
/* Adds to the copy what namebook_send() wrote to @fd, from its start. -EINVAL: malformed; the book
 * is then empty. */
int namebook_receive(struct namebook *, int fd);

#endif
