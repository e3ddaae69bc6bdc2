/* SPDX-License-Identifier: GPL-2.0 */
#include "sample/vma.h"

/* Node types and slots of include/linux/maple_tree.h on 64-bit machines (6.1 and later). A node is
 * 256 bytes; the low byte of a pointer to it holds its type and the root flag. */
#define NODE_MASK     255ul
#define KIND_SHIFT    3
#define KIND_MASK     15
#define KIND_LEAF     1
#define KIND_RANGE    2
#define KIND_ARANGE   3
#define RANGE_PIVOTS  15
#define ARANGE_PIVOTS 9
/* A tree of 65,530 mappings is 4 levels deep at 10 to 16 slots a node. */
#define LEVELS 6

#define VM_EXEC	   4
#define VM_HUGETLB 0x400000

/* File systems that need no server, of those that programs may have a stack in: in memory, or in
 * a binary's data. */
static __always_inline bool is_local(__u64 magic)
{
	switch (magic) {
	case 0x01021994: /* tmpfs */
	case 0x858458f6: /* ramfs, of which the first root is */
	case 0x958458f6: /* hugetlbfs */
	case 0xef53:	 /* ext4 */
	case 0x58465342: /* xfs */
	case 0x9123683e: /* btrfs */
	case 0xf2f52010: /* f2fs */
	case 0x2fc12fc1: /* zfs */
	case 0xca451a4e: /* bcachefs */
	case 0x73717368: /* squashfs */
	case 0xe0f5e1e2: /* erofs */
		return true;
	}
	return false;
}

/* A node consists of the parent, the pivots and the slots. Leaf, range and arange nodes differ only
 * in the number of pivots. */
/* The slot of the pivot that bounds @address from above; a 0 pivot ends the node early. */
static __always_inline __u32 find_slot(const struct vma_node *n, __u32 pivots, __u64 address)
{
	__u32 i;

	for (i = 0; i < RANGE_PIVOTS; i++) {
		__u64 pivot = n->word[1 + i];

		if (i >= pivots || pivot >= address || (pivot == 0 && i > 0))
			break;
	}
	return i;
}

static struct vm_area_struct *find(struct mm_struct *mm, __u64 address, struct vma_node *n)
{
	__u64 at = (__u64)BPF_CORE_READ(mm, mm_mt.ma_root);

	for (int level = 0; level < LEVELS; level++) {
		__u32 kind = (at >> KIND_SHIFT) & KIND_MASK, pivots, slot;

		/* A root that is not a node is a single mapping over everything, which no process
		 * has. */
		if (at <= 4096 || (level == 0 && !(at & 2)))
			return NULL;
		pivots = kind == KIND_ARANGE ? ARANGE_PIVOTS : RANGE_PIVOTS;
		if (bpf_probe_read_kernel(n, sizeof(*n), (void *)(at & ~NODE_MASK)))
			return NULL;
		slot = 1 + pivots + find_slot(n, pivots, address);
		if (slot >= sizeof(*n) / sizeof(n->word[0]))
			return NULL;
		at = n->word[slot];
		if (kind == KIND_LEAF)
			return (at & 3) ? NULL : (void *)at; /* else a reserved entry */
		if (kind != KIND_RANGE && kind != KIND_ARANGE)
			return NULL;
	}
	return NULL;
}

static void read_file(struct vm_area_struct *vma, struct vma *out)
{
	struct file *file = BPF_CORE_READ(vma, vm_file);
	struct inode *inode;

	/* Anonymous memory in huge pages that were set aside has a file of the kernel's own. */
	if (!file || BPF_CORE_READ(vma, vm_flags) & VM_HUGETLB)
		return;
	inode = BPF_CORE_READ(file, f_inode);
	out->has_file = true;
	out->file.inode = BPF_CORE_READ(inode, i_ino);
	out->file.generation = BPF_CORE_READ(inode, i_generation);
	out->file.device = BPF_CORE_READ(inode, i_sb, s_dev);
	out->file_offset = BPF_CORE_READ(vma, vm_pgoff) << 12;
}

bool vma_find(__u64 address, struct vma *out, struct vma_node *room)
{
	struct mm_struct *mm = BPF_CORE_READ(current_task(), mm);
	struct vm_area_struct *vma;

	/* The latter two for the verifier, which checks this function once for all callers. */
	if (!mm || !out || !room)
		return false;
	vma = find(mm, address, room);
	if (!vma)
		return false;
	*out = (struct vma){.start = BPF_CORE_READ(vma, vm_start),
			    .end = BPF_CORE_READ(vma, vm_end),
			    .executable = BPF_CORE_READ(vma, vm_flags) & VM_EXEC};
	if (address < out->start || address >= out->end)
		return false;
	read_file(vma, out);
	out->vdso = out->start == (__u64)BPF_CORE_READ(mm, context.vdso);
	return true;
}

bool vma_is_at_hand(__u64 mm, __u64 address, struct vma_node *room)
{
	struct vm_area_struct *vma;
	struct file *file;

	if (!mm || !room)
		return false;
	vma = find((struct mm_struct *)mm, address, room);
	if (!vma || address < BPF_CORE_READ(vma, vm_start) || address >= BPF_CORE_READ(vma, vm_end))
		return false;
	file = BPF_CORE_READ(vma, vm_file);
	return !file || is_local(BPF_CORE_READ(file, f_inode, i_sb, s_magic));
}
