/* waits: what a thread waited for, from the system call, its arguments and the state. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/str.h"
#include "small_profile.h"
#include "waits/callrule.h"
#include "waits/reasonbook.h"

static void names_system_calls(void **state)
{
	(void)state;
	assert_string_equal(syscall_name(0, false), "read");
	assert_string_equal(syscall_name(202, false), "futex");
	assert_string_equal(syscall_name(3, true), "read");
	assert_string_equal(syscall_name(240, true), "futex");
	assert_null(syscall_name(100000, false));
	assert_null(syscall_name(UINT32_MAX, true));
}

/* Searched in halves: a rule out of order would not be found. */
static void knows_what_calls_wait_for(void **state)
{
	(void)state;
	for (uint32_t n = 0; n < 500; n++) {
		const char *name = syscall_name(n, false);

		assert_true(!name || call_rule(name).kind != REASON_NONE);
	}
	assert_int_equal(call_rule("_newselect").kind, REASON_POLL);
	assert_int_equal(call_rule("accept").object, OBJECT_DESCRIPTOR);
	assert_int_equal(call_rule("clock_nanosleep").kind, REASON_SLEEP);
	assert_int_equal(call_rule("epoll_pwait2").kind, REASON_EPOLL);
	assert_int_equal(call_rule("flock").kind, REASON_FILE_LOCK);
	assert_int_equal(call_rule("fsync").kind, REASON_FILE);
	assert_int_equal(call_rule("futex").object, OBJECT_ADDRESS);
	assert_int_equal(call_rule("msgrcv").kind, REASON_MESSAGE);
	assert_int_equal(call_rule("pause").kind, REASON_SIGNAL);
	assert_int_equal(call_rule("ppoll").kind, REASON_POLL);
	assert_int_equal(call_rule("vfork").kind, REASON_CHILD);
	assert_int_equal(call_rule("wait4").kind, REASON_CHILD);
	assert_int_equal(call_rule("waitid").kind, REASON_CHILD);
	assert_int_equal(call_rule("writev").kind, REASON_FILE);
	assert_int_equal(call_rule("mount").kind, REASON_CALL);
	assert_int_equal(call_rule("").kind, REASON_CALL);
	assert_int_equal(kind_of_mode(S_IFIFO | 0600), REASON_PIPE);
	assert_int_equal(kind_of_mode(S_IFSOCK), REASON_SOCKET);
	assert_int_equal(kind_of_mode(S_IFCHR), REASON_DEVICE);
	assert_int_equal(kind_of_mode(S_IFDIR), REASON_FILE);
	assert_int_equal(kind_of_mode(0600), REASON_OBJECT);
}

static void names_each_kind(void **state)
{
	(void)state;
	for (enum reason_kind k = REASON_NONE + 1; k < REASON_KINDS; k++) {
		assert_true(*reason_kind_name(k));
		for (enum reason_kind other = REASON_NONE + 1; other < k; other++)
			assert_string_not_equal(reason_kind_name(k), reason_kind_name(other));
	}
	assert_string_equal(reason_kind_name(200), "");
	assert_true(reason_kind_is_idle(REASON_EPOLL) && !reason_kind_is_idle(REASON_LOCK));
	assert_false(reason_kind_is_idle(200));
}

/* --- the book: of this very process ---------------------------------------------------------- */

static int zeroed_data;

struct opened {
	struct images *images;
	struct procs *procs;
	struct reasonbook book;
	struct profile *p;
};

static void open_book(struct opened *o)
{
	o->images = images_new();
	o->procs = procs_new(o->images);
	assert_int_equal(procs_snapshot(o->procs, (uint32_t)getpid()), 0);
	reasonbook_init(&o->book, o->images);
	o->p = profile_new();
	profile_metric(o->p, "blocked", "ns", METRIC_SUM);
}

static void close_book(struct opened *o)
{
	reasonbook_release(&o->book);
	profile_free(o->p);
	procs_free(o->procs);
	images_free(o->images);
}

/* A wait in system call @call, asleep. */
static struct wire_offcpu in_call(uint32_t call, uint64_t argument)
{
	return (struct wire_offcpu){
		.sample = {.pid = (uint32_t)getpid()},
		.state = 1,
		.reason = {.argument = argument, .call = call, .flags = WIRE_REASON_USER}};
}

static struct wire_offcpu on_descriptor(int fd)
{
	struct wire_offcpu w = in_call(SYS_read, (uint64_t)fd);
	struct stat st;

	assert_int_equal(fstat(fd, &st), 0);
	w.reason.inode = st.st_ino;
	w.reason.mode = (uint16_t)st.st_mode;
	return w;
}

/* The profile's reason for @w at the end of stack @node. */
static struct reason reason_at(struct opened *o, const struct wire_offcpu *w, uint32_t node)
{
	const uint32_t number = reasonbook_take(&o->book, w, o->procs);
	struct reason_rows rows;
	uint32_t row;

	assert_int_not_equal(number, 0);
	assert_int_equal(reasonbook_take(&o->book, w, o->procs), number);
	reason_rows_init(&rows, &o->book, o->p);
	row = reason_rows_put(&rows, number, node);
	assert_int_equal(reason_rows_put(&rows, number, node), row);
	assert_int_equal(reason_rows_put(&rows, 0, node), 0);
	reason_rows_release(&rows);
	return o->p->reasons.at[row];
}

static void assert_reason(struct opened *o, const struct wire_offcpu *w, enum reason_kind kind,
			  const char *call, const char *object)
{
	const struct reason r = reason_at(o, w, 0);

	assert_string_equal(reason_kind_name(r.kind), reason_kind_name(kind));
	assert_string_equal(profile_text(o->p, r.call), call);
	assert_string_equal(profile_text(o->p, r.object), object);
}

static void names_what_is_behind_descriptors(void **state)
{
	struct opened o;
	int pipes[2], event = eventfd(0, 0), file = open("/proc/self/exe", O_RDONLY);
	struct wire_offcpu w;
	char path[4096] = "", text[64];

	(void)state;
	open_book(&o);
	assert_int_equal(pipe(pipes), 0);
	assert_true(readlink("/proc/self/exe", path, sizeof(path) - 1) > 0);
	w = on_descriptor(file);
	assert_reason(&o, &w, REASON_FILE, "read", path);
	w.reason.flags |= WIRE_REASON_IO;
	assert_reason(&o, &w, REASON_DISK, "read", path);
	w = on_descriptor(event);
	assert_reason(&o, &w, REASON_OBJECT, "read", "anon_inode:[eventfd]");
	w = on_descriptor(pipes[0]);
	snprintf(text, sizeof(text), "pipe:[%lu]", (unsigned long)w.reason.inode);
	assert_reason(&o, &w, REASON_PIPE, "read", text);
	w.reason.call = SYS_poll;
	assert_reason(&o, &w, REASON_POLL, "poll", "");
	w.reason.flags |= WIRE_REASON_POLLED;
	assert_reason(&o, &w, REASON_POLL, "poll", text);
	close(pipes[0]);
	close(pipes[1]);
	close(event);
	close(file);
	close_book(&o);
}

/* A descriptor that was closed, or used again, since it was waited for: what the kernel saw then
 * counts. */
static void does_not_guess_what_was_there(void **state)
{
	int file = open("/proc/self/exe", O_RDONLY);
	struct wire_offcpu w = on_descriptor(file);
	struct opened o;

	(void)state;
	open_book(&o);
	w.reason.inode++;
	assert_reason(&o, &w, REASON_FILE, "read", "");
	strcpy((char *)w.reason.name, "stdio.h");
	assert_reason(&o, &w, REASON_FILE, "read", "");
	strcpy((char *)w.reason.folder, "/");
	w.reason.inode++;
	assert_reason(&o, &w, REASON_FILE, "read", "…/stdio.h");
	strcpy((char *)w.reason.folder, "include");
	w.reason.inode++;
	assert_reason(&o, &w, REASON_FILE, "read", "…/include/stdio.h");
	memset(w.reason.name, 'x', sizeof(w.reason.name) - 1);
	assert_reason(&o, &w, REASON_FILE, "read",
		      "…/include/xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…");
	w.reason.mode = S_IFIFO;
	w.reason.inode = 4711;
	assert_reason(&o, &w, REASON_PIPE, "read", "pipe:[4711]");
	w.reason.mode = S_IFSOCK;
	w.reason.inode = 4712;
	assert_reason(&o, &w, REASON_SOCKET, "read", "socket:[4712]");
	w.reason.inode = 0;
	assert_reason(&o, &w, REASON_CALL, "read", "");
	w.sample.pid = WIRE_OUTSIDE;
	w.reason.inode = 4713;
	assert_reason(&o, &w, REASON_FILE, "read", "");
	close(file);
	close_book(&o);
}

static void names_locks(void **state)
{
	struct wire_offcpu w = in_call(SYS_futex, (uintptr_t)&zeroed_data);
	struct opened o;
	struct reason r;

	(void)state;
	open_book(&o);
	r = reason_at(&o, &w, 0);
	assert_string_equal(profile_text(o.p, r.object), "test_waits:zeroed_data");
	assert_int_equal(r.kind, REASON_LOCK);
	assert_int_equal(r.state, 'S');
	w = in_call(SYS_futex, (uintptr_t)&w);
	assert_true(str_starts(profile_text(o.p, reason_at(&o, &w, 0).object), "[stack] 0x"));
	w = in_call(SYS_futex, 16);
	assert_string_equal(profile_text(o.p, reason_at(&o, &w, 0).object), "");
	close_book(&o);
}

static void finds_memory(void **state)
{
	const uint32_t pid = (uint32_t)getpid();
	const uint64_t now = clock_ns(CLOCK_MONOTONIC);
	const struct memory_area *a;
	struct memory m = {0};

	(void)state;
	a = memory_find(&m, pid, (uintptr_t)&zeroed_data, now);
	assert_non_null(a);
	assert_true(str_ends(a->path, "/test_waits"));
	/* The first code is in the same area. */
	assert_in_range(a->code, a->start, a->end);
	assert_in_range((uintptr_t)finds_memory, a->start, a->end);
	assert_null(memory_find(&m, pid, 16, now));
	memory_forget(&m, pid);
	assert_int_equal(m.processes[0].pid, 0);
	/* More processes than are kept, none of which there is. */
	for (uint32_t i = 0; i < 3 * MEMORY_PROCESSES; i++)
		assert_null(memory_find(&m, 5000000 + i, 4096, now));
	/* Whatever that took on a busy machine. */
	m.read_ns = 0;
	assert_non_null(memory_find(&m, pid, (uintptr_t)&zeroed_data, now));
	/* It has read for an hour of its first one: not until a day is over. */
	memory_forget(&m, pid);
	m.read_ns = 3600000000000;
	assert_null(memory_find(&m, pid, (uintptr_t)&zeroed_data, now + 3600000000000));
	assert_int_equal(m.refused, 1);
	assert_non_null(memory_find(&m, pid, (uintptr_t)&zeroed_data, now + 24 * 3600000000000));
	assert_int_equal(m.refused, 1);
	memory_release(&m);
}

static void goes_by_the_state(void **state)
{
	struct wire_offcpu w = in_call(SYS_clock_nanosleep, 0);
	struct opened o;

	(void)state;
	open_book(&o);
	assert_reason(&o, &w, REASON_SLEEP, "clock_nanosleep", "");
	assert_int_equal(reason_at(&o, &w, 0).idle, 1);
	w.state = 0;
	assert_reason(&o, &w, REASON_RUNNABLE, "", "");
	assert_int_equal(reason_at(&o, &w, 0).state, 'R');
	w.state = 4;
	assert_reason(&o, &w, REASON_STOPPED, "", "");
	w.state = 8;
	assert_reason(&o, &w, REASON_TRACED, "", "");
	w.state = 2;
	assert_int_equal(reason_at(&o, &w, 0).state, 'D');
	w.reason.call = 100000;
	assert_reason(&o, &w, REASON_CALL, "syscall 100000", "");
	w.reason.call = WIRE_NO_CALL;
	assert_reason(&o, &w, REASON_KERNEL, "", "");
	w.reason.flags = 0;
	assert_int_equal(reason_at(&o, &w, 0).idle, 0);
	w.state = 0x402;
	assert_int_equal(reason_at(&o, &w, 0).state, 'I');
	assert_int_equal(reason_at(&o, &w, 0).idle, 1);
	w.reason.flags = WIRE_REASON_IO;
	assert_reason(&o, &w, REASON_DISK, "", "");
	w = in_call(162, 0);
	w.reason.flags |= WIRE_REASON_COMPAT;
	assert_reason(&o, &w, REASON_SLEEP, "nanosleep", "");
	close_book(&o);
}

static uint32_t kernel_stack(struct profile *p, const char *stack)
{
	const uint32_t node = small_node(p, stack);

	for (size_t i = 1; i < p->functions.n; i++)
		if (strcmp(profile_text(p, p->functions.at[i].name), "main") != 0)
			p->functions.at[i].kind = KIND_KERNEL;
	return node;
}

/* Where call and arguments do not tell, or of something else. */
static void asks_the_stack(void **state)
{
	struct wire_offcpu w = in_call(SYS_read, 1000000);
	struct opened o;
	uint32_t fault, restart, none;

	(void)state;
	open_book(&o);
	fault = kernel_stack(o.p, "main;ksys_read;exc_page_fault;handle_mm_fault;schedule");
	restart = kernel_stack(o.p, "main;do_syscall_64;futex_wait_restart;schedule");
	none = kernel_stack(o.p, "main;do_syscall_64;schedule");
	assert_int_equal(reason_at(&o, &w, none).kind, REASON_CALL);
	assert_int_equal(reason_at(&o, &w, fault).kind, REASON_FAULT);
	w.reason.flags |= WIRE_REASON_IO;
	assert_int_equal(reason_at(&o, &w, fault).kind, REASON_FAULT_DISK);
	w.state = 0;
	assert_int_equal(reason_at(&o, &w, fault).kind, REASON_RUNNABLE);
	w = in_call(SYS_restart_syscall, 0);
	assert_int_equal(reason_at(&o, &w, restart).kind, REASON_LOCK);
	assert_int_equal(reason_at(&o, &w, none).kind, REASON_CALL);
	w.reason.call = SYS_clock_nanosleep;
	assert_int_equal(reason_at(&o, &w, restart).kind, REASON_SLEEP);
	close_book(&o);
}

static void keeps_what_is_referred_to(void **state)
{
	struct wire_offcpu sleep = in_call(SYS_clock_nanosleep, 0), poll = in_call(SYS_poll, 0);
	struct opened o;
	uint32_t numbers[3] = {0};

	(void)state;
	open_book(&o);
	assert_int_equal(reasonbook_take(&o.book, &sleep, o.procs), 1);
	assert_int_equal(reasonbook_take(&o.book, &poll, o.procs), 2);
	numbers[2] = 1;
	reasonbook_keep(&o.book, numbers);
	assert_int_equal(numbers[1], 0);
	assert_int_equal(numbers[2], 1);
	assert_int_equal(reasonbook_take(&o.book, &poll, o.procs), 1);
	assert_int_equal(reasonbook_take(&o.book, &sleep, o.procs), 2);
	assert_reason(&o, &poll, REASON_POLL, "poll", "");
	close_book(&o);
}

/* Pipes without end: beyond a number of them they are pipes, and counted. */
static void is_bounded(void **state)
{
	struct wire_offcpu w = in_call(SYS_read, 7);
	struct opened o;

	(void)state;
	open_book(&o);
	w.reason.mode = S_IFSOCK;
	for (uint32_t i = 1; i <= 100000; i++) {
		w.reason.inode = i;
		assert_int_not_equal(reasonbook_take(&o.book, &w, o.procs), 0);
	}
	assert_in_range(o.book.rows.n, 60000, 65536);
	assert_int_equal(o.book.without_object, 100000 - (o.book.rows.n - 2));
	assert_reason(&o, &w, REASON_SOCKET, "read", "");
	close_book(&o);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_system_calls),
		cmocka_unit_test(knows_what_calls_wait_for),
		cmocka_unit_test(names_each_kind),
		cmocka_unit_test(names_what_is_behind_descriptors),
		cmocka_unit_test(does_not_guess_what_was_there),
		cmocka_unit_test(names_locks),
		cmocka_unit_test(finds_memory),
		cmocka_unit_test(goes_by_the_state),
		cmocka_unit_test(asks_the_stack),
		cmocka_unit_test(keeps_what_is_referred_to),
		cmocka_unit_test(is_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
