#include "query/short_name.h"

#include <ctype.h>
#include <string.h>

#include "base/str.h"

/* Arguments of up to so many bytes stay: "int", "false", "42". */
#define KEPT 8

static const struct {
	const char *spelled, *said;
} words[] = {
	{"std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >",
	 "std::string"},
	{"std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char>>",
	 "std::string"},
	{"std::basic_string<char, std::char_traits<char>, std::allocator<char> >", "std::string"},
	{"std::__1::basic_string<char, std::__1::char_traits<char>, std::__1::allocator<char> >",
	 "std::string"},
	{"std::__1::basic_string<char, std::__1::char_traits<char>, std::__1::allocator<char>>",
	 "std::string"},
	{"std::basic_string_view<char, std::char_traits<char> >", "std::string_view"},
	{"std::basic_string_view<char, std::char_traits<char>>", "std::string_view"},
	{"std::__cxx11::", "std::"},
	{"std::__1::", "std::"},
};

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* Whether arguments of a template may begin at @at: behind its name, or Rust's "::". */
static bool is_behind_name(const char *name, const char *at)
{
	return at > name && (is_word(at[-1]) || (at - name > 2 && at[-1] == ':' && at[-2] == ':'));
}

/* Where the word "operator" ends right before @at, and not within another one. */
static bool is_operator(const char *name, const char *at)
{
	static const char word[] = "operator";
	const size_t n = sizeof(word) - 1;

	return (size_t)(at - name) >= n && !memcmp(at - n, word, n) &&
	       ((size_t)(at - name) == n || !is_word(at[-(long)n - 1]));
}

/* The end of an operator's own signs: "<", "<<=", "->", "<=>", "()". */
static const char *past_signs(const char *at)
{
	if (!strncmp(at, "()", 2))
		return at + 2;
	return at + strspn(at, "<>=-*");
}

/* Behind the '>' that closes the '<' at @at; NULL: nothing does. */
static const char *past_arguments(const char *at)
{
	size_t depth = 0;

	for (; *at; at++) {
		depth += *at == '<';
		if (*at == '>' && at[-1] != '-' && !--depth)
			return at + 1;
	}
	return NULL;
}

static const char *take_word(struct str *out, const char *at)
{
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		if (!str_starts(at, words[i].spelled))
			continue;
		str_add(out, words[i].said);
		return at + strlen(words[i].spelled);
	}
	str_addc(out, *at);
	return at + 1;
}

char *short_name(const char *name, const char *dots)
{
	struct str out = {0};
	const char *at = name, *end;

	str_add(&out, "");
	while (*at) {
		if (at > name && is_operator(name, at)) {
			end = past_signs(at);
			str_addn(&out, at, (size_t)(end - at));
			at = end;
			if (!*at)
				break;
		}
		end = *at == '<' && is_behind_name(name, at) ? past_arguments(at) : NULL;
		if (end && (size_t)(end - at) > KEPT + 2) {
			str_addf(&out, "<%s>", dots);
			at = end;
		} else {
			at = take_word(&out, at);
		}
	}
	return str_steal(&out);
}
