#include <errno.h>
#include <stdlib.h>
#include <bpf/libbpf.h>

#include "base/err.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/vec.h"
#include "load/cpus.h"

#define MAX_CPUS 65536

/* "0-3,8,10-11" */
int cpus_online(int **out)
{
	VEC(int) cpus = {0};
	_free_ char *text = NULL;
	size_t n;
	char *at;
	int ret = file_read("/sys/devices/system/cpu/online", 4096, &text, &n);

	if (ret)
		return ret;
	for (at = text; *at >= '0' && *at <= '9';) {
		long first = strtol(at, &at, 10), last = first;

		if (*at == '-')
			last = strtol(at + 1, &at, 10);
		for (long cpu = first; cpu <= last && cpu < MAX_CPUS; cpu++)
			vec_push(&cpus, (int)cpu);
		if (*at == ',')
			at++;
	}
	if (!cpus.n)
		return err(-EIO, "cannot tell which CPUs are online");
	*out = cpus.at;
	return (int)cpus.n;
}

int cpus_possible(void)
{
	return libbpf_num_possible_cpus();
}
