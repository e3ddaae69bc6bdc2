/*
 * images_state: what images is inside. For images*.c alone, behind images.h.
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
	struct map open_by_user; /* files that images hold open, by who mapped them first */
	uint64_t n_open;	 /* of all */
	kallsyms_ask_fn kernel_names;
	const struct crew_wait *patience; /* borrowed, or NULL */
	bool parts_copies;
	VEC(uint32_t) unused; /* numbers of images that were forgotten */
	uint32_t serial;      /* of the newest image */
	uint32_t round;	      /* grows with each images_forget() */
};

/* images.c: the number of the new image. */
uint32_t images_add(struct images *, enum image_kind, const char *path);

/* images_forget.c: whether @fd, a file that process @pid has mapped, may be held open. Of who is
 * not root there may be half as many as others leave. */
bool images_may_hold(const struct images *, uint32_t pid, int fd);
/* From now on the file of the image, whose mapper is known, is held open, or no longer. */
void images_held(struct images *, const struct image *, bool held);

/* Closes what it holds open; NULL is harmless. */
void image_free(struct image *);

/* images_jit.c: the user who started @pid, whatever it did to /proc since: not the owner of
 * /proc/PID, which is root for a process that forbade its core files. UINT32_MAX: it has ended. */
uint32_t perf_map_user(uint32_t pid);

/*
 * /tmp/perf-PID.map below @root_fd (-1: our own root) of the process that calls itself @pid and is
 * @user's; -1: none. Only a regular file with one name that is no link, and that @user may read:
 * his own, or root's if all may read it (agents write such). It lies in a folder for all, or in one
 * that the process has mounted itself, so that it may lead anywhere.
 */
int perf_map_open(struct opener *, int root_fd, uint32_t pid, uint32_t user);

#endif
