/*
 * wait_facts: the threads of a capture of waits that were busy or held up, as facts of the summary,
 * after them how much was idle and undecided; and as a table below its figures.
 */
#ifndef VIEW_WAIT_FACTS_H
#define VIEW_WAIT_FACTS_H

#include "view/view.h"

/* Nothing where the measure shown has no waits. */
void wait_facts(const struct view_input *, struct doc_block *);
/* What --omit-idle left out, where it is given. */
void wait_left_out_fact(const struct view_input *, struct doc_block *);

/* A table of threads, each with its time busy, ready, held up, undecided and idle, and where it
 * waited. Nothing where the capture has no waits, or a metric was asked for. */
void who_table(const struct view_input *, struct doc *);

#endif
