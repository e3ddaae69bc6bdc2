#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <linux/capability.h>

#include "base/file.h"
#include "base/mem.h"
#include "load/features.h"
#include "perf/event.h"
#include "perf/rights.h"
#include "process/procfs.h"

/* A descriptor is closed and means ok; other results depend on the errno. */
enum feature_state feature_settle(int r, char found[FEATURE_FOUND])
{
	if (r >= 0) {
		close(r);
		return FEATURE_OK;
	}
	if (r == -EPERM || r == -EACCES) {
		strcpy(found, "not permitted");
		return FEATURE_UNKNOWN;
	}
	snprintf(found, FEATURE_FOUND, "%s", strerror(-r));
	return FEATURE_MISSING;
}

/* --- privileges and settings ------------------------------------------------------------------ */

static enum feature_state either_cap(int cap, int wider, char found[FEATURE_FOUND])
{
	if (rights_have(cap))
		return FEATURE_OK;
	if (rights_have(wider)) {
		strcpy(found, wider == CAP_SYS_ADMIN ? "by CAP_SYS_ADMIN" : "");
		return FEATURE_OK;
	}
	strcpy(found, "not held");
	return FEATURE_MISSING;
}

static enum feature_state probe_cap_bpf(char found[FEATURE_FOUND])
{
	return either_cap(CAP_BPF, CAP_SYS_ADMIN, found);
}

static enum feature_state probe_cap_perfmon(char found[FEATURE_FOUND])
{
	return either_cap(CAP_PERFMON, CAP_SYS_ADMIN, found);
}

static enum feature_state probe_cap_ptrace(char found[FEATURE_FOUND])
{
	return either_cap(CAP_SYS_PTRACE, CAP_SYS_PTRACE, found) == FEATURE_OK ? FEATURE_OK
									       : FEATURE_LIMITED;
}

static enum feature_state probe_cap_admin(char found[FEATURE_FOUND])
{
	return either_cap(CAP_SYS_ADMIN, CAP_SYS_ADMIN, found) == FEATURE_OK ? FEATURE_OK
									     : FEATURE_LIMITED;
}

static enum feature_state probe_cap_restore(char found[FEATURE_FOUND])
{
	return either_cap(CAP_CHECKPOINT_RESTORE, CAP_SYS_ADMIN, found) == FEATURE_OK
		       ? FEATURE_OK
		       : FEATURE_LIMITED;
}

static enum feature_state probe_cap_syslog(char found[FEATURE_FOUND])
{
	return either_cap(CAP_SYSLOG, CAP_SYSLOG, found) == FEATURE_OK ? FEATURE_OK
								       : FEATURE_LIMITED;
}

/* The number in a file of /proc/sys, also written to @found; @otherwise if there is none. */
static long setting(const char *path, long otherwise, char found[FEATURE_FOUND])
{
	_free_ char *text = NULL;
	size_t n;

	if (file_read(path, 64, &text, &n)) {
		snprintf(found, FEATURE_FOUND, "not there");
		return otherwise;
	}
	snprintf(found, FEATURE_FOUND, "%.*s", (int)strcspn(text, "\n"), text);
	return atol(text);
}

static enum feature_state probe_paranoid(char found[FEATURE_FOUND])
{
	long level = setting("/proc/sys/kernel/perf_event_paranoid", -1, found);

	if (rights_have(CAP_PERFMON) || rights_have(CAP_SYS_ADMIN) || level < 0)
		return FEATURE_OK;
	return level > 2 ? FEATURE_MISSING : FEATURE_LIMITED;
}

/* Tests what can be read, not the setting: the addresses of the first symbols. */
static enum feature_state probe_kptr(char found[FEATURE_FOUND])
{
	FILE *f = fopen("/proc/kallsyms", "re");
	unsigned long address = 0;
	char line[256];

	setting("/proc/sys/kernel/kptr_restrict", 0, found);
	for (int i = 0; f && !address && i < 100 && fgets(line, sizeof(line), f); i++)
		address = strtoul(line, NULL, 16);
	if (f)
		fclose(f);
	return address ? FEATURE_OK : FEATURE_LIMITED;
}

static enum feature_state probe_rate(char found[FEATURE_FOUND])
{
	return setting("/proc/sys/kernel/perf_event_max_sample_rate", 0, found) < 1000
		       ? FEATURE_LIMITED
		       : FEATURE_OK;
}

static enum feature_state probe_yama(char found[FEATURE_FOUND])
{
	long scope = setting("/proc/sys/kernel/yama/ptrace_scope", 0, found);

	return scope < 3 && (scope == 0 || rights_have(CAP_SYS_PTRACE)) ? FEATURE_OK
									: FEATURE_LIMITED;
}

static enum feature_state probe_unprivileged(char found[FEATURE_FOUND])
{
	setting("/proc/sys/kernel/unprivileged_bpf_disabled", 0, found);
	return rights_have(CAP_BPF) || rights_have(CAP_SYS_ADMIN) ? FEATURE_OK : FEATURE_LIMITED;
}

static enum feature_state probe_namespace(char found[FEATURE_FOUND])
{
	snprintf(found, FEATURE_FOUND, "%s",
		 procfs_in_first_namespace() ? "the first" : "a container's");
	return procfs_is_own() ? FEATURE_OK : FEATURE_MISSING;
}

/* Sampling without privileges: see session_plain. */
static enum feature_state probe_own(char found[FEATURE_FOUND])
{
	struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE,
				       .config = PERF_COUNT_SW_CPU_CLOCK,
				       .exclude_kernel = 1,
				       .disabled = 1};
	int fd = event_syscall(&attr, 0, -1, -1, 0);

	if (fd < 0) {
		snprintf(found, FEATURE_FOUND, "%s", strerror(errno));
		return FEATURE_MISSING;
	}
	close(fd);
	if (rights_to_bpf())
		return FEATURE_OK;
	strcpy(found, "user mode");
	return FEATURE_LIMITED;
}

#define CAP(name) AS_ROOT ", or give the program " name " (setcap)"

static const struct feature_row privilege_rows[] = {
	{0, "cap_bpf", "CAP_BPF", probe_cap_bpf, "programs may be loaded",
	 "no program can be loaded: no sampling", CAP("cap_bpf")},
	{0, "cap_perfmon", "CAP_PERFMON", probe_cap_perfmon,
	 "perf events of any process, kernel stacks",
	 "no perf events for the programs: no sampling", CAP("cap_perfmon")},
	{0, "cap_sys_ptrace", "CAP_SYS_PTRACE", probe_cap_ptrace,
	 "any process's mappings can be read", "only your own processes can be named",
	 CAP("cap_sys_ptrace")},
	{0, "cap_checkpoint_restore", "CAP_CHECKPOINT_RESTORE", probe_cap_restore,
	 "deleted files are still read", "deleted and replaced files stay unnamed",
	 CAP("cap_checkpoint_restore")},
	{0, "cap_syslog", "CAP_SYSLOG", probe_cap_syslog, "kernel symbols can be read",
	 "kernel frames may be bare addresses", CAP("cap_syslog")},
	{0, "cap_sys_admin", "CAP_SYS_ADMIN", probe_cap_admin,
	 "kernel statistics, tracefs, zones that are safe for valgrind",
	 "no kernel statistics, no tracepoints by name; zones may crash what valgrind runs",
	 AS_ROOT},
};
static const struct feature_rows features_privilege = {
	privilege_rows, sizeof(privilege_rows) / sizeof(*privilege_rows)};

static const struct feature_row setting_rows[] = {
	{0, "perf_event_paranoid", "kernel.perf_event_paranoid", probe_paranoid,
	 "does not restrict users with CAP_PERFMON", "restricts users without CAP_PERFMON",
	 CAP("cap_perfmon")},
	{0, FEATURE_OWN, "your own processes", probe_own, "are sampled like all others",
	 "-p, -t and -- COMMAND show user mode only; no -a, no -G, no --zone",
	 AS_ROOT
	 "; if nothing works, sysctl kernel.perf_event_paranoid=2 lets users sample their own "
	 "processes"},
	{0, "kptr_restrict", "kernel.kptr_restrict", probe_kptr, "kernel symbols have addresses",
	 "kernel frames are bare addresses",
	 CAP("cap_syslog") "; a value of 2 hides them from everyone: sysctl "
			   "kernel.kptr_restrict=1"},
	{0, "max_sample_rate", "kernel.perf_event_max_sample_rate", probe_rate, "the highest -F",
	 "the highest -F, lowered by the kernel because samples took too long",
	 "sysctl kernel.perf_event_max_sample_rate=100000"},
	{0, "ptrace_scope", "kernel.yama.ptrace_scope", probe_yama, "does not restrict this user",
	 "other processes' mappings may be unreadable",
	 AS_ROOT ", or sysctl kernel.yama.ptrace_scope=0"},
	{1, "pid_namespace", "PID namespace", probe_namespace, "process numbers are those in /proc",
	 "process numbers are not those in /proc: no sampling",
	 "mount the /proc of this namespace (unshare --mount-proc, or mount -t proc proc /proc)"},
	{0, "unprivileged_bpf", "kernel.unprivileged_bpf_disabled", probe_unprivileged,
	 "does not restrict users with CAP_BPF",
	 "without CAP_BPF no program for perf events loads, at any value", CAP("cap_bpf")},
};
static const struct feature_rows features_setting = {setting_rows,
						     sizeof(setting_rows) / sizeof(*setting_rows)};

/* --- all ------------------------------------------------------------------------------------ */

static const struct feature_rows *const groups[] = {
	[FEATURE_KERNEL] = &features_kernel,
	[FEATURE_PRIVILEGE] = &features_privilege,
	[FEATURE_SETTING] = &features_setting,
};

static void probe_row(enum feature_group group, const struct feature_row *r, struct feature *f)
{
	*f = (struct feature){
		.group = group, .key = r->key, .what = r->what, .essential = r->essential};
	f->state = r->probe(f->found);
	f->means = f->state == FEATURE_UNKNOWN ? "cannot be tried without privileges"
		   : f->state == FEATURE_OK    ? r->with
					       : r->without;
	f->get = f->state == FEATURE_OK ? "" : f->state == FEATURE_UNKNOWN ? AS_ROOT : r->get;
}

size_t features_probe(struct feature out[FEATURES_MAX])
{
	size_t n = 0;

	for (size_t g = 0; g < sizeof(groups) / sizeof(*groups); g++) {
		for (size_t i = 0; i < groups[g]->n; i++) {
			assert(n < FEATURES_MAX);
			probe_row(g, &groups[g]->at[i], &out[n++]);
		}
	}
	return n;
}

bool features_own(const struct feature *f, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(f[i].key, FEATURE_OWN))
			return f[i].state == FEATURE_LIMITED;
	return false;
}

bool features_suffice(const struct feature *f, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (f[i].essential && f[i].state != FEATURE_OK && f[i].state != FEATURE_LIMITED)
			return false;
	return true;
}
