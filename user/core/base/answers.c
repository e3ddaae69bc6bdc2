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
/* What ends sooner costs no question. */
#define FIRST_MS 1000

enum { THERE, ABSENT };

/* It opens nothing: what eprof has not written it does not read. */
static _Noreturn void look(const char *path)
{
	struct stat st;
	struct statfs fs;
	const bool absent = stat(path, &st) && errno == ENOENT;
	const char *slash = strrchr(path, '/');
	char folder[PATH_MAX] = ".";

	/* What a file is may be known from before; this the kernel always asks for. */
	if (slash)
		snprintf(folder, sizeof(folder), "%.*s", (int)(slash - path) + 1, path);
	(void)!statfs(folder, &fs);
	_exit(absent ? ABSENT : THERE);
}

static pid_t ask(const char *path)
{
	const pid_t child = child_fork();

	if (!child)
		look(path);
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

/* Whether the child has not come to ask yet, for want of a CPU. */
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
	/* One that is stuck ends when it can, and is left. */
	if (w->child > 0 && clock_ns(CLOCK_MONOTONIC) >= w->due_ns)
		child_kill(w->child);
	else if (w->child > 0)
		(void)child_await(w->child, 0, NULL, NULL);
	w->child = 0;
}
