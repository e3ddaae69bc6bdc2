/*
 * descriptors: what is behind the file descriptors of other processes: "/var/lib/x", "pipe:[4711]",
 * "socket:[4712]", "anon_inode:[eventfd]". A descriptor may have been closed and used again since
 * it was waited for: the inode that the kernel saw then tells. Of a file that was closed the end of
 * its path is known, "…/lib/x".
 */
#ifndef WAITS_DESCRIPTORS_H
#define WAITS_DESCRIPTORS_H

#include <stdint.h>

#include "base/hash.h"
#include "base/intern.h"
#include "wire_offcpu.h"

/* A zeroed one is empty and valid. */
struct descriptors {
	struct map by_place; /* process, descriptor, inode and name → text */
};

/* The file behind the descriptor that is the first argument of a call of @pid: the number of its
 * name in @texts, "" where it cannot be known. */
uint32_t descriptors_name(struct descriptors *, struct intern *texts, uint32_t pid,
			  const struct wire_reason *);
void descriptors_release(struct descriptors *);

#endif
