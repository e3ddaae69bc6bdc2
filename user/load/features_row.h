/*
 * features_row: how to try a feature, and what to tell the user. For load/features*.c only; a new
 * feature is one row in the table of its group.
 */
#ifndef LOAD_FEATURES_ROW_H
#define LOAD_FEATURES_ROW_H

#include <stddef.h>

#include "load/feature.h"

struct feature_row {
	bool essential;
	const char *key, *what;
	/* Tries it; writes what it saw to @found, or leaves that empty. */
	enum feature_state (*probe)(char found[FEATURE_FOUND]);
	/* What its presence and its absence mean; how to get it. */
	const char *with, *without, *get;
};

struct feature_rows {
	const struct feature_row *at;
	size_t n;
};
extern const struct feature_rows features_kernel, features_privilege, features_setting;

/* A descriptor is closed and means ok; a negative errno decides the state and is named in
 * @found. */
enum feature_state feature_settle(int fd_or_errno, char found[FEATURE_FOUND]);

#define AS_ROOT "run eprof as root (sudo)"

#endif
