/*
 * ring: reads the records that the BPF programs send. Used by session.
 */
#ifndef LOAD_RING_H
#define LOAD_RING_H

#include <stddef.h>
#include <stdint.h>

struct ring;

/* Opens the ring of @map_fd, which stays the caller's. Errors with a text. */
int ring_open(int map_fd, struct ring **out);
/* Frees it. Accepts NULL. */
void ring_close(struct ring *);

/* Calls the function for each record (kinds of wire.h) in the ring at the time of the call,
 * complete and checked for size. Stops after @most_bytes, which the last record may exceed. Records
 * that arrive meanwhile are for the next drain, so a drain that causes records ends. Errors with a
 * text. */
typedef void (*ring_record_fn)(void *context, const void *record, size_t bytes);
int ring_drain(struct ring *, uint64_t most_bytes, ring_record_fn, void *context);
/* Becomes readable when a program wakes the loader. */
int ring_fd(const struct ring *);

#endif
