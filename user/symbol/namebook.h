/*
 * namebook: the names of places that were looked up before, for a capture that names its places
 * window by window: what is known already is not looked up again. It holds a bounded number, and
 * begins anew when it is full. Code made at run time is looked up each time: its addresses are used
 * again. So are the kernel's modules, which come and go.
 */
#ifndef SYMBOL_NAMEBOOK_H
#define SYMBOL_NAMEBOOK_H

#include "symbol/namer.h"

/* A place whose frames are known: n from first on, in frames. */
struct namebook_entry {
	uint64_t offset;
	uint32_t serial; /* of the image */
	uint32_t is_return;
	uint32_t first, n;
};

/* A zeroed one is empty and valid. */
struct namebook {
	struct profile *names; /* texts, modules, functions and frames alone; NULL: none yet */
	VEC(struct namebook_entry) entries;
	VEC(uint32_t) frames;	  /* of names */
	struct map by_place;	  /* → entries */
	struct namer_stats stats; /* of all that was looked up */
	struct map unopened;	  /* serials of the images that could not be opened, of stats */
	uint64_t life;		  /* how often it has begun anew */
	size_t most;		  /* entries; 0: as many as are good for a capture */
};

void namebook_release(struct namebook *);

/* As namer_run(), without the statistics. */
int namebook_run(struct namebook *, struct images *, const struct place *, const uint8_t *is_return,
		 size_t n, struct profile *p, struct named *out);

/* How much there is in a book, for namebook_send(). */
struct namebook_mark {
	uint64_t life;
	size_t strings, modules, functions, frames, entries, entry_frames;
};
struct namebook_mark namebook_mark(const struct namebook *);
/* Writes what the book has beyond @since to @fd: for another copy of the book, of another process,
 * which stands there still. -errno. */
int namebook_send(const struct namebook *, const struct namebook_mark *since, int fd);
/* Takes that into the copy: @fd from its start on. -EINVAL, and the book is empty, where it is not
 * what namebook_send() writes. */
int namebook_receive(struct namebook *, int fd);

#endif
