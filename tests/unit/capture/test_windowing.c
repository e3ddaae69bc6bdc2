#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

/* For what is due, which nobody else is told; cmocka has a macro of the same name. */
#undef fail
#include "../../../user/capture/windowing.c"

static void many_images_end_a_window(void **state)
{
	const uint64_t start = 1000, early = start + LEAST_NS;
	struct intake in = {.images = images_new()};
	struct windowing t = {0};

	(void)state;
	in.procs = procs_new(in.images);
	windowing_start(&t, &(struct windowing_host){.in = &in, .length_ns = MOST_NS}, start);
	for (uint32_t i = 1; i <= 2048; i++) {
		assert_false(is_due(&t, early));
		/* With a name in brackets nothing is looked for. */
		images_file(in.images, 1, 0, 4096, &(struct image_id){.path = "[x]", .inode = i});
	}
	assert_true(is_due(&t, early));
	assert_false(is_due(&t, early - 1));
	/* The next window begins with none. */
	windowing_start(&t, &t.host, early);
	assert_false(is_due(&t, early + LEAST_NS));
	procs_free(in.procs);
	images_free(in.images);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(many_images_end_a_window),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
