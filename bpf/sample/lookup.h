/* SPDX-License-Identifier: GPL-2.0 */
/*
 * lookup: finds the rule for a file offset in the file's table (table.h). For BPF programs and
 * native code alike. Before it includes this, the includer defines
 *
 *	static inline const void *table_line(void *table, wire_u32 number);
 *
 * which returns the table's line of that number, TABLE_LINE_BYTES of memory, or NULL if there is
 * none. The lines' contents are not trusted: any bytes lead to a rule, to none, or to a call of
 * table_line() for a line that does not exist.
 */
#ifndef SAMPLE_LOOKUP_H
#define SAMPLE_LOOKUP_H

#include "sample/table.h"

#define LOOKUP_INLINE static inline __attribute__((always_inline, unused))

/* Steps to halve the rows of a page, at most one per byte; those within one line need no lookup. */
#define LOOKUP_LINE_NUMBERS (TABLE_LINE_BYTES / 4)
#define LOOKUP_LINE_STEPS   10
#define LOOKUP_STEPS	    (TABLE_PAGE_BITS + 1)

/* The 32-bit number at @index, counted from the start of the table. */
LOOKUP_INLINE int table_number(void *table, wire_u64 index, wire_u32 *out)
{
	const wire_u32 *line = table_line(table, (wire_u32)(index / LOOKUP_LINE_NUMBERS));

	if (!line)
		return -1;
	*out = line[index % LOOKUP_LINE_NUMBERS];
	return 0;
}

/* Reads the header. -1 if @table is none. Callers that read a table many times keep the header. */
LOOKUP_INLINE int table_open(void *table, struct table_header *out)
{
	const struct table_header *line = table_line(table, 0);

	if (!line)
		return -1;
	*out = *line;
	return out->magic == TABLE_MAGIC ? 0 : -1;
}

/* 1 if the row's offset is at most @low, else 0. Arithmetic, since the verifier would follow both
 * ways of a branch at each step of a search. */
LOOKUP_INLINE wire_u64 table_reaches(wire_u32 row, wire_u32 low)
{
	return ((wire_u64)(row & 0xffff) - low - 1) >> 63;
}

/* The last of the @n rows from index @base on whose offset is at most @low. By halving: first until
 * the rest is in one line, then within that line. */
LOOKUP_INLINE int table_search(void *table, wire_u64 base, wire_u64 n, wire_u32 low, wire_u32 *row)
{
	const wire_u32 *line;

	for (int i = 0; i < LOOKUP_STEPS; i++) {
		wire_u64 half = n / 2;
		wire_u32 probe;

		if (base / LOOKUP_LINE_NUMBERS == (base + n - 1) / LOOKUP_LINE_NUMBERS)
			break;
		if (table_number(table, base + half, &probe))
			return -1;
		base += half * table_reaches(probe, low);
		n -= half;
	}
	line = table_line(table, (wire_u32)(base / LOOKUP_LINE_NUMBERS));
	if (!line)
		return -1;
	for (int i = 0; i < LOOKUP_LINE_STEPS && n > 1; i++) {
		wire_u64 half = n / 2;

		base += half * table_reaches(line[(base + half) % LOOKUP_LINE_NUMBERS], low);
		n -= half;
	}
	*row = line[base % LOOKUP_LINE_NUMBERS];
	return 0;
}

/*
 * The row of file offset @offset: the number of its rule, and the bytes between. 0: found. Offsets
 * outside the table have no rule.
 */
LOOKUP_INLINE int table_find(void *table, const struct table_header *h, wire_u64 offset,
			     wire_u32 *rule, wire_u32 *past)
{
	wire_u64 page = (offset >> TABLE_PAGE_BITS) - h->first_page;
	wire_u64 at = 2 * (wire_u64)h->pages_at + page;
	wire_u32 first, end, row;

	if (page >= h->n_pages || table_number(table, at, &first) ||
	    table_number(table, at + 1, &end) || first >= end ||
	    table_search(table, 2 * (wire_u64)h->rows_at + first, end - first,
			 offset & TABLE_PAGE_MASK, &row))
		return -1;
	*rule = row >> 16;
	*past = (offset & TABLE_PAGE_MASK) - (row & 0xffff);
	return 0;
}

/* Rule number @rule, in the table's own memory; NULL if there is none. */
LOOKUP_INLINE const struct table_rule *table_rule_at(void *table, const struct table_header *h,
						     wire_u32 rule)
{
	wire_u64 at = (wire_u64)h->rules_at / 2 + rule;
	const struct table_rule *line;

	line = table_line(table, (wire_u32)(at / (TABLE_LINE_WORDS / 2)));
	return line ? &line[at % (TABLE_LINE_WORDS / 2)] : 0;
}

#endif
