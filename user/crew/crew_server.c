#include "crew/crew_server.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/child.h"
#include "base/err.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/packet.h"
#include "confine/confine.h"
#include "crew/crew_wire.h"

#define WORKER_MEMORY_BYTES (2ull << 30)
/* In all: each answer has its own limit, which the kernel enforces by seals. */
#define OUTPUT_BYTES (4ull << 30)
/* Over its life. */
#define CPU_S 3600

/* The order of received descriptors: an order's bytes and answer come before its files. */
enum { FD_BYTES, FD_ANSWER, FD_FILES };

/* This process's limits for the current order, in a static variable for the signal handler. */
static struct {
	rlim_t began_s, cpu_s, most_s;
	long peak_kib; /* of memory, when the order came */
	uint64_t bytes_per_s;
} allowed;

/* --- CPU time ----------------------------------------------------------------------------------
 */

static rlim_t used_s(const struct rusage *u)
{
	return (rlim_t)(u->ru_utime.tv_sec + u->ru_stime.tv_sec);
}

static void limit_cpu(rlim_t until_s)
{
	struct rlimit value;

	if (getrlimit(RLIMIT_CPU, &value))
		return;
	value.rlim_cur = until_s < value.rlim_max ? until_s : value.rlim_max;
	setrlimit(RLIMIT_CPU, &value);
}

/* Allows more time to a worker that has read much. What it has read is measured by its memory,
 * whatever length a file claims. */
static void on_limit(int signal_number)
{
	struct rusage u;
	rlim_t seconds = allowed.cpu_s;

	getrusage(RUSAGE_SELF, &u);
	if (allowed.bytes_per_s && u.ru_maxrss > allowed.peak_kib)
		seconds += (rlim_t)(u.ru_maxrss - allowed.peak_kib) * 1024 / allowed.bytes_per_s;
	if (seconds > allowed.most_s)
		seconds = allowed.most_s;
	if (used_s(&u) < allowed.began_s + seconds) {
		limit_cpu(allowed.began_s + seconds + 1);
		return;
	}
	/* The kernel raises it again, and it then kills us. */
	signal(signal_number, SIG_DFL);
	limit_cpu(used_s(&u));
}

static void allow(const struct crew_order *o)
{
	struct rusage u;

	getrusage(RUSAGE_SELF, &u);
	allowed.began_s = used_s(&u);
	allowed.cpu_s = o->cpu_s;
	allowed.most_s = o->cpu_most_s > o->cpu_s ? o->cpu_most_s : o->cpu_s;
	allowed.peak_kib = u.ru_maxrss;
	allowed.bytes_per_s = o->bytes_per_s;
	signal(SIGXCPU, on_limit);
	limit_cpu(allowed.began_s + o->cpu_s + 1);
}

/* --- orders ------------------------------------------------------------------------------------
 */

/* The content of a memory file of @n bytes; ends the process if it is shorter. */
static void *read_whole(int fd, size_t n)
{
	char *bytes = mem_zalloc(n + 1, 1);

	if (file_get_at(fd, bytes, n, 0) != (ssize_t)n)
		_exit(1);
	return bytes;
}

/* Sorts the received files to their indexes. */
static bool place_files(const struct crew_order *o, const int *came, int *files)
{
	size_t next = FD_FILES;

	if (o->n_files > CREW_FILES || came[FD_ANSWER] < 0)
		return false;
	for (uint32_t i = 0; i < o->n_files; i++) {
		files[i] = -1;
		if (!(o->present & 1u << i))
			continue;
		files[i] = came[next++];
		if (files[i] < 0)
			return false;
	}
	return true;
}

static int work(const struct crew_service *service, void *begun, const struct crew_order *o,
		const int *came)
{
	int files[CREW_FILES];
	_free_ void *bytes = NULL;

	if (!place_files(o, came, files))
		return -EPROTO;
	bytes = read_whole(came[FD_BYTES], o->bytes);
	allow(o);
	return service->run(begun, &(struct crew_request){.bytes = bytes,
							  .n = o->bytes,
							  .fds = files,
							  .n_fds = o->n_files,
							  .task = o->task,
							  .out_fd = came[FD_ANSWER]});
}

/* False: no orders follow. */
static bool take_order(int socket, const struct crew_service *service, void *begun)
{
	struct crew_order o;
	struct crew_done done;
	int came[PACKET_FDS];

	if (packet_receive_whole(socket, &o, sizeof(o), came, PACKET_FDS))
		return false;
	if (work(service, begun, &o, came))
		_exit(1);
	for (size_t i = 0; i < PACKET_FDS && came[i] >= 0; i++)
		close(came[i]);
	done.task = o.task;
	return !file_put(socket, &done, sizeof(done));
}

static void enter(int socket, int nice)
{
	const struct confine_terms terms = {.kind = CONFINE_READER,
					    .socket = socket,
					    .memory_bytes = WORKER_MEMORY_BYTES,
					    .file_bytes = OUTPUT_BYTES,
					    .cpu_s = CPU_S};

	if (nice > 0)
		setpriority(PRIO_PROCESS, 0, nice);
	if (confine_enter(&terms))
		_exit(1);
}

/* The server has forked us. */
static void crew_worker_run(int socket)
{
	struct crew_hello hello;
	void *begun = NULL;
	int common;

	confine_close(&socket, 1);
	if (packet_receive_whole(socket, &hello, sizeof(hello), &common, 1) || common < 0)
		_exit(1);
	enter(socket, hello.nice);
	if (hello.service->begin) {
		_free_ void *bytes = read_whole(common, hello.common_bytes);

		begun = hello.service->begin(bytes, hello.common_bytes);
		if (!begun)
			_exit(1);
	}
	close(common);
	while (take_order(socket, hello.service, begun))
		;
	_exit(0);
}

/* Workers at a time: of the loader, and of a child of it that writes a window. */
#define MOST_WORKERS 64

/* The server's own limit, which workers inherit and then lower. */
#define MEMORY_BYTES (8ull << 30)

/* The process's server. */
static struct {
	pid_t pid;
	int socket;
	bool gone;
} server = {.socket = -1};

/* --- the server --------------------------------------------------------------------------------
 */

struct worker {
	pid_t pid; /* 0: unused */
	int leash;
	bool killed;
};

struct serving {
	int socket, signals;
	struct worker workers[MOST_WORKERS];
};

static void end_worker(struct worker *w, int status)
{
	const struct crew_end end = {.status = status};

	(void)packet_send(w->leash, &end, sizeof(end), NULL, 0);
	close(w->leash);
	*w = (struct worker){0};
}

static void reap(struct serving *s)
{
	struct signalfd_siginfo info;
	int status;
	pid_t pid;

	(void)!read(s->signals, &info, sizeof(info));
	while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
		for (size_t i = 0; i < MOST_WORKERS; i++)
			if (s->workers[i].pid == pid)
				end_worker(&s->workers[i], status);
}

/* The loader closed the leash, or wrote to it: either ends the worker. */
static void kill_worker(struct worker *w)
{
	kill(w->pid, SIGKILL);
	w->killed = true;
}

static struct worker *free_place(struct serving *s)
{
	for (size_t i = 0; i < MOST_WORKERS; i++)
		if (!s->workers[i].pid)
			return &s->workers[i];
	return NULL;
}

static void fork_worker(struct serving *s, int socket, int leash)
{
	struct worker *w = free_place(s);
	const pid_t pid = w ? child_fork() : -1;

	if (!pid)
		crew_worker_run(socket);
	close(socket);
	if (pid < 0)
		close(leash);
	else
		*w = (struct worker){.pid = pid, .leash = leash};
}

/* False: no process is left that could ask. */
static bool take_birth(struct serving *s)
{
	struct crew_birth birth;
	int fds[2];
	const int rc = packet_receive_whole(s->socket, &birth, sizeof(birth), fds, 2);

	if (!rc && fds[1] >= 0)
		fork_worker(s, fds[0], fds[1]);
	else if (!rc && fds[0] >= 0)
		close(fds[0]);
	return !rc || rc == -EPROTO;
}

static struct pollfd watched(const struct worker *w)
{
	return (struct pollfd){.fd = w->pid && !w->killed ? w->leash : -1, .events = POLLIN};
}

static _Noreturn void serve(struct serving *s)
{
	for (;;) {
		struct pollfd p[2 + MOST_WORKERS] = {{.fd = s->signals, .events = POLLIN},
						     {.fd = s->socket, .events = POLLIN}};

		for (size_t i = 0; i < MOST_WORKERS; i++)
			p[2 + i] = watched(&s->workers[i]);
		if (poll(p, 2 + MOST_WORKERS, -1) < 0 && errno != EINTR)
			_exit(1);
		for (size_t i = 0; i < MOST_WORKERS; i++)
			if (p[2 + i].revents)
				kill_worker(&s->workers[i]);
		if (p[0].revents)
			reap(s);
		if (p[1].revents && !take_birth(s))
			_exit(0);
	}
}

/* The environment may hold a user's secrets. */
static void wipe_environment(void)
{
	for (char **e = environ; e && *e; e++)
		memset(*e, 0, strlen(*e));
	environ = NULL;
}

static int watch_children(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	signal(SIGCHLD, SIG_DFL);
	sigprocmask(SIG_BLOCK, &set, NULL);
	return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

static _Noreturn void begin(int socket)
{
	const struct confine_terms terms = {.kind = CONFINE_SERVER,
					    .socket = socket,
					    .memory_bytes = MEMORY_BYTES,
					    .file_bytes = MEMORY_BYTES};
	static struct serving s;

	/* A process group of its own: it ends with its workers, and Ctrl-C is not for it. */
	setpgid(0, 0);
	setpriority(PRIO_PROCESS, 0, 0);
	confine_silence();
	confine_close(&socket, 1);
	wipe_environment();
	s.socket = socket;
	s.signals = watch_children();
	if (s.signals < 0 || confine_enter(&terms))
		_exit(1);
	serve(&s);
}

/* --- the loader --------------------------------------------------------------------------------
 */

int crew_server_start(void)
{
	int ends[2];

	if (server.pid || server.gone)
		return server.gone ? -EPIPE : 0;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends))
		return err(-errno, "cannot make a socket: %s", strerror(errno));
	server.pid = child_fork();
	if (!server.pid)
		begin(ends[1]);
	close(ends[1]);
	server.socket = ends[0];
	if (server.pid > 0)
		return 0;
	close(ends[0]);
	server.pid = 0;
	return err(-errno, "cannot start a process: %s", strerror(errno));
}

int crew_server_fork(int worker, int leash)
{
	const struct crew_birth birth = {1};
	const int fds[] = {worker, leash};
	int rc = crew_server_start();

	if (!rc)
		rc = packet_send(server.socket, &birth, sizeof(birth), fds, 2);
	close(worker);
	close(leash);
	return rc;
}

void crew_server_give_up(void)
{
	if (server.gone)
		return;
	server.gone = true;
	/* Its workers end with it. */
	child_kill(server.pid);
	close(server.socket);
	server.socket = -1;
}
