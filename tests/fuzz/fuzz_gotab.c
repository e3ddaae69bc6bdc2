/* The table of a Go program, .gopclntab: rows, functions and names. */
#include "cfi/gotab.h"

#define FUZZ_RUN fuzz_gotab_run
#include "fuzz_unwind.h"

static int each_row(void *context, const struct cfi_row *row)
{
	(void)context;
	(void)row;
	return 0;
}

static void each_function(void *context, const char *name, uint64_t start, uint64_t end)
{
	size_t *bytes = context;

	(void)start;
	(void)end;
	*bytes += strnlen(name, 4096);
}

static void read_file(const struct elffile *f)
{
	struct gotab *g = gotab_open(f);
	uint64_t start, end;
	size_t bytes = 0;

	if (g) {
		gotab_range(g, &start, &end);
		(void)gotab_rows(g, 0, f->bytes, each_row, NULL);
		gotab_functions(g, each_function, &bytes);
		(void)gotab_name(g, FUZZ_BIAS + FUZZ_TEXT + 0x21);
		gotab_close(g);
	}
	fuzz_tables(f);
}

static void FUZZ_RUN(const uint8_t *bytes, size_t n)
{
	fuzz_within(fuzz_elf(&(struct fuzz_elf){
			    .section = ".gopclntab", .type = SHT_PROGBITS, .bytes = bytes, .n = n}),
		    read_file);
}
