#include "broker/agent.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/answers.h"
#include "base/child.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/file.h"
#include "base/packet.h"
#include "broker/request.h"

/* How often to check whether a broker that does not answer is stopped: its work may take long. */
#define CHECK_MS 250

struct side {
	int socket;
	pid_t pid; /* 0: it is not checked */
};

/* One each a process: its broker and that one's spare. */
static struct side broker = {.socket = -1}, spare = {.socket = -1};

static int lost(const struct request *r, int rc)
{
	if (rc == -ETIMEDOUT && r->path[0])
		return err(rc, "'%s' " ANSWERS_NOT, r->path);
	if (rc == -ETIMEDOUT)
		return err(rc, "it " ANSWERS_NOT);
	if (rc == -EPIPE || rc == -ECONNRESET)
		return err(rc, "the process that opens files for this one is gone");
	return err(rc, "cannot ask the process that opens files for this one: %s", strerror(-rc));
}

/* How long a request may take: a file may lie on a mount that never answers. 0: for ever. */
static uint64_t limit_ns(const struct request *r)
{
	switch (r->kind) {
	case REQUEST_OPEN:
	case REQUEST_BEGIN:
	case REQUEST_DROP:
	case REQUEST_LANE:
	case REQUEST_KILL:
		return UINT64_C(10000000000);
	case REQUEST_COMMIT: /* the disk may be slow, and the file large */
	case REQUEST_RUN:
	case REQUEST_END: /* the program has closed its output, or is killed */
		return UINT64_C(60000000000);
	default:
		return 0;
	}
}

/* Waits for an answer. -EPIPE: the broker was stopped; -ETIMEDOUT: none came within @ns, unless
 * that is 0. */
static int await(const struct side *s, uint64_t ns)
{
	const uint64_t begun_ns = clock_ns(CLOCK_MONOTONIC);
	struct pollfd p = {.fd = s->socket, .events = POLLIN};
	int stopped = 0;

	while ((s->pid || ns) && stopped < 2) {
		const int n = poll(&p, 1, CHECK_MS);

		if (n > 0 || (n < 0 && errno != EINTR))
			return n > 0 ? 0 : -errno;
		if (ns && clock_ns(CLOCK_MONOTONIC) - begun_ns > ns)
			return -ETIMEDOUT;
		if (!n && s->pid)
			stopped = child_is_stopped(s->pid) ? stopped + 1 : 0;
	}
	return stopped ? -EPIPE : 0;
}

/* Sends one request and receives its answer; -errno without a text if none came. */
static int exchange(const struct side *s, const struct request *r, const int *fds, size_t n,
		    struct request_answer *a, int *fd)
{
	int rc = packet_send(s->socket, r, sizeof(*r), fds, n);

	*fd = -1;
	if (!rc)
		rc = await(s, limit_ns(r));
	if (!rc)
		rc = packet_receive_whole(s->socket, a, sizeof(*a), fd, 1);
	/* A late answer would be taken for that of the next request. */
	if (rc && rc != -EPROTO)
		shutdown(s->socket, SHUT_RDWR);
	return rc;
}

/* Makes the spare the broker; numbers of files stay. */
static bool use_spare(int rc)
{
	if ((rc != -EPIPE && rc != -ECONNRESET && rc != -ETIMEDOUT) || spare.socket < 0)
		return false;
	close(broker.socket);
	broker = spare;
	spare = (struct side){.socket = -1};
	return true;
}

/* Returns the answer's code; *@fd is -1 if the answer has no descriptor. */
static int ask_with(const struct request *r, const int *fds, size_t n, struct request_answer *a,
		    int *fd)
{
	int rc = exchange(&broker, r, fds, n, a, fd);

	/* After a timeout the spare would be stuck on the same mount. */
	if (use_spare(rc) && rc != -ETIMEDOUT)
		rc = exchange(&broker, r, fds, n, a, fd);
	if (rc)
		return lost(r, rc);
	a->text[sizeof(a->text) - 1] = '\0';
	return a->rc && a->text[0] ? err(a->rc, "%s", a->text) : a->rc;
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

	(void)packet_send(broker.socket, &r, sizeof(r), NULL, 0);
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
	static const struct file_agent all = {ask_open, tell_done, ask_begin, ask_end};
	static const struct file_agent makes = {NULL, NULL, ask_begin, ask_end};

	broker = (struct side){.socket = socket};
	file_use_agent(opens ? &all : &makes);
	child_use_killer(ask_kill);
}

void agent_use_spare(pid_t first, int socket, pid_t pid)
{
	broker.pid = first;
	spare = (struct side){socket, pid};
}

bool agent_is_there(void)
{
	return broker.socket >= 0;
}

void agent_finish(void)
{
	if (broker.socket >= 0) {
		shutdown(broker.socket, SHUT_RDWR);
		close(broker.socket);
	}
	broker = spare;
	spare = (struct side){.socket = -1};
}

int agent_run(uint32_t which, const char *path, uint64_t at, const int *fds, size_t n, int *out)
{
	struct request r = {.kind = REQUEST_RUN, .flags = which, .at = at};
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

/* Opens another socket to the broker, or -1. */
static int lane_to(const struct side *s)
{
	const struct request r = {.kind = REQUEST_LANE};
	struct request_answer a = {0};
	int ends[2], none, rc;

	if (s->socket < 0 || socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends))
		return -1;
	rc = exchange(s, &r, &ends[1], 1, &a, &none);
	close(ends[1]);
	if (!rc && !a.rc)
		return ends[0];
	close(ends[0]);
	if (rc)
		errno = -rc;
	return -1;
}

int agent_lane(struct agent_lane *l)
{
	errno = 0;
	l->broker = lane_to(&broker);
	if (l->broker < 0 && use_spare(-errno))
		l->broker = lane_to(&broker);
	l->spare = lane_to(&spare);
	return l->broker >= 0 ? 0 : -EMFILE;
}

void agent_take_lane(const struct agent_lane *l)
{
	if (l->broker < 0)
		return;
	if (spare.socket >= 0)
		close(spare.socket);
	close(broker.socket);
	broker.socket = l->broker;
	spare.socket = l->spare;
}

void agent_close_lane(struct agent_lane *l)
{
	if (l->broker >= 0)
		close(l->broker);
	if (l->spare >= 0)
		close(l->spare);
	*l = (struct agent_lane){-1, -1};
}
