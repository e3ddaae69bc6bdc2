/*
 * record_save: where record's profile goes: to a file of its own, into a store, or both; and where
 * neither takes it, somewhere else.
 */
#ifndef CMD_RECORD_SAVE_H
#define CMD_RECORD_SAVE_H

#include <stdbool.h>

#include "capture/sink_file.h"
#include "model/profile.h"

#define RECORD_ELSEWHERE 4 /* names */

/* All borrowed but what is said to be owned. */
struct record_places {
	const char *output, *store; /* NULL: none, but one of them is there */
	const char *part;	    /* name of the file of windows */
	bool force;
	/* Nowhere it was asked for: beside the store, or in another folder, so that nothing is
	 * lost. Under names that nobody can have taken before; owned. */
	char *elsewhere[RECORD_ELSEWHERE];
	size_t n_elsewhere;
	size_t n_beside; /* of these the first, beside the store */
};

/* Chooses the names. */
void record_places_settle(struct record_places *);
void record_places_release(struct record_places *);

/* The name of the file of windows: beside the output, else beside the store, which others may use
 * at the same time. Freed by the caller. */
char *record_part_name(const char *output, const char *store);

/* Before anything is started: all of it can be made, and no capture that was cut off is lost. */
int record_places_check(const struct record_places *);

/* What became of a profile. */
struct record_saved {
	bool anywhere;
	bool part_hangs; /* the folder of the file of windows does not answer */
};

/* @signal_fd: as for render_run(); -1: none. 0 when the profile is in all of them. Else a negative
 * errno with a text that also says where it is instead. */
int record_save(const struct record_places *, const struct profile *, int signal_fd,
		struct record_saved *);
/* Removes the file of windows, which nobody needs any more, if that can be done. Without a text. */
void record_part_remove(const struct record_places *, int signal_fd);

/* @path, borrowed, is that of record_places. */
struct window_place record_windows(const char *path);

enum record_program {
	RECORD_ADD,	/* eprof-render, to add a profile to the store */
	RECORD_COMPARE, /* eprof-render, to compare one */
	RECORD_GIT,	/* git_start() */
	/* A process of the broker itself: */
	RECORD_SAVE,   /* the profile, to a file of its own */
	RECORD_PUT,    /* a window */
	RECORD_GET,    /* the same, read */
	RECORD_REMOVE, /* the file of windows */
};

#endif
