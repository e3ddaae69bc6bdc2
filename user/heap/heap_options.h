/*
 * heap_options: what `--heap` asks for. For the action alloc.
 */
#ifndef HEAP_HEAP_OPTIONS_H
#define HEAP_HEAP_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

/* As tcmalloc, jemalloc and Go sample: 2 % of error in a GiB of small blocks. */
#define HEAP_DEFAULT_PERIOD (512u << 10)

struct heap_options {
	uint64_t period; /* mean distance of samples in bytes; 0: every allocation is one */
	bool by_price;	 /* as many as --max-slowdown allows; period: of samples, if not all */
};

/* Those of --heap=@argument (NULL: by price), in @before if that is not NULL: "exact",
 * "sampled[:BYTES]", BYTES with K or M. NULL with a text: unknown. */
struct heap_options *heap_options_parse(const char *argument, struct heap_options *before);
/* Adds what is captured with them, in words. */
void heap_options_text(const struct heap_options *, struct str *);

#endif
