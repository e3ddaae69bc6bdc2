/* SPDX-License-Identifier: GPL-2.0 */
#include "probe/blocks.h"
#include "wire_zone.h"

/* The sums of a row. Written by all threads, atomically; read by the loader at its ticks. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, WIRE_ALLOC_ROWS);
	__type(key, __u32);
	__type(value, struct wire_alloc_row);
} probe_alloc_rows SEC(".maps");

/* Row → the process whose blocks it has; 0: none. Not of the first. Written by the threads of that
 * process, and when its program ends. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, WIRE_ALLOC_ROWS);
	__type(key, __u32);
	__type(value, __u32);
} probe_alloc_owners SEC(".maps");

/* Process → among which rows its own are. Written by its threads; removed when its program ends.
 * As many as are remembered between two looks. */
struct range {
	__u32 first, last;
};
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, WIRE_ALLOC_ENDED);
	__type(key, __u32);
	__type(value, struct range);
} probe_alloc_ranges SEC(".maps");

/* Rows that were used and are free again. Written by the loader. */
struct {
	__uint(type, BPF_MAP_TYPE_QUEUE);
	__uint(max_entries, WIRE_ALLOC_ROWS);
	__type(value, __u32);
} probe_alloc_spare SEC(".maps");

/* 0 → those of all rows. Written and read as they are. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct wire_alloc_whole);
} probe_alloc_whole SEC(".maps");

/* Live blocks. An entry is written by the thread that was handed the block or frees it, and by the
 * sweep; entries are allocated as they come, so that memory is bounded by what is live. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, WIRE_ALLOC_BLOCKS);
	__type(key, struct wire_alloc_key);
	__type(value, struct wire_alloc_block);
} probe_alloc_live SEC(".maps");

/* By enum wire_alloc_counter. Per CPU; read by the loader. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, WIRE_ALLOC_COUNTERS);
	__type(key, __u32);
	__type(value, __u64);
} probe_alloc_counts SEC(".maps");

/* Thread → its open call. Written and read by the thread itself. */
struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct blocks_thread);
} probe_alloc_threads SEC(".maps");

/* enum wire_alloc_control → value. Written by the loader. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, WIRE_ALLOC_CONTROLS);
	__type(key, __u32);
	__type(value, __u64);
} probe_alloc_control SEC(".maps");

/* Process → its first exec whose blocks are not gone, or WIRE_ALLOC_…: of programs that have ended
 * since the last sweep. Written by the loader before it runs the sweep, which puts in the numbers
 * of those that go on; emptied by the loader. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__uint(max_entries, WIRE_ALLOC_ENDED);
	__type(key, __u32);
	__type(value, __u32);
} probe_alloc_ended SEC(".maps");

/* Function → what is known of it. Written by the loader before the function's probes are attached.
 * As many as there are in all allocators of a machine. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 4096);
	__type(key, __u32);
	__type(value, struct wire_alloc_function);
} probe_alloc_functions SEC(".maps");

/* WIRE_ALLOC_BIN() → blocks, and behind it bytes. Per CPU; read by the loader. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, WIRE_ALLOC_BIN(WIRE_ALLOC_HISTOGRAMS, 0));
	__type(key, __u32);
	__type(value, __u64);
} probe_alloc_bins SEC(".maps");

/* Address → how many live blocks there may be at addresses of the same counter, so that the end of
 * a block that is no sample costs no search. Written with probe_alloc_live, atomically. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, WIRE_ALLOC_SEEN);
	__type(key, __u32);
	__type(value, __u32);
} probe_alloc_seen SEC(".maps");

void blocks_add(enum wire_alloc_counter counter, __u64 more)
{
	__u32 key = counter;
	__u64 *n = bpf_map_lookup_elem(&probe_alloc_counts, &key);

	if (n)
		__sync_fetch_and_add(n, more);
}

struct blocks_thread *blocks_thread(bool create)
{
	return bpf_task_storage_get(&probe_alloc_threads, bpf_get_current_task_btf(), NULL,
				    create ? BPF_LOCAL_STORAGE_GET_F_CREATE : 0);
}

static __always_inline __u64 control(enum wire_alloc_control what)
{
	__u32 key = what;
	const __u64 *value = bpf_map_lookup_elem(&probe_alloc_control, &key);

	return value ? *value : 0;
}

const struct wire_alloc_function *blocks_function(__u32 function)
{
	return bpf_map_lookup_elem(&probe_alloc_functions, &function);
}

bool blocks_has_frees(void)
{
	return control(WIRE_ALLOC_FREES);
}

__u32 blocks_period(void)
{
	return control(WIRE_ALLOC_PERIOD);
}

static __always_inline __u32 *seen_at(__u64 address)
{
	/* Allocators align blocks to 16 bytes, and many to more. */
	__u32 key = address * 0x9e3779b97f4a7c15ull >> 32 & (WIRE_ALLOC_SEEN - 1);

	return bpf_map_lookup_elem(&probe_alloc_seen, &key);
}

static __always_inline void note_seen(__u64 address, __s32 more)
{
	__u32 *seen = seen_at(address);

	if (seen)
		__sync_fetch_and_add(seen, more);
}

bool blocks_may_be_known(__u64 address)
{
	const __u32 *seen = seen_at(address);

	return seen && *seen;
}

static __always_inline struct wire_alloc_key key_of(__u64 address)
{
	return (struct wire_alloc_key){.address = address,
				       .pid = ids_current_process(),
				       .exec = BPF_CORE_READ(current_task(), self_exec_id)};
}

bool blocks_take(__u64 address, struct wire_alloc_block *out)
{
	const struct wire_alloc_key key = key_of(address);
	const struct wire_alloc_block *b;

	if (!blocks_may_be_known(address))
		return false;
	b = bpf_map_lookup_elem(&probe_alloc_live, &key);
	if (!b)
		return false;
	*out = *b;
	if (!bpf_map_delete_elem(&probe_alloc_live, &key))
		note_seen(address, -1);
	return true;
}

bool blocks_put(__u64 address, const struct wire_alloc_block *block)
{
	const struct wire_alloc_key key = key_of(address);

	if (bpf_map_update_elem(&probe_alloc_live, &key, block, BPF_ANY))
		return false;
	note_seen(address, 1);
	return true;
}

void blocks_count_unknown(void)
{
	struct task_struct *task = current_task();
	const __u64 started_ns = control(WIRE_ALLOC_STARTED_NS);
	const bool is_child =
		started_ns && BPF_CORE_READ(task, group_leader, start_time) >= started_ns;

	/* Most are no samples. */
	if (blocks_period())
		return;
	blocks_count(is_child && BPF_CORE_READ(task, self_exec_id) ==
					     BPF_CORE_READ(task, real_parent, self_exec_id)
			     ? WIRE_ALLOC_INHERITED
			     : WIRE_ALLOC_BEFORE);
}

static __always_inline struct wire_alloc_row *row_at(__u32 row)
{
	return bpf_map_lookup_elem(&probe_alloc_rows, &row);
}

static __always_inline struct wire_alloc_whole *whole(void)
{
	__u32 zero = 0;

	return bpf_map_lookup_elem(&probe_alloc_whole, &zero);
}

/* @sign: 1 or -1. */
static __always_inline void add(struct wire_alloc_sum *to, const struct wire_alloc_sum *more,
				__s64 sign)
{
	__sync_fetch_and_add(&to->bytes, sign * more->bytes);
	__sync_fetch_and_add(&to->blocks, sign * more->blocks);
	if (!more->blocks_variance)
		return;
	__sync_fetch_and_add(&to->bytes_variance, sign * more->bytes_variance);
	__sync_fetch_and_add(&to->blocks_variance, sign * more->blocks_variance);
}

/* Before what is live of @r changes: keeps it, if the last peak is of now. */
static __always_inline void keep_peak(struct wire_alloc_row *r, const struct wire_alloc_whole *w)
{
	const __u64 epoch = w->epoch;

	if (r->epoch == epoch)
		return;
	r->peak = r->live;
	r->epoch = epoch;
}

static __always_inline void add_to_bin(__u32 key, __u64 more)
{
	__u64 *n = bpf_map_lookup_elem(&probe_alloc_bins, &key);

	if (n)
		__sync_fetch_and_add(n, more);
}

/* A block of @value: bytes, or ns. */
static __noinline void count_in(enum wire_alloc_histogram histogram, __u64 value,
				const struct wire_alloc_sum *worth)
{
	const __u32 key = WIRE_ALLOC_BIN(histogram, wire_highest_bit(value | 1));

	add_to_bin(key, worth->blocks);
	add_to_bin(key + 1, worth->bytes);
}

void blocks_grow(const struct wire_alloc_block *block, bool live)
{
	const struct wire_alloc_sum more = wire_alloc_worth(block);
	struct wire_alloc_row *r = row_at(block->row);
	struct wire_alloc_whole *w = whole();
	__u64 now;

	if (!r || !w)
		return;
	add(&r->total, &more, 1);
	count_in(WIRE_ALLOC_SIZES, block->bytes, &more);
	if (!live)
		return;
	keep_peak(r, w);
	add(&r->live, &more, 1);
	now = __sync_fetch_and_add(&w->live_bytes, more.bytes) + more.bytes;
	if (now <= w->peak_bytes)
		return;
	w->peak_bytes = now;
	__sync_fetch_and_add(&w->epoch, 1);
}

void blocks_shrink(const struct wire_alloc_block *block, bool temporary, __u64 now_ns)
{
	const struct wire_alloc_sum less = wire_alloc_worth(block);
	struct wire_alloc_row *r = row_at(block->row);
	struct wire_alloc_whole *w = whole();

	if (!r || !w)
		return;
	keep_peak(r, w);
	add(&r->live, &less, -1);
	__sync_fetch_and_add(&w->live_bytes, -less.bytes);
	if (now_ns)
		count_in(WIRE_ALLOC_LIFETIMES, now_ns - block->time_ns, &less);
	if (temporary)
		add(&r->temporary, &less, 1);
}

__u32 blocks_new_row(void)
{
	struct wire_alloc_whole *w = whole();
	__u32 spare = 0;
	__u64 row;

	if (!bpf_map_pop_elem(&probe_alloc_spare, &spare))
		return spare;
	if (!w || w->rows >= WIRE_ALLOC_ROWS - 1)
		return 0;
	row = __sync_fetch_and_add(&w->rows, 1) + 1;
	return row < WIRE_ALLOC_ROWS ? row : 0;
}

/* Other threads of the process do the same. False: they do so again and again. */
static __always_inline bool widen(__u32 *bound, __u32 row, bool down)
{
	for (int i = 0; i < 16; i++) {
		const __u32 now = *(volatile __u32 *)bound;

		if (down ? now <= row : now >= row)
			return true;
		if (__sync_val_compare_and_swap(bound, now, row) == now)
			return true;
	}
	return false;
}

bool blocks_own(__u32 row)
{
	const __u32 pid = ids_current_process();
	const struct range only = {row, row};
	__u32 *owner = bpf_map_lookup_elem(&probe_alloc_owners, &row);
	struct range *range;

	if (!owner || *owner == pid)
		return owner;
	bpf_map_update_elem(&probe_alloc_ranges, &pid, &only, BPF_NOEXIST);
	range = bpf_map_lookup_elem(&probe_alloc_ranges, &pid);
	if (!range || !widen(&range->first, row, true) || !widen(&range->last, row, false))
		return false;
	*owner = pid;
	return true;
}

/* --- programs that end ------------------------------------------------------------------------ */

struct ending {
	__u32 first, pid;
};

static long end_row(__u32 i, const struct ending *e)
{
	const __u32 row = e->first + i;
	__u32 *owner = bpf_map_lookup_elem(&probe_alloc_owners, &row);
	struct wire_alloc_row *r = row_at(row);
	struct wire_alloc_whole *w = whole();
	struct wire_alloc_sum gone;

	if (!owner || *owner != e->pid || !r || !w)
		return 0;
	*owner = 0;
	keep_peak(r, w);
	gone = r->live;
	add(&r->leaked, &gone, 1);
	add(&r->live, &gone, -1);
	__sync_fetch_and_add(&w->live_bytes, -gone.bytes);
	return 0;
}

/* The blocks of the current process's program are gone, and leaked: at once, or what comes next
 * would make a peak with them. They leave probe_alloc_live with the next sweep. */
static __always_inline void end_program(void)
{
	const __u32 pid = ids_current_process();
	const struct range *range = bpf_map_lookup_elem(&probe_alloc_ranges, &pid);
	struct ending ending = {.pid = pid};
	__u32 n;

	if (!range)
		return;
	ending.first = range->first;
	n = range->last - range->first + 1;
	bpf_map_delete_elem(&probe_alloc_ranges, &pid);
	bpf_loop(n, end_row, &ending, 0);
}

SEC("?tp_btf/sched_process_exit") int probe_alloc_exited(__u64 *args)
{
	if (BPF_CORE_READ(current_task(), signal, live.counter) == 0)
		end_program();
	return 0;
}

SEC("?tp_btf/sched_process_exec") int probe_alloc_exec(__u64 *args)
{
	end_program();
	return 0;
}

static long sweep_one(void *map, struct wire_alloc_key *key, struct wire_alloc_block *block,
		      void *unused)
{
	const __u32 pid = key->pid, *until = bpf_map_lookup_elem(&probe_alloc_ended, &pid);
	const __u64 address = key->address;
	struct wire_alloc_sum leaked;
	struct wire_alloc_row *r;

	if (!until || key->exec >= *until)
		return 0;
	blocks_count(WIRE_ALLOC_GONE);
	/* The others' sums were changed when the program ended. */
	r = block->row ? NULL : row_at(0);
	if (r) {
		leaked = wire_alloc_worth(block);
		add(&r->leaked, &leaked, 1);
		blocks_shrink(block, false, 0);
	}
	if (!bpf_map_delete_elem(map, key))
		note_seen(address, -1);
	return 0;
}

/* Programs have ended: their blocks are not looked for any more. Which program a process runs that
 * goes on, its task says; all is done behind the last of them. */
SEC("?iter/task") int probe_alloc_gone(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;
	__u32 pid, *until;

	if (!task) {
		bpf_for_each_map_elem(&probe_alloc_live, sweep_one, NULL, 0);
		return 0;
	}
	pid = ids_thread(task);
	until = bpf_map_lookup_elem(&probe_alloc_ended, &pid);
	if (until && *until == WIRE_ALLOC_BEFORE_NOW)
		*until = task->self_exec_id;
	return 0;
}
