/*
 * engine_settle: updates probes and flags of processes to what is known of their code.
 */
#include <errno.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/mem.h"
#include "probe/cost_limit.h"
#include "probe/engine.h"
#include "process/procfs.h"

/* Who writes to files, or runs translators, can make one after the other. */
#define MOST_NOTES 500

void engine_note(struct engine *z, const char *text)
{
	if (z->notes.n >= MOST_NOTES)
		text = "more notes on files and processes";
	for (size_t i = 0; i < z->notes.n; i++) {
		if (!strcmp(z->notes.at[i].text, text)) {
			z->notes.at[i].n++;
			return;
		}
	}
	vec_push(&z->notes, ((struct engine_note){.text = mem_strdup(text), .n = 1}));
}

static int tell(struct engine *z, struct probed_process *p, uint32_t flags)
{
	struct wire_probe_proc proc = {
		.flags = flags, .exec_flags = WIRE_PROC_TARGET, .code_seen = p->code_seen};

	if (p->before_exec)
		proc = (struct wire_probe_proc){.exec_flags = flags};
	p->flags = flags;
	p->told = true;
	p->code_told = p->code_seen;
	return probemaps_set_proc(z->in.session->maps, p->pid, proc);
}

/* Whether @pid is a known process that has ended; forgets it then. */
static bool forget_gone(struct engine *z, uint32_t pid)
{
	_free_ char *link = procfs_path(pid, "exe");
	char byte;

	if (!pid || readlink(link, &byte, 1) >= 0 || !engine_process_of(z, pid)->wants)
		return false;
	engine_process_of(z, pid)->wants = 0;
	return true;
}

/* If the kernel refuses probes because a process has ended, decides again without it. */
int engine_attach(struct engine *z, uint32_t number)
{
	struct probed_image *image = z->at.at[number];
	struct probe_set want;
	int ret;

	if (probed_image_is_past(image) || (!image->list.zones.n && !image->list.switches.n))
		return 0;
	do {
		want = engine_decide_probes(z, number);
		if (!image->list.zones.n && !want.switches)
			return 0;
		ret = probed_image_attach(image, &z->tools, images_at(z->in.images, image->image),
					  &want);
	} while (ret == -ESRCH && (forget_gone(z, want.entry_pid) | forget_gone(z, want.exit_pid)));
	if (ret != -ESTALE)
		return ret;
	engine_guard_written(z, image);
	return 0;
}

int engine_attach_again(struct engine *z, uint32_t number)
{
	int ret;

	do {
		engine_guard_heed(z);
		ret = engine_attach(z, number);
	} while (ret == -EAGAIN);
	return ret;
}

/* From here on the kernel counts the code that @p maps; reads once more what it mapped before. */
static int begin_with(struct engine *z, struct probed_process *p)
{
	int ret = tell(z, p, WIRE_PROC_TARGET);

	(void)procs_snapshot(z->in.procs, p->pid);
	engine_process(z, p->pid);
	return ret;
}

void engine_runs_coroutines(struct engine *z, struct probed_process *p)
{
	p->foreign = true;
	probe_session_watch_waits(z->in.session);
}

/* Attaches the image's probes while @p runs its code. */
static int attach_in(struct engine *z, struct probed_process *p, uint32_t number)
{
	const struct probed_image *image = z->at.at[number];
	const bool was_met = probed_image_is_met(image, p->pid);
	int ret = engine_attach(z, number);

	/* wants is 0 once a process has ended. */
	if (!ret && !was_met && image->list.zones.n && !p->before_exec &&
	    (probed_image_is_met(image, p->pid) || !p->wants))
		probed_process_ran_before(z, p);
	return ret;
}

/* Updates probes and flags of one process after a change of its code. The order makes sure that no
 * return address is hijacked before that is known to be safe, and that no call begins whose end
 * would not be seen. */
static int settle(struct engine *z, struct probed_process *p)
{
	uint32_t flags;
	int ret = 0;

	p->dirty = false;
	if (!probed_process_has_zones(z, p))
		return engine_is_for_all(z->in.target) ? 0 : tell(z, p, WIRE_PROC_TARGET);
	if (!p->told && !p->before_exec)
		return begin_with(z, p);
	if (!p->foreign && engine_decide_coroutines(z, p))
		engine_runs_coroutines(z, p);
	flags = p->wants = engine_decide_flags(z, p);
	cost_limit_refused(z, p);
	if (p->flags & WIRE_PROC_HIJACK && !(flags & WIRE_PROC_HIJACK))
		ret = tell(z, p, WIRE_PROC_TARGET);
	for (size_t i = 0; i < p->images.n && !ret; i++)
		ret = attach_in(z, p, p->images.at[i]);
	if (!ret && (flags != p->flags || p->code_seen != p->code_told))
		ret = tell(z, p, flags);
	return ret;
}

/* Repeats settle() while news of translators arrive: nothing decided before them is attached. */
static int settle_anew(struct engine *z, struct probed_process *p)
{
	int ret;

	do {
		engine_guard_heed(z);
		ret = settle(z, p);
	} while (ret == -EAGAIN);
	return ret;
}

/* Decides for all processes first: a process alone with a file gets its probes for itself. */
static void decide_flags(struct engine *z)
{
	for (size_t i = 0; i < z->processes.n; i++)
		if (z->processes.at[i]->dirty)
			z->processes.at[i]->wants = engine_decide_flags(z, z->processes.at[i]);
}

static int settle_dirty(struct engine *z, bool first)
{
	int ret = 0;

	for (size_t i = 0; i < z->processes.n && !ret; i++) {
		if (!z->processes.at[i]->dirty)
			continue;
		ret = settle_anew(z, z->processes.at[i]);
		if (ret && !first) {
			engine_note(z, err_text());
			ret = 0;
		}
	}
	return ret;
}

/* An error if zones are forbidden where a capture begins, since it would capture nothing. */
static int check_forbidden(const struct engine *z)
{
	if (!z->forbidden)
		return 0;
	for (size_t i = 0; i < z->at.n; i++)
		if (z->at.at[i]->attached.entries != ATTACH_NOTHING)
			return 0;
	return err(-EBUSY, "%s", z->forbidden);
}

/* Reads new images, decides how calls end in each process, attaches probes. Notes what cannot be
 * attached. Only at the start (@first) it returns errors, also for patterns that match nothing. */
int engine_settle_all(struct engine *z, bool first)
{
	uint64_t start = clock_ns(CLOCK_MONOTONIC);
	int ret = 0;

	if (first)
		guard_begin(z->guard);
	/* A newly met process needs a second round. */
	for (int round = 0; round < 2 && !ret && (z->unsettled || !round); round++) {
		z->unsettled = false;
		for (size_t i = 0; i < z->processes.n; i++)
			if (z->processes.at[i]->dirty && !z->processes.at[i]->before_exec)
				probed_process_gather(z, z->processes.at[i]);
		if (first && !round)
			engine_named_find(z);
		engine_read_new(z);
		if (first && !round)
			ret = engine_read_check(z);
		decide_flags(z);
		if (first && !round && !ret)
			ret = cost_limit_expect(z);
		if (!ret)
			ret = settle_dirty(z, first);
	}
	if (first && !ret)
		ret = engine_named_attach(z);
	if (first && !ret)
		ret = check_forbidden(z);
	z->attach_ns += (int64_t)(clock_ns(CLOCK_MONOTONIC) - start);
	return ret;
}

size_t engine_count(const struct engine *z)
{
	size_t n = 0;

	for (size_t i = 0; i < z->at.n; i++)
		for (size_t k = 0; k < z->at.at[i]->list.zones.n; k++)
			n += probed_image_has(z->at.at[i], k);
	return n;
}
