/*
 * heap_options: what `--heap` asks for. For the action alloc.
 */
#ifndef SOURCE_HEAP_OPTIONS_H
#define SOURCE_HEAP_OPTIONS_H

#include <stdint.h>

#include "base/str.h"

struct heap_options {
	uint64_t period; /* mean distance of samples in bytes; 0: every allocation is one */
};

/* Those of --heap=@argument (NULL: none), in @before if that is not NULL: "exact",
 * "sampled[:BYTES]", BYTES with K or M. NULL with a text: unknown. */
struct heap_options *heap_options_parse(const char *argument, struct heap_options *before);
/* Adds what is captured with them, in words. */
void heap_options_text(const struct heap_options *, struct str *);

#endif
