#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/err.h"
#include "base/mem.h"
#include "process/allowance.h"
#include "process/procfs.h"
#include "process/procs.h"

/* Above the kernel's largest pid: nothing is read from /proc for these. */
enum { SHELL = 5000001, CHILD, OTHER };

static struct images *images;
static struct procs *procs;

static int setup(void **state)
{
	(void)state;
	images = images_new();
	procs = procs_new(images);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	procs_free(procs);
	images_free(images);
	return 0;
}

static void map_file(uint32_t pid, uint64_t start, uint64_t end, uint64_t offset, uint64_t inode,
		     const char *path)
{
	const struct proc_mmap record = {
		.pid = pid,
		.tid = pid,
		.start = start,
		.end = end,
		.file_offset = offset,
		.id = {.path = path, .dev_major = 250, .dev_minor = 9, .inode = inode}};

	procs_mmap(procs, &record);
}

static void expect_place(uint32_t pid, uint64_t address, const char *path, uint64_t offset)
{
	const struct place place = procs_place(procs, pid, address);

	assert_string_equal(images_at(images, place.image)->path, path);
	assert_int_equal(place.offset, offset);
}

static void places_are_file_offsets(void **state)
{
	(void)state;
	map_file(SHELL, 0x401000, 0x403000, 0x1000, 7, "/bin/a");
	expect_place(SHELL, 0x401000, "/bin/a", 0x1000);
	expect_place(SHELL, 0x402fff, "/bin/a", 0x2fff);
	expect_place(SHELL, 0x403000, "", 0x403000);
	expect_place(SHELL, 0x400fff, "", 0x400fff);
	expect_place(OTHER, 0x401000, "", 0x401000);
	assert_int_equal(procs_place(procs, SHELL, 0x403000).image, IMAGE_NONE);
}

static void newer_mappings_replace_older(void **state)
{
	(void)state;
	map_file(SHELL, 0x10000, 0x20000, 0, 7, "/bin/a");
	assert_int_equal(procs->remaps, 0);
	map_file(SHELL, 0x14000, 0x18000, 0x500, 8, "/bin/b");
	assert_int_equal(procs->remaps, 1);
	expect_place(SHELL, 0x13fff, "/bin/a", 0x3fff);
	expect_place(SHELL, 0x14000, "/bin/b", 0x500);
	expect_place(SHELL, 0x18000, "/bin/a", 0x8000);
	/* The same once more says nothing new. */
	map_file(SHELL, 0x14000, 0x18000, 0x500, 8, "/bin/b");
	assert_int_equal(procs->remaps, 1);
	/* The same file at other offsets does. */
	map_file(SHELL, 0x14000, 0x18000, 0x1500, 8, "/bin/b");
	assert_int_equal(procs->remaps, 2);
	/* One over all of them. */
	map_file(SHELL, 0x8000, 0x28000, 0, 9, "/bin/c");
	assert_int_equal(procs->remaps, 3);
	expect_place(SHELL, 0x15000, "/bin/c", 0xd000);
	expect_place(SHELL, 0x8000, "/bin/c", 0);
	/* Next to it is not over it. */
	map_file(SHELL, 0x28000, 0x29000, 0, 8, "/bin/b");
	assert_int_equal(procs->remaps, 3);
	expect_place(SHELL, 0x27fff, "/bin/c", 0x1ffff);
	expect_place(SHELL, 0x28000, "/bin/b", 0);
}

static void fork_copies_and_exec_drops(void **state)
{
	(void)state;
	map_file(SHELL, 0x10000, 0x20000, 0, 7, "/bin/sh");
	procs_comm(procs, SHELL, SHELL, "sh", false, 1);
	procs_fork(procs, SHELL, CHILD, SHELL, CHILD, 10);
	expect_place(CHILD, 0x10010, "/bin/sh", 0x10);
	assert_string_equal(procs_name(procs, CHILD), "sh");
	procs_comm(procs, CHILD, CHILD, "cc1", true, 20);
	expect_place(CHILD, 0x10010, "", 0x10010);
	expect_place(SHELL, 0x10010, "/bin/sh", 0x10);
	map_file(CHILD, 0x10000, 0x30000, 0, 8, "/usr/bin/cc1");
	assert_int_equal(procs->remaps, 0);
	procs_exit(procs, CHILD, CHILD);
	expect_place(CHILD, 0x10010, "/usr/bin/cc1", 0x10);
	assert_string_equal(procs_name(procs, CHILD), "cc1");
	/* The pid comes again, as another process. */
	procs_fork(procs, SHELL, CHILD, SHELL, CHILD, 40);
	expect_place(CHILD, 0x10010, "/bin/sh", 0x10);
	assert_string_equal(procs_name(procs, CHILD), "sh");
}

static void threads_have_entries_by_name(void **state)
{
	uint32_t main_thread, worker, renamed, after_exec;

	(void)state;
	procs_comm(procs, SHELL, SHELL, "server", false, 1);
	procs_fork(procs, SHELL, SHELL, SHELL, SHELL + 100, 5);
	main_thread = procs_thread(procs, SHELL, SHELL);
	worker = procs_thread(procs, SHELL, SHELL + 100);
	assert_int_not_equal(main_thread, worker);
	assert_int_equal(procs_thread(procs, SHELL, SHELL + 100), worker);
	assert_string_equal(procs->entries.at[worker].comm, "server");
	assert_int_equal(procs->entries.at[worker].start_ns, 5);
	procs_comm(procs, SHELL, SHELL + 100, "io-worker-15char-long", false, 8);
	renamed = procs_thread(procs, SHELL, SHELL + 100);
	assert_int_not_equal(renamed, worker);
	assert_string_equal(procs->entries.at[renamed].comm, "io-worker-15cha");
	assert_string_equal(procs_name(procs, SHELL), "server");
	/* Back to an old name: back to its entry. */
	procs_comm(procs, SHELL, SHELL + 100, "server", false, 10);
	assert_int_equal(procs_thread(procs, SHELL, SHELL + 100), worker);
	/* exec starts anew, even under the same name. */
	procs_comm(procs, SHELL, SHELL, "server", true, 12);
	after_exec = procs_thread(procs, SHELL, SHELL);
	assert_int_not_equal(after_exec, main_thread);
	assert_int_equal(procs->entries.at[after_exec].start_ns, 12);
	assert_int_equal(procs->entries.n, 4);
	assert_int_equal(procs->entries.n, 4);
}

/* Whose main thread has ended goes on while another thread does. */
static void what_has_ended_is_forgotten(void **state)
{
	uint32_t shell, child, entries[3] = {0};
	uint8_t *used;

	(void)state;
	map_file(SHELL, 0x10000, 0x20000, 0, 7, "/bin/sh");
	procs_comm(procs, SHELL, SHELL, "sh", true, 1);
	map_file(SHELL, 0x10000, 0x20000, 0, 7, "/bin/sh");
	procs_fork(procs, SHELL, CHILD, SHELL, CHILD, 10);
	procs_fork(procs, SHELL, SHELL, SHELL, SHELL + 100, 11);
	map_file(CHILD, 0x30000, 0x40000, 0, 8, "/lib/own");
	child = procs_thread(procs, CHILD, CHILD);
	shell = procs_thread(procs, SHELL, SHELL + 100);
	assert_int_equal(procs->entries.at[child].born_ns, 10);
	procs_exit(procs, CHILD, CHILD);
	procs_exit(procs, SHELL, SHELL);
	procs_forget(procs, entries, false);
	assert_false(procs_find(procs, CHILD));
	assert_true(procs_find(procs, SHELL));
	assert_int_equal(entries[child], NO_PROC_THREAD);
	assert_int_not_equal(entries[shell], NO_PROC_THREAD);
	assert_int_equal(procs->entries.n, 1);
	assert_int_equal(procs_thread(procs, SHELL, SHELL + 100), entries[shell]);
	assert_int_equal(procs->entries.at[entries[shell]].tid, SHELL + 100);
	expect_place(SHELL, 0x10010, "/bin/sh", 0x10);
	used = mem_zalloc(images->at.n, 1);
	procs_mark_images(procs, used);
	assert_true(used[procs_place(procs, SHELL, 0x10010).image]);
	assert_int_equal(memchr(used, 1, images->at.n) == NULL, 0);
	free(used);
	procs_exit(procs, SHELL, SHELL + 100);
	memset(entries, 0, sizeof(entries));
	procs_forget(procs, entries, false);
	assert_false(procs_find(procs, SHELL));
	assert_int_equal(procs->entries.n, 0);
	assert_int_equal(procs->tasks.n, 0);
}

/* Somebody has rows of it still. */
static void what_is_referred_to_keeps_its_name(void **state)
{
	uint32_t entries[2] = {0}, gone, kept;

	(void)state;
	procs_fork(procs, SHELL, OTHER, SHELL, OTHER, 9);
	gone = procs_thread(procs, OTHER, OTHER);
	procs_fork(procs, SHELL, CHILD, SHELL, CHILD, 10);
	procs_comm(procs, CHILD, CHILD, "cc1", true, 11);
	kept = procs_thread(procs, CHILD, CHILD);
	procs_exit(procs, CHILD, CHILD);
	procs_exit(procs, OTHER, OTHER);
	entries[kept] = 1;
	procs_forget(procs, entries, false);
	assert_int_equal(entries[gone], NO_PROC_THREAD);
	assert_int_equal(entries[kept], 0);
	assert_string_equal(procs->entries.at[0].comm, "cc1");
	assert_string_equal(procs_name(procs, CHILD), "cc1");
	entries[0] = 0;
	procs_forget(procs, entries, false);
	assert_false(procs_find(procs, CHILD));
}

/* Records were lost, those of exits among them: /proc has none of these. */
static void in_doubt_proc_is_asked(void **state)
{
	uint32_t entries[2] = {0};

	(void)state;
	procs_fork(procs, SHELL, CHILD, SHELL, CHILD, 10);
	procs_snapshot(procs, (uint32_t)getpid());
	procs_forget(procs, entries, false);
	assert_true(procs_find(procs, CHILD));
	procs_forget(procs, entries, true);
	assert_false(procs_find(procs, CHILD));
	assert_true(procs_find(procs, (uint32_t)getpid()));
}

static void anonymous_code_is_the_process_s_own(void **state)
{
	static const char *const paths[] = {"//anon",
					    "/dev/zero (deleted)",
					    "/SYSV00000000 (deleted)",
					    "anon_inode:[perf_event]",
					    "[heap]",
					    "[stack]",
					    "/memfd:doublemapper (deleted)",
					    ""};
	struct place shell, other;

	(void)state;
	for (uint32_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		uint64_t start = 0x7f0000000000 + i * 0x10000ull;

		map_file(SHELL, start, start + 0x1000, 0, 0, paths[i]);
		shell = procs_place(procs, SHELL, start + 5);
		assert_int_equal(images_at(images, shell.image)->kind, IMAGE_KIND_JIT);
		assert_int_equal(images_at(images, shell.image)->jit_pid, SHELL);
		assert_int_equal(shell.offset, start + 5);
	}
	map_file(OTHER, 0x7f0000000000, 0x7f0000001000, 0, 0, "//anon");
	other = procs_place(procs, OTHER, 0x7f0000000000);
	assert_int_not_equal(other.image, shell.image);
	/* A fork runs its parent's code, until it makes some of its own. */
	procs_fork(procs, SHELL, CHILD, SHELL, CHILD, 2);
	assert_int_equal(procs_place(procs, CHILD, 0x7f0000000005).image, shell.image);
	/* After exec the addresses are another program's. */
	procs_comm(procs, SHELL, SHELL, "node", true, 3);
	map_file(SHELL, 0x7f0000000000, 0x7f0000001000, 0, 0, "//anon");
	assert_int_not_equal(procs_place(procs, SHELL, 0x7f0000000005).image, shell.image);
}

static void special_mappings(void **state)
{
	(void)state;
	map_file(SHELL, 0x7ffff7fc1000, 0x7ffff7fc3000, 0, 0, "[vdso]");
	assert_int_equal(procs_place(procs, SHELL, 0x7ffff7fc1123).image, IMAGE_VDSO);
	assert_int_equal(procs_place(procs, SHELL, 0x7ffff7fc1123).offset, 0x123);
	map_file(OTHER, 0xf7fc1000, 0xf7fc3000, 0, 0, "[vdso]"); /* of a 32-bit process */
	assert_int_not_equal(procs_place(procs, OTHER, 0xf7fc1123).image, IMAGE_VDSO);
	map_file(SHELL, 0x7fffffffe000, 0x7ffffffff000, 0, 0, "[uprobes]");
	expect_place(SHELL, 0x7fffffffe010, "[uprobes]", 0x10);
}

struct seen {
	int n;
	struct procfs_mapping last;
	char path[256];
};

static void take(struct seen *seen, char *line)
{
	if (!procfs_parse_mapping(line, &seen->last) || !seen->last.executable)
		return;
	seen->n++;
	snprintf(seen->path, sizeof(seen->path), "%s", seen->last.path);
}

static void reads_lines_of_maps(void **state)
{
	char good[] = "7f00-7f80 r-xp 00012000 fe:01 332383      /opt/my dir/a\\012b;c (deleted)\n";
	char anon[] = "7f00-7f80 rwxp 00000000 00:00 0 \n";
	char data[] = "7f00-7f80 rw-p 00000000 00:00 0          [heap]\n";
	char back[] = "7f80-7f00 r-xp 00000000 00:00 0 \n";
	char cut[] = "7f00-7f80 r-xp 0001";
	char rubbish[] = "\xff\xfe-zz r-xp";
	struct seen seen = {0};

	(void)state;
	take(&seen, data);
	take(&seen, back);
	take(&seen, cut);
	take(&seen, rubbish);
	assert_int_equal(seen.n, 0);
	take(&seen, good);
	assert_int_equal(seen.n, 1);
	assert_string_equal(seen.path, "/opt/my dir/a\nb;c (deleted)");
	assert_int_equal(seen.last.start, 0x7f00);
	assert_int_equal(seen.last.end, 0x7f80);
	assert_int_equal(seen.last.file_offset, 0x12000);
	assert_int_equal(seen.last.dev_major, 0xfe);
	assert_int_equal(seen.last.inode, 332383);
	take(&seen, anon);
	assert_string_equal(seen.path, "");
}

struct idler {
	pthread_barrier_t barrier;
	uint32_t tid;
};

static void *idle(void *arg)
{
	struct idler *idler = arg;

	prctl(PR_SET_NAME, "idle;thread");
	idler->tid = (uint32_t)syscall(SYS_gettid);
	pthread_barrier_wait(&idler->barrier);
	pthread_barrier_wait(&idler->barrier);
	return NULL;
}

/* Ourselves: this function is in this very file, at an offset where its bytes are. */
static void snapshot_reads_proc(void **state)
{
	const uint32_t pid = (uint32_t)getpid();
	struct idler idler = {0};
	struct place place;
	pthread_t thread;
	uint32_t entry;
	uint8_t byte;

	(void)state;
	pthread_barrier_init(&idler.barrier, NULL, 2);
	pthread_create(&thread, NULL, idle, &idler);
	pthread_barrier_wait(&idler.barrier);
	assert_int_equal(procs_snapshot(procs, pid), 0);
	place = procs_place(procs, pid, (uintptr_t)snapshot_reads_proc);
	assert_true(place.image >= IMAGE_FIRST);
	assert_true(images_at(images, place.image)->fd >= 0);
	assert_int_equal(pread(images_at(images, place.image)->fd, &byte, 1, (off_t)place.offset),
			 1);
	assert_int_equal(byte, *(const uint8_t *)(uintptr_t)snapshot_reads_proc);
	entry = procs_thread(procs, pid, idler.tid);
	assert_string_equal(procs->entries.at[entry].comm, "idle;thread");
	assert_int_equal(strncmp(procs_name(procs, pid), "test_procs", 10), 0);
	pthread_barrier_wait(&idler.barrier);
	pthread_join(thread, NULL);
	pthread_barrier_destroy(&idler.barrier);
}

static void absent_processes_are_said(void **state)
{
	(void)state;
	assert_int_equal(procs_snapshot(procs, OTHER), -ESRCH);
	assert_non_null(strstr(err_text(), "5000003"));
	assert_string_equal(procs_name(procs, OTHER), "");
	assert_string_equal(procs_cgroup(procs, OTHER), "");
}

/* As many mappings as the kernel allows by default: still no square of anything. */
static void many_mappings(void **state)
{
	(void)state;
	for (uint64_t i = 0; i < 65530; i++)
		map_file(SHELL, 0x100000 + i * 0x2000, 0x101000 + i * 0x2000, i << 12, 7, "/bin/a");
	expect_place(SHELL, 0x100000 + 65529 * 0x2000ull + 1, "/bin/a", (65529ull << 12) + 1);
	expect_place(SHELL, 0x100000 + 1234 * 0x2000ull + 0x1000, "",
		     0x100000 + 1234 * 0x2000ull + 0x1000);
}

/* Mappings that go are not told of: what is known of a process is bounded all the same. */
static void mappings_are_bounded(void **state)
{
	const uint32_t self = (uint32_t)getpid();
	const uint64_t n = 300000;

	(void)state;
	for (uint64_t i = 0; i < n; i++)
		map_file(self, i * 0x2000, i * 0x2000 + 0x1000, 0, 7, "/bin/a");
	expect_place(self, (n - 1) * 0x2000 + 1, "/bin/a", 1);
	expect_place(self, 1, "", 1);
	assert_true(procs_place(procs, self, (uintptr_t)mappings_are_bounded).image >= IMAGE_FIRST);
	/* Of one that is gone nothing more can be known. */
	for (uint64_t i = 0; i < n; i++)
		map_file(SHELL, i * 0x2000, i * 0x2000 + 0x1000, 0, 7, "/bin/a");
	assert_int_equal(procs_place(procs, SHELL, 1).image, IMAGE_UNREAD);
}

static size_t images_in_use(void)
{
	uint8_t *used = calloc(images->at.n + 1, 1);
	size_t n = 0;

	procs_mark_images(procs, used);
	for (size_t i = IMAGE_FIRST; i < images->at.n; i++)
		n += used[i];
	free(used);
	return n;
}

/* Each image keeps a file open: between two windows those go that are no more mapped. */
static void files_that_are_unmapped_are_let_go(void **state)
{
	const uint32_t self = (uint32_t)getpid();

	(void)state;
	assert_int_equal(procs_snapshot(procs, self), 0);
	procs_forget(procs, NULL, false);
	const size_t own = images_in_use();

	for (uint64_t i = 0; i < 5000; i++)
		map_file(self, i * 0x2000, i * 0x2000 + 0x1000, 0, 100 + i, "[file]");
	assert_true(images_in_use() >= 5000);
	procs_forget(procs, NULL, false);
	assert_in_range(images_in_use(), own - 1, own + 1);
	assert_true(procs_knows_code(procs, self));
}

static uint64_t one_second_each_time(void)
{
	static uint64_t now_ns;

	return now_ns += 1000000000;
}

static void expect_unread(uint32_t pid, uint64_t address)
{
	const struct place place = procs_place(procs, pid, address);

	assert_int_equal(place.image, IMAGE_UNREAD);
	assert_int_equal(place.offset, 0);
}

/* A second passes each time somebody looks: all is too dear but for root. */
static void who_takes_too_long_is_not_read(void **state)
{
	struct allowance *a = allowance_new(one_second_each_time, NULL);

	(void)state;
	/* A pid that is nobody's: of user nobody. */
	procs->allowance = a;
	map_file(SHELL, 0x1000, 0x2000, 0, 7, "/bin/a");
	map_file(SHELL, 0x3000, 0x4000, 0, 8, "/bin/b");
	map_file(SHELL, 0x5000, 0x6000, 0, 9, "/bin/c");
	map_file(SHELL, 0x7000, 0x8000, 0, 10, "/bin/d");
	expect_unread(SHELL, 0x7800);
	assert_false(procs_knows_code(procs, SHELL));
	/* What is known costs nothing. */
	map_file(SHELL, 0x9000, 0xa000, 0, 7, "/bin/a");
	expect_place(SHELL, 0x9800, "/bin/a", 0x800);
	assert_true(allowance_refused(a) >= 1);
	procs->allowance = NULL;
	allowance_free(a);
}

#define ON_FRESH(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		ON_FRESH(places_are_file_offsets),
		ON_FRESH(newer_mappings_replace_older),
		ON_FRESH(fork_copies_and_exec_drops),
		ON_FRESH(threads_have_entries_by_name),
		ON_FRESH(what_has_ended_is_forgotten),
		ON_FRESH(what_is_referred_to_keeps_its_name),
		ON_FRESH(in_doubt_proc_is_asked),
		ON_FRESH(anonymous_code_is_the_process_s_own),
		ON_FRESH(special_mappings),
		ON_FRESH(reads_lines_of_maps),
		ON_FRESH(snapshot_reads_proc),
		ON_FRESH(absent_processes_are_said),
		ON_FRESH(many_mappings),
		ON_FRESH(mappings_are_bounded),
		ON_FRESH(files_that_are_unmapped_are_let_go),
		ON_FRESH(who_takes_too_long_is_not_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
