/* What a broker does for who asks, and what it refuses to one that was taken over: by requests, as
 * such a one would send them. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/child.h"
#include "base/err.h"
#include "base/file.h"
#include "base/file_new.h"
#include "base/packet.h"
#include "broker/agent.h"
#include "broker/broker.h"

#define ROOM 200

/* The files of a test, and a broker that may make two of them. */
struct world {
	char folder[ROOM], made[ROOM], passing[ROOM], other[ROOM];
	pid_t broker;
	int socket;
};

/* Program number 7 sleeps; there is no other. */
static int start_sleep(struct broker *b, const struct request *r, const int *fds, int *out,
		       pid_t *child)
{
	(void)b, (void)fds, (void)out;
	if (r->flags != 7)
		return err(-EACCES, "there is no such program");
	*child = child_fork();
	if (!*child) {
		/* Nobody's output stays open for it. */
		for (int fd = 0; fd < 64; fd++)
			close(fd);
		for (;;)
			pause();
	}
	return *child < 0 ? -errno : 0;
}

static _Noreturn void serve(const struct world *w, pid_t owner, int owner_fd, int socket)
{
	struct allowed allowed = {0};
	struct broker b = {.allowed = &allowed,
			   .socket = socket,
			   .owner = owner,
			   .owner_fd = owner_fd,
			   .start = start_sleep};

	allowed_add(&allowed, ALLOWED_MAKE, w->made, false);
	allowed_add(&allowed, ALLOWED_MAKE_FOR_NOW, w->passing, true);
	broker_serve_all(&b);
	broker_end(&b);
	_exit(0);
}

static void put(const char *path, const char *text)
{
	FILE *f = fopen(path, "we");

	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static void begin(struct world *w)
{
	const int own = pidfd_open(getpid(), 0);
	const pid_t pid = getpid();
	int ends[2];

	*w = (struct world){.folder = "/tmp/eprof-broker-XXXXXX"};
	assert_non_null(mkdtemp(w->folder));
	snprintf(w->made, ROOM, "%.150s/made", w->folder);
	snprintf(w->passing, ROOM, "%.150s/made.part", w->folder);
	snprintf(w->other, ROOM, "%.150s/other", w->folder);
	put(w->other, "other");
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
	w->broker = child_fork();
	if (!w->broker) {
		close(ends[0]);
		serve(w, pid, own, ends[1]);
	}
	close(ends[1]);
	close(own);
	w->socket = ends[0];
}

static size_t count(const char *folder)
{
	char command[ROOM + 32], text[32] = "";
	FILE *out;

	snprintf(command, sizeof(command), "ls -A '%s' | wc -l", folder);
	out = popen(command, "r");
	assert_non_null(out);
	(void)!fgets(text, sizeof(text), out);
	pclose(out);
	return strtoul(text, NULL, 10);
}

static void end(struct world *w)
{
	close(w->socket);
	assert_int_equal(waitpid(w->broker, NULL, 0), w->broker);
	unlink(w->made);
	unlink(w->passing);
	unlink(w->other);
	assert_int_equal(rmdir(w->folder), 0);
}

/* The answer's code; *@fd, @number where they are wanted. */
static int ask(const struct world *w, struct request r, const char *path, int *fd, int *number)
{
	struct request_answer a = {0};
	int came;

	snprintf(r.path, sizeof(r.path), "%s", path);
	assert_int_equal(packet_send(w->socket, &r, sizeof(r), NULL, 0), 0);
	assert_int_equal(packet_receive_whole(w->socket, &a, sizeof(a), &came, 1), 0);
	if (fd)
		*fd = came;
	else if (came >= 0)
		close(came);
	if (number)
		*number = a.number;
	return a.rc;
}

#define ASK(w, path, ...) ask(w, (struct request){__VA_ARGS__}, path, NULL, NULL)

static void only_named_files_are_made(void **state)
{
	struct world w;
	int fd, number;

	(void)state;
	begin(&w);
	assert_int_equal(ASK(&w, w.other, .kind = REQUEST_BEGIN), -EACCES);
	assert_int_equal(ASK(&w, w.other, .kind = REQUEST_BEGIN, .flags = REQUEST_FORCE), -EACCES);
	assert_int_equal(ASK(&w, w.made, .kind = REQUEST_BEGIN, .flags = REQUEST_AGAIN), -EACCES);
	assert_int_equal(ASK(&w, "/etc/shadow", .kind = REQUEST_BEGIN, .flags = REQUEST_FORCE),
			 -EACCES);
	assert_int_equal(ASK(&w, "/etc/shadow", .kind = REQUEST_OPEN, .flags = O_RDWR), -EACCES);
	assert_int_equal(ASK(&w, w.made, .kind = REQUEST_OPEN), -EACCES);
	assert_int_equal(ask(&w, (struct request){.kind = REQUEST_BEGIN}, w.made, &fd, &number), 0);
	assert_int_equal(write(fd, "text", 4), 4);
	close(fd);
	assert_int_equal(access(w.made, F_OK), -1);
	assert_int_equal(ASK(&w, "", .kind = REQUEST_COMMIT, .number = number + 1), -EBADF);
	assert_int_equal(ASK(&w, "", .kind = REQUEST_COMMIT, .number = number), 0);
	assert_int_equal(access(w.made, F_OK), 0);
	/* It is there now, and nobody said --force. */
	assert_int_equal(ASK(&w, w.made, .kind = REQUEST_BEGIN, .flags = REQUEST_FORCE), -EEXIST);
	assert_int_equal(count(w.folder), 2);
	end(&w);
}

static void what_is_made_for_now_is_made_again(void **state)
{
	struct world w;
	int number;

	(void)state;
	begin(&w);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(
			ask(&w, (struct request){.kind = REQUEST_BEGIN, .flags = REQUEST_FORCE},
			    w.passing, NULL, &number),
			0);
		assert_int_equal(ASK(&w, "", .kind = REQUEST_COMMIT, .number = number), 0);
	}
	assert_int_equal(unlink(w.passing), 0);
	/* One that was begun, and who asked is gone. */
	assert_int_equal(ask(&w, (struct request){.kind = REQUEST_BEGIN}, w.passing, NULL, NULL),
			 0);
	assert_int_equal(count(w.folder), 2);
	close(w.socket);
	w.socket = -1;
	assert_int_equal(waitpid(w.broker, NULL, 0), w.broker);
	assert_int_equal(count(w.folder), 1);
	unlink(w.other);
	rmdir(w.folder);
}

static pid_t sleeper(void)
{
	const pid_t pid = child_fork();

	if (!pid)
		for (;;)
			pause();
	return pid;
}

/* A child of its child is none of its children, nor is the broker's own parent. */
static void only_children_are_killed(void **state)
{
	struct world w;
	const pid_t ours = sleeper();
	int status;

	(void)state;
	begin(&w);
	assert_int_equal(ASK(&w, "", .kind = REQUEST_KILL, .number = 1), -EPERM);
	assert_int_equal(ASK(&w, "", .kind = REQUEST_KILL, .number = -1), -EPERM);
	assert_int_equal(ASK(&w, "", .kind = REQUEST_KILL, .number = 0), -EPERM);
	assert_int_equal(ASK(&w, "", .kind = REQUEST_KILL, .number = getpid()), -EPERM);
	assert_int_equal(kill(ours, 0), 0);
	assert_int_equal(ASK(&w, "", .kind = REQUEST_KILL, .number = ours), 0);
	assert_int_equal(waitpid(ours, &status, 0), ours);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
	end(&w);
}

static void only_known_programs_are_started(void **state)
{
	struct world w;
	int status;

	(void)state;
	begin(&w);
	assert_int_equal(ASK(&w, "/bin/true", .kind = REQUEST_RUN), -EACCES);
	assert_int_equal(ASK(&w, "", .kind = REQUEST_END), -ECHILD);
	assert_int_equal(ASK(&w, "", .kind = REQUEST_RUN, .flags = 7), 0);
	assert_int_equal(ASK(&w, "", .kind = REQUEST_RUN, .flags = 7), -EACCES);
	assert_int_equal(ask(&w, (struct request){.kind = REQUEST_END, .flags = REQUEST_NOW}, "",
			     NULL, &status),
			 0);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
	end(&w);
}

static bool ends_within(int pidfd, int ms)
{
	struct pollfd p = {.fd = pidfd, .events = POLLIN};

	return poll(&p, 1, ms) == 1;
}

/* In a child: asks for a program, waits for it, and is killed meanwhile; broker and program end. */
static void it_ends_with_who_asks(void **state)
{
	struct world w;
	int said[2], broker;
	pid_t asker;

	(void)state;
	assert_int_equal(pipe2(said, O_CLOEXEC), 0);
	asker = fork();
	if (!asker) {
		struct request r = {.kind = REQUEST_END};

		begin(&w);
		if (ASK(&w, "", .kind = REQUEST_RUN, .flags = 7))
			_exit(1);
		(void)!write(said[1], &w, sizeof(w));
		packet_send(w.socket, &r, sizeof(r), NULL, 0);
		for (;;)
			pause();
	}
	assert_int_equal(read(said[0], &w, sizeof(w)), sizeof(w));
	broker = pidfd_open(w.broker, 0);
	assert_true(broker >= 0);
	assert_false(ends_within(broker, 50));
	kill(asker, SIGKILL);
	assert_int_equal(waitpid(asker, NULL, 0), asker);
	assert_true(ends_within(broker, 5000));
	close(broker);
	unlink(w.other);
	assert_int_equal(rmdir(w.folder), 0);
}

static void a_damaged_packet_ends_it(void **state)
{
	struct request r = {.kind = REQUEST_KINDS};
	struct world w;

	(void)state;
	begin(&w);
	assert_int_equal(packet_send(w.socket, &r, sizeof(r), NULL, 0), 0);
	assert_int_equal(waitpid(w.broker, NULL, 0), w.broker);
	close(w.socket);
	unlink(w.other);
	rmdir(w.folder);
	begin(&w);
	assert_int_equal(packet_send(w.socket, &r, 16, NULL, 0), 0);
	assert_int_equal(waitpid(w.broker, NULL, 0), w.broker);
	close(w.socket);
	unlink(w.other);
	rmdir(w.folder);
}

/* The agent, as the loader and the writer of a window use it. Last: it stays. */
static void parent_and_child_ask_side_by_side(void **state)
{
	struct world w;
	struct file_new f;
	struct agent_lane lane;
	int fd, status;
	pid_t child;

	(void)state;
	begin(&w);
	agent_begin(w.socket, false);
	assert_int_equal(file_begin(&f, w.passing, true), 0);
	assert_int_equal(agent_lane(&lane), 0);
	child = fork();
	if (!child) {
		agent_take_lane(&lane);
		_exit(file_write(&f, "text", 4) || file_commit(&f));
	}
	agent_close_lane(&lane);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	close(f.fd);
	file_forget(&f);
	assert_int_equal(access(w.passing, F_OK), 0);
	assert_int_equal(unlink(w.passing), 0);
	assert_int_equal(file_begin(&f, w.other, true), -EACCES);
	assert_non_null(strstr(err_text(), "the command line does not name it"));
	/* Files that are read are not the broker's. */
	fd = file_open(w.other, O_RDONLY | O_CLOEXEC);
	assert_true(fd >= 0);
	close(fd);
	file_use_agent(NULL);
	agent_finish();
	w.socket = -1;
	assert_int_equal(waitpid(w.broker, NULL, 0), w.broker);
	unlink(w.other);
	rmdir(w.folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_named_files_are_made),
		cmocka_unit_test(what_is_made_for_now_is_made_again),
		cmocka_unit_test(only_children_are_killed),
		cmocka_unit_test(only_known_programs_are_started),
		cmocka_unit_test(it_ends_with_who_asks),
		cmocka_unit_test(a_damaged_packet_ends_it),
		cmocka_unit_test(parent_and_child_ask_side_by_side),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
