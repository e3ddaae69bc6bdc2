/*
 * images_state: what images is inside. For images.c and images_forget.c.
 */
#ifndef PROCESS_IMAGES_STATE_H
#define PROCESS_IMAGES_STATE_H

#include "base/hash.h"
#include "base/vec.h"
#include "process/identity.h"
#include "process/kallsyms.h"
#include "process/roots.h"

struct image;
struct opener;

/* One identity under which an image is known. A file mapped by its build-id here and by its
 * inode there has two. */
struct alias {
	struct identity id;
	uint32_t image;
};

struct images {
	VEC(struct image *) at; /* pointers, so that images_at() stays valid */
	VEC(struct alias) aliases;
	struct map by_key; /* hash of build-id, of device and inode, or of path → alias */
	struct map by_pid; /* JIT images of processes that live */
	struct roots *roots;
	struct budget_pool *pool; /* borrowed */
	struct opener *opener;	  /* NULL: none */
	uint64_t max_fds;
	kallsyms_ask_fn kernel_names;
	const struct crew_wait *patience; /* borrowed, or NULL */
	bool parts_copies;
	VEC(uint32_t) unused; /* numbers of images that were forgotten */
	uint32_t serial;      /* of the newest image */
	uint32_t round;	      /* grows with each images_forget() */
};

/* Closes what it holds open; NULL is harmless. */
void image_free(struct image *);

#endif
