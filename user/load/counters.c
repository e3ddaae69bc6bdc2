#include "load/counters.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <linux/membarrier.h>
#include <sys/mman.h>
#include <sys/syscall.h>
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
	/* The programs go on meanwhile. They count a hit's outcome after TAKEN, so read TAKEN last:
	 * then there are never more outcomes than hits. */
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

/* Entries that one system call reads or writes: so many, or fewer if they are large. It fails with
 * ENOSPC if one hash bucket has more. */
#define MOST_ENTRIES  4096u
#define LEAST_ENTRIES 64u
#define MOST_BYTES    (1u << 20)

struct entries {
	const char *name;
	size_t key, value; /* bytes; for a map by CPU the value holds those of all CPUs */
	uint32_t per_call;
};

static int entries_of(int map_fd, struct bpf_map_info *info, struct entries *out)
{
	uint32_t n = sizeof(*info);
	size_t fit;

	if (bpf_obj_get_info_by_fd(map_fd, info, &n))
		return err(-errno, "cannot read about a map: %s", strerror(errno));
	*out = (struct entries){
		.name = info->name, .key = info->key_size, .value = info->value_size};
	if (info->type == BPF_MAP_TYPE_PERCPU_ARRAY || info->type == BPF_MAP_TYPE_PERCPU_HASH ||
	    info->type == BPF_MAP_TYPE_LRU_PERCPU_HASH)
		out->value = (out->value + 7) / 8 * 8 * (size_t)counters_cpus();
	fit = MOST_BYTES / (out->key + out->value);
	out->per_call = fit > MOST_ENTRIES    ? MOST_ENTRIES
			: fit < LEAST_ENTRIES ? LEAST_ENTRIES
					      : (uint32_t)fit;
	return 0;
}

/* Appends the entries that a call has returned. */
static void add_entries(struct map_entries *out, const struct entries *e, const char *keys,
			const char *values, uint32_t n)
{
	out->key_words = (e->key + 7) / 8;
	out->value_words = (e->value + 7) / 8;
	vec_reserve(&out->words, out->words.n + n * (out->key_words + out->value_words));
	for (uint32_t i = 0; i < n; i++, out->n++) {
		uint64_t *to = out->words.at + out->words.n;

		out->words.n += out->key_words + out->value_words;
		memset(to, 0, (out->key_words + out->value_words) * sizeof(*to));
		memcpy(to, keys + i * e->key, e->key);
		memcpy(to + out->key_words, values + i * e->value, e->value);
	}
}

int counters_entries(int map_fd, bool take, uint32_t most, struct map_entries *out)
{
	int (*const read)(int, void *, void *, void *, void *, uint32_t *,
			  const struct bpf_map_batch_opts *) =
		take ? bpf_map_lookup_and_delete_batch : bpf_map_lookup_batch;
	struct bpf_map_info info = {0};
	struct entries e;
	int ret = entries_of(map_fd, &info, &e);
	/* Where the next call continues: a key, or the number of a bucket. */
	_free_ char *next = mem_zalloc(1, info.key_size + sizeof(uint32_t));
	_free_ char *keys = NULL, *values = NULL;
	bool end = ret;

	if (!ret) {
		e.per_call = most < e.per_call ? most : e.per_call;
		keys = mem_zalloc(e.per_call, e.key);
		values = mem_zalloc(e.per_call, e.value);
	}
	for (uint32_t done = 0, n; !end && done < most; done += n) {
		n = most - done < e.per_call ? most - done : e.per_call;
		end = read(map_fd, done ? next : NULL, next, keys, values, &n, NULL);
		if (end && errno != ENOENT)
			return err(-errno, "cannot read the map %s: %s", e.name, strerror(errno));
		add_entries(out, &e, keys, values, n);
		end |= !n;
	}
	return ret;
}

int counters_set_entries(int map_fd, const void *keys, const void *values, uint32_t n)
{
	struct bpf_map_info info = {0};
	struct entries e;
	int ret = entries_of(map_fd, &info, &e);

	for (uint32_t done = 0, some; done < n && !ret; done += some) {
		some = n - done < e.per_call ? n - done : e.per_call;
		if (bpf_map_update_batch(map_fd, (const char *)keys + done * e.key,
					 (const char *)values + done * e.value, &some, NULL))
			ret = err(-errno, "cannot write the map %s: %s", e.name, strerror(errno));
	}
	return ret;
}

int counters_map(int map_fd, size_t n, size_t size, int protection, void **at, size_t *bytes)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	void *memory;

	*bytes = ((size + 7) / 8 * 8 * n + page - 1) / page * page;
	memory = mmap(NULL, *bytes, protection, MAP_SHARED, map_fd, 0);
	if (memory == MAP_FAILED)
		return -errno;
	*at = memory;
	return 0;
}

void counters_await_programs(void)
{
	/* They run under RCU: wait for a grace period, or, without the system call, a moment. */
	if (syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0))
		usleep(20000);
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
