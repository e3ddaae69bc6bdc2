/*
 * mounts_judge: whether a line of mountinfo is of a local file system. For mounts.c alone.
 */
#ifndef PROCESS_MOUNTS_JUDGE_H
#define PROCESS_MOUNTS_JUDGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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
