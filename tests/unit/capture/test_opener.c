#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "process/filecopy.h"
#include "process/mounts.h"
#include "process/opener.h"
#include "process/opener_wire.h"

static char folder[64];

static int setup(void **state)
{
	*state = opener_new();
	snprintf(folder, sizeof(folder), "/tmp/test_opener.%d", getpid());
	return !*state || mkdir(folder, 0755);
}

static int teardown(void **state)
{
	_free_ char *command = mem_printf("rm -rf %s", folder);

	opener_free(*state);
	return system(command);
}

static char *make_file(const char *name, const char *text)
{
	char *path = mem_printf("%s/%s", folder, name);
	_close_ int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	return path;
}

static void check_text(int fd, const char *text)
{
	char got[64] = "";

	assert_int_equal(pread(fd, got, sizeof(got), 0), strlen(text));
	assert_string_equal(got, text);
}

static void opens_below_a_root(void **state)
{
	_free_ char *path = make_file("here", "text");
	_close_ int root = open(folder, O_PATH);
	_free_ char *link = mem_printf("%s/link", folder);
	struct opener_request r = {.what = OPENER_PATH, .path = "/here", .root_fd = root};
	struct opener_answer a;

	/* A link leads to what a process with that root finds there. */
	assert_int_equal(symlink("/../../here", link), 0);
	assert_int_equal(opener_ask(*state, &r, &a), 0);
	check_text(a.fd, "text");
	assert_false(a.is_copy);
	opener_answer_release(*state, &a);
	r.path = "/link";
	assert_int_equal(opener_ask(*state, &r, &a), 0);
	check_text(a.fd, "text");
	opener_answer_release(*state, &a);
	r.path = "/etc/passwd";
	assert_int_equal(opener_ask(*state, &r, &a), -ENOENT);
	r = (struct opener_request){.what = OPENER_PATH, .path = path, .root_fd = OPENER_OWN_ROOT};
	assert_int_equal(opener_ask(*state, &r, &a), 0);
	opener_answer_release(*state, &a);
	r = (struct opener_request){.what = OPENER_PATH,
				    .path = path,
				    .pid = (uint32_t)getpid(),
				    .root_fd = OPENER_ROOT_OF_PID};
	assert_int_equal(opener_ask(*state, &r, &a), 0);
	opener_answer_release(*state, &a);
}

static void opens_regular_files_alone(void **state)
{
	_free_ char *pipe = mem_printf("%s/pipe", folder);
	const char *const paths[] = {pipe, folder, "/dev/zero", "/proc/kmsg", "/proc/self/maps"};

	assert_int_equal(mkfifo(pipe, 0600), 0);
	for (size_t i = 0; i < sizeof(paths) / sizeof(*paths); i++) {
		const struct opener_request r = {
			.what = OPENER_PATH, .path = paths[i], .root_fd = OPENER_OWN_ROOT};
		struct opener_answer a;

		assert_true(opener_ask(*state, &r, &a) < 0);
		assert_int_equal(a.fd, -1);
	}
}

static void opens_with_the_rights_of_a_user(void **state)
{
	_free_ char *path = make_file("mine", "secret");
	const struct owner nobody = {.uid = 65534, .gid = 65534};
	struct opener_request r = {
		.what = OPENER_PATH, .path = path, .root_fd = OPENER_OWN_ROOT, .as = &nobody};
	struct opener_answer a;

	if (geteuid())
		skip();
	assert_int_equal(opener_ask(*state, &r, &a), -EACCES);
	r.as = NULL;
	assert_int_equal(opener_ask(*state, &r, &a), 0);
	check_text(a.fd, "secret");
	opener_answer_release(*state, &a);
}

static void reads_files_of_processes(void **state)
{
	struct opener_request r = {.what = OPENER_READ,
				   .pid = (uint32_t)getpid(),
				   .path = "cmdline",
				   .root_fd = OPENER_OWN_ROOT,
				   .bytes_most = 4096};
	struct opener_answer a;
	void *many[2000];

	assert_int_equal(opener_ask(*state, &r, &a), 0);
	assert_non_null(strstr(a.text, "test_opener"));
	opener_answer_release(*state, &a);
	/* Longer than a message. */
	for (size_t i = 0; i < 2000; i++)
		many[i] = mmap(NULL, 4096, i % 2 ? PROT_READ : PROT_NONE,
			       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	r.path = "maps";
	r.bytes_most = 16 << 20;
	assert_int_equal(opener_ask(*state, &r, &a), 0);
	assert_true(a.text_bytes > 65536);
	assert_int_equal(strlen(a.text), a.text_bytes);
	assert_non_null(strstr(a.text, "[stack]"));
	opener_answer_release(*state, &a);
	for (size_t i = 0; i < 2000; i++)
		munmap(many[i], 4096);
	r.pid = 0x3fffffff;
	assert_true(opener_ask(*state, &r, &a) < 0);
}

/* Processes that forked share an opener, and never each other's answers. */
static void serves_children(void **state)
{
	_free_ char *path = make_file("shared", "text");
	const struct opener_request r = {
		.what = OPENER_PATH, .path = path, .root_fd = OPENER_OWN_ROOT};
	struct opener_answer a;
	int status = 0;

	for (int i = 0; i < 4; i++) {
		if (fork())
			continue;
		for (int k = 0; k < 100; k++) {
			if (opener_ask(*state, &r, &a) || a.bytes != 4)
				_exit(1);
			opener_answer_release(*state, &a);
		}
		_exit(0);
	}
	for (int k = 0; k < 100; k++) {
		assert_int_equal(opener_ask(*state, &r, &a), 0);
		opener_answer_release(*state, &a);
	}
	for (int i = 0; i < 4; i++) {
		assert_true(wait(&status) > 0);
		assert_int_equal(status, 0);
	}
}

/* An opener whose only helper took the next request long ago, and is process @pid. */
static struct opener *with_helper(pid_t pid, int ends[2])
{
	struct opener *o = opener_new();
	struct opener_slot *slot = &o->shared->slots[0];

	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
	close(o->requests);
	o->requests = ends[0];
	atomic_store(&slot->pid, pid);
	atomic_store(&slot->request, (uint64_t)1 << 32 | 1);
	atomic_store(&slot->since_ns, clock_ns(CLOCK_MONOTONIC) - 1500000000);
	atomic_store(&slot->state, OPENER_BUSY);
	return o;
}

static bool never(void *context)
{
	(void)context;
	return false;
}

/* What a request ends with, and how long that took, whose helper is a child that spins or waits. */
static int ask_helper(bool spins, uint64_t *ns, uint64_t *timed_out)
{
	const struct opener_request r = {
		.what = OPENER_PATH, .path = "/", .root_fd = OPENER_OWN_ROOT};
	const uint64_t begun = clock_ns(CLOCK_MONOTONIC);
	struct opener_stats stats;
	struct opener_answer a;
	struct opener *o;
	int ends[2], rc;
	pid_t pid = fork();

	while (!pid)
		if (!spins)
			pause();
	o = with_helper(pid, ends);
	opener_set_patience(o, never, NULL);
	rc = opener_ask(o, &r, &a);
	*ns = clock_ns(CLOCK_MONOTONIC) - begun;
	opener_stats(o, &stats);
	*timed_out = stats.timed_out;
	atomic_store(&o->shared->slots[0].state, OPENER_NONE);
	opener_free(o);
	close(ends[1]);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	return rc;
}

/* A helper that waits for a processor is not stuck, whatever the clock says. */
static void busy_is_not_stuck(void **state)
{
	uint64_t ns, timed_out;

	(void)state;
	assert_int_equal(ask_helper(false, &ns, &timed_out), -ETIMEDOUT);
	assert_true(ns < 900000000);
	assert_int_equal(timed_out, 1);
	assert_int_equal(ask_helper(true, &ns, &timed_out), -ETIMEDOUT);
	assert_true(ns >= 1000000000);
}

static bool goes_on(void *context, uint64_t more)
{
	*(uint64_t *)context += more;
	return true;
}

static void copies_are_sealed_and_sparse(void **state)
{
	_free_ char *path = make_file("sparse", "head");
	_close_ int fd = open(path, O_RDWR);
	uint64_t kept = 0;
	struct filecopy c = {.from = fd,
			     .bytes = 64 << 20,
			     .most = 1 << 20,
			     .goes_on = goes_on,
			     .context = &kept};
	char tail[4] = "";
	struct stat st;
	int copy;

	(void)state;
	assert_int_equal(pwrite(fd, "tail", 4, (64 << 20) - 4), 4);
	copy = filecopy_make(&c);
	assert_true(copy >= 0);
	assert_int_equal(fstat(copy, &st), 0);
	assert_int_equal(st.st_size, 64 << 20);
	assert_int_equal(kept, 8192);
	assert_int_equal(pread(copy, tail, 4, (64 << 20) - 4), 4);
	assert_memory_equal(tail, "tail", 4);
	assert_int_equal(write(copy, "x", 1), -1);
	close(copy);
	c.most = 4096;
	assert_int_equal(filecopy_make(&c), -EFBIG);
}

/* --- mounts ---------------------------------------------------------------------------------- */

static bool is_on_disk(void *context, const char *path)
{
	(void)context;
	return strncmp(path, "/far", 4) != 0;
}

static bool has_remote(void *context)
{
	return *(bool *)context;
}

static void tells_local_from_remote(void **state)
{
	static const struct {
		const char *line;
		bool local, trusted, remote;
	} cases[] = {
		{"36 35 98:0 / /mnt rw,noatime shared:1 - ext4 /dev/x rw", true, true, false},
		{"36 35 0:30 / /tmp rw - tmpfs tmpfs rw", true, false, false},
		{"36 35 0:30 / /a\040b rw shared:1 master:2 - nfs4 server:/x rw", false, true,
		 false},
		{"36 35 0:30 / /mnt rw - fuse.sshfs x rw", false, true, false},
		{"36 35 0:30 / /mnt rw - fuseblk /dev/x rw", false, true, false},
		{"36 35 0:30 / /mnt rw - 9p host rw", false, true, false},
		{"36 35 0:30 / /mnt rw - unheard_of x rw", false, true, false},
		{"36 35 0:30 / /proc rw - proc proc rw", false, true, false},
		{"36 35 0:30 / / rw - overlay overlay rw,lowerdir=/a:/b,upperdir=/c,workdir=/d",
		 true, true, false},
		/* Anybody can mount one in a user namespace, over a mount that its paths hide. */
		{"36 35 0:30 / / rw - overlay overlay rw,lowerdir=/a:/b", false, false, false},
		{"36 35 0:30 / / rw - overlay overlay rw,lowerdir=/a:/far/b", false, true, false},
		{"36 35 0:30 / / rw - overlay overlay rw,lowerdir=/a,upperdir=/far", false, true,
		 false},
		{"36 35 0:30 / / rw - overlay overlay rw,lowerdir=l/A:l/B", true, true, false},
		{"36 35 0:30 / / rw - overlay overlay rw,lowerdir=l/A:l/B", false, true, true},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		_free_ char *line = mem_strdup(cases[i].line);
		bool remote = cases[i].remote;
		const struct mount_judge j = {is_on_disk, has_remote, &remote, cases[i].trusted};
		struct mount_line m;

		assert_true(mount_line_parse(line, &m));
		assert_int_equal(m.id, 36);
		if (mount_line_is_local(&m, &j) != cases[i].local)
			fail_msg("%s", cases[i].line);
	}
}

static void refuses_bad_lines(void **state)
{
	static const char *const bad[] = {"",
					  " ",
					  "36",
					  "36 35 98:0",
					  "36 35 x / / rw - ext4 x rw",
					  "36 35 98:0 / /mnt rw",
					  "36 35 98:0 / /mnt rw -",
					  "36 35 98:0 / /mnt rw - ext4"};
	struct mount_line m;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		_free_ char *line = mem_strdup(bad[i]);

		assert_false(mount_line_parse(line, &m));
	}
}

static void knows_our_own_mounts(void **state)
{
	struct mounts *m = mounts_new();
	_close_ int root = open("/", O_PATH), proc = open("/proc", O_PATH);
	struct mount_id at;
	struct statx st;

	(void)state;
	assert_true(mount_stat(root, &st));
	at = mount_id_of(&st);
	assert_int_equal(mounts_own(m, &at), MOUNT_LOCAL);
	assert_true(mount_stat(proc, &st));
	at = mount_id_of(&st);
	assert_int_equal(mounts_own(m, &at), MOUNT_REMOTE);
	mounts_free(m);
}

/* --- source files -------------------------------------------------------------------------------
 */

/* What comes of a file in @below of the tests' folder, by name; @home as if it were the user's. */
static int source_at(void *state, const char *below, const char *name, const char *home)
{
	_free_ char *path = mem_printf("%s/%s%s", folder, below, name);
	const struct opener_request r = {.what = OPENER_SOURCE,
					 .path = path,
					 .folder = (uint32_t)(strlen(folder) + 1 + strlen(below)),
					 .home = home,
					 .root_fd = OPENER_OWN_ROOT};
	struct opener_answer a;
	int ret = opener_ask(state, &r, &a);

	if (!ret)
		check_text(a.fd, "text");
	opener_answer_release(state, &a);
	return ret;
}

static void shell(const char *words)
{
	_free_ char *command = mem_printf("cd %s && %s", folder, words);

	assert_int_equal(system(command), 0);
}

static void sources_are_where_they_were_compiled(void **state)
{
	_free_ char *home = mem_printf("%s/p", folder);

	shell("mkdir -p p/src/.ssh p/src/sub out && for f in p/src/a.c p/src/B.RS p/src/sub/x.hpp "
	      "p/src/id_rsa p/src/.ssh/key.c p/src/.env.c p/src/c out/secret.c; do printf text "
	      ">$f; "
	      "done");
	shell("cd p/src && ln -s sub/x.hpp in.h && ln -s .ssh/key.c nice.c && ln -s id_rsa key.c "
	      "&& "
	      "ln -s ../../out/secret.c out.c && ln -s ../../out dir && ln -s .ssh ssh && "
	      "mkfifo pipe.c && mkdir folder.c && ln -s /dev/tty tty.c");
	assert_int_equal(source_at(*state, "p/src", "/a.c", NULL), 0);
	assert_int_equal(source_at(*state, "p/src", "/B.RS", NULL), 0);
	assert_int_equal(source_at(*state, "p/src", "/./sub/../sub/x.hpp", NULL), 0);
	assert_int_equal(source_at(*state, "p/src", "/in.h", NULL), 0);
	static const char *const refused[] = {"/id_rsa",
					      "/.ssh/key.c",
					      "/.env.c",
					      "/nice.c",
					      "/key.c",
					      "/out.c",
					      "/dir/secret.c",
					      "/ssh/key.c",
					      "/../../out/secret.c",
					      "/pipe.c",
					      "/folder.c",
					      "/tty.c",
					      "/c",
					      "/sub",
					      "/../src/.ssh/key.c",
					      "//../a.c"};

	for (size_t i = 0; i < sizeof(refused) / sizeof(*refused); i++)
		assert_true(source_at(*state, "p/src", refused[i], NULL) < 0);
	assert_int_equal(source_at(*state, "p/src", "/none.c", NULL), -ENOENT);
	/* The name of the folder has to be whole. */
	assert_int_equal(source_at(*state, "p/s", "rc/a.c", NULL), -EACCES);
	assert_int_equal(source_at(*state, "p/none", "/a.c", NULL), -ENOENT);
	/* A home is no project, nor is what holds it. */
	assert_int_equal(source_at(*state, "p", "/src/a.c", home), -EACCES);
	assert_int_equal(source_at(*state, "", "/p/src/a.c", home), -EACCES);
	assert_int_equal(source_at(*state, "p/src", "/a.c", home), 0);
}

static void no_folder_of_the_system_is_a_project(void **state)
{
	static const char *const folders[] = {"/",	 "/etc",  "/home",	"/root",
					      "/home/x", "/proc", "/proc/self", "/proc/self/cwd",
					      "/sys",	 "/dev"};

	for (size_t i = 0; i < sizeof(folders) / sizeof(*folders); i++) {
		_free_ char *path = mem_printf("%s%s/x.c", folders[i], folder);
		const struct opener_request r = {.what = OPENER_SOURCE,
						 .path = path,
						 .folder = (uint32_t)strlen(folders[i]),
						 .root_fd = OPENER_OWN_ROOT};
		struct opener_answer a;

		assert_true(opener_ask(*state, &r, &a) < 0);
		opener_answer_release(*state, &a);
	}
}

static void sources_are_opened_as_their_user(void **state)
{
	const struct owner nobody = {.uid = 65534, .gid = 65534};
	_free_ char *path = mem_printf("%s/p/src/a.c", folder);
	const struct opener_request r = {.what = OPENER_SOURCE,
					 .path = path,
					 .folder = (uint32_t)strlen(path) - 4,
					 .as = &nobody,
					 .root_fd = OPENER_OWN_ROOT};
	struct opener_answer a;

	if (geteuid()) {
		print_message("skipped: only root can open files as another user\n");
		skip();
	}
	shell("chmod 755 p p/src && chmod 600 p/src/a.c");
	assert_int_equal(opener_ask(*state, &r, &a), -EACCES);
	opener_answer_release(*state, &a);
	shell("chmod 644 p/src/a.c");
	assert_int_equal(opener_ask(*state, &r, &a), 0);
	opener_answer_release(*state, &a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(opens_below_a_root),
		cmocka_unit_test(opens_regular_files_alone),
		cmocka_unit_test(opens_with_the_rights_of_a_user),
		cmocka_unit_test(reads_files_of_processes),
		cmocka_unit_test(busy_is_not_stuck),
		cmocka_unit_test(serves_children),
		cmocka_unit_test(copies_are_sealed_and_sparse),
		cmocka_unit_test(tells_local_from_remote),
		cmocka_unit_test(refuses_bad_lines),
		cmocka_unit_test(knows_our_own_mounts),
		cmocka_unit_test(sources_are_where_they_were_compiled),
		cmocka_unit_test(no_folder_of_the_system_is_a_project),
		cmocka_unit_test(sources_are_opened_as_their_user),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
