/* SPDX-License-Identifier: GPL-2.0 */
/*
 * script_asleep: the script frames of a thread that sleeps, for asleep.h, which defines struct
 * asleep and asleep_copy() first. The same walk as of a running thread, over memory of another: so
 * what is read is only sent if the thread has slept up to then.
 */
#ifndef SAMPLE_SCRIPT_ASLEEP_H
#define SAMPLE_SCRIPT_ASLEEP_H

#include "sample/script_maps.h"

struct script_memory {
	struct asleep of; /* its task, memory and room alone: no functions are called through it */
	struct walk *walk;
};

#define read_user asleep_read
static __always_inline bool asleep_read(const struct script_memory *m, void *to, __u32 bytes,
					__u64 from)
{
	const __u64 last = from + bytes - 1;

	if (!bytes)
		return true;
	return (from >> PAGE_SHIFT == last >> PAGE_SHIFT ||
		vma_is_at_hand(m->of.mm, last, &m->of.room->node)) &&
	       asleep_copy(&m->of, to, bytes, from);
}

/* Not in the ring, which is not held while memory is read. */
static __always_inline struct wire_script *code_room(const struct script_memory *m, __u32 bytes)
{
	return (void *)m->of.room->bytes;
}

static __always_inline bool code_end(const struct script_memory *m, struct wire_script *record,
				     __u32 bytes, bool whole)
{
	return whole && *(volatile const __u64 *)m->of.since == m->of.since_ns &&
	       !bpf_ringbuf_output(&ring, record, bytes, BPF_RB_NO_WAKEUP);
}

#include "sample/script_code.h"
#include "sample/script_python.h"
#include "sample/script_pairs.h"

static long asleep_chain_one(__u32 i, struct script_memory *m)
{
	struct script *s = &m->walk->script;

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
		python_emit(m, m->walk);
		return 0;
	}
}

/* One for each, since older kernels have little of BPF's stack left here. */
static long asleep_chain_php(__u32 i, struct script_memory *m)
{
	php_round(m, m->walk);
	return !m->walk->script.chain_more;
}

static long asleep_chain_ruby(__u32 i, struct script_memory *m)
{
	ruby_round(m, m->walk);
	return !m->walk->script.chain_more;
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
	struct script_memory m = {.of = {.task = a->task,
					 .room = a->room,
					 .mm = a->mm,
					 .since = a->since,
					 .since_ns = a->since_ns},
				  .walk = &a->room->walk};
	struct wire_piece key = {.device = WIRE_SCRIPT_ASKED, .piece = a->sample->pid};
	const struct wire_script_proc *proc = bpf_map_lookup_elem(&script_procs, &key);
	struct task_struct *task = a->task;
	struct walk *walk = m.walk;
	__u64 base;

	walk->chain_depth = 0;
	walk->script.outcome = WIRE_SCRIPT_NOT_ASKED;
	walk->script.mode = SCRIPT_NATIVE;
	walk->script.entry = 0;
	if (!proc)
		return;
	walk->out.head.pid = a->sample->pid;
	walk->out.head.time_ns = a->sample->time_ns;
	asleep_enter(walk, task, proc);
	walk->script.outcome = WIRE_SCRIPT_REFUSED;
	walk->script.chained = 1;
	base = BPF_CORE_READ(task, thread.fsbase);
	if (walk->script.proc.language == WIRE_SCRIPT_PYTHON) {
		python_begin(&walk->script, base);
		bpf_loop(WIRE_WALK_FRAMES, asleep_chain_one, &m, 0);
	} else if (walk->script.proc.loop_bytes) {
		__builtin_memcpy(walk->registers, a->room->registers, sizeof(a->room->registers));
		if (pairs_begin(&m, walk, base)) {
			if (walk->script.proc.language == WIRE_SCRIPT_PHP)
				bpf_loop(SCRIPT_CHAIN, asleep_chain_php, &m, 0);
			else
				bpf_loop(SCRIPT_CHAIN, asleep_chain_ruby, &m, 0);
			chain_end(walk);
		}
	}
}

#endif
