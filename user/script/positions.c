#include "script/positions.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/caller.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/vec.h"
#include "process/opener.h"
#include "process/owner.h"
#include "process/roots.h"

#define PIECE	   65536
#define FILE_BYTES (16u << 20)
/* All together; files beyond have no lines. */
#define MOST_LINES (4u << 20)
#define MOST_FILES 16384

/* Where the lines of a file begin, and at last where it ends. */
struct file {
	VEC(uint32_t) starts; /* empty: it could not be read */
};

struct positions {
	struct opener *opener;
	struct roots *roots;
	struct map by_path; /* hash of the root and path → number in files */
	VEC(struct file) files;
	uint64_t lines;
};

struct positions *positions_new(struct opener *opener, struct roots *roots)
{
	struct positions *p = mem_zalloc(1, sizeof(*p));

	p->opener = opener;
	p->roots = roots;
	return p;
}

void positions_forget(struct positions *p)
{
	if (!p)
		return;
	for (size_t i = 0; i < p->files.n; i++)
		vec_release(&p->files.at[i].starts);
	vec_release(&p->files);
	map_release(&p->by_path);
	p->lines = 0;
}

void positions_free(struct positions *p)
{
	positions_forget(p);
	free(p);
}

/* How many characters of UTF-16 begin with this byte of UTF-8. */
static uint32_t characters(unsigned char c)
{
	return (c & 0xc0) == 0x80 ? 0 : c >= 0xf0 ? 2 : 1;
}

static void count(struct file *f, const char *piece, size_t n, uint32_t *at)
{
	for (size_t i = 0; i < n; i++) {
		*at += characters((unsigned char)piece[i]);
		if (piece[i] == '\n')
			vec_push(&f->starts, *at);
	}
}

/* A mark of the encoding is not part of the text. */
static size_t mark_bytes(const char *piece, size_t n)
{
	return n >= 3 && !memcmp(piece, "\xef\xbb\xbf", 3) ? 3 : 0;
}

static void read_file(struct positions *p, struct file *f, int fd)
{
	_free_ char *piece = mem_zalloc(PIECE, 1);
	uint64_t all = 0;
	uint32_t at = 0;
	ssize_t n;

	vec_push(&f->starts, 0);
	while (all < FILE_BYTES && p->lines + f->starts.n < MOST_LINES &&
	       (n = read(fd, piece, PIECE)) > 0) {
		const size_t skip = all ? 0 : mark_bytes(piece, (size_t)n);

		count(f, piece + skip, (size_t)n - skip, &at);
		all += (uint64_t)n;
	}
	vec_push(&f->starts, at);
	p->lines += f->starts.n;
}

static void open_file(struct positions *p, struct file *f, uint32_t pid, int root_fd,
		      const char *path)
{
	struct owner user, as;
	struct opener_request r = {.what = OPENER_PATH,
				   .pid = pid,
				   .root_fd = root_fd,
				   .path = path,
				   .bytes_most = FILE_BYTES};
	struct opener_answer a;

	if (path[0] != '/' || !owner_of(pid, &user))
		return;
	as = owner_reader(&user);
	r.as = caller_had_rights() ? &as : NULL;
	if (opener_ask(p->opener, &r, &a))
		return;
	if (a.bytes <= FILE_BYTES)
		read_file(p, f, a.fd);
	opener_answer_release(p->opener, &a);
}

/* The line that begins last at or before @position. */
static uint32_t line_at(const struct file *f, uint32_t position)
{
	size_t first = 0, end = f->starts.n;

	if (!end || position >= f->starts.at[end - 1])
		return 0;
	while (end - first > 1) {
		const size_t middle = first + (end - first) / 2;

		if (f->starts.at[middle] <= position)
			first = middle;
		else
			end = middle;
	}
	return (uint32_t)first + 1;
}

uint32_t positions_line(struct positions *p, uint32_t pid, const char *path, uint32_t position)
{
	const int root_fd = p ? roots_of(p->roots, pid) : -1;
	uint32_t *number;
	bool fresh;

	if (!p)
		return 0;
	number = map_put(&p->by_path, hash_two(hash_bytes(path, strlen(path)), (uint64_t)root_fd),
			 &fresh);
	if (fresh && p->files.n < MOST_FILES) {
		*number = (uint32_t)p->files.n;
		vec_push(&p->files, ((struct file){0}));
		open_file(p, &p->files.at[*number], pid, root_fd, path);
	} else if (fresh) {
		*number = UINT32_MAX;
	}
	return *number < p->files.n ? line_at(&p->files.at[*number], position) : 0;
}
