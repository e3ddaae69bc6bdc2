/*
 * images: the distinct executable files that stacks lie in, and the kernel, the vDSO and each
 * process's JIT code. An image is opened when it is first seen, while its process lives, and kept
 * by file descriptor: so a file that is deleted, replaced or in another mount namespace can still
 * be named. The same file mapped by many processes is one image, identified by build-id, else by
 * device and inode, else by path. With .separate_copies, copies of a file are images of their own.
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
	IMAGE_KIND_JIT,	   /* anonymous executable memory of one process, named by its perf map */
	IMAGE_KIND_SCRIPT, /* functions of scripts, of all processes, named by .codes */
};

/* What a mapping's record says about its file. */
struct image_id {
	const char *path; /* as the target sees it */
	uint8_t build_id[20];
	uint8_t build_id_bytes; /* 0: unknown */
	uint32_t dev_major, dev_minor;
	uint64_t inode; /* 0: unknown */
};

struct image {
	enum image_kind kind;
	char *path;	  /* as the target sees it; owned */
	char *other_path; /* of a program that was executed by another name than the kernel's: that
			     of these two which .path is not; owned; else NULL */
	int fd;	    /* the file, or the perf map of JIT code; -1: not opened (note says why) */
	char *note; /* why it cannot be named in full: "deleted", "replaced since it was mapped",
		       "no symbols", …; owned; NULL: no problem */
	uint8_t build_id[20];
	uint8_t build_id_bytes;
	uint32_t dev_major, dev_minor; /* as mapped */
	uint64_t inode;		       /* as mapped; 0: unknown */
	uint32_t jit_pid;	       /* IMAGE_KIND_JIT: the process */
	bool many_names;	       /* executed by several: .path is the kernel's */
	bool framed;		       /* see select/runtime.h */
	bool is_copy;		       /* fd is a copy, in memory, of a file on a remote mount */
	struct opener *opener;	       /* that of struct images; borrowed */
	int root_fd; /* O_PATH of the process's root if it is not ours, else -1; owned by struct
			images. Debug files and perf maps are opened below it */
	uint32_t jit_ns_pid; /* the pid as its own namespace sees it */
	uint32_t jit_uid;    /* the user who started the process */
	uint32_t jit_ticks;  /* ticks until its perf map is looked for again */
	uint32_t jit_wait;   /* ticks to wait after the next failure */
	uint32_t first; /* the first image of the same build: its own number if it is the first */
	uint32_t next_copy; /* the next image of the same build; IMAGE_NONE: it is the last */
	uint32_t serial;    /* unique: never reused, unlike the image's number */
	uint64_t owner;	    /* of the file, see budget_owner_of() */
	/* The process that was first seen to map the file, and so chose it. */
	struct owner mapper;
	bool has_mapper;
	uint32_t asked; /* the last round in which it was looked up: see images_forget() */
};

struct alias;
struct budget_pool;
struct codes;
struct crew_wait;
struct opener;
struct roots;

/* Written by images*.c alone, except for the last fields, which the owner sets after
 * images_new(). */
struct images {
	VEC(struct image *) at; /* NULL: forgotten */
	VEC(struct alias) aliases;
	struct map by_key; /* hash of build-id, of device and inode, or of path → aliases */
	struct map by_pid; /* pid → JIT image of a living process */
	struct roots *roots;
	uint64_t max_fds;
	struct map open_by_user; /* uid of the first mapper → files that images keep open */
	uint64_t n_open;	 /* of all users */
	VEC(uint32_t) unused;	 /* free numbers, of forgotten images */
	uint32_t serial;	 /* that of the newest image */
	uint32_t round;		 /* incremented by images_forget() */

	/* Set by the owner; all are borrowed. */
	struct opener *opener; /* opens files that may be on mounts that do not answer; NULL: this
				  process does */
	struct budget_pool *
		pool; /* limits what reading files costs; NULL: each file has only its own limits */
	kallsyms_ask_fn
		kernel_names;	   /* names kernel addresses without /proc/kallsyms; may be NULL */
	const struct codes *codes; /* functions of scripts; NULL: there are none */
	const struct crew_wait
		*patience;    /* how long worker processes may read files; NULL: no limit */
	bool separate_copies; /* files with the same build-id are separate images, as containers
				 have them: a probe is set in one file, and hit only by processes
				 that map that one */
};

struct images *images_new(void);
void images_free(struct images *);

/* NULL: it was forgotten. */
static inline struct image *images_at(const struct images *m, uint32_t image)
{
	return image < m->at.n ? m->at.at[image] : NULL;
}

/*
 * The image of the file mapped at [@start, @end) in @pid, opened if it is new. Tries in turn
 * /proc/PID/map_files/START-END (right even when deleted), /proc/PID/root/PATH, and the same path
 * in our own root if the process is gone; the last two only if build-id or device and inode agree
 * with @id. Never fails: an image that cannot be opened has fd -1 and a note.
 */
uint32_t images_file(struct images *, uint32_t pid, uint64_t start, uint64_t end,
		     const struct image_id *id);
/* The image of a file, in @pid, whose program is called @comm: if it was executed by another name
 * than the kernel's, that becomes its path, unless others execute it by more names. @fresh:
 * images_file() has just opened it. */
void images_executed(struct images *, uint32_t image, uint32_t pid, const char *comm, bool fresh);
/* The image that images_file() returned for this file before; IMAGE_NONE: none. */
uint32_t images_known(struct images *, const struct image_id *id);
/* The image of @pid's anonymous executable memory. */
uint32_t images_jit(struct images *, uint32_t pid);
/* Looks again for perf maps that were missing, less and less often. Call at each tick. */
void images_tick(struct images *);
/* @pid exits or calls exec: looks for its perf map a last time. Code that appears under this pid
 * later belongs to a new image. */
void images_jit_end(struct images *, uint32_t pid);

/* Forgets the images that nobody refers to, as @used (one byte an image) says, and that nobody
 * looked up since the call before last: a program that is started again and again is opened and
 * named once. Numbers of forgotten images are reused. */
void images_forget(struct images *, const uint8_t *used);
/* Whether the next images_forget() may forget it, as nobody looked it up for long enough. */
bool images_is_stale(const struct images *, uint32_t image);

/* Opens the mapped file of @image again by its path, under the process's root, then under ours:
 * returns a descriptor for the caller, or -1 unless build-id or device and inode agree with what
 * was mapped. For images that found no free descriptor. */
int images_open_again(const struct image *);
/* The inode of the image's file: as mapped, else of the open file; 0: unknown. */
uint64_t image_inode(const struct image *);
/* Opens the perf map of JIT code under its present name: a descriptor for the caller, or -1. Only a
 * file of the process's user or of root is accepted: everybody can write to /tmp. */
int images_open_perf_map(const struct image *);

/* The user who started @pid, even if the process forbids core files, in which case root owns its
 * /proc/PID. UINT32_MAX: it has ended. */
uint32_t perf_map_user(uint32_t pid);
/*
 * Opens /tmp/perf-PID.map below @root_fd (-1: our own root), where @pid is the number in the
 * process's own namespace; -1: none. The file must be regular, have one link, be no symbolic link,
 * and be readable by @user: its own, or root's if everybody may read it (agents write such). The
 * folder may be everybody's, or one that the process has mounted itself, so the path may lead
 * anywhere.
 */
int perf_map_open(struct opener *, int root_fd, uint32_t pid, uint32_t user);

#endif
