/*
 * wait_facts: the threads of a capture of waits that were busy or held up, as facts of the summary;
 * after them how much was idle and undecided.
 */
#ifndef VIEW_WAIT_FACTS_H
#define VIEW_WAIT_FACTS_H

#include "view/view.h"

/* Nothing where the measure shown has no waits. */
void wait_facts(const struct view_input *, struct doc_block *);
/* What --omit-idle left out, where it is given. */
void wait_left_out_fact(const struct view_input *, struct doc_block *);

#endif
