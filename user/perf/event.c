#include "perf/event.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/err.h"
#include "base/file.h"
#include "base/mem.h"
#include "perf/rights.h"

bool event_is_timed(const struct event *e)
{
	return e->class == EVENT_SAMPLED && (e->clock || e->type != PERF_TYPE_SOFTWARE);
}

void event_user_only(struct event *e)
{
	char *colon = strrchr(e->name, ':');
	size_t n;

	if (!event_is_timed(e) || e->exclude_user || e->exclude_kernel)
		return;
	if (colon) /* ":uk" */
		*colon = '\0';
	n = strlen(e->name);
	if (n + 2 < sizeof(e->name))
		strcpy(e->name + n, ":u");
	e->exclude_kernel = true;
}

/* The shortest period of the timers behind cpu-clock and task-clock:
 * perf_swevent_start_hrtimer(). */
#define CLOCK_LEAST_NS 10000

int event_pace(struct event *e, uint64_t every, uint64_t hz)
{
	if (e->clock && every && every < CLOCK_LEAST_NS)
		return err(-EINVAL,
			   "-c %llu: '%s' counts ns, and the kernel's timers need at least %d",
			   (unsigned long long)every, e->name, CLOCK_LEAST_NS);
	e->every = every;
	if (e->counted && !every)
		e->most_hz = hz ? hz : EVENT_COUNTED_HZ;
	return 0;
}

bool event_has_rate(const struct event *e)
{
	return e->class == EVENT_SAMPLED && !e->counted && !e->every;
}

bool event_is_stepped(const struct event *e)
{
	return e->counted || (e->class == EVENT_TRACEPOINT && e->every);
}

bool event_same(const struct event *a, const struct event *b)
{
	return a->type == b->type && a->config == b->config && a->exclude_user == b->exclude_user &&
	       a->exclude_kernel == b->exclude_kernel;
}

int event_syscall(struct perf_event_attr *attr, pid_t pid, int cpu, int group_fd,
		  unsigned long flags)
{
	attr->size = sizeof(*attr);
	return (int)syscall(SYS_perf_event_open, attr, pid, cpu, group_fd,
			    flags | PERF_FLAG_FD_CLOEXEC);
}

void event_default(struct event *out, const char **why)
{
	struct perf_event_attr attr = {.type = PERF_TYPE_HARDWARE,
				       .config = PERF_COUNT_HW_CPU_CYCLES,
				       .exclude_kernel = !rights_to_bpf(),
				       .disabled = 1};
	int fd = event_syscall(&attr, 0, -1, -1, 0);

	if (fd >= 0)
		close(fd);
	*why = fd >= 0 ? "the CPU's cycle counter" : "no PMU here, so a timer instead of cycles";
	event_parse(fd >= 0 ? "cycles" : "cpu-clock", out);
}

/* @hz 0: opens as a counter. */
static bool opens_at(const struct event *e, uint64_t hz)
{
	struct perf_event_attr attr = {.type = e->type,
				       .config = e->config,
				       .freq = hz > 0,
				       .sample_freq = hz,
				       .disabled = 1};
	int fd = event_syscall(&attr, -1, 0, -1, 0);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

/* Whether the event's unit has no interrupt (msr): it then refuses any rate, with an errno that has
 * other causes, too. */
static bool only_counts(const struct event *e)
{
	return opens_at(e, 0) && !opens_at(e, 1);
}

int event_error(const struct event *e, const struct event_where *w, int code)
{
	if (w && (code == EINVAL || code == EOPNOTSUPP) && only_counts(e))
		return err(-code,
			   "event '%s' cannot be sampled, only counted: with --zone and --clock",
			   e->name);
	if (code == EACCES || code == EPERM)
		return err(-code, "no permission to sample '%s': " RIGHTS_HOW, e->name);
	if (code == ENOENT && w && w->scope == EVENT_CPU_IN_CGROUP)
		return err(-code,
			   "this kernel cannot sample the cgroup: enable any controller for it "
			   "('echo +pids > cgroup.subtree_control' in the root of the hierarchy)");
	if (code == ENOENT || code == EOPNOTSUPP || code == ENODEV)
		return err(-code, "event '%s' does not exist on this machine; try -e cpu-clock",
			   e->name);
	if (code == ESRCH && w)
		return err(-code, "thread %d is gone", w->id);
	if (code == EMFILE)
		return err(-code,
			   "too many open files for the threads to sample; raise 'ulimit -n'");
	return err(-code, "cannot open event '%s': %s", e->name, strerror(code));
}

int event_open(const struct event *e, double hz, const struct event_where *w)
{
	/* The program chooses the samples: with the kernel's own rate their weights do not add
	 * up. */
	uint64_t period = e->counted ? 1 : e->every;
	/* The program also leaves out ticks of the other mode, which the clock counts anyway. */
	struct perf_event_attr attr = {
		.type = e->type,
		.config = e->config,
		.freq = !period,
		.sample_freq = period ? period : (uint64_t)(hz + 0.5),
		.disabled = 1,
		.exclude_user = e->exclude_user && !e->clock,
		.exclude_kernel = e->exclude_kernel && !e->clock,
		.exclude_hv = 1,
		.exclude_idle = 1,
		.inherit = w->scope == EVENT_TASK && w->inherit,
		.enable_on_exec = w->enable_on_exec,
	};
	bool task = w->scope == EVENT_TASK, cgroup = w->scope == EVENT_CPU_IN_CGROUP;
	int fd = event_syscall(&attr,
			       task	? w->id
			       : cgroup ? w->cgroup_fd
					: -1,
			       task ? -1 : w->id, -1, cgroup ? PERF_FLAG_PID_CGROUP : 0);

	return fd >= 0 ? fd : event_error(e, w, errno);
}

int event_open_counter(const struct event *e, int cpu)
{
	struct perf_event_attr attr = {
		.type = e->type,
		.config = e->config,
		.exclude_user = e->exclude_user,
		.exclude_kernel = e->exclude_kernel,
	};
	int fd = event_syscall(&attr, -1, cpu, -1, 0);

	return fd >= 0 ? fd : event_error(e, NULL, errno);
}

int event_open_tracepoint(const struct event *e)
{
	struct perf_event_attr attr = {
		.type = e->type, .config = e->config, .sample_period = 1, .disabled = 1};
	/* Any CPU will do: the program is attached to the tracepoint, not to this event. */
	int fd = event_syscall(&attr, -1, 0, -1, 0);

	return fd >= 0 ? fd : event_error(e, NULL, errno);
}

int64_t event_max_hz(void)
{
	_free_ char *text = NULL;
	size_t n;

	if (file_read("/proc/sys/kernel/perf_event_max_sample_rate", 64, &text, &n))
		return 100000;
	return strtoll(text, NULL, 10);
}

/* --- kernel functions ------------------------------------------------------------------------- */

static const char *const endings[] = {"", ".isra.0", ".constprop.0", ".isra.0.constprop.0"};

static bool is_probed(const char *function)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr), .kprobe_func = (uintptr_t)function, .disabled = 1};
	_close_ int fd = -1;

	if (!event_pmu_type("kprobe", &attr.type))
		return false;
	fd = event_syscall(&attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);
	return fd >= 0;
}

char *kprobe_name(const char *function)
{
	for (size_t i = 0; i < sizeof(endings) / sizeof(*endings); i++) {
		char *name = mem_printf("%s%s", function, endings[i]);

		if (is_probed(name))
			return name;
		free(name);
	}
	return NULL;
}
