/* SPDX-License-Identifier: GPL-2.0 */
#include "sample/sample.h"
#include "sample/script_maps.h"
#include "sample/slice.h"
#include "sample/registers.h"

/* Publishes the stack in @buffer and returns its hash in *@hash; false if that lost the sample. */
static bool publish(struct stack_buffer *buffer, __u32 event, __u64 now_ns, __u64 *hash)
{
	int result = stack_publish(buffer, event, now_ns);

	if (result == STACK_NO_ROOM)
		count(event, WIRE_LOST_RING, 1);
	if (result == STACK_COLLISION)
		count(event, WIRE_LOST_COLLISION, 1);
	*hash = buffer->head.hash;
	return result == STACK_OK;
}

/* Registers of the innermost user frame, by DWARF number; false if there is none. */
static bool user_registers(struct pt_regs *now, struct walk *walk)
{
	struct pt_regs___kernel *saved;

	walk->out.head.syscall = 0;
	if (now && (now->cs & 3)) {
		registers_now(now, walk->registers);
		return true;
	}
	if (!BPF_CORE_READ(current_task(), mm))
		return false;
	saved = (void *)bpf_task_pt_regs(bpf_get_current_task_btf());
	/* A kernel thread that borrows an mm has no user frame; its saved registers are
	 * undefined. */
	if (!(saved->cs & 3))
		return false;
	registers_saved(saved, walk->registers);
	walk->out.head.syscall = (long)saved->orig_ax >= 0;
	return true;
}

#define BREAKPOINT 0xcc

/* Whether a uprobe's breakpoint is @back bytes before the user address at which the thread entered
 * the kernel. */
static bool is_at_breakpoint(struct pt_regs *now, const struct walk *walk, __u32 back)
{
	__u8 there = 0;

	if ((now && (now->cs & 3)) || walk->out.head.syscall)
		return false;
	return !bpf_probe_read_user(&there, 1, (void *)(walk->registers[16] - back)) &&
	       there == BREAKPOINT && uprobe_was_hit();
}

/* Whether the first step led to no code. It also does while the kernel is replacing the return
 * address, which cannot be found then. */
static bool went_wrong(const struct walk *walk)
{
	return walk->out.head.end == WIRE_END_BROKEN && walk->depth == 2;
}

/*
 * Walks the stack from @walk's registers, which may be those of a thread inside a uprobe. Behind a
 * breakpoint, either the thread has just hit it and is in effect at the probed instruction, or the
 * instruction is one byte long and done. At a breakpoint, a push that the kernel emulates may be
 * done except for the instruction pointer. The stack decides: the wrong guess leads to no code.
 */
static void walk_probed(struct pt_regs *now, struct walk *walk)
{
	bool behind = is_at_breakpoint(now, walk, 1);

	walk->registers[16] -= behind;
	walk_user(walk);
	if (!went_wrong(walk))
		return;
	if (behind) {
		walk->registers[16]++;
		walk_user(walk);
	} else if (is_at_breakpoint(now, walk, 0)) {
		walk->registers[STEP_RSP] += 8;
		walk_user(walk);
		if (walk->depth > 2)
			return;
		walk->registers[STEP_RSP] -= 8;
		walk_user(walk);
	}
}

/* During an exec the registers are those of the old program, whose stack goes away at some
 * point. */
static bool is_in_exec(void)
{
	return BPF_CORE_READ_BITFIELD_PROBED(current_task(), in_execve);
}

/* How a sample continues after the walk of its user stack. */
enum user_result { USER_KEEP, USER_LOST, USER_SLICE };

/* Publishes the user stack in @walk as that of @sample. */
static enum user_result publish_user(struct walk *walk, __u32 event, struct wire_sample *sample)
{
	bool done = publish(&walk->out, event, sample->time_ns, &sample->user_hash);

	return done ? USER_KEEP : USER_LOST;
}

/* Publishes a placeholder for the stack of a process unknown to the loader. */
static enum user_result no_stack(struct walk *walk, __u32 event, struct wire_sample *sample)
{
	walk->out.head.pid = sample->pid;
	walk->out.head.kernel = 0;
	walk->out.head.depth = 0;
	walk->out.head.left_out = 0;
	walk->out.head.syscall = 0;
	walk->out.head.end = WIRE_END_OUTSIDE;
	return publish_user(walk, event, sample);
}

/* Notes how the search for frames of a script went. */
static void count_script(const struct walk *walk, __u32 event)
{
	const __u32 outcome = walk->script.outcome, awaiters = walk->script.async.outcome;

	if (outcome)
		count(event, WIRE_NOTE_SCRIPT + outcome - 1, 1);
	if (awaiters)
		count(event, WIRE_NOTE_ASYNC + awaiters - 1, 1);
}

/* Of what walk_user() has found. */
static enum user_result walked(struct walk *walk, __u32 event, struct wire_sample *sample)
{
	if (walk->out.head.end != WIRE_END_ROOT && is_in_exec()) {
		count(event, WIRE_NOTE_EXEC, 1);
		return USER_KEEP;
	}
	if (walk->out.head.end == WIRE_END_NO_TABLE || walk->out.head.end == WIRE_END_OTHER) {
		script_chain(walk);
		count_script(walk, event);
		return USER_SLICE;
	}
	if (walk->out.head.end != WIRE_END_ROOT)
		script_rest(walk);
	count_script(walk, event);
	return publish_user(walk, event, sample);
}

static void begin_user(struct walk *walk, const struct wire_sample *sample)
{
	walk->out.head.pid = sample->pid;
	walk->out.head.time_ns = sample->time_ns;
	walk->out.head.kernel = 0;
}

static enum user_result user_stack(struct pt_regs *now, struct walk *walk, __u32 event,
				   struct wire_sample *sample)
{
	if (ids_are_outside(sample->pid))
		return no_stack(walk, event, sample);
	if (!user_registers(now, walk))
		return USER_KEEP;
	begin_user(walk, sample);
	walk_probed(now, walk);
	return walked(walk, event, sample);
}

/* The stack memory to send. */
struct extent {
	__u64 start[2];
	__u32 split; /* number of pieces from the first start */
};

/* Sends the sample with registers and @pieces of stack memory, a constant, for user space to walk.
 * False: the ring is full. */
static __always_inline bool send_pieces(const struct wire_sample *sample, __u32 bytes,
					const struct walk *walk, const struct extent *extent,
					__u64 chain, __u32 pieces)
{
	struct slice *slice =
		bpf_ringbuf_reserve(&ring, sizeof(*slice) + pieces * WIRE_SLICE_PIECE, 0);
	__u64 from = extent->start[0], present = 0;

	if (!slice)
		return false;
	slice_name(&slice->head, sample, bytes);
	slice_thread(&slice->head, walk->registers, &walk->origins, walk->out.head.syscall);
	slice->head.start[0] = from;
	slice->head.start[1] = extent->start[1];
	slice->head.split = extent->split;
	slice->head.pieces = pieces;
	slice->head.missing = walk->vma.file;
	if (walk->out.head.end != WIRE_END_NO_TABLE)
		slice->head.missing = (struct wire_piece){0};
	slice->head.registers[16] = uprobe_origin(walk->registers[16]);
	slice->head.chain = chain;
	for (__u32 i = 0; i < pieces; i++) {
		__u64 missing;

		if (i == extent->split)
			from = extent->start[1];
		/* Arithmetic, since the verifier would follow both ways of a branch each time. */
		missing = (__u64)bpf_probe_read_user(slice->bytes + i * WIRE_SLICE_PIECE,
						     WIRE_SLICE_PIECE, (void *)from) >>
			  63;
		present |= (missing ^ 1) << i;
		from += WIRE_SLICE_PIECE;
	}
	slice->head.present = present;
	bpf_ringbuf_submit(slice, wake_flag());
	return true;
}

/* Whether the ring has room for a slice. Slices are a thousand times as large as samples, so part
 * of the ring is reserved for samples. */
static bool has_room_for_slices(void)
{
	__u64 waiting = bpf_ringbuf_query(&ring, BPF_RB_AVAIL_DATA);

	return waiting <= bpf_ringbuf_query(&ring, BPF_RB_RING_SIZE) / 4 * 3;
}

/* Sends the script frames that go with a slice; returns their number, 0: none. */
static __always_inline __u64 send_chain(struct walk *walk, const struct wire_sample *sample)
{
	const __u64 bytes = chain_name(walk, sample);

	return bytes && send(&walk->chain, bytes) ? walk->chain.head.hash : 0;
}

/* Sends the stack up to the end of its mapping, and any other stack that the walk reached. */
static bool send_slice(const struct wire_sample *sample, __u32 record_bytes, struct walk *walk)
{
	const __u64 mask = ~(WIRE_SLICE_PIECE - 1ull);
	struct extent extent = {.start = {walk->registers[7] & mask, walk->at.sp & mask}};
	__u64 bytes = WIRE_SLICE_BYTES, chain;

	if (!has_room_for_slices())
		return false;
	chain = send_chain(walk, sample);
	if (vma_find(walk->registers[7], &walk->stack, &walk->room))
		bytes = walk->stack.end - extent.start[0];
	uretprobe_origins(current_task(), &walk->origins);
	extent.split = WIRE_SLICE_PIECES;
	if (extent.start[1] - extent.start[0] >= bytes)
		extent.split = WIRE_SLICE_MEDIUM;
	else if (bytes <= WIRE_SLICE_SMALL * WIRE_SLICE_PIECE)
		return send_pieces(sample, record_bytes, walk, &extent, chain, WIRE_SLICE_SMALL);
	else if (bytes <= WIRE_SLICE_MEDIUM * WIRE_SLICE_PIECE)
		return send_pieces(sample, record_bytes, walk, &extent, chain, WIRE_SLICE_MEDIUM);
	return send_pieces(sample, record_bytes, walk, &extent, chain, WIRE_SLICE_PIECES);
}

/* Publishes the @depth kernel frames in @buffer. */
static bool publish_kernel(struct stack_buffer *buffer, __u32 depth, __u32 event, __u64 now_ns,
			   __u64 *hash)
{
	buffer->head.pid = 0;
	buffer->head.left_out = 0;
	buffer->head.kernel = 1;
	buffer->head.syscall = 0;
	buffer->head.end = WIRE_END_ROOT;
	buffer->head.depth = depth;
	return publish(buffer, event, now_ns, hash);
}

static bool kernel_stack(void *ctx, struct stack_buffer *buffer, __u32 event, __u64 now_ns,
			 __u64 *hash)
{
	long bytes = bpf_get_stack(ctx, buffer->frames, WIRE_KERNEL_FRAMES * sizeof(__u64), 0);

	if (bytes <= 0)
		return true;
	return publish_kernel(buffer, bytes / sizeof(__u64), event, now_ns, hash);
}

/* Publishes the frames found so far if the ring has no room for a slice. */
static bool keep_part(struct walk *walk, struct wire_sample *sample)
{
	__u32 event = sample->event & WIRE_STREAM_MASK;

	count(event, WIRE_NOTE_NO_SLICE, 1);
	return publish(&walk->out, event, sample->time_ns, &sample->user_hash);
}

struct search {
	const struct walk *walk;
	bool found;
};

/* Frames per round of bpf_loop(). */
#define SEARCHED 16

static long search_chunk(__u32 chunk, struct search *search)
{
	const struct walk *walk = search->walk;
	__u64 n = walk->foreign_to - walk->foreign_from;
	__u32 i, at = chunk * SEARCHED;

	for (i = 0; i < SEARCHED && at < walk->out.head.depth; i++, at++)
		search->found |=
			walk->out.frames[at & (WIRE_USER_FRAMES - 1)] - walk->foreign_from < n;
	return i < SEARCHED || search->found;
}

/* Of the kernel stack in the buffer. */
static bool is_foreign(const struct walk *walk, const struct wire_sample *sample)
{
	struct search search = {.walk = walk};

	if (walk->foreign_to && sample->kernel_hash)
		bpf_loop(WIRE_KERNEL_FRAMES / SEARCHED + 1, search_chunk, &search, 0);
	return search.found;
}

/* False: lost the sample. */
static bool add_kernel_stack(void *ctx, struct pt_regs *now, struct walk *walk,
			     struct wire_sample *sample)
{
	if (!ctx || (now && (now->cs & 3)))
		return true;
	return kernel_stack(ctx, &walk->out, sample->event, sample->time_ns, &sample->kernel_hash);
}

/* Sends @sample, whose stacks were published. */
static bool send_counted(const struct wire_sample *sample, __u32 event, __u32 bytes)
{
	const bool sent = send(sample, bytes);

	count(event, sent ? WIRE_KEPT : WIRE_LOST_RING, 1);
	return sent;
}

static void name_thread(struct wire_sample *sample)
{
	__u64 both = ids_current();

	sample->pid = both >> 32;
	sample->tid = both >> 32 ? (__u32)both : bpf_get_smp_processor_id();
}

/* Sends what goes with @user: the memory of a stack that the loader walks. False: @sample, whose
 * user stack is incomplete then, is still to be sent, or lost if *@user says so. */
static bool finish_user(struct walk *walk, struct wire_sample *sample, __u32 event, __u32 bytes,
			enum user_result *user)
{
	sample->event |= sample_open_call(bpf_get_current_task_btf(), walk->registers[7])
			 << WIRE_ZONE_SHIFT;
	if (*user != USER_SLICE)
		return false;
	if (send_slice(sample, bytes, walk)) {
		count(event, WIRE_KEPT, 1);
		count(event,
		      walk->out.head.end == WIRE_END_OTHER ? WIRE_NOTE_RULE : WIRE_NOTE_SLICE, 1);
		return true;
	}
	*user = keep_part(walk, sample) ? USER_KEEP : USER_LOST;
	return false;
}

bool sample_take(void *ctx, struct pt_regs *now, struct walk *walk, struct wire_sample *sample,
		 __u32 bytes)
{
	__u32 event = sample->event;
	enum user_result user;

	count(event, WIRE_TAKEN, 1);
	name_thread(sample);
	/* Kernel stack first: the user stack then stays in the buffer, for a slice. */
	if (!add_kernel_stack(ctx, now, walk, sample))
		return false;
	user = is_foreign(walk, sample) ? USER_KEEP : user_stack(now, walk, event, sample);
	if (user == USER_LOST)
		return false;
	if (finish_user(walk, sample, event, bytes, &user))
		return true;
	if (user == USER_LOST)
		return false;
	if (!sample->user_hash && !sample->kernel_hash) {
		count(event, WIRE_LOST_STACK, 1);
		return false;
	}
	return send_counted(sample, event, bytes);
}

static enum user_result stack_behind_call(struct walk *walk, __u32 event,
					  struct wire_sample *sample)
{
	/* The first address is a return address, like that of a system call. */
	walk->out.head.syscall = 1;
	begin_user(walk, sample);
	walk_user(walk);
	return walked(walk, event, sample);
}

enum sample_stack sample_stack_at(struct walk *walk, struct wire_sample *sample, __u32 bytes)
{
	__u32 event = sample->event;
	enum user_result user;

	count(event, WIRE_TAKEN, 1);
	name_thread(sample);
	user = ids_are_outside(sample->pid) ? no_stack(walk, event, sample)
					    : stack_behind_call(walk, event, sample);
	if (user != USER_LOST && finish_user(walk, sample, event, bytes, &user))
		return SAMPLE_SLICED;
	if (user == USER_KEEP && !sample->user_hash) {
		count(event, WIRE_LOST_STACK, 1);
		user = USER_LOST;
	}
	return user == USER_LOST ? SAMPLE_LOST : SAMPLE_HASHED;
}

bool sample_newborn(struct walk *walk, struct wire_sample *sample, __u32 bytes, __u64 begins)
{
	const __u32 event = sample->event;

	count(event, WIRE_TAKEN, 1);
	walk->out.frames[0] = begins;
	return publish_kernel(&walk->out, 1, event, sample->time_ns, &sample->kernel_hash) &&
	       send_counted(sample, event, bytes);
}
