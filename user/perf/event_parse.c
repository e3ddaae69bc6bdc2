/*
 * event_parse: the names of perf events: perf's own words, PMUs of sysfs, tracepoints. Declared in
 * event.h.
 */
#include "perf/event.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/err.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"
#include "perf/rights.h"
#include "perf/tracepoints.h"
#include "select/nearest.h"

#define MAX_BYTES 4096
/* Of a tracepoint's format. */
#define FORMAT_BYTES 65536

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

/* Parses "msr/tsc/" or "cpu/event=0xc0,umask=1/" to perf_event_attr.type and config. -EINVAL or
 * -ENOENT, with a text, if there is no such event. */
static int event_parse_pmu(const char *name, uint32_t *type, uint64_t *config)
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

/* perf's names, from perf-list(1). */
static const struct named_event {
	const char *name, *alias;
	uint32_t type;
	uint64_t config;
} named_events[] = {
	{"cycles", "cpu-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES},
	{"instructions", NULL, PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS},
	{"cache-references", NULL, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES},
	{"cache-misses", NULL, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES},
	{"branches", "branch-instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS},
	{"branch-misses", NULL, PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES},
	{"bus-cycles", NULL, PERF_TYPE_HARDWARE, PERF_COUNT_HW_BUS_CYCLES},
	{"stalled-cycles-frontend", "idle-cycles-frontend", PERF_TYPE_HARDWARE,
	 PERF_COUNT_HW_STALLED_CYCLES_FRONTEND},
	{"stalled-cycles-backend", "idle-cycles-backend", PERF_TYPE_HARDWARE,
	 PERF_COUNT_HW_STALLED_CYCLES_BACKEND},
	{"ref-cycles", NULL, PERF_TYPE_HARDWARE, PERF_COUNT_HW_REF_CPU_CYCLES},
	{"cpu-clock", NULL, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK},
	{"task-clock", NULL, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK},
	{"page-faults", "faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS},
	{"minor-faults", NULL, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MIN},
	{"major-faults", NULL, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MAJ},
	{"context-switches", "cs", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES},
	{"cpu-migrations", "migrations", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS},
	{"alignment-faults", NULL, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_ALIGNMENT_FAULTS},
	{"emulation-faults", NULL, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_EMULATION_FAULTS},
	{"cgroup-switches", NULL, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CGROUP_SWITCHES},
};

static const char *const cache_names[] = {"L1-dcache", "L1-icache", "LLC", "dTLB",
					  "iTLB",      "branch",    "node"};
static const char *const cache_ops[] = {"load", "store", "prefetch"};

/* "L1-dcache-load-misses", "LLC-loads": PERF_TYPE_HW_CACHE, cache | op << 8 | result << 16. */
static bool parse_cache(const char *name, struct event *out)
{
	for (size_t c = 0; c < sizeof(cache_names) / sizeof(*cache_names); c++) {
		for (size_t op = 0; op < 3; op++) {
			_free_ char *miss =
				mem_printf("%s-%s-misses", cache_names[c], cache_ops[op]);
			_free_ char *all = mem_printf("%s-%s%s", cache_names[c], cache_ops[op],
						      op == 2 ? "es" : "s");
			bool is_miss = !strcmp(name, miss);

			if (!is_miss && strcmp(name, all) != 0)
				continue;
			out->type = PERF_TYPE_HW_CACHE;
			out->config = c | op << 8 | (uint64_t)is_miss << 16;
			return true;
		}
	}
	return false;
}

static bool parse_named(const char *name, struct event *out)
{
	for (size_t i = 0; i < sizeof(named_events) / sizeof(*named_events); i++) {
		const struct named_event *e = &named_events[i];

		if (strcmp(name, e->name) != 0 && (!e->alias || strcmp(name, e->alias) != 0))
			continue;
		out->type = e->type;
		out->config = e->config;
		out->clock =
			e->type == PERF_TYPE_SOFTWARE && (e->config == PERF_COUNT_SW_CPU_CLOCK ||
							  e->config == PERF_COUNT_SW_TASK_CLOCK);
		out->counted = e->type == PERF_TYPE_SOFTWARE && !out->clock;
		return true;
	}
	return false;
}

static bool parse_raw(const char *name, struct event *out)
{
	char *end;

	if (name[0] != 'r' || !name[1] || strspn(name + 1, "0123456789abcdefABCDEF") > 16)
		return false;
	out->config = strtoull(name + 1, &end, 16);
	out->type = PERF_TYPE_RAW;
	return *end == '\0';
}

/* Adds the names in the folder, each behind @before. */
static void try_names(int root, const char *folder, const char *before, const char *wanted,
		      struct nearest *nearest)
{
	int fd = openat(root, folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);

	for (struct dirent *e; dir && (e = readdir(dir));) {
		_free_ char *name = mem_printf("%s%s", before, e->d_name);

		if (e->d_type == DT_DIR && e->d_name[0] != '.')
			nearest_try(nearest, wanted, name);
	}
	if (dir)
		closedir(dir);
	else if (fd >= 0)
		close(fd);
}

/* Near names are of the same subsystem, or where there is no such, subsystems. */
static int no_tracepoint(int root, const char *name)
{
	const int n = (int)strcspn(name, ":");
	_free_ char *before = mem_printf("%.*s:", n, name), *system = mem_printf("%.*s", n, name);
	_free_ char *folder = mem_printf("events/%s", system), *hint = NULL;
	struct nearest nearest = {0};

	try_names(root, folder, before, name, &nearest);
	if (!nearest.n && faccessat(root, folder, F_OK, 0))
		try_names(root, "events", "", system, &nearest);
	hint = nearest_hint(&nearest);
	return err(-ENOENT, "unknown tracepoint '%s'%s: this kernel does not have it", name, hint);
}

/* The text of a tracepoint's file; NULL with errno set. Freed by the caller. */
static char *tracepoint_text(int root, const char *name, const char *file)
{
	const char *colon = strchr(name, ':');
	_free_ char *path =
		mem_printf("events/%.*s/%s/%s", (int)(colon - name), name, colon + 1, file);
	_close_ int fd = openat(root, path, O_RDONLY | O_CLOEXEC);
	char *text = fd < 0 ? NULL : mem_zalloc(1, FORMAT_BYTES + 1);

	if (text)
		(void)file_get_at(fd, text, FORMAT_BYTES, 0);
	return text;
}

/* @fields: what follows the name; NULL: nothing does. */
static int parse_tracepoint(const char *name, const char *fields, struct event *out)
{
	_close_ int root = tracefs_open();
	_free_ char *id = NULL, *format = NULL;

	if (strstr(name, "..") || strchr(name, '/'))
		return err(-EINVAL, "unknown event '%s'", name);
	if (root < 0)
		return err(-EACCES,
			   "cannot read tracepoint '%s': no access to tracefs; run as root", name);
	id = tracepoint_text(root, name, "id");
	if (!id && errno == EACCES)
		return err(-EACCES, "no permission to use tracepoint '%s': " RIGHTS_HOW, name);
	if (!id || !*id)
		return no_tracepoint(root, name);
	out->type = PERF_TYPE_TRACEPOINT;
	out->class = EVENT_TRACEPOINT;
	out->config = strtoull(id, NULL, 10);
	if (!fields)
		return 0;
	format = tracepoint_text(root, name, "format");
	return tracepoint_fields_find(name, format ? format : "", fields, &out->fields);
}

/* "sched:sched_switch/prev_state/" */
static int parse_labelled(char *base, struct event *out)
{
	char *fields = strchr(base, '/'), *end = strchr(fields + 1, '/');

	if (!end || end[1])
		return err(-EINVAL, "event '%s': expected SUBSYSTEM:NAME/FIELD,…/", out->name);
	*fields++ = *end = '\0';
	return parse_tracepoint(base, fields, out);
}

/* Whether fields follow the name of a tracepoint. */
static bool is_labelled(const char *base)
{
	const char *slash = strchr(base, '/'), *colon = strchr(base, ':');

	return slash && colon && colon < slash;
}

/* Cuts the modifiers off @base; false: there are none, whatever else is behind a colon. */
static bool parse_modifiers(char *base, struct event *out)
{
	char *colon = strrchr(base, ':');
	bool user, kernel;

	if (!colon || colon[1] == '\0' || strspn(colon + 1, "uk") != strlen(colon + 1))
		return false;
	user = strchr(colon, 'u');
	kernel = strchr(colon, 'k');
	out->exclude_kernel = user && !kernel;
	out->exclude_user = kernel && !user;
	*colon = '\0';
	return true;
}

static bool parse_sampled(const char *base, struct event *out)
{
	return parse_named(base, out) || parse_cache(base, out) || parse_raw(base, out);
}

/* For "cpu-clock:x", "msr/tsc/:x": the part before the colon shows that it is not a tracepoint. */
static bool has_wrong_modifier(const char *name)
{
	const char *colon = strrchr(name, ':');
	_free_ char *base = colon ? mem_strndup(name, (size_t)(colon - name)) : NULL;
	struct event ignored;

	return base && (parse_sampled(base, &ignored) || str_ends(base, "/"));
}

static char *near_events(const char *name)
{
	struct nearest nearest = {0};

	for (size_t i = 0; i < sizeof(named_events) / sizeof(*named_events); i++)
		nearest_try(&nearest, name, named_events[i].name);
	return nearest_hint(&nearest);
}

int event_parse(const char *name, struct event *out)
{
	char base[sizeof(out->name)];
	_free_ char *hint = NULL;
	bool modified;

	*out = (struct event){.class = EVENT_SAMPLED};
	if (!*name || strlen(name) >= sizeof(base))
		return err(-EINVAL, "unknown event '%.40s'", name);
	strcpy(base, name);
	strcpy(out->name, name);
	modified = parse_modifiers(base, out);
	if (parse_sampled(base, out))
		return 0;
	if (has_wrong_modifier(base))
		return err(-EINVAL, "event '%s': '%s' is not a modifier: use :u, :k or :uk", name,
			   strrchr(base, ':'));
	if (is_labelled(base))
		return parse_labelled(base, out);
	if (strchr(base, '/'))
		return event_parse_pmu(base, &out->type, &out->config);
	/* A tracepoint's program runs at every hit, whatever its event excludes. */
	if (strchr(base, ':'))
		return modified
			       ? err(-EINVAL, "event '%s': :u and :k are not for tracepoints", name)
			       : parse_tracepoint(base, NULL, out);
	hint = near_events(base);
	return err(-EINVAL,
		   "unknown event '%s'%s; use perf's names: cycles, cpu-clock, page-faults, "
		   "sched:sched_switch, …",
		   name, hint);
}

char *event_next(char **list)
{
	char *name = *list + strspn(*list, ","), *at;
	bool inside = false;

	for (at = name; *at && (inside || *at != ','); at++)
		inside ^= *at == '/';
	*list = *at ? at + 1 : at;
	*at = '\0';
	return *name ? name : NULL;
}
