/*
 * links_check(): whether HDF5 may list a group of a stranger's file. To list a group whose links
 * are messages in its header, HDF5 makes a table of them; if one is damaged, it frees the rest of
 * that table, which it never set (H5G__compact_iterate() and H5G__link_release_table() of 1.10.8).
 * So this reads them first, as the HDF5 File Format Specification 3.0 has it (IV.A.1, object
 * headers of version 1 and 2; IV.A.2.g, link messages), in time and memory bounded by LINKS_CHUNKS
 * and LINKS_CHUNK_BYTES. Links that HDF5 can read but the reader refuses, to other files for one,
 * pass.
 */
#include <errno.h>
#include <string.h>

#include "store/reader.h"

#define LINKS_CHUNKS	  1024
#define LINKS_CHUNK_BYTES (4u << 20)

/* Types of messages. */
enum { MESSAGE_LINK = 0x06, MESSAGE_CONTINUATION = 0x10 };

#define MESSAGE_SHARED 0x02 /* a flag of a message: its body is elsewhere */

/* Flags of a header of version 2. */
enum { HEAD_SIZE = 0x03, HEAD_ORDER = 0x04, HEAD_PHASES = 0x10, HEAD_TIMES = 0x20 };

/* Flags of a link, and its types. */
enum { LINK_NAME_SIZE = 0x03, LINK_ORDER = 0x04, LINK_TYPE = 0x08, LINK_CHARSET = 0x10 };
enum { LINK_HARD = 0, LINK_SOFT = 1 };

#define LINK_FLAGS   0x1f
#define CHARSETS     2
#define ADDRESS	     8 /* bytes of an address or a length, of all files that we read */
#define HEAD_1_BYTES 16
#define HEAD_2_MOST  40

/* Bytes still to be read; bad once too few were left. */
struct bytes {
	const unsigned char *at;
	size_t n;
	bool bad;
};

struct chunk {
	uint64_t at, n;
};

struct walk {
	const struct reader *reader;
	bool is_2;	    /* the header's version */
	size_t order_bytes; /* of each message of version 2 */
	VEC(struct chunk) chunks;
};

static void skip(struct bytes *b, size_t n)
{
	b->bad |= n > b->n;
	n = b->bad ? b->n : n;
	b->at += n;
	b->n -= n;
}

/* Little-endian. */
static uint64_t take(struct bytes *b, size_t n)
{
	const unsigned char *at = b->at;
	uint64_t value = 0;

	skip(b, n);
	for (size_t i = n; i > 0 && !b->bad; i--)
		value = value << 8 | at[i - 1];
	return value;
}

/* A name or value must not be empty. */
static void skip_text(struct bytes *b, uint64_t n)
{
	b->bad |= !n || n > b->n;
	skip(b, b->bad ? 0 : (size_t)n);
}

/* Refuses what H5O_link_decode() refuses, and what that does not check well enough. */
static bool is_link(struct bytes b)
{
	const uint64_t version = take(&b, 1), flags = take(&b, 1);
	const uint64_t type = flags & LINK_TYPE ? take(&b, 1) : LINK_HARD;

	if (version != 1 || flags & ~(uint64_t)LINK_FLAGS)
		return false;
	skip(&b, flags & LINK_ORDER ? 8 : 0);
	b.bad |= flags & LINK_CHARSET && take(&b, 1) >= CHARSETS;
	skip_text(&b, take(&b, (size_t)1 << (flags & LINK_NAME_SIZE)));
	if (type == LINK_HARD)
		skip(&b, ADDRESS);
	else if (type == LINK_SOFT)
		skip_text(&b, take(&b, 2));
	else
		skip(&b, take(&b, 2));
	return !b.bad;
}

static bool take_message(struct walk *w, unsigned type, unsigned flags, struct bytes body)
{
	struct chunk next;

	if (type == MESSAGE_LINK)
		return !(flags & MESSAGE_SHARED) && is_link(body);
	if (type != MESSAGE_CONTINUATION)
		return true;
	if (w->chunks.n == LINKS_CHUNKS)
		return false;
	next.at = take(&body, ADDRESS);
	next.n = take(&body, ADDRESS);
	vec_push(&w->chunks, next);
	return !body.bad;
}

/* Behind the last message there may be a gap, shorter than any message. */
static bool take_messages(struct walk *w, struct bytes b)
{
	const size_t head = w->is_2 ? 4 + w->order_bytes : 8;

	while (b.n >= head) {
		const unsigned type = (unsigned)take(&b, w->is_2 ? 1 : 2);
		const size_t n = take(&b, 2);
		const unsigned flags = (unsigned)take(&b, 1);
		const struct bytes body = {b.at + (w->is_2 ? w->order_bytes : 3), n, false};

		skip(&b, (w->is_2 ? w->order_bytes : 3) + n);
		if (b.bad || !take_message(w, type, flags, body))
			return false;
	}
	return true;
}

/* A later chunk; of version 2 it stands between a signature and a checksum. */
static bool take_chunk(struct walk *w, struct chunk c, const unsigned char *bytes)
{
	struct bytes b = {bytes, c.n, false};

	if (!w->is_2)
		return take_messages(w, b);
	if (c.n < 8 || memcmp(bytes, "OCHK", 4) != 0)
		return false;
	skip(&b, 4);
	b.n -= 4;
	return take_messages(w, b);
}

/* Where the first chunk's messages are, as the header at @at says. */
static bool first_chunk(struct walk *w, uint64_t at, const unsigned char *head, struct chunk *c)
{
	struct bytes b = {head, HEAD_2_MOST, false};
	uint64_t flags;

	w->is_2 = !memcmp(head, "OHDR", 4);
	if (!w->is_2) {
		skip(&b, 8);
		*c = (struct chunk){at + HEAD_1_BYTES, take(&b, 4)};
		return head[0] == 1;
	}
	skip(&b, 5);
	flags = take(&b, 1);
	skip(&b, (flags & HEAD_TIMES ? 16 : 0) + (flags & HEAD_PHASES ? 4 : 0));
	w->order_bytes = flags & HEAD_ORDER ? 2 : 0;
	c->n = take(&b, (size_t)1 << (flags & HEAD_SIZE));
	c->at = at + (uint64_t)(b.at - head);
	return head[4] == 2;
}

static bool read_chunk(const struct walk *w, struct chunk c, unsigned char **bytes)
{
	if (c.n > LINKS_CHUNK_BYTES)
		return false;
	*bytes = mem_zalloc(c.n + 1, 1);
	return !reader_bytes(w->reader, c.at, *bytes, c.n);
}

static bool check_header(struct walk *w, uint64_t at)
{
	unsigned char head[HEAD_2_MOST];
	struct chunk first;
	bool right = !reader_bytes(w->reader, at, head, sizeof(head)) &&
		     first_chunk(w, at, head, &first);

	if (right)
		vec_push(&w->chunks, first);
	for (size_t i = 0; right && i < w->chunks.n; i++) {
		const struct chunk c = w->chunks.at[i]; /* the list grows */
		_free_ unsigned char *bytes = NULL;

		right = read_chunk(w, c, &bytes) &&
			(i ? take_chunk(w, c, bytes)
			   : take_messages(w, (struct bytes){bytes, c.n, false}));
	}
	return right;
}

int links_check(const struct reader *r, hid_t group)
{
	struct walk w = {.reader = r};
	H5O_info_t info;
	bool right;

	if (H5Oget_info2(group, &info, H5O_INFO_BASIC) < 0)
		return reader_err(r, -EINVAL, "a group is damaged");
	right = check_header(&w, info.addr);
	vec_release(&w.chunks);
	return right ? 0 : reader_err(r, -EINVAL, "a list of groups is damaged");
}
