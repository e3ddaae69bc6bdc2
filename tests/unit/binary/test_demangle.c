#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "symbol/demangle.h"

static void expect(const char *linkage, const char *want)
{
	char *got = demangle(linkage);

	assert_string_equal(got ? got : "(none)", want);
	free(got);
}

static void reads_cxx(void **state)
{
	(void)state;
	expect("_ZN3foo3barEiPKc", "foo::bar");
	expect("_ZNSt6vectorIiSaIiEE9push_backERKi",
	       "std::vector<int, std::allocator<int> >::push_back");
	expect("_ZN3FooC4Ev", "Foo::Foo");
	expect("_ZNK3FooplERKS_", "Foo::operator+");
	expect("_Z3maxIdET_S0_S0_", "max<double>");
	expect("_ZZ4mainENKUlvE_clEv", "main::{lambda()#1}::operator()");
	expect("_ZTv0_n24_N3FooD1Ev", "virtual thunk to Foo::~Foo()");
}

static void reads_rust(void **state)
{
	(void)state;
	/* The older scheme: its hash goes. */
	expect("_ZN4core3fmt9Formatter3pad17h0123456789abcdefE", "core::fmt::Formatter::pad");
	expect("_ZN71_$LT$Test$u20$$u2b$$u20$$u27$static$u20$as$u20$foo..Bar$LT$Test$GT$$GT$3bar"
	       "17h930b740aa94f1d3aE",
	       "<Test + 'static as foo::Bar<Test>>::bar");
	/* The newer one. */
	expect("_RNvC6_123foo3bar", "123foo::bar");
	expect("_RNvMsr_NtCs3ssYzQotkvD_3std4pathNtB5_7PathBuf3newCs15kBYyAo9fc_7mycrate",
	       "<std::path::PathBuf>::new");
}

static void reads_d(void **state)
{
	char *full;

	(void)state;
	expect("_D8demangle4testi", "demangle.test");
	expect("_D8demangle3fnAMxFZv", "demangle.fnA() const");
	expect("_D8demangle4testFZ3fooMFiZv", "demangle.test().foo");
	expect("_D2rt6dmain212_d_run_main2UAAamPUQgZiZ6runAllMFZv",
	       "rt.dmain2._d_run_main2(char[][], ulong, extern(C) int(char[][]) function).runAll");
	expect("_D8demangle4testFiiZv", "demangle.test");
	expect("_D8demangle__T4testTiZv", "demangle.test!(int)");
	expect("_Dmain", "(none)");
	expect("_D", "(none)");
	expect("_D8demangle", "(none)");
	full = demangle_full("_D8demangle4testFiiZv");
	assert_string_equal(full, "demangle.test(int, int)");
	free(full);
}

static void leaves_other_names_alone(void **state)
{
	(void)state;
	expect("main", "(none)");
	expect("", "(none)");
	expect("_start", "(none)");
	expect("_Z", "(none)");
	expect("_ZN", "(none)");
	expect("_R", "(none)");
}

/* Too long, too deep, and one that expands without end. */
static void refuses_hostile_names(void **state)
{
	static char name[200000];
	char *got;

	(void)state;
	strcpy(name, "_Z");
	memset(name + 2, 'P', sizeof(name) - 3);
	assert_null(demangle(name));
	name[8000] = '\0';
	got = demangle(name);
	free(got);
	strcpy(name, "_Z1f");
	for (int i = 0; i < 60; i++)
		strcat(name, "St4pairIS_S_ES1_");
	got = demangle(name);
	assert_true(!got || strlen(got) <= 32 * 1024);
	free(got);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_cxx),
		cmocka_unit_test(reads_rust),
		cmocka_unit_test(reads_d),
		cmocka_unit_test(leaves_other_names_alone),
		cmocka_unit_test(refuses_hostile_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
