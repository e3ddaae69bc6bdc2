/*
 * sources: the table of sources, and the state of those that a capture uses; calls their
 * operations, which source.h describes. For capture and intake.
 */
#ifndef CAPTURE_SOURCES_H
#define CAPTURE_SOURCES_H

#include "source/source.h"

enum source_number {
#define SOURCE(name, KIND, number, bytes, streams) SOURCE_##name,
#include "sources.def"
#undef SOURCE
/* Actions of probes have records and rows as sources do. */
#define ACTION(name, number, sees, bytes, streams) SOURCE_PROBE_##name,
#include "actions.def"
#undef ACTION
	SOURCES
};

struct sources {
	void *state[SOURCES]; /* NULL: not used */
};

extern const struct source *const sources_table[SOURCES];

/* Calls @operation (source.h) of each source in use that has it. */
#define SOURCES_CALL(sources, operation, ...)                             \
	for (size_t i_ = 0; i_ < SOURCES; i_++)                           \
		if ((sources)->state[i_] && sources_table[i_]->operation) \
	sources_table[i_]->operation((sources)->state[i_] __VA_OPT__(, ) __VA_ARGS__)

struct engine_options;
/* Requests the records and rows of the actions in the options of probes, which are borrowed. */
void sources_ask_actions(const void *options[SOURCES], const struct engine_options *);
/* Requests the sources that belong beside those requested; they get @with. */
void sources_ask_beside(const void *options[SOURCES], const void *with);
/* Whether this source is an action of probes, and which. */
bool sources_is_action(size_t source, enum wire_action *out);
/* The options of `eprof record` that request this source; the last has no name. */
const struct source_option *sources_options(size_t source);
/* @options: of each source, borrowed while the sources live; NULL: not used. */
void sources_init(struct sources *, const void *const options[SOURCES]);
void sources_release(struct sources *);

/* Sum over all sources. */
uint64_t sources_lost(const struct sources *);

void sources_request(const struct sources *, struct session_options *);
int sources_open(const struct sources *);

/* Hands a record of @kind to its source. */
void sources_take(const struct sources *, uint32_t kind, const void *record, struct stackbook *,
		  struct procs *);
void sources_take_slice(const struct sources *, const struct source_slice *, struct stackbook *,
			struct procs *);

/* The earliest time at which a source has work. */
uint64_t sources_due_ns(const struct sources *);
/* Whether any source had work. */
bool sources_round(const struct sources *);
/* The progress of all sources; owned by the caller. */
char *sources_progress(const struct sources *);

/* Whether surveys take the stacks of threads that sleep. */
bool sources_survey_stacks(const struct sources *);
/* A step of a survey: of each source that is not @done, which is all false at its start. Returns
 * false after the last. */
bool sources_survey(const struct sources *, bool done[SOURCES]);

/* What the requested sources capture, "zones, time off the CPU"; with @names, sources without such
 * words are called by their name. Owned by the caller. The other two: the text of the first source
 * that has one, or "". */
char *sources_captures(const void *const options[SOURCES], double hz, bool names);
const char *sources_opening(const void *const options[SOURCES]);
const char *sources_closing(const void *const options[SOURCES]);

void sources_finish(const struct sources *, struct assembly *);
struct program_run sources_run(const struct sources *, const struct profile *);
/* What all sources took from the target; see source.h. */
void sources_taken(const struct sources *, const struct profile *, struct taken *);
/* So far, without the probes and what is done at them. */
void sources_taken_beside_probes(const struct sources *, struct taken *);
int64_t sources_cpu_ns(const struct sources *);
/* "105 samples of cycles at 99 Hz, 2,145 calls of 15 zones"; owned by the caller. */
char *sources_total(const struct sources *, const struct profile *);
/* The text of the first source that has one; NULL: none has. */
char *sources_waiting(const struct sources *);
const char *sources_forbidden(const struct sources *);

#endif
