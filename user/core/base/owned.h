/*
 * owned: opens a file that may stand in a folder of another user, for a process that may open more
 * than that user: what they put in its place must not make us read or change a file that they could
 * not.
 */
#ifndef BASE_OWNED_H
#define BASE_OWNED_H

/* open(2) reports it for a path that another user made lead to a file that is not theirs. */
#define OWNED_ASTRAY EXDEV

/*
 * open(2) of a file that is there, of root alone stricter than that:
 *
 * - The path may go through symbolic links of root's, of the user's behind sudo (caller.h), and of
 *   the file's owner, not of anybody else's; a link counts as its owner's and its folder's owner's.
 *   The walk holds each folder open, so that what is checked is what is opened, whatever is renamed
 *   meanwhile.
 * - Of a file with several hard links, the folder counts like a link.
 * - The file's mode must allow its owner, where that is not root, what @flags ask for.
 *
 * A descriptor, or -1 and errno: OWNED_ASTRAY where the first two rules refuse it.
 */
int owned_open(const char *path, int flags);

/* A folder, held open by a descriptor for names below it. The same rule: the path goes through
 * links of root's, of the caller's, and of the folder's owner alone. Errors as above. */
int owned_folder(const char *path);

#endif
