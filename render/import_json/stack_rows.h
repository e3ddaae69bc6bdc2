/*
 * stack_rows: stacks as rows of which each names its caller, and that come in any order: of
 * Chrome's traces and V8's profiles.
 */
#ifndef IMPORT_STACK_ROWS_H
#define IMPORT_STACK_ROWS_H

#include "import/builder.h"

#define STACK_NONE UINT32_MAX /* no row; and no node yet */

struct stack_row {
	uint32_t frame;	 /* 0: it has none of its own */
	uint32_t parent; /* row, or STACK_NONE */
	uint32_t node;	 /* the profile's, or STACK_NONE */
};

struct stack_rows {
	VEC(struct stack_row) at;
};

/* Adds a row without caller and frame. */
void stack_rows_add(struct stack_rows *);
/* The profile's node of a row, or of STACK_NONE the root: its stack. Callers that come round to
 * themselves begin where that shows. */
uint32_t stack_rows_node(struct stack_rows *, struct builder *, uint32_t row);

#endif
