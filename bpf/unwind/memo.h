/* SPDX-License-Identifier: GPL-2.0 */
/*
 * memo: the rules of return addresses that were met lately, on this CPU. Most frames of a sample
 * are those of the sample before; their rules cost one cache line each, where mapping, table, page
 * and rows cost a dozen.
 *
 * An entry holds for one process while what it has mapped as code stays as it is: that is what the
 * tag says. A library that takes the very place of another, of the same size, within one tick of
 * the loader (200 ms; it grows stack_epoch then) would be stepped through by the rules of the old
 * one: the stacks of these samples would end early, and be counted so.
 */
#ifndef UNWIND_MEMO_H
#define UNWIND_MEMO_H

#include "shared.h"
#include "unwind/table.h"

/* Two entries a cache line, 16 KiB a CPU: the frames of some ten different deep stacks. */
#define MEMO_ENTRIES 512

struct memo_entry {
	__u64 address, tag;
	struct table_rule rule;
};

struct memo {
	__u64 tag; /* of the current walk */
	struct memo_entry at[MEMO_ENTRIES];
};

/* For the current task; before the first memo_find() of a walk. */
static __always_inline void memo_start(struct memo *memo)
{
	struct task_struct *task = current_task();
	__u64 code = BPF_CORE_READ(task, mm, exec_vm);
	__u64 exec = BPF_CORE_READ(task, self_exec_id);
	__u64 tgid = BPF_CORE_READ(task, tgid);

	/* No field is longer than its place: 2^22 processes, 2^34 pages of code. */
	memo->tag = (tgid << 42 | (exec & 0xff) << 34 | code) * 0x9e3779b97f4a7c15ull +
		    (stack_epoch + table_epoch) * 0xc2b2ae3d27d4eb4full;
}

static __always_inline struct memo_entry *memo_slot(struct memo *memo, __u64 address)
{
	__u32 slot = (address * 0x9e3779b97f4a7c15ull) >> 55;

	return &memo->at[slot & (MEMO_ENTRIES - 1)];
}

/* The rule for the return address @address, copied to @rule; false where it is not known. */
static __always_inline bool memo_find(struct memo *memo, __u64 address, struct table_rule *rule)
{
	const struct memo_entry *entry = memo_slot(memo, address);

	if (entry->address != address || entry->tag != memo->tag)
		return false;
	*rule = entry->rule;
	return true;
}

static __always_inline void memo_keep(struct memo *memo, __u64 address,
				      const struct table_rule *rule)
{
	struct memo_entry *entry = memo_slot(memo, address);

	entry->address = address;
	entry->tag = memo->tag;
	entry->rule = *rule;
}

#endif
