/*
 * unwound: a sample whose user stack was unwound in user space, for the source that took it.
 */
#ifndef STACK_UNWOUND_H
#define STACK_UNWOUND_H

#include <stdbool.h>
#include <stdint.h>

#include "wire.h"

struct source_slice {
	const struct wire_slice *wire;
	uint32_t stack;
	bool dropped; /* since the kernel's table for it had been dropped */
};

#endif
