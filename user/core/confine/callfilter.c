#include "confine/callfilter.h"

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
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/err.h"

#define SECCOMP_GET_ACTION \
	2 /* SECCOMP_GET_ACTION_AVAIL of linux/seccomp.h, which seccomp.h hides */

/* Kinds of processes as bits. */
#define FOR(kind) (1u << (kind))
#define READER	  FOR(CONFINE_READER)
#define REPORT	  FOR(CONFINE_REPORT)
#define SERVER	  FOR(CONFINE_SERVER)
#define TOOL	  FOR(CONFINE_TOOL)
#define ALL	  (READER | REPORT | SERVER | TOOL)

/* Calls allowed with any arguments: they concern the process itself, or its descriptors. */
static const struct {
	int call;
	unsigned kinds;
} plain[] = {
	/* descriptors */
	{SCMP_SYS(read), ALL},
	{SCMP_SYS(readv), ALL},
	{SCMP_SYS(pread64), ALL},
	{SCMP_SYS(preadv), ALL},
	{SCMP_SYS(write), ALL},
	{SCMP_SYS(pwrite64), ALL},
	{SCMP_SYS(pwritev), ALL},
	{SCMP_SYS(lseek), ALL},
	{SCMP_SYS(close), ALL},
	{SCMP_SYS(close_range), SERVER},
	{SCMP_SYS(dup), ALL},
	{SCMP_SYS(dup2), REPORT | SERVER},
	{SCMP_SYS(dup3), REPORT | SERVER},
	{SCMP_SYS(flock), REPORT},
	{SCMP_SYS(fsync), REPORT},
	{SCMP_SYS(fdatasync), REPORT},
	{SCMP_SYS(ftruncate), REPORT},
	{SCMP_SYS(fallocate), REPORT},
	{SCMP_SYS(fadvise64), ALL},
	{SCMP_SYS(poll), REPORT | SERVER},
	{SCMP_SYS(ppoll), REPORT | SERVER},
	{SCMP_SYS(select), REPORT},
	{SCMP_SYS(pselect6), REPORT},
	{SCMP_SYS(pipe), REPORT},
	{SCMP_SYS(pipe2), REPORT},
	{SCMP_SYS(eventfd2), REPORT},
	{SCMP_SYS(getdents64), REPORT},
	/* paths and file status */
	{SCMP_SYS(fstat), ALL},
	{SCMP_SYS(newfstatat), REPORT | TOOL},
	{SCMP_SYS(stat), REPORT | TOOL},
	{SCMP_SYS(lstat), REPORT | TOOL},
	{SCMP_SYS(statx), REPORT | TOOL},
	{SCMP_SYS(fstatfs), REPORT},
	{SCMP_SYS(statfs), REPORT},
	{SCMP_SYS(access), REPORT | TOOL},
	{SCMP_SYS(faccessat), REPORT | TOOL},
	{SCMP_SYS(faccessat2), REPORT},
	{SCMP_SYS(readlink), REPORT | TOOL},
	{SCMP_SYS(readlinkat), REPORT | TOOL},
	{SCMP_SYS(getcwd), REPORT | TOOL},
	/* memory */
	{SCMP_SYS(brk), ALL},
	{SCMP_SYS(munmap), ALL},
	{SCMP_SYS(mremap), ALL},
	{SCMP_SYS(madvise), ALL},
	{SCMP_SYS(msync), REPORT},
	/* threads, signals, time */
	{SCMP_SYS(futex), ALL},
	{SCMP_SYS(set_robust_list), ALL},
	{SCMP_SYS(rseq), ALL},
	{SCMP_SYS(set_tid_address), ALL},
	{SCMP_SYS(sched_yield), ALL},
	{SCMP_SYS(sched_getaffinity), ALL},
	{SCMP_SYS(sched_getparam), REPORT | TOOL},
	{SCMP_SYS(sched_getscheduler), REPORT | TOOL},
	{SCMP_SYS(sched_getattr), REPORT},
	{SCMP_SYS(getpriority), REPORT},
	{SCMP_SYS(exit), ALL},
	{SCMP_SYS(exit_group), ALL},
	{SCMP_SYS(restart_syscall), ALL},
	{SCMP_SYS(rt_sigaction), ALL},
	{SCMP_SYS(rt_sigprocmask), ALL},
	{SCMP_SYS(rt_sigreturn), ALL},
	{SCMP_SYS(sigaltstack), ALL},
	{SCMP_SYS(rt_sigtimedwait), REPORT},
	{SCMP_SYS(clock_gettime), ALL},
	{SCMP_SYS(clock_getres), ALL},
	{SCMP_SYS(gettimeofday), ALL},
	{SCMP_SYS(time), ALL},
	{SCMP_SYS(nanosleep), REPORT | TOOL},
	{SCMP_SYS(clock_nanosleep), REPORT | TOOL},
	{SCMP_SYS(times), ALL},
	{SCMP_SYS(getrusage), ALL},
	{SCMP_SYS(getrandom), ALL},
	{SCMP_SYS(membarrier), REPORT | TOOL},
	/* to start a program */
	{SCMP_SYS(arch_prctl), TOOL},
	/* children of the server, which confine themselves further */
	{SCMP_SYS(wait4), SERVER},
	{SCMP_SYS(waitid), SERVER},
	{SCMP_SYS(kill), SERVER},
	{SCMP_SYS(sendmsg), SERVER},
	{SCMP_SYS(recvmsg), SERVER},
	{SCMP_SYS(seccomp), SERVER},
	{SCMP_SYS(landlock_create_ruleset), SERVER},
	{SCMP_SYS(landlock_restrict_self), SERVER},
	/* ids and the machine */
	{SCMP_SYS(getpid), ALL},
	{SCMP_SYS(getppid), ALL},
	{SCMP_SYS(gettid), ALL},
	{SCMP_SYS(getpgrp), REPORT},
	{SCMP_SYS(getuid), ALL},
	{SCMP_SYS(geteuid), ALL},
	{SCMP_SYS(getgid), ALL},
	{SCMP_SYS(getegid), ALL},
	{SCMP_SYS(getresuid), REPORT},
	{SCMP_SYS(getresgid), REPORT},
	{SCMP_SYS(getgroups), REPORT},
	{SCMP_SYS(getrlimit), ALL},
	{SCMP_SYS(capset), SERVER},
	{SCMP_SYS(sysinfo), ALL},
	{SCMP_SYS(uname), ALL},
	{SCMP_SYS(getcpu), ALL},
};

#define WRITES \
	((uint64_t)(O_ACCMODE | O_CREAT | O_TRUNC | O_APPEND | O_PATH | (O_TMPFILE & ~O_DIRECTORY)))
#define UNKNOWN ((uint64_t)(MAP_SHARED | MAP_HUGETLB))
#define ORPHAN	((uint64_t)(MAP_SHARED | MAP_ANONYMOUS))
/* Flags of clone(2) that a fork has not. */
#define NO_FORK                                                                                   \
	((uint64_t)(CLONE_VM | CLONE_THREAD | CLONE_PARENT | CLONE_PTRACE | CLONE_UNTRACED |      \
		    CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | \
		    CLONE_NEWPID | CLONE_NEWNET))

/* What the bits of the mask must be in one argument. */
struct bits {
	unsigned argument;
	uint64_t mask, value;
};

/* Calls allowed if all of these match; a mask of 0 always does. */
static const struct {
	int call;
	unsigned kinds;
	struct bits at[2];
} bounded[] = {
	{SCMP_SYS(open), REPORT | TOOL, {{1, WRITES, O_RDONLY}}},
	{SCMP_SYS(openat), REPORT | TOOL, {{2, WRITES, O_RDONLY}}},
	/* fstat(2), as the C library calls it. */
	{SCMP_SYS(newfstatat), READER | SERVER, {{3, AT_EMPTY_PATH, AT_EMPTY_PATH}}},
	/* Private memory; reports also map files that others share. */
	{SCMP_SYS(mmap), READER | SERVER, {{2, PROT_EXEC, 0}, {3, UNKNOWN, 0}}},
	{SCMP_SYS(mmap), REPORT, {{2, PROT_EXEC, 0}, {3, UNKNOWN, 0}}},
	{SCMP_SYS(mmap), REPORT, {{2, PROT_EXEC, 0}, {3, ORPHAN | MAP_HUGETLB, MAP_SHARED}}},
	/* A tool also maps libraries' code, which is never writable. */
	{SCMP_SYS(mmap), TOOL, {{2, PROT_EXEC, 0}, {3, UNKNOWN, 0}}},
	{SCMP_SYS(mmap), TOOL, {{2, PROT_EXEC, 0}, {3, ORPHAN | MAP_HUGETLB, MAP_SHARED}}},
	{SCMP_SYS(mmap), TOOL, {{2, PROT_WRITE, 0}, {3, UNKNOWN | MAP_ANONYMOUS, 0}}},
	{SCMP_SYS(mprotect), ALL, {{2, PROT_EXEC, 0}}},
	{SCMP_SYS(fcntl), ALL, {{1, UINT32_MAX, F_DUPFD}}},
	{SCMP_SYS(fcntl), ALL, {{1, UINT32_MAX, F_DUPFD_CLOEXEC}}},
	{SCMP_SYS(fcntl), ALL, {{1, UINT32_MAX, F_GETFD}}},
	{SCMP_SYS(fcntl), REPORT | SERVER, {{1, UINT32_MAX, F_SETFD}}},
	{SCMP_SYS(fcntl), ALL, {{1, UINT32_MAX, F_GETFL}}},
	{SCMP_SYS(fcntl), REPORT, {{1, UINT32_MAX, F_SETFL}}},
	{SCMP_SYS(clone), REPORT | TOOL, {{0, CLONE_THREAD, CLONE_THREAD}}},
	{SCMP_SYS(clone), SERVER, {{0, NO_FORK, 0}}},
	{SCMP_SYS(ioctl), REPORT | TOOL, {{1, UINT32_MAX, TCGETS}}},
	{SCMP_SYS(ioctl), REPORT, {{1, UINT32_MAX, TCGETS2}}},
	{SCMP_SYS(ioctl), REPORT, {{1, UINT32_MAX, TIOCGWINSZ}}},
	{SCMP_SYS(ioctl), REPORT, {{1, UINT32_MAX, FIONREAD}}},
	{SCMP_SYS(prctl), REPORT | TOOL, {{0, UINT32_MAX, PR_SET_NAME}}},
	{SCMP_SYS(prctl), REPORT, {{0, UINT32_MAX, PR_GET_NAME}}},
	{SCMP_SYS(prctl), SERVER, {{0, UINT32_MAX, PR_SET_PDEATHSIG}}},
	{SCMP_SYS(prctl), SERVER, {{0, UINT32_MAX, PR_SET_NO_NEW_PRIVS}}},
	{SCMP_SYS(prctl), SERVER, {{0, UINT32_MAX, PR_SET_DUMPABLE}, {1, UINT32_MAX, 0}}},
	/* Only reads limits. */
	{SCMP_SYS(prlimit64), ALL, {{2, UINT64_MAX, 0}}},
	/* A reader lowers and raises its own soft limit; a server's children lower all. */
	{SCMP_SYS(prlimit64), READER, {{0, UINT32_MAX, 0}, {1, UINT32_MAX, RLIMIT_CPU}}},
	{SCMP_SYS(setrlimit), READER, {{0, UINT32_MAX, RLIMIT_CPU}}},
	{SCMP_SYS(prlimit64), SERVER, {{0, UINT32_MAX, 0}}},
	{SCMP_SYS(setrlimit), SERVER, {{0, 0, 0}}},
	/* A child of the server lowers its priority. */
	{SCMP_SYS(setpriority), SERVER, {{0, UINT32_MAX, PRIO_PROCESS}, {1, UINT32_MAX, 0}}},
};

bool callfilter_is_there(void)
{
	const uint32_t action = SCMP_ACT_ALLOW;

	return !syscall(SYS_seccomp, SECCOMP_GET_ACTION, 0, &action);
}

static int allow_plain(scmp_filter_ctx filter, enum confine_kind kind)
{
	int rc = 0;

	for (size_t i = 0; i < sizeof(plain) / sizeof(*plain) && !rc; i++)
		if (plain[i].kinds & FOR(kind))
			rc = seccomp_rule_add(filter, SCMP_ACT_ALLOW, plain[i].call, 0);
	return rc;
}

static int allow_bounded(scmp_filter_ctx filter, enum confine_kind kind)
{
	int rc = 0;

	for (size_t i = 0; i < sizeof(bounded) / sizeof(*bounded) && !rc; i++) {
		struct scmp_arg_cmp is[2];
		unsigned n = 0;

		if (!(bounded[i].kinds & FOR(kind)))
			continue;
		for (size_t k = 0; k < 2; k++) {
			const struct bits *b = &bounded[i].at[k];

			if (b->mask)
				is[n++] = (struct scmp_arg_cmp){b->argument, SCMP_CMP_MASKED_EQ,
								b->mask, b->value};
		}
		rc = seccomp_rule_add_array(filter, SCMP_ACT_ALLOW, bounded[i].call, n, is);
	}
	return rc;
}

/* Allows calls that depend on the process's numbers. A reader needs none to abort. */
static int allow_own(scmp_filter_ctx filter, enum confine_kind kind, int socket)
{
	const bool has_threads = kind == CONFINE_REPORT || kind == CONFINE_TOOL;
	const struct scmp_arg_cmp at_socket = {0, SCMP_CMP_EQ, (scmp_datum_t)socket, 0};
	const struct scmp_arg_cmp to_self = {0, SCMP_CMP_EQ, (scmp_datum_t)getpid(), 0};
	/* libc uses this call to complain of a damaged heap, but not for streams: the parent's
	 * message is better. */
	const struct scmp_arg_cmp not_stderr = {0, SCMP_CMP_NE, STDERR_FILENO, 0};
	int rc = seccomp_rule_add_array(filter, SCMP_ACT_ALLOW, SCMP_SYS(writev), 1, &not_stderr);

	if (!rc && socket >= 0 && kind != CONFINE_SERVER)
		rc = seccomp_rule_add_array(filter, SCMP_ACT_ALLOW, SCMP_SYS(recvmsg), 1,
					    &at_socket);
	if (!rc && socket >= 0 && kind == CONFINE_REPORT)
		rc = seccomp_rule_add_array(filter, SCMP_ACT_ALLOW, SCMP_SYS(sendmsg), 1,
					    &at_socket);
	if (!rc && has_threads)
		rc = seccomp_rule_add_array(filter, SCMP_ACT_ALLOW, SCMP_SYS(tgkill), 1, &to_self);
	return rc;
}

/* Allows execveat(2) of the program by its number, which no other file will get: see struct
 * confine_terms. */
static int allow_program(scmp_filter_ctx filter, int program)
{
	const struct scmp_arg_cmp is[] = {
		{0, SCMP_CMP_EQ, (scmp_datum_t)program, 0},
		{4, SCMP_CMP_EQ, AT_EMPTY_PATH, 0},
	};

	return seccomp_rule_add_array(filter, SCMP_ACT_ALLOW, SCMP_SYS(execveat), 2, is);
}

int callfilter_set(const struct confine_terms *t)
{
	scmp_filter_ctx filter;
	int rc;

	if (!callfilter_is_there())
		return 0;
	filter = seccomp_init(SCMP_ACT_ERRNO(ENOSYS));
	rc = filter ? allow_plain(filter, t->kind) : -ENOMEM;
	if (!rc)
		rc = allow_bounded(filter, t->kind);
	if (!rc)
		rc = allow_own(filter, t->kind, t->socket);
	if (!rc && t->kind == CONFINE_TOOL)
		rc = allow_program(filter, t->program);
	if (!rc)
		rc = seccomp_load(filter);
	if (filter)
		seccomp_release(filter);
	return rc ? err(rc, "cannot confine itself by seccomp: %s", strerror(-rc)) : 0;
}
