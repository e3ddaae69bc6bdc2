/*
 * frame_class: what kind of frame people see: one answer for flame graphs, tables, exports and the
 * page. Finer than enum code_kind where a frame is inlined or stands for a thread, coarser where
 * code has no name.
 */
#ifndef QUERY_FRAME_CLASS_H
#define QUERY_FRAME_CLASS_H

#include <stdbool.h>

#include "query/tree.h"

/* The order is that of legends. render/web/tree.js has the same numbers. */
enum frame_class {
	FRAME_USER, /* the vDSO too */
	FRAME_KERNEL,
	FRAME_JIT,
	FRAME_INLINED,
	FRAME_UNNAMED, /* user code that no symbol names */
	FRAME_MARK,    /* no code: "[stack cut]" */
	FRAME_THREAD,  /* no code: the process or thread that the stacks below are of */
	FRAME_CLASSES
};

/* Of a function by itself, where nothing is known of its call. Not for row 0, which is none. */
enum frame_class frame_class_of(const struct function *);
enum frame_class frame_class_of_node(const struct tree *, const struct tree_node *);

/* For legends: "user"; in a flame graph of zones "zone". */
const char *frame_class_label(enum frame_class, bool of_zones);

#endif
