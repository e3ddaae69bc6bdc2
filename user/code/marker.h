/*
 * marker: a static marker (USDT) in code: an instruction that does nothing, of which a note of the
 * file says where it stands, what is at hand there and where, and which counter in the process's
 * memory must not be 0 for the code to get there. The kernel counts that up while a probe is there.
 */
#ifndef CODE_MARKER_H
#define CODE_MARKER_H

#include <stdbool.h>
#include <stdint.h>

/* Names of markers are "PROVIDER.NAME@usdt". */
#define MARKER_ENDING "@usdt"

/* The most values of a marker that are looked at. */
#define MARKER_VALUES 5

/* Where a value is: in a register or in memory at its value + offset. */
struct marker_value {
	bool known;
	bool in_memory;
	uint8_t reg; /* as instructions number them: 0 is rax, 7 rdi, 15 r15 */
	int32_t offset;
};
#define MARKER_REGISTERS 16

struct marker {
	bool is;	    /* a marker, and not a function */
	uint64_t semaphore; /* the counter's offset in the file; 0: there is none */
	struct marker_value values[MARKER_VALUES];
};

#endif
