/*
 * reader: a stranger's file, held open while a profile is read from it, and the checks that precede
 * each use of HDF5. Used by store only.
 */
#ifndef STORE_READER_H
#define STORE_READER_H

#include <stdbool.h>
#include <stdint.h>

#include "store/h5.h"
#include "store/overlay.h"
#include "store/store.h"

/*
 * The bounds. Each table, text and chunk is charged to a budget before it is allocated: the file's
 * size times the ratio and a base for small files, at most the cap. Most profiles need less than
 * ten times their file's size, but deflate makes up to 1,032 bytes of one (RFC 1951: a match of two
 * bits is 258 bytes), and does so where all samples are alike, as on a machine whose clock counts
 * instructions. Twice that, since columns that an older file lacks take memory too.
 */
#define READER_RATIO	   (2 * 1032)
#define READER_BASE_BYTES  (4ull << 20)
#define READER_CAP_BYTES   (4ull << 30)
#define READER_MAX_ROWS	   (1ull << 31)
#define READER_CHUNK_BYTES (16ull << 20) /* or the whole dataset, if that is larger */
#define READER_ROW_BYTES   4096
#define READER_TEXT_BYTES  (4u << 20)
#define READER_MAX_METRICS 256
#define READER_MAX_ATTRS   1024
#define READER_MAX_GROUPS  100000 /* inspected in search of a run, in all */

struct reader {
	const char *path; /* borrowed */
	int fd;		  /* locked; -1: an image */
	struct overlay overlay;
	const char *image; /* borrowed; NULL: a file */
	size_t image_bytes;
	hid_t file;
	uint32_t schema;
	uint64_t budget; /* bytes that may still be allocated */
	size_t groups;	 /* that may still be looked at */
};

/* Opens @path under a lock: until it is closed nobody changes it. Errors of store_load(), also if
 * it is no profile or its schema is too new. To be closed in either case. */
int reader_open(struct reader *, const char *path);
/* As reader_open(), but nobody else may read it meanwhile, and what HDF5 writes stays in the
 * overlay. -ENOENT if there is no such file. */
int reader_open_to_change(struct reader *, const char *path);
/* The same for a file that a copy is to replace: read only, of any version of HDF5's format. */
int reader_open_to_copy(struct reader *, const char *path);
/* As reader_open(), of the @n bytes of a file in memory. */
int reader_open_image(struct reader *, const char *name, const void *image, size_t n);
void reader_close(struct reader *);

/* Copies the @n bytes @at that HDF5 sees of the file, zeroes behind its end. -EINVAL without a text
 * if all are behind it; -errno. */
int reader_bytes(const struct reader *, uint64_t at, void *to, size_t n);

/* err() with the file's name before the text. */
int reader_err(const struct reader *, int code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Charges @n times @bytes to the budget, or -EFBIG. */
int reader_take(struct reader *, const char *what, uint64_t n, uint64_t bytes);

bool reader_has(hid_t parent, const char *name);

/* Whether attribute @key of @obj is exactly this text. */
bool reader_has_text(hid_t obj, const char *key, const char *text);
/* The text of attribute @key of @obj, cleaned (str_clean), "" if there is none; freed by the
 * caller. -EFBIG past the budget, with *@text NULL. */
int reader_text(struct reader *, hid_t obj, const char *key, char **text);

/* The group of that name in *@id. -EINVAL if it is missing or a link to elsewhere. */
int reader_group(struct reader *, hid_t parent, const char *name, hid_t *id);

/* The dataset of that name in *@id, and its rows in *@n: one-dimensional, in this file, through
 * no filter but shuffle and deflate, and within the budget for rows of @bytes in memory. */
int reader_dataset(struct reader *, hid_t parent, const char *name, size_t bytes, hid_t *id,
		   size_t *n);

/* Opens the newest run that @key (may be NULL) allows, and its platform: two groups. -ENOENT if
 * there is none. */
int reader_find_run(struct reader *, const struct store_key *key, hid_t *platform, hid_t *run);
/* -ENOENT, with a text that says what @key (may be NULL) asked for. */
int reader_no_run(const struct reader *, const struct store_key *key);
/* Loads the run that reader_find_run() finds. */
int reader_load(struct reader *, const struct store_key *key, struct profile **out);

/* flock(2) with LOCK_SH or LOCK_EX; it lasts as long as the descriptor. -EAGAIN if others kept the
 * lock for @patience_ms without a change to the file, else -errno. */
int lock_take(int fd, int how, int patience_ms);

/* Whether HDF5 may list a group: links.c. 0, or -EINVAL with a text. */
int links_check(const struct reader *, hid_t group);

/* Adds the windows that stand behind the first one in the file to the profile of that, *@p. A
 * window that is not whole, as a capture leaves it that is killed while it writes, is left out, and
 * the ledger says so. On failure *@p is freed. */
int windows_load(const char *path, struct profile **p);

#endif
