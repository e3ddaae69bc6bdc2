/*
 * str: a growing string. A zeroed str is empty and valid; s is NULL until the first addition,
 * str_text() never is.
 */
#ifndef BASE_STR_H
#define BASE_STR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct str {
	char *s;       /* NUL-terminated once something was added; owned */
	size_t n, cap; /* bytes, NUL not counted in n */
};

void str_add(struct str *, const char *s);
void str_addn(struct str *, const char *s, size_t n);
void str_addc(struct str *, char c);
void str_addf(struct str *, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
const char *str_text(const struct str *);
/* The string, which the caller frees; the str is empty then. */
char *str_steal(struct str *);
void str_release(struct str *);

/* True when @n bytes are well-formed UTF-8 (RFC 3629) without NUL. */
bool str_is_utf8(const char *s, size_t n);
/* Bytes of the well-formed UTF-8 character at @s of @n bytes; 0 if there is none. */
size_t str_char(const char *s, size_t n);
/* The same, and moves @s and @n past it: past one byte if that is no character. */
size_t str_next(const char **s, size_t *n);
/* The number of the well-formed character of @len bytes at @s. */
uint32_t str_code(const char *s, size_t len);
/* Writes the character of that number, as UTF-8 whatever it is; returns how many bytes, 4 at most.
 */
size_t str_put_code(char *to, uint32_t code);
/* How many columns of a terminal a character takes: 0 if it combines with the one before it or is
 * invisible, 2 if it is wide, else 1. */
unsigned str_columns(uint32_t character);
/* True when the character of @len bytes at @s controls a terminal or the line: C0, DEL, C1, line
 * and paragraph separators, and the overrides of text direction. */
bool str_is_control(const char *s, size_t len);
/* True when str_clean() would change nothing. */
bool str_is_clean(const char *s, size_t n);
/* A copy that is well-formed UTF-8 on one line: bad bytes become U+FFFD, control characters
 * (newline too; str_is_control) become '?'. For every name that comes from a target. Freed by the
 * caller. */
char *str_clean(const char *s, size_t n);
/* The file name @s as one word for a shell, no option: in quotes if anything in it is special.
 * Always one line that can be pasted. Freed by the caller. */
char *str_quote(const char *s);
/* "Intel(R) Xeon(R) CPU @ 2.20GHz" → "intel-xeon-cpu-2.20ghz": fit for a path; "unknown" if nothing
 * is left. Freed by the caller. */
char *str_slug(const char *s);
/* @s in at most @columns: if it is longer, @dots replace its middle; "" if those do not fit. Freed
 * by the caller. */
char *str_cut_middle(const char *s, size_t columns, const char *dots);
/* Columns that a terminal shows for UTF-8 @s; a bad byte counts as one. */
size_t str_width(const char *s);
/* Where the part of @s ends that fits into @columns; a combining mark stays with its letter. */
const char *str_fit(const char *s, size_t columns);
/* The part of @path behind its last slash; all of it if that is empty, and of "//anon" and the
 * like, which are no paths. */
const char *str_base(const char *path);
/* The name of the program in a command line: the base of its first word. Freed by the caller. */
char *str_program(const char *command);
bool str_starts(const char *s, const char *prefix);
bool str_ends(const char *s, const char *suffix);

#endif
