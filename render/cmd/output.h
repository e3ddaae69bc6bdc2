/*
 * output: where a command's product goes: to stdout, or to a file that appears under its name
 * only when it is whole.
 */
#ifndef CMD_OUTPUT_H
#define CMD_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

#include "base/file_new.h"
#include "format/format.h"

struct output {
	FILE *out;
	const char *path; /* borrowed; NULL: stdout */
	struct file_new file;
};

/* Takes the option --output into a const char *, which is NULL for "-". */
int output_take(void *field, const char *text);
/* Checks early that @path may be made, as file_check_new(), and that it is none of the @n files
 * that are read: by device and inode, so under no other name either. For stdout, too, which a shell
 * may have put there. -EINVAL where it is one of them. */
int output_check(const char *path, bool force, const char *const *inputs, size_t n);
/* @path NULL or "-" is stdout. Errors as of file_begin(). */
int output_open(struct output *, const char *path, bool force);
/* Ends the output: makes the file appear when @rc is 0 and all was written, else drops it.
 * Returns the first error. */
int output_close(struct output *, int rc);

#define PAGE_FILES 4

/* Where `-o DIR --folder` puts an HTML report: style.css, script.js, data.js and page.html. */
struct page_folder {
	struct output files[PAGE_FILES]; /* the page is the last one */
	char *paths[PAGE_FILES];	 /* owned */
	size_t n;			 /* open ones */
	struct format_assets assets;
};

/* Checks early that the four may be made: see output_check(). */
int page_folder_check(const char *folder, bool force, const char *input);
/* Makes the folder where there is none; before the sandbox, in which it could not. */
int page_folder_make(const char *folder);
/* 0, or a negative errno with a text; to be closed in each case. */
int page_folder_open(struct page_folder *, const char *folder, bool force);
FILE *page_folder_page(const struct page_folder *);
/* Makes the files appear when @rc is 0, the page after those that it needs. The first error. */
int page_folder_close(struct page_folder *, int rc);

#endif
