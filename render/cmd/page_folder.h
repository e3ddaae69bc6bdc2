/*
 * page_folder: where `-o DIR --folder` puts an HTML report: page.html, style.css, script.js and
 * data.js in a folder, which is made where it is not there. For cmd/report only.
 */
#ifndef CMD_PAGE_FOLDER_H
#define CMD_PAGE_FOLDER_H

#include "cmd/output.h"
#include "format/format.h"

#define PAGE_FILES 4

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
