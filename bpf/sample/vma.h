/* SPDX-License-Identifier: GPL-2.0 */
/*
 * vma: finds the file mapped at an address of the current process, straight from its maple tree. So
 * a process needs no preparation: its first sample after an exec, a dlopen or a fork is unwound
 * like any other.
 *
 * The tree is read without its lock, since a sample may interrupt the lock's holder. A concurrent
 * change can give a wrong result, which names a table in which the address makes no sense: that
 * sample's walk ends early and is counted; nothing else depends on it.
 */
#ifndef SAMPLE_VMA_H
#define SAMPLE_VMA_H

#include "kernel.h"
#include "wire.h"

struct vma {
	__u64 start, end;
	__u64 file_offset;	/* of start */
	struct wire_piece file; /* without its piece; all 0 for the vDSO and anonymous memory */
	bool has_file, executable, vdso;
	bool asked; /* set by copy.h: without a file, and the loader has yet to say what it is */
};

/* Scratch for one node of the tree during a search; supplied by the caller. */
struct vma_node {
	__u64 word[32];
};

/* The mapping at @address. False if there is none, or the tree could not be read. */
bool vma_find(__u64 address, struct vma *out, struct vma_node *room);

/* Whether memory at @address of a process, whose struct mm_struct is at @mm, can be read without
 * waiting for others: it is mapped, and not from a file whose pages somebody else gives (FUSE, NFS,
 * …), perhaps never. */
bool vma_is_at_hand(__u64 mm, __u64 address, struct vma_node *room);

#endif
