/* SPDX-License-Identifier: GPL-2.0 */
/*
 * shared: the maps, configuration and counters that all programs use; defined in shared.bpf.c.
 */
#ifndef SHARED_H
#define SHARED_H

#include "kernel.h"
#include "ids.h"
#include "wire.h"

/* Records to the loader. Written by all programs, read by load/session, which sets the size. */
struct ring_map {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 1 << 20);
};
extern struct ring_map ring SEC(".maps");

/* Set by the loader before load; the verifier drops the code that they turn off. */
extern const volatile __u32 config_mode[];    /* per event: flags of enum wire_mode */
extern const volatile __u32 config_self_time; /* sum up run time in WIRE_RUN_NS */
extern const volatile __u64 config_hash_mask; /* all ones; tests of collisions set fewer */

/* Increased by the loader to have every stack sent again: addresses may now belong to other
 * code. */
extern __u32 stack_epoch;
/* Increased by the loader when tables take much memory: walkers mark the tables that they use. */
extern __u32 table_epoch;
/* 1: the loader was woken to drain the ring. The loader resets it when it starts to drain. */
extern __u32 ring_woken;

void count(__u32 stream, enum wire_counter counter, __u64 n) __hidden;
/* Sends @bytes to the loader. Wakes it only when the ring is half full, since a wake-up costs more
 * than everything else here. False: the ring is full. */
bool send(const void *record, __u64 bytes) __hidden;
/* The flag with which to submit a reserved record: as send() decides. */
__u64 wake_flag(void) __hidden;
/* As send(), but always wakes the loader: for what needs an immediate answer. */
bool send_now(const void *record, __u64 bytes) __hidden;

#endif
