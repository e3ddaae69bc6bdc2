#include "load/configure.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <sys/stat.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "base/err.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/str.h"
#include "wire_fields.h"
#include "eprof.skel.h"
#include "load/counters.h"
#include "load/kernel_types.h"
#include "load/ran.h"
#include "process/procfs.h"

static enum wire_filter filter_of(enum target_kind kind)
{
	return kind == TARGET_ALL      ? WIRE_FILTER_NONE
	       : kind == TARGET_CGROUP ? WIRE_FILTER_CGROUP
	       : kind == TARGET_TID    ? WIRE_FILTER_TIDS
				       : WIRE_FILTER_PIDS;
}

bool configure_filters(const struct session_options *o, struct sampling by, size_t event)
{
	const struct event *e = &o->events[event];
	enum target_kind kind = o->target->kind;

	if (kind == TARGET_ALL)
		return false;
	if (e->class == EVENT_SAMPLED && (kind == TARGET_CGROUP || kind == TARGET_TID))
		return false;
	/* Events that count time may change over to sampling by CPU. */
	return !(e->class == EVENT_SAMPLED && !event_is_timed(e) && by.counts == SAMPLER_TASK);
}

struct bpf_program *configure_program(struct eprof_bpf *skel, const struct session_options *o,
				      size_t event)
{
	const enum event_class class = o->events[event].class;
	char name[64];

	snprintf(name, sizeof(name), "%s_%zu", class == EVENT_TRACEPOINT ? "trace" : "sample",
		 event);
	return bpf_object__find_program_by_name(skel->obj, name);
}

/* Room for eight ticks of records, each a sample and, as a rule of thumb, half a stack of 64
 * frames; from 8 to 16 MiB, a power of two. */
static uint32_t ring_bytes(const struct session_options *o, int cpus)
{
	double a_tick = o->hz * (double)o->tick_ns / 1e9 * cpus * (double)o->n_events;
	double want = 8 * a_tick * (sizeof(struct wire_sample) + 32 * sizeof(uint64_t));
	uint32_t bytes = 8 * 1024 * 1024; /* a hundred slices in the first moments */

	while (bytes < want && bytes < 16 * 1024 * 1024)
		bytes *= 2;
	return bytes;
}

/* Half a minute of stacks, two per sample, if none ever recurs. Fewer at low rates, since the
 * kernel allocates the whole map at once. */
static uint32_t stacks_known(const struct session_options *o, int cpus, uint32_t most)
{
	uint32_t n = 8192;

	for (size_t i = 0; i < o->n_events; i++)
		if (!event_is_timed(&o->events[i]))
			return most;
	if (o->paces.n)
		return most;
	while (n < most && n < 30 * 2 * o->hz * cpus * (double)o->n_events)
		n *= 2;
	return n;
}

struct wire_pace session_pace(uint64_t every, uint64_t most_hz)
{
	struct wire_pace pace = {.every = every};

	if (!every && most_hz) {
		pace.window_ns = most_hz < 100 ? 1000000000 : 100000000;
		pace.most = (most_hz * pace.window_ns + 999999999) / 1000000000;
	}
	return pace;
}

static void configure_fields(struct eprof_bpf *skel, const struct tracepoint_fields *f,
			     size_t event)
{
	struct wire_fields fields = {0};

	for (uint32_t i = 0; i < f->n; i++)
		fields.labels[i] = f->labels[i].at;
	if (f->has_sum)
		fields.sum = f->sum.at;
	memcpy((void *)&skel->rodata->config_fields[event], &fields, sizeof(fields));
}

static void configure_pace(struct eprof_bpf *skel, const struct event *e, size_t event)
{
	struct wire_pace pace = {0};
	bool idle = !e->clock && (e->counted || e->class == EVENT_TRACEPOINT);
	uint32_t mode = idle ? WIRE_MODE_IDLE : 0;

	if (e->clock && e->exclude_user)
		mode |= WIRE_MODE_NO_USER;
	if (e->clock && e->exclude_kernel)
		mode |= WIRE_MODE_NO_KERNEL;
	if (event_is_stepped(e))
		pace = session_pace(e->every, e->counted ? e->most_hz : 0);
	memcpy((void *)&skel->rodata->config_pace[event], &pace, sizeof(pace));
	configure_fields(skel, &e->fields, event);
	skel->rodata->config_mode[event] = mode;
}

/* Programs and maps of sources. */
static void configure_sources(struct eprof_bpf *skel, const struct session_options *o)
{
	struct bpf_map *map;

	for (size_t i = 0; i < o->programs.n; i++)
		bpf_program__set_autoload(
			bpf_object__find_program_by_name(skel->obj, o->programs.at[i]), true);
	for (size_t i = 0; i < o->map_sizes.n; i++)
		bpf_map__set_max_entries(
			bpf_object__find_map_by_name(skel->obj, o->map_sizes.at[i].map),
			o->map_sizes.at[i].entries);
	for (size_t i = 0; i < o->absent.n; i++) {
		_free_ char *prefix = mem_printf("%s_", o->absent.at[i]);

		bpf_object__for_each_map(map, skel->obj)
		{
			if (str_starts(bpf_map__name(map), prefix))
				bpf_map__set_autocreate(map, false);
		}
	}
}

/* Random keys for the hashes of stacks, so that nobody can craft colliding stacks. */
static void draw_hash_keys(struct eprof_bpf *skel)
{
	uint64_t keys[sizeof(skel->rodata->config_hash_keys) / sizeof(uint64_t)];

	chance_fill(keys, sizeof(keys) / sizeof(*keys));
	memcpy((void *)skel->rodata->config_hash_keys, keys, sizeof(keys));
}

/* Makes the programs identify processes by the numbers that the loader sees (bpf/ids.h). */
static void configure_ids(struct eprof_bpf *skel)
{
	bool inner = !procfs_in_first_namespace();

	skel->rodata->config_ids_inner = inner;
	bpf_program__set_autoload(skel->progs.ids_learn, inner);
	bpf_program__set_autoload(skel->progs.ids_exit, inner);
	bpf_map__set_autocreate(skel->maps.ids_past, inner);
}

void configure(struct eprof_bpf *skel, const struct session_options *o, struct sampling by,
	       bool self_time)
{
	const enum wire_filter target = filter_of(o->target->kind);
	bool follows = o->probes || o->programs.n, timed = false;
	struct stat cgroup;

	for (size_t i = 0; i < o->n_events; i++) {
		skel->rodata->config_filter[i] = configure_filters(o, by, i);
		follows |= configure_filters(o, by, i);
		timed |= event_is_timed(&o->events[i]);
		bpf_program__set_autoload(configure_program(skel, o, i), true);
		configure_pace(skel, &o->events[i], i);
	}
	for (size_t i = 0; i < o->paces.n; i++)
		memcpy((void *)&skel->rodata->config_pace[o->paces.at[i].stream],
		       &o->paces.at[i].is, sizeof(o->paces.at[i].is));
	bpf_program__set_autoload(skel->progs.time_tick, timed);
	skel->rodata->config_target = target;
	skel->rodata->config_inherit = o->target->inherit;
	follows &= target == WIRE_FILTER_PIDS && o->target->inherit;
	bpf_program__set_autoload(skel->progs.follow_fork, follows || o->probes);
	configure_ids(skel);
	ran_configure(skel, o->target);
	skel->rodata->config_self_time = self_time;
	if (o->target->kind == TARGET_ALL || o->target->kind == TARGET_CGROUP)
		skel->rodata->config_own_pid = (uint32_t)getpid();
	if (o->target->kind == TARGET_CGROUP && !fstat(o->target->cgroup_fd, &cgroup))
		skel->rodata->config_cgroup = cgroup.st_ino;
	draw_hash_keys(skel);
	if (o->hash_bits < 64)
		skel->rodata->config_hash_mask = (1ull << o->hash_bits) - 1;
	skel->rodata->config_call_arguments = o->call_arguments;
	skel->rodata->config_async = o->async;
	configure_sources(skel, o);
	probe_session_configure(skel, o->probes);
	bpf_map__set_max_entries(skel->maps.ring, ring_bytes(o, counters_cpus()));
	bpf_map__set_max_entries(
		skel->maps.known_stacks,
		stacks_known(o, counters_cpus(), bpf_map__max_entries(skel->maps.known_stacks)));
}

int configure_learn_ids(struct eprof_bpf *skel, struct bpf_link **out)
{
	LIBBPF_OPTS(bpf_test_run_opts, run);
	int ret;

	if (!skel->rodata->config_ids_inner)
		return 0;
	ret = bpf_prog_test_run_opts(bpf_program__fd(skel->progs.ids_learn), &run);
	if (!ret && !run.retval)
		ret = -EFAULT;
	if (!ret) {
		*out = kernel_types_attach(skel->progs.ids_exit);
		ret = *out ? 0 : -errno;
	}
	return ret ? err(ret, "cannot identify the processes of this PID namespace: %s",
			 strerror(-ret))
		   : 0;
}
