#include "confine/limits.h"

#include <sys/resource.h>

/* Of address space beside data: what is mapped of files and libraries. It bounds what RLIMIT_DATA
 * does not count. */
#define MAPPED_BYTES (4ull << 30)

static void limit(__rlimit_resource_t what, rlim_t most)
{
	struct rlimit value;

	if (getrlimit(what, &value))
		return;
	value.rlim_max = value.rlim_max < most ? value.rlim_max : most;
	value.rlim_cur = value.rlim_cur < most ? value.rlim_cur : most;
	setrlimit(what, &value);
}

/* The signal that can be told from others' comes at the lower limit; at the upper one SIGKILL. */
static void limit_cpu(rlim_t seconds)
{
	struct rlimit value;

	limit(RLIMIT_CPU, seconds + 1);
	if (getrlimit(RLIMIT_CPU, &value) || value.rlim_cur < value.rlim_max || value.rlim_max < 2)
		return;
	value.rlim_cur = value.rlim_max - 1;
	setrlimit(RLIMIT_CPU, &value);
}

static void limit_memory(uint64_t bytes)
{
#ifndef __SANITIZE_ADDRESS__ /* whose shadow is larger than any limit */
	limit(RLIMIT_DATA, bytes);
	limit(RLIMIT_AS, bytes + MAPPED_BYTES);
#else
	(void)bytes;
#endif
}

void limits_set(const struct confine_terms *t)
{
	limit(RLIMIT_CORE, 0);
	limit(RLIMIT_MEMLOCK, 0);
	limit(RLIMIT_MSGQUEUE, 0);
	limit(RLIMIT_FSIZE, t->file_bytes);
	limit_memory(t->memory_bytes);
	if (t->cpu_s)
		limit_cpu(t->cpu_s);
	if (t->kind == CONFINE_READER)
		limit(RLIMIT_NPROC, 0);
	if (t->kind == CONFINE_TOOL)
		limit(RLIMIT_NOFILE, (rlim_t)t->program);
}
