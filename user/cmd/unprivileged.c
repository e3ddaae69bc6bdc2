#include "cmd/unprivileged.h"

#include <errno.h>
#include <grp.h>
#include <linux/capability.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#include "base/caller.h"

/* Keeps those capabilities that are in @bits, which covers the first 32. */
static int keep(uint32_t bits)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct all[2] = {0};

	if (bits && syscall(SYS_capget, &header, all))
		return -errno;
	all[0].permitted &= bits;
	all[0].effective &= bits;
	all[0].inheritable = 0;
	all[1] = (struct __user_cap_data_struct){0};
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || syscall(SYS_capset, &header, all))
		return -errno;
	return 0;
}

/* Makes root become @uid, unless that is 0, without any capability. no_new_privs keeps exec from
 * giving them back. -errno, no text: then do not go on. */
static int cmd_become(uid_t uid, gid_t gid)
{
	if (geteuid() == 0 && uid && (setgroups(1, &gid) || setgid(gid) || setuid(uid)))
		return -errno;
	return keep(0);
}

#define NOBODY 65534

static int become_caller(uid_t uid, gid_t gid)
{
	const struct caller c = caller();

	return c.is_other ? cmd_become(c.uid, c.gid) : cmd_become(uid, gid);
}

int cmd_drop_privileges(void)
{
	/* Worker processes need these to become nobody. */
	const uint32_t change_user = 1u << CAP_SETUID | 1u << CAP_SETGID;

	return geteuid() || caller().is_other ? become_caller(0, 0) : keep(change_user);
}

int cmd_become_reader(void)
{
	return become_caller(NOBODY, NOBODY);
}

bool cmd_is_nobody(void)
{
	return geteuid() == NOBODY;
}
