/*
 * opener_refusal: which mounts, processes and users let requests run into their limit: they are not
 * asked again for a while. For opener_ask.c alone.
 */
#ifndef PROCESS_OPENER_REFUSAL_H
#define PROCESS_OPENER_REFUSAL_H

#include "process/opener_wire.h"

/* Keys; 0: nothing that could be blamed. */
uint64_t refusal_device(uint32_t major, uint32_t minor);
uint64_t refusal_process(const struct opener_request *);
uint64_t refusal_user(uint32_t pid);

/* A request of that key has timed out. */
void refusal_add(struct opener_shared *, uint64_t key, uint64_t now_ns);
/* Whether the request is not to be made. */
bool refusal_holds(struct opener_shared *, const struct opener_request *);

#endif
