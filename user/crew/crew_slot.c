#include "crew/crew_slot.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/packet.h"
#include "crew/crew_server.h"
#include "crew/crew_wire.h"
#include "crew/crew_work.h"

/* Room for every answer, in addition to its task's output_bytes. */
#define OUTPUT_BASE (1ull << 20)

/* How long to wait for an idle worker that was told to end, and for one that was killed, which may
 * have gigabytes to free. A server that is silent for longer hangs. */
#define END_WAIT_MS  200
#define KILL_WAIT_MS 5000

void crew_lend(struct crew_ask *a, int fd)
{
	vec_push(&a->fds, fd);
}

void crew_give(struct crew_ask *a, int fd)
{
	vec_push(&a->fds, fd);
	if (fd >= 0)
		vec_push(&a->own, fd);
}

/* --- descriptors -------------------------------------------------------------------------------
 */

static int memory_file(const char *bytes, size_t n)
{
	const int fd = memfd_create("eprof-task", MFD_CLOEXEC);
	const int rc = fd < 0 ? -errno : n ? file_put(fd, bytes, n) : 0;

	if (!rc)
		return fd;
	if (fd >= 0)
		close(fd);
	return rc;
}

/* A memory file of that length, sealed against growing. */
static int answer_file(uint64_t bytes)
{
	const int fd = memfd_create("eprof-answer", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	if (fd >= 0 && (ftruncate(fd, (off_t)bytes) ||
			fcntl(fd, F_ADD_SEALS, F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL))) {
		const int rc = -errno;

		close(fd);
		return rc;
	}
	return fd < 0 ? -errno : fd;
}

static int pair(int ends[2])
{
	return socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) ? -errno : 0;
}

/* --- the worker --------------------------------------------------------------------------------
 */

static bool await_end(const struct crew_slot *s, int ms, struct crew_end *end)
{
	const uint64_t until = clock_ns(CLOCK_MONOTONIC) + (uint64_t)ms * 1000000;
	struct pollfd p = {.fd = s->leash, .events = POLLIN};

	*end = (struct crew_end){0};
	/* A signal must not make us give up the server. */
	while (poll(&p, 1, ms) <= 0)
		if (clock_ns(CLOCK_MONOTONIC) >= until)
			return false;
	/* If the server is gone, the worker was killed with it. */
	(void)packet_receive_whole(s->leash, end, sizeof(*end), NULL, 0);
	return true;
}

bool crew_slot_close(struct crew_slot *s)
{
	struct crew_end end = {0};
	bool ended = s->leash < 0;

	if (s->socket >= 0)
		close(s->socket);
	if (!ended && !s->busy)
		ended = await_end(s, END_WAIT_MS, &end);
	if (!ended) {
		shutdown(s->leash, SHUT_WR);
		if (!await_end(s, KILL_WAIT_MS, &end))
			crew_server_give_up();
	}
	if (s->leash >= 0)
		close(s->leash);
	if (s->answer_fd >= 0)
		close(s->answer_fd);
	*s = (struct crew_slot){.socket = -1, .leash = -1, .answer_fd = -1};
	return WIFSIGNALED(end.status) && WTERMSIG(end.status) == SIGXCPU;
}

static int greet(const struct crew_slot *s, const struct crew *c)
{
	const struct crew_hello hello = {.service = c->service,
					 .common_bytes = c->common.n,
					 .nice = getpriority(PRIO_PROCESS, 0)};
	const int fd = memory_file(c->common.s, c->common.n);
	int rc = fd < 0 ? fd : packet_send(s->socket, &hello, sizeof(hello), &fd, 1);

	if (fd >= 0)
		close(fd);
	return rc;
}

int crew_slot_open(struct crew_slot *s, const struct crew *c, uint64_t owner)
{
	int worker[2], leash[2], rc = pair(worker);

	if (rc)
		return rc;
	rc = pair(leash);
	if (rc) {
		close(worker[0]);
		close(worker[1]);
		return rc;
	}
	*s = (struct crew_slot){
		.socket = worker[0], .leash = leash[0], .owner = owner, .answer_fd = -1};
	rc = crew_server_fork(worker[1], leash[1]);
	if (!rc)
		rc = greet(s, c);
	if (rc)
		(void)crew_slot_close(s);
	return rc;
}

static int send_order(const struct crew_slot *s, const struct crew_task *t, size_t task,
		      const struct crew_ask *ask)
{
	int fds[PACKET_FDS], rc;
	size_t n = 2;
	struct crew_order o = {.bytes = ask->bytes.n,
			       .task = (uint32_t)task,
			       .cpu_s = t->cpu_s,
			       .cpu_most_s = t->cpu_most_s,
			       .bytes_per_s = t->bytes_per_s,
			       .n_files = (uint32_t)ask->fds.n};

	if (ask->fds.n > CREW_FILES)
		return -EMFILE;
	fds[0] = memory_file(ask->bytes.s, ask->bytes.n);
	if (fds[0] < 0)
		return fds[0];
	fds[1] = s->answer_fd;
	for (uint32_t i = 0; i < ask->fds.n; i++) {
		if (ask->fds.at[i] < 0)
			continue;
		o.present |= 1u << i;
		fds[n++] = ask->fds.at[i];
	}
	rc = packet_send(s->socket, &o, sizeof(o), fds, n);
	close(fds[0]);
	return rc;
}

int crew_slot_give(struct crew_slot *s, struct crew *c, size_t task, int64_t now_ms)
{
	struct crew_ask ask = {0};
	int rc;

	s->answer_fd = answer_file(OUTPUT_BASE + c->tasks[task].output_bytes);
	if (s->answer_fd < 0)
		return s->answer_fd;
	c->ask(c->context, task, &ask);
	rc = send_order(s, &c->tasks[task], task, &ask);
	for (size_t i = 0; i < ask.own.n; i++)
		close(ask.own.at[i]);
	str_release(&ask.bytes);
	vec_release(&ask.fds);
	vec_release(&ask.own);
	s->busy = true;
	s->task = task;
	s->since_ms = now_ms;
	s->served++;
	return rc;
}

bool crew_slot_is_done(struct crew_slot *s)
{
	struct crew_done done;

	return !packet_receive_whole(s->socket, &done, sizeof(done), NULL, 0) &&
	       done.task == s->task;
}

/* A copy of what the worker has written so far, as it may live on and write on. *@n bytes. */
static char *copy_answer(int fd, uint64_t most, size_t *n)
{
	const off_t end = lseek(fd, 0, SEEK_CUR);
	char *bytes;
	ssize_t got;

	*n = 0;
	if (end <= 0 || (uint64_t)end > most)
		return NULL;
	bytes = mem_zalloc((size_t)end, 1);
	got = file_get_at(fd, bytes, (size_t)end, 0);
	*n = got > 0 ? (size_t)got : 0;
	return bytes;
}

/* Takes complete answers to tasks that were asked, each once. */
static void take_answers(const struct crew_slot *s, struct crew *c, const char *bytes, size_t n)
{
	size_t at = 0, used;
	uint32_t task;

	while (at < n && (used = c->read(c->context, bytes + at, n - at, &task))) {
		at += used;
		if (task != s->task || c->tasks[task].done || !c->take(c->context, task))
			break;
		c->tasks[task].done = true;
	}
}

void crew_slot_collect(struct crew_slot *s, struct crew *c)
{
	size_t n = 0;
	_free_ char *bytes =
		copy_answer(s->answer_fd, OUTPUT_BASE + c->tasks[s->task].output_bytes, &n);

	if (bytes)
		take_answers(s, c, bytes, n);
	close(s->answer_fd);
	s->answer_fd = -1;
	s->busy = false;
}
