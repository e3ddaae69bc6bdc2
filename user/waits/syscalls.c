#include "waits/syscalls.h"

#include <stddef.h>

static const char *const names_64[] = {
#include "syscalls_64.h"
};

static const char *const names_32[] = {
#include "syscalls_32.h"
};

const char *syscall_name(uint32_t number, bool compat)
{
	const char *const *names = compat ? names_32 : names_64;
	const size_t n = compat ? sizeof(names_32) / sizeof(*names_32)
				: sizeof(names_64) / sizeof(*names_64);

	return number < n ? names[number] : NULL;
}
