#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <sys/epoll.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/file.h"
#include "base/mem.h"
#include "load/backend.h"
#include "load/configure.h"
#include "load/counters.h"
#include "load/kernel_types.h"
#include "load/pool.h"
#include "load/ring.h"
#include "load/ran.h"
#include "load/sampling.h"
#include "perf/cpus.h"
#include "perf/rights.h"
#include "process/opener.h"
#include "wire_fields.h"
#include "eprof.skel.h"

struct bpf_session {
	struct session_options o;
	struct sideband *sideband;
	struct eprof_bpf *skel;
	struct bpf_link *follow;
	struct bpf_link *exits; /* see configure_learn_ids() */
	VEC(struct bpf_link *) of_sources;
	struct pool_first *pool; /* NULL: the tables own it */
	struct ring *ring;	 /* NULL: drained for good */
	int stats_fd;
	struct sampling by;
	struct hooks hooks;
	struct births followed; /* processes; complete if BPF filters by process */
	bool adopted, settled;	/* see session_settle() */
	struct ran ran;
	struct cpu_watch cpus;
	unsigned ticks; /* number of ticks so far */
	struct probe_session probes;
};

/* Silences libbpf, which would explain errors on stderr: those are ours to report. */
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
		return err(code, "no permission to load BPF programs: " RIGHTS_HOW);
	if (access("/sys/kernel/btf/vmlinux", R_OK))
		return err(-ENOTSUP,
			   "this kernel has no BTF (/sys/kernel/btf/vmlinux): it needs one "
			   "built with CONFIG_DEBUG_INFO_BTF=y");
	return err(code,
		   "the kernel refused eprof's BPF programs: %s ('eprof doctor' shows "
		   "what it lacks)",
		   strerror(-code));
}

static struct bpf_program *program_of(const struct bpf_session *s, size_t event)
{
	return configure_program(s->skel, &s->o, event);
}

static int add_to_filter(struct bpf_session *s, uint32_t id)
{
	const uint64_t born_ns = 0;

	return bpf_map__update_elem(s->skel->maps.target_pids, &id, sizeof(id), &born_ns,
				    sizeof(born_ns), BPF_ANY);
}

static int fill_filter(struct bpf_session *s)
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
	return ret ? err(ret, "cannot pass the target to the BPF programs: %s", strerror(-ret)) : 0;
}

static int load(struct bpf_session *s)
{
	struct kernel_types *types;
	int ret;

	s->skel = kernel_types_open(&types);
	if (!s->skel)
		return load_error(-errno);
	configure(s->skel, &s->o, s->by, s->stats_fd < 0);
	s->pool = pool_begin(s->skel->maps.pools);
	ret = eprof_bpf__load(s->skel);
	kernel_types_free(types);
	if (ret)
		return load_error(ret);
	ret = configure_learn_ids(s->skel, &s->exits);
	if (!ret)
		ret = fill_filter(s);
	if (!ret && s->o.probes)
		ret = probe_session_open(s->skel, s->o.probes, &s->probes);
	return ret ? ret : ring_open(bpf_map__fd(s->skel->maps.ring), &s->ring);
}

/* Frees the first pool if no tables took it over. */
static void drop_pool(struct bpf_session *s)
{
	int fd = pool_end(s->pool);

	if (fd >= 0)
		close(fd);
}

static void bpf_close(void *state)
{
	struct bpf_session *s = state;

	if (!s)
		return;
	hooks_release(&s->hooks);
	cpu_watch_release(&s->cpus);
	births_release(&s->followed);
	ran_detach(&s->ran);
	probe_session_close(&s->probes);
	bpf_link__destroy(s->follow);
	for (size_t i = 0; i < s->of_sources.n; i++)
		bpf_link__destroy(s->of_sources.at[i]);
	vec_release(&s->of_sources);
	bpf_link__destroy(s->exits);
	ring_close(s->ring);
	drop_pool(s);
	sideband_close(s->sideband);
	if (s->stats_fd >= 0)
		close(s->stats_fd);
	eprof_bpf__destroy(s->skel);
	free(s);
}

static int bpf_open(const struct session_options *o, void **out)
{
	struct bpf_session *s = mem_zalloc(1, sizeof(*s));
	int ret;

	s->o = *o;
	libbpf_set_print(quiet);
	s->by = sampling_choose(&(struct sampling_options){o->target, o->sampler, o->hz,
							   o->n_events, o->spares_switches});
	/* The kernel's statistics slow down all BPF programs of the machine, so enable them only if
	 * the run time cannot be found otherwise. */
	s->stats_fd = o->probes && probe_session_needs_stats(o->probes)
			      ? bpf_enable_stats(BPF_STATS_RUN_TIME)
			      : -1;
	/* The sideband first, so that no birth or mapping is missed. */
	ret = sideband_open(o->probes != NULL, &s->sideband);
	if (!ret)
		ret = load(s);
	if (ret) {
		bpf_close(s);
		return ret;
	}
	*out = s;
	return 0;
}

static int attach_of_sources(struct bpf_session *s)
{
	for (size_t i = 0; i < s->o.programs.n; i++) {
		const char *name = s->o.programs.at[i];
		struct bpf_link *link =
			kernel_types_attach(bpf_object__find_program_by_name(s->skel->obj, name));

		if (!link)
			return err(-errno, "cannot attach the BPF program '%s': %s", name,
				   strerror(errno));
		vec_push(&s->of_sources, link);
	}
	return 0;
}

static int bpf_attach(void *state)
{
	struct bpf_session *s = state;
	_free_ int *none = NULL;
	int ret = attach_of_sources(s);

	if (ret)
		return ret;
	(void)cpu_watch_look(&s->cpus, &none);
	if (bpf_program__fd(s->skel->progs.follow_fork) >= 0) {
		s->follow = kernel_types_attach(s->skel->progs.follow_fork);
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

/* Adds @pid to the filter; its later children follow automatically. Removes the number again if it
 * has exited, since another process may get it. */
static int follow(struct bpf_session *s, uint32_t pid)
{
	int ret;

	if (kill((pid_t)pid, 0) && errno == ESRCH) {
		births_note(&s->followed, pid, BIRTHS_NEVER);
		return 0;
	}
	ret = add_to_filter(s, pid);
	births_note(&s->followed, pid, clock_ns(CLOCK_MONOTONIC));
	return ret ? err(ret, "cannot pass the target to the BPF programs: %s", strerror(-ret)) : 0;
}

static int bpf_add(void *state, uint32_t pid)
{
	struct bpf_session *s = state;
	int ret = follow(s, pid);

	if (ret)
		return ret;
	ret = hooks_add(&s->hooks, pid);
	return ret == -ESRCH ? 0 : ret;
}

static void bpf_adopt(void *state, uint32_t parent_pid, uint32_t pid, uint32_t parent_tid,
		      uint32_t tid, uint64_t born_ns)
{
	struct bpf_session *s = state;
	const struct target *t = s->o.target;

	if (s->settled || t->kind != TARGET_PIDS || !t->inherit)
		return;
	if (pid != parent_pid && !births_inherit(&s->followed, parent_pid, pid, born_ns)) {
		s->adopted = true;
		(void)follow(s, pid);
	}
	s->adopted |= hooks_adopt(&s->hooks, parent_tid, tid, born_ns);
}

static bool bpf_settle(void *state)
{
	struct bpf_session *s = state;
	bool settled = !s->adopted;

	s->settled |= s->hooks.started && settled;
	s->adopted = false;
	return settled;
}

static struct sideband *bpf_sideband(void *state)
{
	struct bpf_session *s = state;

	return s->sideband;
}

static int bpf_drain(void *state, uint64_t most_bytes, ring_record_fn fn, void *context)
{
	struct bpf_session *s = state;

	if (!s->ring)
		return 0;
	s->skel->bss->ring_woken = 0;
	return ring_drain(s->ring, most_bytes, fn, context);
}

static void bpf_drained(void *state)
{
	struct bpf_session *s = state;

	ring_close(s->ring);
	s->ring = NULL;
}

static int bpf_watch(void *state, int epoll_fd)
{
	const struct bpf_session *s = state;
	struct epoll_event e = {.events = EPOLLIN, .data.fd = ring_fd(s->ring)};

	if (epoll_ctl(epoll_fd, EPOLL_CTL_ADD, e.data.fd, &e))
		return err(-errno, "epoll: %s", strerror(errno));
	return 0;
}

static int bpf_counters(void *state, size_t event, uint64_t out[WIRE_COUNTERS])
{
	struct bpf_session *s = state;

	return counters_read(bpf_map__fd(s->skel->maps.counters), event, out);
}

/* Whether a program's run time is measured by other means, unless the kernel's statistics are
 * always on. */
static bool is_timed_otherwise(const void *state, int program_fd)
{
	const struct bpf_session *s = state;

	for (size_t i = 0; i < s->o.n_events; i++)
		if (bpf_program__fd(program_of(s, i)) == program_fd)
			return true;
	for (size_t i = 0; i < s->o.programs.n; i++)
		if (bpf_program__fd(bpf_object__find_program_by_name(
			    s->skel->obj, s->o.programs.at[i])) == program_fd)
			return true;
	return s->o.probes && probes_have(&s->probes.probes, program_fd);
}

static void add_run(struct bpf_session *s, size_t stream, struct session_cost *out)
{
	uint64_t counters[WIRE_COUNTERS];

	if (bpf_counters(s, stream, counters))
		return;
	out->bpf_ns += counters[WIRE_RUN_NS] + counters[WIRE_RUN_OTHERS_NS];
	out->bpf_runs += counters[WIRE_TAKEN];
}

static void bpf_cost(void *state, struct session_cost *out)
{
	struct bpf_session *s = state;

	*out = (struct session_cost){.by_kernel = s->stats_fd >= 0};
	/* Otherwise they are on only during calibration of probes, and tell nothing of the rest. */
	if (out->by_kernel)
		counters_cost(s->skel->obj, NULL, s, out);
	else if (s->probes.watches_waits)
		counters_cost(s->skel->obj, is_timed_otherwise, s, out);
	out->map_bytes = counters_map_bytes(s->skel->obj);
	for (size_t i = 0; i < s->o.n_events && !out->by_kernel; i++)
		add_run(s, i, out);
	for (size_t i = 0; i < s->o.paces.n && !out->by_kernel; i++)
		add_run(s, s->o.paces.at[i].stream, out);
}

static bool bpf_ran(void *state, uint64_t *ns)
{
	struct bpf_session *s = state;

	return s->hooks.started ? ran_read(&s->ran, ns) : ran_last(&s->ran, ns);
}

static int bpf_start(void *state)
{
	struct bpf_session *s = state;

	ran_start(&s->ran);
	return hooks_start(&s->hooks);
}

static void bpf_stop(void *state)
{
	struct bpf_session *s = state;

	ran_stop(&s->ran);
	hooks_stop(&s->hooks);
}

static void bpf_await_exits(void *state)
{
	struct bpf_session *s = state;

	ran_settle(&s->ran);
}

/* The first clock event sampled by task that may change over to CPUs; -1: none. */
static int changeable(const struct bpf_session *s)
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

/* At ticks 1, 2, 4 … 64, then every 64th: visiting all threads of a large machine takes a
 * millisecond. */
static bool is_due(unsigned tick)
{
	return tick >= 64 ? tick % 64 == 0 : (tick & (tick - 1)) == 0;
}

/* Events end on a CPU that goes offline. */
static void renew(struct bpf_session *s)
{
	_free_ int *cpus = NULL;
	int n = cpu_watch_look(&s->cpus, &cpus);

	if (n <= 0)
		return;
	hooks_renew(&s->hooks, cpus, n);
	sideband_renew(s->sideband, cpus, n);
}

static void bpf_tick(void *state)
{
	struct bpf_session *s = state;
	uint64_t counters[WIRE_COUNTERS], ran_ns;
	int event = changeable(s);
	struct coverage c = {.period_ns = 1e9 / s->o.hz};

	renew(s);
	if (event < 0 || !is_due(++s->ticks) || !bpf_ran(s, &ran_ns) ||
	    bpf_counters(s, (size_t)event, counters))
		return;
	c.ran_ns = (double)ran_ns;
	c.sampled_ns = (double)counters[WIRE_TAKEN] * c.period_ns;
	/* If it cannot, the ledger shows the difference. */
	if (sampling_falls_short(&c))
		(void)hooks_change_over(&s->hooks);
}

const struct backend bpf_backend = {
	.open = bpf_open,
	.close = bpf_close,
	.sideband = bpf_sideband,
	.attach = bpf_attach,
	.add = bpf_add,
	.adopt = bpf_adopt,
	.settle = bpf_settle,
	.drain = bpf_drain,
	.drained = bpf_drained,
	.watch = bpf_watch,
	.start = bpf_start,
	.stop = bpf_stop,
	.tick = bpf_tick,
	.await_exits = bpf_await_exits,
	.counters = bpf_counters,
	.ran = bpf_ran,
	.cost = bpf_cost,
};

/* --- BPF programs only ------------------------------------------------------------------------ */

/* NULL: there are none; perf events take the samples. */
static struct bpf_session *programs(const struct session *s)
{
	return session_has_programs(s) ? s->state : NULL;
}

bool session_has_programs(const struct session *s)
{
	return s->backend == &bpf_backend;
}

/* The map of that name; NULL: there is none. */
static const struct bpf_map *map_of(const struct session *session, const char *name)
{
	const struct bpf_session *s = programs(session);

	return s ? bpf_object__find_map_by_name(s->skel->obj, name) : NULL;
}

uint64_t session_map_value(struct session *session, const char *name, uint32_t key)
{
	const struct bpf_map *map = map_of(session, name);
	uint64_t value = 0;
	int e;

	if (!map)
		return 0;
	if (bpf_map__type(map) == BPF_MAP_TYPE_PERCPU_ARRAY)
		e = counters_sum(bpf_map__fd(map), key, &value);
	else
		e = bpf_map_lookup_elem(bpf_map__fd(map), &key, &value);
	return e ? 0 : value;
}

int session_map_by_cpu(struct session *session, const char *name, uint32_t key,
		       session_cpu_values *out)
{
	const struct bpf_map *map = map_of(session, name);

	if (!map || bpf_map__type(map) != BPF_MAP_TYPE_PERCPU_ARRAY)
		return -ENOENT;
	return counters_by_cpu(bpf_map__fd(map), key, out);
}

int session_map_set(struct session *session, const char *name, uint32_t key, uint64_t value)
{
	const struct bpf_map *map = map_of(session, name);

	return !map || bpf_map_update_elem(bpf_map__fd(map), &key, &value, BPF_ANY) ? -ENOENT : 0;
}

int session_map_entries(struct session *session, const char *name, bool take,
			struct map_entries *out)
{
	const struct bpf_map *map = map_of(session, name);

	return map ? counters_entries(bpf_map__fd(map), take, UINT32_MAX, out) : -ENOENT;
}

int session_map_first(struct session *session, const char *name, uint32_t most,
		      struct map_entries *out)
{
	const struct bpf_map *map = map_of(session, name);

	return map ? counters_entries(bpf_map__fd(map), false, most, out) : -ENOENT;
}

int session_map_set_entries(struct session *session, const char *name, const void *keys,
			    const void *values, uint32_t n)
{
	const struct bpf_map *map = map_of(session, name);

	return map ? counters_set_entries(bpf_map__fd(map), keys, values, n) : -ENOENT;
}

const void *session_map_memory(struct session *session, const char *name, uint64_t *bytes)
{
	const struct bpf_map *map = map_of(session, name);
	void *at = NULL;

	if (map)
		(void)counters_map(bpf_map__fd(map), bpf_map__max_entries(map),
				   bpf_map__value_size(map), PROT_READ, &at, bytes);
	return at;
}

void session_map_delete(struct session *session, const char *name, const void *key)
{
	const struct bpf_map *map = map_of(session, name);

	if (map)
		(void)bpf_map_delete_elem(bpf_map__fd(map), key);
}

int session_map_push(struct session *session, const char *name, const void *value)
{
	const struct bpf_map *map = map_of(session, name);

	return !map || bpf_map_update_elem(bpf_map__fd(map), NULL, value, BPF_ANY) ? -ENOENT : 0;
}

/* The link of a source's program; NULL: it is not attached. */
static struct bpf_link *link_of(const struct session *session, const char *program)
{
	const struct bpf_session *s = programs(session);

	for (size_t i = 0; s && i < s->of_sources.n; i++)
		if (!strcmp(s->o.programs.at[i], program))
			return s->of_sources.at[i];
	return NULL;
}

bool session_walk_tasks(struct session *s, const char *program)
{
	const struct bpf_link *link = link_of(s, program);

	return link && ran_walk(link);
}

int session_open_walk(struct session *s, const char *program)
{
	const struct bpf_link *link = link_of(s, program);

	return link ? bpf_iter_create(bpf_link__fd(link)) : -1;
}

int session_walk_on(struct opener *opener, int walk)
{
	const struct opener_request r = {
		.what = OPENER_STEP, .root_fd = walk, .bytes_most = RAN_WALK_BYTES};
	struct opener_answer a;
	const int n = opener_ask(opener, &r, &a);

	opener_answer_release(opener, &a);
	return n > 0 ? 1 : n;
}

struct probe_session *session_probes(struct session *session)
{
	struct bpf_session *s = programs(session);

	return s && s->probes.maps ? &s->probes : NULL;
}

int session_tables(struct session *session, struct tables **out)
{
	struct bpf_session *s = programs(session);
	struct tables_maps maps = {0};

	*out = NULL;
	if (!s)
		return 0;
	maps = (struct tables_maps){.tables_fd = bpf_map__fd(s->skel->maps.tables),
				    .pools_fd = bpf_map__fd(s->skel->maps.pools),
				    .wanted_fd = bpf_map__fd(s->skel->maps.wanted),
				    .copies_fd = bpf_map__fd(s->skel->maps.copies),
				    .scripts_fd = bpf_map__fd(s->skel->maps.script_procs),
				    .epoch = &s->skel->bss->table_epoch,
				    .first = s->pool};
	s->pool = NULL;
	return tables_new(&maps, s->o.table_bytes, out);
}

void session_new_epoch(struct session *session)
{
	struct bpf_session *s = programs(session);

	if (s)
		s->skel->bss->stack_epoch++;
}

uint64_t session_count(struct session *session, size_t event)
{
	const struct bpf_session *s = programs(session);

	return s ? hooks_count(&s->hooks, event) : 0;
}

int session_hits_by_cpu(struct session *session, size_t event, uint64_t *out)
{
	const struct bpf_session *s = programs(session);

	return s ? counters_hits_by_cpu(bpf_map__fd(s->skel->maps.counters), event, out) : -ENOTSUP;
}

int session_steps(struct session *session, size_t event, session_step_list *out)
{
	const struct bpf_session *s = programs(session);

	return s ? counters_steps(bpf_map__fd(s->skel->maps.steps), event, out) : 0;
}

uint64_t session_missed(const struct session *session, size_t event)
{
	const struct bpf_session *s = programs(session);
	struct bpf_prog_info info = {0};
	uint32_t n = sizeof(info);

	if (!s || bpf_obj_get_info_by_fd(bpf_program__fd(program_of(s, event)), &info, &n))
		return 0;
	return info.recursion_misses;
}

uint64_t session_event_ns(struct session *session, size_t event)
{
	struct bpf_session *s = programs(session);
	uint64_t counters[WIRE_COUNTERS];

	if (s && s->stats_fd >= 0)
		return program_run(bpf_program__fd(program_of(s, event))).ns;
	return !s || bpf_counters(s, event, counters) ? 0 : counters[WIRE_RUN_NS];
}

struct tick_program session_tick_program(const struct session *session)
{
	const struct bpf_session *s = programs(session);

	if (!s)
		return (struct tick_program){.fd = -1};
	return (struct tick_program){.fd = bpf_program__fd(s->skel->progs.time_tick),
				     .count = &s->skel->bss->timed_ticks};
}

bool session_filters(const struct session *session, size_t event)
{
	const struct bpf_session *s = programs(session);

	return s && configure_filters(&s->o, s->by, event);
}

bool session_interrupts_others(const struct session *session)
{
	const struct bpf_session *s = programs(session);
	const enum target_kind kind = s ? s->o.target->kind : TARGET_NONE;

	return (kind == TARGET_PIDS || kind == TARGET_COMMAND) && s->hooks.o.by.time == SAMPLER_CPU;
}

bool session_samples_tasks(const struct session *session, size_t event)
{
	const struct bpf_session *s = programs(session);

	return s && hooks_sample_tasks(&s->hooks, event);
}
