#include "load/counters.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "base/err.h"
#include "base/file.h"
#include "base/mem.h"
#include "load/probes.h"

static int read_slots(int map_fd, uint32_t key, void *out)
{
	if (bpf_map_lookup_elem(map_fd, &key, out))
		return err(-errno, "cannot read the counters: %s", strerror(errno));
	return 0;
}

static int counter_by_cpu(int map_fd, size_t event, uint32_t counter, uint64_t *out)
{
	return read_slots(map_fd, (uint32_t)event * WIRE_COUNTERS + counter, out);
}

int counters_cpus(void)
{
	return libbpf_num_possible_cpus();
}

int counters_hits_by_cpu(int map_fd, size_t event, uint64_t *out)
{
	int cpus = counters_cpus();
	_free_ uint64_t *left_out = mem_zalloc((size_t)cpus, sizeof(*left_out));
	int ret = counter_by_cpu(map_fd, event, WIRE_TAKEN, out);

	if (!ret)
		ret = counter_by_cpu(map_fd, event, WIRE_OTHER_MODE, left_out);
	for (int i = 0; i < cpus && !ret; i++)
		out[i] += left_out[i];
	return ret;
}

int counters_by_cpu(int map_fd, uint32_t key, session_cpu_values *out)
{
	const size_t cpus = (size_t)counters_cpus();
	int ret;

	vec_reserve(out, out->n + cpus);
	ret = read_slots(map_fd, key, out->at + out->n);
	if (!ret)
		out->n += cpus;
	return ret;
}

int counters_sum(int map_fd, uint32_t key, uint64_t *out)
{
	session_cpu_values values = {0};
	int ret = counters_by_cpu(map_fd, key, &values);

	*out = 0;
	for (size_t i = 0; i < values.n; i++)
		*out += values.at[i];
	vec_release(&values);
	return ret;
}

int counters_read(int map_fd, size_t event, uint64_t out[WIRE_COUNTERS])
{
	/* The programs continue meanwhile. They count a hit's outcome after TAKEN; reading the
	 * outcomes before TAKEN therefore never yields more outcomes than hits. */
	_Static_assert(WIRE_TAKEN == 0, "TAKEN is read last");
	for (uint32_t c = WIRE_COUNTERS; c-- > 0;) {
		int ret = counters_sum(map_fd, (uint32_t)event * WIRE_COUNTERS + c, &out[c]);

		if (ret)
			return ret;
	}
	return 0;
}

int counters_steps(int map_fd, size_t event, session_step_list *out)
{
	size_t cpus = (size_t)counters_cpus();
	_free_ struct wire_step *steps = mem_zalloc(cpus, sizeof(*steps));
	int ret = read_slots(map_fd, (uint32_t)event, steps);

	for (size_t i = 0; i < cpus && !ret; i++)
		vec_push(out, steps[i]);
	return ret;
}

void counters_cost(const struct bpf_object *o, bool (*skip)(const void *context, int program_fd),
		   const void *context, struct session_cost *out)
{
	struct bpf_program *program;

	bpf_object__for_each_program(program, o)
	{
		int fd = bpf_program__fd(program);
		struct program_run run;

		if (skip && skip(context, fd))
			continue;
		run = program_run(fd);
		out->bpf_ns += run.ns;
		out->bpf_runs += run.runs;
	}
}

/* "memlock:" of a map's fdinfo. */
static uint64_t bytes_of(int fd)
{
	_free_ char *path = mem_printf("/proc/self/fdinfo/%d", fd);
	_free_ char *text = NULL;
	const char *at;
	size_t n;

	if (file_read(path, 4096, &text, &n) || !(at = strstr(text, "memlock:")))
		return 0;
	return strtoull(at + 8, NULL, 10);
}

uint64_t counters_map_bytes(const struct bpf_object *o)
{
	uint64_t bytes = 0;
	struct bpf_map *map;

	bpf_object__for_each_map(map, o) bytes += bytes_of(bpf_map__fd(map));
	return bytes;
}
