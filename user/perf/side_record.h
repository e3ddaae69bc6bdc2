/*
 * side_record: decodes the kernel's records about processes: mappings, names, forks, exits. Used by
 * sideband and session_plain.
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

/* Requests such records, with thread and time, and a wake-up of the reader at @wakeup_bytes.
 * @by_inode: mappings carry their file's device and inode, else its build-id. */
void side_ask(struct perf_event_attr *, bool by_inode, uint32_t wakeup_bytes);

/* What follows a record's fields: thread (8 bytes) and time (8), then, with PERF_SAMPLE_IDENTIFIER,
 * the event's number (8). */
#define SIDE_TRAILER	16
#define SIDE_TRAILER_ID 24

/* Decodes one whole record. False for other kinds, and for processes outside our PID namespace,
 * which eprof ignores. */
bool side_decode(const struct perf_event_header *, size_t trailer, struct side_record *);
/* The number of lost records that a LOST record reports, 0 for other kinds. @id: the event that
 * lost them; may be NULL. */
uint64_t side_lost(const struct perf_event_header *, uint64_t *id);

#endif
