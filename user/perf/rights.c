#include "perf/rights.h"

#include <errno.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <linux/capability.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "base/err.h"
#include "base/file.h"
#include "base/mem.h"

bool rights_have(int cap)
{
	struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[2] = {0};

	return !syscall(SYS_capget, &head, data) &&
	       (data[CAP_TO_INDEX(cap)].effective & CAP_TO_MASK(cap));
}

bool rights_to_bpf(void)
{
	return rights_have(CAP_SYS_ADMIN) || (rights_have(CAP_BPF) && rights_have(CAP_PERFMON));
}

int rights_no_events(long level)
{
	if (level > RIGHTS_PARANOID_OWN)
		return err(-EACCES,
			   "kernel.perf_event_paranoid is %ld, so users may not sample even their "
			   "own processes: lower it (sudo sysctl kernel.perf_event_paranoid=%d), "
			   "or " RIGHTS_HOW,
			   level, RIGHTS_PARANOID_OWN);
	return err(-EACCES, "the kernel refuses perf events here, perhaps because of a container's "
			    "seccomp rules: " RIGHTS_HOW);
}

/* The real user of a process; false: the process is gone. */
static bool user_of(uint32_t pid, unsigned int *uid)
{
	_free_ char *path = mem_printf("/proc/%u/status", pid);
	_free_ char *text = NULL;
	const char *at;
	size_t n;

	return !file_read(path, 65536, &text, &n) && (at = strstr(text, "\nUid:")) &&
	       sscanf(at, "\nUid: %u", uid) == 1;
}

int rights_no_thread(uint32_t pid, uint32_t tid)
{
	const struct passwd *user;
	unsigned int uid;

	if (!user_of(pid, &uid))
		return err(-ESRCH, "thread %u is gone", tid);
	if (uid == getuid())
		return err(-EACCES,
			   "process %u is yours, but has more privileges than you or is not "
			   "dumpable: " RIGHTS_HOW,
			   pid);
	user = getpwuid(uid);
	return err(-EACCES,
		   "process %u belongs to %s, and without root eprof samples only your "
		   "own processes: " RIGHTS_HOW,
		   pid, user ? user->pw_name : "another user");
}
