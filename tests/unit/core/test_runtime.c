#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "select/runtime.h"

static void knows_runtimes_by_their_files(void **state)
{
	static const struct {
		const char *path, *name;
	} known[] = {
		{"/usr/bin/node", "Node.js"},
		{"/usr/lib/x86_64-linux-gnu/libnode.so.108", "Node.js"},
		{"/usr/lib/jvm/java-17-openjdk-amd64/lib/server/libjvm.so", "Java"},
		{"/usr/bin/python3.11", "Python"},
		{"/usr/lib/x86_64-linux-gnu/libpython3.11.so.1.0", "Python"},
		{"/usr/share/dotnet/shared/Microsoft.NETCore.App/8.0.1/libcoreclr.so", ".NET"},
		{"/usr/bin/php8.2", "PHP"},
		{"/usr/lib/erlang/erts-13.1.5/bin/beam.smp", "Erlang"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
		assert_non_null(runtime_of(known[i].path));
		assert_string_equal(runtime_of(known[i].path)->name, known[i].name);
	}
	assert_null(runtime_of("/usr/bin/nodeinfo"));
	assert_null(runtime_of("/usr/sbin/node_exporter"));
	assert_null(runtime_of("/usr/lib/x86_64-linux-gnu/libc.so.6"));
	assert_null(runtime_of("//anon"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(knows_runtimes_by_their_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
