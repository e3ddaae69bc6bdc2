/*
 * markers: the static markers (USDT) that a file's notes list: .note.stapsdt, as
 * sourceware.org/systemtap/wiki/UserSpaceProbeImplementation describes it. Uses libelf, which may
 * crash on a hostile file: only in confined worker processes.
 */
#ifndef DEBUGINFO_MARKERS_H
#define DEBUGINFO_MARKERS_H

#include <libelf.h>

#include "code/marker.h"

/* Calls @each with every marker: its name ("python.function__return@usdt"), the address of its
 * instruction and of its counter (0: none) as the file's symbols count, and where its values are.
 * What cannot be read is skipped; after 100,000 the rest is. */
void markers_each(Elf *elf,
		  void (*each)(void *context, const char *name, uint64_t address,
			       uint64_t semaphore, const struct marker_value *values),
		  void *context);

/* Sets what is known of the MARKER_VALUES first values of @text: "8@%rbp -4@16(%rsp) 8@$0". */
void markers_values(const char *text, struct marker_value *values);

#endif
