/*
 * ending: what it means that a child process which read a foreign file was ended by a signal.
 */
#ifndef BASE_ENDING_H
#define BASE_ENDING_H

#include <stdbool.h>

/* Whether it is a fault of what ran there, or a bound that it met; no one from outside sent it. */
bool ending_is_crash(int signal_number);
/* "crashed (Segmentation fault)" and the like; static. */
const char *ending_text(int signal_number);

#endif
