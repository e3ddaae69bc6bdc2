/*
 * reason: why a thread was off the CPU: a row of the table "reasons" for each kind of wait, system
 * call, state, and object that it waited for. Samples of waits refer to these rows.
 */
#ifndef MODEL_REASON_H
#define MODEL_REASON_H

#include <stdbool.h>
#include <stdint.h>

enum reason_kind {
#define REASON(NAME, text, idle) REASON_##NAME,
#include "model/reasons.def"
#undef REASON
	REASON_KINDS
};

struct reason {
	uint8_t kind;	 /* enum reason_kind */
	uint8_t idle;	 /* 1: of such a kind; whether it was, render/query/wait_class.h decides */
	uint8_t state;	 /* as ps(1) shows it: 'R', 'S', 'D', 'I', 'T', 't', 'P'; 0 unknown */
	uint32_t call;	 /* system call, "" none */
	uint32_t object; /* what it waited for: "pipe:[4711]", "app:queue_lock", ""  unknown */
};

/* "lock", "page fault". */
const char *reason_kind_name(enum reason_kind);
bool reason_kind_is_idle(enum reason_kind);

#endif
