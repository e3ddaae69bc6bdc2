/*
 * source_files: opens the source files of sampled functions, for --source. Their names and the
 * folder in which the code was compiled come from the target's file and are not trusted: each file
 * is opened by the rules of process/opener_source.c, below the root and with the rights of the
 * user whose process mapped the target's file. Files that root's processes name are opened as the
 * user who called sudo; if root called, as nobody.
 */
#ifndef CAPTURE_SOURCE_FILES_H
#define CAPTURE_SOURCE_FILES_H

#include <stddef.h>
#include <stdint.h>

#include "model/profile.h"
#include "process/images.h"

struct source_files {
	struct images *images;
	/* Further folders to look for source files in (--source-dir); absolute. */
	char *const *folders;
	size_t n_folders;
};

/* A sourcetext_open (sourcetext.h) whose context is a struct source_files. */
void source_files_open(void *source_files, const struct profile *, const uint32_t *files, size_t n,
		       int *fds);

#endif
