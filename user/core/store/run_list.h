/*
 * run_list: goes through the runs of a file without loading them. Used by store only.
 */
#ifndef STORE_RUN_LIST_H
#define STORE_RUN_LIST_H

#include "store/reader.h"

/* A platform, and a run, on the way: lent until the visit returns. The keys are exactly as they
 * were given. */
struct walk_platform {
	const char *version, *platform;
	hid_t version_group, group;
};
struct walk_run {
	const char *version, *platform, *name;
	hid_t platform_group, group;
};

/* Calls @visit for each that @key (may be NULL) allows, in no order; stops where that returns other
 * than 0, and returns it. Links to elsewhere are refused; groups that are no groups of ours are
 * passed over: others may keep things there. */
typedef int walk_platform_visit(void *arg, const struct walk_platform *);
int walk_platforms(struct reader *, const struct store_key *key, walk_platform_visit *visit,
		   void *arg);
typedef int walk_visit(void *arg, const struct walk_run *);
int walk_runs(struct reader *, const struct store_key *key, walk_visit *visit, void *arg);

#endif
