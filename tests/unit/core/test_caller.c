/* base/caller: who called, and what of his environment is kept. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/caller.h"
#include "base/err.h"

static void say(const char *variable, const char *value)
{
	value ? setenv(variable, value, 1) : unsetenv(variable);
}

/* How root finds its caller. */
static int find(const char *sudo_uid, const char *sudo_gid, const char *pkexec, const char *doas,
		struct caller *c)
{
	say("SUDO_UID", sudo_uid);
	say("SUDO_GID", sudo_gid);
	say("PKEXEC_UID", pkexec);
	say("DOAS_USER", doas);
	return caller_find(0, c);
}

static void assert_found(const char *sudo_uid, const char *sudo_gid, const char *pkexec,
			 const char *doas, uid_t uid, gid_t gid)
{
	struct caller c;

	assert_int_equal(find(sudo_uid, sudo_gid, pkexec, doas, &c), 0);
	assert_int_equal(c.uid, uid);
	assert_int_equal(c.gid, gid);
	assert_int_equal(c.is_other, uid != 0);
}

static void is_found(void **state)
{
	const struct passwd *daemon = getpwnam("daemon");

	(void)state;
	assert_found(NULL, NULL, NULL, NULL, 0, getegid());
	assert_found("1000", "2000", NULL, NULL, 1000, 2000);
	assert_found("4294967294", "0", NULL, NULL, 4294967294, 0);
	/* Who became root by two steps. */
	assert_found("0", "0", NULL, NULL, 0, getegid());
	assert_found("0", "0", NULL, "daemon", daemon->pw_uid, daemon->pw_gid);
	assert_found("1000", "2000", "0", "root", 1000, 2000);
	assert_found(NULL, NULL, "1", NULL, 1, getpwuid(1)->pw_gid);
	assert_found("1", NULL, NULL, NULL, 1, getpwuid(1)->pw_gid);
}

static void assert_refused(const char *sudo_uid, const char *sudo_gid, const char *pkexec,
			   const char *doas, const char *why)
{
	struct caller c;

	assert_int_equal(find(sudo_uid, sudo_gid, pkexec, doas, &c), -EINVAL);
	assert_non_null(strstr(err_text(), why));
}

static void is_refused(void **state)
{
	static const char *const numbers[] = {"",
					      "garbage",
					      "-1",
					      "+1",
					      " 1",
					      "1 ",
					      "1x",
					      "0x10",
					      "1000\n",
					      "1e3",
					      "4294967295",
					      "4294967296",
					      "18446744073709551616",
					      "00000000000000001"};

	(void)state;
	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
		assert_refused(numbers[i], "1", NULL, NULL, "SUDO_UID is '");
		assert_refused("1", numbers[i], NULL, NULL, "SUDO_GID is '");
		assert_refused(NULL, NULL, numbers[i], NULL, "PKEXEC_UID is '");
	}
	assert_refused(NULL, NULL, NULL, "", "DOAS_USER is ''");
	assert_refused(NULL, NULL, NULL, "no such user", "DOAS_USER is 'no such user'");
	assert_refused(NULL, NULL, "4294967294", NULL, "PKEXEC_UID is '4294967294', who");
	/* doas with keepenv: alice says that she is bob. */
	assert_refused("1000", "1000", NULL, "daemon", "SUDO_UID and DOAS_USER name different");
}

static void is_no_matter(void **state)
{
	struct caller c;

	(void)state;
	say("SUDO_UID", "garbage");
	assert_int_equal(caller_find(1000, &c), 0);
	assert_int_equal(c.uid, 1000);
	assert_false(c.is_other);
}

/* --- the environment ----------------------------------------------------------------------------
 */

static const char *const strange[] = {"HDF5_PLUGIN_PATH",
				      "HDF5_DRIVER",
				      "LD_AUDIT",
				      "GCONV_PATH",
				      "LOCPATH",
				      "NLSPATH",
				      "TMPDIR",
				      "FONTCONFIG_FILE",
				      "GIT_DIR",
				      "GIT_SSH",
				      "TZ",
				      "TZDIR",
				      "RES_OPTIONS",
				      "LIBBPF_X",
				      "GIO_EXTRA_MODULES",
				      "XDG_CACHE_HOME",
				      "LCX",
				      "BASH_ENV",
				      "PYTHONPATH"};

/* 0: as it should be. */
static int look_at_environment(void)
{
	setenv("SUDO_UID", "1", 1);
	setenv("LC_ALL", "C", 1);
	setenv("PATH", "/home/x/bin", 1);
	for (size_t i = 0; i < sizeof(strange) / sizeof(*strange); i++)
		setenv(strange[i], "/home/x", 1);
	environment_settle();
	environment_settle();
	for (size_t i = 0; i < sizeof(strange) / sizeof(*strange); i++)
		if (getenv(strange[i]) || !environment_given(strange[i]))
			return 1;
	if (strstr(getenv("PATH"), "home") || !getenv("LC_ALL") ||
	    strcmp(environment_given("PATH"), "/home/x/bin") != 0)
		return 2;
	environment_restore();
	return strcmp(getenv("PATH"), "/home/x/bin") || !getenv("GIT_DIR") ? 3 : 0;
}

static void is_kept_harmless(void **state)
{
	int status;
	pid_t child;

	(void)state;
	if (geteuid()) {
		print_message("skipped: only root's environment is another's\n");
		skip();
	}
	child = fork();
	if (!child)
		_exit(look_at_environment());
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(is_found),
		cmocka_unit_test(is_refused),
		cmocka_unit_test(is_no_matter),
		cmocka_unit_test(is_kept_harmless),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
