/* pmcstat's call graphs: callers share what a function took; the rest of it had none. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>

#include "export_text.h"
#include "imported.h"

extern const struct export folded_export;

static void shares_samples_among_callers(void **state)
{
	struct profile *p =
		imported("pmcstat", "@ inst_retired.any [17 samples]\n\n"
				    "# a comment\n"
				    "58.82%  [10]       lz4 @ /boot/kernel/zfs.ko\n"
				    " 60.00%  [6]        compress\n"
				    "  100.0%  [6]         write @ /boot/kernel/kernel\n"
				    " 20.00%  [2]        other @ /boot/kernel/zfs.ko\n"
				    "odd\n"
				    "   9.0%  [2]        too deep\n"
				    "41.18%  [7]        copy @ /boot/kernel/kernel\n");
	char *text = export_text(&folded_export, p, true);

	(void)state;
	assert_string_equal(text, "all threads;copy_[k] 7\n"
				  "all threads;lz4_[k] 2\n"
				  "all threads;other_[k];lz4_[k] 2\n"
				  "all threads;write_[k];compress_[k];lz4_[k] 6\n");
	free(text);
	assert_string_equal(profile_text(p, p->metrics.at[0].name), "inst_retired.any");
	assert_int_equal(ledger_count(p, 0, LEDGER_KEPT), 17);
	assert_int_equal(ledger_count(p, 0, LEDGER_APART), 2);
	profile_free(p);
	refused("pmcstat", "@ x [1 samples]\n", "holds no samples");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shares_samples_among_callers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
