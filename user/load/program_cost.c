#include "load/program_cost.h"

#include <stdlib.h>
#include <string.h>
#include <bpf/libbpf.h>

#include "base/file.h"
#include "base/mem.h"
#include "load/probes.h"

void program_cost_add(const struct bpf_object *o, bool (*skip)(const void *context, int program_fd),
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
static uint64_t map_bytes(int fd)
{
	_free_ char *path = mem_printf("/proc/self/fdinfo/%d", fd);
	_free_ char *text = NULL;
	const char *at;
	size_t n;

	if (file_read(path, 4096, &text, &n) || !(at = strstr(text, "memlock:")))
		return 0;
	return strtoull(at + 8, NULL, 10);
}

uint64_t program_cost_maps(const struct bpf_object *o)
{
	uint64_t bytes = 0;
	struct bpf_map *map;

	bpf_object__for_each_map(map, o) bytes += map_bytes(bpf_map__fd(map));
	return bytes;
}
