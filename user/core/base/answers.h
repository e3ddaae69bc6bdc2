/*
 * answers: whether the file system of a file answers at all. One on the network, or a server of
 * somebody's (FUSE), may never do so, and who waits for it can be ended by no signal.
 */
#ifndef BASE_ANSWERS_H
#define BASE_ANSWERS_H

/* Asks in a child what @path is, and opens nothing. -ETIMEDOUT with a text: that took more than
 * 10 s. Else 0, also where there is no such file. */
int answers(const char *path);

#endif
