// cflags: -O2 -fomit-frame-pointer
/* zone_count_rets: zone_count, that asks for a backtrace too: no return address of it may be
 * hijacked. */
#include <execinfo.h>

#include "zone_count.c"

__attribute__((constructor)) static void look(void)
{
	void *frame[4];

	if (backtrace(frame, 4) < 1)
		exit(97);
}
