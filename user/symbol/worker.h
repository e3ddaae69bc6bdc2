/*
 * worker: names the addresses of images in worker processes (crew/crew.h), which are confined
 * before they read the untrusted images.
 */
#ifndef SYMBOL_WORKER_H
#define SYMBOL_WORKER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "crew/crew.h"
#include "process/images.h"
#include "symbol/answer.h"

struct job {
	const struct image *image;
	const struct query *queries; /* borrowed, in ascending order of query_lookup() */
	uint32_t n;	 /* 0: asks for the folders the code was compiled in, not for names */
	uint32_t number; /* for the caller: the answer's job has it, too */
	bool is_debug;	 /* the image is a debug file: queries are addresses, not offsets in it */
	bool done;	 /* answered */
	bool failed;	 /* a worker died of it, or none could be started */
	bool put_off;	 /* neither done nor failed: there was no time */
};

/* How many workers run at once. */
unsigned int worker_width(void);

/*
 * Runs all jobs, as long as @wait says (NULL: no limit); calls @take for each answer, which has
 * job->n queries, in any order. The view is valid during the call. Where some addresses of a job
 * need .dwo files, several jobs with the same image and number, each with a part of its queries,
 * are answered in its place.
 */
void worker_run(struct job *jobs, size_t n, const struct crew_wait *wait,
		void (*take)(void *context, const struct job *, const struct answer_view *),
		void *context);

#endif
