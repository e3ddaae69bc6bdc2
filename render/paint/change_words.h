/*
 * change_words: the words of a change: amounts in the unit of a comparison, and what they changed
 * by. For every view and format that tells of one.
 */
#ifndef PAINT_CHANGE_WORDS_H
#define PAINT_CHANGE_WORDS_H

/* "+12.3 %" of .123; from 1,000 % on times: "×25"; "–" where it is not known. Freed by the caller.
 */
char *change_text(double ratio);
/* "1.23 s", "1,234"; of the unit "share" "12.3 %". Freed by the caller. */
char *change_value(const char *unit, double value);

#endif
