#include "function/zoneword.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "base/mem.h"

static bool is_word_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_' || (unsigned char)c >= 0x80;
}

/* Words of readable names that linkers write in other ways. */
static const char abbreviated[] =
	" std allocator basic_string string basic_istream istream ostream "
	"basic_ostream iostream basic_iostream operator new delete int unsigned "
	"signed char short long float double bool void const volatile wchar_t "
	"char8_t char16_t char32_t __int128 __float128 auto decltype nullptr "
	"nullptr_t lambda unnamed type anonymous namespace clone guard variable "
	"for vtable typeinfo thunk virtual non covariant return initializer "
	"reference temporary transaction closure shim impl dyn str usize isize "
	"u128 i128 f16 u16 u32 u64 i16 i32 i64 f32 f64 f128 mut true false this "
	"decimal32 decimal64 complex restrict noexcept throw requires sizeof "
	"alignof typename template enum union struct class default array vector "
	"__vector co_await imaginary _Complex transparent extern unsafe never ";

static bool is_abbreviated(const char *word, size_t n)
{
	const char *at = abbreviated;

	while ((at = memmem(at, strlen(at), word, n))) {
		if (at[-1] == ' ' && at[n] == ' ')
			return true;
		at++;
	}
	return false;
}

static bool is_usable(const char *word, size_t n)
{
	if (n < 3 || (word[0] >= '0' && word[0] <= '9') || is_abbreviated(word, n))
		return false;
	for (size_t i = 0; i < n; i++) {
		if ((unsigned char)word[i] >= 0x80) /* Rust spells these out */
			return false;
	}
	return true;
}

char *zoneword_find(const char *glob)
{
	const char *best = NULL;
	size_t best_n = 0;

	for (const char *at = glob; *at && *at != '[' && *at != '\\';) {
		size_t n = 0;

		while (is_word_char(at[n]))
			n++;
		if (n > best_n && is_usable(at, n)) {
			best = at;
			best_n = n;
		}
		at += n ? n : 1;
	}
	return best ? mem_strndup(best, best_n) : NULL;
}
