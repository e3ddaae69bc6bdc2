/*
 * sides: the runs that a comparison is of, read from files: two sets of files, or runs of a store
 * and their baseline there; or a profile that was just captured, and what it is held against. Reads
 * files that others may have written: never in a process with privileges.
 */
#ifndef COMPARE_SIDES_H
#define COMPARE_SIDES_H

#include "compare/compare.h"
#include "store/catalog.h"

/* All borrowed. */
struct sides_wanted {
	const char *const *files[SIDES]; /* base files: none where the baseline is to be chosen */
	size_t n[SIDES];
	const struct profile *captured; /* the new side, in place of files; NULL: files */
	const char *store;		/* where the baseline is; NULL: in the new file itself */
	const char *baseline; /* this version of it; NULL: chosen, of base files the newest */
	const struct selection *selection; /* which of the new side's runs */
	bool siblings;	/* and with that run all others of its program, version and machine */
	size_t runs;	/* at most so many a version */
	size_t history; /* runs before, to look at the course of; 0: none */
};

struct sides {
	VEC(const struct profile *) runs[SIDES]; /* owned, but for one that was captured */
	VEC(const struct profile *) history;	 /* owned */
	/* Owned: how the base was chosen, and why, or why there is none; NULL: it was named. */
	char *choice;
	const struct profile *captured; /* borrowed: the new side */
	double between; /* the variation from run to run, where one run a side makes it needed and
			 * the store has other versions to learn it from; else 0 */
};

/* 0, or a negative errno with a text: -ENOENT where there is no such run, or none to compare with.
 * To be released in either case. */
int sides_load(const struct sides_wanted *, struct sides *);
void sides_release(struct sides *);

/* Compares them; @options' between is what they tell. Errors of compare_runs(); *@out is to be
 * released in either case. */
int sides_compare(const struct sides *, const struct compare_options *options,
		  struct comparison *out);

#endif
