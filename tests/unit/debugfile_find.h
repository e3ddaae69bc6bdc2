/*
 * debugfile_find: a separate debug file as the loader and a worker process find it together: the
 * first of what is opened that fits.
 */
#ifndef TESTS_DEBUGFILE_FIND_H
#define TESTS_DEBUGFILE_FIND_H

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "elf/debugfile.h"

#define DEBUGFILE_MOST 8

/* As a process whose root is *@context does. */
static int debugfile_open_below(void *context, bool own_root, const char *path)
{
	const int *root_fd = context;

	return own_root ? open(path, O_RDONLY | O_CLOEXEC)
			: openat(*root_fd, path + 1, O_RDONLY | O_CLOEXEC);
}

/* @root_fd: of the process, -1 for ours. The caller's to close; -ENOENT. */
static int debugfile_find(const struct elffile *f, const char *path, int root_fd)
{
	const struct debugfile_open by = {debugfile_open_below, &root_fd, root_fd >= 0};
	int fds[DEBUGFILE_MOST], found = -ENOENT;
	const size_t n = debugfile_candidates(f, path, &by, fds, DEBUGFILE_MOST);

	for (size_t i = 0; i < n; i++)
		if (found < 0 && debugfile_fits(f, fds[i]))
			found = fds[i];
		else
			close(fds[i]);
	return found;
}

#endif
