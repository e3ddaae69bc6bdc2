/*
 * tables: unwind tables in the kernel's maps, by the piece of a file they are of. A table is
 * written through mmap into a pool, and read there by native code too, so that it is in memory
 * once. At the memory cap those go that no walk has used for longest.
 */
#ifndef LOAD_TABLES_H
#define LOAD_TABLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire.h"

/* The most that tables may take, unless less is asked for. */
#define TABLES_MAX_BYTES ((uint64_t)WIRE_POOLS * WIRE_POOL_LINES * 4096)

struct pool_first;
struct tables;
/* The maps of that name in bpf/sample/walk.bpf.c, and the walkers' table_epoch; borrowed, but for
 * the first pool. */
struct tables_maps {
	int tables_fd, pools_fd, wanted_fd;
	uint32_t *epoch;
	struct pool_first *first; /* see pool_begin(); NULL: pools_fd is empty */
};
/* With a first pool, so that the first tables need not wait for it. At most @max_bytes of tables.
 * Errors with a text. */
int tables_new(const struct tables_maps *, uint64_t max_bytes, struct tables **out);
void tables_free(struct tables *);

/* Makes @words, whole lines, the table of @piece, which has none. Errors with a text: -EFBIG for
 * one larger than a pool. */
int tables_put(struct tables *, const struct wire_piece *piece, const uint64_t *words,
	       size_t n_words);
/* Makes the table of @other that of @piece too: two files with one content. Errors with a text. */
int tables_share(struct tables *, const struct wire_piece *piece, const struct wire_piece *other);
/* The words of @piece's table and how many, until the next tables_put(); NULL where it has none. */
const uint64_t *tables_get(const struct tables *, const struct wire_piece *piece, size_t *n_words);

/* The walker asks for @piece anew when it meets it. */
void tables_ask_again(struct tables *, const struct wire_piece *piece);

/* To be called a few times a second: where memory runs short, the walkers begin to note what they
 * use. */
void tables_tick(struct tables *);

/* Whether @piece ever lost a table to another. */
bool tables_dropped(const struct tables *, const struct wire_piece *piece);
uint64_t tables_bytes(const struct tables *);
size_t tables_count(const struct tables *);
/* How many did. */
uint64_t tables_evicted(const struct tables *);

#endif
