#include "store/journal.h"

#include <endian.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"

static const char magic[8] = "eprofjnl";

/* The last bytes of the file; numbers are little-endian. The pages precede it, each with its
 * number. */
struct trailer {
	char magic[sizeof(magic)];
	uint64_t base;	/* where the store ended before the change */
	uint64_t pages; /* where the pages begin: at base, or behind what is new there */
	uint64_t n_pages;
	uint64_t end;  /* of the store with the change */
	uint64_t hash; /* of all from base to the trailer, and of the trailer up to here */
};

#define HASH_BLOCK_BYTES (64u << 10)

static uint64_t hash_more(uint64_t hash, const void *at, size_t n)
{
	const char *from = at;

	for (size_t take; n; from += take, n -= take) {
		take = n < HASH_BLOCK_BYTES ? n : HASH_BLOCK_BYTES;
		hash = hash_seeded(from, take, hash);
	}
	return hash;
}

static uint64_t hash_trailer(uint64_t hash, const struct trailer *t)
{
	return hash_seeded(t, offsetof(struct trailer, hash), hash);
}

static bool read_all(int fd, void *to, size_t n, uint64_t at)
{
	return pread(fd, to, n, (off_t)at) == (ssize_t)n;
}

/* Whether the trailer's numbers add up to the file's size. */
static bool is_sound(const struct trailer *t, uint64_t bytes)
{
	const uint64_t page = sizeof(struct overlay_page);

	return !memcmp(t->magic, magic, sizeof(magic)) && t->base <= t->pages &&
	       t->pages <= bytes && t->end <= t->pages && t->n_pages <= JOURNAL_MAX_PAGES &&
	       bytes - t->pages == t->n_pages * page + sizeof(*t);
}

static bool read_trailer(int fd, uint64_t bytes, struct trailer *t)
{
	if (bytes < sizeof(*t) || !read_all(fd, t, sizeof(*t), bytes - sizeof(*t)))
		return false;
	t->base = le64toh(t->base);
	t->pages = le64toh(t->pages);
	t->n_pages = le64toh(t->n_pages);
	t->end = le64toh(t->end);
	return is_sound(t, bytes);
}

static struct trailer encode(struct trailer t)
{
	t.base = htole64(t.base);
	t.pages = htole64(t.pages);
	t.n_pages = htole64(t.n_pages);
	t.end = htole64(t.end);
	return t;
}

/* Hashes the file's [@from, @to) as hash_more() would in one piece. */
static bool hash_file(int fd, uint64_t from, uint64_t to, uint64_t *hash)
{
	_free_ char *block = mem_zalloc(HASH_BLOCK_BYTES, 1);

	for (size_t take; from < to; from += take) {
		take = to - from < HASH_BLOCK_BYTES ? to - from : HASH_BLOCK_BYTES;
		if (!read_all(fd, block, take, from))
			return false;
		*hash = hash_seeded(block, take, *hash);
	}
	return true;
}

static bool hash_is_right(int fd, const struct trailer *t, uint64_t bytes)
{
	const struct trailer stored = encode(*t);
	uint64_t hash = 0;

	return hash_file(fd, t->base, t->pages, &hash) &&
	       hash_file(fd, t->pages, bytes - sizeof(*t), &hash) &&
	       hash_trailer(hash, &stored) == le64toh(t->hash);
}

static bool read_pages(struct overlay *o, const struct trailer *t)
{
	for (uint64_t i = 0; i < t->n_pages; i++) {
		struct overlay_page page;

		if (!read_all(o->fd, &page, sizeof(page), t->pages + i * sizeof(page)))
			return false;
		page.number = le64toh(page.number);
		if (page.number > t->pages / OVERLAY_PAGE_BYTES)
			return false;
		overlay_put_page(o, page.number, page.bytes);
	}
	return true;
}

int journal_read(struct overlay *o, int fd, uint64_t bytes)
{
	struct trailer t;

	if (!read_trailer(fd, bytes, &t) || !hash_is_right(fd, &t, bytes))
		return 0;
	overlay_init(o, fd, t.pages);
	o->end = t.end;
	return read_pages(o, &t) ? 1 : -EIO;
}

/* Writes a page to its place, of the old file's last page only what is before the old end. */
static int put_page(const struct overlay *o, const struct overlay_page *page)
{
	const uint64_t at = page->number * OVERLAY_PAGE_BYTES;
	size_t n = OVERLAY_PAGE_BYTES;

	if (at >= o->base)
		return 0;
	if (o->base - at < n)
		n = o->base - at;
	return file_put_at(o->fd, page->bytes, n, at);
}

int journal_apply(const struct overlay *o)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < o->pages.n; i++)
		rc = put_page(o, &o->pages.at[i]);
	if (!rc && fdatasync(o->fd))
		rc = -errno;
	if (!rc && ftruncate(o->fd, (off_t)o->end))
		rc = -errno;
	return rc;
}

/* The old file's last page overlaps what is new: there it gets the same bytes. */
static void lay_tail(const struct overlay *o, struct overlay_page *page)
{
	const uint64_t at = page->number * OVERLAY_PAGE_BYTES;
	size_t n = 0;

	if (at + OVERLAY_PAGE_BYTES > o->base)
		n = at + OVERLAY_PAGE_BYTES - o->base;
	if (n)
		memset(page->bytes + OVERLAY_PAGE_BYTES - n, 0, n);
	if (n && o->tail.n)
		memcpy(page->bytes + OVERLAY_PAGE_BYTES - n, o->tail.at,
		       n < o->tail.n ? n : o->tail.n);
}

static void encode_pages(const struct overlay *o, struct overlay_page *to)
{
	for (size_t i = 0; i < o->pages.n; i++) {
		to[i] = o->pages.at[i];
		lay_tail(o, &to[i]);
		to[i].number = htole64(to[i].number);
	}
}

/* Step 1. */
static int write_journal(const struct overlay *o)
{
	_free_ struct overlay_page *pages = mem_zalloc(o->pages.n, sizeof(*pages));
	const size_t bytes = o->pages.n * sizeof(*pages);
	struct trailer t = {.base = o->base,
			    .pages = o->base + o->tail.n,
			    .n_pages = o->pages.n,
			    .end = o->end};
	const uint64_t at = t.pages;
	uint64_t hash = 0;
	int rc;

	memcpy(t.magic, magic, sizeof(magic));
	t = encode(t);
	encode_pages(o, pages);
	hash = hash_more(hash, o->tail.at, o->tail.n);
	hash = hash_more(hash, pages, bytes);
	t.hash = htole64(hash_trailer(hash, &t));
	rc = file_put_at(o->fd, o->tail.at, o->tail.n, o->base);
	if (!rc)
		rc = file_put_at(o->fd, pages, bytes, at);
	return rc ? rc : file_put_at(o->fd, &t, sizeof(t), at + bytes);
}

int journal_commit(const struct overlay *o)
{
	int rc = 0;

	if (o->pages.n > JOURNAL_MAX_PAGES)
		return -EFBIG;
	/* Bytes of a writer that was stopped in step 1 would stand behind the trailer. */
	if (ftruncate(o->fd, (off_t)o->base))
		return -errno;
	rc = write_journal(o);
	if (!rc && fdatasync(o->fd))
		rc = -errno;
	if (rc) {
		(void)!ftruncate(o->fd, (off_t)o->base);
		return rc;
	}
	journal_apply(o);
	return 0;
}
