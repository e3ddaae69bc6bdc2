/*
 * answer_profile: functions of an answer as those of a profile.
 */
#ifndef SYMBOL_ANSWER_PROFILE_H
#define SYMBOL_ANSWER_PROFILE_H

#include "model/profile.h"
#include "symbol/answer.h"

/* The number of the string, which a file had: made clean. */
uint32_t answer_clean_text(struct profile *, const char *s);

/* The profile's number of function @number of the answer; the rest is what the answer does not
 * know of it. */
uint32_t answer_function_in(struct profile *, const struct answer_view *, uint32_t number,
			    uint32_t module, enum frame_kind kind, bool named);

#endif
