/*
 * dpkg: which Debian package a file of this machine is of, by dpkg's own lists. They are root's,
 * like the programs that they list: whoever may run eprof may trust them.
 */
#ifndef PROCESS_DPKG_H
#define PROCESS_DPKG_H

/* The version of the package that has @path, and *@package, its name: both the caller's to free;
 * NULL: none has. @folder: dpkg's, as /var/lib/dpkg. */
char *dpkg_version(const char *folder, const char *path, char **package);

#endif
