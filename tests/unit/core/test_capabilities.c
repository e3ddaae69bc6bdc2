/* What a process of a capture cannot do any more once it has kept the capabilities of its kind: it
 * tries, in a child, with all the rights that the test has (root's, or none). */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/capability.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "confine/callfilter.h"
#include "confine/capabilities.h"
#include "confine/rules.h"

/* Before it gave anything up. */
static bool began_as_root;

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

static void try_files_and_programs(void)
{
	char *argv[] = {(char *)"/bin/true", NULL};
	const int own = open("/tmp", O_RDONLY | O_DIRECTORY);

	REFUSED(open("/etc/shadow", O_WRONLY));
	REFUSED(open("/etc/eprof-was-here", O_WRONLY | O_CREAT, 0600));
	REFUSED(open("/proc/1/mem", O_RDWR));
	/* Not even where everybody may. */
	REFUSED(open("/tmp/eprof-was-here", O_WRONLY | O_CREAT, 0600));
	REFUSED(openat(own, "eprof-was-here", O_RDONLY | O_CREAT, 0600));
	REFUSED(open("/tmp", O_RDWR | O_TMPFILE, 0600));
	REFUSED(syscall(SYS_openat2, own, ".", NULL, 0));
	REFUSED(mkdir("/tmp/eprof-was-here", 0700));
	REFUSED(symlink("x", "/tmp/eprof-was-here"));
	REFUSED(truncate("/dev/null", 0));
	REFUSED(socket(AF_INET, SOCK_STREAM, 0));
	REFUSED(kill(1, 0));
	REFUSED(setuid(0) || geteuid() ? -1 : 0);
	REFUSED(execv(argv[0], argv));
}

static void try_to_fork(void)
{
	REFUSED(fork());
}

static void try_bpf(void)
{
	static const int refused[] = {BPF_PROG_LOAD,	     BPF_BTF_LOAD,
				      BPF_OBJ_PIN,	     BPF_OBJ_GET,
				      BPF_PROG_GET_FD_BY_ID, BPF_MAP_GET_FD_BY_ID,
				      BPF_LINK_GET_FD_BY_ID, BPF_RAW_TRACEPOINT_OPEN,
				      BPF_PROG_ATTACH,	     BPF_ENABLE_STATS,
				      BPF_LINK_CREATE + 1000};

	for (size_t i = 0; i < sizeof(refused) / sizeof(*refused); i++) {
		REFUSED(syscall(SYS_bpf, refused[i], NULL, 0));
		REFUSED(errno == EPERM ? -1 : 0);
	}
	/* What is allowed gets to the kernel, which finds no attributes. */
	REFUSED(syscall(SYS_bpf, BPF_MAP_LOOKUP_ELEM, NULL, 0));
	REFUSED(errno != EPERM || geteuid() != 0 ? -1 : 0);
}

static void try_to_regain(void)
{
	REFUSED(prctl(PR_CAPBSET_READ, CAP_SYS_MODULE) == 1 && began_as_root ? 0 : -1);
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

static void loader_and_keeper_make_no_file_and_start_no_program(void **state)
{
	(void)state;
	if (!callfilter_is_there())
		return;
	assert_int_equal(in_child(CAPABILITIES_LOADER, try_files_and_programs), STAYS);
	assert_int_equal(in_child(CAPABILITIES_KEEPER, try_files_and_programs), STAYS);
	assert_int_equal(in_child(CAPABILITIES_KEEPER, try_to_fork), STAYS);
	assert_int_equal(in_child(CAPABILITIES_LOADER, try_bpf), STAYS);
	assert_int_equal(in_child(CAPABILITIES_KEEPER, try_bpf), STAYS);
}

static void *beside(void *status)
{
	capabilities_drop_thread();
	*(int *)status = open("/etc/shadow", O_WRONLY) < 0 && geteuid() ? STAYS : __LINE__ % 256;
	return NULL;
}

/* A thread beside the loader's has the loader's user before that has it. */
static void a_thread_keeps_nothing(void **state)
{
	pthread_t thread;
	int status = 0;

	(void)state;
	assert_int_equal(pthread_create(&thread, NULL, beside, &status), 0);
	pthread_join(thread, NULL);
	assert_int_equal(status, STAYS);
}

/* Without seccomp and landlock. */
static void try_in_empty_root(void)
{
	char *const argv[] = {(char *)"/bin/true", NULL};

	emptyroot_enter();
	if (capabilities_drop())
		_exit(1);
	REFUSED(execv("/bin/true", argv));
	REFUSED(execv("/proc/self/exe", argv));
	REFUSED(execv("../../../../bin/true", argv));
	REFUSED(open("/etc/passwd", O_RDONLY));
	REFUSED(open("new", O_WRONLY | O_CREAT, 0600));
	REFUSED(chroot("."));
}

static void the_calibrator_finds_no_program(void **state)
{
	(void)state;
	if (!geteuid())
		assert_int_equal(in_child(CAPABILITIES_CALIBRATOR, try_in_empty_root), STAYS);
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
		cmocka_unit_test(loader_and_keeper_make_no_file_and_start_no_program),
		cmocka_unit_test(a_thread_keeps_nothing),
		cmocka_unit_test(the_calibrator_finds_no_program),
		cmocka_unit_test(nothing_comes_back),
	};

	began_as_root = !geteuid();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
