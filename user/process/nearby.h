/*
 * nearby: files on the same mount as a root directory. To look for one waits for no file system
 * but the root's own: the kernel refuses to enter another mount before it asks that for anything.
 */
#ifndef PROCESS_NEARBY_H
#define PROCESS_NEARBY_H

/*
 * Opens the regular file at @path, absolute, below @root_fd, which is on a local mount (see
 * roots_of(); -1: our own root), for reading. A descriptor; -EXDEV: the way there leads through
 * another mount, so let the opener do it; or another negative errno, without a text.
 */
int nearby_open(int root_fd, const char *path);

#endif
