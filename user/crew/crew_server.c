#include "crew/crew_server.h"

#include <errno.h>
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
#include "base/packet.h"
#include "confine/confine.h"
#include "crew/crew_wire.h"
#include "crew/crew_worker.h"

/* Workers at a time: of the loader, and of a child of it that writes a window. */
#define MOST_WORKERS 64

/* Its own memory, and what its workers inherit; they lower it. */
#define MEMORY_BYTES (8ull << 30)

/* Of the process: its server. */
static struct {
	pid_t pid;
	int socket;
	bool gone;
} server = {.socket = -1};

/* --- the server --------------------------------------------------------------------------------
 */

struct worker {
	pid_t pid; /* 0: a free place */
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

/* The loader let go of the leash, or wrote to it: either ends the worker. */
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

/* False: nobody is left who could ask. */
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

/* What is in the environment may be a secret of the user's. */
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

	/* A group of its own: it ends with its workers, and Ctrl-C is not for it. */
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
