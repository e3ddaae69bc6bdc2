#include "cmd/unprivileged.h"

#include <errno.h>
#include <grp.h>
#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#include "base/caller.h"

int cmd_become(uid_t uid, gid_t gid)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct none[2] = {0};

	if (geteuid() == 0 && uid && (setgroups(1, &gid) || setgid(gid) || setuid(uid)))
		return -errno;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || syscall(SYS_capset, &header, none))
		return -errno;
	return 0;
}

#define NOBODY 65534

static int become_caller(uid_t uid, gid_t gid)
{
	const struct caller c = caller();

	return c.is_other ? cmd_become(c.uid, c.gid) : cmd_become(uid, gid);
}

int cmd_drop_privileges(void)
{
	return become_caller(0, 0);
}

int cmd_become_reader(void)
{
	return become_caller(NOBODY, NOBODY);
}

bool cmd_is_nobody(void)
{
	return geteuid() == NOBODY;
}
