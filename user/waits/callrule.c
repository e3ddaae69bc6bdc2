#include "waits/callrule.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* --- syscalls --------------------------------------------------------------------------------- */

static const char *const names_64[] = {
#include "syscalls_64.h"
};

static const char *const names_32[] = {
#include "syscalls_32.h"
};

const char *syscall_name(uint32_t number, bool compat)
{
	const char *const *names = compat ? names_32 : names_64;
	const size_t n = compat ? sizeof(names_32) / sizeof(*names_32)
				: sizeof(names_64) / sizeof(*names_64);

	return number < n ? names[number] : NULL;
}

/* --- kernel stacks ---------------------------------------------------------------------------- */

static const struct {
	const char *function;
	enum reason_kind kind;
} functions[] = {
	{"handle_mm_fault", REASON_FAULT},
	{"exc_page_fault", REASON_FAULT},
	{"asm_exc_page_fault", REASON_FAULT},
	{"do_user_addr_fault", REASON_FAULT},
	{"futex_wait_restart", REASON_LOCK},
	{"hrtimer_nanosleep_restart", REASON_SLEEP},
	{"alarm_timer_nsleep_restart", REASON_SLEEP},
	{"do_restart_poll", REASON_POLL},
};

void waitstack_release(struct waitstack *w)
{
	vec_release(&w->kinds);
}

static enum reason_kind kind_by_name(const char *name)
{
	for (size_t i = 0; i < sizeof(functions) / sizeof(*functions); i++)
		if (!strcmp(functions[i].function, name))
			return functions[i].kind;
	return REASON_NONE;
}

static enum reason_kind kind_of(struct waitstack *w, const struct profile *p, uint32_t function)
{
	while (w->kinds.n <= function)
		vec_push(&w->kinds, 0);
	if (!w->kinds.at[function])
		w->kinds.at[function] =
			1 + kind_by_name(profile_text(p, p->functions.at[function].name));
	return w->kinds.at[function] - 1;
}

enum reason_kind waitstack_kind(struct waitstack *w, const struct profile *p, uint32_t node)
{
	for (; node; node = p->nodes.at[node].parent) {
		const uint32_t function = p->frames.at[p->nodes.at[node].frame].function;
		enum reason_kind kind;

		if (p->functions.at[function].kind != KIND_KERNEL)
			break;
		kind = kind_of(w, p, function);
		if (kind != REASON_NONE)
			return kind;
	}
	return REASON_NONE;
}

/* By name, in the order of strcmp(). clone and clone3 wait only as vfork does. */
static const struct call_rule rules[] = {
	{"_newselect", REASON_POLL, OBJECT_NONE},
	{"accept", REASON_FILE, OBJECT_DESCRIPTOR},
	{"accept4", REASON_FILE, OBJECT_DESCRIPTOR},
	{"clock_nanosleep", REASON_SLEEP, OBJECT_NONE},
	{"clock_nanosleep_time64", REASON_SLEEP, OBJECT_NONE},
	{"clone", REASON_CHILD, OBJECT_NONE},
	{"clone3", REASON_CHILD, OBJECT_NONE},
	{"close", REASON_FILE, OBJECT_DESCRIPTOR},
	{"connect", REASON_FILE, OBJECT_DESCRIPTOR},
	{"copy_file_range", REASON_FILE, OBJECT_DESCRIPTOR},
	{"epoll_pwait", REASON_EPOLL, OBJECT_NONE},
	{"epoll_pwait2", REASON_EPOLL, OBJECT_NONE},
	{"epoll_wait", REASON_EPOLL, OBJECT_NONE},
	{"epoll_wait_old", REASON_EPOLL, OBJECT_NONE},
	{"fadvise64", REASON_FILE, OBJECT_DESCRIPTOR},
	{"fallocate", REASON_FILE, OBJECT_DESCRIPTOR},
	{"fcntl", REASON_FILE_LOCK, OBJECT_DESCRIPTOR},
	{"fcntl64", REASON_FILE_LOCK, OBJECT_DESCRIPTOR},
	{"fdatasync", REASON_FILE, OBJECT_DESCRIPTOR},
	{"flock", REASON_FILE_LOCK, OBJECT_DESCRIPTOR},
	{"fsync", REASON_FILE, OBJECT_DESCRIPTOR},
	{"ftruncate", REASON_FILE, OBJECT_DESCRIPTOR},
	{"futex", REASON_LOCK, OBJECT_ADDRESS},
	{"futex_time64", REASON_LOCK, OBJECT_ADDRESS},
	{"futex_wait", REASON_LOCK, OBJECT_ADDRESS},
	{"futex_waitv", REASON_LOCK, OBJECT_NONE},
	{"getdents", REASON_FILE, OBJECT_DESCRIPTOR},
	{"getdents64", REASON_FILE, OBJECT_DESCRIPTOR},
	{"io_uring_enter", REASON_OBJECT, OBJECT_DESCRIPTOR},
	{"ioctl", REASON_FILE, OBJECT_DESCRIPTOR},
	{"ipc", REASON_MESSAGE, OBJECT_NONE},
	{"mq_timedreceive", REASON_MESSAGE, OBJECT_DESCRIPTOR},
	{"mq_timedreceive_time64", REASON_MESSAGE, OBJECT_DESCRIPTOR},
	{"mq_timedsend", REASON_MESSAGE, OBJECT_DESCRIPTOR},
	{"mq_timedsend_time64", REASON_MESSAGE, OBJECT_DESCRIPTOR},
	{"msgrcv", REASON_MESSAGE, OBJECT_NONE},
	{"msgsnd", REASON_MESSAGE, OBJECT_NONE},
	{"nanosleep", REASON_SLEEP, OBJECT_NONE},
	{"pause", REASON_SIGNAL, OBJECT_NONE},
	{"poll", REASON_POLL, OBJECT_NONE},
	{"ppoll", REASON_POLL, OBJECT_NONE},
	{"ppoll_time64", REASON_POLL, OBJECT_NONE},
	{"pread64", REASON_FILE, OBJECT_DESCRIPTOR},
	{"preadv", REASON_FILE, OBJECT_DESCRIPTOR},
	{"preadv2", REASON_FILE, OBJECT_DESCRIPTOR},
	{"pselect6", REASON_POLL, OBJECT_NONE},
	{"pselect6_time64", REASON_POLL, OBJECT_NONE},
	{"pwrite64", REASON_FILE, OBJECT_DESCRIPTOR},
	{"pwritev", REASON_FILE, OBJECT_DESCRIPTOR},
	{"pwritev2", REASON_FILE, OBJECT_DESCRIPTOR},
	{"read", REASON_FILE, OBJECT_DESCRIPTOR},
	{"readahead", REASON_FILE, OBJECT_DESCRIPTOR},
	{"readv", REASON_FILE, OBJECT_DESCRIPTOR},
	{"recv", REASON_FILE, OBJECT_DESCRIPTOR},
	{"recvfrom", REASON_FILE, OBJECT_DESCRIPTOR},
	{"recvmmsg", REASON_FILE, OBJECT_DESCRIPTOR},
	{"recvmmsg_time64", REASON_FILE, OBJECT_DESCRIPTOR},
	{"recvmsg", REASON_FILE, OBJECT_DESCRIPTOR},
	{"rt_sigsuspend", REASON_SIGNAL, OBJECT_NONE},
	{"rt_sigtimedwait", REASON_SIGNAL, OBJECT_NONE},
	{"rt_sigtimedwait_time64", REASON_SIGNAL, OBJECT_NONE},
	{"select", REASON_POLL, OBJECT_NONE},
	{"semop", REASON_MESSAGE, OBJECT_NONE},
	{"semtimedop", REASON_MESSAGE, OBJECT_NONE},
	{"semtimedop_time64", REASON_MESSAGE, OBJECT_NONE},
	{"send", REASON_FILE, OBJECT_DESCRIPTOR},
	{"sendfile", REASON_FILE, OBJECT_DESCRIPTOR},
	{"sendfile64", REASON_FILE, OBJECT_DESCRIPTOR},
	{"sendmmsg", REASON_FILE, OBJECT_DESCRIPTOR},
	{"sendmsg", REASON_FILE, OBJECT_DESCRIPTOR},
	{"sendto", REASON_FILE, OBJECT_DESCRIPTOR},
	{"shutdown", REASON_FILE, OBJECT_DESCRIPTOR},
	{"sigsuspend", REASON_SIGNAL, OBJECT_NONE},
	{"splice", REASON_FILE, OBJECT_DESCRIPTOR},
	{"sync_file_range", REASON_FILE, OBJECT_DESCRIPTOR},
	{"syncfs", REASON_FILE, OBJECT_DESCRIPTOR},
	{"tee", REASON_FILE, OBJECT_DESCRIPTOR},
	{"vfork", REASON_CHILD, OBJECT_NONE},
	{"vmsplice", REASON_FILE, OBJECT_DESCRIPTOR},
	{"wait4", REASON_CHILD, OBJECT_NONE},
	{"waitid", REASON_CHILD, OBJECT_NONE},
	{"waitpid", REASON_CHILD, OBJECT_NONE},
	{"write", REASON_FILE, OBJECT_DESCRIPTOR},
	{"writev", REASON_FILE, OBJECT_DESCRIPTOR},
};

static int compare(const void *name, const void *rule)
{
	return strcmp(name, ((const struct call_rule *)rule)->name);
}

struct call_rule call_rule(const char *name)
{
	const struct call_rule *found =
		bsearch(name, rules, sizeof(rules) / sizeof(*rules), sizeof(*rules), compare);

	return found ? *found : (struct call_rule){.name = name, .kind = REASON_CALL};
}

enum reason_kind kind_of_mode(uint32_t mode)
{
	switch (mode & S_IFMT) {
	case S_IFIFO:
		return REASON_PIPE;
	case S_IFSOCK:
		return REASON_SOCKET;
	case S_IFCHR:
		return REASON_DEVICE;
	case S_IFREG:
	case S_IFDIR:
	case S_IFBLK:
		return REASON_FILE;
	default: /* before Linux 6.16: objects without a file type, such as an eventfd */
		return REASON_OBJECT;
	}
}
