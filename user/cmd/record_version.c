#include "cmd/record_version.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/child.h"
#include "base/str.h"
#include "cmd/unprivileged.h"
#include "model/meta.h"
#include "process/opener.h"
#include "symbol/buildversion.h"

#define GIT	    "/usr/bin/git"
#define GIT_CPU_S   5
#define GIT_WAIT_MS 5000

/* --- git ---------------------------------------------------------------------------------------
 */

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

/* What it prints, up to @n bytes; false: it takes too long, or prints more. */
static bool read_all(int fd, char *text, size_t n)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};
	size_t at = 0;
	ssize_t got = 1;

	while (got > 0 && at < n && poll(&p, 1, GIT_WAIT_MS) > 0) {
		got = read(fd, text + at, n - at);
		at += got > 0 ? (size_t)got : 0;
	}
	return got == 0;
}

/* "v1.2-5-gabc1234-dirty", without an end of line. */
static bool describe(const char *folder, char *text, size_t n)
{
	int fds[2], status = -1;
	bool whole;
	pid_t child;

	if (pipe2(fds, O_CLOEXEC))
		return false;
	child = child_fork();
	if (!child)
		run_git(folder, fds[1]);
	close(fds[1]);
	whole = child > 0 && read_all(fds[0], text, n - 1);
	close(fds[0]);
	if (child > 0 && !whole && kill(-child, SIGKILL))
		kill(child, SIGKILL);
	while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	text[strcspn(text, "\n")] = '\0';
	return whole && WIFEXITED(status) && !WEXITSTATUS(status) && text[0];
}

static void set_by_git(struct profile *p, const char *path)
{
	_free_ char *folder = mem_strndup(path, (size_t)(str_base(path) - path));
	char text[BUILDVERSION_BYTES] = "";
	_free_ char *clean = NULL;

	if (!describe(folder, text, sizeof(text)))
		return;
	clean = str_clean(text, strlen(text));
	profile_set_meta(p, META_VERSION, clean);
	profile_set_meta(p, META_VERSION_ORIGIN, "git describe");
}

/* --- all ways ----------------------------------------------------------------------------------
 */

/* Whether it answers, and is on a file system of this machine. */
static bool is_at_hand(struct opener *opener, const char *path)
{
	const struct opener_request r = {
		.what = OPENER_PATH, .path = path, .root_fd = OPENER_OWN_ROOT};
	struct opener_answer a;
	const bool good = !opener_ask(opener, &r, &a) && !a.is_copy;

	opener_answer_release(opener, &a);
	return good;
}

void record_version_set(struct profile *p, struct opener *opener)
{
	const struct module *m = &p->modules.at[profile_main_module(p)];
	/* Setting attributes may move the texts. */
	_free_ char *path = mem_strdup(profile_text(p, m->path));
	_free_ char *id = mem_strdup(profile_text(p, m->build_id));
	struct buildversion v;

	if (path[0] != '/' || !is_at_hand(opener, path))
		return;
	buildversion_find(path, id, NULL, cmd_become_reader, &v);
	if (v.version[0]) {
		profile_set_meta(p, META_VERSION, v.version);
		profile_set_meta(p, META_VERSION_ORIGIN, v.origin);
	} else if (v.is_there) {
		set_by_git(p, path);
	}
}
