#include "confine/confine.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/child.h"
#include "base/err.h"
#include "confine/callfilter.h"
#include "confine/rules.h"

/* --- limits ----------------------------------------------------------------------------------- */

/* Address space for mapped files and libraries, which RLIMIT_DATA does not count. */
#define MAPPED_BYTES (4ull << 30)

static void limit(__rlimit_resource_t what, rlim_t most)
{
	struct rlimit value;

	if (getrlimit(what, &value))
		return;
	value.rlim_max = value.rlim_max < most ? value.rlim_max : most;
	value.rlim_cur = value.rlim_cur < most ? value.rlim_cur : most;
	setrlimit(what, &value);
}

/* At the soft limit the kernel sends SIGXCPU, which tells why, at the hard one SIGKILL. */
static void limit_cpu(rlim_t seconds)
{
	struct rlimit value;

	limit(RLIMIT_CPU, seconds + 1);
	if (getrlimit(RLIMIT_CPU, &value) || value.rlim_cur < value.rlim_max || value.rlim_max < 2)
		return;
	value.rlim_cur = value.rlim_max - 1;
	setrlimit(RLIMIT_CPU, &value);
}

static void limit_memory(uint64_t bytes)
{
#ifndef __SANITIZE_ADDRESS__ /* whose shadow is larger than any limit */
	limit(RLIMIT_DATA, bytes);
	limit(RLIMIT_AS, bytes + MAPPED_BYTES);
#else
	(void)bytes;
#endif
}

/* Lower limits stay. A reader starts no process and no thread. */
static void set_limits(const struct confine_terms *t)
{
	limit(RLIMIT_CORE, 0);
	limit(RLIMIT_MEMLOCK, 0);
	limit(RLIMIT_MSGQUEUE, 0);
	limit(RLIMIT_FSIZE, t->file_bytes);
	limit_memory(t->memory_bytes);
	if (t->cpu_s)
		limit_cpu(t->cpu_s);
	if (t->kind == CONFINE_READER)
		limit(RLIMIT_NPROC, 0);
	if (t->kind == CONFINE_TOOL)
		limit(RLIMIT_NOFILE, (rlim_t)t->program);
}

/* --- rights ----------------------------------------------------------------------------------- */

#define NOBODY 65534

/* For root. A user namespace may lack nobody: then the process only loses its capabilities. */
static void become_nobody(void)
{
	if (geteuid() || setgroups(0, NULL) || setresgid(NOBODY, NOBODY, NOBODY))
		return;
	(void)!setresuid(NOBODY, NOBODY, NOBODY);
}

static int drop_capabilities(void)
{
	struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
	const struct __user_cap_data_struct none[2] = {0};

	return syscall(SYS_capset, &head, none) ? -errno : 0;
}

/* The change of user comes first: it would undo PR_SET_DUMPABLE and the death signal. */
static int give_up_privileges(void)
{
	int rc;

	become_nobody();
	rc = drop_capabilities();
	prctl(PR_SET_DUMPABLE, 0);
	child_tie();
	if (!rc && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		rc = -errno;
	return rc ? err(rc, "cannot give up privileges: %s", strerror(-rc)) : 0;
}

/* --- descriptors and signals ------------------------------------------------------------------ */

static int compare(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

void confine_close(int *keep, size_t n)
{
	unsigned int next = 3;

	qsort(keep, n, sizeof(*keep), compare);
	for (size_t i = 0; i < n; i++) {
		if (keep[i] < (int)next)
			continue;
		if (keep[i] > (int)next)
			syscall(SYS_close_range, next, (unsigned int)keep[i] - 1, 0);
		next = (unsigned int)keep[i] + 1;
	}
	syscall(SYS_close_range, next, ~0u, 0);
}

/* Hides libc's messages about a corrupt heap from users, but not the sanitizers' reports. */
static void mute(void)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	for (int fd = 0; null >= 0 && fd < 3; fd++) {
#ifdef __SANITIZE_ADDRESS__
		if (fd == 2)
			break;
#endif
		dup2(null, fd);
	}
	if (null > 2)
		close(null);
}

void confine_silence(void)
{
	static const int fatal[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTERM, SIGXCPU};

	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGINT, SIG_IGN);
	for (size_t i = 0; i < sizeof(fatal) / sizeof(fatal[0]); i++)
		signal(fatal[i], SIG_DFL);
	mute();
}

int confine_enter(const struct confine_terms *t)
{
	int rc;

	set_limits(t);
	rc = give_up_privileges();
	if (!rc)
		rc = t->kind == CONFINE_TOOL ? rules_set_tool(t->program, t->input)
					     : rules_set(t->kind == CONFINE_REPORT);
	return rc ? rc : callfilter_set(t);
}
