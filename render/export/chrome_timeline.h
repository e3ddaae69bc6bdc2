/*
 * chrome_timeline: the timeline of a profile as events of the Trace Event Format. For chrome.c.
 *
 *	{"ph":"X","pid":10,"tid":10,"ts":0.010,"dur":0.050,"name":"f","cat":"prog"}
 *	{"ph":"i","pid":10,"tid":10,"ts":0.085,"s":"t","name":"exception thrown","args":{…}}
 *	{"ph":"s","pid":10,"tid":10,"ts":0.160,"id":1,"name":"wakeup","cat":"wakeup"}
 *	{"ph":"C","pid":10,"ts":0.130,"name":"live bytes","args":{"value":64}}
 *	{"ph":"C","pid":10,"ts":0.010,"name":"main 10: eprof's own work, %","args":{"value":3.5}}
 *
 * The format knows no tracks but threads: others (trace_tracks.h) get numbers of threads that the
 * kernel gives to none, and are called after theirs: "main 10: waits".
 */
#ifndef EXPORT_CHROME_TIMELINE_H
#define EXPORT_CHROME_TIMELINE_H

#include <stdio.h>

#include "export/export.h"

#define CHROME_TRACKS (1u << 30) /* such numbers are above those of threads */

/* Writes the events of in->part, each after *@before, which becomes what is between two of them.
 * @modules: the short name of each. Errors of trace_walk(). */
int chrome_timeline_write(const struct export_input *in, const char *const *modules, FILE *out,
			  const char **before);

#endif
