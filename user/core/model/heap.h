/*
 * heap: the metrics of a profile of allocations (PART_HEAP), by name: of each the bytes, and the
 * blocks. Sizes are those that the program asked for. Changes of live and peak over time are
 * samples, too, and may be negative: the sum of all is the value at the end.
 */
#ifndef MODEL_HEAP_H
#define MODEL_HEAP_H

#define HEAP_METRIC_LIVE	"live" /* at the end of the capture */
#define HEAP_METRIC_LIVE_BLOCKS "live-blocks"
#define HEAP_METRIC_PEAK	"peak" /* when that of the whole target was highest */
#define HEAP_METRIC_PEAK_BLOCKS "peak-blocks"
#define HEAP_METRIC_TOTAL	"total" /* handed out */
#define HEAP_METRIC_ALLOCATIONS "allocations"
#define HEAP_METRIC_LEAKED                                            \
	"leaked" /* never freed: live at the end of their program, or \
		  * of the capture if they are older than its last tenth */
#define HEAP_METRIC_LEAKED_BLOCKS    "leaked-blocks"
#define HEAP_METRIC_TEMPORARY	     "temporary" /* freed by the next call of the same thread */
#define HEAP_METRIC_TEMPORARY_BLOCKS "temporary-blocks"

#endif
