#include "cmd/record_broker.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/child.h"
#include "base/err.h"
#include "broker/agent.h"
#include "broker/broker.h"
#include "cmd/git.h"
#include "cmd/record_program.h"
#include "cmd/render_start.h"
#include "confine/capabilities.h"
#include "confine/confine.h"

struct plan {
	const struct record_places *at;
	const struct record_baseline *baseline;
};

/* --- the process ------------------------------------------------------------------------------ */

static int start_adding(const struct plan *p, const struct render_ends *e, pid_t *child)
{
	const char *const words[] = {"add", p->at->store, RENDER_FILE, NULL};

	return p->at->store ? render_start(words, e, child) : -EACCES;
}

static int start_comparing(const struct plan *p, const struct render_ends *e, pid_t *child)
{
	const struct record_baseline *b = p->baseline;
	char fail_on[FAIL_ON_BUF];
	const char *const words[] = {
		"compare",   b->file ? "baseline" : "store",	 b->file ? b->file : b->store,
		RENDER_FILE, fail_on_text(&b->fail_on, fail_on), b->version,
		NULL};

	return b->file || b->store ? render_start(words, e, child) : -EACCES;
}

static int start_program(struct broker *b, const struct request *r, const int *fds, int *out,
			 pid_t *child)
{
	const struct render_ends ends = {fds[0], fds[1], fds[2]};
	const bool for_render = fds[0] >= 0 && fds[1] >= 0 && fds[2] >= 0;
	int rc = -EACCES;

	(void)out;
	if (r->flags == RECORD_ADD && for_render)
		rc = start_adding(b->plan, &ends, child);
	else if (r->flags == RECORD_COMPARE && for_render)
		rc = start_comparing(b->plan, &ends, child);
	else if (r->flags == RECORD_GIT && fds[0] >= 0 && r->path[0] == '/')
		rc = git_start(r->path, fds[0], child);
	return rc == -EACCES ? err(rc, "cannot run a program: the command line has none such") : rc;
}

static void allow(struct allowed *a, const struct record_places *at)
{
	if (at->output)
		allowed_make(a, at->output, at->force);
	allowed_make_for_now(a, at->part, true);
	for (size_t i = 0; i < at->n_elsewhere; i++)
		allowed_make(a, at->elsewhere[i], false);
}

/* Its folder stays: paths may be relative. */
static _Noreturn void run(const struct plan *p, pid_t owner, int owner_fd, int socket)
{
	struct allowed allowed = {0};
	struct broker b = {.allowed = &allowed,
			   .socket = socket,
			   .owner = owner,
			   .owner_fd = owner_fd,
			   .plan = p,
			   .start = start_program};
	int keep[] = {socket, owner_fd};

	/* A group of its own: Ctrl-C is not for it. */
	setpgid(0, 0);
	signal(SIGCHLD, SIG_DFL);
	confine_silence();
	confine_close(keep, sizeof(keep) / sizeof(*keep));
	allow(&allowed, p->at);
	if (capabilities_keep(CAPABILITIES_BROKER))
		_exit(1);
	broker_serve_all(&b);
	broker_end(&b);
	_exit(0);
}

/* --- the loader ------------------------------------------------------------------------------- */

pid_t record_broker_start(const struct record_places *at, const struct record_baseline *baseline)
{
	const struct plan plan = {at, baseline};
	const pid_t own = getpid();
	_close_ int own_fd = pidfd_open(own, 0);
	int ends[2];
	pid_t pid;

	if (own_fd < 0 || socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends))
		return err(-errno, "cannot make a socket: %s", strerror(errno));
	pid = child_fork();
	if (!pid)
		run(&plan, own, own_fd, ends[1]);
	close(ends[1]);
	if (pid > 0) {
		agent_begin(ends[0], false);
		return pid;
	}
	close(ends[0]);
	return err(-errno, "cannot start a process: %s", strerror(errno));
}

void record_broker_end(pid_t broker)
{
	agent_finish();
	while (waitpid(broker, NULL, 0) < 0 && errno == EINTR)
		;
}
