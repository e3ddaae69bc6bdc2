/* SPDX-License-Identifier: GPL-2.0 */
/*
 * asleep: the stack sample of a thread that is off the CPU, taken by another: an iterator over
 * tasks that may sleep (iter.s/task). The kernel stack is walked here; of the user stack the memory
 * is sent, which user space walks, since the walker only reads memory of the current task.
 *
 * The thread may wake up meanwhile. So nothing is sent until all is there and a function of the
 * includer's, which is called last, says that the thread has slept all the time.
 *
 * To read memory of a file on a FUSE or NFS mount may take for ever. Such memory is not read; but a
 * hostile process may map it just between the look and the read. So a walk may get stuck, and the
 * loader gives it up and begins another. What a stuck walk holds is its own: a room, nothing of the
 * ring. Once it is released it does nothing, since it is not the latest walk any more.
 */
#ifndef SAMPLE_ASLEEP_H
#define SAMPLE_ASLEEP_H

#include "sample/sample.h"
#include "sample/registers.h"
#include "sample/slice.h"
#include "sample/stacks.h"
#include "sample/uretprobe.h"
#include "sample/vma.h"

/* Scratch, for one call at a time. */
struct asleep_room {
	__u64 mm; /* whose memory is being read, or was when the walk was given up */
	struct stack_buffer kernel;
	__u64 registers[17];
	struct uretprobe_origins origins;
	__u32 syscall;
	struct vma_node node;
	struct walk walk; /* of script frames alone */
	struct wire_slice slice;
	__u8 bytes[WIRE_SLICE_BYTES]; /* of the slice */
};
_Static_assert(offsetof(struct asleep_room, bytes) ==
		       offsetof(struct asleep_room, slice) + sizeof(struct wire_slice),
	       "a slice is sent in one piece");

struct asleep {
	struct task_struct *task;
	struct seq_file *seq; /* of the iterator: see load/ran.h */
	struct asleep_room *room;
	__u64 mm;		    /* the task's; 0: its memory is not to be read */
	struct wire_sample *sample; /* kind, event, time_ns and weight are set */
	__u32 bytes;		    /* of the record that begins with it, a constant */
	const __u64 *since;	    /* changes when the thread wakes up … */
	__u64 since_ns;		    /* … from this */
	void *of;
};

/* Commits the sample, if the thread has slept and this is the latest walk. Defined by who includes
 * this. */
static __always_inline bool asleep_commit(void *of);

#define TASK_KERNEL_THREAD 0x00200000 /* PF_KTHREAD */

/* The lowest bits of the lock of a process's memory: a writer holds it, others wait for it, one of
 * them is next. A reader would have to wait with them, perhaps for ever. */
#define LOCK_WAITS 7

static __always_inline bool asleep_is_readable(struct task_struct *task)
{
	/* Locks of real-time kernels are others. */
	if (!bpf_core_field_exists(task->mm->mmap_lock.count.counter))
		return true;
	return !(BPF_CORE_READ(task, mm, mmap_lock.count.counter) & LOCK_WAITS);
}

/* The registers of the thread's user code; false: it has none, or is changing it. */
static __always_inline bool asleep_registers(struct task_struct *task, struct asleep_room *room)
{
	struct pt_regs___kernel *saved;

	if (!BPF_CORE_READ(task, mm) || BPF_CORE_READ(task, flags) & TASK_KERNEL_THREAD ||
	    BPF_CORE_READ_BITFIELD_PROBED(task, in_execve))
		return false;
	saved = (void *)bpf_task_pt_regs(task);
	registers_saved(saved, room->registers);
	room->syscall = (long)saved->orig_ax >= 0;
	/* Worker threads of the kernel in a process begin with none. */
	return room->registers[16] != 0;
}

static __always_inline int asleep_kernel_stack(const struct asleep *a)
{
	struct stack_buffer *buffer = &a->room->kernel;
	long bytes =
		bpf_get_task_stack(a->task, buffer->frames, WIRE_KERNEL_FRAMES * sizeof(__u64), 0);
	int result;

	if (bytes <= 0)
		return STACK_OK;
	buffer->head = (struct wire_stack){
		.kernel = 1, .end = WIRE_END_ROOT, .depth = bytes / sizeof(__u64)};
	result = stack_publish(buffer, a->sample->event, a->sample->time_ns);
	a->sample->kernel_hash = result == STACK_OK ? buffer->head.hash : 0;
	return result;
}

static __always_inline void asleep_count(__u32 event, enum wire_counter outcome)
{
	count(event, WIRE_TAKEN, 1);
	count(event, outcome, 1);
}

/* @bytes within a page of the thread's memory. */
static __always_inline bool asleep_copy(const struct asleep *a, void *to, __u32 bytes, __u64 from)
{
	return vma_is_at_hand(a->mm, from, &a->room->node) &&
	       !bpf_copy_from_user_task(to, bytes, (void *)from, a->task, 0);
}

#include "sample/script_asleep.h"

/* Sends the script frames that go with the slice. */
static __always_inline bool asleep_send_chain(const struct asleep *a, __u64 bytes)
{
	if (bytes > sizeof(a->room->walk.chain))
		return false;
	return !bpf_ringbuf_output(&ring, &a->room->walk.chain, bytes, BPF_RB_NO_WAKEUP);
}

/* Sends @pieces of stack memory, a constant. */
static __always_inline void asleep_send_pieces(const struct asleep *a, __u32 pieces, bool readable)
{
	struct asleep_room *room = a->room;
	struct wire_slice *head = &room->slice;
	__u64 from = room->registers[7] & ~(WIRE_SLICE_PIECE - 1ull);
	const __u32 event = a->sample->event & WIRE_STREAM_MASK;
	__u64 bytes;

	slice_name(head, a->sample, a->bytes);
	slice_thread(head, room->registers, &room->origins, room->syscall);
	head->start[0] = from;
	head->start[1] = 0;
	head->split = head->pieces = pieces;
	head->missing = (struct wire_piece){0};
	/* Gathered in the map: in a register, Linux 6.1 would tell all ways through the loop apart.
	 */
	head->present = 0;
	for (__u32 i = 0; readable && i < pieces; i++) {
		if (asleep_copy(a, room->bytes + i * WIRE_SLICE_PIECE, WIRE_SLICE_PIECE, from))
			head->present |= 1ull << i;
		from += WIRE_SLICE_PIECE;
	}
	bpf_seq_write(a->seq, room->kernel.frames, pieces);
	if (!asleep_commit(a->of))
		return;
	if (room->walk.script.outcome)
		count(event, WIRE_NOTE_SCRIPT + room->walk.script.outcome - 1, 1);
	bytes = chain_name(&room->walk, a->sample);
	if (bytes && asleep_send_chain(a, bytes))
		head->chain = room->walk.chain.head.hash;
	/* The ring is not held while memory is read: others' records stand behind. */
	if (bpf_ringbuf_output(&ring, head, sizeof(*head) + pieces * WIRE_SLICE_PIECE,
			       BPF_RB_NO_WAKEUP))
		asleep_count(event, WIRE_LOST_RING);
	else
		asleep_count(event, WIRE_KEPT);
}

/* Whether there is stack memory @pieces further on. */
static __always_inline bool asleep_reaches(const struct asleep *a, __u32 pieces)
{
	const __u64 at =
		(a->room->registers[7] & ~(WIRE_SLICE_PIECE - 1ull)) + pieces * WIRE_SLICE_PIECE;
	__u64 word;

	return asleep_copy(a, &word, sizeof(word), at);
}

static __always_inline void asleep_send_stack(const struct asleep *a)
{
	const bool readable = a->mm && asleep_is_readable(a->task);

	a->room->walk.script.outcome = WIRE_SCRIPT_NOT_ASKED;
	a->room->walk.chain_depth = 0;
	if (readable)
		asleep_chain(a);
	if (!readable || !asleep_reaches(a, WIRE_SLICE_SMALL))
		asleep_send_pieces(a, WIRE_SLICE_SMALL, readable);
	else if (!asleep_reaches(a, WIRE_SLICE_MEDIUM))
		asleep_send_pieces(a, WIRE_SLICE_MEDIUM, true);
	else
		asleep_send_pieces(a, WIRE_SLICE_PIECES, true);
}

/* A sample that has no stack memory with it, or is lost: its outcome. */
static __always_inline void asleep_send_plain(const struct asleep *a, enum wire_counter outcome)
{
	const __u32 event = a->sample->event & WIRE_STREAM_MASK;

	bpf_seq_write(a->seq, a->room->kernel.frames, 1);
	if (!asleep_commit(a->of))
		return;
	if (outcome == WIRE_KEPT && !a->sample->kernel_hash)
		outcome = WIRE_LOST_STACK;
	if (outcome == WIRE_KEPT && !send(a->sample, a->bytes))
		outcome = WIRE_LOST_RING;
	asleep_count(event, outcome);
}

/* Samples the thread, which was off the CPU just now, and counts what became of that; nothing where
 * it has woken up. */
static __always_inline void asleep_take(const struct asleep *a)
{
	const int result = asleep_kernel_stack(a);

	a->sample->pid = ids_process(a->task);
	a->sample->tid = ids_thread(a->task);
	if (result != STACK_OK) {
		asleep_send_plain(a,
				  result == STACK_COLLISION ? WIRE_LOST_COLLISION : WIRE_LOST_RING);
		return;
	}
	if (!asleep_registers(a->task, a->room)) {
		asleep_send_plain(a, WIRE_KEPT);
		return;
	}
	a->sample->event |= sample_open_call(a->task, a->room->registers[7]) << WIRE_ZONE_SHIFT;
	uretprobe_origins(a->task, &a->room->origins);
	asleep_send_stack(a);
}

#endif
