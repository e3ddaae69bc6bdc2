/*
 * reader: a file of a stranger, held open while a profile is read from it; and the checks that
 * stand before each use of HDF5. Used by store only.
 */
#ifndef STORE_READER_H
#define STORE_READER_H

#include <stdbool.h>
#include <stdint.h>

#include "store/h5.h"
#include "store/overlay.h"
#include "store/store.h"

/*
 * The bounds. What a table, text or chunk takes in memory is taken off a budget before it is
 * allocated: so many times the file's size and a base for small files, and never more than the
 * cap. Most profiles stay below ten times, but deflate makes up to 1,032 of a byte (RFC 1951: 258
 * by a match of two bits), and does where all samples are alike, as those of a machine whose clock
 * counts instructions. Twice that, since columns that an older file lacks take memory too.
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
#define READER_MAX_GROUPS  100000 /* looked at in search of a run, in all */

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

/* Opens @path, and makes sure that it is a profile of a schema known here: errors of
 * store_load(). Until it is closed nobody changes it. To be closed in either case. */
int reader_open(struct reader *, const char *path);
/* The same for change.h: nobody else has it open; what HDF5 writes stays in the overlay. -ENOENT
 * where there is no such file. */
int reader_open_to_change(struct reader *, const char *path);
/* The same to be replaced by a copy: read only, and of any version of HDF5's format. */
int reader_open_to_copy(struct reader *, const char *path);
/* The same of the @n bytes of a file. */
int reader_open_image(struct reader *, const char *name, const void *image, size_t n);
void reader_close(struct reader *);

/* The @n bytes @at of what HDF5 sees of the file, 0 behind its end. -EINVAL, no text, where none of
 * them is there; -errno. */
int reader_bytes(const struct reader *, uint64_t at, void *to, size_t n);

/* err() with the file's name before the text. */
int reader_err(const struct reader *, int code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Takes @n times @bytes off the budget, or -EFBIG. */
int reader_take(struct reader *, const char *what, uint64_t n, uint64_t bytes);

/* Whether @parent has something of that name. */
bool reader_has(hid_t parent, const char *name);

/* The text of attribute @key of @obj, cleaned (str_clean), "" where there is none; freed by the
 * caller. -EFBIG past the budget, with *@text NULL. */
int reader_text(struct reader *, hid_t obj, const char *key, char **text);

/* The group of that name in *@id, which must be there and be no link to elsewhere. */
int reader_group(struct reader *, hid_t parent, const char *name, hid_t *id);

/* The dataset of that name in *@id, and its rows in *@n: one-dimensional, in this file, through
 * no filter but shuffle and deflate, and within the budget for rows of @bytes in memory. */
int reader_dataset(struct reader *, hid_t parent, const char *name, size_t bytes, hid_t *id,
		   size_t *n);

/* Opens the newest run that @key (may be NULL) allows; -ENOENT where there is none. Each of
 * *@platform and *@run is a group. */
int reader_find_run(struct reader *, const struct store_key *key, hid_t *platform, hid_t *run);

/* -ENOENT, with a text that says what @key (may be NULL) asked for. */
int reader_no_run(const struct reader *, const struct store_key *key);

/* Loads the run that reader_find_run() gives. */
int reader_load(struct reader *, const struct store_key *key, struct profile **out);

#endif
