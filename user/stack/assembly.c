#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "process/procfs.h"
#include "stack/assembly.h"
#include "stack/own_frames.h"

#define PROBE_MARK "[eprof probe]"
/* The entry into the kernel is among so many outermost frames of a kernel stack. */
#define ENTRY_FRAMES 4

/* How threads enter the kernel for a probe: by its breakpoint, after a single step, and by the
 * calls in the page that the kernel maps for probes. A debugger's breakpoints enter in the same
 * way, but nobody debugs a process that is being profiled. */
static const char *const probe_entries[PROBE_ENTRIES] = {
	"asm_exc_int3",	       "asm_exc_debug",	  "__do_sys_uretprobe",
	"__x64_sys_uretprobe", "__do_sys_uprobe", "__x64_sys_uprobe",
};

static void probe_frames_init(struct probe_frames *f, struct profile *p)
{
	f->on = true;
	f->page = intern_add(&p->strings, "[uprobes]");
	for (int i = 0; i < PROBE_ENTRIES; i++)
		f->entries[i] = intern_add(&p->strings, probe_entries[i]);
}

static bool probe_frames_has(const struct probe_frames *f, const struct profile *p, uint32_t frame)
{
	const struct function *function = &p->functions.at[p->frames.at[frame].function];

	if (!f->on)
		return false;
	if (function->kind != KIND_KERNEL)
		return p->modules.at[function->module].path == f->page;
	for (int i = 0; i < PROBE_ENTRIES; i++)
		if (function->name == f->entries[i])
			return true;
	return false;
}

static const struct {
	const char *mark, *note;
} ends[ASSEMBLY_ENDS] = {
	[WIRE_END_CUT] = {"[stack cut]", "stack without end, given up"},
	[WIRE_END_UNREADABLE] = {"[stack unreadable]",
				 "stack memory unreadable, outer frames missing"},
	[WIRE_END_BROKEN] = {"[stack incomplete]", "stack leads nowhere, outer frames missing"},
	[WIRE_END_NO_TABLE] = {"[stack incomplete]", "no unwind table yet, outer frames missing"},
	[WIRE_END_NO_RULE] = {"[stack incomplete]",
			      "code without unwind rules or frame pointer, outer frames missing"},
	[WIRE_END_OTHER] = {"[stack incomplete]",
			    "unwind rule not evaluated, outer frames missing"},
	[WIRE_END_LARGE] = {"[stack cut]",
			    "stack larger than the copy of it, outer frames missing"},
	[WIRE_END_OUTSIDE] = {"[outside of the PID namespace]",
			      "of processes outside of eprof's PID namespace, stacks not walked"},
};

const char *assembly_end_note(uint8_t end)
{
	return end < ASSEMBLY_ENDS ? ends[end].note : NULL;
}

int assembly_init(struct assembly *a, struct profile *p, const struct stackbook *stacks,
		  struct images *images, const struct procs *procs, uint64_t start_ns,
		  struct namebook *names)
{
	*a = (struct assembly){.p = p, .stacks = stacks, .procs = procs, .start_ns = start_ns};
	for (uint32_t n = procs->entries.n; n; n--)
		vec_push(&a->threads, UINT32_MAX);
	return namebook_run(names, images, stacks->book.places.at, stacks->book.is_return.at,
			    stacks->book.places.n, p, &a->named);
}

void assembly_release(struct assembly *a)
{
	named_release(&a->named);
	map_release(&a->node_of);
	vec_release(&a->threads);
}

/* A frame that is not code of an image. */
static uint32_t named_frame(struct assembly *a, enum frame_kind kind, const char *name)
{
	struct function function = {
		.name = intern_add(&a->p->strings, name), .kind = (uint8_t)kind, .named = 1};
	struct frame frame = {.function = profile_function(a->p, &function)};

	return profile_frame(a->p, &frame);
}

static uint32_t mark_frame(struct assembly *a, uint32_t *mark, const char *name)
{
	if (!*mark)
		*mark = named_frame(a, KIND_MARK, name);
	return *mark;
}

uint32_t assembly_frame(struct assembly *a, uint32_t node, enum frame_kind kind, const char *name)
{
	return profile_node(a->p, node, named_frame(a, kind, name));
}

uint32_t assembly_mark(struct assembly *a, uint32_t node, const char *text)
{
	return assembly_frame(a, node, KIND_MARK, text);
}

static uint32_t end_frame(struct assembly *a, uint8_t end)
{
	return mark_frame(a, &a->mark[end], ends[end].mark);
}

/* Marks frame @frame as found by frame pointer. */
static uint32_t guessed_frame(struct assembly *a, uint32_t frame)
{
	struct frame e = a->p->frames.at[frame];

	e.guessed = 1;
	return profile_frame(a->p, &e);
}

uint32_t assembly_frames(struct assembly *a, uint32_t node, uint32_t index, uint32_t from,
			 uint32_t to)
{
	const struct stack *stack;

	if (index == NO_STACK)
		return node;
	stack = &a->stacks->stacks.at[index];
	if (!to && stack->end < ASSEMBLY_ENDS && ends[stack->end].mark)
		node = profile_node(a->p, node, end_frame(a, stack->end));
	for (uint32_t i = to && to < stack->n ? to : stack->n; i-- > from;) {
		uint32_t place = a->stacks->chain.at[stack->first + i];

		if (stack->cut_at && i + 1 == stack->cut_at)
			node = profile_node(a->p, node, end_frame(a, WIRE_END_CUT));
		for (uint32_t k = a->named.first.at[place + 1]; k-- > a->named.first.at[place];) {
			uint32_t frame = a->named.frame.at[k];

			if (a->stacks->book.guessed.at[place])
				frame = guessed_frame(a, frame);
			node = profile_node(a->p, node, frame);
		}
	}
	return node;
}

void assembly_mark_probes(struct assembly *a)
{
	probe_frames_init(&a->probes, a->p);
}

/* Whether a frame of a probe is among the @n frames from @first on, innermost first. */
static bool has_probe(const struct assembly *a, const struct stack *stack, uint32_t first,
		      uint32_t n)
{
	for (uint32_t i = first; i < first + n && i < stack->n; i++) {
		uint32_t place = a->stacks->chain.at[stack->first + i];

		for (uint32_t k = a->named.first.at[place]; k < a->named.first.at[place + 1]; k++)
			if (probe_frames_has(&a->probes, a->p, a->named.frame.at[k]))
				return true;
	}
	return false;
}

bool assembly_is_probe(const struct assembly *a, uint32_t user, uint32_t kernel)
{
	const struct stack *u = user == NO_STACK ? NULL : &a->stacks->stacks.at[user];
	const struct stack *k = kernel == NO_STACK ? NULL : &a->stacks->stacks.at[kernel];

	if (u && has_probe(a, u, 0, 1))
		return true;
	return k && has_probe(a, k, k->n > ENTRY_FRAMES ? k->n - ENTRY_FRAMES : 0, ENTRY_FRAMES);
}

/* The number of innermost frames that belong to our own BPF program on a tracepoint. */
static uint32_t own_frame_count(const struct assembly *a, uint32_t kernel)
{
	const struct stack *stack;

	if (kernel == NO_STACK)
		return 0;
	stack = &a->stacks->stacks.at[kernel];
	return own_frames(a->p, &a->named, a->stacks->chain.at + stack->first, stack->n);
}

/* @traced is the same for each use of a kernel stack: only stacks of our programs on tracepoints
 * begin in them. */
static uint32_t node_of(struct assembly *a, uint32_t user, uint32_t kernel, bool traced)
{
	bool fresh;
	uint32_t *node = map_put(&a->node_of, (uint64_t)user << 32 | kernel, &fresh), at;

	if (!fresh)
		return *node;
	at = assembly_frames(a, 0, user, 0, 0);
	if (assembly_is_probe(a, user, kernel))
		at = profile_node(a->p, at, mark_frame(a, &a->probe_mark, PROBE_MARK));
	return *node = assembly_frames(a, at, kernel, traced ? own_frame_count(a, kernel) : 0, 0);
}

uint32_t assembly_node(struct assembly *a, uint32_t user, uint32_t kernel)
{
	return node_of(a, user, kernel, false);
}

uint32_t assembly_node_traced(struct assembly *a, uint32_t user, uint32_t kernel)
{
	return node_of(a, user, kernel, true);
}

uint64_t assembly_time(const struct assembly *a, uint64_t time_ns)
{
	return time_ns > a->start_ns ? time_ns - a->start_ns : 0;
}

uint32_t assembly_thread(struct assembly *a, uint32_t number)
{
	const struct proc_thread *t = &a->procs->entries.at[number];
	struct intern *strings = &a->p->strings;

	if (a->threads.at[number] == UINT32_MAX) {
		_free_ char *name = str_clean(t->comm, strnlen(t->comm, sizeof(t->comm)));
		bool outside = t->pid == PROCFS_OUTSIDE;
		struct thread e = {
			.pid = outside ? 0 : t->pid,
			/* Threads of the idle task are numbered by CPU. */
			.tid = t->pid && !outside ? t->tid : 0,
			.name = intern_add(strings, name),
			.process = intern_add(strings, procs_name(a->procs, t->pid)),
			.cgroup = intern_add(strings, procs_cgroup(a->procs, t->pid)),
			.start_ns = assembly_time(a, t->start_ns),
			.born_ns = assembly_time(a, t->born_ns),
		};

		a->threads.at[number] = profile_thread(a->p, &e);
	}
	return a->threads.at[number];
}
