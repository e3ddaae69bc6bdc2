/* What the loader's processes tell each other, when one call of any of them fails, is interrupted
 * or does less: each in turn. An interrupted one changes nothing; after another the loader has what
 * it asked for or an error, and the process that it asked says so or is known to be gone: nobody
 * waits for an answer that does not come, no descriptor stays open, and no process. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/child.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/file.h"
#include "base/file_new.h"
#include "base/mem.h"
#include "base/packet.h"
#include "broker/agent.h"
#include "cmd/record_broker.h"
#include "crew/crew.h"
#include "crew/crew_server.h"
#include "probe/keeper.h"
#include "process/opener.h"
#include "temp_folder.h"

#include "faults.h"

/* Far more than waiting in vain takes where it has an end, 5 s, on a machine that has other work;
 * one without an end takes all of it. */
#define LIMIT_S 120
/* Of calls of one kind. */
#define MOST_CALLS 2000

/* What a loader has to say, in memory that its parent sees. */
static struct said {
	char wrong[256];
	int errors; /* of what it asked for */
} * said;

static void expect(bool right, const char *what)
{
	if (!right && !said->wrong[0])
		snprintf(said->wrong, sizeof(said->wrong), "%.100s (%.100s)", what, err_text());
}

/* It is right, or, after a call that failed, an error. */
static void expect_or_error(int rc, bool right, const char *what)
{
	said->errors += rc < 0;
	expect(rc < 0 || right, what);
}

static void write_text(const char *path, const char *text)
{
	FILE *f = fopen(path, "we");

	fputs(text, f);
	fclose(f);
}

static bool has_text(const char *path, const char *text)
{
	char got[64] = "";
	FILE *f = fopen(path, "re");
	const bool is = f && fread(got, 1, sizeof(got) - 1, f) && !strcmp(got, text);

	if (f)
		fclose(f);
	return is;
}

/* --- packets ---------------------------------------------------------------------------------- */

/* As base/packet.h says: bytes and descriptors, or an error, and then no descriptor. */
static void packets(void)
{
	const int file = open("/dev/null", O_RDONLY | O_CLOEXEC);
	int ends[2], fds[PACKET_FDS], rc;
	uint64_t n = 7;
	size_t n_fds;
	ssize_t got;

	rc = socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) ? -errno : 0;
	if (!rc) {
		rc = packet_send(ends[0], &n, sizeof(n), &file, 1);
		if (!rc) {
			n = 0;
			got = packet_receive(ends[1], &n, sizeof(n), fds, &n_fds, 0);
			expect_or_error((int)got, got == sizeof(n) && n == 7 && n_fds == 1,
					"a packet");
			while (n_fds)
				close(fds[--n_fds]);
		}
		close(ends[0]);
		close(ends[1]);
	}
	expect_or_error(rc, true, "");
	close(file);
}

/* --- the broker ------------------------------------------------------------------------------- */

static int make_file(const char *text)
{
	struct file_new f;
	int rc = file_begin(&f, "made.part", true);

	if (!rc)
		rc = file_write(&f, text, strlen(text));
	if (!rc)
		return file_commit(&f);
	file_drop(&f);
	return rc;
}

/* The writer of a window, at a lane of its own. */
static int make_by_child(void)
{
	struct agent_lane lane;
	int status;
	pid_t child;

	if (agent_lane(&lane)) {
		agent_close_lane(&lane);
		return -EIO;
	}
	child = child_fork();
	if (!child) {
		agent_take_lane(&lane);
		_exit(make_file("two") ? 1 : has_text("made.part", "two") ? 0 : 2);
	}
	agent_close_lane(&lane);
	if (child < 0)
		return -errno;
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	expect(WIFEXITED(status) && WEXITSTATUS(status) != 2, "a child's file");
	return status ? -EIO : 0;
}

static void broker(void)
{
	const struct record_places at = {.output = "made", .part = "made.part"};
	const struct record_baseline none = {0};
	struct record_broker both;
	int rc = record_broker_start(&at, &none, &both);

	said->errors += rc != 0;
	if (rc)
		return;
	rc = make_file("one");
	expect(!rc || *err_text(), "a file, without a text");
	expect_or_error(rc, has_text("made.part", "one"), "a file");
	rc = rc ? 0 : make_by_child();
	expect_or_error(rc, true, "");
	record_broker_end(&both);
	unlink("made.part");
	unlink("made");
}

/* --- the opener ------------------------------------------------------------------------------- */

static void check_file(struct opener *o, const char *path)
{
	const struct opener_request r = {
		.what = OPENER_PATH, .path = path, .root_fd = OPENER_OWN_ROOT};
	struct opener_answer a;
	struct stat st;
	const int rc = opener_ask(o, &r, &a);

	expect_or_error(rc, a.fd >= 0 && !fstat(a.fd, &st) && st.st_size == 4, "a descriptor");
	expect(!rc || a.fd < 0, "a descriptor with an error");
	opener_answer_release(o, &a);
}

/* One that goes with the answer, and one that is longer. */
static void check_text(struct opener *o, const char *name, const char *has, size_t bytes)
{
	const struct opener_request r = {.what = OPENER_READ,
					 .pid = (uint32_t)getpid(),
					 .path = name,
					 .root_fd = OPENER_OWN_ROOT,
					 .bytes_most = 16 << 20};
	struct opener_answer a;
	const int rc = opener_ask(o, &r, &a);

	expect_or_error(rc, a.text && a.text_bytes > bytes && strstr(a.text, has), name);
	opener_answer_release(o, &a);
}

static void opener(void)
{
	enum { MANY = 600 };
	struct opener *o = opener_new();
	void *many[MANY];

	said->errors += !o;
	write_text("file", "text");
	for (size_t i = 0; i < MANY; i++)
		many[i] = mmap(NULL, 4096, i % 2 ? PROT_READ : PROT_NONE,
			       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (o) {
		_free_ char *path = realpath("file", NULL);

		check_file(o, path);
		check_text(o, "cmdline", "test_wire_faults", 0);
		check_text(o, "maps", "[stack]", 32768);
		check_file(o, path);
	}
	for (size_t i = 0; i < MANY; i++)
		munmap(many[i], 4096);
	opener_free(o);
	unlink("file");
}

/* --- the crew --------------------------------------------------------------------------------- */

static const char answer[] = "what a task answers, of some length";

struct reply {
	uint32_t task;
	char text[sizeof(answer)];
};

static void *begin(const void *bytes, size_t n)
{
	return mem_strndup(bytes, n);
}

static int work(void *begun, const struct crew_request *r)
{
	struct reply out = {.task = r->task};

	if (strcmp(begun, "common") != 0 || r->n != 4096 || r->n_fds != 1)
		return -EINVAL;
	memcpy(out.text, answer, sizeof(answer));
	return file_put(r->out_fd, &out, sizeof(out));
}

static void ask(void *context, size_t task, struct crew_ask *a)
{
	(void)context, (void)task;
	for (size_t i = 0; i < 4096; i++)
		str_addc(&a->bytes, 'x');
	crew_give(a, open("/dev/null", O_RDONLY | O_CLOEXEC));
}

static size_t read_reply(void *context, const void *bytes, size_t n, uint32_t *task)
{
	const struct reply *r = bytes;

	(void)context;
	if (n < sizeof(*r))
		return 0;
	*task = r->task;
	expect(!strcmp(r->text, answer), "an answer");
	return sizeof(*r);
}

static bool take(void *context, size_t task)
{
	(void)context, (void)task;
	return true;
}

static const struct crew_service service = {.begin = begin, .run = work};

static void crew(void)
{
	struct crew_task tasks[3] = {{.cpu_s = 5}, {.cpu_s = 5}, {.cpu_s = 5, .owner = 1}};
	struct crew c = {.service = &service,
			 .tasks = tasks,
			 .n = 3,
			 .ask = ask,
			 .read = read_reply,
			 .take = take};

	str_add(&c.common, "common");
	crew_run(&c);
	str_release(&c.common);
	for (size_t i = 0; i < c.n; i++) {
		expect(tasks[i].done != tasks[i].failed, "a task is neither done nor failed");
		said->errors += tasks[i].failed;
	}
	/* Those who do not end with a loader that lives on. */
	crew_server_give_up();
}

/* --- the keeper ------------------------------------------------------------------------------- */

static bool goes_on(void *context)
{
	(void)context;
	return true;
}

/* The kernel takes a lease away that nobody gives back, after 45 s. */
#define LEASE_NS UINT64_C(40000000000)

/* Another opens the leased file for writing, which waits until it may. */
static void write_to(const char *path)
{
	const uint64_t start = clock_ns(CLOCK_MONOTONIC);
	const pid_t child = fork();

	if (!child) {
		const int fd = open(path, O_WRONLY | O_CLOEXEC);

		_exit(fd < 0);
	}
	while (child > 0 && waitpid(child, NULL, 0) < 0 && errno == EINTR)
		;
	expect(clock_ns(CLOCK_MONOTONIC) - start < LEASE_NS, "nobody gave the lease back");
}

static void keeper(void)
{
	static const char not_loaded[] = "the BPF program for such probes is not loaded";
	const struct crew_wait wait = {goes_on, NULL};
	struct keeper_news news = {0};
	struct keeper *k = NULL;
	struct probes probes = {0};
	struct probe one = {.offset = 1};
	const probe_list list = {.at = &one, .n = 1};
	keeper_links links = {0};
	int fd, rc;

	for (size_t i = 0; i < PROBE_PROGRAMS; i++)
		probes.program_fds[i] = -1;
	write_text("leased", "text");
	fd = open("leased", O_RDONLY | O_CLOEXEC);
	rc = keeper_new(&probes, &wait, &k);
	said->errors += rc < 0;
	if (!rc) {
		const struct guard_file read = guard_file_of(fd);

		keeper_lease(k, fd);
		rc = keeper_attach(k, PROBE_ENTRY, fd, &read, 0, &list, &links);
		expect(rc < 0 && *err_text(), "an error");
		said->errors += strcmp(err_text(), not_loaded) != 0;
		write_to("leased");
		said->errors += !keeper_has_news(k, &news) || news.written.n != 1;
		keeper_drop(k, &links);
	}
	keeper_free(k);
	keeper_news_release(&news);
	vec_release(&links);
	close(fd);
	unlink("leased");
}

/* --- each call in turn ------------------------------------------------------------------------ */

static size_t open_files(void)
{
	DIR *dir = opendir("/proc/self/fd");
	size_t n = 0;

	while (readdir(dir))
		n++;
	closedir(dir);
	return n;
}

/* Waits for all children; false: one is there for too long. */
static bool all_end(void)
{
	const uint64_t until = clock_ns(CLOCK_MONOTONIC) + LIMIT_S * UINT64_C(1000000000);
	pid_t got;

	while ((got = waitpid(-1, NULL, WNOHANG)) >= 0 || errno == EINTR) {
		if (clock_ns(CLOCK_MONOTONIC) > until)
			return false;
		if (!got)
			usleep(1000);
	}
	return true;
}

static _Noreturn void be_loader(void (*what)(void), enum fault_how how, int error, bool ours,
				int at)
{
	size_t before;

	alarm(LIMIT_S);
	before = open_files();
	faults_arm(how, error, ours, at);
	what();
	faults_disarm();
	expect(open_files() == before, "a descriptor stays open");
	_exit(0);
}

/* Whether there is a call of that number. */
static bool run(void (*what)(void), enum fault_how how, int error, bool ours, int at)
{
	int status = 0;
	pid_t loader;

	faults_disarm();
	*said = (struct said){0};
	loader = fork();
	if (!loader)
		be_loader(what, how, error, ours, at);
	while (waitpid(loader, &status, 0) < 0)
		;
	if (status)
		snprintf(said->wrong, sizeof(said->wrong), "ended with status %#x", status);
	else if (said->errors && (how != FAULT_FAILS || !faults->met))
		snprintf(said->wrong, sizeof(said->wrong), "%d errors", said->errors);
	else if (!all_end())
		snprintf(said->wrong, sizeof(said->wrong), "a process is left");
	if (said->wrong[0])
		fail_msg("how %d, call %d (%s) of %s: %s", how, at, faults->call,
			 ours ? "the loader" : "the others", said->wrong);
	return faults->met;
}

static int run_all(void (*what)(void), enum fault_how how, int error, bool ours)
{
	int n = 0;

	while (n < MOST_CALLS && run(what, how, error, ours, n))
		n++;
	return n;
}

/* @loader, @others: calls that there are at least. */
static void run_each_way(void (*what)(void), int loader, int others)
{
	assert_false(run(what, FAULT_FAILS, EIO, true, MOST_CALLS));
	assert_true(run_all(what, FAULT_INTERRUPTED, 0, true) >= loader);
	assert_true(run_all(what, FAULT_INTERRUPTED, 0, false) >= others);
	(void)run_all(what, FAULT_SHORT, 0, true);
	(void)run_all(what, FAULT_SHORT, 0, false);
	assert_true(run_all(what, FAULT_FAILS, ENOMEM, true) >= loader);
	assert_true(run_all(what, FAULT_FAILS, ENOMEM, false) >= others);
}

static void of_packets(void **state)
{
	(void)state;
	run_each_way(packets, 2, 0);
}

static void of_the_broker(void **state)
{
	(void)state;
	run_each_way(broker, 8, 10);
}

static void of_the_opener(void **state)
{
	(void)state;
	run_each_way(opener, 10, 10);
}

static void of_the_crew(void **state)
{
	(void)state;
	run_each_way(crew, 10, 10);
}

static void of_the_keeper(void **state)
{
	(void)state;
	run_each_way(keeper, 5, 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(of_packets, enter_folder, leave_folder),
		cmocka_unit_test_setup_teardown(of_the_broker, enter_folder, leave_folder),
		cmocka_unit_test_setup_teardown(of_the_opener, enter_folder, leave_folder),
		cmocka_unit_test_setup_teardown(of_the_crew, enter_folder, leave_folder),
		cmocka_unit_test_setup_teardown(of_the_keeper, enter_folder, leave_folder),
	};

	faults_init();
	said = mmap(NULL, sizeof(*said), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	/* Who loses its parent is ours to wait for. */
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
