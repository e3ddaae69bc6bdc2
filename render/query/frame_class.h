/*
 * frame_class: the kind that a frame is shown as, the same in flame graphs, tables, exports and the
 * page: a kind that has a row of its own in model/frame_kinds.def, where labels, colours and
 * styles stand, too.
 */
#ifndef QUERY_FRAME_CLASS_H
#define QUERY_FRAME_CLASS_H

#include <stdbool.h>

#include "query/tree.h"

/* The order is that of legends. */
enum frame_class {
#define FRAME_KIND(NAME, ...) FRAME_##NAME,
#define FRAME_KIND_AS(NAME, ...)
#include "model/frame_kinds.def"
#undef FRAME_KIND
#undef FRAME_KIND_AS
	FRAME_CLASSES
};

/* Of a function as such; row 0, which is no function, is unnamed code. */
enum frame_class frame_class_of(const struct function *);
/* Of a call of it. */
enum frame_class frame_class_of_call(const struct function *, bool inlined);
enum frame_class frame_class_of_node(const struct tree *, const struct tree_node *);

/* Whether it is of scripts: frame_kind_is_script(). */
bool frame_class_is_script(enum frame_class);
/* As in frame_kinds.def: "NATIVE". */
const char *frame_class_name(enum frame_class);
/* For legends: "user"; in a flame graph of zones "zone". */
const char *frame_class_label(enum frame_class, bool of_zones);

#endif
