/* SPDX-License-Identifier: GPL-2.0 */
#include "sample/walk.h"
#include "sample/stack_hash.h"
#include "shared.h"

/* A piece of a file, or a process → where its interpreter keeps frames. Filled by load/tables, with
 * the table of the piece or when the walker asks; read by the walker. LRU: a lost entry of a piece
 * is asked for again, and processes end. */
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

/* How many numbers were given to functions, and to chains. */
__u64 script_numbers, chain_numbers;

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

/* Adds a word to the stack, or to the chain. */
static __always_inline void script_keep(struct walk *walk, __u64 word)
{
	if (walk->script.chained)
		*stack_slot(&walk->chain, walk->chain_depth++) = word;
	else
		walk_keep(walk, word);
}

#include "sample/script_code.h"
#include "sample/script_python.h"

/* Begins with the innermost frame, of the interpreter in walk->script.proc. */
static __always_inline void begin(struct walk *walk)
{
	walk->script.outcome = WIRE_SCRIPT_REFUSED;
	if (walk->script.proc.language == WIRE_SCRIPT_PYTHON)
		python_begin(&walk->script, BPF_CORE_READ(current_task(), thread.fsbase));
}

/* @base: what the addresses in @proc are less than those in the process. */
static __always_inline void begin_in(struct walk *walk, const struct wire_script_proc *proc,
				     __u64 base)
{
	struct task_struct *task = current_task();
	struct script *s = &walk->script;

	s->key.inode = BPF_CORE_READ(task, group_leader, start_time);
	s->key.generation = BPF_CORE_READ(task, self_exec_id);
	s->key.piece = walk->out.head.pid;
	__builtin_memset(s->numbers, 0, sizeof(s->numbers));
	s->proc = *proc;
	s->proc.runtime += base;
	if (s->proc.code_type)
		s->proc.code_type += base;
	begin(walk);
}

int script_begin(struct walk *walk, __u64 address)
{
	const struct wire_script_proc *proc;
	struct wire_piece key;
	__u64 base;

	if (!walk)
		return 0;
	base = walk->vma.start - walk->vma.file_offset;
	key = walk->vma.file;
	key.piece = (address - base) >> WIRE_PIECE_BITS;
	key.what = WIRE_SCRIPT_ASKED;
	walk->script.asked = key;
	proc = bpf_map_lookup_elem(&script_procs, &key);
	if (proc)
		begin_in(walk, proc, base);
	else
		walk->script.outcome = WIRE_SCRIPT_LATE;
	return 0;
}

/* Begins again, or for the first time where the walk did not get to the interpreter. */
static __always_inline void begin_chain(struct walk *walk)
{
	struct wire_piece key = {.device = WIRE_SCRIPT_ASKED, .piece = walk->out.head.pid};
	const struct wire_script_proc *proc;

	if (walk->script.outcome > WIRE_SCRIPT_LATE) {
		begin(walk);
		return;
	}
	proc = bpf_map_lookup_elem(&script_procs, &key);
	if (proc)
		begin_in(walk, proc, 0);
}

static long chain_one(__u32 i, struct walk **context)
{
	struct walk *walk = *context;
	struct script *s = &walk->script;

	if (s->mode != SCRIPT_NATIVE) {
		script_round(walk);
		return 0;
	}
	s->caller = s->entry;
	s->at = s->first;
	s->mode = SCRIPT_EMIT;
	return !s->entry;
}

int script_chain(struct walk *walk)
{
	struct walk *context = walk;

	if (!walk)
		return 0;
	walk->chain_depth = 0;
	walk->script.mode = SCRIPT_NATIVE;
	walk->script.entry = 0;
	begin_chain(walk);
	if (walk->script.mode == SCRIPT_NATIVE)
		return 0;
	walk->script.chained = 1;
	bpf_loop(WIRE_WALK_FRAMES, chain_one, &context, 0);
	walk->script.chained = 0;
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
