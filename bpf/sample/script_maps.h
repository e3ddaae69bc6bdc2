/* SPDX-License-Identifier: GPL-2.0 */
/*
 * script_maps: what the walks of script frames share, of threads that run and of those that sleep;
 * defined in script.bpf.c.
 */
#ifndef SAMPLE_SCRIPT_MAPS_H
#define SAMPLE_SCRIPT_MAPS_H

#include "shared.h"
#include "sample/stack_hash.h"
#include "sample/walk.h"

/* A piece of a file, or a process → where its interpreter keeps frames. Filled by load/tables, with
 * the table of the piece or when the walker asks; read by the walker. LRU: a lost entry of a piece
 * is asked for again, and processes end. */
struct script_procs_map {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 4096);
	__type(key, struct wire_piece);
	__type(value, struct wire_script_proc);
};
extern struct script_procs_map script_procs SEC(".maps");

/* The two hashes of what identifies a function of a script → its number. Written and read by the
 * walker alone. LRU: a forgotten function is sent again, under another number. 16 Ki functions are
 * more than most programs run within a window. */
struct known_codes_map {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 16384);
	__type(key, struct two_hashes);
	__type(value, __u64);
};
extern struct known_codes_map known_codes SEC(".maps");

/* A cache before known_codes, as memo.h is one: all CPUs share the entries, and write them without
 * a lock; @check is one of the second hash and the number, so what two have written at once is no
 * entry. Nothing needs to be removed: the hashes are those of a process and window, whose numbers
 * stay what they are even if known_codes forgets them. */
struct script_memo_entry {
	__u64 key, check, number;
};

#define SCRIPT_MEMO_BITS 13

struct script_memo_map {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1 << SCRIPT_MEMO_BITS);
	__type(key, __u32);
	__type(value, struct script_memo_entry);
};
extern struct script_memo_map script_memo SEC(".maps");

/* How many numbers were given to functions, and to chains. */
extern __u64 script_numbers, chain_numbers;

/* Of stacks.bpf.c. */
extern const volatile __u64 config_hash_keys[STACK_HASH_WORDS][2];

/* The word at @offset of the frame, and of what was read of the code object, whose first word is
 * that at @offset 0. */
static __always_inline __u64 script_word(const __u64 *words, __u32 offset)
{
	return words[offset / 8 & (SCRIPT_WORDS - 1)];
}

static __always_inline __u32 script_byte(const __u64 *words, __u32 offset)
{
	return script_word(words, offset) >> (offset % 8 * 8) & 0xff;
}

/* Adds a word to the stack, or to the chain. */
static __always_inline void script_keep(struct walk *walk, __u64 word)
{
	if (walk->script.chained)
		*stack_slot(&walk->chain, walk->chain_depth++) = word;
	else
		walk_keep(walk, word);
}

/* Adds @base to the addresses. */
static __always_inline void script_move(struct wire_script_proc *proc, __u64 base)
{
	/* Without the former the latter is no address (Ruby). */
	if (proc->runtime && proc->code_type)
		proc->code_type += base;
	if (proc->runtime)
		proc->runtime += base;
	proc->loop += base;
	proc->cold += base;
	proc->core += base;
}

/* Begins the hashes of functions by what all of a process and window have in common. Words up to
 * the third are used. */
static __always_inline struct two_hashes code_hash_begin(const struct script *s)
{
	struct two_hashes h = {0};

	stack_hash_mix(&h, config_hash_keys[0], (__u64)s->key.piece << 32 | s->key.generation);
	stack_hash_mix(&h, config_hash_keys[1], s->key.inode);
	stack_hash_mix(&h, config_hash_keys[2], stack_epoch);
	return h;
}

/* Makes @walk one of @task, in which the interpreter is as in @proc; @base: what the addresses in
 * @proc are less than those of the process. */
static __always_inline void script_enter_task(struct walk *walk, struct task_struct *task,
					      const struct wire_script_proc *proc, __u64 base)
{
	struct script *s = &walk->script;

	s->key.inode = BPF_CORE_READ(task, group_leader, start_time);
	s->key.generation = BPF_CORE_READ(task, self_exec_id);
	s->key.piece = walk->out.head.pid;
	s->hashes = code_hash_begin(s);
	__builtin_memset(s->numbers, 0, sizeof(s->numbers));
	s->news = 0;
	s->proc = *proc;
	s->async.frame = s->async.here = 0;
	script_move(&s->proc, base);
}

/* Names the chain in @walk for the slice of @sample; returns its bytes to send, 0: there is none.
 */
static __always_inline __u64 chain_name(struct walk *walk, const struct wire_sample *sample)
{
	struct stack_buffer *chain = &walk->chain;
	__u64 depth = walk->chain_depth;

	if (!depth)
		return 0;
	chain->head = (struct wire_stack){.kind = WIRE_CHAIN,
					  .pid = sample->pid,
					  .time_ns = sample->time_ns,
					  .end = WIRE_END_CUT};
	chain->head.hash = __sync_fetch_and_add(&chain_numbers, 1) + 1;
	if (depth > WIRE_USER_FRAMES) {
		chain->head.left_out = depth - WIRE_USER_FRAMES;
		depth = WIRE_USER_FRAMES;
	}
	chain->head.depth = depth;
	return sizeof(chain->head) + depth * sizeof(__u64);
}

/* Has the next rounds add the run whose entry was found to the chain, and the entry behind it.
 * False: there are no more runs. */
static __always_inline bool chain_goes_on(struct script *s)
{
	s->caller = s->entry;
	s->at = s->first;
	s->mode = SCRIPT_EMIT;
	return s->entry;
}

#endif
