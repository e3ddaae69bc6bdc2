#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/resource.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/file.h"
#include "base/mem.h"
#include "load/cpus.h"
#include "load/namespace.h"
#include "load/rights.h"
#include "load/ring.h"
#include "load/ran.h"
#include "load/sampling.h"
#include "load/session.h"
#include "eprof.skel.h"

struct session {
	struct session_options o;
	struct eprof_bpf *skel;
	struct bpf_link *follow;
	struct bpf_link *exits; /* see namespace_open() */
	struct ring *ring;	/* NULL: read to its end */
	int stats_fd;
	struct sampling by;
	struct hooks hooks;
	struct births followed; /* processes; all that BPF filters by */
	bool adopted, settled;	/* see session_settle() */
	struct ran ran;
	unsigned ticks; /* so many have been */
	struct zone_session zones;
};

/* libbpf explains itself on stderr; what it says is ours to tell, so it is kept quiet. */
static int quiet(enum libbpf_print_level level, const char *fmt, va_list args)
{
	(void)level;
	(void)fmt;
	(void)args;
	return 0;
}

static int load_error(int code)
{
	if (code == -EPERM)
		return err(code, "no right to load BPF programs: " RIGHTS_HOW);
	if (access("/sys/kernel/btf/vmlinux", R_OK))
		return err(-ENOTSUP,
			   "this kernel has no BTF (/sys/kernel/btf/vmlinux): it needs one "
			   "built with CONFIG_DEBUG_INFO_BTF=y");
	return err(code,
		   "the kernel refused eprof's BPF programs: %s ('eprof doctor' tells what "
		   "it lacks)",
		   strerror(-code));
}

static enum wire_filter filter_of(const struct session *s, const struct event *e)
{
	enum target_kind kind = s->o.target->kind;

	if (kind == TARGET_ALL)
		return WIRE_FILTER_NONE;
	if (e->class == EVENT_SAMPLED && (kind == TARGET_CGROUP || kind == TARGET_TID))
		return WIRE_FILTER_NONE;
	/* Timed ones may change over to CPUs. */
	if (e->class == EVENT_SAMPLED && !event_is_timed(e) && s->by.counts == SAMPLER_TASK)
		return WIRE_FILTER_NONE;
	return kind == TARGET_CGROUP ? WIRE_FILTER_CGROUP
	       : kind == TARGET_TID  ? WIRE_FILTER_TIDS
				     : WIRE_FILTER_PIDS;
}

static struct bpf_program *program_of(const struct session *s, size_t event)
{
	bool trace = s->o.events[event].class == EVENT_TRACEPOINT;
	char name[32];

	snprintf(name, sizeof(name), "%s_%zu", trace ? "trace" : "sample", event);
	return bpf_object__find_program_by_name(s->skel->obj, name);
}

/* Room for what may come within eight ticks: a sample and, as a rule of thumb, half a stack of
 * 64 frames each; between 8 and 16 MiB, a power of two. */
static uint32_t ring_bytes(const struct session *s, int cpus)
{
	double a_tick = s->o.hz * (double)s->o.tick_ns / 1e9 * cpus * (double)s->o.n_events;
	double want = 8 * a_tick * (sizeof(struct wire_sample) + 32 * sizeof(uint64_t));
	uint32_t bytes = 8 * 1024 * 1024; /* a hundred slices, of the first moments */

	while (bytes < want && bytes < 16 * 1024 * 1024)
		bytes *= 2;
	return bytes;
}

static void configure_pace(struct session *s, size_t event)
{
	const struct event *e = &s->o.events[event];
	struct wire_pace pace = {0};
	bool idle = !e->clock && (e->counted || e->class == EVENT_TRACEPOINT);
	uint32_t mode = idle ? WIRE_MODE_IDLE : 0;

	if (e->clock && e->exclude_user)
		mode |= WIRE_MODE_NO_USER;
	if (e->clock && e->exclude_kernel)
		mode |= WIRE_MODE_NO_KERNEL;
	if (event_is_stepped(e))
		pace.every = e->every;
	if (e->counted && !e->every) {
		pace.window_ns = e->most_hz < 100 ? 1000000000 : 100000000;
		pace.most = (e->most_hz * pace.window_ns + 999999999) / 1000000000;
	}
	memcpy((void *)&s->skel->rodata->config_pace[event], &pace, sizeof(pace));
	s->skel->rodata->config_mode[event] = mode;
}

static void configure(struct session *s)
{
	bool filters = false, timed = false;

	for (size_t i = 0; i < s->o.n_events; i++) {
		enum wire_filter filter = filter_of(s, &s->o.events[i]);

		s->skel->rodata->config_filter[i] = filter;
		filters |= filter == WIRE_FILTER_PIDS;
		timed |= event_is_timed(&s->o.events[i]);
		bpf_program__set_autoload(program_of(s, i), true);
		configure_pace(s, i);
	}
	bpf_program__set_autoload(s->skel->progs.time_tick, timed);
	bpf_program__set_autoload(s->skel->progs.follow_fork, filters && s->o.target->inherit);
	namespace_configure(s->skel);
	ran_configure(s->skel, s->o.target);
	s->skel->rodata->config_self_time = s->stats_fd < 0;
	if (s->o.target->kind == TARGET_ALL || s->o.target->kind == TARGET_CGROUP)
		s->skel->rodata->config_own_pid = (uint32_t)getpid();
	if (s->o.hash_bits < 64)
		s->skel->rodata->config_hash_mask = (1ull << s->o.hash_bits) - 1;
	zone_session_configure(s->skel, s->o.zones, s->o.target);
	bpf_map__set_max_entries(s->skel->maps.ring, ring_bytes(s, cpus_possible()));
}

static int add_to_filter(struct session *s, uint32_t id)
{
	uint8_t one = 1;

	return bpf_map__update_elem(s->skel->maps.target_pids, &id, sizeof(id), &one, 1, BPF_ANY);
}

static int fill_filter(struct session *s)
{
	const struct target *t = s->o.target;
	uint32_t zero = 0;
	int ret = 0;

	if (t->kind == TARGET_CGROUP)
		ret = bpf_map__update_elem(s->skel->maps.target_cgroup, &zero, sizeof(zero),
					   &t->cgroup_fd, sizeof(int), BPF_ANY);
	else if (t->kind == TARGET_TID)
		ret = add_to_filter(s, t->tid);
	else
		for (size_t i = 0; i < t->pids.n && !ret; i++)
			ret = add_to_filter(s, t->pids.at[i]);
	return ret ? err(ret, "cannot tell BPF its target: %s", strerror(-ret)) : 0;
}

static void raise_file_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < limit.rlim_max) {
		limit.rlim_cur = limit.rlim_max;
		setrlimit(RLIMIT_NOFILE, &limit);
	}
}

static int load(struct session *s)
{
	int ret = namespace_check();

	if (ret)
		return ret;

	s->skel = eprof_bpf__open();
	if (!s->skel)
		return load_error(-errno);
	configure(s);
	ret = eprof_bpf__load(s->skel);
	if (ret)
		return load_error(ret);
	ret = namespace_open(s->skel, &s->exits);
	if (!ret)
		ret = fill_filter(s);
	if (!ret && s->o.zones)
		ret = zone_session_open(s->skel, s->o.zones, &s->zones);
	return ret ? ret : ring_open(bpf_map__fd(s->skel->maps.ring), &s->ring);
}

int session_open(const struct session_options *o, struct session **out)
{
	struct session *s = mem_zalloc(1, sizeof(*s));
	int ret;

	s->o = *o;
	libbpf_set_print(quiet);
	raise_file_limit();
	s->by = sampling_choose(
		&(struct sampling_options){o->target, o->sampler, o->hz, o->n_events});
	/* They slow down all programs in the kernel, not ours alone: only where nothing else does.
	 */
	s->stats_fd = o->zones && zone_session_needs_stats(o->zones)
			      ? bpf_enable_stats(BPF_STATS_RUN_TIME)
			      : -1;
	ret = load(s);
	if (ret) {
		session_close(s);
		return ret;
	}
	*out = s;
	return 0;
}

int session_attach(struct session *s)
{
	if (bpf_program__fd(s->skel->progs.follow_fork) >= 0) {
		s->follow = bpf_program__attach(s->skel->progs.follow_fork);
		if (!s->follow)
			return load_error(-errno);
	}
	for (size_t i = 0; i < s->o.target->pids.n; i++)
		births_note(&s->followed, s->o.target->pids.at[i], clock_ns(CLOCK_MONOTONIC));
	ran_attach(&s->ran, s->skel, s->o.target);
	s->hooks.o = (struct hooks_options){.events = s->o.events,
					    .n_events = s->o.n_events,
					    .hz = s->o.hz,
					    .target = s->o.target,
					    .by = s->by};
	for (size_t i = 0; i < s->o.n_events; i++)
		s->hooks.o.program_fds[i] = bpf_program__fd(program_of(s, i));
	return hooks_attach(&s->hooks);
}

/* Takes @pid, too; its children from now on follow by themselves. One that has exited does not
 * leave its number in the filter, for others. */
static int follow(struct session *s, uint32_t pid)
{
	int ret;

	if (kill((pid_t)pid, 0)) {
		births_note(&s->followed, pid, BIRTHS_NEVER);
		return 0;
	}
	ret = add_to_filter(s, pid);
	births_note(&s->followed, pid, clock_ns(CLOCK_MONOTONIC));
	return ret ? err(ret, "cannot tell BPF its target: %s", strerror(-ret)) : 0;
}

int session_add(struct session *s, uint32_t pid)
{
	int ret = follow(s, pid);

	if (ret)
		return ret;
	ret = hooks_add(&s->hooks, pid);
	return ret == -ESRCH ? 0 : ret;
}

void session_adopt(struct session *s, uint32_t parent_pid, uint32_t pid, uint32_t parent_tid,
		   uint32_t tid, uint64_t born_ns)
{
	const struct target *t = s->o.target;

	if (s->settled || t->kind != TARGET_PIDS || !t->inherit)
		return;
	if (pid != parent_pid && !births_inherit(&s->followed, parent_pid, pid, born_ns)) {
		s->adopted = true;
		(void)follow(s, pid);
	}
	s->adopted |= hooks_adopt(&s->hooks, parent_tid, tid, born_ns);
}

bool session_settle(struct session *s)
{
	bool settled = !s->adopted;

	s->settled |= s->hooks.started && settled;
	s->adopted = false;
	return settled;
}

struct hooks *session_hooks(struct session *s)
{
	return &s->hooks;
}

struct zone_session *session_zones(struct session *s)
{
	return s->zones.maps ? &s->zones : NULL;
}

void session_close(struct session *s)
{
	if (!s)
		return;
	hooks_release(&s->hooks);
	births_release(&s->followed);
	ran_detach(&s->ran);
	zone_session_close(&s->zones);
	bpf_link__destroy(s->follow);
	bpf_link__destroy(s->exits);
	ring_close(s->ring);
	if (s->stats_fd >= 0)
		close(s->stats_fd);
	eprof_bpf__destroy(s->skel);
	free(s);
}

int session_drain(struct session *s, uint64_t most_bytes, ring_record_fn fn, void *context)
{
	if (!s->ring)
		return 0;
	s->skel->bss->ring_woken = 0;
	return ring_drain(s->ring, most_bytes, fn, context);
}

void session_drained(struct session *s)
{
	ring_close(s->ring);
	s->ring = NULL;
}

int session_fd(const struct session *s)
{
	return ring_fd(s->ring);
}

int session_tables(struct session *s, struct tables **out)
{
	struct tables_maps maps = {.tables_fd = bpf_map__fd(s->skel->maps.tables),
				   .pools_fd = bpf_map__fd(s->skel->maps.pools),
				   .wanted_fd = bpf_map__fd(s->skel->maps.wanted),
				   .epoch = &s->skel->bss->table_epoch};

	return tables_new(&maps, s->o.table_bytes, out);
}

void session_new_epoch(struct session *s)
{
	s->skel->bss->stack_epoch++;
}

static int counter_by_cpu(struct session *s, size_t event, uint32_t counter, uint64_t *out)
{
	uint32_t key = (uint32_t)event * WIRE_COUNTERS + counter;
	int ret = bpf_map__lookup_elem(s->skel->maps.counters, &key, sizeof(key), out,
				       (size_t)cpus_possible() * sizeof(*out), 0);

	return ret ? err(ret, "cannot read the counters: %s", strerror(-ret)) : 0;
}

int session_hits_by_cpu(struct session *s, size_t event, uint64_t *out)
{
	int cpus = cpus_possible();
	_free_ uint64_t *left_out = mem_zalloc((size_t)cpus, sizeof(*left_out));
	int ret = counter_by_cpu(s, event, WIRE_TAKEN, out);

	if (!ret)
		ret = counter_by_cpu(s, event, WIRE_OTHER_MODE, left_out);
	for (int i = 0; i < cpus && !ret; i++)
		out[i] += left_out[i];
	return ret;
}

int session_counters(struct session *s, size_t event, uint64_t out[WIRE_COUNTERS])
{
	int cpus = cpus_possible();
	_free_ uint64_t *values = mem_zalloc((size_t)cpus, sizeof(*values));

	/* The programs go on meanwhile. What becomes of a hit is counted behind TAKEN, and read
	 * before it: there are never more outcomes than hits. */
	_Static_assert(WIRE_TAKEN == 0, "TAKEN is read last");
	for (uint32_t c = WIRE_COUNTERS; c-- > 0;) {
		int ret = counter_by_cpu(s, event, c, values);

		if (ret)
			return ret;
		out[c] = 0;
		for (int i = 0; i < cpus; i++)
			out[c] += values[i];
	}
	return 0;
}

int session_steps(struct session *s, size_t event, session_step_list *out)
{
	uint32_t key = (uint32_t)event;
	size_t cpus = (size_t)cpus_possible();
	_free_ struct wire_step *steps = mem_zalloc(cpus, sizeof(*steps));
	int ret = bpf_map__lookup_elem(s->skel->maps.steps, &key, sizeof(key), steps,
				       cpus * sizeof(*steps), 0);

	if (ret)
		return err(ret, "cannot read the counters: %s", strerror(-ret));
	for (size_t i = 0; i < cpus; i++)
		vec_push(out, steps[i]);
	return 0;
}

uint64_t session_missed(const struct session *s, size_t event)
{
	struct bpf_prog_info info = {0};
	uint32_t n = sizeof(info);

	return bpf_obj_get_info_by_fd(bpf_program__fd(program_of(s, event)), &info, &n)
		       ? 0
		       : info.recursion_misses;
}

/* "memlock:" of a map's fdinfo. */
static uint64_t map_bytes(int fd)
{
	_free_ char *path = mem_printf("/proc/self/fdinfo/%d", fd);
	_free_ char *text = NULL;
	const char *at;
	size_t n;

	if (file_read(path, 4096, &text, &n) || !(at = strstr(text, "memlock:")))
		return 0;
	return strtoull(at + 8, NULL, 10);
}

/* A program that is timed otherwise, where the kernel's statistics are not on all the time. */
static bool is_timed_otherwise(const struct session *s, int program_fd)
{
	for (size_t i = 0; i < s->o.n_events; i++)
		if (bpf_program__fd(program_of(s, i)) == program_fd)
			return true;
	return s->o.zones && probes_have(&s->zones.probes, program_fd);
}

/* By the kernel's statistics: of all programs, or of those that nothing else times. */
static void add_runs(const struct session *s, struct session_cost *out)
{
	struct bpf_program *program;

	bpf_object__for_each_program(program, s->skel->obj)
	{
		int fd = bpf_program__fd(program);
		struct program_run run = program_run(fd);

		if (!out->by_kernel && is_timed_otherwise(s, fd))
			continue;
		out->bpf_ns += run.ns;
		out->bpf_runs += run.runs;
	}
}

void session_cost(struct session *s, struct session_cost *out)
{
	struct bpf_map *map;

	*out = (struct session_cost){.by_kernel = s->stats_fd >= 0};
	/* Else they are on for moments, while probes are calibrated: that part of the runs says
	 * nothing. */
	if (out->by_kernel || s->zones.watches_waits)
		add_runs(s, out);
	bpf_object__for_each_map(map, s->skel->obj) out->map_bytes += map_bytes(bpf_map__fd(map));
	for (size_t i = 0; i < s->o.n_events && !out->by_kernel; i++) {
		uint64_t counters[WIRE_COUNTERS];

		if (session_counters(s, i, counters))
			continue;
		out->bpf_ns += counters[WIRE_RUN_NS] + counters[WIRE_RUN_OTHERS_NS];
		out->bpf_runs += counters[WIRE_TAKEN];
	}
}

uint64_t session_event_ns(struct session *s, size_t event)
{
	uint64_t counters[WIRE_COUNTERS];

	if (s->stats_fd >= 0)
		return program_run(bpf_program__fd(program_of(s, event))).ns;
	return session_counters(s, event, counters) ? 0 : counters[WIRE_RUN_NS];
}

struct tick_program session_tick_program(const struct session *s)
{
	return (struct tick_program){.fd = bpf_program__fd(s->skel->progs.time_tick),
				     .count = &s->skel->bss->timed_ticks};
}

bool session_filters(const struct session *s, size_t event)
{
	return filter_of(s, &s->o.events[event]) != WIRE_FILTER_NONE;
}

struct sampling session_sampling(const struct session *s)
{
	return s->hooks.o.by;
}

bool session_interrupts_others(const struct session *s)
{
	enum target_kind kind = s->o.target->kind;

	return (kind == TARGET_PIDS || kind == TARGET_COMMAND) && s->hooks.o.by.time == SAMPLER_CPU;
}

bool session_ran(struct session *s, uint64_t *ns)
{
	return s->hooks.started ? ran_read(&s->ran, ns) : ran_last(&s->ran, ns);
}

int session_start(struct session *s)
{
	ran_start(&s->ran);
	return hooks_start(&s->hooks);
}

void session_stop(struct session *s)
{
	ran_stop(&s->ran);
	hooks_stop(&s->hooks);
}

void session_await_exits(struct session *s)
{
	ran_settle(&s->ran);
}

/* The first event that is a clock, by task, and may be sampled by CPU; -1: none. */
static int changeable(const struct session *s)
{
	if (s->o.target->kind != TARGET_PIDS || s->o.sampler != SAMPLER_AUTO ||
	    s->hooks.o.by.time == SAMPLER_CPU || !sampling_by_cpu_is_cheap(s->o.hz))
		return -1;
	for (size_t i = 0; i < s->o.n_events; i++)
		if (s->o.events[i].clock && !s->o.events[i].exclude_user &&
		    !s->o.events[i].exclude_kernel)
			return (int)i;
	return -1;
}

/* At ticks 1, 2, 4 … 64, then every 64th: to go through all threads of a large machine takes a
 * millisecond. */
static bool is_due(unsigned tick)
{
	return tick >= 64 ? tick % 64 == 0 : (tick & (tick - 1)) == 0;
}

void session_tick(struct session *s)
{
	uint64_t counters[WIRE_COUNTERS], ran_ns;
	int event = changeable(s);
	struct coverage c = {.period_ns = 1e9 / s->o.hz};

	if (event < 0 || !is_due(++s->ticks) || !session_ran(s, &ran_ns) ||
	    session_counters(s, (size_t)event, counters))
		return;
	c.ran_ns = (double)ran_ns;
	c.sampled_ns = (double)counters[WIRE_TAKEN] * c.period_ns;
	/* Where it cannot be, the ledger has the row all the same. */
	if (sampling_falls_short(&c))
		(void)hooks_change_over(&s->hooks);
}
