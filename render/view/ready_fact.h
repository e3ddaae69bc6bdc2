/*
 * ready_fact: how long threads were ready without a CPU, as a fact of the summary: the threads that
 * waited longest, and what share it was of the time that they wanted to run.
 */
#ifndef VIEW_READY_FACT_H
#define VIEW_READY_FACT_H

#include "base/str.h"
#include "view/view.h"

/* Nothing where the capture did not measure it. */
void ready_fact(const struct view_input *, struct doc_block *);

/* Adds ", nice 19, behind hog 4712": what kept a thread of that priority from running for most of
 * the time, as far as it is known. */
void ready_why(const struct profile *, uint32_t thread, int64_t nice, struct str *out);

#endif
