/*
 * record_broker: the process that makes a capture's files and starts its programs (core/broker).
 * Forked before anything of a target is read, so that the loader can give up the rights that this
 * takes. It knows from the command line which files and programs are allowed.
 */
#ifndef CMD_RECORD_BROKER_H
#define CMD_RECORD_BROKER_H

#include <sys/types.h>

#include "cmd/record_compare.h"
#include "cmd/record_save.h"

struct record_broker {
	pid_t first, spare;
};

/* From now on this process makes files through the broker, or, if that is gone, through its spare
 * (broker/spare.h). 0, or a negative errno with a text: it could not be started. */
int record_broker_start(const struct record_places *, const struct record_baseline *,
			struct record_broker *);
/* Waits for the end of the broker and its spare. */
void record_broker_end(const struct record_broker *);

#endif
