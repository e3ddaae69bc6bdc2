/*
 * record_save: saves record's profile to a file of its own, into a store, or both; and if neither
 * is possible, to another place.
 */
#ifndef CMD_RECORD_SAVE_H
#define CMD_RECORD_SAVE_H

#include <stdbool.h>

#include "capture/sink_file.h"
#include "model/profile.h"

#define RECORD_ELSEWHERE 4 /* number of fallback paths */

/* Pointers are borrowed unless noted. */
struct record_places {
	const char *output, *store; /* NULL: none; at least one is set */
	const char *part;	    /* path of the file of windows */
	bool force;
	/* Fallback paths, beside the store or in another folder, so that nothing is lost. Under
	 * names that nobody can have taken before; owned. */
	char *elsewhere[RECORD_ELSEWHERE];
	size_t n_elsewhere;
	size_t n_beside; /* the first of these, which lie beside the store */
};

/* Chooses the fallback paths. */
void record_places_settle(struct record_places *);
void record_places_release(struct record_places *);

/* The path of the file of windows: beside the output, else beside the store under a unique name.
 * Freed by the caller. */
char *record_part_name(const char *output, const char *store);

/* Checks, before anything is started, that all files can be made, and that none of an interrupted
 * capture would be overwritten. */
int record_places_check(const struct record_places *);

/* What happened to a profile. */
struct record_saved {
	bool anywhere;
	bool part_hangs; /* the folder of the file of windows does not answer */
};

/* @signal_fd: as for render_run(); -1: none. 0: the profile is in all places. Else a negative errno
 * with a text that also says where it was saved instead. */
int record_save(const struct record_places *, const struct profile *, int signal_fd,
		struct record_saved *);
/* Removes the file of windows, if possible. Without a text. */
void record_part_remove(const struct record_places *, int signal_fd);

/* Reads and writes windows through the broker. Borrows @path, that of record_places. */
struct window_place record_windows(const char *path);

enum record_program {
	RECORD_ADD,	/* eprof-render, to add a profile to the store */
	RECORD_COMPARE, /* eprof-render, to compare a profile */
	RECORD_GIT,	/* git, see git_start() */
	/* The broker's own processes, see file_job_start(): */
	RECORD_SAVE,   /* write the profile to a file of its own */
	RECORD_PUT,    /* write a window */
	RECORD_GET,    /* read a window */
	RECORD_REMOVE, /* remove the file of windows */
};

#endif
