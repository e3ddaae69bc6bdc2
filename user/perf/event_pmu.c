#include "perf/event_pmu.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/file.h"
#include "base/mem.h"

#define MAX_BYTES 4096

/* The text of a file in the folder of @pmu, without its newline; NULL: no such file. */
static char *read_text(const char *pmu, const char *folder, const char *name)
{
	_free_ char *path = mem_printf("/sys/bus/event_source/devices/%s/%s%s", pmu, folder, name);
	char *text = NULL;
	size_t n;

	if (strstr(name, "..") || strchr(name, '/') || strchr(pmu, '/') || pmu[0] == '.' ||
	    file_read(path, MAX_BYTES, &text, &n))
		return NULL;
	text[strcspn(text, "\n")] = '\0';
	return text;
}

/* Puts @value into the bits given by @format ("config:0-7,32-35"), lowest first. */
static bool put_bits(const char *format, uint64_t value, uint64_t *config)
{
	const char *at = format + strlen("config:");

	if (strncmp(format, "config:", strlen("config:")) != 0)
		return false;
	while (*at) {
		char *end;
		unsigned long low = strtoul(at, &end, 10), high = low;

		if (*end == '-')
			high = strtoul(end + 1, &end, 10);
		if (end == at || low > high || high > 63)
			return false;
		for (unsigned long bit = low; bit <= high; bit++, value >>= 1)
			*config |= (value & 1) << bit;
		if (*end != ',')
			return *end == '\0' && !value;
		at = end + 1;
	}
	return false;
}

static int unknown(const char *name)
{
	return err(-EINVAL, "unknown event '%s': this machine's PMUs do not have it", name);
}

/* Applies terms ("event=0xc0,umask=1"), each by the PMU's own format. */
static int put_terms(const char *name, const char *pmu, const char *terms, uint64_t *config)
{
	_free_ char *copy = mem_strdup(terms);
	char *save = NULL;

	for (char *term = strtok_r(copy, ",", &save); term; term = strtok_r(NULL, ",", &save)) {
		char *equals = strchr(term, '='), *end = NULL;
		_free_ char *format = NULL;
		uint64_t value = 1;

		if (equals) {
			*equals = '\0';
			value = strtoull(equals + 1, &end, 0);
		}
		format = read_text(pmu, "format/", term);
		if (!format || (end && *end) || !put_bits(format, value, config))
			return unknown(name);
	}
	return 0;
}

bool event_pmu_type(const char *pmu, uint32_t *type)
{
	_free_ char *number = read_text(pmu, "", "type");

	if (number)
		*type = (uint32_t)strtoul(number, NULL, 10);
	return number;
}

int event_parse_pmu(const char *name, uint32_t *type, uint64_t *config)
{
	_free_ char *pmu = mem_strdup(name), *event = NULL;
	char *slash = strchr(pmu, '/'), *end = slash ? strrchr(slash + 1, '/') : NULL;

	if (!end || end[1] || end == slash + 1)
		return err(-EINVAL, "unknown event '%s': expected PMU/EVENT/", name);
	*slash = *end = '\0';
	if (!event_pmu_type(pmu, type))
		return err(-ENOENT, "unknown event '%s': this machine has no PMU '%s'", name, pmu);
	event = read_text(pmu, "events/", slash + 1);
	return put_terms(name, pmu, event ? event : slash + 1, config);
}
