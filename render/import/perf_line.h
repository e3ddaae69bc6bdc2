/*
 * perf_line: the lines of `perf script`'s text, each by itself. As perf 6.1 to 6.18 write them
 * (tools/perf/builtin-script.c, util/evsel_fprintf.c):
 *
 *	my worker  4711/4713 [001] 61349.213533:    1001001 cpu-clock:ppp: …
 *		ffffffff821ef691 do_syscall_64+0x71 ([kernel.kallsyms])
 *		           68db _dl_map_segment+0x30b (inlined)
 *		    7fe6909628a8 [unknown] ([unknown])
 */
#ifndef IMPORT_PERF_LINE_H
#define IMPORT_PERF_LINE_H

#include "import/scan.h"

/* The line that begins a sample. */
struct perf_sample {
	struct span comm;  /* blanks may be in it */
	uint32_t pid, tid; /* pid: 0 where the line has only the thread */
	int64_t time_ns;   /* 0 where it is not told */
	uint64_t period;   /* 1 where it is not told … */
	bool has_period;   /* … which this says */
	struct span event;
	struct span rest; /* behind the event's colon: one frame, or a tracepoint's fields */
};

/* False: it is no such line. @timed: it must have a time; without one (-F -time) much is like it.
 */
bool perf_line_sample(struct span line, bool timed, struct perf_sample *out);

/* One frame of a stack. */
struct perf_frame {
	uint64_t address;
	struct span text; /* all behind the address: what it is known by */
};

bool perf_line_frame(struct span line, struct perf_frame *out);

/* What the text of a frame means. */
struct perf_symbol {
	struct span name;   /* without its offset */
	struct span module; /* "" unknown, or inlined */
	bool inlined;
};

void perf_line_symbol(struct span text, struct perf_symbol *out);

#endif
