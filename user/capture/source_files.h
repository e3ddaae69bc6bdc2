/*
 * source_files: opens the source files that sampled functions are in, for --source. Their names,
 * and the folder in which the code was compiled, are what the target's file says: so each is opened
 * by the rules of process/opener_source.h, below the root and with the rights of the user whose
 * process mapped that file. What root's processes name is opened for the user who called root, and
 * for root itself as nobody.
 */
#ifndef CAPTURE_SOURCE_FILES_H
#define CAPTURE_SOURCE_FILES_H

#include <stddef.h>
#include <stdint.h>

#include "model/profile.h"
#include "process/images.h"

struct source_files {
	struct images *images;
	/* Where files may lie besides the folder that their code was compiled in; absolute. */
	char *const *folders;
	size_t n_folders;
};

/* A sourcetext_open of sourcetext.h, of a struct source_files. */
void source_files_open(void *source_files, const struct profile *, const uint32_t *files, size_t n,
		       int *fds);

#endif
