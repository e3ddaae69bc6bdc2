/* Machine code that nothing describes: where it returns, islands in gaps; and, as confined children
 * do, where it can be probed. */
#include "code/returns.h"
#include "code/site.h"

#define FUZZ_RUN fuzz_code_run
#include "fuzz_unwind.h"

static const uint8_t *text;
static size_t text_bytes;

static int each_row(void *context, const struct cfi_row *row)
{
	(void)context;
	(void)row;
	return 0;
}

static void find_sites(void)
{
	const struct site_world world = {.kernel = {.long_nops = true}, .sweep = true};
	const struct code own = {.bytes = text,
				 .n = text_bytes,
				 .address = FUZZ_BIAS + FUZZ_TEXT,
				 .offset = FUZZ_TEXT};
	struct sites sites;

	sites_find(&world, &own, &sites);
	expect(sites.why || sites.entry.offset - FUZZ_TEXT < text_bytes);
	sites_release(&sites);
}

static void read_file(const struct elffile *f)
{
	const struct returns_part part = {.from = FUZZ_TEXT, .to = FUZZ_TEXT + FUZZ_TEXT_BYTES};
	struct returns *r = returns_new(f);

	(void)returns_rows(r, &part, each_row, NULL);
	returns_free(r);
	fuzz_tables(f);
}

static void FUZZ_RUN(const uint8_t *bytes, size_t n)
{
	text = bytes;
	text_bytes = n < FUZZ_TEXT_BYTES ? n : FUZZ_TEXT_BYTES;
	if (!n)
		return;
	fuzz_within(fuzz_elf(&(struct fuzz_elf){.section = "", .text = bytes, .text_bytes = n}),
		    read_file);
	find_sites();
}
