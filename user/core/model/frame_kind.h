/*
 * frame_kind: what a frame is: native code, kernel, JIT code, inlined, a note … The table of kinds
 * is frame_kinds.def; render/query/frame_class.h has what people see of it.
 */
#ifndef MODEL_FRAME_KIND_H
#define MODEL_FRAME_KIND_H

/* Stored, of functions and frames. A function is never KIND_INLINED, KIND_UNNAMED or KIND_THREAD.
 */
enum frame_kind {
#define FRAME_KIND(NAME, number, ...)	   KIND_##NAME = (number),
#define FRAME_KIND_AS(NAME, number, SHOWN) KIND_##NAME = (number),
#include "model/frame_kinds.def"
#undef FRAME_KIND
#undef FRAME_KIND_AS
	/* A newer file may have kinds that this program does not know: they are shown as UNNAMED.
	 */
	FRAME_KINDS = 256
};

#endif
