/* Options of `eprof record` that only build/eprof-tests has: what a test cannot come to by itself.
 */
#include <errno.h>
#include <string.h>

#include "base/err.h"
#include "base/units.h"
#include "cmd/record_options.h"

/* Stacks whose hashes collide. */
static int take_hash_bits(void *bits, const char *arg)
{
	int64_t number = 0;
	const int ret = units_parse_int(arg, "--hash-bits", 1, 64, &number);

	*(unsigned *)bits = (unsigned)number;
	return ret;
}

/* No memory for unwind tables. */
static int take_table_kib(void *bytes, const char *arg)
{
	int64_t number = 0;
	const int ret = units_parse_int(arg, "--table-kib", 4, TABLES_MAX_BYTES / 1024, &number);

	*(uint64_t *)bytes = (uint64_t)number * 1024;
	return ret;
}

/* What an older kernel has: "multi": no sessions; "one": neither, nor many at once. */
static int take_uprobes(void *engine, const char *arg)
{
	struct engine_options *o = engine;

	o->one_by_one = !strcmp(arg, "one");
	o->no_session = o->one_by_one || !strcmp(arg, "multi");
	return o->no_session ? 0 : err(-EINVAL, "--uprobes is one or multi");
}

#define AT(field) offsetof(struct record_options, field)

const struct option_row record_test_rows[] = {
	{"hash-bits", 0, OPTION_TAKE, AT(hash_bits), {take_hash_bits}},
	{"table-kib", 0, OPTION_TAKE, AT(table_bytes), {take_table_kib}},
	{"uprobes", 0, OPTION_TAKE, AT(probes.o), {take_uprobes}},
	{0},
};
