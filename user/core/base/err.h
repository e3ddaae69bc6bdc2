/*
 * err: how a function says what went wrong. Used by every floor; printed only by cmd/.
 *
 * A function that fails returns a negative errno. The place that first meets the cause calls
 * err(), everybody above only passes the number on, so the text is that of the first cause:
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

/* Keeps the text for this thread and returns @code (a negative errno), errno itself untouched. */
int err(int code, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* The text of this thread's last err(), "" where there was none. Control characters in it (a
 * file name may hold any) are already made visible, so it is always one printable line. */
const char *err_text(void);

/* The code of that err(), 0 where there was none: for callers of what returns no number. */
int err_code(void);

/* Whether @code, met while the command line is read, says that a value is wrong: -EINVAL, -ERANGE,
 * -E2BIG. Of others what it names is not there, or not to be had. */
bool err_is_usage(int code);

#endif
