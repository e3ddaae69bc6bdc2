// cflags: -shared -fPIC
/*
 * escape: what hostile bytes could make of eprof-render, once they run in it: loaded by LD_PRELOAD,
 * it takes the place of zlib's inflateInit_(), which HDF5 calls for the first table of a profile,
 * and tries everything that the sandbox is to refuse. Each attempt is a line on stderr: its name,
 * and the error or "done". ESCAPE says which: all, or cpu, crash, abort, hang, which do not return.
 *
 * ESCAPE_FILE is a file that nobody named on the command line; ESCAPE_INPUT the one that is read;
 * ESCAPE_AT "write" waits for deflate(), by which then the output has begun.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <netinet/in.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "../../render/sandbox/request.h"

static void told(const char *name, long rc)
{
	fprintf(stderr, "%s %s\n", name, rc < 0 ? strerrorname_np(errno) : "done");
}

/* --- of the system ---------------------------------------------------------------------------- */

static void try_network(void)
{
	struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = 80};
	int ends[2], fd = socket(AF_INET, SOCK_STREAM, 0);

	told("socket", fd);
	told("connect", connect(fd, (struct sockaddr *)&to, sizeof(to)));
	told("unix", socket(AF_UNIX, SOCK_STREAM, 0));
	told("netlink", socket(AF_NETLINK, SOCK_RAW, 0));
	told("socketpair", socketpair(AF_UNIX, SOCK_STREAM, 0, ends));
}

static void try_programs(void)
{
	char *argv[] = {(char *)"/bin/true", NULL};
	int pid = fork();

	if (!pid)
		_exit(0);
	told("fork", pid);
	told("vfork", syscall(SYS_vfork));
	told("clone3", syscall(SYS_clone3, NULL, 0));
	told("execve", execve(argv[0], argv, argv + 1));
	told("execveat", syscall(SYS_execveat, AT_FDCWD, argv[0], argv, argv + 1, 0));
	told("memfd", syscall(SYS_memfd_create, "x", 0));
}

static void try_processes(void)
{
	char byte;
	struct iovec here = {&byte, 1}, there = {&byte, 1};

	told("ptrace", ptrace(PTRACE_ATTACH, getppid(), NULL, NULL));
	told("traceme", ptrace(PTRACE_TRACEME, 0, NULL, NULL));
	told("vm_readv", process_vm_readv(getppid(), &here, 1, &there, 1, 0));
	told("vm_writev", process_vm_writev(getppid(), &here, 1, &there, 1, 0));
	told("kill", kill(getppid(), SIGTERM));
	told("kill-group", kill(0, SIGCONT));
	told("tgkill", syscall(SYS_tgkill, getppid(), getppid(), SIGTERM));
	told("pidfd", syscall(SYS_pidfd_open, getppid(), 0));
}

static void try_kernel(void)
{
	union bpf_attr attr = {0};
	struct perf_event_attr event = {.size = sizeof(event), .type = PERF_TYPE_SOFTWARE};

	told("bpf", syscall(SYS_bpf, BPF_MAP_CREATE, &attr, sizeof(attr)));
	told("perf", syscall(SYS_perf_event_open, &event, 0, -1, -1, 0));
	told("mount", mount("none", "/tmp", "tmpfs", 0, NULL));
	told("unshare", unshare(CLONE_NEWUSER));
	told("keyctl", syscall(SYS_keyctl, 0, 0, 0, 0, 0));
	told("io_uring", syscall(SYS_io_uring_setup, 1, NULL));
	told("userfaultfd", syscall(SYS_userfaultfd, 0));
	told("module", syscall(SYS_finit_module, 0, "", 0));
	told("kexec", syscall(SYS_kexec_load, 0, 0, NULL, 0));
	told("chroot", chroot("/"));
	told("setuid", syscall(SYS_setuid, 0));
	told("dumpable", prctl(PR_SET_DUMPABLE, 1));
	told("tiocsti", syscall(SYS_ioctl, 0, 0x5412, "x"));
}

/* --- of files --------------------------------------------------------------------------------- */

static void try_files(void)
{
	const char *input = getenv("ESCAPE_INPUT"), *other = getenv("ESCAPE_FILE");
	char new_name[PATH_MAX];

	snprintf(new_name, sizeof(new_name), "%s.new", other);
	told("open-other", open(other, O_RDONLY));
	told("open-passwd", open("/etc/passwd", O_RDONLY));
	told("open-write", open(other, O_WRONLY));
	told("open-create", open(new_name, O_RDWR | O_CREAT, 0666));
	told("open-truncate", open(other, O_RDONLY | O_TRUNC));
	told("open-tmpfile", open("/tmp", O_TMPFILE | O_WRONLY, 0600));
	told("openat2", syscall(SYS_openat2, AT_FDCWD, other, NULL, 0));
	told("input-write", open(input, O_RDWR));
	told("truncate", truncate(other, 0));
	told("unlink", unlink(other));
	told("unlink-input", unlink(input));
	told("rename", rename(other, new_name));
	told("link", link(other, new_name));
	told("symlink", symlink(other, new_name));
	told("mkdir", mkdir(new_name, 0777));
	told("mknod", mknod(new_name, S_IFIFO | 0666, 0));
	told("chmod", chmod(other, 0777));
	told("chown", chown(other, 0, 0));
	told("utimes", utimensat(AT_FDCWD, other, NULL, 0));
	told("chdir", chdir("/"));
}

/* --- of the broker ---------------------------------------------------------------------------- */

static int broker_socket(void)
{
	struct stat st;

	for (int fd = 3; fd < 64; fd++)
		if (!fstat(fd, &st) && S_ISSOCK(st.st_mode))
			return fd;
	return -1;
}

static void ask(const char *name, struct request r, const char *path)
{
	struct iovec part = {&r, sizeof(r)};
	struct msghdr m = {.msg_iov = &part, .msg_iovlen = 1};
	struct answer answer = {.rc = -EIO};
	int fd = broker_socket();

	snprintf(r.path, sizeof(r.path), "%s", path);
	sendmsg(fd, &m, MSG_NOSIGNAL);
	part = (struct iovec){&answer, sizeof(answer)};
	recvmsg(fd, &m, 0);
	errno = -answer.rc;
	told(name, answer.rc);
}

static void try_broker(void)
{
	const char *input = getenv("ESCAPE_INPUT"), *other = getenv("ESCAPE_FILE");
	char aside[PATH_MAX];

	snprintf(aside, sizeof(aside), "%s/../escape-aside", input);
	ask("ask-open", (struct request){.kind = REQUEST_OPEN}, other);
	ask("ask-passwd", (struct request){.kind = REQUEST_OPEN}, "/etc/passwd");
	ask("ask-write", (struct request){.kind = REQUEST_OPEN, .flags = O_RDWR}, input);
	ask("ask-truncate", (struct request){.kind = REQUEST_OPEN, .flags = O_TRUNC}, input);
	ask("ask-create", (struct request){.kind = REQUEST_OPEN, .flags = O_CREAT}, aside);
	ask("ask-make", (struct request){.kind = REQUEST_BEGIN}, aside);
	ask("ask-replace", (struct request){.kind = REQUEST_BEGIN, .flags = REQUEST_FORCE}, input);
	ask("ask-run", (struct request){.kind = REQUEST_RUN}, other);
	ask("ask-commit", (struct request){.kind = REQUEST_COMMIT, .number = -7}, "");
	ask("ask-commit-none", (struct request){.kind = REQUEST_COMMIT, .number = 3}, "");
	ask("ask-end", (struct request){.kind = REQUEST_END}, "");
}

/* --- of bounds -------------------------------------------------------------------------------- */

static void try_memory(void)
{
	const size_t step = 1ul << 30;
	unsigned gib = 0;

	while (gib < 64 && mmap(NULL, step, PROT_READ | PROT_WRITE,
				MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0) != MAP_FAILED)
		gib++;
	fprintf(stderr, "memory %u GiB\n", gib);
	told("malloc", malloc(9 * step) ? 0 : -1);
	told("write-and-run", mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
				   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED
				      ? -1
				      : 0);
}

static void try_limits(void)
{
	const struct rlimit all = {RLIM_INFINITY, RLIM_INFINITY};
	static const struct {
		const char *name;
		int which;
	} limits[] = {{"CPU", RLIMIT_CPU}, {"FSIZE", RLIMIT_FSIZE}, {"CORE", RLIMIT_CORE}};
	struct rlimit now;

	for (size_t i = 0; i < sizeof(limits) / sizeof(*limits); i++)
		if (!getrlimit(limits[i].which, &now))
			fprintf(stderr, "limit-%s %llu\n", limits[i].name,
				(unsigned long long)now.rlim_cur);
	told("setrlimit", setrlimit(RLIMIT_CPU, &all));
	told("prlimit", prlimit(getppid(), RLIMIT_CPU, &all, NULL));
}

static void escape(void)
{
	const char *what = getenv("ESCAPE");
	static int done;
	/* All 0: free(3) takes what lies in front of its argument for the size and flags of a
	 * chunk, and follows a pointer, instead of aborting, where a chance bit there says so. */
	char *volatile inside = (char *)calloc(1, 64) + 8;

	if (!what || done++)
		return;
	if (!strcmp(what, "cpu"))
		for (volatile unsigned i = 0;; i++)
			;
	if (!strcmp(what, "crash"))
		*(volatile int *)8 = 0;
	if (!strcmp(what, "abort"))
		free(inside);
	if (!strcmp(what, "hang"))
		for (;;)
			poll(NULL, 0, -1);
	if (strcmp(what, "all"))
		return;
	try_limits();
	try_network();
	try_programs();
	try_processes();
	try_kernel();
	try_files();
	try_broker();
	try_memory();
}

int inflateInit_(void *stream, const char *version, int bytes);
int inflateInit_(void *stream, const char *version, int bytes)
{
	int (*real)(void *, const char *, int) =
		(int (*)(void *, const char *, int))dlsym(RTLD_NEXT, "inflateInit_");

	if (!getenv("ESCAPE_AT"))
		escape();
	return real(stream, version, bytes);
}

int deflate(void *stream, int flush);
int deflate(void *stream, int flush)
{
	int (*real)(void *, int) = (int (*)(void *, int))dlsym(RTLD_NEXT, "deflate");

	if (getenv("ESCAPE_AT"))
		escape();
	return real(stream, flush);
}
