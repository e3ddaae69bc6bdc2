/*
 * columns: how many columns of a terminal a character takes, by tables of the Unicode standard
 * (14.0: EastAsianWidth.txt, W and F; UnicodeData.txt, Mn, Me and Cf): wcwidth(3) answers for the
 * locale that a program has set, which may be none.
 */
#ifndef BASE_COLUMNS_H
#define BASE_COLUMNS_H

#include <stddef.h>
#include <stdint.h>

/* 0 of what combines with the character before it and of what does not show, 2 of wide characters,
 * 1 of all others. */
unsigned columns_of(uint32_t character);

/* The character of well-formed UTF-8 of @len bytes at @s: see str_char(). */
uint32_t columns_character(const char *s, size_t len);

#endif
