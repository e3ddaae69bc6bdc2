#include "elf/chosen.h"

#include <string.h>

#include "elf/insn.h"

void chosen_each(const struct code *code, void (*each)(void *context, uint64_t address),
		 void *context)
{
	struct insn insn;

	for (size_t at = 0; at < code->n; at += insn.bytes) {
		if (!insn_read(code->bytes + at, code->n - at, code->address + at, &insn))
			return;
		if (insn.takes)
			each(context, insn.takes);
	}
}

bool chosen_may_be_vdso(const char *name, size_t n)
{
	/* What glibc's ifunc-vdso and its kin choose for x86-64: sysdeps/unix/sysv/linux. */
	static const char *const names[] = {"time", "gettimeofday", "__gettimeofday",
					    "clock_gettime", "getcpu"};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		if (strlen(names[i]) == n && !memcmp(names[i], name, n))
			return true;
	}
	return false;
}
