#include "code/site_world.h"

#include <stdio.h>
#include <sys/utsname.h>

struct site_kernel site_kernel_of(const char *release)
{
	unsigned int major = 0, minor = 0;
	struct site_kernel k = {0};

	if (sscanf(release, "%u.%u", &major, &minor) == 2)
		k.long_nops = major > 6 || (major == 6 && minor >= 18);
	return k;
}

struct site_kernel site_kernel_running(void)
{
	struct utsname name;

	return uname(&name) ? (struct site_kernel){0} : site_kernel_of(name.release);
}
