/* SPDX-License-Identifier: GPL-2.0 */
#include "probe/strand.h"
#include "probe/actions.h"

/* The end of the thread's own stack if @m contains it, else 0. For a process's first thread @m must
 * contain its first stack pointer; for other threads, the thread control block, which libraries
 * keep at the top of the stack. */
static __u64 stack_end(const struct vma *m)
{
	struct task_struct *task = bpf_get_current_task_btf();
	__u64 top;

	if (task->pid != task->tgid) {
		top = task->thread.fsbase;
		return top > m->start && top <= m->end ? top : 0;
	}
	top = BPF_CORE_READ(current_task(), mm, start_stack);
	return top >= m->start && top < m->end ? m->end : 0;
}

/* Coroutines with open calls; a coroutine without open calls is removed. Written and read by
 * programs; the loader counts what is open at the end from the nodes. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, WIRE_PROBE_STRANDS);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, struct probe_strand_key);
	__type(value, struct probe_strand);
} probe_strands SEC(".maps");

/* pid, stack pointer where a strand was left → the strand. LRU: most coroutines end by leaving
 * their stack for good. */
struct parked_at {
	__u64 sp;
	__u32 pid, pad;
};
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, WIRE_PROBE_STRANDS);
	__type(key, struct parked_at);
	__type(value, struct probe_strand_key);
} probe_parked SEC(".maps");

static const struct probe_strand no_strand;

__u64 probe_strand_ids;

static __noinline struct probe_strand *strand_of(struct probe_thread *t,
						 const struct probe_strand_key *key, bool known)
{
	struct probe_strand *s = bpf_map_lookup_elem(&probe_strands, key);

	if (s || known)
		return s;
	bpf_map_update_elem(&probe_strands, key, &no_strand, BPF_NOEXIST);
	s = bpf_map_lookup_elem(&probe_strands, key);
	if (s && !s->thread) {
		s->key = *key;
		s->thread = probe_thread_shared();
	}
	return s;
}

/* Whether @sp is on the thread's own stack. Otherwise t->vma becomes the mapping that contains
 * it. */
static bool look_at(struct probe_thread *t, __u64 sp)
{
	__u64 end;

	if (sp >= t->vma.start && sp < t->vma.end)
		return false;
	if (!vma_find(sp, &t->vma, &t->room))
		t->vma.start = t->vma.end = 0;
	end = stack_end(&t->vma);
	if (sp >= end)
		return false;
	t->low = t->vma.start;
	t->high = end;
	t->vma.start = t->vma.end = 0;
	return true;
}

struct probe_strand *probe_strand_find(struct probe_thread *t, __u64 sp, bool known)
{
	struct probe_strand_key key = {.pid = bpf_get_current_pid_tgid() >> 32,
				       .kind = STRAND_MAPPING};

	if (look_at(t, sp))
		return &t->own;
	if (!(t->flags & WIRE_PROC_FOREIGN))
		return NULL;
	key.id = t->vma.start;
	if (t->on.kind)
		key = t->on;
	return strand_of(t, &key, known);
}

struct go_stack {
	__u64 low, high;
};

struct probe_strand *probe_strand_go(struct probe_thread *t, __u64 g, __u64 sp, bool known,
				     __u64 *position)
{
	struct probe_strand_key key = {
		.id = g, .pid = bpf_get_current_pid_tgid() >> 32, .kind = STRAND_GOROUTINE};
	struct go_stack stack;

	/* The first member of runtime.g. r14 holds the g, except in the runtime's assembler
	 * functions. */
	if (bpf_probe_read_user(&stack, sizeof(stack), (void *)g) || sp < stack.low ||
	    sp >= stack.high)
		return NULL;
	*position = sp - stack.high;
	return strand_of(t, &key, known);
}

/* --- switches ------------------------------------------------------------------------------- */

/* The moment of a switch: wall time, the time of strands, and the other clocks. */
struct moment {
	__u64 ns, clock_ns;
	const __u64 *sums; /* clock_read(), or NULL */
};

static struct moment moment_now(bool jump)
{
	const __u64 *sums = config_zone_clocks & CLOCKS_MORE ? clock_read(jump) : NULL;

	return (struct moment){bpf_ktime_get_ns(), clock_now(), sums};
}

static void park(struct probe_strand *s, const struct moment *now)
{
	if (s->parked_ns)
		return;
	s->parked_ns = now->ns;
	s->ran_ns = probe_strand_time(s, now->clock_ns);
	if (now->sums)
		clock_turn(s, now->sums);
}

static void unpark(struct probe_strand *s, const struct moment *now)
{
	if (!s->parked_ns)
		return;
	s->suspended_ns += now->ns - s->parked_ns;
	s->parked_ns = 0;
	s->since_ns = now->clock_ns;
	if (now->sums)
		clock_turn(s, now->sums);
}

static __noinline void leave_own(struct probe_thread *t, const struct moment *now)
{
	struct wire_probe_thread *info = probe_thread_info(t->own.thread);

	park(&t->own, now);
	if (info && t->main_ns)
		info->main_ns += now->ns - t->main_ns;
	if (info)
		info->stays++;
	t->main_ns = 0;
}

static __noinline void enter_own(struct probe_thread *t, const struct moment *now)
{
	t->on.kind = STRAND_OWN;
	t->main_ns = now->ns;
	unpark(&t->own, now);
}

static void forget(const struct probe_strand_key *key)
{
	bpf_map_delete_elem(&probe_strands, key);
	if (config_zone_clocks & CLOCKS_MORE)
		clock_forget(key);
}

/* Forgets a strand; all its calls are dead. */
static void drop_strand(const struct probe_strand_key *key)
{
	struct probe_strand *s = bpf_map_lookup_elem(&probe_strands, key);

	if (!s)
		return;
	probe_drop_dead(s, ~0ull, true);
	forget(key);
}

/* Forgets a strand @s, or NULL, without open calls. True: its events are still to be those of one
 * strand when it runs again. */
static __always_inline bool park_idle(const struct probe_thread *t, const struct probe_strand *s,
				      const struct probe_strand_key *key)
{
	if (s)
		forget(key);
	return config_actions >> WIRE_ACTION_event & 1 && (s || t->on.kind);
}

static __noinline void park_foreign(struct probe_thread *t, __u64 sp, const struct moment *now)
{
	struct probe_strand_key key = {.pid = bpf_get_current_pid_tgid() >> 32,
				       .kind = STRAND_MAPPING};
	struct parked_at at = {.sp = sp, .pid = key.pid};
	struct probe_strand_key *old;
	struct probe_strand *s;

	key.id = t->vma.start;
	if (t->on.kind)
		key = t->on;
	s = bpf_map_lookup_elem(&probe_strands, &key);
	if (s && s->depth)
		park(s, now);
	else if (!park_idle(t, s, &key))
		return;
	/* A strand that was left at the same place is gone: this one has replaced it. */
	old = bpf_map_lookup_elem(&probe_parked, &at);
	if (old && old->id != key.id)
		drop_strand(old);
	bpf_map_update_elem(&probe_parked, &at, &key, BPF_ANY);
}

void probe_switch_from(struct probe_thread *t, __u64 sp)
{
	struct moment now = moment_now(false);

	if (t->jump_ns)
		probe_jump_to(t, sp);
	if (!is_own(t, sp) && !look_at(t, sp))
		park_foreign(t, sp, &now);
	else
		leave_own(t, &now);
}

static __noinline void enter_foreign(struct probe_thread *t, __u64 sp, const struct moment *now)
{
	struct parked_at at = {.sp = sp, .pid = bpf_get_current_pid_tgid() >> 32};
	struct probe_strand_key *parked = bpf_map_lookup_elem(&probe_parked, &at);
	struct probe_strand *s;

	if (parked) {
		t->on = *parked;
		bpf_map_delete_elem(&probe_parked, &at);
	} else {
		t->on = (struct probe_strand_key){.id = 1 +
							__sync_fetch_and_add(&probe_strand_ids, 1),
						  .pid = at.pid,
						  .kind = STRAND_SWITCHED};
	}
	s = bpf_map_lookup_elem(&probe_strands, &t->on);
	if (s)
		unpark(s, now);
}

void probe_switch_to(struct probe_thread *t, __u64 sp, __u32 flags)
{
	struct moment now = moment_now(false);

	if (flags & WIRE_PROBE_JUMP)
		sp -= 8;
	if (!is_own(t, sp) && !look_at(t, sp))
		enter_foreign(t, sp, &now);
	else
		enter_own(t, &now);
}

void probe_jump_from(struct probe_thread *t, __u64 sp)
{
	struct moment now = moment_now(true);

	if (t->jump_ns)
		probe_jump_to(t, sp);
	t->jump_id = is_own(t, sp) || look_at(t, sp) ? 0 : t->vma.start;
	t->jump_clock_ns = now.clock_ns;
	t->jump_ns = now.ns;
}

/* The strand on the stack in the mapping at @id; NULL: it has no open call. */
static struct probe_strand *strand_in(__u64 id)
{
	struct probe_strand_key key = {
		.id = id, .pid = bpf_get_current_pid_tgid() >> 32, .kind = STRAND_MAPPING};

	return bpf_map_lookup_elem(&probe_strands, &key);
}

void probe_jump_to(struct probe_thread *t, __u64 sp)
{
	const __u64 *sums = config_zone_clocks & CLOCKS_MORE ? clock_at_jump() : NULL;
	struct moment then = {t->jump_ns, t->jump_clock_ns, sums};
	__u64 from = t->jump_id, to;
	struct probe_strand *s;

	t->jump_ns = 0;
	to = is_own(t, sp) || look_at(t, sp) ? 0 : t->vma.start;
	if (from == to)
		return;
	s = from ? strand_in(from) : NULL;
	if (s)
		park(s, &then);
	if (!from)
		leave_own(t, &then);
	s = to ? strand_in(to) : NULL;
	if (s)
		unpark(s, &then);
	if (!to)
		enter_own(t, &then);
}

/* The context of probe_drop_dead()'s loop. */
struct drop {
	struct probe_strand *strand;
	__u64 sp;
	bool same;
};

static long drop_one(__u32 i, struct drop *drop)
{
	struct probe_strand *s = drop->strand;
	struct probe_call *top = probe_top(s);

	if (!top || top->sp > drop->sp || (top->sp == drop->sp && !drop->same))
		return 1;
	s->depth--;
	probe_drops(s, top);
	return 0;
}

void probe_drop_dead(struct probe_strand *s, __u64 sp, bool same)
{
	struct drop drop = {s, sp, same};

	bpf_loop(WIRE_PROBE_DEPTH, drop_one, &drop, 0);
}

/* Whether the return address at @sp is hijacked already: the call then replaced, by a jump, one
 * that is still open. */
static bool is_hijacked(__u64 sp)
{
	__u64 address = 0;

	if (bpf_probe_read_user(&address, sizeof(address), (void *)sp))
		return false;
	return address &&
	       address == BPF_CORE_READ(current_task(), mm, uprobes_state.xol_area, vaddr);
}

void probe_drop_replaced(struct probe_strand *s, __u64 sp)
{
	struct probe_call *top = probe_top(s);

	if (top && top->sp == sp && !(top->flags & PROBE_HIJACKED && is_hijacked(sp)))
		probe_drop_dead(s, sp, true);
}

/* The context of probe_strands_end()'s loop. */
struct ending {
	__u32 thread;
};

static long end_one(void *map, const struct probe_strand_key *key, struct probe_strand *s,
		    struct ending *ending)
{
	if (s->thread == ending->thread)
		forget(key);
	return 0;
}

void probe_strands_end(__u32 thread)
{
	struct ending ending = {thread};

	bpf_for_each_map_elem(&probe_strands, end_one, &ending, 0);
}
