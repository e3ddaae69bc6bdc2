/*
 * library: the files of this system's libraries.
 */
#ifndef TESTS_LIBRARY_H
#define TESTS_LIBRARY_H

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>

/* A library as the loader finds it by @name; closed by the caller. */
static inline int library_open(const char *name)
{
	void *handle = dlopen(name, RTLD_LAZY);
	struct link_map *map = NULL;
	int fd;

	assert_non_null(handle);
	assert_int_equal(dlinfo(handle, RTLD_DI_LINKMAP, &map), 0);
	fd = open(map->l_name, O_RDONLY | O_CLOEXEC);
	assert_true(fd >= 0);
	dlclose(handle);
	return fd;
}

#endif
