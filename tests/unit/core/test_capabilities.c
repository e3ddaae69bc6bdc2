/* What a process of a capture cannot do any more once it has kept the capabilities of its kind: it
 * tries, in a child, with all the rights that the test has (root's, or none). */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "confine/callfilter.h"
#include "confine/capabilities.h"

#define STAYS 42 /* the status of a child to which nothing was allowed */

/* 0: refused; else the line in which it was not, as a status. */
#define REFUSED(call)                          \
	do {                                   \
		if ((call) >= 0)               \
			_exit(__LINE__ % 256); \
	} while (0)

static void try_machine(void)
{
	char byte = 0;
	struct iovec part = {&byte, 1};

	REFUSED(syscall(SYS_init_module, &byte, 1, ""));
	REFUSED(syscall(SYS_finit_module, 0, "", 0));
	REFUSED(syscall(SYS_kexec_load, 0, 0, NULL, 0));
	REFUSED(mount("none", "/", NULL, MS_REMOUNT | MS_BIND | MS_RDONLY, NULL));
	REFUSED(syscall(SYS_unshare, 0x10000000));
	REFUSED(ptrace(PTRACE_ATTACH, getppid(), 0, 0));
	REFUSED(process_vm_writev(getppid(), &part, 1, &part, 1, 0));
	REFUSED(syscall(SYS_pidfd_getfd, 0, 0, 0));
	REFUSED(syscall(SYS_io_uring_setup, 1, NULL));
	REFUSED(syscall(SYS_clock_settime, 0, NULL));
}

/* Where root's own files are root's to write there is a broker to come; a user of its own has none.
 */
static void try_files_and_programs(void)
{
	char *argv[] = {(char *)"/bin/true", NULL};

	REFUSED(open("/etc/shadow", O_WRONLY));
	REFUSED(open("/etc/eprof-was-here", O_WRONLY | O_CREAT, 0600));
	REFUSED(open("/proc/1/mem", O_RDWR));
	REFUSED(kill(1, 0));
	REFUSED(setuid(0) || geteuid() ? -1 : 0);
	REFUSED(fork());
	REFUSED(execv(argv[0], argv));
}

static void try_to_regain(void)
{
	REFUSED(prctl(PR_CAPBSET_READ, CAP_SYS_MODULE) == 1 && geteuid() ? 0 : -1);
	REFUSED(prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, CAP_SYS_ADMIN, 0, 0));
	REFUSED(prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1 ? -1 : 0);
}

static int in_child(enum capabilities_kind kind, void (*tries)(void))
{
	const pid_t child = fork();
	int status;

	if (!child) {
		if (capabilities_keep(kind))
			_exit(1);
		tries();
		_exit(STAYS);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static void nothing_of_the_machine_is_changed(void **state)
{
	(void)state;
	if (!callfilter_is_there())
		return;
	assert_int_equal(in_child(CAPABILITIES_LOADER, try_machine), STAYS);
	assert_int_equal(in_child(CAPABILITIES_KEEPER, try_machine), STAYS);
}

static void the_keeper_writes_no_file_and_starts_nothing(void **state)
{
	(void)state;
	if (!callfilter_is_there())
		return;
	assert_int_equal(in_child(CAPABILITIES_KEEPER, try_files_and_programs), STAYS);
}

static void nothing_comes_back(void **state)
{
	(void)state;
	for (int kind = 0; kind < CAPABILITIES_KINDS; kind++)
		assert_int_equal(in_child((enum capabilities_kind)kind, try_to_regain), STAYS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_of_the_machine_is_changed),
		cmocka_unit_test(the_keeper_writes_no_file_and_starts_nothing),
		cmocka_unit_test(nothing_comes_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
