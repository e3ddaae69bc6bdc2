#include "load/session.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>
#include <linux/membarrier.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include "base/err.h"
#include "base/mem.h"
#include "load/backend.h"
#include "load/kernel_types.h"
#include "load/task_walk.h"
#include "perf/event.h"
#include "perf/rights.h"

struct session {
	const struct backend *backend;
	void *state; /* of the backend */
};

/* Descriptors for programs, maps, rings and files being named, before those that grow with the
 * target: some 50, with probes some 170. Without them libbpf and the kernel fail with various
 * errors. */
#define LEAST_FILES	   64
#define LEAST_FILES_PROBES 200

static int raise_file_limit(bool probes)
{
	const rlim_t least = probes ? LEAST_FILES_PROBES : LEAST_FILES;
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return 0;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
	if (limit.rlim_max >= least)
		return 0;
	return err(-EMFILE,
		   "only %llu files may be open here, and a capture%s needs %llu: raise "
		   "'ulimit -n'",
		   (unsigned long long)limit.rlim_max, probes ? " with probes" : "",
		   (unsigned long long)least);
}

int session_open(const struct session_options *o, struct session **out)
{
	struct session s = {.backend = rights_to_bpf() ? &bpf_backend : &plain_backend};
	int ret = raise_file_limit(o->probes);

	if (!ret)
		ret = s.backend->open(o, &s.state);
	if (ret)
		return ret;
	*out = mem_zalloc(1, sizeof(**out));
	**out = s;
	return 0;
}

void session_close(struct session *s)
{
	if (!s)
		return;
	s->backend->close(s->state);
	free(s);
}

struct sideband *session_sideband(struct session *s)
{
	return s->backend->sideband(s->state);
}

int session_attach(struct session *s)
{
	return s->backend->attach(s->state);
}

int session_add(struct session *s, uint32_t pid)
{
	return s->backend->add(s->state, pid);
}

void session_adopt(struct session *s, uint32_t parent_pid, uint32_t pid, uint32_t parent_tid,
		   uint32_t tid, uint64_t born_ns)
{
	if (s->backend->adopt)
		s->backend->adopt(s->state, parent_pid, pid, parent_tid, tid, born_ns);
}

bool session_settle(struct session *s)
{
	return !s->backend->settle || s->backend->settle(s->state);
}

bool session_has_programs(const struct session *s)
{
	return s->backend->tables;
}

int session_map_value(struct session *s, const char *name, uint32_t key, uint64_t *out)
{
	return s->backend->map_value ? s->backend->map_value(s->state, name, key, out) : -ENOENT;
}

int session_map_by_cpu(struct session *s, const char *name, uint32_t key, session_cpu_values *out)
{
	return s->backend->map_by_cpu ? s->backend->map_by_cpu(s->state, name, key, out) : -ENOENT;
}

int session_map_set(struct session *s, const char *name, uint32_t key, uint64_t value)
{
	return s->backend->map_set ? s->backend->map_set(s->state, name, key, value) : -ENOENT;
}

void session_await_programs(void)
{
	/* A grace period of RCU, under which these programs run; without the call, a moment. */
	if (syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0))
		usleep(20000);
}

enum session_switched session_switched(void)
{
	_free_ char *name = NULL;

	if (kernel_types_have_tracepoint("sched_exit_tp"))
		return SESSION_SWITCHED_TRACEPOINT;
	name = kprobe_name("finish_task_switch");
	return name ? SESSION_SWITCHED_KPROBE : SESSION_SWITCHED_NOWHERE;
}

bool session_walk_tasks(struct session *s, const char *program)
{
	_close_ int walk = session_open_walk(s, program);

	return walk >= 0 && task_walk_rest(walk);
}

int session_open_walk(struct session *s, const char *program)
{
	return s->backend->open_walk ? s->backend->open_walk(s->state, program) : -1;
}

int session_walk_on(struct opener *opener, int walk)
{
	return task_walk_by(opener, walk);
}

struct probe_session *session_probes(struct session *s)
{
	return s->backend->probes ? s->backend->probes(s->state) : NULL;
}

int session_drain(struct session *s, uint64_t most_bytes, ring_record_fn fn, void *context)
{
	return s->backend->drain(s->state, most_bytes, fn, context);
}

void session_drained(struct session *s)
{
	s->backend->drained(s->state);
}

int session_watch(struct session *s, int epoll_fd)
{
	return s->backend->watch(s->state, epoll_fd);
}

int session_tables(struct session *s, struct tables **out)
{
	*out = NULL;
	return s->backend->tables ? s->backend->tables(s->state, out) : 0;
}

void session_new_epoch(struct session *s)
{
	if (s->backend->new_epoch)
		s->backend->new_epoch(s->state);
}

int session_counters(struct session *s, size_t event, uint64_t out[WIRE_COUNTERS])
{
	return s->backend->counters(s->state, event, out);
}

uint64_t session_count(struct session *s, size_t event)
{
	return s->backend->count ? s->backend->count(s->state, event) : 0;
}

int session_hits_by_cpu(struct session *s, size_t event, uint64_t *out)
{
	return s->backend->hits_by_cpu ? s->backend->hits_by_cpu(s->state, event, out) : -ENOTSUP;
}

struct tick_program session_tick_program(const struct session *s)
{
	return s->backend->tick_program ? s->backend->tick_program(s->state)
					: (struct tick_program){.fd = -1};
}

int session_steps(struct session *s, size_t event, session_step_list *out)
{
	return s->backend->steps ? s->backend->steps(s->state, event, out) : 0;
}

uint64_t session_missed(const struct session *s, size_t event)
{
	return s->backend->missed ? s->backend->missed(s->state, event) : 0;
}

uint64_t session_throttled(const struct session *s)
{
	return s->backend->throttled ? s->backend->throttled(s->state) : 0;
}

void session_cost(struct session *s, struct session_cost *out)
{
	s->backend->cost(s->state, out);
}

uint64_t session_event_ns(struct session *s, size_t event)
{
	return s->backend->event_ns ? s->backend->event_ns(s->state, event) : 0;
}

bool session_filters(const struct session *s, size_t event)
{
	return s->backend->filters && s->backend->filters(s->state, event);
}

bool session_interrupts_others(const struct session *s)
{
	return s->backend->interrupts_others && s->backend->interrupts_others(s->state);
}

bool session_samples_tasks(const struct session *s, size_t event)
{
	return s->backend->samples_tasks && s->backend->samples_tasks(s->state, event);
}

void session_tick(struct session *s)
{
	if (s->backend->tick)
		s->backend->tick(s->state);
}

bool session_ran(struct session *s, uint64_t *ns)
{
	return s->backend->ran(s->state, ns);
}

int session_start(struct session *s)
{
	return s->backend->start(s->state);
}

void session_stop(struct session *s)
{
	s->backend->stop(s->state);
}

void session_await_exits(struct session *s)
{
	if (s->backend->await_exits)
		s->backend->await_exits(s->state);
}
