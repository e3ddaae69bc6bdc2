/* SPDX-License-Identifier: GPL-2.0 */
/*
 * stacks: each distinct stack crosses to the loader once and is known by a 64-bit hash after
 * that.
 */
#ifndef SAMPLE_STACKS_H
#define SAMPLE_STACKS_H

#include "sample/walk.h"

enum stack_result {
	STACK_OK = 0,
	STACK_NO_ROOM = 1,   /* the ring took no more */
	STACK_COLLISION = 2, /* another stack has this hash */
};

/* Makes sure that the loader has the stack in @buffer (head.depth frames); its hash is left in
 * head.hash. Counts what happened under @event. */
int stack_publish(struct stack_buffer *buffer, __u32 event, __u64 now_ns);

#endif
