/* SPDX-License-Identifier: GPL-2.0 */
/*
 * table: the memory layout of the unwind rules of one file. User space compiles it from the file's
 * CFI; the walker reads it, in the kernel and (for tests) natively. One array of 64-bit words, so
 * that it fits a BPF array of its exact size:
 *
 *	header	struct table_header
 *	pages	u32 each, two a word: the first row of each 2 KiB page of the file, and one more
 *	rows	u32 each, two a word: the offset in the page, then the number of the rule
 *	rules	struct table_rule, two words each, on an even word
 *
 * The words are padded to whole lines, the map's values, so that a search needs few lookups.
 *
 * Keys are file offsets, as a mapping's pgoff gives them, so no load bias is needed. A rule holds
 * from its row to the next; each page begins with a row of its own, at 0. Rows of one page are
 * sorted and distinct. A rule may say that the stack grows or shrinks by a word a few bytes behind
 * its row, which saves the row of every second push and pop: a third of all.
 */
#ifndef SAMPLE_TABLE_H
#define SAMPLE_TABLE_H

#include "wire.h"

/* Small, since a walk costs the cache lines it touches: finding a row touches one line of pages and
 * two or three of rows. */
#define TABLE_PAGE_BITS 11
#define TABLE_PAGE_MASK ((1u << TABLE_PAGE_BITS) - 1)
#define TABLE_MAGIC	0x65707274 /* "eprt" */

/* A value of the map, as large as a page of memory, of which such a map consists anyway. */
#define TABLE_LINE_BYTES 4096
#define TABLE_LINE_WORDS (TABLE_LINE_BYTES / 8)

struct table_header {
	wire_u32 magic;
	wire_u32 first_page; /* number of the first page: file offset >> TABLE_PAGE_BITS */
	wire_u32 n_pages;
	wire_u32 n_rows;
	wire_u32 n_rules;
	wire_u32 pages_at, rows_at, rules_at; /* word indices */
};
_Static_assert(sizeof(struct table_header) == 32, "table_header is four words");

/* How to find the canonical frame address. */
enum table_cfa {
	TABLE_CFA_NONE = 0,  /* no rule covers this code: frame pointer, if plausible */
	TABLE_CFA_REG = 1,   /* register reg + cfa_offset */
	TABLE_CFA_DEREF = 2, /* *(register reg + cfa_offset) + cfa_add */
	TABLE_CFA_PLT = 3,   /* rsp + 8 + ((rip & 15) >= cfa_add ? 8 : 0), as in .plt */
	TABLE_CFA_OTHER = 4, /* an expression that only user space evaluates */
	TABLE_CFA_INDEX =
		5, /* *(reg + cfa_offset + 8 * saved_reg) + cfa_add: OpenSSL's bn_mul_mont */
};

/* Where a caller's register is saved. */
enum table_saved {
	TABLE_SAME = 0,	       /* still in its register */
	TABLE_AT_CFA = 1,      /* at *(CFA + offset) */
	TABLE_IN_REG = 2,      /* in register number offset */
	TABLE_AT_DEREF = 3,    /* at *(register reg + offset): signal frames */
	TABLE_UNDEFINED = 4,   /* for the return address: this is the outermost frame */
	TABLE_SAVED_OTHER = 5, /* an expression that only user space evaluates */
};

/* Flags. SIGNAL: an interrupted frame; its caller's pc is exact, not a return address. */
#define TABLE_SIGNAL 1
/* The rule was derived from the machine code, not from CFI: marks the caller's frame as a guess. */
#define TABLE_GUESS 32
/* Bytes behind the row at which cfa_offset grows by 8, or with TABLE_POP shrinks by 8; 0: never. */
#define TABLE_AFTER(flags) ((flags) >> 1 & 7)
#define TABLE_MAX_AFTER	   7
#define TABLE_POP	   16
/* The file has an interpreter of scripts: the frame may be its loop. */
#define TABLE_SCRIPT 64

/* Registers by their DWARF numbers on x86-64: rbx 3, rbp 6, rsp 7, r8-r15 8-15, rip 16. */
struct table_rule {
	wire_u8 cfa; /* enum table_cfa */
	wire_u8 reg; /* of the CFA */
	wire_u8 ra;  /* enum table_saved, of the return address */
	wire_u8 bp;  /* enum table_saved, of rbp */
	wire_u8 flags;
	wire_u8 saved_reg; /* for TABLE_AT_DEREF and TABLE_CFA_INDEX */
	short ra_offset;   /* relative to the CFA; usually -8 */
	int cfa_offset;
	short bp_offset;
	short cfa_add;
};
_Static_assert(sizeof(struct table_rule) == 16, "table_rule is two words");

/* Turns @r, the rule of a row, into the rule @past bytes behind the row. */
static inline __attribute__((always_inline, unused)) void table_rule_past(struct table_rule *r,
									  wire_u32 past)
{
	wire_u32 after = TABLE_AFTER(r->flags);

	if (after && past >= after)
		r->cfa_offset += r->flags & TABLE_POP ? -8 : 8;
	r->flags &= TABLE_SIGNAL | TABLE_GUESS | TABLE_SCRIPT;
}

#endif
