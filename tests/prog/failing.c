// cflags: -shared -fPIC -fno-builtin -U_FORTIFY_SOURCE
/*
 * failing: has one call fail in the processes of eprof that load it by LD_PRELOAD, all of a capture
 * together: FAILING names a file that they share, a struct failing, which says what kind of calls
 *is counted, and at which count one fails; what it was is written there. Other programs count
 *nothing.
 *
 *	memory		no memory, from the allocator or the kernel
 *	descriptors	EMFILE, of what makes a descriptor
 *	writes		ENOSPC, of what writes to or makes a file
 *	interrupts	EINTR, of what waits
 */
#include <errno.h>
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum kind { NONE, MEMORY, DESCRIPTORS, WRITES, INTERRUPTS };

/* As tests/kill/faults writes and reads it. */
static struct failing {
	uint32_t kind;
	_Atomic uint32_t pid; /* in which it failed; 0: none */
	_Atomic int64_t left; /* calls of the kind until then */
	char call[48];
} * failing;

#define REAL(name) ((__typeof__(&(name)))dlsym(RTLD_NEXT, #name))

static void note(const char *call)
{
	strncpy(failing->call, call, sizeof(failing->call) - 1);
	atomic_store(&failing->pid, (uint32_t)getpid());
}

/* True: this call fails. */
static bool is_due(enum kind kind, const char *call)
{
	if (!failing || failing->kind != kind || atomic_fetch_sub(&failing->left, 1) != 0)
		return false;
	note(call);
	return true;
}

static bool fails(enum kind kind, int error, const char *call)
{
	if (!is_due(kind, call))
		return false;
	errno = error;
	return true;
}

__attribute__((constructor)) static void begin(void)
{
	const char *path = getenv("FAILING");
	int fd = path && !strncmp(program_invocation_short_name, "eprof", 5)
			 ? REAL(open)(path, O_RDWR | O_CLOEXEC)
			 : -1;
	void *at = fd < 0 ? MAP_FAILED
			  : REAL(mmap)(NULL, sizeof(*failing), PROT_READ | PROT_WRITE, MAP_SHARED,
				       fd, 0);

	if (fd >= 0)
		close(fd);
	if (at != MAP_FAILED)
		failing = at;
}

/* --- memory ----------------------------------------------------------------------------------- */

/* Who can do without: libseccomp 2.5.4 and HDF5 1.10.8 free twice, follow NULL or go round for
 * ever, and the C library gives up. What falls on another call falls on the next of these. */
static bool can_do_without(const void *caller)
{
	static const char *const who[] = {"eprof", "libbpf", "libelf", "libdw"};
	Dl_info of;

	if (!dladdr(caller, &of) || !of.dli_fname)
		return false;
	for (size_t i = 0; i < sizeof(who) / sizeof(*who); i++)
		if (strstr(of.dli_fname, who[i]))
			return true;
	return false;
}

static bool is_refused_memory(const char *call, const void *caller)
{
	if (!failing || failing->kind != MEMORY || atomic_fetch_sub(&failing->left, 1) > 0 ||
	    atomic_load(&failing->pid) || !can_do_without(caller))
		return false;
	note(call);
	errno = ENOMEM;
	return true;
}

#define REFUSED(call) is_refused_memory(call, __builtin_return_address(0))

void *__libc_malloc(size_t n);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *p, size_t n);

void *malloc(size_t n)
{
	return REFUSED("malloc") ? NULL : __libc_malloc(n);
}

void *calloc(size_t n, size_t size)
{
	return REFUSED("calloc") ? NULL : __libc_calloc(n, size);
}

void *realloc(void *p, size_t n)
{
	return REFUSED("realloc") ? NULL : __libc_realloc(p, n);
}

void *reallocarray(void *p, size_t n, size_t size)
{
	if (REFUSED("reallocarray") || (size && n > SIZE_MAX / size))
		return NULL;
	return __libc_realloc(p, n * size);
}

void *mmap(void *at, size_t n, int protection, int flags, int fd, off_t offset)
{
	return fails(MEMORY, ENOMEM, "mmap") ? MAP_FAILED
					     : REAL(mmap)(at, n, protection, flags, fd, offset);
}

void *mmap64(void *at, size_t n, int protection, int flags, int fd, off64_t offset)
{
	return mmap(at, n, protection, flags, fd, offset);
}

pid_t fork(void)
{
	return fails(MEMORY, EAGAIN, "fork") ? -1 : REAL(fork)();
}

int pthread_create(pthread_t *out, const pthread_attr_t *how, void *(*run)(void *), void *with)
{
	return fails(MEMORY, EAGAIN, "pthread_create") ? EAGAIN
						       : REAL(pthread_create)(out, how, run, with);
}

/* --- descriptors ------------------------------------------------------------------------------ */

static mode_t mode_of(int flags, va_list args)
{
	return flags & (O_CREAT | (O_TMPFILE & ~O_DIRECTORY)) ? va_arg(args, mode_t) : 0;
}

#define OPEN(name, at, ...)                                                           \
	int name(__VA_ARGS__, int flags, ...)                                         \
	{                                                                             \
		va_list args;                                                         \
		mode_t mode;                                                          \
                                                                                      \
		va_start(args, flags);                                                \
		mode = mode_of(flags, args);                                          \
		va_end(args);                                                         \
		if (fails(DESCRIPTORS, EMFILE, #name) ||                              \
		    (flags & O_CREAT && fails(WRITES, ENOSPC, #name)))                \
			return -1;                                                    \
		return (int)syscall(SYS_openat, at, path, flags | O_LARGEFILE, mode); \
	}
OPEN(open, AT_FDCWD, const char *path)
OPEN(open64, AT_FDCWD, const char *path)
OPEN(__open_2, AT_FDCWD, const char *path)
OPEN(openat, folder, int folder, const char *path)
OPEN(openat64, folder, int folder, const char *path)
OPEN(__openat_2, folder, int folder, const char *path)

#define MAKES(type, name, parameters, ...)                                               \
	type name parameters                                                             \
	{                                                                                \
		return fails(DESCRIPTORS, EMFILE, #name) ? -1 : REAL(name)(__VA_ARGS__); \
	}
MAKES(int, dup, (int fd), fd)
MAKES(int, socket, (int domain, int type, int protocol), domain, type, protocol)
MAKES(int, socketpair, (int domain, int type, int protocol, int ends[2]), domain, type, protocol,
      ends)
MAKES(int, pipe2, (int ends[2], int flags), ends, flags)
MAKES(int, memfd_create, (const char *name, unsigned flags), name, flags)
MAKES(int, epoll_create1, (int flags), flags)
MAKES(int, eventfd, (unsigned value, int flags), value, flags)
MAKES(int, timerfd_create, (clockid_t clock, int flags), clock, flags)
MAKES(int, signalfd, (int fd, const sigset_t *set, int flags), fd, set, flags)
MAKES(int, pidfd_open, (pid_t pid, unsigned flags), pid, flags)

FILE *fopen(const char *path, const char *mode)
{
	return fails(DESCRIPTORS, EMFILE, "fopen") ? NULL : REAL(fopen)(path, mode);
}

DIR *opendir(const char *path)
{
	return fails(DESCRIPTORS, EMFILE, "opendir") ? NULL : REAL(opendir)(path);
}

/* What libbpf calls the kernel by. */
long syscall(long number, ...)
{
	long a[6];
	va_list args;

	va_start(args, number);
	for (int i = 0; i < 6; i++)
		a[i] = va_arg(args, long);
	va_end(args);
	if (number == SYS_bpf || number == SYS_perf_event_open) {
		const char *name = number == SYS_bpf ? "bpf" : "perf_event_open";

		if (fails(DESCRIPTORS, EMFILE, name) || fails(MEMORY, ENOMEM, name))
			return -1;
	}
	return REAL(syscall)(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

/* --- writes ----------------------------------------------------------------------------------- */

/* On a disk: what is in memory alone is full only with the memory. */
static bool is_file(int fd)
{
	char at[32], to[16] = "";
	struct stat st;

	snprintf(at, sizeof(at), "/proc/self/fd/%d", fd);
	return fd > STDERR_FILENO && !fstat(fd, &st) && S_ISREG(st.st_mode) &&
	       readlink(at, to, sizeof(to) - 1) > 0 && strncmp(to, "/memfd:", 7) != 0;
}

static bool is_refused(int fd, const char *call)
{
	return failing && failing->kind == WRITES && is_file(fd) && fails(WRITES, ENOSPC, call);
}

#define CHANGE(type, name, parameters, ...)                                  \
	type name parameters                                                 \
	{                                                                    \
		return is_refused(fd, #name) ? -1 : REAL(name)(__VA_ARGS__); \
	}
CHANGE(ssize_t, write, (int fd, const void *bytes, size_t n), fd, bytes, n)
CHANGE(ssize_t, writev, (int fd, const struct iovec *parts, int n), fd, parts, n)
CHANGE(ssize_t, pwrite, (int fd, const void *bytes, size_t n, off_t at), fd, bytes, n, at)
CHANGE(ssize_t, pwrite64, (int fd, const void *bytes, size_t n, off64_t at), fd, bytes, n, at)
CHANGE(int, ftruncate, (int fd, off_t n), fd, n)
CHANGE(int, ftruncate64, (int fd, off64_t n), fd, n)
CHANGE(int, fsync, (int fd), fd)
CHANGE(int, fdatasync, (int fd), fd)

#define MOVES(name, parameters, ...)                                                \
	int name parameters                                                         \
	{                                                                           \
		return fails(WRITES, ENOSPC, #name) ? -1 : REAL(name)(__VA_ARGS__); \
	}
MOVES(rename, (const char *from, const char *to), from, to)
MOVES(renameat, (int from, const char *a, int to, const char *b), from, a, to, b)
MOVES(renameat2, (int from, const char *a, int to, const char *b, unsigned flags), from, a, to, b,
      flags)
MOVES(link, (const char *from, const char *to), from, to)
MOVES(linkat, (int from, const char *a, int to, const char *b, int flags), from, a, to, b, flags)

/* --- interrupts ------------------------------------------------------------------------------- */

#define WAITS(type, name, parameters, ...)                                             \
	type name parameters                                                           \
	{                                                                              \
		return fails(INTERRUPTS, EINTR, #name) ? -1 : REAL(name)(__VA_ARGS__); \
	}
WAITS(int, poll, (struct pollfd * p, nfds_t n, int ms), p, n, ms)
WAITS(int, ppoll, (struct pollfd * p, nfds_t n, const struct timespec *t, const sigset_t *s), p, n,
      t, s)
WAITS(int, epoll_wait, (int fd, struct epoll_event *events, int n, int ms), fd, events, n, ms)
WAITS(ssize_t, send, (int fd, const void *at, size_t n, int flags), fd, at, n, flags)
WAITS(ssize_t, recv, (int fd, void *at, size_t n, int flags), fd, at, n, flags)
WAITS(ssize_t, sendmsg, (int fd, const struct msghdr *m, int flags), fd, m, flags)
WAITS(ssize_t, recvmsg, (int fd, struct msghdr *m, int flags), fd, m, flags)
WAITS(pid_t, waitpid, (pid_t pid, int *status, int options), pid, status, options)
WAITS(pid_t, wait4, (pid_t pid, int *status, int options, struct rusage *use), pid, status, options,
      use)
WAITS(int, waitid, (idtype_t type, id_t id, siginfo_t *info, int options), type, id, info, options)
WAITS(int, nanosleep, (const struct timespec *t, struct timespec *rest), t, rest)

/* A file is read to its end, as signal(7) has it. */
static bool is_cut_off(int fd)
{
	return failing && failing->kind == INTERRUPTS && !is_file(fd) &&
	       fails(INTERRUPTS, EINTR, "read");
}

ssize_t read(int fd, void *at, size_t n)
{
	return is_cut_off(fd) ? -1 : REAL(read)(fd, at, n);
}

ssize_t __read_chk(int fd, void *at, size_t n, size_t room)
{
	if (n > room)
		abort();
	return read(fd, at, n);
}
