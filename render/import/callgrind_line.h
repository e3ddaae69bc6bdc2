/*
 * callgrind_line: the lines of callgrind's format, each by itself, with what one tells of the next:
 * names and positions are compressed against those before. As in valgrind's manual, "Callgrind
 * Format Specification".
 *
 *	fn=(12) main          (12) is main from now on
 *	cfn=(13)              … what 13 was said to be
 *	calls=3 +2            the next line's cost is of 3 calls of it
 *	+4 100 7              four lines further down: 100 of the first event, 7 of the second
 */
#ifndef IMPORT_CALLGRIND_LINE_H
#define IMPORT_CALLGRIND_LINE_H

#include "import/callgraph.h"
#include "import/scan.h"

enum callgrind_space { CALLGRIND_OBJECT, CALLGRIND_FILE, CALLGRIND_FUNCTION, CALLGRIND_SPACES };

/* "(12) main", "(12)" or "main": *@name is the text, where the line has it, *@number the number or
 * UINT32_MAX. False: it is broken. */
bool callgrind_name(struct span value, uint32_t *number, struct span *name);

/* Up to two positions: of the instruction and the line; which there are says "positions:". Some
 * writers compress costs as well: "*" is that of the line before, "+3" more, and then "-3" less;
 * else "-3" is a cost, such as Xdebug's of memory that is freed. */
struct callgrind_positions {
	size_t n;	/* 1 or 2 */
	size_t line_at; /* which of them is the line; n: none */
	uint64_t at[2];
	bool relative; /* a cost was "*" or "+3" */
	int64_t cost[CALLGRAPH_VALUES];
};

/* "positions: instr line": false where it is none of those that there are. */
bool callgrind_positions_read(struct callgrind_positions *, struct span value);

/* "+4 100 7": positions move on, and @n costs, CALLGRAPH_VALUES at most; those that are missing are
 * 0. False: it is none, or a number does not fit. */
bool callgrind_cost(struct callgrind_positions *, struct span line, size_t n, int64_t *costs);

/* The line that the positions are at; 0 unknown. */
uint32_t callgrind_source_line(const struct callgrind_positions *);

#endif
