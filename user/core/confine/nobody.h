/*
 * nobody: the user who owns nothing, and a process without capabilities. Used by confine alone.
 */
#ifndef CONFINE_NOBODY_H
#define CONFINE_NOBODY_H

/* Of root only; in a user namespace there may be no nobody: then no capabilities are all there is.
 */
void nobody_become(void);

/* 0 or -errno, no text. */
int nobody_drop_capabilities(void);

#endif
