/* SPDX-License-Identifier: GPL-2.0 */
/*
 * offcpu_ahead: stacks of waits for kernels that let no program run in a thread's context after the
 * switch back to it. There a stack can only be taken as the thread leaves its CPU, when nothing is
 * known yet of the wait, and to take all of them would cost ten times what the accounts cost. So
 * waits are drawn at random. One that was drawn is a sample when it is over: it stands for itself
 * and for those like it that were not drawn since the last one that was. Like it are those at the
 * same place (the same process, system call, first argument and stack depth) whose length is in the
 * same octave, and which ended on the same CPU.
 *
 * So each wait is in one sample, at its own length, and no sample stands for more than what was
 * there: where a wait drawn with probability 1/n counts as n such waits, one that is far longer
 * than usual would count as more than the capture, once in a while. The sums are exact but for the
 * waits of each kind behind the last one that was drawn, which is told (WIRE_OFF_PASSED_NS). As the
 * draw does not look at stacks, each has its share of the waits of a kind in the mean. Stacks share
 * their time by the number of waits; so where different ones meet at a place, they are told apart
 * by length up to an octave. Waits for a CPU, which begin anywhere, have one place for each thread
 * name of a process.
 *
 * One of how many waits is drawn, is foretold from those before it at the place: each where they
 * last a period or more, one of n where n of them last a period. The forecast is the root of the
 * mean square, which for a given number of stacks makes the error least (Neyman, 1934): places with
 * rare long waits are drawn more often. Since what is
 * behind the last one that was drawn has no stack, 2 to the power of BITS_MORE times as many are
 * drawn as foretold, as long as walks take less than BUDGET_NS of a CPU in a window; where they
 * take more, fewer are, down to the forecast.
 *
 * A wait is accounted for when the thread leaves its CPU again: see settle().
 */
#include "source/offcpu.h"

/* Of lengths: below a period / 2^SHORTEST, below twice that, …; the last one has no end. */
#define OCTAVES	 17
#define SHORTEST 10

/* What waits at a place were like. All 0 is one that nobody has. */
struct place {
	__u64 key;		  /* which place it is */
	__u64 used_ns;		  /* when a wait there was over last */
	__u64 square;		  /* mean of lengths' squares, in units of (period / UNITS)² */
	__u64 waits;		  /* which it is the mean of */
	__u64 passed_ns[OCTAVES]; /* of those that were not drawn, since the last one that was */
};

/* A power of two: that many units are a period. */
#define UNIT_BITS 16
#define UNITS	  (1 << UNIT_BITS)
/* Waits of more than so many periods are taken for as long as that. */
#define MOST_PERIODS 4
/* The mean is that of so many waits, roughly: enough to remember that a place has rare long ones.
 */
#define MEMORY 1024

/* A place is in one of the WAYS of its set, which its key chooses. A new one takes over that which
 * was not used for longest: its forecast, until it has WAITS_KNOWN of its own, but not what passed
 * there, since no sample may stand for another place's waits. Written and read by the programs at
 * switches of each CPU, for the waits that end and begin there. 168 KiB a CPU. */
#define SETS	    256
#define WAYS	    4
#define WAITS_KNOWN 8
struct place_set {
	struct place ways[WAYS];
};
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, SETS);
	__type(key, __u32);
	__type(value, struct place_set);
} offcpu_ahead_places SEC(".maps");

#define WINDOW_NS 100000000ull
#define BUDGET_NS (WINDOW_NS / 100)
#define BITS_MORE 3

/* What walks take of a CPU. All 0 is a valid start. */
struct budget {
	__u64 window_ns; /* when the window began */
	__u64 spent_ns;	 /* in it */
	__u32 bits;	 /* how much of BITS_MORE is not to be spent */
};

/* 0 → of the CPU. Written and read by the program at switches. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct budget);
} offcpu_ahead_budget SEC(".maps");

static __always_inline __u64 mix(__u64 hash, __u64 word)
{
	return (hash ^ word ^ hash >> 29) * 0x9e3779b97f4a7c15ull;
}

/* The key of the place where the task leaves its CPU; never 0. The stack depth is that within a
 * page: threads of one kind begin at the same one. */
static __always_inline __u64 key_of(struct task_struct *task, const struct offcpu_thread *t)
{
	const __u64 first = mix(task->tgid, t->state != 0);
	const __u64 *name = (const __u64 *)task->comm;
	struct pt_regs___kernel *saved;

	if (!t->state)
		return mix(mix(first, name[0]), name[1]) | 1;
	if (!BPF_CORE_READ(task, mm))
		return mix(first, task->pid) | 1;
	saved = (void *)bpf_task_pt_regs(bpf_get_current_task_btf());
	return mix(mix(mix(mix(first, saved->ip), saved->orig_ax), saved->di), saved->sp & 0xfff) |
	       1;
}

/* The place with that key on this CPU, or the one that it is to take over. NULL never comes, but
 * the verifier asks. */
static __always_inline struct place *place_of(__u64 key)
{
	const __u32 at = key >> 32 & (SETS - 1);
	struct place_set *set = bpf_map_lookup_elem(&offcpu_ahead_places, &at);
	__u32 oldest = 0;

	if (!set)
		return NULL;
	for (__u32 i = 0; i < WAYS; i++) {
		if (set->ways[i].key == key)
			return &set->ways[i];
		if (set->ways[i].used_ns < set->ways[oldest & (WAYS - 1)].used_ns)
			oldest = i;
	}
	return &set->ways[oldest & (WAYS - 1)];
}

/* What passed there is behind the last one that was drawn, for good. */
static __always_inline void take_over(struct place *place, __u64 key)
{
	place->key = key;
	if (place->waits > WAITS_KNOWN)
		place->waits = WAITS_KNOWN;
	__builtin_memset(place->passed_ns, 0, sizeof(place->passed_ns));
}

/* One of how many waits at the place is to be drawn, by the forecast: so many last a period or
 * more, and half as many do not. As a power of two. */
static __always_inline __u32 rarity_bits(const struct place *place)
{
	__u32 bits = 0;

	if (!place->waits)
		return 0;
	while (bits < UNIT_BITS && place->square << 2 * bits < 1ull << 2 * UNIT_BITS)
		bits++;
	return bits;
}

/* Begins a window where one is over; what it may spend follows from what the last one spent. */
static __always_inline void roll(struct budget *b, __u64 now_ns)
{
	if (now_ns - b->window_ns < WINDOW_NS)
		return;
	if (b->spent_ns < BUDGET_NS / 4 && b->bits)
		b->bits--;
	b->window_ns = now_ns;
	b->spent_ns = 0;
}

static __always_inline void spend(struct budget *b, __u64 walk_ns)
{
	b->spent_ns += walk_ns;
	if (b->spent_ns < BUDGET_NS || b->bits >= BITS_MORE)
		return;
	b->bits++;
	b->spent_ns = BUDGET_NS / 2;
}

static __always_inline __u32 one_of(const struct place *place, const struct budget *b)
{
	const __u32 bits = rarity_bits(place) + b->bits;

	return control(WIRE_OFF_MIN_NS) || bits < BITS_MORE ? 1 : 1u << (bits - BITS_MORE);
}

bool offcpu_ahead_draw(struct task_struct *task, struct offcpu_thread *t)
{
	const __u64 key = key_of(task, t);
	const struct place *place = place_of(key);
	const __u32 zero = 0;
	struct budget *budget = bpf_map_lookup_elem(&offcpu_ahead_budget, &zero);

	t->draw.one_of = 0;
	if (!place || !budget)
		return false;
	roll(budget, t->out_ns);
	t->draw.key = key;
	t->draw.one_of = one_of(place, budget);
	return !(bpf_get_prandom_u32() & (t->draw.one_of - 1));
}

__u64 offcpu_ahead_walked(const struct offcpu_thread *t)
{
	const __u64 walk_ns = bpf_ktime_get_ns() - t->out_ns;
	const __u32 zero = 0;
	struct budget *budget = bpf_map_lookup_elem(&offcpu_ahead_budget, &zero);

	if (budget)
		spend(budget, walk_ns);
	add(WIRE_OFF_RUN_NS, walk_ns);
	return walk_ns;
}

/* Makes the next forecast. */
static __always_inline void learn(struct place *place, __u64 off_ns)
{
	const __u64 unit_ns = control(WIRE_OFF_PERIOD_NS) >> UNIT_BITS ?: 1;
	__u64 units = off_ns / unit_ns;

	if (units > MOST_PERIODS * UNITS)
		units = MOST_PERIODS * UNITS;
	if (place->waits < MEMORY)
		place->waits++;
	place->square = (place->square * (place->waits - 1) + units * units) / place->waits;
}

static __always_inline __u32 octave(__u64 off_ns)
{
	__u64 most_ns = control(WIRE_OFF_PERIOD_NS) >> SHORTEST ?: 1;
	__u32 n = 0;

	for (; n < OCTAVES - 1 && off_ns >= most_ns; most_ns *= 2)
		n++;
	return n;
}

/* What the wait is a sample of; 0: it was not drawn. */
static __always_inline __u64 weight_of(const struct offcpu_thread *t, struct place *place,
				       __u64 off_ns)
{
	__u64 *passed_ns = &place->passed_ns[octave(off_ns)], before_ns = *passed_ns;

	if (!t->draw.left_ns) {
		*passed_ns += off_ns;
		add_atomic(WIRE_OFF_PASSED_NS, off_ns);
		return 0;
	}
	*passed_ns = 0;
	add_atomic(WIRE_OFF_PASSED_NS, -before_ns);
	return before_ns + off_ns;
}

static void send_back(struct task_struct *task, const struct offcpu_thread *t, const struct wait *w,
		      __u64 until_ns, __u64 weight)
{
	struct wire_offcpu record;

	offcpu_describe(&record, t, w, until_ns, weight);
	record.news = WIRE_OFF_BACK;
	record.sample.pid = ids_process(task);
	record.sample.tid = ids_thread(task);
	record.sample.user_hash = t->draw.left_ns;
	record.sample.kernel_hash = task->pid;
	count(record.sample.event, WIRE_TAKEN, 1);
	count(record.sample.event, send(&record, sizeof(record)) ? WIRE_KEPT : WIRE_LOST_RING, 1);
	if (t->state && !t->woken_ns && w->runnable_ns < w->off_ns)
		add_atomic(WIRE_OFF_WAKE_UNSEEN, 1);
}

void offcpu_ahead_end(struct task_struct *task, struct offcpu_thread *t, const struct wait *w,
		      __u64 until_ns)
{
	const __u64 min_ns = control(WIRE_OFF_MIN_NS), all_ns = t->cut.wait_ns + w->off_ns;
	struct place *place;
	__u64 weight;

	if (!w->off_ns || all_ns < min_ns)
		return;
	if (!t->draw.one_of) {
		/* It began before the capture. */
		add_atomic(WIRE_OFF_PASSED_NS, w->off_ns);
		return;
	}
	place = place_of(t->draw.key);
	if (!place)
		return;
	if (place->key != t->draw.key)
		take_over(place, t->draw.key);
	place->used_ns = until_ns;
	learn(place, all_ns);
	weight = weight_of(t, place, w->off_ns);
	if (weight)
		send_back(task, t, w, until_ns, weight);
	t->draw.left_ns = 0;
}
