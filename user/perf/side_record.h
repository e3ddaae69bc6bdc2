/*
 * side_record: one of the kernel's records about processes: what they map, are called, fork and
 * exit. Read by sideband and session_plain.
 */
#ifndef PERF_SIDE_RECORD_H
#define PERF_SIDE_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <linux/perf_event.h>

#include "base/vec.h"

enum side_kind { SIDE_MMAP, SIDE_COMM, SIDE_FORK, SIDE_EXIT };

struct side_record {
	enum side_kind kind;
	uint64_t time_ns; /* CLOCK_MONOTONIC */
	uint32_t pid, tid;
	uint32_t parent_pid, parent_tid;  /* FORK; PROCFS_OUTSIDE: not in our PID namespace */
	bool exec;			  /* COMM */
	char *text;			  /* COMM: name; MMAP: path. Owned by the record */
	uint64_t start, end, file_offset; /* MMAP */
	uint8_t build_id[20], build_id_bytes;
	uint32_t dev_major, dev_minor;
	uint64_t inode;
};

typedef VEC(struct side_record) side_records;
void side_records_clear(side_records *);

/* Asks for such records, with the thread and the time, and for the wake-up of the reader at
 * @wakeup_bytes. @by_inode: mappings tell their file's device and inode, else its build-id. */
void side_ask(struct perf_event_attr *, bool by_inode, uint32_t wakeup_bytes);

/* What stands behind the fields of a record: the thread (8 bytes) and the time (8), then, where
 * PERF_SAMPLE_IDENTIFIER was asked for, too, the event's number (8). */
#define SIDE_TRAILER	16
#define SIDE_TRAILER_ID 24

/* One whole record; false for kinds that are not for us, and for processes outside of our PID
 * namespace, of which nothing is known, nor asked. */
bool side_decode(const struct perf_event_header *, size_t trailer, struct side_record *);
/* How many records a record says are lost, 0 where it is another. @id: of the event that met it;
 * may be NULL. */
uint64_t side_lost(const struct perf_event_header *, uint64_t *id);

#endif
