/*
 * site_kernel: what the kernel's uprobes can do with the instructions that they are put on.
 */
#ifndef CODE_SITE_KERNEL_H
#define CODE_SITE_KERNEL_H

#include <stdbool.h>

struct site_kernel {
	/*
	 * A probe on a 5-byte nop becomes a call into memory that the kernel maps for it. Only
	 * where the target cannot call fork: up to 6.18.44 at least a forked child gets the call
	 * but not the memory, and dies of it. Where long_nops is set and this is not, such nops are
	 * never used.
	 */
	bool nop5;
	bool long_nops; /* nops of several bytes are emulated (6.18), and probes on 5-byte ones
			 * become calls whether we want it or not */
};
/* By the release, as of uname(2): "6.18.44-…". nop5 is never set. */
struct site_kernel site_kernel_of(const char *release);
/* Of the kernel that runs. */
struct site_kernel site_kernel_running(void);

#endif
