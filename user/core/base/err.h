/*
 * err: how a function says what went wrong. Used by every floor; printed only by cmd/.
 *
 * A function that fails returns a negative errno. The function that finds the cause calls err();
 * its callers only pass the number on, so the text is that of the first cause:
 *
 *	if (fd < 0)
 *		return err(-errno, "cannot open '%s': %s", path, strerror(errno));
 *
 * The text is one line that says what, where and, where it helps, what to do. It belongs to the
 * calling thread and stays until the next err() there.
 */
#ifndef BASE_ERR_H
#define BASE_ERR_H

#include <stdbool.h>

/* Keeps the text for this thread and returns @code (a negative errno). Leaves errno as it is. */
int err(int code, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* The text of this thread's last err(), "" if there was none: one printable line, in which control
 * characters (a file name may hold any) are visible. */
const char *err_text(void);

/* The code of that err(), 0 if there was none: for callers of functions that return no number. */
int err_code(void);

/* Whether @code means that a value on the command line is wrong: -EINVAL, -ERANGE, -E2BIG. Other
 * codes mean that what it names is missing or cannot be used. */
bool err_is_usage(int code);

#endif
