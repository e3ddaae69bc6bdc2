#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <bpf/bpf.h>
#include <linux/bpf.h>
#include <linux/perf_event.h>

#include "base/err.h"
#include "base/file.h"
#include "base/mem.h"
#include "load/probes.h"
#include "load/uprobes.h"
#include "perf/event.h"
#include "perf/rights.h"

/* The part of union bpf_attr for BPF_LINK_CREATE on a perf event (5.15). */
struct perf_link_create {
	uint32_t program_fd, event_fd, attach_type, flags;
	uint64_t cookie;
	uint64_t none[5];
};

static int attach_error(int code, uint32_t pid)
{
	if (code == -ESRCH)
		return err(code, "process %u is gone", pid);
	if (code == -EPERM || code == -EACCES)
		return err(code, "no permission to attach probes: " RIGHTS_HOW);
	return err(code, "the kernel refused a probe: %s", strerror(-code));
}

static int attach_many(int program, enum probe_program kind, const char *path, uint32_t pid,
		       const probe_list *list, struct probe_link *out)
{
	_free_ uint64_t *offsets = mem_zalloc(list->n, sizeof(*offsets));
	_free_ uint64_t *cookies = mem_zalloc(list->n, sizeof(*cookies));
	_free_ uint64_t *semaphores = mem_zalloc(list->n, sizeof(*semaphores));
	struct uprobes_link link = {.program_fd = program,
				    .attach =
					    kind == PROBE_SESSION ? UPROBES_SESSION : UPROBES_MULTI,
				    .path = path,
				    .offsets = offsets,
				    .cookies = cookies,
				    .semaphores = semaphores,
				    .n = list->n,
				    .pid = pid};
	int fd;

	for (size_t i = 0; i < list->n; i++) {
		offsets[i] = list->at[i].offset;
		cookies[i] = list->at[i].cookie;
		semaphores[i] = list->at[i].semaphore;
	}
	fd = uprobes_link(&link);
	if (fd < 0)
		return attach_error(fd, pid);
	vec_push(&out->fds, fd);
	return 0;
}

/* The PERF_TYPE_ of uprobes on this machine. */
static int uprobe_type(uint32_t *type)
{
	_free_ char *text = NULL;
	size_t n;
	int ret = file_read("/sys/bus/event_source/devices/uprobe/type", 64, &text, &n);

	if (ret)
		return err(-ENOTSUP, "this kernel has no uprobes (CONFIG_UPROBE_EVENTS)");
	*type = (uint32_t)strtoul(text, NULL, 10);
	return 0;
}

/* Of attr.config: PERF_UPROBE_REF_CTR_OFFSET_SHIFT of the kernel, which gives it 32 bits. */
#define SEMAPHORE_SHIFT 32

static int attach_one(int program, uint32_t type, const char *path, uint32_t pid,
		      const struct probe *probe, struct probe_link *out)
{
	struct perf_event_attr attr = {.type = type,
				       .config = probe->semaphore << SEMAPHORE_SHIFT,
				       .uprobe_path = (uintptr_t)path,
				       .probe_offset = probe->offset};
	struct perf_link_create create = {.program_fd = (uint32_t)program,
					  .attach_type = BPF_PERF_EVENT,
					  .cookie = probe->cookie};
	int link;
	int event = event_syscall(&attr, pid ? (pid_t)pid : -1, pid ? -1 : 0, -1, 0);

	if (event < 0)
		return attach_error(-errno, pid);
	vec_push(&out->fds, event);
	create.event_fd = (uint32_t)event;
	link = uprobes_bpf(BPF_LINK_CREATE, &create, sizeof(create));
	if (link < 0)
		return attach_error(link, pid);
	vec_push(&out->fds, link);
	return 0;
}

static int attach_each(int program, const char *path, uint32_t pid, const probe_list *list,
		       struct probe_link *out)
{
	uint32_t type = 0;
	int ret = uprobe_type(&type);

	if (!ret && list->n > PROBES_ONE_BY_ONE)
		ret = err(
			-E2BIG,
			"%zu probes: this kernel (before 6.6) attaches them one by one, so no more "
			"than %d; ask for fewer zones",
			list->n, PROBES_ONE_BY_ONE);
	for (size_t i = 0; i < list->n && !ret; i++)
		ret = attach_one(program, type, path, pid, &list->at[i], out);
	return ret;
}

int probes_attach(const struct probes *p, enum probe_program program, int fd, uint32_t pid,
		  const probe_list *list, struct probe_link *out)
{
	char path[32];

	if (!list->n)
		return 0;
	/* Names the file itself, even if it was renamed. */
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (p->program_fds[program] < 0)
		return err(-ENOTSUP, "the BPF program for such probes is not loaded");
	if (p->multi)
		return attach_many(p->program_fds[program], program, path, pid, list, out);
	return attach_each(p->program_fds[program], path, pid, list, out);
}

void probe_link_close(struct probe_link *link)
{
	/* Close a link before the event to which it is attached. */
	for (size_t i = link->fds.n; i-- > 0;)
		close(link->fds.at[i]);
	vec_release(&link->fds);
}

struct program_run program_run(int program_fd)
{
	struct bpf_prog_info info = {0};
	uint32_t bytes = sizeof(info);

	if (program_fd < 0 || bpf_obj_get_info_by_fd(program_fd, &info, &bytes))
		return (struct program_run){0};
	return (struct program_run){info.run_time_ns, info.run_cnt};
}

struct program_run probes_run(const struct probes *p)
{
	struct program_run sum = {0};

	for (int i = 0; i < PROBE_PROGRAMS; i++) {
		struct program_run one = program_run(p->program_fds[i]);

		sum.ns += one.ns;
		sum.runs += one.runs;
	}
	return sum;
}

int probes_time_programs(void)
{
	return bpf_enable_stats(BPF_STATS_RUN_TIME);
}

bool probes_have(const struct probes *p, int program_fd)
{
	for (int i = 0; i < PROBE_PROGRAMS; i++)
		if (p->program_fds[i] == program_fd)
			return true;
	return false;
}
