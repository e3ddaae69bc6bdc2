#include "cmd/in_child.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/child.h"
#include "base/ending.h"
#include "base/err.h"

static _Noreturn void work(int (*fn)(const void *arg), const void *arg)
{
	const struct rlimit none = {0, 0};
	int status;

	setrlimit(RLIMIT_CORE, &none);
	status = fn(arg);
	fflush(stdout);
	_exit(status);
}

int cmd_in_child(const char *path, int (*fn)(const void *arg), const void *arg)
{
	pid_t child;
	int status = 0;

	fflush(stdout);
	child = child_fork();
	if (!child)
		work(fn, arg);
	if (child < 0)
		return err(-errno, "cannot start a process: %s", strerror(errno));
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	if (!WIFSIGNALED(status))
		return WEXITSTATUS(status);
	if (!ending_is_crash(WTERMSIG(status))) {
		signal(WTERMSIG(status), SIG_DFL);
		raise(WTERMSIG(status));
	}
	return err(-EIO, "'%s' is damaged: reading it %s; it is left as it was", path,
		   ending_text(WTERMSIG(status)));
}
