/* SPDX-License-Identifier: GPL-2.0 */
#include "sample/walk.h"
#include "sample/uretprobe.h"

/* Memory of tables, in lines; user space writes it through mmap. This map is the template. */
struct pool_map {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, WIRE_POOL_LINES);
	__uint(map_flags, BPF_F_MMAPABLE);
	__type(key, __u32);
	__uint(value_size, TABLE_LINE_BYTES);
};

/* The pools, 4 MiB each, created as needed. Filled by load/tables. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, WIRE_POOLS);
	__type(key, __u32);
	__array(values, struct pool_map);
} pools SEC(".maps");

/* Piece of a file → where its table is. Filled and emptied by load/tables, read by the walker. One
 * entry per piece that was met in a stack, however many processes map it. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, WIRE_TABLES);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, struct wire_piece);
	__type(value, struct wire_table);
} tables SEC(".maps");

/* Requested pieces without a table yet → when requested. Written by the walker; the loader removes
 * those it has answered. LRU: a lost entry only repeats a request. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 4096);
	__type(key, struct wire_piece);
	__type(value, __u64);
} wanted SEC(".maps");

/* A table being read. */
struct open_table {
	void *pool;
	__u32 first, lines;
};

static inline const void *table_line(void *table, wire_u32 number)
{
	const struct open_table *t = table;
	__u32 at = t->first + number;

	return number < t->lines ? bpf_map_lookup_elem(t->pool, &at) : NULL;
}

static inline int step_read(void *context, wire_u64 address, wire_u64 *out)
{
	struct walk *walk = context;
	__u64 word = (address - walk->window_at) / sizeof(*out);

	if (address % sizeof(*out))
		return bpf_probe_read_user(out, sizeof(*out), (void *)address);
	if (word >= walk->window_words) {
		/* The next read of a frame with rbp is the word below. */
		walk->window_at = address - sizeof(*out);
		walk->window_words = WALK_WINDOW;
		word = 1;
		if (bpf_probe_read_user(walk->window, sizeof(walk->window),
					(void *)walk->window_at)) {
			walk->window_words = 0;
			return bpf_probe_read_user(out, sizeof(*out), (void *)address);
		}
	}
	*out = walk->window[word & (WALK_WINDOW - 1)];
	return 0;
}

static inline int step_register(void *context, wire_u32 number, wire_u64 *out)
{
	struct walk *walk = context;

	if (number >= 17)
		return -1;
	/* The compiler keeps the check and the index in two registers, so the verifier trusts
	 * neither: a mask that is not optimised away gives it the bound. */
	asm volatile("%0 &= 31" : "+r"(number));
	*out = walk->registers[number];
	return 0;
}

#include "sample/lookup.h"
#include "sample/memo.h"
#include "sample/step.h"

/* Asks the loader for what belongs to @piece, of code at @address. */
static __noinline void want_of(const struct walk *walk, const struct wire_piece *piece,
			       __u64 address)
{
	struct wire_want record = {.kind = WIRE_WANT,
				   .pid = walk->out.head.pid,
				   .time_ns = walk->out.head.time_ns,
				   .address = address,
				   .piece = *piece};

	if (!bpf_map_update_elem(&wanted, &record.piece, &record.time_ns, BPF_NOEXIST))
		send_now(&record, sizeof(record));
}

static void want(struct walk *walk, __u64 address)
{
	want_of(walk, &walk->vma.file, address);
}

#include "sample/copy.h"

/* Whether the mapping that enter() found, if any, belongs to no file. */
static __always_inline bool is_anonymous(const struct walk *walk)
{
	return walk->vma.end && walk->vma.executable && !walk->vma.has_file && !walk->vma.vdso;
}

/* Makes walk->vma the mapping of @address; keeps it from frame to frame. */
static __always_inline bool enter(struct walk *walk, __u64 address)
{
	if (address >= walk->vma.start && address < walk->vma.end)
		return true;
	walk->vma.end = 0;
	if (!vma_find(address, &walk->vma, &walk->room) || !walk->vma.executable)
		return false;
	if (is_anonymous(walk))
		copy_enter(walk, address);
	return true;
}

static __always_inline enum wire_end end_of(enum step_end end)
{
	switch (end) {
	case STEP_ROOT:
		return WIRE_END_ROOT;
	case STEP_UNREADABLE:
		return WIRE_END_UNREADABLE;
	case STEP_OTHER:
		return WIRE_END_OTHER;
	default:
		return WIRE_END_BROKEN;
	}
}

/* Makes walk->code the code at @address in walk->vma, from there to the end of its piece of the
 * file; false if that piece has no table. Here and below, Linux 6.1 accepts a key on the stack, but
 * not in memory of which it knows only the size. */
static __always_inline bool find_table(struct walk *walk, __u64 address)
{
	const struct vma *vma = &walk->vma;
	__u64 to_offset = vma->file_offset - vma->start;
	__u32 piece = (address + to_offset) >> WIRE_PIECE_BITS;
	__u64 first = (__u64)piece << WIRE_PIECE_BITS, start = first - to_offset;
	__u64 end = start + (1ull << WIRE_PIECE_BITS);
	struct wire_table *found;
	struct wire_piece key;

	walk->vma.file.piece = piece;
	key = walk->vma.file;
	found = bpf_map_lookup_elem(&tables, &key);
	if (!found)
		return false;
	/* Written only when it changes, since other CPUs read it. */
	if (found->used != table_epoch)
		found->used = table_epoch;
	walk->code.table = *found;
	walk->code.start = start;
	if (vma->file_offset > first)
		walk->code.start = vma->start;
	walk->code.end = end < vma->end ? end : vma->end;
	walk->code.file_offset = walk->code.start + to_offset;
	return true;
}

/* Copies the rule for file offset @offset to walk->rule; false if the table has none. */
static __always_inline bool find_rule(struct walk *walk, __u64 offset)
{
	const struct wire_table *at = &walk->code.table;
	__u32 pool = at->pool;
	struct open_table table = {bpf_map_lookup_elem(&pools, &pool), at->first, at->lines};
	const struct table_header *header = (const void *)at->header;
	const struct table_rule *rule;
	__u32 number, past;

	if (!table.pool || table_find(&table, header, offset, &number, &past))
		return false;
	rule = table_rule_at(&table, header, number);
	if (!rule || rule->cfa == TABLE_CFA_NONE)
		return false;
	walk->rule = *rule;
	table_rule_past(&walk->rule, past);
	return true;
}

/* Whether @walk is in code, after replacing a uretprobe's trampoline by the true return address.
 * The frame is already in the output: it is corrected, or removed. */
static __always_inline bool restore(struct walk *walk)
{
	__u64 ip = uretprobe_origin(walk->at.ip, walk->at.sp - 8);

	if (!ip)
		return is_anonymous(walk);
	walk->depth--;
	if (ip == URETPROBE_LOST) {
		walk->guessed = false;
		return false;
	}
	walk->at.ip = ip;
	walk_keep(walk, ip);
	return enter(walk, step_key(&walk->at));
}

/* Steps out of the return probes' trampoline if the thread is in it. */
static __always_inline bool leave(struct walk *walk)
{
	struct uretprobe_way way;

	if (!walk->at.innermost || !uretprobe_leave(walk->at.ip, walk->at.sp, &way))
		return false;
	if (!way.ip && step_read(walk, way.sp - 8, &way.ip))
		return false;
	walk->at = (struct step_regs){.ip = way.ip, .sp = way.sp, .bp = walk->at.bp};
	walk_keep(walk, way.ip);
	return enter(walk, step_key(&walk->at));
}

/* Whether the frames so far fill the stack's memory to its very end, so that no caller fits. The
 * return address of a coroutine's first function was put there by hand. */
static __always_inline bool is_used_up(struct walk *walk)
{
	return !walk->at.innermost && vma_find(walk->at.sp - 1, &walk->stack, &walk->room) &&
	       walk->stack.end == walk->at.sp;
}

static __always_inline long end_walk(struct walk *walk, enum wire_end end)
{
	/* The frame pointer led to no code, so it was not one. */
	walk->out.head.end = end == WIRE_END_BROKEN && walk->guessed ? WIRE_END_NO_RULE : end;
	return 1;
}

/* What is known of the code at which @walk is. */
enum code {
	CODE_RULE,     /* its rule is in walk->rule */
	CODE_NO_RULE,  /* it has no rule */
	CODE_NO_TABLE, /* its table is not there yet */
	CODE_NONE,     /* it is not code */
};

/* Finds walk->code at @walk's address. */
static __always_inline enum code find_code(struct walk *walk)
{
	__u64 key = step_key(&walk->at);

	if ((key >= walk->code.start && key < walk->code.end) ||
	    memo_find_code(walk->memo_tag, key, &walk->code))
		return CODE_RULE;
	walk->code.end = 0;
	if ((!enter(walk, key) || is_anonymous(walk)) && !leave(walk) && !restore(walk))
		return CODE_NONE;
	if (is_anonymous(walk))
		return walk->vma.asked ? CODE_NO_TABLE : CODE_NO_RULE;
	key = step_key(&walk->at);
	if (!find_table(walk, key)) {
		want(walk, key);
		return CODE_NO_TABLE;
	}
	memo_keep_code(walk->memo_tag, key, &walk->code);
	return CODE_RULE;
}

static __always_inline enum code look_up(struct walk *walk)
{
	enum code code = find_code(walk);
	__u64 key = step_key(&walk->at);

	if (code != CODE_RULE)
		return code;
	if (!find_rule(walk, key - walk->code.start + walk->code.file_offset))
		return CODE_NO_RULE;
	/* A thread is hardly ever interrupted at the same address again. */
	if (!walk->at.exact)
		memo_keep_rule(walk->memo_tag, key, &walk->rule);
	return CODE_RULE;
}

/* Looks up the rule for the return address @address in the caches of earlier walks; sets
 * walk->rule. */
static __always_inline bool remember(struct walk *walk, __u64 address)
{
	return trail_find(&walk->trails, address, walk->at.sp, &walk->rule) ||
	       memo_find_rule(walk->memo_tag, address, &walk->rule);
}

/* Whether @walk, whose rule is known, meets an interpreter for the first time. */
static __always_inline bool is_interpreter(const struct walk *walk)
{
	return walk->rule.flags & TABLE_SCRIPT && !walk->script.outcome;
}

static __always_inline long find_script(struct walk *walk)
{
	const __u64 key = step_key(&walk->at);

	walk->script.outcome = WIRE_SCRIPT_LATE;
	/* The rule may come from a cache, which does not know the mapping. */
	if (!enter(walk, key))
		return 0;
	script_begin(walk, key);
	if (walk->script.asked.what)
		want_of(walk, &walk->script.asked, key);
	else
		script_remember(walk);
	return 0;
}

/* @walk is at a loop of CPython before 3.11, whose word is @word: the script's next frame is to
 * take its place (script_object.h). */
static __always_inline void script_place(struct walk *walk, __u64 word)
{
	if (walk->script.loops == 1)
		walk->script.held = word;
	if (walk->script.first)
		walk->script.entry = walk->was_sp;
}

/* Marks the frame that @walk is at if it is a loop whose runs are found later (script_chain.h). */
static __always_inline void script_mark(struct walk *walk)
{
	const struct wire_script_proc *proc = &walk->script.proc;
	const __u64 at = step_key(&walk->at);
	__u64 kind = WIRE_FRAME_LOOP, *slot;

	if (at - proc->core < proc->core_bytes)
		kind = WIRE_FRAME_CORE;
	else if (at - proc->loop >= proc->loop_bytes && at - proc->cold >= proc->cold_bytes)
		return;
	slot = walk_slot(walk, walk->depth - 1);
	walk->script.loops += kind == WIRE_FRAME_LOOP;
	if (proc->language == WIRE_SCRIPT_PYTHON)
		script_place(walk, *slot);
	*slot |= kind << WIRE_FRAME_SHIFT;
}

/* The frame that @walk has just left is the loop that runs the script's next frames: they take its
 * place, before its caller, @word. */
static __always_inline void script_enter(struct walk *walk, __u64 word)
{
	walk->depth--;
	walk->script.caller = word;
	walk->script.at = walk->script.first;
	walk->script.mode = walk->script.has_loops ? SCRIPT_OBJECT : SCRIPT_EMIT;
}

/* Steps from @walk's frame to its caller: 0, or 1 if there is none. */
static long walk_one(__u32 i, struct walk **context)
{
	struct walk *walk = *context;
	enum step_end end;
	enum code code = CODE_RULE;
	__u64 mark = 0;

	if (walk->script.mode != SCRIPT_NATIVE) {
		script_one(walk);
		return 0;
	}
	walk->was_guessed = walk->guessed;
	walk->was_sp = walk->at.sp;
	if (walk->at.exact || !remember(walk, step_key(&walk->at)))
		code = look_up(walk);
	if (code == CODE_NONE) {
		/* A guess by frame pointer that leads to no code is not a frame. */
		if (walk->guessed || !is_used_up(walk)) {
			walk->depth -= walk->guessed;
			return end_walk(walk, WIRE_END_BROKEN);
		}
		walk->depth--;
		return end_walk(walk, WIRE_END_ROOT);
	}
	if (code == CODE_NO_TABLE)
		return end_walk(walk, WIRE_END_NO_TABLE);
	if (code == CODE_RULE && is_interpreter(walk))
		return find_script(walk);
	if (walk->script.has_loops)
		script_mark(walk);
	if (code == CODE_RULE && !walk->at.exact)
		trail_keep(&walk->trails, step_key(&walk->at), walk->at.sp, &walk->rule);
	walk->guessed = code == CODE_NO_RULE || walk->rule.flags & TABLE_GUESS;
	if (walk->guessed)
		mark = WIRE_BY_FRAME_POINTER;
	if (walk->guessed && walk->script.by_pointer == SCRIPT_POINTER_UNKNOWN)
		script_look(walk);
	if (walk->guessed && walk->script.by_pointer == SCRIPT_POINTER_YES && script_frame(walk))
		script_tell(walk);
	if (code == CODE_NO_RULE)
		end = walk_step_bp(walk, &walk->at);
	else
		end = walk_step(walk, &walk->at, &walk->rule);
	if ((end == STEP_UNREADABLE || end == STEP_BROKEN) && !walk->was_guessed &&
	    is_used_up(walk))
		end = STEP_ROOT;
	if (end != STEP_NEXT)
		return end_walk(walk, end_of(end));
	/* A signal frame: the return stub in front of it was put there, not called. */
	if (walk->at.exact) {
		mark |= WIRE_EXACT;
		*walk_slot(walk, walk->depth - 1) |= WIRE_EXACT;
	}
	if (walk->script.entry - walk->was_sp < walk->at.sp - walk->was_sp)
		script_enter(walk, walk->at.ip | mark);
	else
		walk_keep(walk, walk->at.ip | mark);
	return 0;
}

static long pair_one(__u32 i, struct walk **context)
{
	struct walk *walk = *context;

	script_pair_round(walk);
	return !walk->script.chain_more;
}

/* Adds the script's frames behind the native ones, which have loops. */
static __always_inline void add_pairs(struct walk *walk, struct walk **context)
{
	if (script_pair_begin(walk))
		return;
	bpf_loop(SCRIPT_CHAIN, pair_one, context, 0);
	script_pair_end(walk);
}

int walk_user(struct walk *walk)
{
	struct walk *context = walk;

	if (!walk)
		return 0;
	step_start(&walk->at, uprobe_origin(walk->registers[16]), walk->registers[STEP_RSP],
		   walk->registers[STEP_RBP]);
	walk->vma.start = walk->vma.end = 0;
	walk->code.start = walk->code.end = 0;
	walk->guessed = false;
	walk->depth = 0;
	walk->out.head.end = WIRE_END_CUT;
	walk->window_words = 0;
	walk->script.mode = SCRIPT_NATIVE;
	walk->script.outcome = WIRE_SCRIPT_NOT_ASKED;
	walk->script.entry = 0;
	walk->script.async.outcome = WIRE_ASYNC_NONE;
	walk->script.chained = 0;
	walk->script.by_pointer = SCRIPT_POINTER_UNKNOWN;
	walk->chain_depth = 0;
	walk->script.has_loops = walk->script.loops = 0;
	walk->memo_tag = memo_tag();
	trail_start(&walk->trails, walk->memo_tag);
	walk_keep(walk, walk->at.ip);
	bpf_loop(WIRE_WALK_FRAMES, walk_one, &context, 0);
	walk_tell(walk);
	/* The native walk ended before it reached the loops of all runs. */
	if (walk->script.entry)
		walk->script.outcome = WIRE_SCRIPT_CUT;
	if (walk->script.loops && walk->script.proc.language == WIRE_SCRIPT_PYTHON)
		script_settle(walk);
	else if (walk->script.loops)
		add_pairs(walk, &context);
	return 0;
}
