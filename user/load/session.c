#include "load/session.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "base/err.h"
#include "base/mem.h"
#include "load/backend.h"
#include "load/kernel_types.h"
#include "perf/event.h"
#include "perf/rights.h"

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
		ret = target_check_proc();
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

enum session_switched session_switched(void)
{
	_free_ char *name = NULL;

	if (kernel_types_have_tracepoint("sched_exit_tp"))
		return SESSION_SWITCHED_TRACEPOINT;
	name = kprobe_name("finish_task_switch");
	return name ? SESSION_SWITCHED_KPROBE : SESSION_SWITCHED_NOWHERE;
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

int session_counters(struct session *s, size_t event, uint64_t out[WIRE_COUNTERS])
{
	return s->backend->counters(s->state, event, out);
}

uint64_t session_throttled(const struct session *s)
{
	return s->backend->throttled ? s->backend->throttled(s->state) : 0;
}

void session_cost(struct session *s, struct session_cost *out)
{
	s->backend->cost(s->state, out);
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
