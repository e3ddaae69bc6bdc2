/* SPDX-License-Identifier: GPL-2.0 */
/*
 * stacks: sends each distinct stack to the loader once; after that its 64-bit hash stands for it.
 */
#ifndef SAMPLE_STACKS_H
#define SAMPLE_STACKS_H

#include "sample/walk.h"

enum stack_result {
	STACK_OK = 0,
	STACK_NO_ROOM = 1,   /* the ring is full */
	STACK_COLLISION = 2, /* another stack has this hash */
};

/* Makes sure that the loader has the stack in @buffer (head.depth frames), and sets head.hash to
 * its hash. Counts the outcome under @event. Also for values of arguments (wire_call.h), which go
 * the same way. */
int stack_publish(struct stack_buffer *buffer, __u32 event, __u64 now_ns);

#endif
