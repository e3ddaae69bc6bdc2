#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "base/err.h"
#include "base/str.h"
#include "load/event.h"
#include "load/uprobes.h"
#include "load/zone_session.h"
#include "eprof.skel.h"

/* Which processes count that the loader says nothing of: config_zone_all of bpf/zone/. */
enum { ZONES_NAMED = 0, ZONES_ALL = 1, ZONES_CGROUP = 2 };

static void drop_maps(struct eprof_bpf *skel)
{
	struct bpf_map *map;

	bpf_object__for_each_map(map, skel->obj) if (str_starts(bpf_map__name(map), "zone_"))
		bpf_map__set_autocreate(map, false);
}

static void want(struct bpf_program *program, enum uprobes_attach attach)
{
	bpf_program__set_autoload(program, true);
	if (attach != UPROBES_PERF)
		bpf_program__set_expected_attach_type(program, (enum bpf_attach_type)attach);
}

/* Uprobes that come many at once, where the kernel can and is not to be taken for an older one. */
static bool has(enum uprobes_attach attach, const struct zone_request *r)
{
	if (r->one_by_one || (attach == UPROBES_SESSION && r->no_session))
		return false;
	return uprobes_try(attach) == 0;
}

static void choose_programs(struct eprof_bpf *skel, const struct zone_request *r)
{
	enum uprobes_attach attach = has(UPROBES_MULTI, r) ? UPROBES_MULTI : UPROBES_PERF;

	if (has(UPROBES_SESSION, r))
		want(skel->progs.zone_session, UPROBES_SESSION);
	want(skel->progs.zone_entry, attach);
	want(skel->progs.zone_exit, attach);
	want(skel->progs.zone_switch, attach);
	want(skel->progs.zone_switched, attach);
	bpf_program__set_autoload(skel->progs.zone_thread_exit, true);
	bpf_program__set_autoload(skel->progs.zone_exec, true);
	bpf_program__set_autoload(skel->progs.zone_fork, true);
	bpf_program__set_autoload(skel->progs.zone_mmap_enter, true);
	bpf_program__set_autoload(skel->progs.zone_mmap_exit, true);
}

void zone_session_configure(struct eprof_bpf *skel, const struct zone_request *r,
			    const struct target *t)
{
	if (!r) {
		drop_maps(skel);
		return;
	}
	skel->rodata->config_zones = 1;
	skel->rodata->config_zone_clocks = r->clocks;
	skel->rodata->config_zone_count = r->max_zones + WIRE_ZONE_SPARE;
	skel->rodata->config_zone_inherit = t->inherit;
	skel->rodata->config_zone_tid = t->kind == TARGET_TID ? t->tid : 0;
	skel->rodata->config_zone_all = t->kind == TARGET_ALL	   ? ZONES_ALL
					: t->kind == TARGET_CGROUP ? ZONES_CGROUP
								   : ZONES_NAMED;
	bpf_map__set_max_entries(skel->maps.zone_nodes,
				 1 + r->max_zones + WIRE_ZONE_SPARE + WIRE_ZONE_NODES);
	choose_programs(skel, r);
}

static int attach(struct zone_session *z, struct bpf_program *program)
{
	struct bpf_link *link = bpf_program__attach(program);

	if (!link)
		return err(-errno, "cannot watch threads come and go: %s", strerror(errno));
	z->links[z->n_links++] = link;
	return 0;
}

static int trace(struct zone_session *z, struct bpf_program *program, const char *name)
{
	struct event event;
	int fd = event_parse(name, &event);

	if (!fd)
		fd = event_open_tracepoint(&event);
	if (fd < 0)
		return fd;
	z->event_fds[z->n_events++] = fd;
	if (ioctl(fd, PERF_EVENT_IOC_SET_BPF, bpf_program__fd(program)) ||
	    ioctl(fd, PERF_EVENT_IOC_ENABLE, 0))
		return err(-errno, "cannot hang a program on '%s': %s", name, strerror(errno));
	return 0;
}

int zone_session_open(struct eprof_bpf *skel, const struct zone_request *r,
		      struct zone_session *out)
{
	struct zonemaps_raw raw = {
		.zone_procs = bpf_map__fd(skel->maps.zone_procs),
		.zone_nodes = bpf_map__fd(skel->maps.zone_nodes),
		.zone_threads = bpf_map__fd(skel->maps.zone_threads),
		.zone_hist = bpf_map__fd(skel->maps.zone_hist),
		.zone_counters = bpf_map__fd(skel->maps.zone_counters),
		.zone_sums = -1,
		.zone_enabled = &skel->bss->zone_enabled,
		.zone_epoch = &skel->data->zone_epoch,
		.zone_nodes_used = &skel->bss->zone_nodes_used,
		.zone_threads_used = &skel->bss->zone_threads_used,
		.zone_generation = skel->bss->zone_generation,
		.max_zones = r->max_zones,
	};
	struct bpf_program *const watchers[] = {skel->progs.zone_thread_exit, skel->progs.zone_exec,
						skel->progs.zone_fork};
	int ret = zonemaps_new(&raw, &out->maps);

	for (size_t i = 0; i < sizeof(watchers) / sizeof(*watchers) && !ret; i++)
		ret = attach(out, watchers[i]);
	/* Without it the loader sees new code a little later. */
	if (!ret)
		out->sees_modules =
			!trace(out, skel->progs.zone_mmap_enter, "syscalls:sys_enter_mmap") &&
			!trace(out, skel->progs.zone_mmap_exit, "syscalls:sys_exit_mmap");
	out->sessions = bpf_program__fd(skel->progs.zone_session) >= 0;
	out->probes.multi = bpf_program__get_expected_attach_type(skel->progs.zone_entry) != 0;
	for (int i = 0; i < PROBE_PROGRAMS; i++)
		out->probes.program_fds[i] = -1;
	out->probes.program_fds[PROBE_SESSION] = bpf_program__fd(skel->progs.zone_session);
	out->probes.program_fds[PROBE_ENTRY] = bpf_program__fd(skel->progs.zone_entry);
	out->probes.program_fds[PROBE_EXIT] = bpf_program__fd(skel->progs.zone_exit);
	out->probes.program_fds[PROBE_SWITCH] = bpf_program__fd(skel->progs.zone_switch);
	out->probes.program_fds[PROBE_SWITCH_TO] = bpf_program__fd(skel->progs.zone_switched);
	return ret;
}

void zone_session_close(struct zone_session *z)
{
	while (z->n_events)
		close(z->event_fds[--z->n_events]);
	while (z->n_links)
		bpf_link__destroy(z->links[--z->n_links]);
	zonemaps_free(z->maps);
	z->maps = NULL;
}
