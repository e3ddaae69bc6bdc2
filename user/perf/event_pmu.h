/*
 * event_pmu: events of hardware counting units (the processor's and other devices'), by their names
 * in sysfs, as perf does.
 */
#ifndef PERF_EVENT_PMU_H
#define PERF_EVENT_PMU_H

#include <stdbool.h>
#include <stdint.h>

/* The type of the unit's events, for perf_event_attr; false: this machine has no such unit. */
bool event_pmu_type(const char *pmu, uint32_t *type);
/* Parses "msr/tsc/" or "cpu/event=0xc0,umask=1/" to perf_event_attr.type and config. -EINVAL or
 * -ENOENT, with a text, if there is no such event. */
int event_parse_pmu(const char *name, uint32_t *type, uint64_t *config);

#endif
