/* The process that starts and ends the opener's helpers. It opens nothing itself, so it never
 * blocks. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/child.h"
#include "base/clock.h"
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

_Noreturn void opener_process_run(struct opener_shared *s, int control, int requests, int parent)
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
