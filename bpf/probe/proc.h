/* SPDX-License-Identifier: GPL-2.0 */
/*
 * proc: what is known of processes whose calls may count, and the news sent to the loader.
 */
#ifndef PROBE_PROC_H
#define PROBE_PROC_H

#include "probe/calls.h"

/* What is known of process @pid; NULL: nothing. */
struct wire_zone_proc *zone_proc(__u32 pid) __hidden;
/* Sets what is known of process @pid, or removes it. */
void zone_proc_set(__u32 pid, const struct wire_zone_proc *) __hidden;
void zone_proc_forget(__u32 pid) __hidden;
/* Call after any change to what is known of processes: their threads read it at their next call. */
void zone_changed(void) __hidden;

/* Sends news to the loader, with @number and @code as in the record. False: the ring is full. */
bool zone_news(enum wire_zone_news news, __u32 number, __u32 code) __hidden;
/* Sends the news once per process, until zone_news_forget(). */
void zone_news_once(enum wire_zone_news news) __hidden;
/* Process @pid has ended, or runs another program. */
void zone_news_forget(__u32 pid) __hidden;

#endif
