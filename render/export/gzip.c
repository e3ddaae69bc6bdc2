#include "export/gzip.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define BITS_GZIP (15 + 16) /* the largest window, and gzip's head and checksum */
#define LEVEL	  3 /* profiles repeat themselves: higher ones take longer and save little */

static voidpf allocate(voidpf opaque, uInt n, uInt size)
{
	(void)opaque;
	return mem_zalloc(n, size);
}

static void release(voidpf opaque, voidpf p)
{
	(void)opaque;
	free(p);
}

void gzip_begin(struct gzip *g, FILE *out)
{
	memset(&g->z, 0, sizeof(g->z));
	g->z.zalloc = allocate;
	g->z.zfree = release;
	g->out = out;
	/* Fails for want of memory alone, and mem_zalloc() does not. */
	(void)deflateInit2(&g->z, LEVEL, Z_DEFLATED, BITS_GZIP, 8, Z_DEFAULT_STRATEGY);
}

static void run(struct gzip *g, int flush)
{
	do {
		g->z.next_out = g->buf;
		g->z.avail_out = sizeof(g->buf);
		(void)deflate(&g->z, flush);
		fwrite(g->buf, 1, sizeof(g->buf) - g->z.avail_out, g->out);
	} while (!g->z.avail_out);
}

#define PIECE_MOST ((size_t)1 << 30) /* avail_in has 32 bits */

void gzip_put(struct gzip *g, const void *data, size_t n)
{
	const unsigned char *at = data;

	while (n) {
		const size_t piece = n < PIECE_MOST ? n : PIECE_MOST;

		g->z.next_in = (unsigned char *)at;
		g->z.avail_in = (uInt)piece;
		run(g, Z_NO_FLUSH);
		at += piece;
		n -= piece;
	}
}

void gzip_end(struct gzip *g)
{
	g->z.avail_in = 0;
	run(g, Z_FINISH);
	deflateEnd(&g->z);
}
