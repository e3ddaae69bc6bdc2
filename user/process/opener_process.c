/* The start and the end of an opener, and the process that starts and ends its helpers. It opens
 * nothing itself, so it never blocks. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/pidfd.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/child.h"
#include "base/clock.h"
#include "base/mem.h"
#include "confine/capabilities.h"
#include "confine/confine.h"
#include "process/opener_wire.h"

/* How much better than that of who started it the helpers' priority (nice) is: all wait for them.
 */
#define HURRY 10

/* Ended helpers are looked for so often, as long as one is stuck. */
#define LOOK_MS 200

/* Standard streams too: a helper that is stuck must not keep a pipe open that somebody reads. */
static void close_all(int control, int requests, int parent)
{
	int keep[] = {control, requests, parent};
	const int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	for (int fd = 0; null >= 0 && fd < 3; fd++)
		dup2(null, fd);
	confine_close(keep, sizeof(keep) / sizeof(*keep));
	/* Nor a folder, whose file system could then not be unmounted. */
	if (chdir("/"))
		_exit(1);
}

static void start_helper(struct opener_shared *s, int control, int parent, int requests)
{
	unsigned int i = 0;
	pid_t pid;

	while (i < OPENER_HELPERS && atomic_load(&s->slots[i].state) != OPENER_NONE)
		i++;
	if (i == OPENER_HELPERS)
		return;
	atomic_store(&s->slots[i].request, 0);
	atomic_store(&s->slots[i].since_ns, clock_ns(CLOCK_MONOTONIC));
	atomic_store(&s->slots[i].state, OPENER_IDLE);
	pid = child_fork();
	if (pid == 0) {
		close(control);
		close(parent);
		opener_helper_run(s, i, requests);
	}
	atomic_store(&s->slots[i].pid, pid);
	if (pid < 0)
		atomic_store(&s->slots[i].state, OPENER_NONE);
}

static bool has_idle(const struct opener_shared *s)
{
	for (unsigned int i = 0; i < OPENER_HELPERS; i++)
		if (atomic_load(&s->slots[i].state) == OPENER_IDLE)
			return true;
	return false;
}

static void end_helpers(struct opener_shared *s, bool all)
{
	for (unsigned int i = 0; i < OPENER_HELPERS; i++) {
		const uint32_t state = atomic_load(&s->slots[i].state);

		if (state == OPENER_GIVEN_UP || (all && state != OPENER_NONE))
			kill(atomic_load(&s->slots[i].pid), SIGKILL);
	}
}

/* The slots of helpers that have ended are free again. */
static void reap(struct opener_shared *s)
{
	pid_t pid;

	while ((pid = waitpid(-1, NULL, WNOHANG)) > 0)
		for (unsigned int i = 0; i < OPENER_HELPERS; i++)
			if (atomic_load(&s->slots[i].pid) == pid) {
				atomic_store(&s->slots[i].pid, 0);
				atomic_store(&s->slots[i].state, OPENER_NONE);
			}
}

static bool is_any_given_up(const struct opener_shared *s)
{
	for (unsigned int i = 0; i < OPENER_HELPERS; i++)
		if (atomic_load(&s->slots[i].state) == OPENER_GIVEN_UP)
			return true;
	return false;
}

/* Starts and ends helpers until @control closes or process @parent ends; never returns. */
static _Noreturn void run(struct opener_shared *s, int control, int requests, int parent)
{
	struct pollfd p[] = {{.fd = control, .events = POLLIN}, {.fd = parent, .events = POLLIN}};
	sigset_t none;
	ssize_t n = 1;
	char what;

	close_all(control, requests, parent);
	/* Not in the loader's group: neither Ctrl-C nor a shell that ends it is for us. */
	setpgid(0, 0);
	setpriority(PRIO_PROCESS, 0, getpriority(PRIO_PROCESS, 0) - HURRY);
	if (capabilities_keep(CAPABILITIES_OPENER))
		_exit(1);
	signal(SIGCHLD, SIG_DFL);
	signal(SIGINT, SIG_IGN);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	while (n > 0) {
		const int came = poll(p, 2, is_any_given_up(s) ? LOOK_MS : -1);

		if (came < 0 && errno == EINTR)
			continue;
		if (came < 0)
			break;
		reap(s);
		if (p[1].revents)
			break;
		if (!p[0].revents)
			continue;
		while ((n = recv(control, &what, 1, 0)) < 0 && errno == EINTR)
			;
		if (n > 0 && what == OPENER_MORE && !has_idle(s))
			start_helper(s, control, parent, requests);
		else if (n > 0 && what == OPENER_END)
			end_helpers(s, false);
	}
	end_helpers(s, true);
	_exit(0);
}

/* --- for callers ------------------------------------------------------------------------------ */

/* All copies together take this part of the machine's memory. */
#define COPIES_PART 8

/* How long an opener that is asked to end may take. */
#define END_MS 1000

static bool start(struct opener *o)
{
	_close_ int parent = pidfd_open(getpid(), 0);
	int control[2], requests[2];

	if (parent < 0 || socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, control))
		return false;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, requests)) {
		close(control[0]);
		close(control[1]);
		return false;
	}
	o->pid = child_fork();
	if (o->pid == 0)
		run(o->shared, control[1], requests[1], parent);
	close(control[1]);
	close(requests[1]);
	o->control = control[0];
	o->requests = requests[0];
	return o->pid > 0;
}

struct opener *opener_new(void)
{
	struct opener *o = mem_zalloc(1, sizeof(*o));

	o->control = o->requests = -1;
	o->shared = mmap(NULL, sizeof(*o->shared), PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (o->shared != MAP_FAILED) {
		o->shared->most_bytes = mem_most() / COPIES_PART;
		if (start(o))
			return o;
	}
	opener_free(o);
	return NULL;
}

/* The opener's process is never stuck itself; but it is not waited for without an end. */
static void end_process(const struct opener *o)
{
	/* Our children may still have the socket open. */
	shutdown(o->control, SHUT_RDWR);
	(void)child_await(o->pid, END_MS, NULL, NULL);
}

void opener_free(struct opener *o)
{
	if (!o)
		return;
	if (o->pid > 0)
		end_process(o);
	if (o->mine) {
		close(o->answers);
		close(o->theirs);
	}
	if (o->control >= 0)
		close(o->control);
	if (o->requests >= 0)
		close(o->requests);
	for (size_t i = 0; i < o->asked.n; i++)
		if (o->asked.at[i].is_here)
			opener_answer_release(o, &o->asked.at[i].answer);
	vec_release(&o->asked);
	if (o->shared != MAP_FAILED)
		munmap(o->shared, sizeof(*o->shared));
	free(o->room);
	free(o);
}
