/* The text of /proc/kallsyms: names of modules and BPF programs are others' to choose. */
#include "base/err.h"
#include "process/kallsyms.h"

#define FUZZ_RUN fuzz_kallsyms_run
#include "fuzz.h"

static void FUZZ_RUN(const uint8_t *bytes, size_t n)
{
	static const uint64_t addresses[] = {1, 0x1000, 0xffffffff81000010, 0xffffffffc0000040};
	struct kallsym out[sizeof(addresses) / sizeof(*addresses)] = {0};
	FILE *f = n ? fmemopen((void *)(uintptr_t)bytes, n, "r") : NULL;
	int rc;

	if (!f)
		return;
	rc = kallsyms_find(f, addresses, sizeof(addresses) / sizeof(*addresses), out);
	expect(!rc || (rc < 0 && err_text()[0]));
	kallsyms_release(out, sizeof(addresses) / sizeof(*addresses));
	rewind(f);
	(void)kallsyms_address(f, "asm_common_interrupt", 1000);
	fclose(f);
}
