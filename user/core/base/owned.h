/*
 * owned: opens a file that may stand in another user's folder, for a process with more rights than
 * that user, who must not be able to make us read or change a file that they could not.
 */
#ifndef BASE_OWNED_H
#define BASE_OWNED_H

/* errno for a path that another user made lead to a file that is not theirs. */
#define OWNED_ASTRAY EXDEV

/*
 * As open(2) of an existing file; for root with these rules:
 *
 * - The path may lead through symbolic links of root, the caller (caller.h) and the file's owner,
 *   of nobody else; the owner of a link's folder counts as an owner of the link. The walk holds
 *   each folder open, so that it opens what it checked, whatever is renamed meanwhile.
 * - If the file has several hard links, its folder counts like a link.
 * - The file's mode must allow its owner, unless that is root, what @flags ask for.
 *
 * A descriptor, or -1 and errno: OWNED_ASTRAY if the first two rules refuse it.
 */
int owned_open(const char *path, int flags);

/* A descriptor of a folder, to use names below it. The path may lead through links of root, the
 * caller and the folder's owner alone. Errors as above. */
int owned_folder(const char *path);

#endif
