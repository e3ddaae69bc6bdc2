#include "model/memory_use.h"

#include <errno.h>
#include <inttypes.h>

#include "base/err.h"
#include "model/profile.h"

static const struct column memory_changes_columns[] = {
	TABLE_COLUMN(memory_change, kind, U8, .key = 1, .below = MEMORY_KINDS),
	TABLE_COLUMN(memory_change, why, TEXT, .key = 2),
	TABLE_COLUMN(memory_change, anonymous, I64, .adds = ADDS_SUM),
	TABLE_COLUMN(memory_change, file, I64, .adds = ADDS_SUM),
	TABLE_COLUMN(memory_change, shared, I64, .adds = ADDS_SUM),
	TABLE_COLUMN(memory_change, swap, I64, .adds = ADDS_SUM),
};

/* Times and levels are numbers that add up to nothing. */
#define BOUND ((uint64_t)INT64_MAX / 4)

static const struct column memory_levels_columns[] = {
	TABLE_COLUMN(memory_level, time_ns, U64, .coding = CODING_DELTA, .time = true),
	TABLE_COLUMN(memory_level, pid, U32, .later = true),
	TABLE_COLUMN(memory_level, anonymous, I64, .below = BOUND),
	TABLE_COLUMN(memory_level, file, I64, .below = BOUND),
	TABLE_COLUMN(memory_level, shared, I64, .below = BOUND),
	TABLE_COLUMN(memory_level, swap, I64, .below = BOUND),
	TABLE_COLUMN(memory_level, group_bytes, I64, .below = BOUND),
	TABLE_COLUMN(memory_level, group_limit, I64, .below = BOUND),
	TABLE_COLUMN(memory_level, oom_kills, I64, .below = BOUND),
	TABLE_COLUMN(memory_level, killed, U8, .below = 2, .later = true),
};

const struct table memory_levels_table = {
	.name = "memory_levels",
	TABLE_OF(memory_level, memory_levels_columns),
	.later = true,
	.words = "levels of memory",
	.rows = ROWS_EVENTS,
};

/* Each window says it again. */
static const struct column memory_before_columns[] = {
	TABLE_COLUMN(memory_before, pid, U32, .key = 1),
	TABLE_COLUMN(memory_before, kind, U8, .key = 2, .below = BEFORE_KINDS),
	TABLE_COLUMN(memory_before, name, TEXT, .adds = ADDS_KEEP),
	TABLE_COLUMN(memory_before, bytes, I64, .adds = ADDS_MAX, .below = BOUND),
	TABLE_COLUMN(memory_before, swap, I64, .adds = ADDS_MAX, .below = BOUND),
	TABLE_COLUMN(memory_before, count, I64, .adds = ADDS_MAX, .below = BOUND),
	TABLE_COLUMN(memory_before, least, U8, .adds = ADDS_MAX, .below = 2),
};

const struct table memory_before_table = {
	.name = "memory_before",
	TABLE_OF(memory_before, memory_before_columns),
	.later = true,
	.words = "memory before the capture",
};

/* A profile of more rows is no eprof's; their sums fit if each is below a part of all. */
#define MOST_ROWS 1024
#define MOST	  (INT64_MAX / MOST_ROWS / 4)

static int check_sums(const struct profile *p)
{
	if (p->memory_changes.n > MOST_ROWS)
		return err(-EINVAL, "memory_changes: %zu rows", p->memory_changes.n);
	vec_each (c, &p->memory_changes) {
		const int64_t values[] = {c->anonymous, c->file, c->shared, c->swap};

		for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++)
			if (values[i] > MOST || values[i] < -MOST)
				return err(-EINVAL, "memory_changes: %" PRId64 " bytes", values[i]);
	}
	return 0;
}

const struct table memory_changes_table = {
	.name = "memory_changes",
	TABLE_OF(memory_change, memory_changes_columns),
	.part = PART_GROWTH,
	.words = "changes of memory",
	.check = check_sums,
	.cumulative = true,
};

static const struct column heap_bins_columns[] = {
	TABLE_COLUMN(heap_bin, histogram, U8, .key = 1, .below = HEAP_HISTOGRAMS),
	TABLE_COLUMN(heap_bin, bin, U8, .key = 2, .below = HEAP_BINS),
	TABLE_COLUMN(heap_bin, blocks, I64, .adds = ADDS_SUM),
	TABLE_COLUMN(heap_bin, bytes, I64, .adds = ADDS_SUM),
};

static int check_bins(const struct profile *p)
{
	if (p->heap_bins.n > HEAP_HISTOGRAMS * HEAP_BINS)
		return err(-EINVAL, "heap_bins: %zu rows", p->heap_bins.n);
	vec_each (b, &p->heap_bins)
		if (b->blocks > MOST || b->blocks < 0 || b->bytes > MOST || b->bytes < 0)
			return err(-EINVAL, "heap_bins: %" PRId64 " blocks, %" PRId64 " bytes",
				   b->blocks, b->bytes);
	return 0;
}

const struct table heap_bins_table = {
	.name = "heap_bins",
	TABLE_OF(heap_bin, heap_bins_columns),
	.part = PART_HEAP,
	.words = "histograms of allocations",
	.check = check_bins,
	.cumulative = true,
};
