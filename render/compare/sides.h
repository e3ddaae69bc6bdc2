/*
 * sides: the runs of a comparison, read from files: two sets of files, or runs of a store and their
 * baseline there, or a profile that was just captured and its baseline. Reads files that strangers
 * may have written: never in a process with privileges.
 */
#ifndef COMPARE_SIDES_H
#define COMPARE_SIDES_H

#include "compare/compare.h"
#include "store/catalog.h"

/* All borrowed. */
struct sides_wanted {
	const char *const *files[SIDES]; /* no base files: choose the baseline */
	size_t n[SIDES];
	const struct profile *captured; /* the new side, in place of files; NULL: files */
	const char *store;		/* where the baseline is; NULL: in the new file itself */
	const char *baseline; /* this version of it; NULL: choose one, of base files the newest */
	const struct selection *selection; /* which of the new side's runs */
	bool siblings;	  /* compare all runs of that run's program, version and machine */
	unsigned runs;	  /* at most so many a version */
	unsigned history; /* how many earlier runs to load for the course of each row */
};

typedef VEC(const struct profile *) sides_runs;

struct sides {
	sides_runs runs[SIDES]; /* owned, but for one that was captured */
	sides_runs history;	/* owned */
	/* Owned: how the base was chosen, or why there is none; NULL: the user named it. */
	char *choice;
	const struct profile *captured; /* borrowed: the new side */
	double between; /* the variation from run to run, learned from other versions in the store
			 * where there is one run a side; else 0 */
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
