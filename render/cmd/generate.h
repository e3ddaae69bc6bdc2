/*
 * generate: the reports of all profiles of one version and platform. Used by cmd/generate.c alone.
 */
#ifndef CMD_GENERATE_H
#define CMD_GENERATE_H

#include "base/vec.h"
#include "cmd/material.h"
#include "cmd/style.h"

/* A profile that was found, at @path. Both owned. */
struct generate_run {
	char *path;
	struct material material;
	struct selection all; /* of the reports: everything */
	/* Of the first run of each program alone: what changed since the version before. Set and
	 * released by generate_reports(). */
	struct comparison *changes; /* NULL: nothing to compare with … */
	char *no_changes;	    /* … and why; NULL: nothing was asked for */
};

/* All borrowed. */
struct generate_reports {
	const char *store;    /* where baselines are; NULL: nowhere */
	const char *folder;   /* that the reports go to */
	const char *pdf_name; /* NULL: by version and platform */
	const struct style *style;
	bool force;
};

/* Writes a PDF and a page of the @n runs, which are of one version and platform, and says so on
 * stderr. 0, or a negative errno with a text. */
int generate_reports(const struct generate_reports *, struct generate_run *runs, size_t n);

#endif
