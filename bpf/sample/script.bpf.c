/* SPDX-License-Identifier: GPL-2.0 */
#include "sample/script_maps.h"
#include "sample/script_here.h"

#define read_user here_read

struct script_procs_map script_procs SEC(".maps");
struct known_codes_map known_codes SEC(".maps");
struct script_memo_map script_memo SEC(".maps");
__u64 script_numbers, chain_numbers;

/* A record of @bytes, a constant, for a function; NULL: there is no room. */
static __always_inline struct wire_script *code_room(const struct script_memory *m, __u32 bytes)
{
	return bpf_ringbuf_reserve(&ring, bytes, 0);
}

/* Sends it, or not; returns whether. */
static __always_inline bool code_end(const struct script_memory *m, struct wire_script *record,
				     __u32 bytes, bool whole)
{
	if (whole)
		bpf_ringbuf_submit(record, BPF_RB_NO_WAKEUP);
	else
		bpf_ringbuf_discard(record, BPF_RB_NO_WAKEUP);
	return whole;
}

#include "sample/script_code.h"
#include "sample/script_python.h"
#include "sample/script_async.h"
#include "sample/script_pairs.h"
#include "sample/script_v8.h"
#include "sample/script_v8_chain.h"

/* The walk has met V8: the frames before it have been passed already. */
static __always_inline void begin_v8(struct script *s)
{
	s->outcome = WIRE_SCRIPT_NO_STATE;
	if (s->by_pointer == SCRIPT_POINTER_NO)
		s->outcome = WIRE_SCRIPT_LATE;
	else
		s->by_pointer = SCRIPT_POINTER_YES;
}

/* Begins with the innermost frame, of the interpreter in walk->script.proc. */
static __always_inline void begin(struct walk *walk)
{
	walk->script.outcome = WIRE_SCRIPT_REFUSED;
	if (walk->script.proc.language == WIRE_SCRIPT_PYTHON) {
		const __u64 base = BPF_CORE_READ(current_task(), thread.fsbase);

		python_begin(&walk->script, base);
		if (config_async)
			async_begin(&walk->script, base);
	}
	/* The walk puts its frames in the places of the loops, or they follow at its end. */
	if (walk->script.proc.loop_bytes) {
		walk->script.outcome = WIRE_SCRIPT_NO_STATE;
		walk->script.has_loops = 1;
	} else if (walk->script.proc.language == WIRE_SCRIPT_V8)
		begin_v8(&walk->script);
}

/* Whether the current process is known to run V8. */
static __always_inline void look_for_v8(struct walk *walk)
{
	struct wire_piece key = {.device = WIRE_SCRIPT_ASKED, .piece = walk->out.head.pid};
	const struct wire_script_proc *proc = bpf_map_lookup_elem(&script_procs, &key);

	walk->script.by_pointer = SCRIPT_POINTER_NO;
	if (!proc || proc->language != WIRE_SCRIPT_V8)
		return;
	walk->script.by_pointer = SCRIPT_POINTER_YES;
	walk->script.outcome = WIRE_SCRIPT_NO_STATE;
	script_enter_task(walk, current_task(), proc, 0);
}

int script_look(struct walk *walk)
{
	if (walk)
		look_for_v8(walk);
	return 0;
}

int script_frame(struct walk *walk)
{
	return walk && !v8_frame(NULL, walk);
}

int script_tell(struct walk *walk)
{
	if (!walk)
		return 0;
	v8_new(NULL, walk);
	v8_put(walk);
	return 0;
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
	walk->script.outcome = WIRE_SCRIPT_LATE;
	if (!proc)
		return 0;
	walk->script.asked.what = 0;
	script_enter_task(walk, current_task(), proc, base);
	begin(walk);
	return 0;
}

int script_remember(struct walk *walk)
{
	struct wire_piece key = {.device = WIRE_SCRIPT_ASKED};
	const struct wire_script_proc *known;
	struct wire_script_proc proc;

	if (!walk)
		return 0;
	key.piece = walk->out.head.pid;
	known = bpf_map_lookup_elem(&script_procs, &key);
	if (known && known->runtime == walk->script.proc.runtime &&
	    known->language == walk->script.proc.language)
		return 0;
	/* Linux 6.1 takes no value from memory of which it knows only the size. */
	proc = walk->script.proc;
	bpf_map_update_elem(&script_procs, &key, &proc, BPF_ANY);
	return 0;
}

static __always_inline bool pairs_begin_here(struct walk *walk)
{
	return pairs_begin(NULL, walk, BPF_CORE_READ(current_task(), thread.fsbase));
}

/* Begins again, or for the first time where the walk did not get to the interpreter; false: nothing
 * is known of one. */
static __always_inline bool begin_chain(struct walk *walk)
{
	struct wire_piece key = {.device = WIRE_SCRIPT_ASKED, .piece = walk->out.head.pid};
	const struct wire_script_proc *proc;

	if (walk->script.outcome <= WIRE_SCRIPT_LATE) {
		proc = bpf_map_lookup_elem(&script_procs, &key);
		if (!proc)
			return false;
		script_enter_task(walk, current_task(), proc, 0);
	}
	if (walk->script.proc.language == WIRE_SCRIPT_PYTHON && !walk->script.proc.loop_bytes)
		begin(walk);
	return true;
}

static long chain_one(__u32 i, struct walk **context)
{
	struct walk *walk = *context;

	if (walk->script.mode == SCRIPT_NATIVE)
		return !chain_goes_on(&walk->script);
	script_one(walk);
	return 0;
}

static long chain_pair(__u32 i, struct walk **context)
{
	struct walk *walk = *context;

	pairs_round(NULL, walk);
	return !walk->script.chain_more;
}

/* The script frames of which the loader finds out which native frames run them. */
static __always_inline void chain_pairs_here(struct walk *walk, struct walk **context)
{
	if (!pairs_begin_here(walk))
		return;
	bpf_loop(SCRIPT_CHAIN, chain_pair, context, 0);
	chain_end(walk);
}

static long chain_v8_scan(__u32 i, struct walk **context)
{
	return !v8_scan(NULL, *context);
}

static long chain_v8_look(__u32 i, struct walk **context)
{
	return !v8_chain_look(NULL, *context);
}

int script_chain(struct walk *walk)
{
	struct walk *context = walk;

	if (!walk)
		return 0;
	walk->chain_depth = 0;
	walk->script.mode = SCRIPT_NATIVE;
	walk->script.entry = 0;
	if (!begin_chain(walk))
		return 0;
	walk->script.chained = 1;
	if (walk->script.mode != SCRIPT_NATIVE)
		bpf_loop(WIRE_WALK_FRAMES, chain_one, &context, 0);
	else if (walk->script.proc.loop_bytes)
		chain_pairs_here(walk, &context);
	else if (walk->script.proc.language == WIRE_SCRIPT_V8) {
		v8_scan_begin(walk);
		bpf_loop(V8_SCAN, chain_v8_scan, &context, 0);
		v8_chain_begin(walk);
		bpf_loop(V8_CHAIN, chain_v8_look, &context, 0);
	}
	walk->script.chained = 0;
	return 0;
}

/* Begins the run that was to come next. False: there are no more. */
static __always_inline bool rest_goes_on(struct script *s)
{
	s->caller = 0;
	s->at = s->first;
	s->mode = SCRIPT_EMIT;
	return s->entry;
}

static long rest_one(__u32 i, struct walk **context)
{
	struct walk *walk = *context;

	if (walk->script.mode == SCRIPT_NATIVE)
		return !rest_goes_on(&walk->script);
	script_one(walk);
	return 0;
}

/* Whether the walk was led to an address that is not code, which then is no frame. */
static __always_inline bool is_astray(const struct walk *walk)
{
	return walk->out.head.end == WIRE_END_BROKEN && walk->depth > 1 &&
	       (!walk->vma.end || !walk->vma.executable);
}

/* Adds the runs that are left behind a note, of CPython. */
static __always_inline void add_rest(struct walk *walk, struct walk **context)
{
	const __u32 before = walk->depth;
	__u32 noted;

	if (!walk->script.entry && walk->script.mode == SCRIPT_NATIVE)
		return;
	walk->depth -= is_astray(walk);
	python_note(walk, WIRE_SCRIPT_NATIVE);
	noted = walk->depth;
	bpf_loop(WIRE_WALK_FRAMES, rest_one, context, 0);
	if (walk->depth == noted) { /* there is none, or it is torn */
		walk->depth = before;
		return;
	}
	walk->script.outcome = WIRE_SCRIPT_CUT;
	walk_tell(walk);
}

int script_rest(struct walk *walk)
{
	struct walk *context = walk;
	bool begins;

	/* Else the walk gave up within a run. */
	if (!walk || walk->script.mode != SCRIPT_NATIVE)
		return 0;
	begins = walk->script.outcome <= WIRE_SCRIPT_LATE && begin_chain(walk);
	/* Which of CPython's loops before 3.11 the walk did not get to is not known. */
	if (walk->script.proc.language == WIRE_SCRIPT_PYTHON && walk->script.has_loops)
		return 0;
	if (begins && walk->script.proc.loop_bytes) {
		walk->depth -= is_astray(walk);
		chain_pairs_here(walk, &context);
	} else {
		add_rest(walk, &context);
	}
	return 0;
}

int script_round(struct walk *walk)
{
	if (!walk)
		return 0;
	if (walk->script.mode == SCRIPT_BEGIN)
		python_first(NULL, &walk->script);
	else if (walk->script.mode == SCRIPT_FIND)
		python_find(NULL, &walk->script);
	else if (walk->script.mode == SCRIPT_OPEN)
		python_open(NULL, &walk->script);
	else if (walk->script.mode == SCRIPT_SEEK)
		python_seek(NULL, &walk->script);
	else if (walk->script.mode == SCRIPT_OBJECT)
		object_read(NULL, &walk->script);
	else
		python_emit(NULL, walk);
	return 0;
}

int script_async(struct walk *walk)
{
	if (walk)
		async_round(walk);
	return 0;
}

int script_async_task(struct walk *walk)
{
	if (walk)
		async_task(walk);
	return 0;
}

/* Moves the frame in slot @i to the next loop; that in s->held was moved there from the one before.
 * Behind frames that were left out it is not known. */
static long settle_one(__u32 i, struct walk **context)
{
	struct walk *walk = *context;
	struct script *s = &walk->script;
	const __u32 head = WIRE_USER_FRAMES - WIRE_TAIL_FRAMES;
	__u64 *slot, word;

	if (walk->depth > WIRE_USER_FRAMES && i >= head) {
		if (i == head)
			s->held = (__u64)WIRE_FRAME_SCRIPT << WIRE_FRAME_SHIFT | WIRE_SCRIPT_UNREAD;
		i += walk->depth - WIRE_USER_FRAMES;
	}
	slot = walk_slot(walk, i);
	word = *slot;
	if (WIRE_FRAME_KIND(word) != WIRE_FRAME_SCRIPT && WIRE_FRAME_KIND(word) != WIRE_FRAME_LOOP)
		return 0;
	*slot = s->held;
	s->held = word;
	return WIRE_FRAME_KIND(word) == WIRE_FRAME_LOOP;
}

/* Whether each frame belongs to the next loop. If more loops are left nobody knows, as in a
 * greenlet, or with another interpreter in the process. */
static __always_inline bool is_one_early(struct walk *walk)
{
	struct script *s = &walk->script;
	const __u32 surplus = s->loops - s->chain_n;

	if (!surplus && !s->first)
		return false;
	if (surplus == 1 && !s->first && s->outcome >= WIRE_SCRIPT_WHOLE &&
	    s->outcome != WIRE_SCRIPT_CUT && walk->out.head.end == WIRE_END_ROOT)
		return true;
	if (s->outcome >= WIRE_SCRIPT_WHOLE)
		s->outcome = WIRE_SCRIPT_CUT;
	return false;
}

int script_settle(struct walk *walk)
{
	struct walk *context = walk;
	__u32 slots;

	if (!walk || !is_one_early(walk))
		return 0;
	slots = walk->depth < WIRE_USER_FRAMES ? walk->depth : WIRE_USER_FRAMES;
	bpf_loop(slots, settle_one, &context, 0);
	return 0;
}

/* 1: there is nothing to add. */
int script_pair_begin(struct walk *walk)
{
	if (!walk)
		return 1;
	/* The loader may finish the native walk, but has no frames of scripts. */
	if (walk->out.head.end == WIRE_END_NO_TABLE || walk->out.head.end == WIRE_END_OTHER) {
		walk->script.outcome = WIRE_SCRIPT_LATE;
		return 1;
	}
	return !pairs_begin_here(walk);
}

int script_pair_round(struct walk *walk)
{
	if (walk)
		pairs_round(NULL, walk);
	return 0;
}

int script_pair_end(struct walk *walk)
{
	if (walk)
		chain_end(walk);
	return 0;
}
