/*
 * record_program: the programs that the broker of a capture starts, by number: for agent_run().
 */
#ifndef CMD_RECORD_PROGRAM_H
#define CMD_RECORD_PROGRAM_H

enum record_program {
	RECORD_ADD,	/* eprof-render, to add a profile to the store */
	RECORD_COMPARE, /* eprof-render, to compare one */
	RECORD_GIT,	/* git_start() */
	/* Of hand.h: */
	RECORD_SAVE,   /* the profile, to a file of its own */
	RECORD_PUT,    /* a window */
	RECORD_GET,    /* the same, read */
	RECORD_REMOVE, /* the file of windows */
};

#endif
