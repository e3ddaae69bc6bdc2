/*
 * source_line: a line of a source file as it stood there when the profile was captured (eprof
 * --source): of hot functions, the lines in which samples were taken and some around them. One row
 * a file and line.
 */
#ifndef MODEL_SOURCE_LINE_H
#define MODEL_SOURCE_LINE_H

#include <stdint.h>

struct source_line {
	uint32_t file; /* the same text as struct function's */
	uint32_t line; /* from 1 */
	uint32_t text; /* without its end; tabs are blanks */
};

/* The text of a line that is another one in several captures (merge/merge.h). */
#define SOURCE_DIFFERS "[another text in each of the captures]"

#endif
