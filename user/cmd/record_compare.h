/*
 * record_compare: what was captured against its baseline, before it is saved: the version before it
 * in the store that it goes to, or the runs that --baseline names. eprof-render reads the files
 * that hold these, and compares (render_run.h).
 */
#ifndef CMD_RECORD_COMPARE_H
#define CMD_RECORD_COMPARE_H

#include "base/fail_on.h"
#include "model/profile.h"

/* All borrowed but what is said to be owned. */
struct record_baseline {
	const char *store;   /* that the profile goes to; NULL: none */
	char *file;	     /* owned: of --baseline; NULL: none was named */
	const char *version; /* of it that was asked for; NULL: the newest */
	struct fail_on fail_on;
};

/* "FILE" or "FILE/VERSION": FILE is the first part of it that is no folder. -ENOENT, -EINVAL with
 * a text where there is no such file. */
int record_baseline_parse(const char *text, struct record_baseline *);
void record_baseline_release(struct record_baseline *);

/* Before anything is started: the file is a profile, and has that version. */
int record_baseline_check(const struct record_baseline *);

/* Puts the comparison into @p, or why there is none, and says it on stderr; nothing where there is
 * no baseline to look for. That one cannot be read, or that a signal ended it (@signal_fd, as for
 * render_run()), is said, and no more: the capture counts. Returns whether --fail-on asked for what
 * was found. */
bool record_compare(const struct record_baseline *, struct profile *p, int signal_fd);

#endif
