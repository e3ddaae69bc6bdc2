/*
 * identity: identifies a mapped file: by its build-id, else by device and inode. The file at the
 * same path today may be another one. Used by images alone.
 */
#ifndef PROCESS_IDENTITY_H
#define PROCESS_IDENTITY_H

#include <stdbool.h>
#include <stdint.h>

#include "elf/buildid.h"

struct identity {
	uint8_t build_id[BUILDID_MAX];
	uint8_t build_id_bytes; /* 0: unknown */
	uint32_t dev_major, dev_minor;
	uint64_t inode; /* 0: unknown */
};

/* A hash for a map: of the build-id, of device and inode, or, if neither is known, of @path. */
uint64_t identity_key(const struct identity *, const char *path);
/* Compare with this after a lookup by hash: two build-ids may be crafted to share a hash. */
bool identity_same(const struct identity *, const struct identity *);

/* buildid_read() of an open file, which need not be an ELF file. @pool may be NULL. */
uint8_t identity_read_build_id(int fd, struct budget_pool *pool, uint64_t owner,
			       uint8_t id[BUILDID_MAX]);

/* Opens @path below @root_fd (-1: our root) if it is the file that was mapped; the caller releases
 * *@a. -ESTALE: it is another file, or nothing is known of the mapped one. */
struct opener;
struct opener_answer;
int identity_open(struct opener *, int root_fd, const char *path, const struct identity *want,
		  struct opener_answer *a);

/* Whether two descriptors refer to the same inode, as probes and mappings see it. Under overlayfs
 * (in containers) a file of a lower layer has another device number in each mount, and a file that
 * was copied up keeps its old number. Where stat(2) does not decide, the files are the same if
 * their first bytes are in the same page of memory. Looking that up takes CAP_SYS_ADMIN; without
 * it, files of overlayfs that stat(2) leaves open count as the same. */
bool samefile(int a, int b);

#endif
