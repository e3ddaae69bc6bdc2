#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "base/err.h"
#include "base/str.h"
#include "base/mem.h"
#include "load/kernel_types.h"
#include "load/uprobes.h"
#include "load/probe_session.h"
#include "load/counters.h"
#include "perf/cpus.h"
#include "wire_fields.h"
#include "eprof.skel.h"

static void drop_maps(struct eprof_bpf *skel)
{
	struct bpf_map *map;

	bpf_object__for_each_map(map, skel->obj) if (str_starts(bpf_map__name(map), "zone_") ||
						     str_starts(bpf_map__name(map), "probe_"))
		bpf_map__set_autocreate(map, false);
}

/* All clocks but wall time are based on the scheduler's times. */
static bool has_clocks(const struct probe_request *r)
{
	return r->clocks &
	       (WIRE_CLOCK_SCHED | WIRE_CLOCK_RUSAGE | WIRE_CLOCK_EVENTS | WIRE_CLOCK_CPU);
}

bool probe_session_needs_stats(const struct probe_request *r)
{
	return has_clocks(r);
}

static uint32_t nodes_of(const struct probe_request *r)
{
	return 1 + r->max_zones + WIRE_PROBE_SPARE + WIRE_ZONE_NODES;
}

/* Whether other actions sum up parts of the zones' times. */
static bool has_beside(const struct probe_request *r)
{
	return r->actions & 1u << WIRE_ACTION_zone && r->actions & ~(1u << WIRE_ACTION_zone);
}

static bool counts(const struct probe_request *r)
{
	return r->actions >> WIRE_ACTION_count & 1;
}

static void configure_clocks(struct eprof_bpf *skel, const struct probe_request *r)
{
	bool rusage = r->clocks & WIRE_CLOCK_RUSAGE;

	bpf_program__set_autoload(skel->progs.probe_sched_switch, has_clocks(r));
	bpf_program__set_autoload(skel->progs.probe_sched_in,
				  has_clocks(r) && kernel_types_have_tracepoint("sched_exit_tp"));
	bpf_program__set_autoload(skel->progs.probe_sched_wakeup, has_clocks(r));
	bpf_program__set_autoload(skel->progs.probe_sys_enter, rusage);
	bpf_program__set_autoload(skel->progs.probe_sys_exit, rusage);
	bpf_map__set_autocreate(skel->maps.zone_clocks, has_clocks(r));
	bpf_map__set_autocreate(skel->maps.zone_strand_clocks, has_clocks(r));
	bpf_map__set_autocreate(skel->maps.zone_sums, has_clocks(r));
	bpf_map__set_autocreate(skel->maps.zone_events, has_clocks(r));
	bpf_map__set_autocreate(skel->maps.probe_count_calls, counts(r));
	bpf_map__set_max_entries(skel->maps.zone_sums, 2 * nodes_of(r));
	bpf_map__set_max_entries(skel->maps.probe_count_calls, r->max_zones + WIRE_PROBE_SPARE);
	bpf_map__set_max_entries(skel->maps.zone_events,
				 (uint32_t)counters_cpus() * WIRE_ZONE_EVENTS);
	skel->rodata->config_zone_clocks = r->clocks;
	skel->rodata->config_zone_events = (uint32_t)r->n_events;
	for (size_t i = 0; i < r->n_events; i++)
		if (r->events[i].type == PERF_TYPE_SOFTWARE &&
		    r->events[i].config == PERF_COUNT_SW_CONTEXT_SWITCHES)
			skel->rodata->config_zone_switch_events |= 1u << i;
}

static void want(struct bpf_program *program, enum uprobes_attach attach)
{
	bpf_program__set_autoload(program, true);
	if (attach != UPROBES_PERF)
		bpf_program__set_expected_attach_type(program, (enum bpf_attach_type)attach);
}

/* Whether to attach many probes with one link: if the kernel can, and no test asks for the older
 * way. */
static bool has(enum uprobes_attach attach, const struct probe_request *r)
{
	if (r->one_by_one || (attach == UPROBES_SESSION && r->no_session))
		return false;
	return uprobes_try(attach) == 0;
}

static void choose_programs(struct eprof_bpf *skel, const struct probe_request *r)
{
	enum uprobes_attach attach = has(UPROBES_MULTI, r) ? UPROBES_MULTI : UPROBES_PERF;

	if (r->actions & ~WIRE_WITH_CALLS)
		want(skel->progs.probe_hit, attach);
	if (has(UPROBES_SESSION, r))
		want(skel->progs.probe_session, UPROBES_SESSION);
	want(skel->progs.probe_entry, attach);
	want(skel->progs.probe_exit, attach);
	if (r->actions & WIRE_CHOOSING)
		bpf_program__set_autoload(skel->progs.probe_traps, true);
	want(skel->progs.probe_switch, attach);
	want(skel->progs.probe_switched, attach);
	bpf_program__set_autoload(skel->progs.probe_thread_exit, true);
	bpf_program__set_autoload(skel->progs.probe_exec, true);
	bpf_program__set_autoload(skel->progs.probe_mmap_enter, true);
	bpf_program__set_autoload(skel->progs.probe_mmap_exit, true);
	bpf_program__set_autoload(skel->progs.probe_wait, true);
	bpf_program__set_autoload(skel->progs.probe_waited, true);
}

void probe_session_configure(struct eprof_bpf *skel, const struct probe_request *r)
{
	if (!r) {
		drop_maps(skel);
		return;
	}
	skel->rodata->config_actions = r->actions;
	skel->rodata->config_fork_probe = 1;
	skel->rodata->config_zone_count = r->max_zones + WIRE_PROBE_SPARE;
	skel->rodata->config_probe_limit = r->limited;
	bpf_map__set_autocreate(skel->maps.probe_counted, r->limited);
	bpf_map__set_max_entries(skel->maps.probe_counted, r->max_zones + WIRE_PROBE_SPARE);
	bpf_map__set_max_entries(skel->maps.zone_nodes, nodes_of(r));
	skel->rodata->config_zone_beside = has_beside(r);
	bpf_map__set_autocreate(skel->maps.zone_beside, has_beside(r));
	bpf_map__set_max_entries(skel->maps.zone_beside, 2 * nodes_of(r));
	configure_clocks(skel, r);
	choose_programs(skel, r);
}

static int attach(struct probe_session *z, struct bpf_program *program)
{
	struct bpf_link *link = kernel_types_attach(program);

	if (!link)
		return err(-errno, "cannot attach '%s' to its tracepoint: %s",
			   bpf_program__name(program), strerror(errno));
	vec_push(&z->links, link);
	return 0;
}

static int trace(struct probe_session *z, int program_fd, const char *name)
{
	struct event event;
	int fd = event_parse(name, &event);

	if (!fd)
		fd = event_open_tracepoint(&event);
	if (fd < 0)
		return fd;
	vec_push(&z->event_fds, fd);
	if (ioctl(fd, PERF_EVENT_IOC_SET_BPF, program_fd) || ioctl(fd, PERF_EVENT_IOC_ENABLE, 0))
		return err(-errno, "cannot attach a program to '%s': %s", name, strerror(errno));
	return 0;
}

void probe_session_watch_waits(struct probe_session *z)
{
	if (z->watches_waits)
		return;
	z->watches_waits = true;
	z->stats_fd = bpf_enable_stats(BPF_STATS_RUN_TIME);
	if (!attach(z, z->waits[0]))
		(void)attach(z, z->waits[1]);
}

/* Attaches each loaded program to its tracepoint. */
static int attach_all(struct eprof_bpf *skel, struct probe_session *z)
{
	struct bpf_program *const programs[] = {
		skel->progs.probe_thread_exit,	skel->progs.probe_exec,
		skel->progs.probe_sched_switch, skel->progs.probe_sched_in,
		skel->progs.probe_sched_wakeup, skel->progs.probe_sys_enter,
		skel->progs.probe_sys_exit};
	int ret = 0;

	for (size_t i = 0; i < sizeof(programs) / sizeof(*programs) && !ret; i++)
		if (bpf_program__fd(programs[i]) >= 0)
			ret = attach(z, programs[i]);
	return ret;
}

/* Opens a counter for each event on each CPU. */
static int open_events(struct eprof_bpf *skel, const struct probe_request *r,
		       struct probe_session *z)
{
	_free_ int *cpus = NULL;
	int n = r->n_events ? cpus_online(&cpus) : 0, ret = n < 0 ? n : 0;

	for (int i = 0; i < n; i++) {
		for (uint32_t k = 0; k < r->n_events && !ret; k++) {
			uint32_t at = (uint32_t)cpus[i] * WIRE_ZONE_EVENTS + k;
			int fd = event_open_counter(&r->events[k], cpus[i]);

			if (fd < 0)
				return fd;
			vec_push(&z->event_fds, fd);
			ret = bpf_map__update_elem(skel->maps.zone_events, &at, sizeof(at), &fd,
						   sizeof(fd), BPF_ANY);
		}
	}
	return ret ? err(ret, "cannot count events: %s", strerror(-ret)) : 0;
}

int probe_session_open(struct eprof_bpf *skel, const struct probe_request *r,
		       struct probe_session *out)
{
	struct probemaps_raw raw = {
		.probe_procs = bpf_map__fd(skel->maps.probe_procs),
		.probe_files = bpf_map__fd(skel->maps.probe_files),
		.zone_nodes = bpf_map__fd(skel->maps.zone_nodes),
		.probe_threads = bpf_map__fd(skel->maps.probe_threads),
		.zone_hist = bpf_map__fd(skel->maps.zone_hist),
		.probe_counters = bpf_map__fd(skel->maps.probe_counters),
		.zone_sums = has_clocks(r) ? bpf_map__fd(skel->maps.zone_sums) : -1,
		.zone_beside = has_beside(r) ? bpf_map__fd(skel->maps.zone_beside) : -1,
		.count_calls = counts(r) ? bpf_map__fd(skel->maps.probe_count_calls) : -1,
		.probe_counted = r->limited ? bpf_map__fd(skel->maps.probe_counted) : -1,
		.probe_enabled = &skel->bss->probe_enabled,
		.probe_epoch = &skel->data->probe_epoch,
		.zone_window = &skel->bss->zone_window,
		.zone_nodes_used = &skel->bss->zone_nodes_used,
		.probe_threads_used = &skel->bss->probe_threads_used,
		.probe_generation = skel->bss->probe_generation,
		.max_zones = r->max_zones,
	};
	int ret = probemaps_new(&raw, &out->maps);

	if (!ret)
		ret = open_events(skel, r, out);
	if (!ret)
		ret = attach_all(skel, out);
	/* Without this the loader sees new code a little later, and no return address may be
	 * hijacked. */
	if (!ret)
		out->sees_modules = !trace(out, bpf_program__fd(skel->progs.probe_mmap_enter),
					   "syscalls:sys_enter_mmap") &&
				    !trace(out, bpf_program__fd(skel->progs.probe_mmap_exit),
					   "syscalls:sys_exit_mmap");
	out->traps_fd = bpf_program__fd(skel->progs.probe_traps);
	out->traps_on = &skel->bss->probe_traps_on;
	out->stats_fd = -1;
	out->waits[0] = skel->progs.probe_wait;
	out->waits[1] = skel->progs.probe_waited;
	out->sessions = bpf_program__fd(skel->progs.probe_session) >= 0;
	out->probes = (struct probes){
		.multi = bpf_program__get_expected_attach_type(skel->progs.probe_entry) != 0,
		.actions = r->actions,
		.program_fds = {[PROBE_SESSION] = bpf_program__fd(skel->progs.probe_session),
				[PROBE_ENTRY] = bpf_program__fd(skel->progs.probe_entry),
				[PROBE_EXIT] = bpf_program__fd(skel->progs.probe_exit),
				[PROBE_HIT] = bpf_program__fd(skel->progs.probe_hit),
				[PROBE_SWITCH] = bpf_program__fd(skel->progs.probe_switch),
				[PROBE_SWITCH_TO] = bpf_program__fd(skel->progs.probe_switched)}};
	return ret;
}

void probe_session_close(struct probe_session *z)
{
	for (size_t i = 0; i < z->event_fds.n; i++)
		close(z->event_fds.at[i]);
	for (size_t i = 0; i < z->links.n; i++)
		bpf_link__destroy(z->links.at[i]);
	if (z->maps && z->stats_fd >= 0)
		close(z->stats_fd);
	vec_release(&z->event_fds);
	vec_release(&z->links);
	probemaps_free(z->maps);
	z->maps = NULL;
}
