/*
 * event_pmu: events of the processor's and other devices' counting units, by the names that the
 * kernel gives them in sysfs, as perf does.
 */
#ifndef PERF_EVENT_PMU_H
#define PERF_EVENT_PMU_H

#include <stdint.h>

/* "msr/tsc/", "cpu/event=0xc0,umask=1/": its perf_event_attr.type and config. -EINVAL or
 * -ENOENT, with a text, for what is not there. */
int event_parse_pmu(const char *name, uint32_t *type, uint64_t *config);

#endif
