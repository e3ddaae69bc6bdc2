#include "query/pprof_word.h"

#include <stddef.h>
#include <string.h>

#include "model/profile.h"

/* As Go's runtime/pprof writes profiles of the heap. */
static const struct pprof_word types[] = {
	{HEAP_METRIC_LIVE, "inuse_space", "bytes"},
	{HEAP_METRIC_LIVE_BLOCKS, "inuse_objects", "count"},
	{HEAP_METRIC_TOTAL, "alloc_space", "bytes"},
	{HEAP_METRIC_ALLOCATIONS, "alloc_objects", "count"},
};
#define TYPES (sizeof(types) / sizeof(*types))

const struct pprof_word *pprof_word_of(const char *metric)
{
	for (size_t i = 0; i < TYPES; i++)
		if (!strcmp(types[i].metric, metric))
			return &types[i];
	return NULL;
}

const struct pprof_word *pprof_word_named(const char *type)
{
	for (size_t i = 0; i < TYPES; i++)
		if (!strcmp(types[i].type, type))
			return &types[i];
	return NULL;
}
