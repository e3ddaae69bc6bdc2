/*
 * unwinder_state: what the unwinder is inside. For unwinder.c and unwinder_forget.c.
 */
#ifndef STACK_UNWINDER_STATE_H
#define STACK_UNWINDER_STATE_H

#include "base/hash.h"
#include "base/vec.h"
#include "elf/budget.h"
#include "elf/elffile.h"
#include "unwind/table_build.h"
#include "wire.h"

struct images;
struct procs;
struct tables;

/* The table of a piece of an image: in the kernel once the walker has met it, else only here. */
struct entry {
	struct table_blob own; /* no words: in the kernel, or not made yet */
	struct wire_piece piece;
	bool in_kernel;
};

/* An image opened to make tables of its pieces. */
struct maker {
	struct budget budget;
	struct elffile file;	   /* charges it */
	struct table_maker *maker; /* NULL: cannot be */
	bool is_open;		   /* it was tried */
};

struct unwinder {
	struct tables *tables;
	struct images *images;
	struct procs *procs;
	struct budget_pool *pool;
	struct map by_piece; /* image, piece → index in entries */
	VEC(struct entry) entries;
	struct map file_of; /* image → index in files: how the kernel calls it, once known */
	VEC(struct wire_piece) files;
	struct map makers_by_image; /* → index in makers */
	VEC(struct maker *) makers; /* owned */
	struct map asked;	    /* hash of a piece → how often in vain */
	uint64_t walks;
	int64_t build_ns;
	uint64_t frames[WIRE_WALK_FRAMES]; /* of the walk under way */
};

void unwinder_maker_free(struct maker *);

#endif
