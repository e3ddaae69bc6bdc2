/*
 * roots: the root directories of processes that live in another mount namespace or chroot than we
 * do, one descriptor each.
 */
#ifndef PROCESS_ROOTS_H
#define PROCESS_ROOTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct roots;
struct roots *roots_new(void);
void roots_free(struct roots *);

/* An O_PATH descriptor that stays ours, or -1: the process's root is our own, unknown, or on a
 * mount that may not answer. */
int roots_of(struct roots *, uint32_t pid);

/* Forgets the roots that roots_of() did not return since the last call, except for descriptors that
 * @used says are in use. */
void roots_forget(struct roots *, bool (*used)(void *context, int fd), void *context);

/* All known roots, newest first, our own (-1) last: at least one. */
size_t roots_count(const struct roots *);
int roots_at(const struct roots *, size_t i);

/*
 * Opens the regular file at @path, absolute, below @root_fd, which is on a local mount (see
 * roots_of(); -1: our own root), for reading. Returns a descriptor; -EXDEV: the path leads through
 * another mount, so the opener must do it; or another negative errno, without a text. It waits only
 * for the root's own file system: the kernel refuses to enter another mount before it asks that
 * mount anything.
 */
int nearby_open(int root_fd, const char *path);

#endif
