/*
 * ring: the records that the programs in the kernel send. Used by session.
 */
#ifndef LOAD_RING_H
#define LOAD_RING_H

#include <stddef.h>
#include <stdint.h>

struct ring;

/* Reads the ring of @map_fd, which stays the caller's. Errors with a text. */
int ring_open(int map_fd, struct ring **out);
/* Gives its memory back. NULL is nothing. */
void ring_close(struct ring *);

/* Hands out the records (kinds of wire.h) that are in it at the moment of the call, whole and
 * checked for size; of them no more than @most_bytes (the last one may exceed that). Records that
 * come meanwhile are for the next time: a drain that makes new ones by what it does ends all the
 * same. Errors with a text. */
typedef void (*ring_record_fn)(void *context, const void *record, size_t bytes);
int ring_drain(struct ring *, uint64_t most_bytes, ring_record_fn, void *context);
/* Readable when the programs wake the loader. */
int ring_fd(const struct ring *);

#endif
