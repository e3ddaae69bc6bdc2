/* --frames: which frames of stacks are shown. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/mem.h"
#include "select/frames_shown.h"

#include "export_text.h"
#include "script_profile.h"

static void assert_stacks(enum frames_shown which, const char *text)
{
	struct profile *p = script_profile();
	char *folded;

	frames_show(p, which);
	assert_int_equal(profile_check(p), 0);
	folded = export_text(export_find("folded"), p, true);
	assert_string_equal(folded, text);
	free(folded);
	profile_free(p);
}

static void all(void **state)
{
	(void)state;
	assert_stacks(FRAMES_ALL, "python3;main;collect 7\n"
				  "python3;main;run;dumps 5\n"
				  "python3;main;run;save 20\n"
				  "python3;main;run;save;write;vfs_write_k_[k] 10\n"
				  "python3;run 3\n");
}

static void of_scripts(void **state)
{
	(void)state;
	assert_stacks(FRAMES_SCRIPT, "python3;[native] 7\n"
				     "python3;run 3\n"
				     "python3;run;dumps 5\n"
				     "python3;run;save 30\n");
}

static void of_native_code(void **state)
{
	(void)state;
	assert_stacks(FRAMES_NATIVE, "python3;[script] 3\n"
				     "python3;main 25\n"
				     "python3;main;collect 7\n"
				     "python3;main;write;vfs_write_k_[k] 10\n");
}

/* A row's text knows what the others of its kind do. */
static void kinds(void **state)
{
	(void)state;
	assert_true(frame_kind_is_script(KIND_PYTHON));
	assert_false(frame_kind_is_script(KIND_NATIVE) || frame_kind_is_script(KIND_JIT) ||
		     frame_kind_is_script(KIND_VDSO) || frame_kind_is_script(255));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all),
		cmocka_unit_test(of_scripts),
		cmocka_unit_test(of_native_code),
		cmocka_unit_test(kinds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
