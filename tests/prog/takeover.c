/*
 * takeover: what a process could do if a stranger's bytes had taken it over: stops it, has it make
 * system calls of ours in its place, with its rights and under its seccomp filter, and lets it go
 * on.
 *
 *	takeover PID ATTEMPT…
 *	takeover fork:PID ATTEMPT…	the next process that PID forks, before it has done anything
 *
 * Each attempt is a line on stdout: itself, and the error or "done".
 *
 *	write:PATH     opens for writing
 *	make:PATH      makes a file
 *	remove:PATH
 *	program:PATH   becomes it
 *	module         loads an empty module
 *	root           becomes root
 *	signal:PID     looks whether it might send a signal
 *	socket         a TCP socket
 *	bpf-load       loads a BPF program
 *	bpf-other      opens the first BPF program of the machine
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/openat2.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#define STACK_BYTES 4096 /* of the stack that are ours, below what is in use */

static pid_t victim;
static struct user_regs_struct before;
static uint64_t entry; /* a system call instruction of its vDSO */

static void die(const char *what)
{
	fprintf(stderr, "takeover: %s: %s\n", what, strerror(errno));
	exit(2);
}

/* --- the process ------------------------------------------------------------------------------ */

static void copy_in(uint64_t to, const void *from, size_t n)
{
	struct iovec here = {(void *)(uintptr_t)from, n}, there = {(void *)(uintptr_t)to, n};

	if (process_vm_writev(victim, &here, 1, &there, 1, 0) != (ssize_t)n)
		die("cannot write to its stack");
}

static uint64_t find_entry(void)
{
	static uint8_t code[1 << 16];
	char path[64], line[512];
	unsigned long start = 0, end = 0;
	ssize_t n = 0;
	FILE *maps;
	int mem;

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)victim);
	maps = fopen(path, "re");
	while (maps && fgets(line, sizeof(line), maps))
		if (strstr(line, "[vdso]"))
			(void)sscanf(line, "%lx-%lx", &start, &end);
	if (maps)
		fclose(maps);
	snprintf(path, sizeof(path), "/proc/%d/mem", (int)victim);
	mem = open(path, O_RDONLY | O_CLOEXEC);
	if (mem >= 0 && start)
		n = pread(mem, code, end - start < sizeof(code) ? end - start : sizeof(code),
			  (off_t)start);
	close(mem);
	for (ssize_t i = 0; i + 1 < n; i++)
		if (code[i] == 0x0f && code[i + 1] == 0x05)
			return start + (uint64_t)i;
	errno = ENOENT;
	die("it has no vDSO with a system call");
	return 0;
}

static void await_stop(void)
{
	int status;

	if (waitpid(victim, &status, __WALL) != victim || !WIFSTOPPED(status)) {
		errno = ECHILD;
		die("it has ended");
	}
}

/* The kernel stops it, traced by us as its parent is. */
static pid_t await_fork(pid_t parent)
{
	unsigned long child;
	int status = 0;

	if (ptrace(PTRACE_SEIZE, parent, 0, PTRACE_O_TRACEFORK | PTRACE_O_TRACECLONE))
		die("cannot look at it");
	while (status >> 8 != (SIGTRAP | PTRACE_EVENT_FORK << 8) &&
	       status >> 8 != (SIGTRAP | PTRACE_EVENT_CLONE << 8)) {
		if (waitpid(parent, &status, __WALL) != parent || !WIFSTOPPED(status))
			die("it has ended");
		if (!(status >> 16))
			ptrace(PTRACE_CONT, parent, 0, WSTOPSIG(status));
	}
	if (ptrace(PTRACE_GETEVENTMSG, parent, 0, &child) || ptrace(PTRACE_DETACH, parent, 0, 0))
		die("cannot let it go");
	return (pid_t)child;
}

static void stop(const char *which)
{
	const char *parent = strstr(which, "fork:") == which ? which + strlen("fork:") : NULL;

	victim = (pid_t)strtol(parent ? parent : which, NULL, 10);
	if (parent)
		victim = await_fork(victim);
	else if (ptrace(PTRACE_SEIZE, victim, 0, 0) || ptrace(PTRACE_INTERRUPT, victim, 0, 0))
		die("cannot stop it");
	await_stop();
	if (ptrace(PTRACE_GETREGS, victim, 0, &before))
		die("cannot read its registers");
	entry = find_entry();
}

static void let_go(void)
{
	ptrace(PTRACE_SETREGS, victim, 0, &before);
	ptrace(PTRACE_DETACH, victim, 0, 0);
}

static long call(long number, uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
	struct user_regs_struct r = before;

	r.orig_rax = ~0ull; /* nothing is started again */
	r.rax = (uint64_t)number;
	r.rip = entry;
	r.rdi = a;
	r.rsi = b;
	r.rdx = c;
	r.r10 = d;
	if (ptrace(PTRACE_SETREGS, victim, 0, &r) || ptrace(PTRACE_SINGLESTEP, victim, 0, 0))
		die("cannot have it make a call");
	await_stop();
	if (ptrace(PTRACE_GETREGS, victim, 0, &r))
		die("cannot read its registers");
	return (long)r.rax;
}

/* --- attempts --------------------------------------------------------------------------------- */

/* Its stack below the red zone: a text, then what the call needs besides. */
static uint64_t room(void)
{
	return (before.rsp - STACK_BYTES) & ~15ull;
}

static uint64_t put_text(const char *text)
{
	copy_in(room(), text, strlen(text) + 1);
	return room();
}

/* By both calls that open a file: seccomp sees the flags of one. */
static long open_with(const char *path, int flags)
{
	const struct open_how how = {.flags = (uint64_t)flags, .mode = flags & O_CREAT ? 0600 : 0};
	const uint64_t text = put_text(path), at = (uint64_t)AT_FDCWD;
	long fd = call(SYS_openat, at, text, (uint64_t)flags, 0600);

	copy_in(room() + 1024, &how, sizeof(how));
	if (fd < 0)
		fd = call(SYS_openat2, at, text, room() + 1024, sizeof(how));
	if (fd >= 0)
		call(SYS_close, (uint64_t)fd, 0, 0, 0);
	return fd;
}

static long become_root(void)
{
	const uint64_t same = (uint64_t)-1;
	const long rc = call(SYS_setresuid, 0, 0, 0, 0);

	if (!rc || !call(SYS_setuid, 0, 0, 0, 0) || !call(SYS_setreuid, same, 0, 0, 0) ||
	    !call(SYS_setresuid, same, 0, same, 0))
		return 0;
	/* Which tells only what was before. */
	call(SYS_setfsuid, 0, 0, 0, 0);
	return call(SYS_setfsuid, same, 0, 0, 0) ? rc : 0;
}

static long start_program(const char *path)
{
	const uint64_t text = put_text(path), argv[] = {text, 0};

	copy_in(room() + 1024, argv, sizeof(argv));
	return call(SYS_execve, text, room() + 1024, 0, 0);
}

static long bpf(int command, const union bpf_attr *attr)
{
	copy_in(room() + 1024, attr, sizeof(*attr));
	return call(SYS_bpf, (uint64_t)command, room() + 1024, sizeof(*attr), 0);
}

/* r0 = 0; exit */
static long load_program(void)
{
	const struct bpf_insn code[] = {{.code = BPF_ALU64 | BPF_MOV | BPF_K},
					{.code = BPF_JMP | BPF_EXIT}};
	const union bpf_attr attr = {.prog_type = BPF_PROG_TYPE_KPROBE,
				     .insn_cnt = 2,
				     .insns = room(),
				     .license = room() + sizeof(code)};

	copy_in(room(), code, sizeof(code));
	copy_in(room() + sizeof(code), "GPL", 4);
	return bpf(BPF_PROG_LOAD, &attr);
}

static long open_other_program(void)
{
	const union bpf_attr attr = {.prog_id = 1};

	return bpf(BPF_PROG_GET_FD_BY_ID, &attr);
}

static long try(const char *name, const char *of)
{
	if (!strcmp(name, "write"))
		return open_with(of, O_WRONLY);
	if (!strcmp(name, "make"))
		return open_with(of, O_WRONLY | O_CREAT | O_EXCL);
	if (!strcmp(name, "remove"))
		return call(SYS_unlink, put_text(of), 0, 0, 0);
	if (!strcmp(name, "program"))
		return start_program(of);
	if (!strcmp(name, "module"))
		return call(SYS_init_module, put_text(""), 1, room(), 0);
	if (!strcmp(name, "root"))
		return become_root();
	if (!strcmp(name, "signal"))
		return call(SYS_kill, strtoul(of, NULL, 10), 0, 0, 0);
	if (!strcmp(name, "socket"))
		return call(SYS_socket, AF_INET, SOCK_STREAM, 0, 0);
	if (!strcmp(name, "bpf-load"))
		return load_program();
	if (!strcmp(name, "bpf-other"))
		return open_other_program();
	errno = EINVAL;
	die(name);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc < 3)
		return 2;
	stop(argv[1]);
	for (int i = 2; i < argc; i++) {
		char name[32] = "";
		const char *of = strchr(argv[i], ':');
		long rc;

		snprintf(name, sizeof(name), "%.*s", (int)strcspn(argv[i], ":"), argv[i]);
		rc = try(name, of ? of + 1 : "");
		printf("%s %s\n", argv[i], rc < 0 ? strerrorname_np((int)-rc) : "done");
	}
	let_go();
	return 0;
}
