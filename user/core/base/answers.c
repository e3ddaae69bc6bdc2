#include "base/answers.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/child.h"
#include "base/clock.h"
#include "base/err.h"

#define ANSWER_MS 10000
#define NS_PER_MS 1000000u
/* The first question is asked after that long: most work has ended by then. */
#define FIRST_MS 1000

enum { THERE, ABSENT };

/* The child that asks. It opens nothing: the file may not be eprof's. */
static _Noreturn void stat_file(const char *path)
{
	struct stat st;
	struct statfs fs;
	const bool absent = stat(path, &st) && errno == ENOENT;
	const char *slash = strrchr(path, '/');
	char folder[PATH_MAX] = ".";

	/* The kernel may answer stat(2) from its cache, but always asks the mount for statfs(2). */
	if (slash)
		snprintf(folder, sizeof(folder), "%.*s", (int)(slash - path) + 1, path);
	(void)!statfs(folder, &fs);
	_exit(absent ? ABSENT : THERE);
}

static pid_t ask(const char *path)
{
	const pid_t child = child_fork();

	if (!child)
		stat_file(path);
	return child;
}

int answers(const char *path, bool *absent)
{
	const pid_t child = ask(path);
	int status = 0, rc = 0;

	if (child > 0)
		rc = child_await(child, ANSWER_MS, &status, NULL);
	if (absent)
		*absent = !rc && WIFEXITED(status) && WEXITSTATUS(status) == ABSENT;
	if (rc == -ETIMEDOUT || (!rc && WIFSIGNALED(status)))
		return err(-ETIMEDOUT, "'%s' " ANSWERS_NOT, path);
	return 0;
}

/* Whether the child still waits for a CPU, so it may not have asked yet. */
static bool is_late(pid_t child)
{
	pid_t parent;
	char state;

	return child_look(child, &state, &parent) && state == 'R';
}

bool answers_no_more(struct answers_watch *w)
{
	const uint64_t now = clock_ns(CLOCK_MONOTONIC);

	if (!w->path)
		return false;
	if (!w->due_ns)
		w->due_ns = now + (uint64_t)FIRST_MS * NS_PER_MS;
	if (w->child > 0 && waitpid(w->child, NULL, WNOHANG)) {
		w->child = 0;
		w->due_ns = now + (uint64_t)ANSWER_MS * NS_PER_MS;
	}
	if (now < w->due_ns)
		return false;
	if (w->child > 0)
		return !is_late(w->child);
	w->child = ask(w->path);
	w->due_ns = now + (uint64_t)ANSWER_MS * NS_PER_MS;
	return false;
}

void answers_watch_end(struct answers_watch *w)
{
	/* A child that is stuck is killed and left: it ends when its system call returns. */
	if (w->child > 0 && clock_ns(CLOCK_MONOTONIC) >= w->due_ns)
		child_kill(w->child);
	else if (w->child > 0)
		(void)child_await(w->child, 0, NULL, NULL);
	w->child = 0;
}
