#include "cmd/render_start.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/child.h"
#include "base/err.h"
#include "base/file.h"
#include "confine/capabilities.h"

/* Where bytes are for it: the first descriptor behind the standard streams. */
#define FILE_FD 3

struct start {
	const char *argv[RENDER_WORDS + 4];
	char mode[sizeof("--mode=7777")]; /* "": none was given */
	char path[PATH_MAX];		  /* of the program */
	const struct render_ends *ends;
};

/* Beside this program alone: whoever sets PATH shall not say what root runs. */
static int find_program(struct start *s)
{
	ssize_t n = readlink("/proc/self/exe", s->path, sizeof(s->path) - sizeof(RENDER_NAME) - 1);
	char *slash;

	if (n > 0)
		s->path[n] = '\0';
	slash = n > 0 ? strrchr(s->path, '/') : NULL;
	if (!slash)
		return err(-ENOENT, "cannot find " RENDER_NAME ", which stands beside eprof");
	strcpy(slash + 1, RENDER_NAME);
	return 0;
}

static void set_words(struct start *s, const char *const *words)
{
	size_t n = 0;

	s->argv[n++] = RENDER_NAME;
	s->argv[n++] = "for-eprof";
	if (file_given_mode()) {
		snprintf(s->mode, sizeof(s->mode), "--mode=%03o", file_given_mode() & 0777u);
		s->argv[n++] = s->mode;
	}
	while (*words && n < RENDER_WORDS + 3)
		s->argv[n++] = *words++;
	s->argv[n] = NULL;
}

/* @fd as @number, and open behind exec. */
static void place(int fd, int number)
{
	if (fd == number)
		fcntl(fd, F_SETFD, 0);
	else
		dup2(fd, number);
}

static void set_descriptors(const struct render_ends *e)
{
	const int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
	/* Behind all that is to be replaced. */
	const int file = e->file >= 0 ? fcntl(e->file, F_DUPFD_CLOEXEC, FILE_FD + 1) : -1;

	if (null >= 0)
		dup2(null, STDIN_FILENO);
	place(e->out, STDOUT_FILENO);
	place(e->said, STDERR_FILENO);
	if (file >= 0)
		place(file, FILE_FD);
	close_range((unsigned)FILE_FD + (file >= 0), ~0u, 0);
}

/* In a group of its own: Ctrl-C is for eprof, which has a profile to bring home. */
static _Noreturn void become(const struct start *s)
{
	static const int ours[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGCHLD, SIGXFSZ};
	sigset_t none;

	setpgid(0, 0);
	for (size_t i = 0; i < sizeof(ours) / sizeof(*ours); i++)
		signal(ours[i], SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	set_descriptors(s->ends);
	capabilities_pass_on();
	execv(s->path, (char *const *)s->argv);
	dprintf(STDERR_FILENO, RENDER_NAME ": cannot run '%s': %s\n", s->path, strerror(errno));
	_exit(127);
}

int render_start(const char *const *words, const struct render_ends *ends, pid_t *child)
{
	struct start s = {.ends = ends};
	int rc = find_program(&s);

	if (rc)
		return rc;
	set_words(&s, words);
	*child = child_fork();
	if (!*child)
		become(&s);
	return *child < 0 ? err(-errno, "cannot start a process: %s", strerror(errno)) : 0;
}
