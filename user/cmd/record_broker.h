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

/* From now on this process makes files by it. Its number, or a negative errno with a text. */
pid_t record_broker_start(const struct record_places *, const struct record_baseline *);
/* Waits for its end. */
void record_broker_end(pid_t broker);

#endif
