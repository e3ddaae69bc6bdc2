/*
 * sources: the sources that a capture asks for, with their state: hands on to each what source.h
 * says. For capture and intake.
 */
#ifndef CAPTURE_SOURCES_H
#define CAPTURE_SOURCES_H

#include "source/source.h"

enum source_number {
#define SOURCE(name, KIND, number, bytes, streams) SOURCE_##name,
#include "sources.def"
#undef SOURCE
	SOURCES
};

struct sources {
	void *state[SOURCES]; /* NULL: not asked for */
};

extern const struct source *const sources_table[SOURCES];

/* Calls @operation (source.h) of each source that is asked for and has it. */
#define SOURCES_CALL(sources, operation, ...)                             \
	for (size_t i_ = 0; i_ < SOURCES; i_++)                           \
		if ((sources)->state[i_] && sources_table[i_]->operation) \
	sources_table[i_]->operation((sources)->state[i_] __VA_OPT__(, ) __VA_ARGS__)

/* Options of record that ask for the source of that number: up to one without a name. */
const struct source_option *sources_options(size_t source);
/* @options has each source's own, borrowed while the sources live; NULL: it is not asked for. */
void sources_init(struct sources *, const void *const options[SOURCES]);
void sources_release(struct sources *);

/* The sum of all. */
uint64_t sources_lost(const struct sources *);

void sources_request(const struct sources *, struct session_options *);
int sources_open(const struct sources *);

/* A record of @kind. */
void sources_take(const struct sources *, uint32_t kind, const void *record, struct stackbook *,
		  struct procs *);
void sources_take_slice(const struct sources *, const struct source_slice *, struct stackbook *,
			struct procs *);

/* The earliest of all. */
uint64_t sources_due_ns(const struct sources *);
/* True: one of them had work. */
bool sources_round(const struct sources *);
/* Of all, one after the other; owned by the caller. */
char *sources_progress(const struct sources *);

bool sources_survey(const struct sources *);

/* Of those that @options ask for: what they capture, "zones, time off the CPU", owned by the caller
 * (@names: else their names); and of the first that has such: see source.h; "" of none. */
char *sources_captures(const void *const options[SOURCES], double hz, bool names);
const char *sources_opening(const void *const options[SOURCES]);
const char *sources_closing(const void *const options[SOURCES]);

void sources_finish(const struct sources *, struct assembly *);
struct program_run sources_run(const struct sources *, const struct profile *);
double sources_programs_ns(const struct sources *);
double sources_probes_ns(const struct sources *);
int64_t sources_cpu_ns(const struct sources *);
/* "105 samples of cycles at 99 Hz, 2,145 calls of 15 zones"; owned by the caller. */
char *sources_total(const struct sources *, const struct profile *);
/* Of the first that has something to say. */
char *sources_waiting(const struct sources *);
const char *sources_forbidden(const struct sources *);

#endif
