#include "base/child.h"

#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

/* Of the process: who forked it; 0: it was not forked by child_fork(). */
static pid_t parent;
static int (*ask_to_kill)(pid_t); /* NULL: nobody is asked */

bool child_is_orphan(void)
{
	return parent && getppid() != parent;
}

/* The parent may have ended before the kernel was told: then nobody sends the signal. */
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
