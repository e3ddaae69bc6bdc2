#include "cmd/git.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/child.h"
#include "base/err.h"
#include "cmd/unprivileged.h"

#define GIT	  "/usr/bin/git"
#define GIT_CPU_S 5

/* Nothing of our environment, and no program that a configuration or an attribute names: it starts
 * none, and no thread. (So what is changed within a submodule is not seen.) */
static _Noreturn void run_git(const char *folder, int out)
{
	const struct rlimit cpu = {GIT_CPU_S, GIT_CPU_S}, none = {0, 0};
	const int null = open("/dev/null", O_RDWR);
	const char *const argv[] = {"git",
				    "-c",
				    "core.fsmonitor=false",
				    "-c",
				    "core.hooksPath=/dev/null",
				    "-c",
				    "core.preloadIndex=false",
				    "-c",
				    "index.threads=1",
				    "-c",
				    "diff.ignoreSubmodules=dirty",
				    "-C",
				    folder,
				    "describe",
				    "--tags",
				    "--dirty",
				    NULL};
	const char *const environment[] = {"PATH=/usr/bin:/bin",
					   "HOME=/nonexistent",
					   "LC_ALL=C",
					   "GIT_CONFIG_NOSYSTEM=1",
					   "GIT_CONFIG_GLOBAL=/dev/null",
					   "GIT_OPTIONAL_LOCKS=0",
					   "GIT_TERMINAL_PROMPT=0",
					   NULL};

	if (null < 0 || dup2(null, 0) < 0 || dup2(out, 1) < 0 || dup2(null, 2) < 0 ||
	    cmd_become_reader() || cmd_is_nobody() || setrlimit(RLIMIT_CPU, &cpu) ||
	    setrlimit(RLIMIT_NPROC, &none))
		_exit(1);
	child_tie();
	/* A group of its own: what git starts ends with it, and Ctrl-C is not for it. */
	setpgid(0, 0);
	execve(GIT, (char *const *)argv, (char *const *)environment);
	_exit(1);
}

int git_start(const char *folder, int out, pid_t *child)
{
	*child = child_fork();
	if (!*child)
		run_git(folder, out);
	return *child < 0 ? err(-errno, "cannot start a process: %s", strerror(errno)) : 0;
}
