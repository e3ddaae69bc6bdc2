#include "confine/confine.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/child.h"
#include "base/err.h"
#include "confine/callfilter.h"
#include "confine/limits.h"
#include "confine/nobody.h"
#include "confine/rules.h"

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

/* What libc says of a corrupt heap is no business of the user's. The sanitizers' reports are. */
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

/* A change of user undoes the first two, so they come after it. */
static int give_up_privileges(void)
{
	int rc;

	nobody_become();
	rc = nobody_drop_capabilities();
	prctl(PR_SET_DUMPABLE, 0);
	child_tie();
	if (!rc && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		rc = -errno;
	return rc ? err(rc, "cannot give up privileges: %s", strerror(-rc)) : 0;
}

int confine_enter(const struct confine_terms *t)
{
	int rc;

	limits_set(t);
	rc = give_up_privileges();
	if (!rc)
		rc = t->kind == CONFINE_TOOL ? rules_set_tool(t->program, t->input)
					     : rules_set(t->kind == CONFINE_REPORT);
	return rc ? rc : callfilter_set(t);
}
