/*
 * timeline_options: what --timeline and its options ask for.
 */
#ifndef TIMELINE_TIMELINE_OPTIONS_H
#define TIMELINE_TIMELINE_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "abi/signature.h"
#include "base/str.h"

#define TIMELINE_EVENTS (UINT64_C(1) << 20) /* where the user sets no number */

/* What --trigger asks for. */
#define TIMELINE_TRIGGERS      8  /* conditions, at most */
#define TIMELINE_TRIGGERS_FIRE 10 /* times that they hold, where the user sets no number */
#define TIMELINE_TRIGGER_TEXT  200

struct timeline_trigger {
	enum {
		TIMELINE_TRIGGER_CALL,	    /* a call of a function took longer than least_ns */
		TIMELINE_TRIGGER_EXCEPTION, /* one is thrown */
		TIMELINE_TRIGGER_READY,	    /* a thread was ready to run for longer */
		TIMELINE_TRIGGER_ARGUMENT,  /* a call's argument is `value` */
	} kind;
	uint64_t least_ns;
	char argument[SIGNATURE_NAME];	     /* its name; "arg0": the first */
	char value[TIMELINE_TRIGGER_TEXT];   /* as arguments are shown: "3", "\"x\"" */
	char pattern[TIMELINE_TRIGGER_TEXT]; /* of the function; "": of none */
	char text[TIMELINE_TRIGGER_TEXT];    /* as the user wrote it */
};

/* What --args says of a function. */
#define TIMELINE_ARGS	   64 /* functions, at most */
#define TIMELINE_ARGUMENTS 10 /* that it names, with those in vector registers */

struct timeline_args {
	char pattern[TIMELINE_TRIGGER_TEXT];
	bool by_debuginfo;	    /* which parameters it has is read from the function's file */
	struct signature signature; /* else: that the user gave; owns nothing */
};

struct timeline_options {
	struct timeline_args args[TIMELINE_ARGS];
	uint32_t n_args;
	uint64_t events; /* most that are kept; 0: TIMELINE_EVENTS */
	bool stops;	 /* the first ones are kept, not the last */
	struct timeline_trigger triggers[TIMELINE_TRIGGERS];
	uint32_t n_triggers;
	uint32_t triggers_most; /* times; 0: never */
	uint64_t last_ns;	/* only of so much time before the end; 0: all */
};

/* --timeline, --events and --last: struct source_option.parse. */
void *timeline_options_parse(const char *argument, void *before);
void *timeline_options_events(const char *argument, void *before);
void *timeline_options_last(const char *argument, void *before);
void *timeline_options_trigger(const char *argument, void *before);
void *timeline_options_args(const char *argument, void *before);
/* The pattern of the @i-th function that a trigger or --args is about, and the argument registers
 * that are read, bits; NULL: there are not so many. */
const char *timeline_options_zone(const void *options, size_t i, uint32_t *arguments);

/* The number of slots: a power of two. */
uint64_t timeline_options_slots(const struct timeline_options *);

/* "a timeline of the last 1,048,576 events". */
void timeline_options_text(const struct timeline_options *, struct str *);

#endif
