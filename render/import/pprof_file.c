#include "import/pprof_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/err.h"
#include "base/vec.h"

#define BITS_GZIP (15 + 16)
#define PIECE	  ((size_t)1 << 20)

typedef VEC(uint8_t) bytes;

static bool is_gzip(struct span s)
{
	return s.n > 2 && !memcmp(s.s, "\x1f\x8b", 2);
}

/* --- gzip ------------------------------------------------------------------------------------- */

/* One piece more of @z to @out; what inflate() returned. */
static int inflate_piece(z_stream *z, bytes *out)
{
	int rc;

	vec_reserve(out, out->n + PIECE);
	z->next_out = out->at + out->n;
	z->avail_out = PIECE;
	rc = inflate(z, Z_NO_FLUSH);
	out->n += PIECE - z->avail_out;
	return rc;
}

/* A file may be several gzips, one behind the other. */
static int inflate_all(z_stream *z, const char *name, bytes *out)
{
	while (z->avail_in) {
		int rc = inflate_piece(z, out);

		if (rc == Z_STREAM_END)
			rc = inflateReset(z);
		else if (rc == Z_OK && !z->avail_in && z->avail_out)
			return err(-EINVAL, "'%s' is cut off: its gzip does not end", name);
		if (rc != Z_OK)
			return err(-EINVAL, "'%s' is damaged: %s", name,
				   z->msg ? z->msg : "its gzip is wrong");
		if (out->n > PPROF_BYTES_MAX)
			return err(-EFBIG, "'%s' holds more than %zu MiB in its gzip", name,
				   PPROF_BYTES_MAX >> 20);
	}
	return 0;
}

static int unzip(const char *name, struct span file, bytes *out)
{
	z_stream z = {.next_in = (Bytef *)file.s, .avail_in = (uInt)file.n};
	int rc;

	if (inflateInit2(&z, BITS_GZIP) != Z_OK)
		return err(-ENOMEM, "'%s': no memory to unpack it", name);
	rc = inflate_all(&z, name, out);
	inflateEnd(&z);
	return rc;
}

/* --- the message ------------------------------------------------------------------------------ */

/* Counts what is given, and never what is given back: no file can ask for much again and again. */
static void *give(void *data, size_t n)
{
	struct pprof_file *f = data;

	if (n > f->left)
		return NULL;
	f->left -= n;
	return malloc(n);
}

static void take_back(void *data, void *memory)
{
	(void)data;
	free(memory);
}

static int unpack(struct pprof_file *f, const char *name, const uint8_t *at, size_t n)
{
	if (n > PPROF_BYTES_MAX)
		return err(-EFBIG, "'%s' is larger than %zu MiB", name, PPROF_BYTES_MAX >> 20);
	f->bytes = n;
	f->message = pprof__profile__unpack(&f->allocator, n, at);
	if (f->message)
		return 0;
	if (f->left < n)
		return err(-EFBIG, "'%s' is larger than it looks: it takes more than %zu MiB", name,
			   PPROF_MEMORY_MAX >> 20);
	return err(-EINVAL, "'%s' is no pprof profile, or is damaged", name);
}

int pprof_file_read(struct pprof_file *f, struct input *in)
{
	struct span file;
	bytes plain = {0};
	int rc;

	*f = (struct pprof_file){.left = PPROF_MEMORY_MAX};
	f->allocator = (ProtobufCAllocator){give, take_back, f};
	rc = input_all(in, INPUT_ALL_MAX, &file);
	if (!rc && is_gzip(file))
		rc = unzip(in->name, file, &plain);
	else if (!rc)
		return unpack(f, in->name, (const uint8_t *)file.s, file.n);
	if (!rc)
		rc = unpack(f, in->name, plain.at, plain.n);
	vec_release(&plain);
	return rc;
}

void pprof_file_release(struct pprof_file *f)
{
	if (f->message)
		pprof__profile__free_unpacked(f->message, &f->allocator);
	f->message = NULL;
}

/* A message begins with a ValueType, a Sample or another of the first tables: the number of a field
 * from 1 to 6, whose bytes have a length; and the first field in it is its number 1. */
static bool begins_message(const uint8_t *at, size_t n)
{
	const unsigned field = n > 3 ? at[0] >> 3 : 0;
	const size_t inner = n > 3 && at[1] < 0x80 ? 2 : 3;

	if (field < 1 || field > 6 || (at[0] & 7) != 2)
		return false;
	return field == 6 ? at[1] == 0 : at[inner] == 0x08 || at[inner] == 0x0a;
}

bool pprof_file_is(struct span head)
{
	uint8_t plain[64];
	z_stream z = {.next_in = (Bytef *)head.s,
		      .avail_in = (uInt)head.n,
		      .next_out = plain,
		      .avail_out = sizeof(plain)};
	bool is;

	if (!is_gzip(head))
		return begins_message((const uint8_t *)head.s, head.n);
	if (inflateInit2(&z, BITS_GZIP) != Z_OK)
		return false;
	(void)inflate(&z, Z_SYNC_FLUSH);
	is = begins_message(plain, sizeof(plain) - z.avail_out);
	inflateEnd(&z);
	return is;
}
