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

/* Entries a system call. A call fails with ENOSPC where one bucket of the hashes has more. */
#define ENTRIES 4096u

/* Appends those that a call has returned. */
static void add_entries(struct map_entries *out, const struct bpf_map *map, const char *keys,
			const char *values, uint32_t n)
{
	const size_t key = bpf_map__key_size(map), value = bpf_map__value_size(map);

	out->key_words = (key + 7) / 8;
	out->value_words = (value + 7) / 8;
	vec_reserve(&out->words, out->words.n + n * (out->key_words + out->value_words));
	for (uint32_t i = 0; i < n; i++, out->n++) {
		uint64_t *to = out->words.at + out->words.n;

		out->words.n += out->key_words + out->value_words;
		memset(to, 0, (out->key_words + out->value_words) * sizeof(*to));
		memcpy(to, keys + i * key, key);
		memcpy(to + out->key_words, values + i * value, value);
	}
}

int counters_entries(const struct bpf_map *map, bool take, struct map_entries *out)
{
	const int fd = bpf_map__fd(map);
	const size_t key = bpf_map__key_size(map), value = bpf_map__value_size(map);
	/* Where the next call goes on: a key, or the number of a bucket. */
	const size_t cursor = key > sizeof(uint32_t) ? key : sizeof(uint32_t);
	_free_ char *from = mem_zalloc(1, cursor), *to = mem_zalloc(1, cursor);
	_free_ char *keys = mem_zalloc(ENTRIES, key), *values = mem_zalloc(ENTRIES, value);
	bool first = true;
	int ret;

	do {
		uint32_t n = ENTRIES;

		ret = (take ? bpf_map_lookup_and_delete_batch : bpf_map_lookup_batch)(
			fd, first ? NULL : from, to, keys, values, &n, NULL);
		if (ret && errno != ENOENT)
			return err(-errno, "cannot read the map %s: %s", bpf_map__name(map),
				   strerror(errno));
		add_entries(out, map, keys, values, n);
		memcpy(from, to, cursor);
		first = false;
	} while (!ret);
	return 0;
}

int counters_set_entries(const struct bpf_map *map, const void *keys, const void *values,
			 uint32_t n)
{
	for (uint32_t done = 0, some; done < n; done += some) {
		some = n - done < ENTRIES ? n - done : ENTRIES;
		if (bpf_map_update_batch(
			    bpf_map__fd(map), (const char *)keys + done * bpf_map__key_size(map),
			    (const char *)values + done * bpf_map__value_size(map), &some, NULL))
			return err(-errno, "cannot write the map %s: %s", bpf_map__name(map),
				   strerror(errno));
	}
	return 0;
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
