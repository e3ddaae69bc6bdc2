/*
 * units: writes and reads numbers as people do. The writers fill at most @size bytes, with the NUL,
 * and return @buf.
 */
#ifndef BASE_UNITS_H
#define BASE_UNITS_H

#include <stddef.h>
#include <stdint.h>

#define UNITS_BUF 32

/* 950 ns, 1.23 µs, 45.6 ms, 7.89 s, 2 min 05 s: three digits, UTF-8 µ. */
char *units_ns(char *buf, size_t size, double ns);
/* 512 B, 1.5 KiB, 20.3 MiB. */
char *units_bytes(char *buf, size_t size, double bytes);
/* 1,234,567: exact, grouped by comma. */
char *units_count(char *buf, size_t size, int64_t n);
/* "st" of 1st. */
const char *units_ordinal(uint64_t n);
/* 12.3 %, <0.1 %, 100 %. @whole 0 gives "–". */
char *units_percent(char *buf, size_t size, double part, double whole);
/* Values are whole numbers: of the unit "1/1000" thousandths, as of "1/10" to "1/1000000000".
 * Returns how many of them are 1, of other units 1. */
int64_t units_fraction(const char *unit);
/* A value in a metric's unit: "ns" as units_ns, "bytes" as units_bytes, else units_count; of
 * "1/1000" 1136 is 1.136. */
char *units_value(char *buf, size_t size, double value, const char *unit);
/* The same for programs to read, exact: 1234567, or 1.136; of "ns" and "bytes" as many as there
 * are. */
char *units_plain(char *buf, size_t size, int64_t value, const char *unit);
/* RFC 3339 in UTC with seconds, from nanoseconds since the epoch. */
char *units_time(char *buf, size_t size, int64_t unix_ns);

/* The same into a buffer that lives as long as the block around the call. */
#define ns_text(ns)		  units_ns((char[UNITS_BUF]){0}, UNITS_BUF, ns)
#define bytes_text(bytes)	  units_bytes((char[UNITS_BUF]){0}, UNITS_BUF, bytes)
#define count_text(n)		  units_count((char[UNITS_BUF]){0}, UNITS_BUF, n)
#define percent_text(part, whole) units_percent((char[UNITS_BUF]){0}, UNITS_BUF, part, whole)
#define value_text(value, unit)	  units_value((char[UNITS_BUF]){0}, UNITS_BUF, value, unit)
#define time_text(unix_ns)	  units_time((char[UNITS_BUF]){0}, UNITS_BUF, unix_ns)

/* "2s", "20ms", "1.5m", "10" (seconds) → nanoseconds. -EINVAL with a text that names @what for
 * anything else, negative or beyond 2^62. */
int units_parse_ns(const char *s, const char *what, int64_t *ns);
/* The number at the start of @s: "64K", "1.5M", of 2^10 and 2^20. *@end: what follows; @s itself if
 * there is none. */
double units_parse_binary(const char *s, const char **end);
/* Reads a whole decimal number in [@min, @max], with nothing around it. */
int units_parse_int(const char *s, const char *what, int64_t min, int64_t max, int64_t *out);

#endif
