#include "query/startup.h"

#include <string.h>

const struct startup_name startup_names[] = {
	{"_start", STARTUP_THREAD},
	{"__libc_start_main", STARTUP_THREAD},
	{"__libc_start_main_impl", STARTUP_THREAD},
	{"__libc_start_main@@GLIBC_2.34", STARTUP_THREAD},
	{"__libc_start_call_main", STARTUP_THREAD},
	{"clone", STARTUP_THREAD},
	{"__clone", STARTUP_THREAD},
	{"clone3", STARTUP_THREAD},
	{"__clone3", STARTUP_THREAD},
	{"__GI___clone", STARTUP_THREAD},
	{"__GI___clone3", STARTUP_THREAD},
	{"start_thread", STARTUP_THREAD},
	{"thread_start", STARTUP_THREAD},
	{"ret_from_fork", STARTUP_THREAD},
	{"ret_from_fork_asm", STARTUP_THREAD},
	{"entry_SYSCALL_64_after_hwframe", STARTUP_CALL},
	{"entry_SYSCALL_64", STARTUP_CALL},
	{"do_syscall_64", STARTUP_CALL},
	{"x64_sys_call", STARTUP_CALL},
	{"__x64_sys_*", STARTUP_CALL},
	{"el0t_64_sync", STARTUP_CALL},
	{"el0t_64_sync_handler", STARTUP_CALL},
	{"el0_svc", STARTUP_CALL},
	{"el0_svc_common.constprop.0", STARTUP_CALL},
	{"do_el0_svc", STARTUP_CALL},
	{"invoke_syscall", STARTUP_CALL},
	{"invoke_syscall.constprop.0", STARTUP_CALL},
	{"__arm64_sys_*", STARTUP_CALL},
};
const size_t startup_names_n = sizeof(startup_names) / sizeof(*startup_names);

static bool matches(const char *pattern, const char *name)
{
	const size_t n = strcspn(pattern, "*");

	return pattern[n] ? !strncmp(pattern, name, n) : !strcmp(pattern, name);
}

enum startup startup_of(const struct profile *p, uint32_t function)
{
	const char *name = profile_text(p, p->functions.at[function].name);

	for (size_t i = 0; function && i < startup_names_n; i++)
		if (matches(startup_names[i].name, name))
			return startup_names[i].what;
	return STARTUP_NOT;
}
