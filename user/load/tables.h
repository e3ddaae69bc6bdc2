/*
 * tables: unwind tables in the kernel's maps, by the piece of a file they are of. A table is
 * written through mmap into a map of its exact size, and read there by native code too, so that it
 * is in memory once. Past the memory cap the least recently added go.
 */
#ifndef LOAD_TABLES_H
#define LOAD_TABLES_H

#include <stddef.h>
#include <stdint.h>

#include "wire.h"

struct tables;
/* The maps of that name in bpf/unwind/walk.bpf.c; borrowed. */
struct tables_maps {
	int tables_fd, pools_fd, wanted_fd;
};
/* With a first pool, so that the first tables need not wait for it. Errors with a text. */
int tables_new(const struct tables_maps *, struct tables **out);
void tables_free(struct tables *);

/* Makes @words, whole lines, the table of @piece. Errors with a text: -EFBIG for one larger than a
 * pool. */
int tables_put(struct tables *, const struct wire_piece *piece, const uint64_t *words,
	       size_t n_words);
/* The words of @piece's table and how many, until the next tables_put(); NULL where it has none. */
const uint64_t *tables_get(const struct tables *, const struct wire_piece *piece, size_t *n_words);

/* The walker asks for @piece anew when it meets it. */
void tables_ask_again(struct tables *, const struct wire_piece *piece);

uint64_t tables_bytes(const struct tables *);
size_t tables_count(const struct tables *);
uint64_t tables_evicted(const struct tables *);

#endif
