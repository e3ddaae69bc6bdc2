#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "load/hooks.h"
#include "perf/cpus.h"

/* --- births --------------------------------------------------------------------------------- */

static bool births_know(const struct births *b, uint32_t id)
{
	return map_get(&b->at, id);
}

void births_note(struct births *b, uint32_t id, uint64_t since_ns)
{
	bool fresh;
	uint32_t *at = map_put(&b->at, id, &fresh);

	if (fresh) {
		*at = (uint32_t)b->since_ns.n;
		vec_push(&b->since_ns, since_ns);
	} else {
		b->since_ns.at[*at] = since_ns;
	}
}

bool births_inherit(struct births *b, uint32_t parent, uint32_t child, uint64_t born_ns)
{
	const uint32_t *at = map_get(&b->at, parent);

	if (!at || born_ns < b->since_ns.at[*at])
		return false;
	if (!births_know(b, child))
		births_note(b, child, born_ns);
	return true;
}

void births_release(struct births *b)
{
	map_release(&b->at);
	vec_release(&b->since_ns);
}

/* --- events --------------------------------------------------------------------------------- */

static bool is_tracepoint(const struct hooks *h, const struct hook *one)
{
	return h->o.events[one->event].class == EVENT_TRACEPOINT;
}

static int set_program(const struct hooks *h, const struct hook *one)
{
	const char *name = h->o.events[one->event].name;

	if (!ioctl(one->fd, PERF_EVENT_IOC_SET_BPF, h->o.program_fds[one->event]))
		return 0;
	if (errno == EINVAL && is_tracepoint(h, one))
		return err(-EINVAL,
			   "event '%s' cannot be sampled: the kernel runs no programs on it", name);
	return err(-errno, "cannot attach a program to event '%s': %s", name, strerror(errno));
}

static enum sampler sampler_of(const struct hooks *h, uint32_t event)
{
	const struct event *e = &h->o.events[event];

	return event_is_timed(e) ? h->o.by.time : h->o.by.counts;
}

static bool is_sampled_by(const struct hooks *h, uint32_t event, enum sampler sampler)
{
	return h->o.events[event].class == EVENT_SAMPLED && sampler_of(h, event) == sampler;
}

bool hooks_sample_tasks(const struct hooks *h, size_t event)
{
	return is_sampled_by(h, (uint32_t)event, SAMPLER_TASK);
}

/* A program on a tracepoint runs as long as it is attached, whether or not the event is enabled. */
static int hook(struct hooks *h, int fd, uint32_t event, int cpu)
{
	struct hook one = {.fd = fd, .event = event, .cpu = cpu};

	if (fd < 0)
		return fd;
	vec_push(&h->at, one);
	return is_tracepoint(h, &one) ? 0 : set_program(h, &one);
}

/* -ESRCH if the thread has exited, which is no error for the whole. */
static int hook_thread(struct hooks *h, uint32_t tid)
{
	const struct target *t = h->o.target;
	int ret = 0;

	if (births_know(&h->opened, tid))
		return 0;
	for (uint32_t i = 0; i < h->o.n_events && !ret; i++) {
		struct event_where w = {.scope = EVENT_TASK,
					.id = (int)tid,
					.inherit = t->inherit && t->kind != TARGET_TID,
					.enable_on_exec = t->kind == TARGET_COMMAND};

		if (is_sampled_by(h, i, SAMPLER_TASK))
			ret = hook(h, event_open(&h->o.events[i], h->o.hz, &w), i, -1);
	}
	births_note(&h->opened, tid, ret ? BIRTHS_NEVER : clock_ns(CLOCK_MONOTONIC));
	return ret;
}

static int hook_process(struct hooks *h, uint32_t pid)
{
	target_tids tids = {0};
	int ret = target_threads(pid, &tids);
	size_t gone = 0;

	for (size_t i = 0; i < tids.n && !ret; i++) {
		ret = hook_thread(h, tids.at[i]);
		if (ret == -ESRCH) {
			gone++;
			ret = 0;
		}
	}
	if (!ret && gone == tids.n)
		ret = err(-ESRCH, "process %u exited before it could be sampled", pid);
	vec_release(&tids);
	return ret;
}

/* Whether any event is opened by task. */
static bool has_tasks(const struct hooks *h)
{
	for (uint32_t i = 0; i < h->o.n_events; i++)
		if (is_sampled_by(h, i, SAMPLER_TASK))
			return true;
	return false;
}

static void enable_from(const struct hooks *h, size_t first)
{
	for (size_t i = first; h->started && i < h->at.n; i++)
		ioctl(h->at.at[i].fd, PERF_EVENT_IOC_ENABLE, 0);
}

int hooks_add(struct hooks *h, uint32_t pid)
{
	size_t before = h->at.n;
	int ret = has_tasks(h) ? hook_process(h, pid) : 0;

	enable_from(h, before);
	return ret;
}

static int hook_tasks(struct hooks *h)
{
	const struct target *t = h->o.target;
	int ret = 0;

	if (t->kind == TARGET_TID || t->kind == TARGET_COMMAND)
		return hook_thread(h, t->kind == TARGET_TID ? t->tid : t->pids.at[0]);
	for (size_t i = 0; i < t->pids.n && !ret; i++) {
		ret = hook_process(h, t->pids.at[i]);
		if (ret == -ESRCH && i >= t->n_named)
			ret = 0;
	}
	return ret;
}

static int open_on_cpu(const struct hooks *h, uint32_t event, int cpu)
{
	const struct target *t = h->o.target;
	struct event_where w = {.scope = t->kind == TARGET_CGROUP ? EVENT_CPU_IN_CGROUP : EVENT_CPU,
				.id = cpu,
				.cgroup_fd = t->cgroup_fd};

	return event_open(&h->o.events[event], h->o.hz, &w);
}

static int hook_cpus(struct hooks *h)
{
	_free_ int *cpus = NULL;
	int n = cpus_online(&cpus), ret = n < 0 ? n : 0;

	for (int c = 0; c < n && !ret; c++)
		for (uint32_t i = 0; i < h->o.n_events && !ret; i++)
			if (is_sampled_by(h, i, SAMPLER_CPU))
				ret = hook(h, open_on_cpu(h, i, cpus[c]), i, cpus[c]);
	return ret;
}

static int hook_tracepoints(struct hooks *h)
{
	int ret = 0;

	for (uint32_t i = 0; i < h->o.n_events && !ret; i++)
		if (h->o.events[i].class == EVENT_TRACEPOINT)
			ret = hook(h, event_open_tracepoint(&h->o.events[i]), i, -1);
	return ret;
}

int hooks_attach(struct hooks *h)
{
	int ret = has_tasks(h) ? hook_tasks(h) : 0;

	if (!ret)
		ret = hook_cpus(h);
	return ret ? ret : hook_tracepoints(h);
}

bool hooks_adopt(struct hooks *h, uint32_t parent_tid, uint32_t tid, uint64_t born_ns)
{
	size_t before = h->at.n;

	if (!has_tasks(h) || births_inherit(&h->opened, parent_tid, tid, born_ns))
		return false;
	(void)hook_thread(h, tid);
	enable_from(h, before);
	return true;
}

int hooks_start(struct hooks *h)
{
	bool command = h->o.target->kind == TARGET_COMMAND;

	h->started = true;
	for (size_t i = 0; i < h->at.n; i++) {
		int ret = is_tracepoint(h, &h->at.at[i]) ? set_program(h, &h->at.at[i]) : 0;

		if (ret)
			return ret;
		/* The command's exec enables it. */
		if (command && is_sampled_by(h, h->at.at[i].event, SAMPLER_TASK))
			continue;
		if (ioctl(h->at.at[i].fd, PERF_EVENT_IOC_ENABLE, 0))
			return err(-errno, "cannot start sampling: %s", strerror(errno));
	}
	return 0;
}

/* Stops those of the first @n events that were opened by task and are sampled by CPU now. */
static void stop_tasks(struct hooks *h, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (is_sampled_by(h, h->at.at[i].event, SAMPLER_CPU))
			ioctl(h->at.at[i].fd, PERF_EVENT_IOC_DISABLE, 0);
}

int hooks_change_over(struct hooks *h)
{
	size_t before = h->at.n;
	int ret;

	h->o.by.time = SAMPLER_CPU;
	ret = hook_cpus(h);
	for (size_t i = before; i < h->at.n && !ret; i++)
		if (ioctl(h->at.at[i].fd, PERF_EVENT_IOC_ENABLE, 0))
			ret = err(-errno, "cannot start sampling by CPU: %s", strerror(errno));
	if (!ret) {
		stop_tasks(h, before);
		return 0;
	}
	while (h->at.n > before)
		close(h->at.at[--h->at.n].fd);
	h->o.by.time = SAMPLER_TASK;
	return ret;
}

static uint64_t count_of(const struct hook *one)
{
	uint64_t value;

	return one->count + (read(one->fd, &value, sizeof(value)) == sizeof(value) ? value : 0);
}

static void renew(struct hooks *h, uint32_t event, int cpu)
{
	struct hook now = {.fd = open_on_cpu(h, event, cpu), .event = event, .cpu = cpu};

	if (now.fd < 0)
		return;
	if (set_program(h, &now)) {
		close(now.fd);
		return;
	}
	for (size_t i = 0; i < h->at.n; i++) {
		struct hook *one = &h->at.at[i];

		if (one->cpu != cpu || one->event != event)
			continue;
		now.count = count_of(one);
		close(one->fd);
		*one = h->at.at[--h->at.n];
		break;
	}
	vec_push(&h->at, now);
	enable_from(h, h->at.n - 1);
}

void hooks_renew(struct hooks *h, const int *cpus, int n)
{
	for (int c = 0; c < n; c++)
		for (uint32_t i = 0; i < h->o.n_events; i++)
			if (is_sampled_by(h, i, SAMPLER_CPU))
				renew(h, i, cpus[c]);
}

void hooks_stop(struct hooks *h)
{
	for (size_t i = 0; i < h->at.n; i++) {
		struct hook *one = &h->at.at[i];

		ioctl(one->fd, PERF_EVENT_IOC_DISABLE, 0);
		if (!is_tracepoint(h, one))
			continue;
		/* Waits for programs still running: after that their counts are final. */
		close(one->fd);
		one->fd = -1;
	}
	h->started = false;
}

uint64_t hooks_count(const struct hooks *h, size_t event)
{
	uint64_t total = 0;

	for (size_t i = 0; i < h->at.n; i++) {
		const struct hook *one = &h->at.at[i];

		if (one->event == event && h->o.events[event].class == EVENT_SAMPLED)
			total += count_of(one);
	}
	return total;
}

void hooks_release(struct hooks *h)
{
	for (size_t i = 0; i < h->at.n; i++)
		if (h->at.at[i].fd >= 0)
			close(h->at.at[i].fd);
	vec_release(&h->at);
	births_release(&h->opened);
}
