/*
 * images: the distinct executable files (and the kernel, the vDSO, each process's JIT code) that
 * stacks lie in. An image is opened when it is first seen, while its process lives, and kept by
 * file descriptor: a file that is deleted, replaced or in another mount namespace can still be
 * named. The same file mapped by many processes is one image: known by build-id, else by device
 * and inode, else by path. Who asks for it has copies of a file as images of their own.
 */
#ifndef PROCESS_IMAGES_H
#define PROCESS_IMAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hash.h"
#include "base/vec.h"
#include "process/kallsyms.h"
#include "process/owner.h"

enum image_kind {
	IMAGE_KIND_NONE,
	IMAGE_KIND_KERNEL,
	IMAGE_KIND_VDSO,
	IMAGE_KIND_FILE,
	IMAGE_KIND_JIT, /* anonymous executable memory of one process, named by its perf map */
};

/* What is known of a mapping's file when it is seen. */
struct image_id {
	const char *path; /* as the target sees it */
	uint8_t build_id[20];
	uint8_t build_id_bytes; /* 0: not known */
	uint32_t dev_major, dev_minor;
	uint64_t inode; /* 0: not known */
};

struct image {
	enum image_kind kind;
	char *path; /* as the target sees it; owned */
	int fd;	    /* the file, for JIT code its perf map; -1: not opened (why: note) */
	char *note; /* why it cannot be named in full: "deleted", "replaced since it was mapped",
		     * "no symbols", …; owned, NULL where all is well */
	uint8_t build_id[20];
	uint8_t build_id_bytes;
	uint32_t dev_major, dev_minor; /* as mapped */
	uint64_t inode;		       /* as mapped, 0: not known */
	uint32_t jit_pid;	       /* IMAGE_KIND_JIT: whose */
	bool is_copy;		       /* fd is one, in memory, of a file on a remote mount */
	struct opener *opener;	       /* of struct images */
	int root_fd; /* O_PATH of the process's root where it is not ours, else -1; struct images'
		      * own. For debug files and perf maps */
	uint32_t jit_ns_pid; /* the pid as its own namespace sees it */
	uint32_t jit_uid;    /* who started it */
	uint32_t jit_ticks;  /* until its perf map is looked for again; it may come later */
	uint32_t jit_wait;   /* how many ticks the next time */
	uint32_t first;	     /* the first image of the same build; its own number: it is that */
	uint32_t next_copy;  /* of the first one, or of a copy; IMAGE_NONE: none */
	uint32_t serial;     /* of no other image, not even of one that gets its number later */
	uint64_t owner;	     /* of the file, see budget_owner_of() */
	/* Of the process that was first seen to map the file, and so chose it. */
	struct owner mapper;
	bool has_mapper;
	uint32_t asked; /* in which round it was: see images_forget() */
};

struct alias;
struct budget_pool;
struct crew_wait;
struct opener;
struct roots;

/* All are known, and found, by these files' functions; others read them, and set what is theirs to
 * set after images_new(). */
struct images {
	VEC(struct image *) at; /* NULL: it was forgotten */
	VEC(struct alias) aliases;
	struct map by_key; /* hash of build-id, of device and inode, or of path → alias */
	struct map by_pid; /* JIT images of processes that live */
	struct roots *roots;
	uint64_t max_fds;
	struct map open_by_user; /* files that images hold open, by who mapped them first */
	uint64_t n_open;	 /* of all */
	VEC(uint32_t) unused;	 /* numbers of images that were forgotten */
	uint32_t serial;	 /* of the newest image: as many as there ever were */
	uint32_t round;		 /* grows with each images_forget() */

	/* For others to set; all are borrowed. */
	struct opener *opener; /* opens files, so that nobody has to wait for a mount that does not
				* answer; NULL: this process does */
	struct budget_pool *pool; /* of which files are read; NULL: each has its own limits alone */
	kallsyms_ask_fn kernel_names; /* names kernel addresses without /proc/kallsyms, or NULL */
	const struct crew_wait *patience; /* how long worker processes may read files; NULL: for as
					   * long as it takes */
	bool parts_copies; /* files of one build are images of their own, as containers have them: a
			    * probe stands in one file, and is met by those who map that one */
};

struct images *images_new(void);
void images_free(struct images *);

/* NULL: it was forgotten. */
static inline struct image *images_at(const struct images *m, uint32_t image)
{
	return image < m->at.n ? m->at.at[image] : NULL;
}

/*
 * The image for a file mapped at [@start, @end) in @pid: found or opened. Tried in turn:
 * /proc/PID/map_files/START-END (right even when deleted), /proc/PID/root/PATH, the same path
 * in our own root when the process is gone; the last two only when build-id or device and inode
 * agree with @id. Never fails: an image that cannot be opened has fd -1 and a note.
 */
uint32_t images_file(struct images *, uint32_t pid, uint64_t start, uint64_t end,
		     const struct image_id *id);
/* The image of a file that was asked for before; IMAGE_NONE: none is known. */
uint32_t images_known(struct images *, const struct image_id *id);
/* The image of @pid's anonymous executable memory. */
uint32_t images_jit(struct images *, uint32_t pid);
/* Looks again for perf maps that were not there yet, less and less often. Call at each tick. */
void images_tick(struct images *);
/* @pid exits or calls exec: its perf map is looked for a last time; code that appears under this
 * pid later is another image's. */
void images_jit_end(struct images *, uint32_t pid);

/* Forgets the images that nobody refers to, as @used (one byte an image) says, and that nobody
 * asked for since the call before the last one: a program that is started again and again is opened
 * and named once. Their numbers are given to others later. */
void images_forget(struct images *, const uint8_t *used);
/* Whether nobody asked for it for so long that the next images_forget() may forget it. */
bool images_is_stale(const struct images *, uint32_t image);

/* The mapped file of @image opened again by its path, under the process's root, then under ours:
 * a descriptor for the caller, or -1 unless build-id or device and inode agree with what was
 * mapped. For images that found no free descriptor. */
int images_open_again(const struct image *);
/* The inode of the image's file: as mapped, else of the open one; 0: not known. */
uint64_t image_inode(const struct image *);
/* The perf map of JIT code as it stands under its name now: a descriptor for the caller, or -1.
 * Only one that belongs to the process's user or to root: /tmp is everybody's. */
int images_open_perf_map(const struct image *);

/* The user who started @pid, whatever it did to /proc since: not the owner of /proc/PID, which is
 * root for a process that forbade its core files. UINT32_MAX: it has ended. */
uint32_t perf_map_user(uint32_t pid);
/*
 * /tmp/perf-PID.map below @root_fd (-1: our own root) of the process that calls itself @pid and is
 * @user's; -1: none. Only a regular file with one name that is no link, and that @user may read:
 * his own, or root's if all may read it (agents write such). It lies in a folder for all, or in one
 * that the process has mounted itself, so that it may lead anywhere.
 */
int perf_map_open(struct opener *, int root_fd, uint32_t pid, uint32_t user);

#endif
