#include <errno.h>
#include <grp.h>
#include <limits.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#include "base/mem.h"
#include "cmd/cmd.h"

/* A report needs no privilege: it runs as the user behind sudo, and as root without any
 * capability. no_new_privs keeps exec from giving them back. */
static int drop_privileges(void)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct none[2] = {0};
	const char *uid_text = getenv("SUDO_UID"), *gid_text = getenv("SUDO_GID");
	uid_t uid = uid_text ? (uid_t)strtoul(uid_text, NULL, 10) : 0;
	gid_t gid = gid_text ? (gid_t)strtoul(gid_text, NULL, 10) : 0;

	if (geteuid() == 0 && uid && (setgroups(1, &gid) || setgid(gid) || setuid(uid)))
		return -errno;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || syscall(SYS_capset, &header, none))
		return -errno;
	return 0;
}

/* eprof-render stands beside eprof; else it is looked for as any command is. */
static void run_renderer(char **argv)
{
	char self[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	char *slash;

	if (n > 0) {
		self[n] = '\0';
		slash = strrchr(self, '/');
		if (slash) {
			_free_ char *beside =
				mem_printf("%.*s/eprof-render", (int)(slash - self), self);

			execv(beside, argv);
		}
	}
	execvp("eprof-render", argv);
}

int cmd_report(int argc, char **argv)
{
	static char name[] = "eprof-render";

	if (argc < 2)
		return cmd_usage("report needs a profile: eprof report FILE");
	if (drop_privileges()) {
		fprintf(stderr, "eprof: cannot drop privileges: %s\n", strerror(errno));
		return EXIT_FAILED;
	}
	argv[0] = name;
	run_renderer(argv);
	fprintf(stderr, "eprof: cannot run eprof-render: %s\n", strerror(errno));
	return EXIT_FAILED;
}
