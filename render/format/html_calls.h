/*
 * html_calls: the calls of a timeline as data of the HTML report (web/pack.h), which draws them
 * (web/time/callchart.js). For format/html only.
 *
 * What is written, in this order: from, to, and the length below which calls are merged, in ns;
 * functions, those with most time first: how many, each name, module,
 * colour; kinds of marks: how many, each name and colour; how
 * calls end: how many texts, the first "". Lanes: how many, each name, whether it is one of a
 * coroutine, rows, calls, how many boxes and marks are its own, and 1 more than it
 * has spans of the profiler's own work, or 0: it shows none. Boxes: how many; then columns: row,
 * start less that of the box before, length, function from 1 (0: merged), calls, how it ended,
 * arguments (a string). Marks: how many; then columns: kind, start less that of the one before,
 * length, how many, text (a string); those of no lane last. The profiler's own
 * work: its name, and what the legend adds to that (strings), colour, ns that a
 * span is a mean of at least, how many spans; then columns: start less that of
 * the one before, length, tenths of a percent.
 */
#ifndef FORMAT_HTML_CALLS_H
#define FORMAT_HTML_CALLS_H

#include "timeline/call_chart.h"
#include "web/pack.h"

void html_calls_pack(const struct call_chart *, struct pack *out);

#endif
