/*
 * trace_samples: the samples of a trace, "samples" with their "stackFrames". For trace_event.c.
 */
#ifndef IMPORT_TRACE_SAMPLES_H
#define IMPORT_TRACE_SAMPLES_H

#include "import/builder.h"
#include "import_json/json_tape.h"

/* Reads them from the outermost object of a trace; @thread_of gives the profile's thread of a
 * record with "pid" and "tid". Returns how many there were. */
size_t trace_samples_read(struct builder *, const struct json_tape *,
			  uint32_t (*thread_of)(void *data, uint32_t record), void *data);

#endif
