#include "perf/kprobe.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"
#include "perf/event.h"
#include "perf/event_pmu.h"

static const char *const endings[] = {"", ".isra.0", ".constprop.0", ".isra.0.constprop.0"};

static bool is_probed(const char *function)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr), .kprobe_func = (uintptr_t)function, .disabled = 1};
	_close_ int fd = -1;

	if (!event_pmu_type("kprobe", &attr.type))
		return false;
	fd = event_syscall(&attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);
	return fd >= 0;
}

char *kprobe_name(const char *function)
{
	for (size_t i = 0; i < sizeof(endings) / sizeof(*endings); i++) {
		char *name = mem_printf("%s%s", function, endings[i]);

		if (is_probed(name))
			return name;
		free(name);
	}
	return NULL;
}
