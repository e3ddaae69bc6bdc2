/*
 * probed_process: tracks the target's processes and the files whose code they map.
 */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "process/closure.h"
#include "process/opener.h"
#include "process/procfs.h"
#include "probe/cost_limit.h"

/* Time after which a program whose libraries could not be predicted has mapped them. */
#define LINKING_NS 1000000000u

struct probed_process *engine_process_of(struct engine *z, uint32_t pid)
{
	bool fresh;
	uint32_t *at = map_put(&z->by_pid, pid, &fresh);

	if (fresh) {
		*at = (uint32_t)z->met.n;
		vec_push(&z->met, mem_zalloc(1, sizeof(struct probed_process)));
		z->met.at[*at]->ended = true;
	}
	if (z->met.at[*at]->ended) {
		*z->met.at[*at] = (struct probed_process){.pid = pid};
		vec_push(&z->processes, z->met.at[*at]);
	}
	return z->met.at[*at];
}

/* Whether a process runs on without its first thread, whose entry stays until the process is
 * reaped. */
static bool runs_without_leader(const struct probed_process *p)
{
	return procfs_count_threads(p->pid) > 1;
}

void probed_process_keep_past(const struct probed_process *p, struct probed_image *image)
{
	struct probed_past *past = &image->past;

	past->hijack |= p->flags & WIRE_PROC_HIJACK;
	past->rets |= p->flags & WIRE_PROC_RETS;
	past->none |= !(p->flags & (WIRE_PROC_HIJACK | WIRE_PROC_RETS));
	past->foreign |= p->foreign;
}

/* Removes it, so that of a build's thousands none is looked at after its end. */
void probed_process_end(struct engine *z, size_t at)
{
	struct probed_process *p = z->processes.at[at];

	for (size_t i = 0; i < p->images.n; i++)
		probed_process_keep_past(p, z->at.at[p->images.at[i]]);
	vec_release(&p->images);
	p->ended = true;
	z->processes.at[at] = z->processes.at[--z->processes.n];
}

void probed_process_ran_before(struct engine *z, struct probed_process *p)
{
	if (z->counting && !p->missed)
		engine_note(z, ENGINE_NOTE_BEFORE "first calls may be missing");
	p->missed = true;
}

/* Whether it may have run functions before the loader looked for them or attached its probes. */
static bool ran_unseen(struct engine *z, struct probed_process *p)
{
	probed_process_gather(z, p);
	for (size_t i = 0; i < p->images.n; i++) {
		const struct probed_image *image = z->at.at[p->images.at[i]];

		if (probed_image_is_read(image)
			    ? image->list.zones.n && !probed_image_is_met(image, p->pid)
			    : engine_read_wants(z, image))
			return true;
	}
	return false;
}

void engine_leader_exit(struct engine *z, uint32_t pid)
{
	const uint32_t *at = map_get(&z->by_pid, pid);
	struct probed_process *p = at ? z->met.at[*at] : NULL;

	if (!p || p->ended)
		return;
	p->leaderless = runs_without_leader(p);
	/* Has its probes decided on again. */
	if (p->leaderless)
		engine_process(z, pid);
	else if (p->dirty && !p->before_exec && ran_unseen(z, p))
		probed_process_ran_before(z, p);
	for (size_t i = z->processes.n; i-- > 0 && !p->leaderless;)
		if (z->processes.at[i] == p)
			probed_process_end(z, i);
}

/* Calibration's process has probes of its own and is not a target, even with -a. */
static bool is_ours(const struct engine *z, uint32_t pid)
{
	return pid == calibration_pid(z->in.calibration);
}

void engine_process(struct engine *z, uint32_t pid)
{
	if (is_ours(z, pid))
		return;
	engine_process_of(z, pid)->dirty = true;
	z->unsettled = true;
}

bool engine_unsettled(const struct engine *z)
{
	return z->unsettled;
}

void engine_fork(struct engine *z, uint32_t pid, uint32_t child)
{
	struct probed_process *from, *to;
	bool misses = false;

	if (is_ours(z, child))
		return;
	from = engine_process_of(z, pid);
	to = engine_process_of(z, child);
	to->flags = from->flags;
	to->wants = from->wants;
	to->foreign = from->foreign;
	to->told = from->told;
	to->code_seen = from->code_seen;
	to->before_exec = false;
	to->unknown_until_ns = from->unknown_until_ns;
	to->images.n = 0;
	for (size_t i = 0; i < from->images.n; i++) {
		const struct probe_set *h = &z->at.at[from->images.at[i]]->attached;

		misses |= h->entry_pid || h->exit_pid;
		vec_push(&to->images, from->images.at[i]);
	}
	to->missed = misses;
	if (misses)
		engine_note(z, "children whose first calls of libraries were missed: probes were "
			       "attached for the parent alone");
	engine_process(z, child);
}

void probed_process_saw_code(struct engine *z, uint32_t pid, uint32_t code)
{
	const uint32_t *at = map_get(&z->by_pid, pid);

	/* Without inheritance, children are not in the target. */
	if (!at || z->met.at[*at]->ended)
		return;
	z->met.at[*at]->code_seen = code;
	engine_process(z, pid);
}

/* Notes that the keeper was killed, which detached the probes, or does not answer. */
static void note_keeper(struct engine *z)
{
	if (z->keeper_gone || !keeper_is_gone(z->keeper))
		return;
	z->keeper_gone = true;
	engine_note(z, keeper_is_silent(z->keeper)
			       ? "the process that holds the probes did not answer: no more were "
				 "attached, and it detaches all as soon as the kernel lets it"
			       : "the process that held the probes was killed: calls were counted "
				 "until then");
}

void engine_tick(struct engine *z)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC);

	engine_guard_tick(z);
	cost_limit_tick(z);
	note_keeper(z);
	for (size_t i = z->processes.n; i-- > 0;) {
		struct probed_process *p = z->processes.at[i];

		if (p->leaderless && !runs_without_leader(p)) {
			probed_process_end(z, i);
			continue;
		}
		if (p->unknown_until_ns && p->unknown_until_ns < now) {
			p->unknown_until_ns = 0;
			engine_process(z, p->pid);
		}
	}
}

uint32_t engine_number_of(struct engine *z, uint32_t image)
{
	bool fresh;
	uint32_t *at = map_put(&z->by_image, image, &fresh);

	if (fresh) {
		struct probed_image *i = mem_zalloc(1, sizeof(*i));

		i->image = image;
		i->first = UINT32_MAX;
		*at = (uint32_t)z->at.n;
		vec_push(&z->at, i);
	}
	return *at;
}

static void add_image(struct engine *z, struct probed_process *p, uint32_t image)
{
	uint32_t number = engine_number_of(z, image);

	for (size_t i = 0; i < p->images.n; i++)
		if (p->images.at[i] == number)
			return;
	vec_push(&p->images, number);
}

struct gathering {
	struct engine *z;
	struct probed_process *p;
};

bool probed_process_may_probe(struct engine *z, uint32_t image)
{
	const struct image *i = images_at(z->in.images, image);

	/* The kernel's own mappings ("[uprobes]", "[vsyscall]") are not files. */
	if (i->kind != IMAGE_KIND_FILE || i->path[0] == '[')
		return false;
	if (!i->is_copy && (i->fd >= 0 || !i->note || strcmp(i->note, OPENER_SILENT) != 0))
		return true;
	engine_note(z, "files on mounts that may not answer: they are not probed");
	if (!z->remote)
		z->remote = mem_strdup(i->path);
	return false;
}

static void gather_image(void *context, uint32_t image)
{
	struct gathering *g = context;

	if (probed_process_may_probe(g->z, image))
		add_image(g->z, g->p, image);
}

void probed_process_gather(struct engine *z, struct probed_process *p)
{
	struct gathering g = {z, p};

	procs_each_image(z->in.procs, p->pid, gather_image, &g);
}

/* Adds the files of @c to the code of @p. */
static void add_closure(struct engine *z, struct probed_process *p, const closure *c)
{
	for (size_t i = 0; i < c->n; i++) {
		const struct closure_file *f = &c->at[i];
		const struct image_id id = {.path = f->path,
					    .dev_major = f->dev_major,
					    .dev_minor = f->dev_minor,
					    .inode = f->inode};

		const uint32_t image = images_file(z->in.images, p->pid, 0, 0, &id);

		if (probed_process_may_probe(z, image))
			add_image(z, p, image);
	}
}

void engine_command(struct engine *z, uint32_t pid, const char *command)
{
	struct probed_process *p = engine_process_of(z, pid);
	closure c = {0};

	if (opener_is_silent(closure_of_command(z->in.images->opener, command, &c)))
		engine_note(z,
			    "programs of which a library is not told of in time: they are probed "
			    "once they have mapped it");
	add_closure(z, p, &c);
	engine_guard_command(z, pid, command);
	closure_release(&c);
	p->before_exec = true;
	engine_process(z, pid);
}

/* Predicts the files that the program of @p is about to map. If impossible, waits for it to map
 * them. */
static void foretell(struct engine *z, struct probed_process *p)
{
	closure c = {0};

	(void)closure_of_process(z->in.images->opener, guard_root_of(z->guard, p->pid), p->pid, &c);
	add_closure(z, p, &c);
	p->unknown_until_ns = c.n ? 0 : clock_ns(CLOCK_MONOTONIC) + LINKING_NS;
	closure_release(&c);
}

void engine_exec(struct engine *z, uint32_t pid)
{
	struct probed_process *p = engine_process_of(z, pid);

	p->foreign = false;
	if (!p->before_exec) {
		p->images.n = 0;
		p->flags = WIRE_PROC_TARGET;
		p->missed = false;
		foretell(z, p);
	}
	p->before_exec = false;
	engine_process(z, pid);
}
