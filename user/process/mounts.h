/*
 * mounts: which mounted file systems answer for themselves, and which wait for a server that may
 * never answer (FUSE, NFS, …). It reads mountinfo, which asks no file system anything.
 */
#ifndef PROCESS_MOUNTS_H
#define PROCESS_MOUNTS_H

#include <stdbool.h>
#include <stdint.h>

enum mount_kind {
	MOUNT_UNKNOWN, /* not mounted where we look: to be treated as remote */
	MOUNT_LOCAL,   /* no other process has a part in what is read of it */
	MOUNT_REMOTE,
};

/* A mount as statx(2) tells of a file: STATX_MNT_ID, and the device. */
struct mount_id {
	uint64_t id;
	uint32_t major, minor;
};
struct statx;
struct mount_id mount_id_of(const struct statx *);
/* What statx(2) knows of the open file @fd without asking its server; false: nothing. */
bool mount_stat(int fd, struct statx *out);

struct mounts;
struct mounts *mounts_new(void);
void mounts_free(struct mounts *);

/* Of our own mount namespace, as it is now. What our own root directory is on counts as local: the
 * machine does not run without it. */
enum mount_kind mounts_own(struct mounts *, const struct mount_id *);
/* In the namespace of @pid, else in ours. */
enum mount_kind mounts_of(struct mounts *, uint32_t pid, const struct mount_id *);

/* --- lines of mountinfo -----------------------------------------------------------------
 */

/* One line of /proc/PID/mountinfo; the texts are borrowed, unescaped. */
struct mount_line {
	uint64_t id;
	uint32_t major, minor;
	const char *point, *type, *source, *options;
};

/* False: it makes no sense. Cuts @line into the texts. */
bool mount_line_parse(char *line, struct mount_line *out);

/* How paths of overlayfs's options are judged: by the mounts of the namespace of who mounted it. */
struct mount_judge {
	/* Whether the file at an absolute path is on a local file system. */
	bool (*is_local)(void *context, const char *path);
	/* Whether any mount there is remote, for paths relative to nobody knows what. */
	bool (*has_remote)(void *context);
	void *context;
	bool trusted; /* only root of the machine can have mounted an overlay there */
};
bool mount_line_is_local(const struct mount_line *, const struct mount_judge *);
/* Whether it is one of the kernel's own, as /proc is, with no files of anybody's. */
bool mount_line_is_pseudo(const struct mount_line *);

#endif
