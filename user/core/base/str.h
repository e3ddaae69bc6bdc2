/*
 * str: a growing string. A zeroed str is empty and valid; s is NULL until the first addition,
 * str_text() never is.
 */
#ifndef BASE_STR_H
#define BASE_STR_H

#include <stddef.h>
#include <stdbool.h>

struct str {
	char *s;       /* NUL-terminated once something was added; owned */
	size_t n, cap; /* bytes, NUL not counted in n */
};

void str_add(struct str *, const char *s);
void str_addn(struct str *, const char *s, size_t n);
void str_addc(struct str *, char c);
void str_addf(struct str *, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
const char *str_text(const struct str *);
/* The string itself, for the caller to free; the str is empty after it. */
char *str_steal(struct str *);
void str_release(struct str *);

/* True when @n bytes are well-formed UTF-8 (RFC 3629) without NUL. */
bool str_is_utf8(const char *s, size_t n);
/* Bytes of the well-formed UTF-8 character at @s of @n bytes; 0 where there is none. */
size_t str_char(const char *s, size_t n);
/* True when the character of @len bytes at @s controls a terminal or the line: C0, DEL, C1, line
 * and paragraph separators, and the overrides of text direction. */
bool str_is_control(const char *s, size_t len);
/* True when str_clean() would change nothing. */
bool str_is_clean(const char *s, size_t n);
/* A copy that is well-formed UTF-8 on one line: bad bytes become U+FFFD, control characters
 * (newline too; str_is_control) become '?'. For every name that comes from a target. Freed by the
 * caller. */
char *str_clean(const char *s, size_t n);
/* The file name @s as a shell takes it for one word that is no option: as it is where nothing in it
 * is special, else in quotes. Always one line that can be pasted. Freed by the caller. */
char *str_quote(const char *s);
/* "Intel(R) Xeon(R) CPU @ 2.20GHz" → "intel-xeon-cpu-2.20ghz": fit for a path; "unknown" where
 * nothing is left. Freed by the caller. */
char *str_slug(const char *s);
/* @s in at most @columns, cut in the middle with @dots where it is longer; "" where those do not
 * fit. Freed by the caller. */
char *str_cut_middle(const char *s, size_t columns, const char *dots);
/* Columns that a terminal shows for UTF-8 @s: see base/columns.h; a byte that is none counts as
 * one.
 */
size_t str_width(const char *s);
/* The end of what of @s fits into @columns; a combining mark stays with what it is on. */
const char *str_fit(const char *s, size_t columns);
/* What stands behind the last slash of @path, a part of it; all of it where nothing does, and of
 * "//anon" and its like, which are no paths. */
const char *str_base(const char *path);
/* The name of the program in a command line: the base of its first word. Freed by the caller. */
char *str_program(const char *command);
bool str_starts(const char *s, const char *prefix);
bool str_ends(const char *s, const char *suffix);

#endif
