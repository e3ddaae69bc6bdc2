/* SPDX-License-Identifier: GPL-2.0 */
/*
 * script_asleep: the script frames of a thread that sleeps, for asleep.h, which defines struct
 * asleep and asleep_copy() first. The same walk as of a running thread, over memory of another: so
 * what is read is only sent if the thread has slept up to then.
 */
#ifndef SAMPLE_SCRIPT_ASLEEP_H
#define SAMPLE_SCRIPT_ASLEEP_H

#include "sample/script_maps.h"

/* Nothing but a pointer: Linux 6.1 has little of BPF's stack left here. */
struct script_memory {
	const struct asleep *of;
};

static __always_inline struct walk *asleep_walk(const struct script_memory *m)
{
	return &m->of->room->walk;
}

#define read_user asleep_read
static __always_inline bool asleep_read(const struct script_memory *m, void *to, __u32 bytes,
					__u64 from)
{
	const __u64 last = from + bytes - 1;

	if (!bytes)
		return true;
	return (from >> PAGE_SHIFT == last >> PAGE_SHIFT ||
		vma_is_at_hand(m->of->mm, last, &m->of->room->node)) &&
	       asleep_copy(m->of, to, bytes, from);
}

/* Not in the ring, which is not held while memory is read. */
static __always_inline struct wire_script *code_room(const struct script_memory *m, __u32 bytes)
{
	return (void *)m->of->room->bytes;
}

static __always_inline bool code_end(const struct script_memory *m, struct wire_script *record,
				     __u32 bytes, bool whole)
{
	return whole && *(volatile const __u64 *)m->of->since == m->of->since_ns &&
	       !bpf_ringbuf_output(&ring, record, bytes, BPF_RB_NO_WAKEUP);
}

#include "sample/script_code.h"
#include "sample/script_python.h"
#include "sample/script_pairs.h"
#include "sample/script_v8.h"
#include "sample/script_v8_chain.h"

static long asleep_chain_one(__u32 i, struct script_memory *m)
{
	struct script *s = &asleep_walk(m)->script;

	switch (s->mode) {
	case SCRIPT_NATIVE:
		return !chain_goes_on(s);
	case SCRIPT_BEGIN:
		python_first(m, s);
		return 0;
	case SCRIPT_FIND:
		python_find(m, s);
		return 0;
	case SCRIPT_OPEN:
		python_open(m, s);
		return 0;
	case SCRIPT_SEEK:
		python_seek(m, s);
		return 0;
	default:
		python_emit(m, asleep_walk(m));
		return 0;
	}
}

/* One for each, since older kernels have little of BPF's stack left here. */
static long asleep_chain_php(__u32 i, struct script_memory *m)
{
	php_round(m, asleep_walk(m));
	return !asleep_walk(m)->script.chain_more;
}

static long asleep_chain_ruby(__u32 i, struct script_memory *m)
{
	ruby_round(m, asleep_walk(m));
	return !asleep_walk(m)->script.chain_more;
}

static long asleep_chain_objects(__u32 i, struct script_memory *m)
{
	objects_round(m, asleep_walk(m));
	return !asleep_walk(m)->script.chain_more;
}

static long asleep_v8_scan(__u32 i, struct script_memory *m)
{
	return !v8_scan(m, asleep_walk(m));
}

static long asleep_v8_look(__u32 i, struct script_memory *m)
{
	return !v8_chain_look(m, asleep_walk(m));
}

/* Of its own, since its caller's part of BPF's stack is the largest. */
static __noinline void asleep_enter(struct walk *walk, struct task_struct *task,
				    const struct wire_script_proc *proc)
{
	script_enter_task(walk, task, proc, 0);
}

/* Sets the room's walk.chain. */
static __always_inline void asleep_chain(const struct asleep *a)
{
	struct script_memory m = {a};
	struct wire_piece key = {.device = WIRE_SCRIPT_ASKED, .piece = a->sample->pid};
	const struct wire_script_proc *proc = bpf_map_lookup_elem(&script_procs, &key);
	struct task_struct *task = a->task;
	struct walk *walk = asleep_walk(&m);
	__u64 base;

	walk->chain_depth = 0;
	walk->script.outcome = WIRE_SCRIPT_NOT_ASKED;
	walk->script.mode = SCRIPT_NATIVE;
	walk->script.entry = 0;
	walk->script.has_loops = 0;
	if (!proc)
		return;
	walk->out.head.pid = a->sample->pid;
	walk->out.head.time_ns = a->sample->time_ns;
	asleep_enter(walk, task, proc);
	walk->script.outcome = WIRE_SCRIPT_REFUSED;
	walk->script.chained = 1;
	__builtin_memcpy(walk->registers, a->room->registers, sizeof(a->room->registers));
	base = BPF_CORE_READ(task, thread.fsbase);
	if (walk->script.proc.language == WIRE_SCRIPT_PYTHON && !walk->script.proc.loop_bytes) {
		python_begin(&walk->script, base);
		bpf_loop(WIRE_WALK_FRAMES, asleep_chain_one, &m, 0);
	} else if (walk->script.proc.loop_bytes) {
		if (pairs_begin(&m, walk, base)) {
			if (walk->script.proc.language == WIRE_SCRIPT_PHP)
				bpf_loop(SCRIPT_CHAIN, asleep_chain_php, &m, 0);
			else if (walk->script.proc.language == WIRE_SCRIPT_PYTHON)
				bpf_loop(SCRIPT_CHAIN, asleep_chain_objects, &m, 0);
			else
				bpf_loop(SCRIPT_CHAIN, asleep_chain_ruby, &m, 0);
			chain_end(walk);
		}
	} else if (walk->script.proc.language == WIRE_SCRIPT_V8) {
		v8_scan_begin(walk);
		bpf_loop(V8_SCAN, asleep_v8_scan, &m, 0);
		v8_chain_begin(walk);
		bpf_loop(V8_CHAIN, asleep_v8_look, &m, 0);
	}
}

#endif
