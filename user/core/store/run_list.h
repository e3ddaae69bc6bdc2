/*
 * run_list: walks the runs of a file without loading them. Used by store only.
 */
#ifndef STORE_RUN_LIST_H
#define STORE_RUN_LIST_H

#include "store/reader.h"

/* The platform or run that a walk is at: lent until the visit returns. The keys are exactly as
 * they were given to store_add(). */
struct walk_platform {
	const char *version, *platform;
	hid_t version_group, group;
};
struct walk_run {
	const char *version, *platform, *name;
	hid_t platform_group, group;
};

/* Calls @visit for each that @key (may be NULL) allows, in no order, until it returns other than 0,
 * which is returned. Links to elsewhere are refused; groups that are not eprof's are skipped. */
typedef int walk_platform_visit(void *arg, const struct walk_platform *);
int walk_platforms(struct reader *, const struct store_key *key, walk_platform_visit *visit,
		   void *arg);
typedef int walk_visit(void *arg, const struct walk_run *);
int walk_runs(struct reader *, const struct store_key *key, walk_visit *visit, void *arg);

#endif
