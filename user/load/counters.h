/*
 * counters: reads what the sampling programs count by event, from their per-CPU maps, while the
 * programs continue; and what all programs cost.
 */
#ifndef LOAD_COUNTERS_H
#define LOAD_COUNTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"
#include "wire.h"

struct bpf_object;

struct session_cost {
	uint64_t bpf_ns, bpf_runs; /* all programs; those on probes only if by_kernel */
	bool by_kernel;		   /* from the kernel's statistics, else from our own clock reads */
	uint64_t map_bytes;	   /* kernel memory of all maps */
};

/* The sampling state of each CPU, for a counted event or one with -c. */
typedef VEC(struct wire_step) session_step_list;

/* Numbers by possible CPU. */
typedef VEC(uint64_t) session_cpu_values;

/* The number of possible CPUs: the slots of a per-CPU map's value. */
int counters_cpus(void);
/* Sums over all CPUs, by enum wire_counter; never more outcomes than hits. Errors with a text, here
 * and below. */
int counters_read(int map_fd, size_t event, uint64_t out[WIRE_COUNTERS]);
/* Hits of the target by CPU, including those in the mode left out; room for counters_cpus(). */
int counters_hits_by_cpu(int map_fd, size_t event, uint64_t *out);
/* The sum over all CPUs of the 64 bits at @key of an array by CPU; -ENOENT: no such key. */
int counters_sum(int map_fd, uint32_t key, uint64_t *out);
/* Appends the values of each CPU. */
int counters_by_cpu(int map_fd, uint32_t key, session_cpu_values *out);
/* The sampling state of each CPU, from the map of steps. */
int counters_steps(int map_fd, size_t event, session_step_list *out);

/* Entries of a hash map or an array: each a key and a value (for a map by CPU: the values of all
 * CPUs), each rounded up to 8 bytes. */
struct map_entries {
	VEC(uint64_t) words;
	size_t n, key_words, value_words; /* entries; 64-bit words of a key and a value */
};
static inline const void *map_entry_key(const struct map_entries *e, size_t i)
{
	return e->words.at + i * (e->key_words + e->value_words);
}
static inline const void *map_entry_value(const struct map_entries *e, size_t i)
{
	return (const uint64_t *)map_entry_key(e, i) + e->key_words;
}
/* Appends all entries, of an array the first @most, to @out, many with each system call. @take, for
 * hash maps alone, removes them from the map. Entries that are added meanwhile may be missing.
 * Errors with a text; what was read by then is in @out. */
int counters_entries(int map_fd, bool take, uint32_t most, struct map_entries *out);
/* Sets @n entries, many with each system call; keys and values are arrays, unpadded. */
int counters_set_entries(int map_fd, const void *keys, const void *values, uint32_t n);

/* Maps an array of @n values of @size bytes, made to be mapped: stores where, and how many bytes
 * for munmap(). @protection as for mmap(). Each value begins at a multiple of 8. -errno, without a
 * text. */
int counters_map(int map_fd, size_t n, size_t size, int protection, void **at, size_t *bytes);

/* Returns when every program that was running at the call has ended: later ones obey what a map was
 * set to before. Takes some 16 ms. */
void counters_await_programs(void);

/* Adds the run time and runs of all programs by the kernel's statistics (BPF_ENABLE_STATS; zero
 * while off) to @out, except those for whose descriptor @skip, if given, returns true. */
void counters_cost(const struct bpf_object *, bool (*skip)(const void *context, int program_fd),
		   const void *context, struct session_cost *out);
/* Kernel memory of the maps, in bytes. */
uint64_t counters_map_bytes(const struct bpf_object *);

#endif
