#include "sandbox/callfilter.h"

#include <asm/termbits.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/prctl.h>
#include <linux/sched.h>
#include <seccomp.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/err.h"

#define SECCOMP_GET_ACTION \
	2 /* SECCOMP_GET_ACTION_AVAIL of linux/seccomp.h, which seccomp.h hides */

/* Allowed whatever the arguments are: they concern the process itself, or descriptors that it has.
 */
static const int plain[] = {
	/* descriptors */
	SCMP_SYS(read),
	SCMP_SYS(readv),
	SCMP_SYS(pread64),
	SCMP_SYS(preadv),
	SCMP_SYS(write),
	SCMP_SYS(pwrite64),
	SCMP_SYS(pwritev),
	SCMP_SYS(lseek),
	SCMP_SYS(close),
	SCMP_SYS(dup),
	SCMP_SYS(dup2),
	SCMP_SYS(dup3),

	SCMP_SYS(flock),
	SCMP_SYS(fsync),
	SCMP_SYS(fdatasync),
	SCMP_SYS(ftruncate),
	SCMP_SYS(fallocate),
	SCMP_SYS(fadvise64),
	SCMP_SYS(poll),
	SCMP_SYS(ppoll),
	SCMP_SYS(select),
	SCMP_SYS(pselect6),
	SCMP_SYS(pipe),
	SCMP_SYS(pipe2),
	SCMP_SYS(eventfd2),
	SCMP_SYS(getdents64),
	/* what is where */
	SCMP_SYS(fstat),
	SCMP_SYS(newfstatat),
	SCMP_SYS(stat),
	SCMP_SYS(lstat),
	SCMP_SYS(statx),
	SCMP_SYS(fstatfs),
	SCMP_SYS(statfs),
	SCMP_SYS(access),
	SCMP_SYS(faccessat),
	SCMP_SYS(faccessat2),
	SCMP_SYS(readlink),
	SCMP_SYS(readlinkat),
	SCMP_SYS(getcwd),
	/* memory */
	SCMP_SYS(brk),
	SCMP_SYS(munmap),
	SCMP_SYS(mremap),
	SCMP_SYS(madvise),
	SCMP_SYS(msync),
	/* threads, signals, time */
	SCMP_SYS(futex),
	SCMP_SYS(set_robust_list),
	SCMP_SYS(rseq),
	SCMP_SYS(set_tid_address),
	SCMP_SYS(sched_yield),
	SCMP_SYS(sched_getaffinity),
	SCMP_SYS(sched_getparam),
	SCMP_SYS(sched_getscheduler),
	SCMP_SYS(sched_getattr),
	SCMP_SYS(getpriority),
	SCMP_SYS(exit),
	SCMP_SYS(exit_group),
	SCMP_SYS(restart_syscall),
	SCMP_SYS(rt_sigaction),
	SCMP_SYS(rt_sigprocmask),
	SCMP_SYS(rt_sigreturn),
	SCMP_SYS(sigaltstack),
	SCMP_SYS(rt_sigtimedwait),
	SCMP_SYS(clock_gettime),
	SCMP_SYS(clock_getres),
	SCMP_SYS(gettimeofday),
	SCMP_SYS(time),
	SCMP_SYS(nanosleep),
	SCMP_SYS(clock_nanosleep),
	SCMP_SYS(times),
	SCMP_SYS(getrusage),
	SCMP_SYS(getrandom),
	SCMP_SYS(membarrier),
	/* who and where we are */
	SCMP_SYS(getpid),
	SCMP_SYS(getppid),
	SCMP_SYS(gettid),
	SCMP_SYS(getpgrp),
	SCMP_SYS(getuid),
	SCMP_SYS(geteuid),
	SCMP_SYS(getgid),
	SCMP_SYS(getegid),
	SCMP_SYS(getresuid),
	SCMP_SYS(getresgid),
	SCMP_SYS(getgroups),
	SCMP_SYS(getrlimit),
	SCMP_SYS(sysinfo),
	SCMP_SYS(uname),
	SCMP_SYS(getcpu),
};

#define WRITES	  ((uint64_t)(O_ACCMODE | O_CREAT | O_TRUNC | O_APPEND | (O_TMPFILE & ~O_DIRECTORY)))
#define WRITE_RUN ((uint64_t)(PROT_WRITE | PROT_EXEC))

/* Allowed with this in one argument, of which the bits of the mask count. */
static const struct {
	int call;
	unsigned argument;
	uint64_t mask, value;
} bounded[] = {
	{SCMP_SYS(open), 1, WRITES, O_RDONLY},
	{SCMP_SYS(openat), 2, WRITES, O_RDONLY},
	{SCMP_SYS(mmap), 2, PROT_EXEC, 0},
	{SCMP_SYS(mmap), 2, WRITE_RUN, PROT_EXEC},
	{SCMP_SYS(mprotect), 2, PROT_EXEC, 0},
	{SCMP_SYS(mprotect), 2, WRITE_RUN, PROT_EXEC},
	{SCMP_SYS(fcntl), 1, UINT32_MAX, F_DUPFD},
	{SCMP_SYS(fcntl), 1, UINT32_MAX, F_DUPFD_CLOEXEC},
	{SCMP_SYS(fcntl), 1, UINT32_MAX, F_GETFD},
	{SCMP_SYS(fcntl), 1, UINT32_MAX, F_SETFD},
	{SCMP_SYS(fcntl), 1, UINT32_MAX, F_GETFL},
	{SCMP_SYS(fcntl), 1, UINT32_MAX, F_SETFL},
	{SCMP_SYS(clone), 0, CLONE_THREAD, CLONE_THREAD},
	{SCMP_SYS(ioctl), 1, UINT32_MAX, TCGETS},
	{SCMP_SYS(ioctl), 1, UINT32_MAX, TCGETS2},
	{SCMP_SYS(ioctl), 1, UINT32_MAX, TIOCGWINSZ},
	{SCMP_SYS(ioctl), 1, UINT32_MAX, FIONREAD},
	{SCMP_SYS(prctl), 0, UINT32_MAX, PR_SET_NAME},
	{SCMP_SYS(prctl), 0, UINT32_MAX, PR_GET_NAME},
	{SCMP_SYS(prlimit64), 2, UINT64_MAX, 0}, /* reads it */
};

bool callfilter_is_there(void)
{
	const uint32_t action = SCMP_ACT_ALLOW;

	return !syscall(SYS_seccomp, SECCOMP_GET_ACTION, 0, &action);
}

static int allow_plain(scmp_filter_ctx filter)
{
	int rc = 0;

	for (size_t i = 0; i < sizeof(plain) / sizeof(*plain) && !rc; i++)
		rc = seccomp_rule_add(filter, SCMP_ACT_ALLOW, plain[i], 0);
	return rc;
}

static int allow_bounded(scmp_filter_ctx filter)
{
	int rc = 0;

	for (size_t i = 0; i < sizeof(bounded) / sizeof(*bounded) && !rc; i++) {
		const struct scmp_arg_cmp is = {bounded[i].argument, SCMP_CMP_MASKED_EQ,
						bounded[i].mask, bounded[i].value};

		rc = seccomp_rule_add_array(filter, SCMP_ACT_ALLOW, bounded[i].call, 1, &is);
	}
	return rc;
}

/* What depends on the process. */
static int allow_own(scmp_filter_ctx filter, int socket)
{
	const struct scmp_arg_cmp to_broker = {0, SCMP_CMP_EQ, (scmp_datum_t)socket, 0};
	const struct scmp_arg_cmp to_self = {0, SCMP_CMP_EQ, (scmp_datum_t)getpid(), 0};
	/* libc's last words on a heap that a file has damaged go out by this call, unlike those of
	 * streams: the broker says it better. */
	const struct scmp_arg_cmp not_stderr = {0, SCMP_CMP_NE, STDERR_FILENO, 0};
	int rc = seccomp_rule_add_array(filter, SCMP_ACT_ALLOW, SCMP_SYS(sendmsg), 1, &to_broker);

	if (!rc)
		rc = seccomp_rule_add_array(filter, SCMP_ACT_ALLOW, SCMP_SYS(recvmsg), 1,
					    &to_broker);
	if (!rc)
		rc = seccomp_rule_add_array(filter, SCMP_ACT_ALLOW, SCMP_SYS(tgkill), 1, &to_self);
	if (!rc)
		rc = seccomp_rule_add_array(filter, SCMP_ACT_ALLOW, SCMP_SYS(writev), 1,
					    &not_stderr);
	return rc;
}

int callfilter_set(int socket)
{
	scmp_filter_ctx filter;
	int rc;

	if (!callfilter_is_there())
		return 0;
	filter = seccomp_init(SCMP_ACT_ERRNO(ENOSYS));
	rc = filter ? allow_plain(filter) : -ENOMEM;
	if (!rc)
		rc = allow_bounded(filter);
	if (!rc)
		rc = allow_own(filter, socket);
	if (!rc)
		rc = seccomp_load(filter);
	if (filter)
		seccomp_release(filter);
	return rc ? err(rc, "cannot confine itself by seccomp: %s", strerror(-rc)) : 0;
}
