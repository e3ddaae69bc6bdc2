#include "confine/nobody.h"

#include <errno.h>
#include <grp.h>
#include <linux/capability.h>
#include <sys/syscall.h>
#include <unistd.h>

#define NOBODY 65534

void nobody_become(void)
{
	if (geteuid())
		return;
	if (setgroups(0, NULL) || setresgid(NOBODY, NOBODY, NOBODY))
		return;
	if (setresuid(NOBODY, NOBODY, NOBODY))
		return;
}

int nobody_drop_capabilities(void)
{
	struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
	const struct __user_cap_data_struct none[2] = {0};

	return syscall(SYS_capset, &head, none) ? -errno : 0;
}
