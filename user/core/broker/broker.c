#include "broker/broker.h"

#include <errno.h>
#include <limits.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <unistd.h>

#include "base/child.h"
#include "base/err.h"
#include "base/file_new.h"
#include "base/owned.h"
#include "base/packet.h"

/* How long a program may take to end once it has closed its output: its mount may not answer. */
#define END_MS 10000

struct exchange {
	const struct request *request;
	struct request_answer *answer;
	int came[REQUEST_FDS]; /* closed afterwards; -1: none, or taken */
	int fd;		       /* sent with the answer, then closed; -1: none */
};

/* --- files ------------------------------------------------------------------------------------ */

static int serve_open(struct broker *b, struct exchange *x)
{
	const int writes = O_ACCMODE & x->request->flags;
	const unsigned uses = writes ? ALLOWED_TO_CHANGE : ALLOWED_TO_CHANGE | ALLOWED_TO_READ;
	const int most = O_ACCMODE | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
	const int flags = (int)x->request->flags | O_CLOEXEC;
	const struct allowed_file *f = allowed_find(b->allowed, x->request->path, uses);

	if (x->request->flags & ~(unsigned)most || !f)
		return -EACCES;
	x->fd = f->use == ALLOWED_READ ? open(f->path, flags) : owned_open(f->path, flags);
	if (x->fd < 0)
		return -errno;
	snprintf(b->reading, sizeof(b->reading), "%s", x->request->path);
	return 0;
}

static int serve_done(struct broker *b, struct exchange *x)
{
	(void)x;
	b->reading[0] = '\0';
	return 0;
}

/* If a file may be both made and changed, finds the entry for what is asked. */
static const struct allowed_file *find_to_begin(const struct broker *b, const char *path,
						bool again)
{
	const unsigned make = ALLOWED_TO_MAKE | 1u << ALLOWED_FILL;
	const struct allowed_file *f = again ? NULL : allowed_find(b->allowed, path, make);

	return f ? f : allowed_find(b->allowed, path, ALLOWED_TO_CHANGE);
}

static int serve_begin(struct broker *b, struct exchange *x)
{
	const bool again = x->request->flags & REQUEST_AGAIN;
	const struct allowed_file *f = find_to_begin(b, x->request->path, again);
	const bool force = x->request->flags & REQUEST_FORCE;
	int i = 0, rc;

	while (i < BROKER_FILES && b->files[i].path)
		i++;
	if (i == BROKER_FILES || !f)
		return err(-EACCES, "cannot make '%s': the command line does not name it",
			   x->request->path);
	rc = again ? file_begin_again(&b->files[i], x->request->path)
		   : file_begin(&b->files[i], x->request->path, force && f->force);
	if (rc)
		return rc;
	x->answer->number = i;
	x->fd = dup(b->files[i].fd);
	if (x->fd >= 0) {
		spare_note(b->spare.notes, i, &b->files[i]);
		return 0;
	}
	rc = err(-errno, "cannot make '%s': %s", x->request->path, strerror(errno));
	file_drop(&b->files[i]);
	return rc;
}

/* The file of the request's number, if it was begun. */
static struct file_new *begun(struct broker *b, const struct exchange *x)
{
	const int32_t i = x->request->number;

	return i >= 0 && i < BROKER_FILES && b->files[i].path ? &b->files[i] : NULL;
}

/* Commits or drops the file; the spare need not do it any more. */
static int end_file(struct broker *b, struct file_new *f, bool commit)
{
	const int i = (int)(f - b->files);
	int rc = 0;

	if (commit)
		rc = file_commit(f);
	else
		file_drop(f);
	spare_forget(b->spare.notes, i);
	return rc;
}

static int serve_commit(struct broker *b, struct exchange *x)
{
	struct file_new *f = begun(b, x);

	if (f)
		return end_file(b, f, true);
	return spare_was_committed(&b->spare, x->request->number)
		       ? 0
		       : err(-EBADF, "cannot make a file: it was not begun");
}

static int serve_drop(struct broker *b, struct exchange *x)
{
	struct file_new *f = begun(b, x);

	return f ? end_file(b, f, false) : 0;
}

/* --- processes -------------------------------------------------------------------------------- */

static int serve_run(struct broker *b, struct exchange *x)
{
	pid_t child = 0;
	int rc;

	if (!b->start || b->child)
		return err(-EACCES, "cannot run a program: this command has none to run");
	rc = b->start(b, x->request, x->came, &x->fd, &child);
	b->child = rc ? 0 : child;
	return rc;
}

/* Kills the child's process group, and the child, which may not have made one yet. */
static void kill_child(const struct broker *b)
{
	kill(-b->child, SIGKILL);
	kill(b->child, SIGKILL);
}

/* Waits until the program ends; kills it after END_MS, if @now at once. Stops waiting when the
 * owner ends. -ETIMEDOUT if it does not end though it was killed. */
static int reap(struct broker *b, bool now, int *status)
{
	const int program = pidfd_open(b->child, 0);
	struct pollfd p[] = {{.fd = program, .events = POLLIN},
			     {.fd = b->owner_fd > 0 ? b->owner_fd : -1, .events = POLLIN}};
	int rc;

	while (program >= 0 && !now && poll(p, 2, END_MS) < 0 && errno == EINTR)
		;
	if (now || (program >= 0 && !p[0].revents))
		kill_child(b);
	/* Without a pidfd, this waits first. */
	rc = child_await(b->child, program < 0 && !now ? END_MS : 0, status, NULL);
	if (program >= 0)
		close(program);
	b->stuck = rc == -ETIMEDOUT ? b->child : b->stuck;
	b->child = 0;
	return rc;
}

static int serve_end(struct broker *b, struct exchange *x)
{
	int status = 0, rc;

	rc = b->child ? reap(b, x->request->flags & REQUEST_NOW, &status)
		      : err(-ECHILD, "no program runs");
	x->answer->number = status;
	return rc;
}

static int serve_lane(struct broker *b, struct exchange *x)
{
	if (x->came[0] < 0 || b->lanes.n == BROKER_LANES)
		return -EMFILE;
	vec_push(&b->lanes, x->came[0]);
	x->came[0] = -1;
	return 0;
}

static int serve_kill(struct broker *b, struct exchange *x)
{
	const pid_t pid = x->request->number;
	/* While the pidfd is open, no other process gets the number. */
	_close_ int fd = pid > 0 && b->owner > 0 ? pidfd_open(pid, 0) : -1;
	pid_t parent;
	char state;

	if (fd < 0 || !child_look(pid, &state, &parent) || parent != b->owner)
		return -EPERM;
	return pidfd_send_signal(fd, SIGKILL, NULL, 0) ? -errno : 0;
}

/* --- requests --------------------------------------------------------------------------------- */

static int (*const serve[REQUEST_KINDS])(struct broker *, struct exchange *) = {
	[REQUEST_OPEN] = serve_open,	 [REQUEST_DONE] = serve_done, [REQUEST_BEGIN] = serve_begin,
	[REQUEST_COMMIT] = serve_commit, [REQUEST_DROP] = serve_drop, [REQUEST_RUN] = serve_run,
	[REQUEST_END] = serve_end,	 [REQUEST_LANE] = serve_lane, [REQUEST_KILL] = serve_kill,
};

bool broker_serve(struct broker *b, int socket)
{
	struct request request;
	struct request_answer answer = {0};
	struct exchange x = {.request = &request, .answer = &answer, .fd = -1};
	int rc = packet_receive_whole(socket, &request, sizeof(request), x.came, REQUEST_FDS);
	const bool known = !rc && request.kind < REQUEST_KINDS;

	request.path[sizeof(request.path) - 1] = '\0';
	err(0, "%s", ""); /* forgets the text of an earlier request */
	if (known && request.kind != REQUEST_LANE && request.kind != REQUEST_KILL)
		spare_take_over(&b->spare, b->files, 0);
	if (known)
		answer.rc = serve[request.kind](b, &x);
	for (int i = 0; i < REQUEST_FDS; i++)
		if (x.came[i] >= 0)
			close(x.came[i]);
	if (!known || request.kind == REQUEST_DONE)
		return known;
	if (answer.rc)
		snprintf(answer.text, sizeof(answer.text), "%s", err_text());
	rc = packet_send(socket, &answer, sizeof(answer), &x.fd, x.fd >= 0);
	if (x.fd >= 0)
		close(x.fd);
	return !rc;
}

static void serve_lanes(struct broker *b, const struct pollfd *p, size_t n)
{
	size_t kept = 0;

	for (size_t i = 0; i < b->lanes.n; i++) {
		const int lane = b->lanes.at[i];

		if (i < n && p[i].revents && !broker_serve(b, lane))
			close(lane);
		else
			b->lanes.at[kept++] = lane;
	}
	b->lanes.n = kept;
}

void broker_serve_all(struct broker *b)
{
	struct pollfd p[2 + BROKER_LANES] = {
		{.fd = b->owner_fd > 0 ? b->owner_fd : -1, .events = POLLIN},
		{.fd = b->socket, .events = POLLIN}};

	for (;;) {
		const size_t n = b->lanes.n;

		for (size_t i = 0; i < n; i++)
			p[2 + i] = (struct pollfd){.fd = b->lanes.at[i], .events = POLLIN};
		if (poll(p, 2 + n, -1) < 0) {
			if (errno != EINTR)
				return;
			continue;
		}
		if (p[0].revents)
			return;
		serve_lanes(b, p + 2, n);
		if (p[1].revents && !broker_serve(b, b->socket))
			return;
	}
}

void broker_end(struct broker *b)
{
	int status;

	spare_take_over(&b->spare, b->files, SPARE_END_MS);
	for (int i = 0; i < BROKER_FILES; i++)
		if (b->files[i].path)
			end_file(b, &b->files[i], false);
	if (b->child)
		(void)reap(b, false, &status);
	for (size_t i = 0; i < b->lanes.n; i++)
		close(b->lanes.at[i]);
	vec_release(&b->lanes);
	close(b->socket);
}
