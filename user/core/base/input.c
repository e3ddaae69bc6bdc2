#include "base/input.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "base/file.h"
#include "base/mem.h"

#define STEP_BYTES (256u << 10)

void input_from_fd(struct input *in, const char *name, int fd)
{
	*in = (struct input){.name = name, .fd = fd, .line_max = INPUT_LINE_MAX};
}

void input_from_memory(struct input *in, const char *name, const void *bytes, size_t n)
{
	input_from_fd(in, name, -1);
	in->ended = true;
	in->end = in->cap = n;
	in->buffer = mem_realloc(NULL, n + 1, 1);
	if (n)
		memcpy(in->buffer, bytes, n);
}

/* A FIFO is opened without waiting for a writer, but read with waiting. */
static int check_kind(struct input *in)
{
	struct stat st;

	if (fstat(in->fd, &st))
		return err(-errno, "cannot read '%s': %s", in->name, strerror(errno));
	if (S_ISDIR(st.st_mode))
		return err(-EISDIR, "cannot read '%s': it is a folder", in->name);
	if (S_ISREG(st.st_mode))
		in->modified_ns = (int64_t)st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec;
	if (fcntl(in->fd, F_SETFL, fcntl(in->fd, F_GETFL) & ~O_NONBLOCK) < 0)
		return err(-errno, "cannot read '%s': %s", in->name, strerror(errno));
	return 0;
}

int input_open(struct input *in, const char *path)
{
	int fd;

	if (!strcmp(path, "-")) {
		input_from_fd(in, "standard input", -1);
		fd = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0);
	} else {
		input_from_fd(in, path, -1);
		fd = file_open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	}
	if (fd < 0)
		return err(-errno, "cannot open '%s': %s", in->name, strerror(errno));
	in->fd = fd;
	return check_kind(in);
}

void input_close(struct input *in)
{
	file_done(in->fd);
	free(in->buffer);
	*in = (struct input){.fd = -1, .name = in->name};
}

/* Makes room behind end, first by dropping bytes that were read. */
static void make_room(struct input *in)
{
	size_t left = in->end - in->at;

	if (in->at && in->at >= left) {
		memcpy(in->buffer, in->buffer + in->at, left);
		in->at = 0;
		in->end = left;
	}
	if (in->cap - in->end >= STEP_BYTES / 2)
		return;
	in->cap = in->cap * 2 > STEP_BYTES ? in->cap * 2 : STEP_BYTES;
	in->buffer = mem_realloc(in->buffer, in->cap, 1);
}

/* Reads more bytes, or sets ended. */
static int fill(struct input *in)
{
	ssize_t got;

	make_room(in);
	do
		got = read(in->fd, in->buffer + in->end, in->cap - in->end);
	while (got < 0 && errno == EINTR);
	if (got < 0)
		return err(-errno, "cannot read '%s': %s", in->name, strerror(errno));
	in->ended = !got;
	in->end += (size_t)got;
	return 0;
}

int input_head(struct input *in, size_t want, struct span *out)
{
	int rc = 0;

	while (!rc && !in->ended && in->end - in->at < want)
		rc = fill(in);
	*out = (struct span){in->buffer ? in->buffer + in->at : "", in->end - in->at};
	if (out->n > want)
		out->n = want;
	return rc;
}

int input_skip_mark(struct input *in)
{
	static const char mark[] = "\xef\xbb\xbf";
	struct span head;
	int rc = input_head(in, sizeof(mark) - 1, &head);

	if (!rc && head.n == sizeof(mark) - 1 && !memcmp(head.s, mark, head.n))
		in->at += head.n;
	return rc;
}

int input_all(struct input *in, size_t max, struct span *out)
{
	int rc = 0;

	if (max < SIZE_MAX)
		rc = input_head(in, max + 1, out);
	if (!rc && out->n > max)
		return err(-EFBIG, "'%s' is larger than %zu MiB", in->name, max >> 20);
	in->at += out->n;
	return rc;
}

/* Returns the line of @n bytes from at on, and skips its end of @skip bytes. */
static int take_line(struct input *in, size_t n, size_t skip, struct span *out)
{
	*out = (struct span){in->buffer + in->at, n};
	if (n && out->s[n - 1] == '\r')
		out->n--;
	in->at += n + skip;
	in->seen = 0;
	in->line++;
	return 1;
}

int input_line(struct input *in, struct span *out)
{
	for (;;) {
		const size_t have = in->end - in->at;
		const char *from = in->buffer + in->at;
		const char *newline =
			have > in->seen ? memchr(from + in->seen, '\n', have - in->seen) : NULL;
		const size_t n = newline ? (size_t)(newline - from) : have;
		int rc;

		if (n > in->line_max)
			return err(-EFBIG, "'%s', line %llu is longer than %zu bytes", in->name,
				   (unsigned long long)in->line + 1, in->line_max);
		if (newline)
			return take_line(in, n, 1, out);
		if (in->ended)
			return have ? take_line(in, n, 0, out) : 0;
		in->seen = have;
		rc = fill(in);
		if (rc)
			return rc;
	}
}

int input_bad(const struct input *in, const char *fmt, ...)
{
	_free_ char *text = NULL;
	va_list args;

	va_start(args, fmt);
	text = mem_vprintf(fmt, args);
	va_end(args);
	return err(-EINVAL, "'%s', line %llu: %s", in->name, (unsigned long long)in->line, text);
}
