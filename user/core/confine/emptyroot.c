#include "confine/emptyroot.h"

#include <unistd.h>

/* A folder that is always there, in which nobody can make anything: it lists this process's
 * descriptors, as files that tell of them and cannot be run. */
#define EMPTY "/proc/self/fdinfo"

void emptyroot_enter(void)
{
	if (!chroot(EMPTY))
		(void)!chdir("/");
}
