#include "probe/engine.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/err.h"
#include "base/mem.h"
#include "function/zonepattern.h"
#include "process/allowance.h"
#include "process/procfs.h"

struct engine *engine_new(const struct engine_options *options)
{
	struct engine *z = mem_zalloc(1, sizeof(*z));

	z->in.o = options;
	z->limit.governor = governor_of(z->in.o->max_slowdown);
	return z;
}

static void process_free(struct probed_process *p)
{
	vec_release(&p->images);
	free(p);
}

void engine_free(struct engine *z)
{
	if (!z)
		return;
	for (size_t i = 0; i < z->at.n; i++) {
		probed_image_release(z->at.at[i]);
		free(z->at.at[i]);
	}
	for (size_t i = 0; i < z->met.n; i++)
		process_free(z->met.at[i]);
	for (size_t i = 0; i < z->notes.n; i++)
		free(z->notes.at[i].text);
	vec_release(&z->at);
	vec_release(&z->processes);
	vec_release(&z->met);
	engine_guard_release(z);
	cost_limit_release(z);
	vec_release(&z->thread_of);
	vec_release(&z->notes);
	vec_release(&z->watchers);
	vec_release(&z->unused_slots);
	map_release(&z->by_image);
	map_release(&z->by_pid);
	calibration_free(z->in.calibration);
	allowance_free(z->in.allowance);
	keeper_free(z->keeper);
	own_code_release(&z->own);
	free(z);
}

const struct probe_request *engine_request(struct engine *z)
{
	const struct engine_options *o = z->in.o;

	z->request = (struct probe_request){.max_zones = o->max,
					    .clocks = o->clocks,
					    .events = o->events,
					    .n_events = o->n_events,
					    .actions = engine_actions(o),
					    .one_by_one = o->one_by_one,
					    .no_session = o->no_session,
					    .limited = o->max_slowdown > 0};
	return &z->request;
}

static void see(void *state, uint32_t pid)
{
	engine_process(state, pid);
}

int engine_open(struct engine *z)
{
	const struct target *t = z->in.target;
	int ret;

	ret = zonepatterns_find_files(z->in.o->patterns, z->in.images->opener);
	if (ret)
		return ret;
	z->in.calibration = calibrate(z->in.session);
	ret = keeper_new(&z->in.session->probes, z->in.wait, &z->keeper);
	z->tools = (struct probe_tools){z->keeper, &z->own, z->in.session->maps};
	if (ret)
		return ret;
	engine_guard_init(z);
	if (target_is_open(t))
		(void)procfs_processes(see, z);
	if (t->kind == TARGET_COMMAND)
		engine_command(z, t->pids.at[0], t->argv[0]);
	for (size_t i = 0; i < t->pids.n; i++)
		engine_process(z, t->pids.at[i]);
	return engine_settle_all(z, true);
}

void engine_start(struct engine *z)
{
	z->counting = true;
	probemaps_enable(z->in.session->maps, true);
	calibration_start(z->in.calibration);
	cost_limit_tick(z);
}

static void know_thread(struct engine *z, uint32_t number, uint32_t thread)
{
	while (z->thread_of.n <= number)
		vec_push(&z->thread_of, NO_THREAD);
	z->thread_of.at[number] = thread;
}

/* Threads that a full ring had no room to tell of are known by what the kernel keeps of them, under
 * the name that they have by then. */
static void find_threads(struct engine *z)
{
	const struct probemaps *maps = z->in.session->maps;

	for (uint32_t i = 1; i < probemaps_threads(maps); i++) {
		const struct wire_probe_thread t = probemaps_thread(maps, i);

		if (t.pid && (i >= z->thread_of.n || z->thread_of.at[i] == NO_THREAD))
			know_thread(z, i, procs_thread(z->in.procs, t.pid, t.tid ? t.tid : t.pid));
	}
}

/* The kernel takes its time to detach thousands of probes: that goes on beside what follows. */
void engine_drained(struct engine *z)
{
	find_threads(z);
	for (size_t i = 0; i < z->at.n; i++)
		keeper_drop(z->keeper, &z->at.at[i]->links);
	calibration_stop(z->in.calibration);
}

static void take_thread(struct engine *z, const struct wire_probe_news *r)
{
	know_thread(z, r->number, procs_thread(z->in.procs, r->pid, r->tid ? r->tid : r->pid));
}

void engine_take(struct engine *z, const struct wire_probe_news *r)
{
	if (r->news == WIRE_NEWS_THREAD && r->number < WIRE_PROBE_THREADS)
		take_thread(z, r);
	if (r->news == WIRE_NEWS_FOREIGN) {
		engine_runs_coroutines(z, engine_process_of(z, r->pid));
		engine_process(z, r->pid);
	}
	if (r->news == WIRE_NEWS_FORK)
		probed_process_saw_code(z, r->number, r->code);
	if (r->news == WIRE_NEWS_EXEC || r->news == WIRE_NEWS_MODULE)
		probed_process_saw_code(z, r->pid, r->code);
	if (r->news == WIRE_NEWS_PROC)
		engine_process(z, r->pid);
}
