#include "sandbox/exporter.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/err.h"
#include "base/mem.h"

extern char **environ;

static int spawn_failed(const char *path, int error)
{
	if (error == ENOENT)
		return err(-ENOENT,
			   "'%s' can only be read by Tracy's " EXPORTER
			   ", which is not on the PATH: install it, or run it elsewhere (" EXPORTER
			   " -u FILE >FILE.csv) and import that",
			   path);
	return err(-error, "cannot run " EXPORTER ": %s", strerror(error));
}

/* Its output goes to @out; what it has to say besides, nowhere. An error number. */
static int set_streams(posix_spawn_file_actions_t *actions, int out)
{
	int error =
		posix_spawn_file_actions_addopen(actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);

	if (!error)
		error = posix_spawn_file_actions_adddup2(actions, out, STDOUT_FILENO);
	if (!error)
		error = posix_spawn_file_actions_addopen(actions, STDERR_FILENO, "/dev/null",
							 O_WRONLY, 0);
	return error;
}

static int spawn(const char *path, const sigset_t *mask, int out, pid_t *pid)
{
	const char *argv[] = {EXPORTER, "-u", "--", path, NULL};
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	int error = posix_spawn_file_actions_init(&actions);

	if (error)
		return error;
	error = posix_spawnattr_init(&attributes);
	if (!error) {
		posix_spawnattr_setsigmask(&attributes, mask);
		posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
		error = set_streams(&actions, out);
		if (!error)
			error = posix_spawnp(pid, EXPORTER, &actions, &attributes,
					     (char *const *)argv, environ);
		posix_spawnattr_destroy(&attributes);
	}
	posix_spawn_file_actions_destroy(&actions);
	return error;
}

int exporter_start(const char *path, const sigset_t *mask, int *out, pid_t *pid)
{
	int ends[2], error;

	if (pipe2(ends, O_CLOEXEC))
		return err(-errno, "cannot make a pipe: %s", strerror(errno));
	error = spawn(path, mask, ends[1], pid);
	close(ends[1]);
	if (!error) {
		*out = ends[0];
		return 0;
	}
	close(ends[0]);
	return spawn_failed(path, error);
}

int exporter_end(pid_t pid, int *status)
{
	while (waitpid(pid, status, 0) < 0)
		if (errno != EINTR)
			return err(-errno, "cannot wait for " EXPORTER ": %s", strerror(errno));
	return 0;
}
