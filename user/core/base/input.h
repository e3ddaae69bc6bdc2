/*
 * input: reads a foreign file from front to back, by lines or as a whole, in bounded memory. For
 * importers: files, pipes, standard input. A FIFO without a writer counts as empty.
 *
 *	struct input in;
 *	struct span line;
 *	int rc = input_open(&in, path);
 *
 *	while (!rc && (rc = input_line(&in, &line)) > 0)
 *		rc = use(line);
 *	input_close(&in);
 */
#ifndef BASE_INPUT_H
#define BASE_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The longest line, and the largest file that input_all() takes. */
#define INPUT_LINE_MAX (32u << 20)
#define INPUT_ALL_MAX  ((size_t)1 << 30)

/* Borrowed bytes, of any value and without a NUL at their end. */
struct span {
	const char *s;
	size_t n;
};

struct input {
	const char *name; /* for texts; borrowed */
	int fd;		  /* -1: all bytes are in the buffer */
	char *buffer;	  /* owned */
	size_t cap, at, end;
	size_t seen;	     /* so many bytes from at on hold no newline */
	size_t line_max;     /* INPUT_LINE_MAX; tests set less */
	bool ended;	     /* no bytes follow end */
	uint64_t line;	     /* number of the last line returned, from 1 */
	int64_t modified_ns; /* a regular file's, since the epoch; 0 of others */
};

/* @path "-" is standard input. -EISDIR for a folder, -errno if it cannot be opened. It may be
 * closed in each case. */
int input_open(struct input *, const char *path);
/* Reads @fd, which input_close() closes. */
void input_from_fd(struct input *, const char *name, int fd);
/* A copy of the @n bytes. */
void input_from_memory(struct input *, const char *name, const void *bytes, size_t n);
void input_close(struct input *);

/* The next @want bytes, or as many as there are, without consuming them. Valid until the next call.
 * 0 or -errno with a text. */
int input_head(struct input *, size_t want, struct span *out);
/* 1: the next line, without its end (LF or CR LF), valid until the next call. 0: no more. -EFBIG:
 * it is longer than line_max, or -errno. */
int input_line(struct input *, struct span *out);
/* Skips a mark of UTF-8 (EF BB BF), which editors put in front of text. */
int input_skip_mark(struct input *);
/* All the other bytes; -EFBIG if they are more than @max. */
int input_all(struct input *, size_t max, struct span *out);

/* err(-EINVAL, "'FILE', line N: …") for the last line returned. */
int input_bad(const struct input *, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
