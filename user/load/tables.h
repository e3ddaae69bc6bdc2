/*
 * tables: the unwind tables in the kernel's maps, by piece of a file. A table is written through
 * mmap into a pool, and native code reads it there, too, so that it is in memory once. At the
 * memory limit the least recently used tables are evicted.
 */
#ifndef LOAD_TABLES_H
#define LOAD_TABLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire.h"
#include "wire_script.h"

/* Memory limit of tables, unless a lower one is given. */
#define TABLES_MAX_BYTES ((uint64_t)WIRE_POOLS * WIRE_POOL_LINES * 4096)

struct pool_first;
struct tables;
/* The maps of the same names in bpf/sample/walk.bpf.c, and the walkers' table_epoch. All borrowed
 * but the first pool. */
struct tables_maps {
	int tables_fd, pools_fd, wanted_fd, copies_fd, scripts_fd;
	uint32_t *epoch;
	struct pool_first *first; /* from pool_begin(); NULL: pools_fd is empty */
};
/* Starts with a first pool, so that the first tables need not wait for it. At most @max_bytes of
 * tables. Errors with a text. */
int tables_new(const struct tables_maps *, uint64_t max_bytes, struct tables **out);
void tables_free(struct tables *);

/* Stores @words, whole lines, as the table of @piece, which must have none. Errors with a text:
 * -EFBIG if larger than a pool. */
int tables_put(struct tables *, const struct wire_piece *piece, const uint64_t *words,
	       size_t n_words);
/* Makes @other's table that of @piece, too: two files with the same content. Errors with a text. */
int tables_share(struct tables *, const struct wire_piece *piece, const struct wire_piece *other);
/* The words of @piece's table and their number, valid until the next tables_put(); NULL if none. */
const uint64_t *tables_get(const struct tables *, const struct wire_piece *piece, size_t *n_words);

/* Lets the walker request @piece again when it next meets it. */
void tables_ask_again(struct tables *, const struct wire_piece *piece);

/* Answers what a mapping without a file is, whose key is @mapping. */
void tables_copy(struct tables *, const struct wire_piece *mapping, const struct wire_copy *);

/* Answers where an interpreter keeps its frames; @key: as in script_procs. */
void tables_script(struct tables *, const struct wire_piece *key, const struct wire_script_proc *);

/* Call a few times a second: when memory runs short, walkers start to mark the tables that they
 * use. */
void tables_tick(struct tables *);

/* Whether @piece's table was ever evicted. */
bool tables_dropped(const struct tables *, const struct wire_piece *piece);
uint64_t tables_bytes(const struct tables *);
size_t tables_count(const struct tables *);
/* How many tables were evicted. */
uint64_t tables_evicted(const struct tables *);

#endif
