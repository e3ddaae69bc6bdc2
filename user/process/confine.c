#include "process/confine.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define NOBODY 65534

static int compare(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

/* Standard output and error go nowhere: what libc says of a corrupt heap is no business of the
 * user's. The sanitizers' reports are. */
static void silence(void)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	for (int fd = 0; null >= 0 && fd < 3; fd++) {
#ifdef __SANITIZE_ADDRESS__
		if (fd == 2)
			break;
#endif
		dup2(null, fd);
	}
}

/* Ctrl-C is for our parent to act on; a fault is to end us, whatever handler was inherited. */
static void set_signals(void)
{
	static const int fatal[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTERM, SIGXCPU};

	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGINT, SIG_IGN);
	for (size_t i = 0; i < sizeof(fatal) / sizeof(fatal[0]); i++)
		signal(fatal[i], SIG_DFL);
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

static void limit(__rlimit_resource_t what, uint64_t most)
{
	const struct rlimit value = {.rlim_cur = most, .rlim_max = most};

	setrlimit(what, &value);
}

static void set_limits(uint64_t memory_bytes, uint64_t output_bytes)
{
	limit(RLIMIT_CORE, 0);
	limit(RLIMIT_FSIZE, output_bytes);
#ifndef __SANITIZE_ADDRESS__ /* whose shadow is larger than any limit */
	limit(RLIMIT_DATA, memory_bytes);
#else
	(void)memory_bytes;
#endif
}

/* In a user namespace there may be no nobody; then the capabilities below are all there is. */
static void become_nobody(void)
{
	if (geteuid())
		return;
	if (setgroups(0, NULL) || setresgid(NOBODY, NOBODY, NOBODY))
		return;
	if (setresuid(NOBODY, NOBODY, NOBODY))
		return;
}

static int drop_capabilities(void)
{
	struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
	const struct __user_cap_data_struct none[2] = {0};

	return syscall(SYS_capset, &head, none) ? -errno : 0;
}

int confine(int *keep, size_t n, uint64_t memory_bytes, uint64_t output_bytes)
{
	int rc;

	set_signals();
	silence();
	confine_close(keep, n);
	set_limits(memory_bytes, output_bytes);
	become_nobody();
	rc = drop_capabilities();
	/* A change of user undoes these two, so they come last. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	prctl(PR_SET_DUMPABLE, 0);
	if (!rc && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		rc = -errno;
	limit(RLIMIT_NPROC, 0);
	return rc;
}

void confine_cpu(unsigned int seconds)
{
	struct rlimit value;
	struct timespec used;

	if (getrlimit(RLIMIT_CPU, &value) || clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used))
		return;
	value.rlim_cur = (rlim_t)used.tv_sec + 1 + seconds;
	setrlimit(RLIMIT_CPU, &value);
}
