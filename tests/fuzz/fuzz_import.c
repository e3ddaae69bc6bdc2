/*
 * The reader of one format of render/import, FUZZ, on any bytes: what comes of them has passed
 * profile_check(), or is refused with a text. For libFuzzer (make fuzz), and for
 * tests/unit/test_import_fuzz.c.
 */
#include "base/err.h"
#include "import/import.h"

#define FUZZ_RUN fuzz_import_run
#define FUZZ_MS	 2000
#define FUZZ_MIB 64 /* what is compressed may be large */
#include "fuzz.h"

static void FUZZ_RUN(const uint8_t *bytes, size_t n)
{
	struct profile *p = NULL;
	struct input in;
	int rc;

	input_from_memory(&in, "fuzz", bytes, n);
	rc = import_input(&in, import_find(FUZZ), &p);
	if (rc > 0 || (rc && !err_text()[0]) || (!rc && profile_check(p)))
		abort();
	profile_free(p);
	input_close(&in);
}
