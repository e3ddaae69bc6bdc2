/* SPDX-License-Identifier: GPL-2.0 */
/*
 * faults: which memory page faults add to the target's processes, and why it goes away again. The
 * kernel reports each change of a process's memory once it is counted (rss_stat), but not by how
 * much: that is the difference to the count after the change before. Some of the additions are
 * samples with stacks.
 *
 * A count is in two parts (struct percpu_counter): a CPU adds to its own part, and when that
 * reaches a bound, moves it to the common one. As each change is reported on the CPU that made it,
 * the CPU's own part tells what it added; only when that was moved, the common part is needed, to
 * which other CPUs may have moved theirs.
 *
 * An addition of n pages is a sample with the probability n/N, and then stands for N pages in all;
 * one of more than N always is. N follows from how fast pages came before, so sums are right
 * whatever it is.
 */
#include "in_target.h"
#include "sample/sample.h"
#include "sample/scratch.h"
#include "shared.h"
#include "source/rss.h"
#include "source/source_maps.h"
#include "wire_faults.h"

#define STREAM WIRE_STREAM_faults

#define PF_EXITING 0x4

/* Of an error code of page faults: there was a page. */
#define FAULT_PRESENT 0x1

/* Pages of a huge page. */
#define HUGE 512
/* Most that a fault of a file maps: fault_around_bytes. */
#define AROUND 16

/* The memory of a process as the CPU last saw it. */
struct faults_memory {
	__u64 id;		     /* of the struct mm_struct; 0: none yet */
	__u64 newest;		     /* the highest id that was here */
	__u64 own_at[WIRE_MEMORIES]; /* addresses of the CPU's own parts */
	__s32 own[WIRE_MEMORIES];
	__s32 usual[WIRE_MEMORIES]; /* pages of the last addition whose number was certain */
	__s64 common;		    /* the common part of anonymous memory */
	__u64 careful;		    /* faults to come that may add several pages to it */
};

/* By the low bits of the id, for each CPU: written and read by faults_grew() alone, which the
 * kernel runs without preemption. The size: processes of which a CPU runs several within a moment.
 */
#define FAULTS_MEMORIES 64
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, FAULTS_MEMORIES);
	__type(key, __u32);
	__type(value, struct faults_memory);
} faults_memories SEC(".maps");

/* The common parts of the counts, by id, after the last change that moved something there. Written
 * and read by faults_grew(). The size: processes of which one would be forgotten only after so many
 * others; then pages are assumed once. */
struct faults_common {
	__s64 is[WIRE_MEMORIES];
};
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 8192);
	__type(key, __u64);
	__type(value, struct faults_common);
} faults_commons SEC(".maps");

/* How fast the target adds to its memory on this CPU; as above. */
struct faults_rate {
	__u64 step;   /* N; 0: not known yet */
	__u64 ran_ns; /* of the thread of the last addition: its CPU time then */
	__u64 sum_ns; /* CPU time between additions, … */
	__u64 pages;  /* … of so many pages, … */
	__u32 n;      /* … and so many, since N was chosen */
	__u32 thread;
	__u64 random;
};
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct faults_rate);
} faults_rates SEC(".maps");

/* By enum wire_faults_control and wire_faults_counter. */
SOURCE_MAPS(faults, WIRE_FAULTS_CONTROLS, WIRE_FAULTS_COUNTERS)
SOURCE_LAUNCHER(faults, WIRE_FAULTS_LAUNCHER)

SCRATCH_MAP(faults_scratch, struct wire_fault)

/* --- counts -------------------------------------------------------------------------------- */

/* The offset of this CPU. */
static __always_inline __u64 cpu_offset(void)
{
	const __u32 zero = 0;

	return rss_number(bpf_map_lookup_elem(&faults_rates, &zero)) - rss_base(&faults_rates);
}

static __always_inline __s64 common_of(const struct mm_struct *mm, __u32 memory)
{
	switch (memory) {
	case WIRE_MEMORY_FILE:
		return mm->rss_stat[WIRE_MEMORY_FILE].count;
	case WIRE_MEMORY_ANONYMOUS:
		return mm->rss_stat[WIRE_MEMORY_ANONYMOUS].count;
	case WIRE_MEMORY_SWAP:
		return mm->rss_stat[WIRE_MEMORY_SWAP].count;
	}
	return mm->rss_stat[WIRE_MEMORY_SHARED].count;
}

static __always_inline __s32 own_of(const struct faults_memory *m, __u32 memory)
{
	__s32 own = 0;

	bpf_probe_read_kernel(&own, sizeof(own), (void *)m->own_at[memory]);
	return own;
}

/* Begins to follow a process's memory on this CPU; one that is new had nothing here. */
static __always_inline void begin(struct faults_memory *m, const struct mm_struct *mm, __u64 id,
				  bool is_new)
{
	const __u64 offset = cpu_offset();
	struct faults_common common = {0};

	m->id = id;
	m->newest = id > m->newest ? id : m->newest;
	m->own_at[0] = offset + (__u64)mm->rss_stat[0].counters;
	m->own_at[1] = offset + (__u64)mm->rss_stat[1].counters;
	m->own_at[2] = offset + (__u64)mm->rss_stat[2].counters;
	m->own_at[3] = offset + (__u64)mm->rss_stat[3].counters;
	for (__u32 i = 0; i < WIRE_MEMORIES; i++) {
		m->own[i] = is_new ? 0 : own_of(m, i);
		common.is[i] = is_new ? 0 : common_of(mm, i);
		m->usual[i] = 1;
	}
	m->common = common.is[WIRE_MEMORY_ANONYMOUS];
	m->careful = 0;
	bpf_map_update_elem(&faults_commons, &id, &common, BPF_NOEXIST);
}

/* What happened to a count. */
struct change {
	__s64 pages;
	bool certain; /* else assumed */
};

/* Whether a fault can have added so many pages. */
static __always_inline bool is_fault(__s64 pages)
{
	return pages > 0 && (pages <= AROUND || (pages >= HUGE && !(pages % HUGE)));
}

/* The CPU's own part is 0: adds to @c what it may have moved. If that is more than a fault adds,
 * another CPU moved something at the same time, and is left to be seen. */
static __always_inline void add_moved(struct faults_memory *m, const struct mm_struct *mm,
				      __u32 memory, bool grows, struct change *c)
{
	struct faults_common *common = bpf_map_lookup_elem(&faults_commons, &m->id);
	const __s64 now = common_of(mm, memory);
	__s64 whole;

	c->certain = common != NULL;
	if (!common)
		return;
	whole = c->pages + now - common->is[memory];
	c->certain = !grows || is_fault(whole);
	c->pages = c->certain ? whole : m->usual[memory];
	common->is[memory] = now - (whole - c->pages);
}

/* Once a fault has added several pages, so many are looked at one by one. */
#define CAREFUL 256

/* What a fault adds to anonymous memory is a page, or a huge one, which moves the CPU's own part.
 * So that is not read, which takes longer than all else here, while nothing is moved. That faults
 * add several pages (folios of other sizes) shows when something is. */
static __always_inline bool is_page(struct faults_memory *m, const struct mm_struct *mm)
{
	const __s64 common = mm->rss_stat[WIRE_MEMORY_ANONYMOUS].count;
	const bool moved = common != m->common;

	m->common = common;
	if (m->careful)
		m->careful--;
	return !moved && !m->careful;
}

/* @grows: it is a fault, which adds. */
static __always_inline struct change see(struct faults_memory *m, const struct mm_struct *mm,
					 __u32 memory, bool grows)
{
	struct change c = {.pages = 1, .certain = true};
	__s32 own;

	if (grows && memory == WIRE_MEMORY_ANONYMOUS && is_page(m, mm)) {
		m->own[memory]++;
		return c;
	}
	own = own_of(m, memory);
	c.pages = own - m->own[memory];
	m->own[memory] = own;
	if (!own)
		add_moved(m, mm, memory, grows, &c);
	if (c.certain && c.pages > 0 && c.pages <= AROUND)
		m->usual[memory] = c.pages;
	if (grows && memory == WIRE_MEMORY_ANONYMOUS && c.pages != 1)
		m->careful = CAREFUL;
	return c;
}

/* --- causes -------------------------------------------------------------------------------- */

/* The system call that the thread is in; WIRE_FAULT_USER: it is in user code. */
static __always_inline __u32 call_of(struct task_struct *task)
{
	const struct pt_regs___kernel *regs = (void *)bpf_task_pt_regs(task);
	const __s64 call = (__s64)regs->orig_ax;

	return call < 0 ? WIRE_FAULT_USER : (__u32)call;
}

/* Numbers of system calls: arch/x86/entry/syscalls/syscall_64.tbl */
static __always_inline bool is_exec(__u32 call)
{
	return call == 59 || call == 322;
}

static __always_inline bool is_fork(__u32 call)
{
	return (call >= 56 && call <= 58) || call == 435;
}

static __always_inline __u32 shrinks(__u32 call)
{
	switch (call) {
	case WIRE_FAULT_USER:
		return WIRE_SHRANK_REPLACED;
	case 11:
		return WIRE_SHRANK_MUNMAP;
	case 28:
		return WIRE_SHRANK_MADVISE;
	case 12:
		return WIRE_SHRANK_BRK;
	}
	return WIRE_SHRANK_CALL;
}

/* Why the memory of the current task, or of another one (@foreign), changes. */
static __always_inline __u32 cause_of(struct task_struct *task, bool foreign, __u32 call, bool grew)
{
	if (task->flags & PF_EXITING)
		return WIRE_SHRANK_EXIT;
	if (foreign && is_exec(call))
		return grew ? WIRE_GREW_EXEC : WIRE_SHRANK_EXEC;
	if (foreign)
		return !grew ? WIRE_SHRANK_TAKEN : is_fork(call) ? WIRE_GREW_FORK : WIRE_GREW_OTHER;
	if (grew)
		return call == WIRE_FAULT_USER ? WIRE_GREW_FAULT : WIRE_GREW_CALL;
	return shrinks(call);
}

/* The first change that the CPU sees of a process's memory: it knows what that was only if the
 * process is new. */
static __always_inline struct change first(struct faults_memory *m, const struct mm_struct *mm,
					   __u64 id, __u32 memory, bool grows, bool unmaps)
{
	const bool is_new = id > m->newest && id > control(WIRE_FAULTS_KNOWN);
	struct change c = {.pages = !unmaps};

	begin(m, mm, id, is_new);
	return is_new ? see(m, mm, memory, grows) : c;
}

/* --- samples ------------------------------------------------------------------------------- */

/* N is chosen again after so much CPU time between additions; the scheduler's account of it lags by
 * up to a tick. */
#define STEP_NS 3000000
/* N at first. */
#define FIRST_STEP 128

/* Of CPU time, in 1/1024: what programs and stacks may take together; and what stacks may take
 * where the programs alone take that. */
#define BUDGET	     16
#define BUDGET_LEAST 3
/* What the program takes at each addition, besides stacks. */
#define PROGRAM_NS 100

static __always_inline __u64 fitting(const struct faults_rate *r)
{
	const __u64 budget_ns = r->sum_ns / 1024 * BUDGET,
		    least_ns = r->sum_ns / 1024 * BUDGET_LEAST,
		    programs_ns = (__u64)r->n * PROGRAM_NS;
	const __u64 stacks_ns =
		budget_ns > programs_ns + least_ns ? budget_ns - programs_ns : least_ns;

	const __u64 step = control(WIRE_FAULTS_SAMPLE_TAKES_NS) * r->pages / (stacks_ns ?: 1) ?: 1;

	/* Little by little: what had a large N shows in a few samples alone, which those of a much
	 * smaller one would outvote. */
	return step < r->step / 2 ? r->step / 2 : step;
}

/* N for this addition. */
static __always_inline __u64 step_of(struct faults_rate *r, struct task_struct *task, __u64 pages)
{
	const __u64 ran_ns = task->se.sum_exec_runtime, least = control(WIRE_FAULTS_LEAST);

	if (r->thread == (__u32)task->pid) {
		r->sum_ns += ran_ns - r->ran_ns;
		r->pages += pages;
		r->n++;
	}
	r->thread = task->pid;
	r->ran_ns = ran_ns;
	if (r->sum_ns > STEP_NS) {
		r->step = r->step ?: FIRST_STEP;
		r->step = fitting(r);
		r->sum_ns = r->pages = r->n = 0;
	}
	return r->step > least ? r->step : least ?: FIRST_STEP;
}

/* Marsaglia, Xorshift RNGs, Journal of Statistical Software 8 (14), 2003; and times a constant, as
 * Vigna, An experimental exploration of Marsaglia's xorshift generators, 2014, does. */
static __always_inline __u32 random_of(struct faults_rate *r)
{
	__u64 x = r->random ?: (__u64)bpf_get_prandom_u32() << 1 | 1;

	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	r->random = x;
	return x * 0x2545f4914f6cdd1dull >> 32;
}

/* For how many such additions it stands, if it becomes a sample; else 0. Not inlined: the stack of
 * the programs that take samples has no room for it before Linux 6.13. */
static __noinline __u64 draw(struct task_struct *task, __u64 pages)
{
	const __u32 zero = 0;
	struct faults_rate *r = bpf_map_lookup_elem(&faults_rates, &zero);
	__u64 weight;

	if (!r)
		return 0;
	weight = step_of(r, task, pages) / pages ?: 1;
	return (__u64)random_of(r) * weight >> 32 ? 0 : weight;
}

/* What there is at an address. Shared memory is a file, too. */
static __always_inline __u32 memory_at(__u64 address, struct walk *walk)
{
	return vma_find(address, &walk->stack, &walk->room) && walk->stack.has_file
		       ? WIRE_MEMORY_FILE
		       : WIRE_MEMORY_ANONYMOUS;
}

/* @address: if the kind of memory there is not known. */
static __always_inline void sample(const struct change *c, __u64 address, __u32 memory, __u32 call,
				   __u64 weight)
{
	const __u64 now_ns = bpf_ktime_get_ns();
	struct scratch *s = begin_sample(WIRE_FAULTS, STREAM, now_ns, weight);

	if (!s)
		return;
	s->sample.pages = c->pages;
	s->sample.memory = memory < WIRE_MEMORIES ? memory : memory_at(address, &s->walk);
	s->sample.call = call;
	s->sample.assumed = !c->certain;
	end_sample(NULL, NULL, s);
	add(WIRE_FAULTS_SAMPLE_NS, bpf_ktime_get_ns() - now_ns);
}

static __always_inline void tell(struct task_struct *task, bool foreign, const struct change *c,
				 __u32 memory, __u32 call)
{
	const __u32 cause = cause_of(task, foreign, call, c->pages > 0);
	__u64 weight;

	add(WIRE_FAULTS_PAGES_OF(cause, memory), c->pages);
	if ((cause != WIRE_GREW_FAULT && cause != WIRE_GREW_CALL) || memory == WIRE_MEMORY_SWAP)
		return;
	add(c->certain ? WIRE_FAULTS_MEASURED : WIRE_FAULTS_ASSUMED, 1);
	weight = draw(task, c->pages);
	if (weight)
		sample(c, 0, memory, call, weight);
}

/* Whether changes of the memory are the target's: the caller makes or unmakes it. */
static __always_inline bool is_followed(void)
{
	return in_target() && !is_current_loader() && !is_launcher();
}

/* Runs in the process, which has its new program. What its thread did before does not count. */
SEC("?tp_btf/sched_process_exec")
int faults_exec(__u64 *args)
{
	struct task_struct *task = bpf_get_current_task_btf();

	if (end_launcher()) {
		add(WIRE_FAULTS_MINOR, -task->min_flt);
		add(WIRE_FAULTS_MAJOR, -task->maj_flt);
	}
	return 0;
}

SEC("?tp_btf/sched_process_exit")
int faults_exit(__u64 *args)
{
	struct task_struct *task = bpf_get_current_task_btf();

	if (!control(WIRE_FAULTS_ON) || !is_followed())
		return 0;
	add(WIRE_FAULTS_MINOR, task->min_flt);
	add(WIRE_FAULTS_MAJOR, task->maj_flt);
	return 0;
}

/* What faults_grew() does, on kernels before Linux 6.2, which do not report what a fault adds: a
 * page is assumed where there was none. */
static __always_inline int assume(__u64 address, __u64 error, __u32 call)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct change c = {.pages = 1};
	__u64 weight;

	if (error & FAULT_PRESENT || (__s64)address < 0 || !control(WIRE_FAULTS_ON) ||
	    !is_followed())
		return 0;
	add(WIRE_FAULTS_PAGES_OF(WIRE_GREW_FAULT, WIRE_MEMORY_ANONYMOUS), 1);
	add(WIRE_FAULTS_ASSUMED, 1);
	weight = draw(task, 1);
	if (weight)
		sample(&c, address, WIRE_MEMORIES, call, weight);
	return 0;
}

SEC("?tp_btf/page_fault_user")
int faults_user(__u64 *args)
{
	return assume(args[0], args[2], WIRE_FAULT_USER);
}

SEC("?tp_btf/page_fault_kernel")
int faults_kernel(__u64 *args)
{
	return assume(args[0], args[2], call_of(bpf_get_current_task_btf()));
}

/* Runs in who changes the memory, mostly its own. */
SEC("?tp_btf/rss_stat")
int faults_grew(__u64 *args)
{
	const struct mm_struct *mm = (void *)args[0];
	struct task_struct *task = bpf_get_current_task_btf();
	const __u64 id = mm->context.ctx_id;
	const __u32 memory = (__u32)args[1] % WIRE_MEMORIES, slot = id % FAULTS_MEMORIES;
	struct faults_memory *m = bpf_map_lookup_elem(&faults_memories, &slot);
	const bool foreign = task->mm != mm;
	struct change c;
	bool faults;
	__u32 call;

	if (!m || !control(WIRE_FAULTS_ON) || (m->id != id && !is_followed()))
		return 0;
	call = call_of(task);
	faults = !foreign && call == WIRE_FAULT_USER;
	if (m->id == id)
		c = see(m, mm, memory, faults);
	else
		c = first(m, mm, id, memory, faults,
			  foreign || (!faults && shrinks(call) != WIRE_SHRANK_CALL));
	/* Threads of a process share its memory, and of them not all may be the target's. */
	if (config_target == WIRE_FILTER_TIDS && !is_followed())
		return 0;
	if (c.pages)
		tell(task, foreign, &c, memory, call);
	return 0;
}

/* Run by the loader at the start, at the ends of windows and at the end, over all threads. At the
 * start it notes which processes are not new. */
SEC("?iter/task")
int faults_now(struct bpf_iter__task *ctx)
{
	const __u32 what = WIRE_FAULTS_KNOWN;
	struct task_struct *task = ctx->task;
	__u64 *known = bpf_map_lookup_elem(&faults_control, &what), id;
	__s64 pages[WIRE_MEMORIES] = {0};

	if (!task || !task->mm || !known)
		return 0;
	id = task->mm->context.ctx_id;
	if (!control(WIRE_FAULTS_ON))
		*known = id > *known ? id : *known;
	if (!in_target_task(task) || is_loader(task) || task->exit_state ||
	    (control(WIRE_FAULTS_LAUNCHER) && ids_process(task) == control(WIRE_FAULTS_LAUNCHER)))
		return 0;
	add(WIRE_FAULTS_NOW_MINOR, task->min_flt);
	add(WIRE_FAULTS_NOW_MAJOR, task->maj_flt);
	rss_of(task, &faults_rates, pages);
	for (__u32 i = 0; i < WIRE_MEMORIES; i++)
		add(WIRE_FAULTS_NOW_PAGES + i, pages[i]);
	return 0;
}
