/*
 * mounts: which mounted file systems are local, and which wait for a server that may never answer
 * (FUSE, NFS, …). Reads mountinfo, which needs no answer from any file system.
 */
#ifndef PROCESS_MOUNTS_H
#define PROCESS_MOUNTS_H

#include <stdbool.h>
#include <stdint.h>

enum mount_kind {
	MOUNT_UNKNOWN, /* not among the mounts that we see: treat it as remote */
	MOUNT_LOCAL,   /* no other process takes part in reading it */
	MOUNT_REMOTE,
};

/* A mount as statx(2) identifies it: STATX_MNT_ID, and the device. */
struct mount_id {
	uint64_t id;
	uint32_t major, minor;
};
struct statx;
struct mount_id mount_id_of(const struct statx *);
/* statx(2) of the open file @fd without asking its server; false: failed. */
bool mount_stat(int fd, struct statx *out);

struct mounts;
struct mounts *mounts_new(void);
void mounts_free(struct mounts *);

/* In our own mount namespace, as it is now. The mount of our own root directory counts as local:
 * the machine does not run without it. */
enum mount_kind mounts_own(struct mounts *, const struct mount_id *);
/* In the namespace of @pid; if it is not mounted there, in ours. */
enum mount_kind mounts_of(struct mounts *, uint32_t pid, const struct mount_id *);

/* --- lines of mountinfo -----------------------------------------------------------------
 */

/* One line of /proc/PID/mountinfo; strings are borrowed, and unescaped. */
struct mount_line {
	uint64_t id;
	uint32_t major, minor;
	const char *point, *type, *source, *options;
};

/* Cuts @line into the strings. False: it is malformed. */
bool mount_line_parse(char *line, struct mount_line *out);

/* How to judge the paths in overlayfs's options: by the mounts in the namespace of the process that
 * mounted it. */
struct mount_judge {
	/* Whether the file at an absolute path is on a local file system. */
	bool (*is_local)(void *context, const char *path);
	/* Whether any mount there is remote: decides for relative paths, whose base is unknown. */
	bool (*has_remote)(void *context);
	void *context;
	bool trusted; /* only the machine's root can have mounted an overlay there */
};
bool mount_line_is_local(const struct mount_line *, const struct mount_judge *);
/* Whether it is one of the kernel's own, like /proc, that holds no one's files. */
bool mount_line_is_pseudo(const struct mount_line *);

#endif
