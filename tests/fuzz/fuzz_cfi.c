/* Call frame information: the bytes behind the first are .eh_frame, or .debug_frame where the first
 * is odd: entries, programs, expressions, as rows, tables and single steps. */
#include "cfi/fde.h"

#define FUZZ_RUN fuzz_cfi_run
#include "fuzz_unwind.h"

static int each_row(void *context, const struct cfi_row *row)
{
	uint64_t *before = context;

	expect(row->offset >= *before);
	*before = row->offset;
	return 0;
}

static void read_file(const struct elffile *f)
{
	struct fde_table table;
	uint64_t before = 0, start, end;
	struct cfi *cfi;

	if (!cfi_open(f, &cfi)) {
		(void)cfi_rows(cfi, 0, f->bytes, each_row, &before);
		cfi_close(cfi);
	}
	fuzz_tables(f);
	fde_open(f, &table);
	(void)fde_find(&table, FUZZ_BIAS + FUZZ_TEXT, &start, &end);
	fde_release(&table);
}

static void FUZZ_RUN(const uint8_t *bytes, size_t n)
{
	if (!n)
		return;
	fuzz_within(
		fuzz_elf(&(struct fuzz_elf){.section = bytes[0] & 1 ? ".debug_frame" : ".eh_frame",
					    .type = SHT_PROGBITS,
					    .bytes = bytes + 1,
					    .n = n - 1}),
		read_file);
}
