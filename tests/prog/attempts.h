/*
 * attempts: what hostile bytes could try once they run in a process that reads them. Each attempt
 * is told by its name with what it returned: a negative number, and errno, where it was refused.
 * Used from inside of eprof-render's child (escape.c) and of eprof's worker processes (unit tests).
 */
#ifndef ATTEMPTS_H
#define ATTEMPTS_H

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

typedef void attempt_fn(const char *name, long rc);

static void attempt_network(attempt_fn *told)
{
	struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = 80};
	int ends[2], fd = socket(AF_INET, SOCK_STREAM, 0);

	told("socket", fd);
	told("connect", connect(fd, (struct sockaddr *)&to, sizeof(to)));
	told("unix", socket(AF_UNIX, SOCK_STREAM, 0));
	told("netlink", socket(AF_NETLINK, SOCK_RAW, 0));
	told("socketpair", socketpair(AF_UNIX, SOCK_STREAM, 0, ends));
}

static void attempt_programs(attempt_fn *told)
{
	char *argv[] = {(char *)"/bin/true", NULL};
	int pid = fork();

	if (!pid)
		_exit(0);
	told("fork", pid);
	told("vfork", syscall(SYS_vfork));
	told("clone3", syscall(SYS_clone3, NULL, 0));
	told("clone", syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0));
	told("clone-user", syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, 0, 0, 0, 0));
	told("clone-parent", syscall(SYS_clone, CLONE_PARENT | SIGCHLD, 0, 0, 0, 0));
	told("execve", execve(argv[0], argv, argv + 1));
	told("execveat", syscall(SYS_execveat, AT_FDCWD, argv[0], argv, argv + 1, 0));
}

static void attempt_processes(attempt_fn *told)
{
	char byte;
	struct iovec here = {&byte, 1}, there = {&byte, 1};

	told("ptrace", ptrace(PTRACE_ATTACH, getppid(), NULL, NULL));
	told("traceme", ptrace(PTRACE_TRACEME, 0, NULL, NULL));
	told("vm_readv", process_vm_readv(getppid(), &here, 1, &there, 1, 0));
	told("vm_writev", process_vm_writev(getppid(), &here, 1, &there, 1, 0));
	told("kill", kill(getppid(), SIGCONT));
	told("kill-group", kill(0, SIGCONT));
	told("kill-all", kill(-1, SIGCONT));
	told("tgkill", syscall(SYS_tgkill, getppid(), getppid(), SIGCONT));
	told("tkill", syscall(SYS_tkill, getppid(), SIGCONT));
	told("sigqueue", sigqueue(getppid(), SIGCONT, (union sigval){0}));
	told("pidfd", syscall(SYS_pidfd_open, getppid(), 0));
	told("setsid", setsid());
	told("setpgid", setpgid(0, 0));
	told("nice", setpriority(PRIO_PROCESS, getppid(), 19));
	told("affinity", syscall(SYS_sched_setaffinity, 0, 0, NULL));
	told("prlimit",
	     prlimit(getppid(), RLIMIT_CPU, &(struct rlimit){RLIM_INFINITY, RLIM_INFINITY}, NULL));
	told("setrlimit", setrlimit(RLIMIT_CPU, &(struct rlimit){RLIM_INFINITY, RLIM_INFINITY}));
	told("setrlimit-core",
	     setrlimit(RLIMIT_CORE, &(struct rlimit){RLIM_INFINITY, RLIM_INFINITY}));
	told("outlive", prctl(PR_SET_PDEATHSIG, 0));
	told("dumpable", prctl(PR_SET_DUMPABLE, 1));
}

static void attempt_kernel(attempt_fn *told)
{
	union bpf_attr attr = {0};
	struct perf_event_attr event = {.size = sizeof(event), .type = PERF_TYPE_SOFTWARE};

	told("bpf", syscall(SYS_bpf, BPF_MAP_CREATE, &attr, sizeof(attr)));
	told("perf", syscall(SYS_perf_event_open, &event, 0, -1, -1, 0));
	told("mount", mount("none", "/tmp", "tmpfs", 0, NULL));
	told("unshare", unshare(CLONE_NEWUSER));
	told("setns", syscall(SYS_setns, 0, 0));
	told("keyctl", syscall(SYS_keyctl, 0, 0, 0, 0, 0));
	told("add_key", syscall(SYS_add_key, "user", "eprof", "x", 1, -3));
	told("io_uring", syscall(SYS_io_uring_setup, 1, NULL));
	told("userfaultfd", syscall(SYS_userfaultfd, 0));
	told("module", syscall(SYS_finit_module, 0, "", 0));
	told("kexec", syscall(SYS_kexec_load, 0, 0, NULL, 0));
	told("chroot", chroot("/"));
	told("setuid", syscall(SYS_setuid, 0));
	told("personality", personality(READ_IMPLIES_EXEC));
	told("tiocsti", syscall(SYS_ioctl, 0, 0x5412, "x"));
	told("inotify", inotify_init1(0));
	told("fanotify", syscall(SYS_fanotify_init, 0, 0));
	told("seccomp", syscall(SYS_seccomp, 1, 0, NULL));
}

/* @other: a file that the process was not given; @input: one that it reads. */
static void attempt_files(attempt_fn *told, const char *other, const char *input)
{
	char new_name[PATH_MAX];

	snprintf(new_name, sizeof(new_name), "%s.new", other);
	told("open-other", open(other, O_RDONLY));
	told("open-passwd", open("/etc/passwd", O_RDONLY));
	told("open-path", open("/", O_PATH));
	told("open-old", syscall(SYS_open, other, O_RDONLY, 0));
	told("open-fd", open("/proc/self/fd/1", O_RDWR));
	told("open-write", open(other, O_WRONLY));
	told("open-create", open(new_name, O_RDWR | O_CREAT, 0666));
	told("creat", creat(new_name, 0666));
	told("open-truncate", open(other, O_RDONLY | O_TRUNC));
	told("open-tmpfile", open("/tmp", O_TMPFILE | O_WRONLY, 0600));
	told("openat2", syscall(SYS_openat2, AT_FDCWD, other, NULL, 0));
	told("handle", syscall(SYS_open_by_handle_at, 0, NULL, 0));
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
	told("xattr", syscall(SYS_setxattr, other, "user.x", "x", 1, 0));
	told("chdir", chdir("/"));
}

/* What would be there after the process. */
static void attempt_to_stay(attempt_fn *told)
{
	struct flock lock = {.l_type = F_RDLCK};

	told("memfd", syscall(SYS_memfd_create, "x", 0));
	told("shmget", shmget(IPC_PRIVATE, 4096, IPC_CREAT | 0600));
	told("semget", syscall(SYS_semget, IPC_PRIVATE, 1, IPC_CREAT | 0600));
	told("msgget", syscall(SYS_msgget, IPC_PRIVATE, IPC_CREAT | 0600));
	told("mq_open", syscall(SYS_mq_open, "eprof", O_RDWR | O_CREAT, 0600, NULL));
	told("lock", fcntl(0, F_SETLK, &lock));
	told("lock-of-file", fcntl(0, F_OFD_SETLK, &lock));
	told("lease", fcntl(0, F_SETLEASE, F_RDLCK));
	told("owner", fcntl(0, F_SETOWN, getppid()));
	told("seals", fcntl(0, F_ADD_SEALS, F_SEAL_WRITE));
	told("timer", syscall(SYS_timer_create, CLOCK_REALTIME, NULL, NULL));
}

static void *attempt_map(int protection, int flags, int fd)
{
	void *at = mmap(NULL, 4096, protection, flags, fd, 0);

	return at == MAP_FAILED ? NULL : at;
}

/* How many GiB of @flags' kind can be had, up to 64. */
static unsigned attempt_memory(int flags)
{
	const size_t step = 1ul << 30;
	unsigned gib = 0;
	void *at[64];

	while (gib < 64 && (at[gib] = mmap(NULL, step, PROT_READ | PROT_WRITE,
					   flags | MAP_NORESERVE, -1, 0)) != MAP_FAILED)
		gib++;
	for (unsigned i = 0; i < gib; i++)
		munmap(at[i], step);
	return gib;
}

static void attempt_code(attempt_fn *told)
{
	void *page = attempt_map(PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1);

	told("write-and-run",
	     attempt_map(PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1) ? 0
											      : -1);
	told("run", attempt_map(PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1) ? 0 : -1);
	told("write-then-run", page ? mprotect(page, 4096, PROT_READ | PROT_EXEC) : -1);
	told("write-then-run-by-key",
	     page ? syscall(SYS_pkey_mprotect, page, 4096, PROT_READ | PROT_EXEC, -1) : -1);
	told("shared",
	     attempt_map(PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1) ? 0 : -1);
	told("huge",
	     attempt_map(PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB, -1)
		     ? 0
		     : -1);
	told("shmat", shmat(0, NULL, 0) == (void *)-1 ? -1 : 0);
	told("remap", syscall(SYS_remap_file_pages, page, 4096, PROT_EXEC, 0, 0));
}

static void attempt_all(attempt_fn *told, const char *other, const char *input)
{
	attempt_network(told);
	attempt_programs(told);
	attempt_processes(told);
	attempt_kernel(told);
	attempt_files(told, other, input);
	attempt_to_stay(told);
	attempt_code(told);
}

#endif
