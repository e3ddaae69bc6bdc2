#include "load/plain_events.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "base/err.h"
#include "base/file.h"
#include "base/mem.h"
#include "perf/cpus.h"
#include "perf/plain_sample.h"
#include "perf/rights.h"
#include "perf/side_record.h"

/* Size of a ring. By default a user may have 512 KiB per CPU (kernel.perf_event_mlock_kb), plus
 * RLIMIT_MEMLOCK. */
#define RING_MOST  (4u << 20)
#define RING_LEAST (128u << 10)

/* Half a ring, at which the kernel wakes the loader, holds samples of this duration. */
#define ROOM_S 0.05

static const uint32_t stack_sizes[] = {PLAIN_STACK_MOST, 32768, 16384, 8192};

static long paranoid(void)
{
	_free_ char *text = NULL;
	size_t n;

	return file_read("/proc/sys/kernel/perf_event_paranoid", 64, &text, &n)
		       ? RIGHTS_PARANOID_OWN
		       : atol(text);
}

/* A ring is mapped with an event of our own, which outlives the target's threads. */
static int open_ring(int cpu, uint64_t bytes, struct perf_ring *r)
{
	struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE,
				       .config = PERF_COUNT_SW_DUMMY,
				       .exclude_kernel = 1,
				       .watermark = 1,
				       .wakeup_watermark = (uint32_t)(bytes / 2),
				       .use_clockid = 1,
				       .clockid = CLOCK_MONOTONIC};
	int fd = event_syscall(&attr, 0, cpu, -1, 0);

	if (fd < 0 && (errno == EACCES || errno == EPERM))
		return rights_no_events(paranoid());
	if (fd < 0)
		return err(-errno, "cannot open perf events: %s", strerror(errno));
	return perf_ring_map(r, fd, bytes);
}

/* Opens rings of equal size for all CPUs; -EPERM if that exceeds the user's limit. */
static int open_rings(struct plain_events *e, int cpus, uint64_t bytes)
{
	int ret = 0;

	for (int i = 0; i < cpus && !ret; i++) {
		struct perf_ring *r = vec_add(&e->rings);

		r->fd = -1;
		ret = open_ring(e->cpus[i], bytes, r);
	}
	if (ret)
		perf_rings_release(&e->rings);
	return ret;
}

static bool is_too_much(int code)
{
	return code == -EPERM || code == -EAGAIN || code == -ENOMEM;
}

/* The size of a sample's stack copy, such that samples fit into the ring. */
static uint32_t choose_stack(const struct plain_options *o, uint64_t ring_bytes)
{
	const double samples = o->hz * ROOM_S * (double)o->n_events;
	const size_t n = sizeof(stack_sizes) / sizeof(*stack_sizes);
	size_t i = 0;

	while (i + 1 < n && samples * stack_sizes[i] > (double)ring_bytes / 2)
		i++;
	return stack_sizes[i];
}

int plain_events_init(struct plain_events *e, const struct plain_options *o)
{
	uint64_t bytes = RING_MOST;
	int cpus, ret;

	*e = (struct plain_events){.o = *o};
	cpus = cpus_online(&e->cpus);
	if (cpus < 0)
		return cpus;
	ret = open_rings(e, cpus, bytes);
	while (is_too_much(ret) && bytes > RING_LEAST) {
		bytes /= 2;
		ret = open_rings(e, cpus, bytes);
	}
	e->stack_bytes = choose_stack(o, bytes);
	e->ring_bytes = bytes * e->rings.n;
	if (ret && is_too_much(ret))
		return err(ret, "no memory for samples: other captures of this user fill "
				"kernel.perf_event_mlock_kb: end them, or raise 'ulimit -l'");
	return ret;
}

void plain_events_release(struct plain_events *e)
{
	for (size_t i = 0; i < e->at.n; i++)
		close(e->at.at[i].fd);
	vec_release(&e->at);
	perf_rings_release(&e->rings);
	map_release(&e->by_id);
	map_release(&e->known);
	free(e->cpus);
}

static struct perf_event_attr attr_of(const struct plain_events *e, uint32_t event)
{
	const struct target *t = e->o.target;
	const struct event *one = &e->o.events[event];
	bool command = t->kind == TARGET_COMMAND;
	struct perf_event_attr attr = {
		.type = one->type,
		.config = one->config,
		.freq = !one->every,
		.sample_freq = one->every ? one->every : (uint64_t)(e->o.hz + 0.5),
		.disabled = command,
		.enable_on_exec = command,
		.inherit = t->inherit && t->kind != TARGET_TID,
		.exclude_kernel = 1,
		.exclude_hv = 1,
		.exclude_idle = 1,
	};

	plain_sample_ask(&attr, e->stack_bytes);
	side_ask(&attr, false, e->rings.at[0].bytes / 2);
	/* One event with these records is enough. */
	if (event)
		attr.mmap = attr.mmap2 = attr.build_id = attr.comm = attr.comm_exec = attr.task = 0;
	return attr;
}

static int open_error(const struct plain_events *e, uint32_t event, uint32_t pid, uint32_t tid)
{
	const struct event_where w = {.scope = EVENT_TASK, .id = (int)tid};

	if (errno == EACCES || errno == EPERM)
		return rights_no_thread(pid, tid);
	return event_error(&e->o.events[event], &w, errno);
}

static int open_one(struct plain_events *e, uint32_t event, size_t cpu, uint32_t pid, uint32_t tid)
{
	struct perf_event_attr attr = attr_of(e, event);
	int fd = event_syscall(&attr, (int)tid, e->cpus[cpu], -1, 0);
	uint64_t id;
	bool fresh;

	if (fd < 0 && errno == EINVAL && attr.build_id) {
		attr.build_id = 0; /* before 5.12 */
		fd = event_syscall(&attr, (int)tid, e->cpus[cpu], -1, 0);
	}
	if (fd < 0)
		return open_error(e, event, pid, tid);
	vec_push(&e->at, ((struct plain_event){.fd = fd, .event = event}));
	if (ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, e->rings.at[cpu].fd) ||
	    ioctl(fd, PERF_EVENT_IOC_ID, &id))
		return err(-errno, "cannot direct perf events to a ring: %s", strerror(errno));
	*map_put(&e->by_id, id, &fresh) = event;
	return 0;
}

static int open_thread(struct plain_events *e, uint32_t pid, uint32_t tid)
{
	int ret = 0;

	plain_events_inherited(e, tid);
	for (size_t cpu = 0; cpu < e->rings.n; cpu++)
		for (uint32_t event = 0; event < e->o.n_events && !ret; event++)
			ret = open_one(e, event, cpu, pid, tid);
	return ret;
}

int plain_events_open(struct plain_events *e, uint32_t pid)
{
	const struct target *t = e->o.target;
	target_tids tids = {0};
	int ret = 0, opened = 0;
	size_t gone = 0;

	if (t->kind == TARGET_TID)
		vec_push(&tids, t->tid);
	else
		ret = target_threads(pid, &tids);
	for (size_t i = 0; i < tids.n && !ret; i++) {
		if (map_get(&e->known, tids.at[i]))
			continue;
		ret = open_thread(e, pid, tids.at[i]);
		opened += !ret;
		gone += ret == -ESRCH;
		ret = ret == -ESRCH ? 0 : ret;
	}
	if (!ret && tids.n && gone == tids.n)
		ret = err(-ESRCH, "process %u exited before it could be sampled", pid);
	vec_release(&tids);
	return ret ? ret : opened;
}

void plain_events_inherited(struct plain_events *e, uint32_t tid)
{
	bool fresh;

	map_put(&e->known, tid, &fresh);
}

void plain_events_stop(struct plain_events *e)
{
	for (size_t i = 0; i < e->at.n; i++)
		ioctl(e->at.at[i].fd, PERF_EVENT_IOC_DISABLE, 0);
}

size_t plain_events_of(const struct plain_events *e, uint64_t id)
{
	const uint32_t *event = map_get(&e->by_id, id);

	return event ? *event : SIZE_MAX;
}

uint64_t plain_events_count(const struct plain_events *e, size_t event)
{
	uint64_t total = 0, value;

	for (size_t i = 0; i < e->at.n; i++)
		if (e->at.at[i].event == event &&
		    read(e->at.at[i].fd, &value, sizeof(value)) == sizeof(value))
			total += value;
	return total;
}
