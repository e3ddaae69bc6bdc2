#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <sys/wait.h>

#include "../../prog/attempts.h"
#include "confine/confine.h"
#include "snippet.h"

/* Where the child tells of what was not refused; it has no other descriptor. */
enum { REPORT_FD = 3 };

static void told(const char *name, long rc)
{
	if (rc >= 0)
		dprintf(REPORT_FD, "%s ", name);
}

/* What a process of that kind could do, as a child tells it; the caller's. */
static char *done_by(const struct confine_terms *terms, const char *other, const char *input)
{
	int keep[] = {REPORT_FD}, status, fd = memfd_create("report", 0);
	char *text;
	pid_t pid = fork();

	if (!pid) {
		dup2(fd, REPORT_FD);
		confine_silence();
		confine_close(keep, 1);
		if (confine_enter(terms))
			_exit(1);
		attempt_all(told, other, input);
		dprintf(REPORT_FD, "%u GiB shared", attempt_memory(MAP_SHARED | MAP_ANONYMOUS));
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	text = calloc(1, 65536);
	assert_true(pread(fd, text, 65535, 0) > 0);
	close(fd);
	return text;
}

static void readers_can_only_compute(void **state)
{
	char *other = snippet_path("other"), *input = snippet_path("input"), *done;
	const struct confine_terms terms = {.kind = CONFINE_READER,
					    .socket = -1,
					    .memory_bytes = 1ull << 30,
					    .file_bytes = 1 << 20,
					    .cpu_s = 20};

	(void)state;
	snippet_write("other", "x");
	snippet_write("input", "x");
	done = done_by(&terms, other, input);
	assert_string_equal(done, "0 GiB shared");
	free(done);
	free(other);
	free(input);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(readers_can_only_compute),
	};

	return cmocka_run_group_tests(tests, snippet_setup, snippet_teardown);
}
