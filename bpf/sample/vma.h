/* SPDX-License-Identifier: GPL-2.0 */
/*
 * vma: which file is mapped at an address of the current process, read straight from its maple
 * tree. So a process needs no preparation: its first sample after an exec, a dlopen or a fork is
 * unwound like any other.
 *
 * The tree is read without its lock, since a sample may interrupt one who holds it. What is read
 * while it changes can be wrong, and then names a table in which the address makes no sense: the
 * walk ends early there and is counted; nothing but the stack of that one sample depends on it.
 */
#ifndef SAMPLE_VMA_H
#define SAMPLE_VMA_H

#include "kernel.h"
#include "wire.h"

struct vma {
	__u64 start, end;
	__u64 file_offset;	/* of start */
	struct wire_piece file; /* its piece left open; of vDSO and anonymous memory all 0 */
	bool has_file, executable, vdso;
};

/* Room for one node of the tree while it is searched; belongs to the caller's scratch. */
struct vma_node {
	__u64 word[32];
};

/* False where nothing is mapped at @address, or where the tree could not be read. */
bool vma_find(__u64 address, struct vma *out, struct vma_node *room);

#endif
