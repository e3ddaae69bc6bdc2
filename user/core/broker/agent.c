#include "broker/agent.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/child.h"
#include "base/err.h"
#include "base/file.h"
#include "broker/request.h"

/* Of the process: where its broker is. */
static int broker = -1;

static int lost(int rc)
{
	if (rc == -EPIPE || rc == -ECONNRESET)
		return err(rc, "the process that opens files for this one is gone");
	return err(rc, "cannot ask the process that opens files for this one: %s", strerror(-rc));
}

static int receive(struct request_answer *a, int *fd)
{
	int rc = request_receive(broker, a, sizeof(*a), fd, 1);

	if (rc) {
		/* It may come yet, and would be taken for that of the next request. */
		if (rc != -EPROTO)
			shutdown(broker, SHUT_RDWR);
		return lost(rc);
	}
	a->text[sizeof(a->text) - 1] = '\0';
	return a->rc && a->text[0] ? err(a->rc, "%s", a->text) : a->rc;
}

/* The answer's code; *@fd -1 where none came. */
static int ask_with(const struct request *r, const int *fds, size_t n, struct request_answer *a,
		    int *fd)
{
	int rc = request_send(broker, r, sizeof(*r), fds, n);

	*fd = -1;
	return rc ? lost(rc) : receive(a, fd);
}

static int ask(const struct request *r, struct request_answer *a, int *fd)
{
	return ask_with(r, NULL, 0, a, fd);
}

/* -ENAMETOOLONG with a text. */
static int put_path(struct request *r, const char *path)
{
	const size_t n = strlen(path);

	if (n >= sizeof(r->path))
		return err(-ENAMETOOLONG, "cannot open '%.100s...': %s", path,
			   strerror(ENAMETOOLONG));
	memcpy(r->path, path, n + 1);
	return 0;
}

/* --- files ------------------------------------------------------------------------------------ */

static int ask_open(const char *path, int flags)
{
	struct request r = {.kind = REQUEST_OPEN, .flags = (uint32_t)flags};
	struct request_answer a;
	int fd = -1, rc = put_path(&r, path);

	if (!rc)
		rc = ask(&r, &a, &fd);
	errno = -rc;
	return rc ? -1 : fd;
}

static void tell_done(void)
{
	const struct request r = {.kind = REQUEST_DONE};

	(void)request_send(broker, &r, sizeof(r), NULL, 0);
}

static int ask_begin(const char *path, bool force, bool again, int *fd)
{
	struct request r = {.kind = REQUEST_BEGIN,
			    .flags = (force ? REQUEST_FORCE : 0u) | (again ? REQUEST_AGAIN : 0u)};
	struct request_answer a;
	int rc = put_path(&r, path);

	if (!rc)
		rc = ask(&r, &a, fd);
	return rc ? rc : a.number;
}

static int ask_end(int number, bool commit)
{
	const struct request r = {.kind = commit ? REQUEST_COMMIT : REQUEST_DROP, .number = number};
	struct request_answer a;
	int none;

	return ask(&r, &a, &none);
}

static int ask_remove(const char *path)
{
	struct request r = {.kind = REQUEST_REMOVE};
	struct request_answer a;
	int none, rc = put_path(&r, path);

	return rc ? rc : ask(&r, &a, &none);
}

/* --- processes -------------------------------------------------------------------------------- */

static int ask_kill(pid_t pid)
{
	const struct request r = {.kind = REQUEST_KILL, .number = pid};
	struct request_answer a;
	int none;

	return ask(&r, &a, &none);
}

void agent_begin(int socket, bool opens)
{
	static const struct file_agent all = {ask_open, tell_done, ask_begin, ask_end, ask_remove};
	static const struct file_agent makes = {NULL, NULL, ask_begin, ask_end, ask_remove};

	broker = socket;
	file_use_agent(opens ? &all : &makes);
	child_use_killer(ask_kill);
}

bool agent_is_there(void)
{
	return broker >= 0;
}

void agent_finish(void)
{
	shutdown(broker, SHUT_RDWR);
	close(broker);
	broker = -1;
}

int agent_run(uint32_t which, const char *path, const int *fds, size_t n, int *out)
{
	struct request r = {.kind = REQUEST_RUN, .flags = which};
	struct request_answer a;
	int rc = put_path(&r, path);

	*out = -1;
	return rc ? rc : ask_with(&r, fds, n, &a, out);
}

int agent_run_end(bool now, int *status)
{
	const struct request r = {.kind = REQUEST_END, .flags = now ? REQUEST_NOW : 0};
	struct request_answer a = {0};
	int none, rc = ask(&r, &a, &none);

	*status = a.number;
	return rc;
}

/* --- lanes ------------------------------------------------------------------------------------ */

int agent_lane(void)
{
	const struct request r = {.kind = REQUEST_LANE};
	struct request_answer a;
	int ends[2], none, rc;

	if (broker < 0 || socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends))
		return -1;
	rc = ask_with(&r, &ends[1], 1, &a, &none);
	close(ends[1]);
	if (!rc)
		return ends[0];
	close(ends[0]);
	return -1;
}

void agent_take_lane(int socket)
{
	if (socket < 0)
		return;
	close(broker);
	broker = socket;
}
