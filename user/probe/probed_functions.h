/*
 * probed_functions: the rows of a profile for functions that have probes. Those that samples have
 * named already are found by their module and their linker's name.
 */
#ifndef PROBE_PROBED_FUNCTIONS_H
#define PROBE_PROBED_FUNCTIONS_H

#include <stdint.h>

#include "base/hash.h"
#include "probe/engine.h"

struct probed_functions {
	const struct engine *engine;
	struct profile *p;
	struct map by_name; /* probed_functions_key() → row of functions */
};

/* Both are borrowed. */
void probed_functions_init(struct probed_functions *, const struct engine *, struct profile *);
void probed_functions_release(struct probed_functions *);

uint64_t probed_functions_key(uint32_t module, const char *name);
/* The row of the image's file in modules. */
uint32_t probed_functions_module(const struct probed_functions *, const struct probed_image *);
/* The row of functions of one in @module; 0: samples have not named it. */
uint32_t probed_functions_known(const struct probed_functions *, uint32_t module,
				const struct zone_def *);
/* The same, added if it is not there. */
uint32_t probed_functions_need(struct probed_functions *, uint32_t module, const struct zone_def *);

#endif
