/*
 * descriptors: what is behind the file descriptors of other processes: "/var/lib/x", "pipe:[4711]",
 * "socket:[4712]", "anon_inode:[eventfd]". A descriptor may have been closed and used again since
 * it was waited for: the inode that the kernel saw then tells.
 */
#ifndef WAITS_DESCRIPTORS_H
#define WAITS_DESCRIPTORS_H

#include <stdint.h>

#include "base/hash.h"
#include "base/intern.h"

/* A zeroed one is empty and valid. */
struct descriptors {
	struct map by_place; /* process, descriptor and inode → text */
};

/* The file with that @inode and @mode behind @fd of @pid: the number of its name in @texts, ""
 * where it cannot be known. */
uint32_t descriptors_name(struct descriptors *, struct intern *texts, uint32_t pid, uint64_t fd,
			  uint64_t inode, uint32_t mode);
void descriptors_release(struct descriptors *);

#endif
