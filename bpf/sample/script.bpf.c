/* SPDX-License-Identifier: GPL-2.0 */
#include "sample/walk.h"
#include "sample/stack_hash.h"
#include "shared.h"

/* A process → where its interpreter keeps frames. Filled by load/tables when the walker asks, read
 * by the walker. LRU: a lost entry is asked for again; so nobody need remove those of processes
 * that have ended, whose keys never come back. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 4096);
	__type(key, struct wire_piece);
	__type(value, struct wire_script_proc);
} script_procs SEC(".maps");

/* The two hashes of what identifies a function of a script → its number. Written and read by the
 * walker alone. LRU: a forgotten function is sent again, under another number. 16 Ki functions are
 * more than most programs run within a window. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 16384);
	__type(key, struct two_hashes);
	__type(value, __u64);
} known_codes SEC(".maps");

/* How many numbers were given to functions. */
__u64 script_numbers;

/* Of stacks.bpf.c. */
extern const volatile __u64 config_hash_keys[STACK_HASH_WORDS][2];

static __always_inline bool read_user(void *to, __u32 bytes, __u64 from)
{
	return !bpf_probe_read_user(to, bytes, (void *)from);
}

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

#include "sample/script_code.h"
#include "sample/script_python.h"

int script_begin(struct walk *walk)
{
	struct task_struct *task = current_task();
	const struct wire_script_proc *proc;
	struct wire_piece key = {.device = WIRE_SCRIPT_ASKED};

	if (!walk)
		return 0;
	key.inode = BPF_CORE_READ(task, group_leader, start_time);
	key.generation = BPF_CORE_READ(task, self_exec_id);
	key.piece = walk->out.head.pid;
	proc = bpf_map_lookup_elem(&script_procs, &key);
	walk->script.key = key;
	if (!proc) {
		walk->script.outcome = WIRE_SCRIPT_LATE;
		return 0;
	}
	__builtin_memset(walk->script.numbers, 0, sizeof(walk->script.numbers));
	walk->script.proc = *proc;
	walk->script.outcome = WIRE_SCRIPT_REFUSED;
	if (walk->script.proc.language == WIRE_SCRIPT_PYTHON)
		python_begin(&walk->script, BPF_CORE_READ(task, thread.fsbase));
	return 0;
}

int script_round(struct walk *walk)
{
	if (!walk)
		return 0;
	if (walk->script.mode == SCRIPT_OPEN)
		python_open(&walk->script);
	else if (walk->script.mode == SCRIPT_SEEK)
		python_seek(&walk->script);
	else
		python_emit(walk);
	return 0;
}
