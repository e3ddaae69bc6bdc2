/* SPDX-License-Identifier: GPL-2.0 */
/*
 * proc: what is known of processes whose calls may count, and what the loader is told of them.
 */
#ifndef PROBE_PROC_H
#define PROBE_PROC_H

#include "probe/calls.h"

/* What is known of process @pid; NULL: nothing. */
struct wire_zone_proc *zone_proc(__u32 pid) __hidden;
/* From now on that is known of it, or nothing is. */
void zone_proc_set(__u32 pid, const struct wire_zone_proc *) __hidden;
void zone_proc_forget(__u32 pid) __hidden;
/* What is known of a process has changed: its threads look at it at their next call. */
void zone_changed(void) __hidden;

/* Tells the loader; @number and @code as the record has them. False: the ring is full. */
bool zone_news(enum wire_zone_news news, __u32 number, __u32 code) __hidden;
/* Once a process, until zone_news_forget(). */
void zone_news_once(enum wire_zone_news news) __hidden;
/* Process @pid is gone, or runs another program. */
void zone_news_forget(__u32 pid) __hidden;

#endif
