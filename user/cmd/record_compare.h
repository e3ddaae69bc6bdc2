/*
 * record_compare: compares a capture with its baseline before it is saved: with the version before
 * it in its store, or with the runs that --baseline names. eprof-render reads these files and
 * compares (render_run.h).
 */
#ifndef CMD_RECORD_COMPARE_H
#define CMD_RECORD_COMPARE_H

#include "base/fail_on.h"
#include "model/profile.h"

/* Pointers are borrowed unless noted. */
struct record_baseline {
	const char *store;   /* to which the profile is saved; NULL: none */
	char *file;	     /* of --baseline; owned; NULL: not given */
	const char *version; /* the requested version in the file; NULL: the newest */
	struct fail_on fail_on;
	bool fail_undecided; /* exit with FAIL_UNDECIDED_STATUS where the runs do not tell */
};

/* Parses "FILE" or "FILE/VERSION": FILE is the first part of the path that is no folder. -ENOENT,
 * -EINVAL with a text if there is no such file. */
int record_baseline_parse(const char *text, struct record_baseline *);
void record_baseline_release(struct record_baseline *);

/* Checks, before anything is started, that the file is a profile and has that version. */
int record_baseline_check(const struct record_baseline *);

/* Adds the comparison, or why there is none, to @p, and prints it to stderr; does nothing without a
 * baseline. An unreadable baseline, or a signal (@signal_fd, as for render_run()), is reported, but
 * is no error: the capture itself is fine; but nothing is decided then. Returns the exit status
 * that --fail-on and --fail-undecided ask for; 0: none. */
int record_compare(const struct record_baseline *, struct profile *p, int signal_fd);

#endif
