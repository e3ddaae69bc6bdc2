/*
 * output: where a command's product goes: to stdout, or to a file that appears under its name
 * only when it is whole.
 */
#ifndef CMD_OUTPUT_H
#define CMD_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

#include "base/file.h"

struct output {
	FILE *out;
	const char *path; /* borrowed; NULL: stdout */
	struct file_new file;
};

/* Checks early that @path may be made, as file_check_new(), and that it is none of the @n files
 * that are read: by device and inode, so under no other name either. For stdout, too, which a shell
 * may have put there. -EINVAL where it is one of them. */
int output_check(const char *path, bool force, const char *const *inputs, size_t n);
/* @path NULL or "-" is stdout. Errors as of file_begin(). */
int output_open(struct output *, const char *path, bool force);
/* Ends the output: makes the file appear when @rc is 0 and all was written, else drops it.
 * Returns the first error. */
int output_close(struct output *, int rc);

#endif
