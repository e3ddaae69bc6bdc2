/*
 * faults: calls that fail, are interrupted or do less than they were asked to, one at a time, in
 * this process or in those that it has forked. The calls are defined here, so that this file is
 * included once in a test, which includes it for good: a call counts between faults_arm() and
 * faults_disarm() alone.
 */
#ifndef TESTS_FAULTS_H
#define TESTS_FAULTS_H

#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/pidfd.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <unistd.h>

enum fault_how {
	FAULT_INTERRUPTED, /* EINTR, of what can be */
	FAULT_SHORT,	   /* half of what was asked for, of files */
	FAULT_FAILS,	   /* .error */
};

/* Shared with all that is forked. */
static struct faults {
	enum fault_how how;
	int error;
	bool ours; /* in the process that armed it; else in all others */
	pid_t armed_by;
	_Atomic bool armed, met;
	_Atomic int left; /* calls until then */
	char call[32];	  /* which it was */
} * faults;

static void faults_init(void)
{
	faults = mmap(NULL, sizeof(*faults), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
}

/* The call number @at fails. */
static void faults_arm(enum fault_how how, int error, bool ours, int at)
{
	*faults = (struct faults){.how = how, .error = error, .ours = ours, .armed_by = getpid()};
	atomic_store(&faults->left, at);
	atomic_store(&faults->armed, true);
}

static void faults_disarm(void)
{
	atomic_store(&faults->armed, false);
}

/* Which kinds may befall a call. */
#define MAY_WAIT  (1u << FAULT_INTERRUPTED | 1u << FAULT_FAILS)
#define MAY_FAIL  (1u << FAULT_FAILS)
#define OF_A_FILE (MAY_WAIT | 1u << FAULT_SHORT)

static bool fault_is_due(const char *call, unsigned may)
{
	if (!faults || !atomic_load(&faults->armed) || !(may & 1u << faults->how) ||
	    (getpid() == faults->armed_by) != faults->ours ||
	    atomic_fetch_sub(&faults->left, 1) != 0)
		return false;
	atomic_store(&faults->met, true);
	strncpy(faults->call, call, sizeof(faults->call) - 1);
	return true;
}

/* True: it returns -1. */
static bool fault_is_error(const char *call, unsigned may)
{
	if (!fault_is_due(call, may))
		return false;
	errno = faults->how == FAULT_INTERRUPTED ? EINTR : faults->error;
	return true;
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

#define FAULT_OF_SOCKET(type, name, parameters, ...)                                   \
	type name parameters                                                           \
	{                                                                              \
		return fault_is_error(#name, MAY_WAIT) ? -1 : REAL(name)(__VA_ARGS__); \
	}
FAULT_OF_SOCKET(ssize_t, send, (int fd, const void *at, size_t n, int flags), fd, at, n, flags)
FAULT_OF_SOCKET(ssize_t, recv, (int fd, void *at, size_t n, int flags), fd, at, n, flags)
FAULT_OF_SOCKET(ssize_t, sendmsg, (int fd, const struct msghdr *m, int flags), fd, m, flags)
FAULT_OF_SOCKET(ssize_t, recvmsg, (int fd, struct msghdr *m, int flags), fd, m, flags)
FAULT_OF_SOCKET(int, poll, (struct pollfd * p, nfds_t n, int ms), p, n, ms)

static bool is_socket(int fd)
{
	int type;
	socklen_t n = sizeof(type);

	return !getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &n);
}

/* Packets are whole or not there. */
#define FAULT_OF_FILE(name, parameters, n, full, half)                                   \
	ssize_t name parameters                                                          \
	{                                                                                \
		if (fd <= STDERR_FILENO)                                                 \
			return REAL(name) full;                                          \
		if (faults && faults->how == FAULT_SHORT)                                \
			return n > 1 && !is_socket(fd) && fault_is_due(#name, OF_A_FILE) \
				       ? REAL(name) half                                 \
				       : REAL(name) full;                                \
		return fault_is_error(#name, MAY_WAIT) ? -1 : REAL(name) full;           \
	}
FAULT_OF_FILE(read, (int fd, void *at, size_t n), n, (fd, at, n), (fd, at, n / 2))
FAULT_OF_FILE(write, (int fd, const void *at, size_t n), n, (fd, at, n), (fd, at, n / 2))
FAULT_OF_FILE(pread, (int fd, void *at, size_t n, off_t o), n, (fd, at, n, o), (fd, at, n / 2, o))
FAULT_OF_FILE(pwrite, (int fd, const void *at, size_t n, off_t o), n, (fd, at, n, o),
	      (fd, at, n / 2, o))

#define FAULT_OF_MAKING(type, name, parameters, ...)                                   \
	type name parameters                                                           \
	{                                                                              \
		return fault_is_error(#name, MAY_FAIL) ? -1 : REAL(name)(__VA_ARGS__); \
	}
FAULT_OF_MAKING(int, socketpair, (int domain, int type, int protocol, int ends[2]), domain, type,
		protocol, ends)
FAULT_OF_MAKING(int, memfd_create, (const char *name, unsigned flags), name, flags)
FAULT_OF_MAKING(int, ftruncate, (int fd, off_t n), fd, n)
FAULT_OF_MAKING(int, dup, (int fd), fd)
FAULT_OF_MAKING(int, pidfd_open, (pid_t pid, unsigned flags), pid, flags)
FAULT_OF_MAKING(int, signalfd, (int fd, const sigset_t *set, int flags), fd, set, flags)
FAULT_OF_MAKING(pid_t, fork, (void), )

#endif
