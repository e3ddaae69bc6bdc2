/* SPDX-License-Identifier: GPL-2.0 */
/*
 * memo: a cache of the results of recent walks: the rules of return addresses, and the tables of
 * code. Most frames of a sample were in the previous one: a rule from here costs one cache line,
 * where mapping, table, page and rows cost about thirty, all cold at the usual rates. For a new
 * address in known code, mapping and table, the larger part, cost two lines.
 *
 * An entry is valid for one process as long as its code mappings do not change: the tag says so. If
 * a library replaces another of the same size at the same place within one tick of the loader (200
 * ms; the loader then increases stack_epoch), frames in it are unwound by the old library's rules:
 * the stacks of these samples end early, and are counted so.
 *
 * All CPUs share the entries and write them without a lock: if two write one at once, its check
 * fails.
 */
#ifndef SAMPLE_MEMO_H
#define SAMPLE_MEMO_H

#include "shared.h"
#include "sample/table.h"
#include "sample/walk_code.h"

#define MEMO_RULE_BITS 13
#define MEMO_CODE_BITS 10

struct memo_rule_entry {
	__u64 address, check;
	struct table_rule rule;
};

struct memo_code_entry {
	struct walk_code code;
	__u64 check;
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1 << MEMO_RULE_BITS);
	__type(key, __u32);
	__type(value, struct memo_rule_entry);
} memo_rules SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1 << MEMO_CODE_BITS);
	__type(key, __u32);
	__type(value, struct memo_code_entry);
} memo_codes SEC(".maps");

#define MEMO_SPREAD 0x9e3779b97f4a7c15ull

/* The tag of the current task; the other functions need it. */
static __always_inline __u64 memo_tag(void)
{
	struct task_struct *task = current_task();
	__u64 code = BPF_CORE_READ(task, mm, exec_vm);
	__u64 exec = BPF_CORE_READ(task, self_exec_id);
	__u64 tgid = BPF_CORE_READ(task, tgid);

	/* Each field fits its bits: 2^22 processes, 2^34 pages of code. */
	return (tgid << 42 | (exec & 0xff) << 34 | code) * MEMO_SPREAD +
	       (stack_epoch + table_epoch) * 0xc2b2ae3d27d4eb4full;
}

static __always_inline __u64 memo_mix(__u64 check, __u64 word)
{
	return (check ^ word) * MEMO_SPREAD;
}

static __always_inline __u64 memo_rule_check(__u64 tag, __u64 address,
					     const struct table_rule *rule)
{
	const __u64 *word = (const void *)rule;

	return memo_mix(memo_mix(tag ^ address, word[0]), word[1]);
}

static __always_inline struct memo_rule_entry *memo_rule_slot(__u64 address)
{
	__u32 slot = (address * MEMO_SPREAD) >> (64 - MEMO_RULE_BITS);

	return bpf_map_lookup_elem(&memo_rules, &slot);
}

/* Copies the rule for the return address @address to @rule; false if it is unknown. */
static __always_inline bool memo_find_rule(__u64 tag, __u64 address, struct table_rule *rule)
{
	const struct memo_rule_entry *entry = memo_rule_slot(address);

	if (!entry || entry->address != address)
		return false;
	*rule = entry->rule;
	return entry->check == memo_rule_check(tag, address, rule);
}

static __always_inline void memo_keep_rule(__u64 tag, __u64 address, const struct table_rule *rule)
{
	struct memo_rule_entry *entry = memo_rule_slot(address);

	if (!entry)
		return;
	entry->address = address;
	entry->check = memo_rule_check(tag, address, rule);
	entry->rule = *rule;
}

static __always_inline __u64 memo_code_check(__u64 tag, const struct walk_code *code)
{
	const __u64 *word = (const void *)code;
	__u64 check = tag;

	for (__u32 i = 0; i < sizeof(*code) / sizeof(*word); i++)
		check = memo_mix(check, word[i]);
	return check;
}

/* One slot for each end of a piece, since the blocks at its ends may contain other pieces, too. */
static __always_inline struct memo_code_entry *memo_code_slot(__u64 address)
{
	__u64 block = address >> (WIRE_PIECE_BITS - 2);
	__u32 slot = (block * MEMO_SPREAD) >> (64 - MEMO_CODE_BITS);

	return bpf_map_lookup_elem(&memo_codes, &slot);
}

/* Copies the code at @address to @code; false if it is unknown. */
static __always_inline bool memo_find_code(__u64 tag, __u64 address, struct walk_code *code)
{
	const struct memo_code_entry *entry = memo_code_slot(address);

	if (!entry || address < entry->code.start || address >= entry->code.end)
		return false;
	*code = entry->code;
	return entry->check == memo_code_check(tag, code);
}

static __always_inline void memo_keep_code(__u64 tag, __u64 address, const struct walk_code *code)
{
	struct memo_code_entry *entry = memo_code_slot(address);

	if (!entry)
		return;
	entry->code = *code;
	entry->check = memo_code_check(tag, code);
}

#endif
