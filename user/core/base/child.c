#include "base/child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"

/* Of this process: who forked it by child_fork(); 0: nobody did. */
static pid_t parent;
static int (*ask_to_kill)(pid_t); /* see child_use_killer(); may be NULL */

bool child_is_orphan(void)
{
	return parent && getppid() != parent;
}

/* If the parent ended before the call of prctl(2), the kernel sends no signal. */
void child_tie(void)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (child_is_orphan())
		_exit(1);
}

void child_use_killer(int (*killer)(pid_t))
{
	ask_to_kill = killer;
}

void child_kill(pid_t child)
{
	if (kill(child, SIGKILL) && ask_to_kill)
		(void)ask_to_kill(child);
}

bool child_look(pid_t pid, char *state, pid_t *of)
{
	char path[64], text[1024] = "";
	const char *at;
	int number = 0;
	_close_ int fd = -1;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || read(fd, text, sizeof(text) - 1) <= 0)
		return false;
	/* Behind the process's name, which may hold anything. */
	at = strrchr(text, ')');
	if (!at || sscanf(at, ") %c %d", state, &number) != 2)
		return false;
	*of = number;
	return true;
}

bool child_is_stopped(pid_t pid)
{
	pid_t of;
	char state;

	return child_look(pid, &state, &of) && (state == 'T' || state == 't');
}

/* As child_await(), but does not kill it. */
static int await(pid_t child, int ms, int *status, struct rusage *usage)
{
	_close_ int fd = pidfd_open(child, 0);
	struct pollfd p = {.fd = fd, .events = POLLIN};
	const uint64_t end = clock_ns(CLOCK_MONOTONIC) + (uint64_t)ms * 1000000;
	uint64_t now;
	pid_t got;

	while (!(got = wait4(child, status, WNOHANG, usage))) {
		now = clock_ns(CLOCK_MONOTONIC);
		if (now >= end)
			return -ETIMEDOUT;
		/* Polls every ms if there is no descriptor, or if a debugger gets the signal
		 * first. */
		if (poll(&p, 1, p.fd < 0 ? 1 : (int)((end - now) / 1000000) + 1) > 0)
			p.fd = -1;
	}
	return got < 0 ? -errno : 0;
}

int child_await(pid_t child, int ms, int *status, struct rusage *usage)
{
	int rc = await(child, ms, status, usage);

	if (rc != -ETIMEDOUT)
		return rc;
	child_kill(child);
	return await(child, CHILD_KILLED_MS, status, usage);
}

pid_t child_fork(void)
{
	const pid_t self = getpid();
	const pid_t child = fork();

	if (!child) {
		parent = self;
		child_tie();
	}
	return child;
}

/* --- how it ended ----------------------------------------------------------------------------- */

static const struct {
	int number;
	const char *text;
} crashes[] = {
	{SIGSEGV, "crashed (segmentation fault)"},
	{SIGBUS, "crashed (bus error)"},
	{SIGABRT, "crashed (aborted)"},
	{SIGFPE, "crashed (arithmetic error)"},
	{SIGILL, "crashed (illegal instruction)"},
	{SIGTRAP, "crashed (trap)"},
	{SIGSYS, "crashed (system call that is not allowed)"},
	{SIGXCPU, "took too much CPU time"},
	{SIGXFSZ, "wrote a file that is too large"},
};

static const size_t n_crashes = sizeof(crashes) / sizeof(*crashes);

bool ending_is_crash(int signal_number)
{
	for (size_t i = 0; i < n_crashes; i++)
		if (crashes[i].number == signal_number)
			return true;
	return false;
}

const char *ending_text(int signal_number)
{
	for (size_t i = 0; i < n_crashes; i++)
		if (crashes[i].number == signal_number)
			return crashes[i].text;
	return "was ended by a signal";
}
