/* Names of C++ without what it spells out. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>

#include "query/short_name.h"

static void check_name(const char *name, const char *wanted)
{
	char *got = short_name(name, "…");

	assert_string_equal(got, wanted);
	free(got);
}

static void folds_templates(void **state)
{
	(void)state;
	check_name("v8::internal::JsonParser<unsigned char>::ParseJson",
		   "v8::internal::JsonParser<…>::ParseJson");
	check_name("std::map<std::pair<int, int>, std::vector<long> >::find(int)",
		   "std::map<…>::find(int)");
	check_name("v8::JsonStringifier::Serialize_<true>",
		   "v8::JsonStringifier::Serialize_<true>");
	check_name("a<b<c>, std::function<void ()> >::f", "a<…>::f");
	check_name("f<auto (int) -> decltype(1)>(int)", "f<…>(int)");
	check_name("core::iter::fold::<alloc::vec::Vec<T>>", "core::iter::fold::<…>");
	check_name("core::iter::fold::<u8>", "core::iter::fold::<u8>");
}

static void knows_strings(void **state)
{
	(void)state;
	check_name("f(std::__cxx11::basic_string<char, std::char_traits<char>, "
		   "std::allocator<char> > const&)",
		   "f(std::string const&)");
	check_name("std::__cxx11::list<int>::push", "std::list<int>::push");
	check_name("std::__1::basic_string<char, std::__1::char_traits<char>, "
		   "std::__1::allocator<char> >::size",
		   "std::string::size");
	check_name("f(std::basic_string_view<char, std::char_traits<char> >)",
		   "f(std::string_view)");
}

static void leaves_others(void **state)
{
	static const char *const names[] = {
		"",
		"main",
		"operator<<",
		"a::operator<",
		"operator->",
		"my_operator<int>",
		"<alloc::vec::Vec<T> as core::ops::drop::Drop>::drop",
		"long Slow.serve(long)",
		"[stack incomplete]",
		"broken<never closed, this one",
		"<",
		"operator",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		check_name(names[i], names[i]);
	check_name("a::operator<< <std::char_traits<char> >",
		   "a::operator<< <std::char_traits<char> >");
	check_name("a::operator()<unsigned long>", "a::operator()<unsigned long>");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(folds_templates),
		cmocka_unit_test(knows_strings),
		cmocka_unit_test(leaves_others),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
