/*
 * record_broker: a process that makes the files of a capture and starts its programs (core/broker):
 * forked before anything of a target is read, so that the loader can give up the rights for that.
 * It knows from the command line which files and programs these are.
 */
#ifndef CMD_RECORD_BROKER_H
#define CMD_RECORD_BROKER_H

#include <sys/types.h>

#include "cmd/record_compare.h"
#include "cmd/record_save.h"

struct record_broker {
	pid_t first, spare;
};

/* From now on this process makes files by it, and where it is gone by its spare (broker/spare.h).
 * 0, or a negative errno with a text: there is none. */
int record_broker_start(const struct record_places *, const struct record_baseline *,
			struct record_broker *);
/* Waits for the end of both. */
void record_broker_end(const struct record_broker *);

#endif
