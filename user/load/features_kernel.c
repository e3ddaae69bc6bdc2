#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <linux/bpf.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/utsname.h>

#include "base/file.h"
#include "base/mem.h"
#include "load/features.h"
#include "load/session.h"
#include "load/uprobes.h"
#include "perf/event.h"
#include "perf/rights.h"

enum { HELPER_PROBE_READ_KERNEL = 113, HELPER_TASK_BTF = 158, HELPER_TASK_PT_REGS = 175 };

#define CALL(helper)                                        \
	{                                                   \
		.code = BPF_JMP | BPF_CALL, .imm = (helper) \
	}
#define SET(reg, value)                                                               \
	{                                                                             \
		.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = (reg), .imm = (value) \
	}
#define COPY(to, from)                                                                  \
	{                                                                               \
		.code = BPF_ALU64 | BPF_MOV | BPF_X, .dst_reg = (to), .src_reg = (from) \
	}
#define EXIT                               \
	{                                  \
		.code = BPF_JMP | BPF_EXIT \
	}

static const struct bpf_insn nothing[] = {SET(0, 0), EXIT};
static const struct bpf_insn get_regs[] = {CALL(HELPER_TASK_BTF), COPY(1, 0),
					   CALL(HELPER_TASK_PT_REGS), SET(0, 0), EXIT};
static const struct bpf_insn read_kernel[] = {
	COPY(1, 10),
	{.code = BPF_ALU64 | BPF_ADD | BPF_K, .dst_reg = 1, .imm = -8},
	SET(2, 8),
	SET(3, 0),
	CALL(HELPER_PROBE_READ_KERNEL),
	SET(0, 0),
	EXIT};

static int load(uint32_t type, uint32_t attach, const struct bpf_insn *insns, size_t n)
{
	union bpf_attr attr = {.prog_type = type,
			       .expected_attach_type = attach,
			       .insns = (uintptr_t)insns,
			       .insn_cnt = n,
			       .license = (uintptr_t) "GPL"};

	return uprobes_bpf(BPF_PROG_LOAD, &attr, sizeof(attr));
}
#define LOAD(type, attach, insns) load(type, attach, insns, sizeof(insns) / sizeof(*(insns)))

static enum feature_state probe_version(char found[FEATURE_FOUND])
{
	struct utsname u;

	uname(&u);
	snprintf(found, FEATURE_FOUND, "%.60s %.16s", u.release, u.machine);
	return FEATURE_OK;
}

static enum feature_state probe_btf(char found[FEATURE_FOUND])
{
	_close_ int fd = open("/sys/kernel/btf/vmlinux", O_RDONLY | O_CLOEXEC);
	uint16_t magic = 0;

	if (fd >= 0 && read(fd, &magic, sizeof(magic)) == sizeof(magic) && magic == 0xeb9f)
		return FEATURE_OK;
	snprintf(found, FEATURE_FOUND, "no /sys/kernel/btf/vmlinux");
	return FEATURE_MISSING;
}

static enum feature_state probe_perf_prog(char found[FEATURE_FOUND])
{
	return feature_settle(LOAD(BPF_PROG_TYPE_PERF_EVENT, 0, nothing), found);
}

static enum feature_state probe_ring(char found[FEATURE_FOUND])
{
	union bpf_attr attr = {.map_type = BPF_MAP_TYPE_RINGBUF,
			       .max_entries = (uint32_t)sysconf(_SC_PAGESIZE)};

	return feature_settle(uprobes_bpf(BPF_MAP_CREATE, &attr, sizeof(attr)), found);
}

static enum feature_state probe_regs(char found[FEATURE_FOUND])
{
	return feature_settle(LOAD(BPF_PROG_TYPE_PERF_EVENT, 0, get_regs), found);
}

/* Opens an event at 99 Hz; @type is a PERF_TYPE_…. */
static int open_event(uint32_t type, uint64_t config, pid_t pid, int cpu, unsigned long flags)
{
	struct perf_event_attr attr = {.type = type,
				       .size = sizeof(attr),
				       .config = config,
				       .freq = 1,
				       .sample_freq = 99,
				       .disabled = 1};
	int fd = event_syscall(&attr, pid, cpu, -1, flags | PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

/* Tries a program on a sampled event of this process, then on one of all tasks. */
static enum feature_state probe_sampling(char found[FEATURE_FOUND])
{
	_close_ int prog = LOAD(BPF_PROG_TYPE_PERF_EVENT, 0, nothing);
	_close_ int own = open_event(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, 0, -1, 0);
	_close_ int all = open_event(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, -1, 0, 0);

	if (prog < 0 || own < 0)
		return feature_settle(prog < 0 ? prog : own, found);
	if (ioctl(own, PERF_EVENT_IOC_SET_BPF, prog))
		return feature_settle(-errno, found);
	if (all < 0) {
		strcpy(found, "own processes only");
		return FEATURE_LIMITED;
	}
	return FEATURE_OK;
}

static enum feature_state probe_pmu(char found[FEATURE_FOUND])
{
	int fd = open_event(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 0, -1, 0);

	if (fd == -ENOENT || fd == -EOPNOTSUPP || fd == -ENODEV) {
		strcpy(found, "no hardware counters");
		return FEATURE_LIMITED;
	}
	return feature_settle(fd, found);
}

static enum feature_state probe_build_id(char found[FEATURE_FOUND])
{
	struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE,
				       .size = sizeof(attr),
				       .config = PERF_COUNT_SW_DUMMY,
				       .mmap = 1,
				       .mmap2 = 1,
				       .build_id = 1,
				       .exclude_kernel = 1,
				       .disabled = 1};
	int fd = event_syscall(&attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);

	return feature_settle(fd < 0 ? -errno : fd, found);
}

static enum feature_state probe_uprobes(enum uprobes_attach attach, char found[FEATURE_FOUND])
{
	int r = uprobes_try(attach);

	return r ? feature_settle(r, found) : FEATURE_OK;
}

static enum feature_state probe_uprobe_multi(char found[FEATURE_FOUND])
{
	return probe_uprobes(UPROBES_MULTI, found);
}

static enum feature_state probe_uprobe_session(char found[FEATURE_FOUND])
{
	return probe_uprobes(UPROBES_SESSION, found);
}

/* The folder of the first cgroup2 mount: field 5 of mountinfo, the type behind " - ". */
static bool find_cgroup2(char *dir, size_t size)
{
	_free_ char *text = NULL;
	char *save, *line;
	size_t n;

	if (file_read("/proc/self/mountinfo", 1 << 20, &text, &n))
		return false;
	for (line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		char path[128];

		if (strstr(line, " - cgroup2 ") &&
		    sscanf(line, "%*s %*s %*s %*s %127s", path) == 1) {
			snprintf(dir, size, "%s", path);
			return true;
		}
	}
	return false;
}

static enum feature_state probe_cgroup(char found[FEATURE_FOUND])
{
	char dir[128];
	_close_ int root = -1, fd = -1;

	if (!find_cgroup2(dir, sizeof(dir))) {
		strcpy(found, "not mounted");
		return FEATURE_MISSING;
	}
	snprintf(found, FEATURE_FOUND, "%.79s", dir);
	root = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (root < 0)
		return feature_settle(-errno, found);
	fd = open_event(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, root, 0, PERF_FLAG_PID_CGROUP);
	return fd < 0 ? feature_settle(fd, found) : FEATURE_OK;
}

static enum feature_state probe_stats(char found[FEATURE_FOUND])
{
	union bpf_attr attr = {.enable_stats.type = BPF_STATS_RUN_TIME};
	enum feature_state s =
		feature_settle(uprobes_bpf(BPF_ENABLE_STATS, &attr, sizeof(attr)), found);

	return s == FEATURE_OK ? s : FEATURE_LIMITED;
}

static enum feature_state probe_tracepoints(char found[FEATURE_FOUND])
{
	struct event e;

	if (!event_parse("sched:sched_switch", &e))
		return FEATURE_OK;
	strcpy(found, geteuid() ? "not permitted" : "no tracefs");
	return geteuid() ? FEATURE_UNKNOWN : FEATURE_MISSING;
}

/* Confidentiality mode forbids programs to read the kernel's memory. */
static enum feature_state probe_lockdown(char found[FEATURE_FOUND])
{
	int r = LOAD(BPF_PROG_TYPE_PERF_EVENT, 0, read_kernel);
	_free_ char *text = NULL;
	char mode[32];
	size_t n;

	snprintf(found, FEATURE_FOUND, "not in force");
	if (!file_read("/sys/kernel/security/lockdown", 256, &text, &n) && strchr(text, '[') &&
	    sscanf(strchr(text, '['), "[%31[a-z]]", mode) == 1)
		snprintf(found, FEATURE_FOUND, "%s", mode);
	if (r == -EPERM || r == -EACCES)
		return FEATURE_UNKNOWN;
	return r < 0 ? FEATURE_MISSING : feature_settle(r, found);
}

/* Where the stack of a wait can be taken. */
static enum feature_state probe_switched(char found[FEATURE_FOUND])
{
	static const char *const where[] = {
		[SESSION_SWITCHED_TRACEPOINT] = "after the switch: sched_exit_tp",
		[SESSION_SWITCHED_KPROBE] = "after the switch: kprobe",
		[SESSION_SWITCHED_NOWHERE] = "nothing runs after a switch"};
	enum session_switched is;

	if (!rights_to_bpf()) {
		strcpy(found, "not permitted");
		return FEATURE_UNKNOWN;
	}
	is = session_switched();
	strcpy(found, where[is]);
	return is == SESSION_SWITCHED_NOWHERE ? FEATURE_MISSING : FEATURE_OK;
}

static const struct feature_row rows[] = {
	{0, "kernel", "kernel", probe_version, "the kernel that these features were tested on", "",
	 ""},
	{1, "btf", "BTF of the kernel", probe_btf, "the programs fit this kernel",
	 "the programs cannot be fitted to this kernel",
	 "a kernel built with CONFIG_DEBUG_INFO_BTF=y (Debian's are)"},
	{1, "perf_event_program", "BPF on perf events", probe_perf_prog,
	 "stacks are walked in the kernel", "no sampling", "a kernel with CONFIG_BPF_EVENTS=y"},
	{1, "ring_buffer", "BPF ring buffer", probe_ring, "samples reach eprof in order",
	 "no sampling", "Linux 5.8 or newer"},
	{1, "sampling", "sampling by the clock", probe_sampling,
	 "processes, commands, cgroups and the whole system",
	 "no -a, no -G; only your own processes, if any", AS_ROOT},
	{0, "task_pt_regs", "user registers in kernel code", probe_regs,
	 "stacks of system calls continue into user code",
	 "stacks of system calls end in the kernel", "Linux 5.15 or newer"},
	{0, "pmu", "hardware counters (PMU)", probe_pmu, "cycles are the default event",
	 "cpu-clock is sampled instead of cycles; -e cycles fails",
	 "in a virtual machine: a virtual PMU from the host"},
	{0, "mmap_build_id", "build-ids of mappings", probe_build_id,
	 "deleted files keep their identity", "files are known by path and inode only",
	 "Linux 5.12 or newer"},
	{0, "uprobe_multi", "uprobe_multi", probe_uprobe_multi, "many functions are probed at once",
	 "function probes are attached one by one", "Linux 6.6 or newer"},
	{0, "uprobe_session", "uprobe session", probe_uprobe_session,
	 "one probe sees a call and its return", "a call and its return need a probe each",
	 "Linux 6.13 or newer"},
	{0, "cgroup2", "cgroup v2", probe_cgroup, "-G CGROUP works", "-G CGROUP fails",
	 "mount -t cgroup2 none /sys/fs/cgroup"},
	{0, "bpf_stats", "BPF run time statistics", probe_stats,
	 "the run time of programs on probes is known",
	 "the cost of a capture lacks the run time of programs on probes", AS_ROOT},
	{0, "tracepoints", "tracepoints", probe_tracepoints, "-e SUBSYSTEM:EVENT works",
	 "-e SUBSYSTEM:EVENT fails", AS_ROOT ", on a kernel with CONFIG_FTRACE=y"},
	{0, "off_cpu_stacks", "off-CPU stacks", probe_switched,
	 "--off-cpu takes stacks of the waits that it samples", "no --off-cpu, --wakers, --wall",
	 "a kernel with CONFIG_KPROBES=y (Debian's are)"},
	{0, "lockdown", "kernel lockdown", probe_lockdown, "programs may read kernel memory",
	 "programs may not read kernel memory: no sampling",
	 "boot without lockdown=confidentiality"},
};
const struct feature_rows features_kernel = {rows, sizeof(rows) / sizeof(*rows)};
