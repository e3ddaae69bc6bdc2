/*
 * identity: what a mapped file is known by: its build-id, else device and inode. What stands at
 * its path today may be another file. Used by images alone.
 */
#ifndef PROCESS_IDENTITY_H
#define PROCESS_IDENTITY_H

#include <stdbool.h>
#include <stdint.h>

#include "elf/buildid.h"

struct identity {
	uint8_t build_id[BUILDID_MAX];
	uint8_t build_id_bytes; /* 0: not known */
	uint32_t dev_major, dev_minor;
	uint64_t inode; /* 0: not known */
};

/* A hash for a map: of the build-id, of device and inode, or where neither is known of @path. */
uint64_t identity_key(const struct identity *, const char *path);
/* The hash is not the key: two build-ids may be made to share one. */
bool identity_same(const struct identity *, const struct identity *);

/* As buildid_read(), of an open file that may be no ELF file. @pool may be NULL. */
uint8_t identity_read_build_id(int fd, struct budget_pool *pool, uint64_t owner,
			       uint8_t id[BUILDID_MAX]);

/* Opens @path below @root_fd (-1: our root) if it is the file that was mapped: *@a is the caller's.
 * -ESTALE: it is another, or nothing is known of the one that was mapped. */
struct opener;
struct opener_answer;
int identity_open(struct opener *, int root_fd, const char *path, const struct identity *want,
		  struct opener_answer *a);

/* Whether two descriptors refer to the same inode, as probes and mappings see it. Under overlayfs,
 * in containers, a file of a lower layer has another device number in each mount, and one that was
 * copied up keeps its old number, so where stat(2) does not tell, it is by whether their first
 * bytes are the same page of memory. Where nobody may know that (it takes CAP_SYS_ADMIN), files
 * that overlayfs is about count as one. */
bool samefile(int a, int b);

#endif
