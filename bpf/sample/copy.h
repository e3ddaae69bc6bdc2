/* SPDX-License-Identifier: GPL-2.0 */
/*
 * copy: code of a file in memory without one: a program has copied its code to huge pages that lie
 * where the file was mapped (hugify, node --use-largepages, PHP). It is walked by the file's rules.
 * The loader says which memory that is, since it takes a comparison of bytes. For walk.bpf.c, which
 * includes walk.h and defines want() first.
 */
#ifndef SAMPLE_COPY_H
#define SAMPLE_COPY_H

/* Key of a mapping without a file → what of it is a copy. Written by the loader, and by the walker
 * for mappings that cannot be one; read by the walker. LRU: a lost entry is asked for again. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 4096);
	__type(key, struct wire_piece);
	__type(value, struct wire_copy);
} copies SEC(".maps");

/* Linkers may align code to huge pages, and leave a gap before it. */
#define COPY_GAP (2ul << 20)

static __always_inline bool copy_is_file(struct walk *walk, __u64 address)
{
	return vma_find(address, &walk->stack, &walk->room) && walk->stack.has_file;
}

/* Whether a file is mapped beside walk->vma. */
static __always_inline bool copy_has_neighbor(struct walk *walk)
{
	const __u64 start = walk->vma.start, end = walk->vma.end;

	return copy_is_file(walk, start - 1) || copy_is_file(walk, end) ||
	       copy_is_file(walk, start - COPY_GAP);
}

static const struct wire_copy no_copy;

/* walk->vma, which holds @address, is executable and belongs to no file: makes it the file's whose
 * code it holds. Sets .asked if the loader has yet to say that. Inlined, with little on the stack:
 * older kernels have no room for one more function below those of a walk. */
static __always_inline void copy_enter(struct walk *walk, __u64 address)
{
	const struct wire_copy *copy;
	struct wire_piece key = {.device = WIRE_NO_FILE};

	key.inode = walk->vma.start;
	key.generation = BPF_CORE_READ(current_task(), self_exec_id);
	key.piece = walk->out.head.pid;
	copy = bpf_map_lookup_elem(&copies, &key);
	if (!copy && copy_has_neighbor(walk)) {
		walk->vma.file = key;
		want(walk, address);
		walk->vma.file = (struct wire_piece){};
		walk->vma.asked = true;
	} else if (!copy) {
		bpf_map_update_elem(&copies, &key, &no_copy, BPF_ANY);
	} else if (address >= copy->start && address < copy->end) {
		walk->vma.start = copy->start;
		walk->vma.end = copy->end;
		walk->vma.file_offset = copy->file_offset;
		walk->vma.file = copy->file;
		walk->vma.has_file = true;
	}
}

#endif
