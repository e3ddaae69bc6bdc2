/*
 * engine_decide: decides how the ends of calls are seen in a process, and which probes a file gets.
 */
#include "base/mem.h"
#include "base/str.h"
#include "probe/engine.h"

bool engine_decide_coroutines(const struct engine *z, const struct probed_process *p)
{
	for (size_t i = 0; i < p->images.n; i++) {
		if (zonelist_runs_coroutines(&z->at.at[p->images.at[i]]->list))
			return true;
	}
	return false;
}

/* Whether return addresses in @p may be hijacked. */
static bool is_safe(const struct engine *z, const struct probed_process *p)
{
	/* Calls on a foreign stack are recognised one by one; giving up sessions only saves their
	 * cost. */
	if (p->foreign && z->in.o->ends != CALL_ENDS_SESSION)
		return false;
	/* Otherwise new code could run before the loader looked at it. */
	if (!z->in.session->sees_modules)
		return false;
	for (size_t i = 0; i < p->images.n; i++) {
		if (!probed_image_is_harmless(z->at.at[p->images.at[i]]))
			return false;
	}
	return true;
}

char *engine_decide_objection(const struct engine *z, const struct probed_process *p)
{
	if (!z->in.session->sessions)
		return mem_strdup("this kernel has no uprobe sessions (Linux 6.13 or newer)");
	if (!z->in.session->sees_modules)
		return mem_strdup("the kernel does not report mapped code (no tracepoints "
				  "syscalls:sys_enter_mmap and sys_exit_mmap)");
	for (size_t i = 0; i < p->images.n; i++) {
		const struct probed_image *image = z->at.at[p->images.at[i]];
		const char *path = images_at(z->in.images, image->image)->path;

		if (image->list.hijack_unsafe)
			return mem_strdup(image->list.hijack_unsafe);
		if (image->list.problem)
			return mem_printf("%s cannot be read: %s", str_base(path),
					  image->list.problem);
	}
	return NULL;
}

/* Whether no action wants to see calls end. */
static bool hits_only(const struct engine *z)
{
	return !(engine_actions(z->in.o) & WIRE_WITH_CALLS);
}

/* @safe: return addresses may be hijacked, if the kernel can do that. */
static uint32_t flags_for(const struct engine *z, bool safe)
{
	enum call_ends ends = z->in.o->ends;

	if (ends == CALL_ENDS_NONE || hits_only(z))
		return WIRE_PROC_TARGET;
	if (ends != CALL_ENDS_RETS && z->in.session->sessions && safe)
		return WIRE_PROC_TARGET | WIRE_PROC_HIJACK;
	return WIRE_PROC_TARGET | WIRE_PROC_RETS;
}

uint32_t engine_decide_flags(const struct engine *z, const struct probed_process *p)
{
	uint32_t flags = p->unknown_until_ns ? WIRE_PROC_TARGET : flags_for(z, is_safe(z, p));

	return flags | (flags & WIRE_PROC_RETS && p->foreign ? WIRE_PROC_FOREIGN : 0);
}

bool engine_is_for_all(const struct target *t)
{
	return t->kind == TARGET_ALL || t->kind == TARGET_CGROUP;
}

static bool maps(const struct probed_process *p, uint32_t number)
{
	for (size_t i = 0; i < p->images.n; i++)
		if (p->images.at[i] == number)
			return true;
	return false;
}

/* Whether markers are turned on, which slows an interpreter down at each of its calls: in a
 * running process alone, until it forks. */
static bool has_semaphores(const struct probed_image *image)
{
	vec_each (f, &image->list.zones)
		if (f->marker.semaphore)
			return true;
	return false;
}

/* Whether probes of the image are attached for all processes from the start. A forked child runs at
 * once: with probes for its parent alone, its calls would be missed until it gets them, too. But
 * libraries are shared by all processes, including eprof: there, calls missed are noted. */
static bool is_for_all(const struct engine *z, const struct probed_image *image)
{
	const struct target *t = z->in.target;

	return engine_is_for_all(t) ||
	       (t->inherit && t->kind != TARGET_TID && image->list.flags & ZONELIST_PROGRAM &&
		(t->kind == TARGET_COMMAND || !has_semaphores(image)));
}

static void want_for(const struct engine *z, const struct probed_image *image, bool hijack,
		     bool rets, bool foreign, struct probe_set *want)
{
	want->switches |= foreign && image->list.switches.n;
	want->exits |= rets;
	want->leaf_exits |= rets && foreign;
	want->counted = z->in.o->clocks & WIRE_CLOCK_NONE;
	if (hijack || (z->in.session->sessions && z->in.o->ends == CALL_ENDS_AUTO &&
		       probed_image_has_leaves(image)))
		want->entries = ATTACH_SESSIONS;
	else if (want->entries == ATTACH_NOTHING)
		want->entries = ATTACH_ENTRIES;
}

/* Thousands of probes must not come and go with each process: keep what ended processes wanted. */
static void want_past(const struct engine *z, const struct probed_image *image,
		      struct probe_set *want)
{
	const struct probed_past *past = &image->past;

	if (past->hijack || past->rets || past->none)
		want_for(z, image, past->hijack, past->rets, past->foreign, want);
}

/* For a named image that nobody runs yet: as for a process of which only this file is known. */
static void want_named(const struct engine *z, struct probed_image *image, struct probe_set *want)
{
	const uint32_t flags = flags_for(z, probed_image_is_harmless(image) &&
						    !zonelist_runs_coroutines(&image->list));

	want_for(z, image, flags & WIRE_PROC_HIJACK, flags & WIRE_PROC_RETS, false, want);
	image->entries_for_all = image->exits_for_all = true;
}

/* Whether sessions must be for all processes: all but those of leaves. Those, too, for a command
 * that may fork, since its child runs at once; others on the machine pay for that while the command
 * runs. */
static bool needs_sessions_for_all(const struct engine *z, const struct probed_image *image,
				   const struct probe_set *want)
{
	const struct target *t = z->in.target;

	return want->entries == ATTACH_SESSIONS &&
	       (!probed_image_has_only_leaves(image) || (t->kind == TARGET_COMMAND && t->inherit));
}

/* The probes for image @number, given the flags that its processes want. */
struct probe_set engine_decide_probes(struct engine *z, uint32_t number)
{
	struct probed_image *image = z->at.at[number];
	struct probe_set want = {.modes_number = image->modes_number};
	size_t users = 0, with_exits = 0;

	want_past(z, image, &want);
	for (size_t i = 0; i < z->processes.n; i++) {
		const struct probed_process *p = z->processes.at[i];

		if (!p->wants || !maps(p, number))
			continue;
		want_for(z, image, p->wants & WIRE_PROC_HIJACK, p->wants & WIRE_PROC_RETS,
			 p->foreign, &want);
		/* To the kernel, a process is what its first thread has mapped. */
		image->entries_for_all |= p->leaderless;
		image->exits_for_all |= p->leaderless;
		users++;
		want.entry_pid = p->pid;
		if (p->wants & WIRE_PROC_RETS) {
			with_exits++;
			want.exit_pid = p->pid;
		}
	}
	if (image->named && !users && want.entries == ATTACH_NOTHING)
		want_named(z, image, &want);
	image->entries_for_all |= users > 1 || is_for_all(z, image);
	image->exits_for_all |= with_exits > 1 || is_for_all(z, image);
	if (image->entries_for_all || needs_sessions_for_all(z, image, &want))
		want.entry_pid = 0;
	if (image->exits_for_all)
		want.exit_pid = 0;
	if (engine_guard_forbids(z, image, &want))
		want = (struct probe_set){0};
	return want;
}
