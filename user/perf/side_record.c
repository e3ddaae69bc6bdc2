#include "perf/side_record.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/mem.h"
#include "process/procfs.h"

/* Bits of an MMAP2 record's misc field; newer than some headers. */
#define MISC_BUILD_ID  (1 << 14)
#define MISC_COMM_EXEC (1 << 13)

void side_records_clear(side_records *records)
{
	for (size_t i = 0; i < records->n; i++)
		free(records->at[i].text);
	records->n = 0;
}

void side_ask(struct perf_event_attr *attr, bool by_inode, uint32_t wakeup_bytes)
{
	attr->sample_type |= PERF_SAMPLE_TID | PERF_SAMPLE_TIME;
	attr->sample_id_all = 1;
	attr->mmap = 1;
	attr->mmap2 = 1;
	attr->build_id = !by_inode;
	attr->comm = 1;
	attr->comm_exec = 1;
	attr->task = 1;
	attr->watermark = 1;
	attr->wakeup_watermark = wakeup_bytes;
	attr->use_clockid = 1;
	attr->clockid = CLOCK_MONOTONIC;
}

/* Fields after the header, as perf_event_open(2) lists them for each record type. */
struct raw_mmap2 {
	uint32_t pid, tid;
	uint64_t addr, len, pgoff;
	union {
		struct {
			uint32_t maj, min;
			uint64_t ino, ino_generation;
		};
		struct {
			uint8_t build_id_size, reserved[3], build_id[20];
		};
	};
	uint32_t prot, flags;
	char filename[];
};
struct raw_comm {
	uint32_t pid, tid;
	char comm[];
};
struct raw_task {
	uint32_t pid, ppid, tid, ptid;
	uint64_t time;
};

/* The kernel writes 0 for a process outside our PID namespace, and -1 for one that has lost its
 * number. */
static uint32_t number_of(uint32_t raw)
{
	return raw ? raw : PROCFS_OUTSIDE;
}

static void decode_mmap(const struct raw_mmap2 *raw, uint16_t misc, size_t text_max,
			struct side_record *r)
{
	*r = (struct side_record){.kind = SIDE_MMAP,
				  .pid = number_of(raw->pid),
				  .tid = raw->tid,
				  .start = raw->addr,
				  .end = raw->addr + raw->len,
				  .file_offset = raw->pgoff,
				  .text = mem_strndup(raw->filename, text_max)};
	if (misc & MISC_BUILD_ID) {
		r->build_id_bytes = raw->build_id_size <= 20 ? raw->build_id_size : 0;
		memcpy(r->build_id, raw->build_id, sizeof(r->build_id));
	} else {
		r->dev_major = raw->maj;
		r->dev_minor = raw->min;
		r->inode = raw->ino;
	}
}

bool side_decode(const struct perf_event_header *h, size_t trailer, struct side_record *r)
{
	const uint8_t *body = (const uint8_t *)(h + 1), *end = (const uint8_t *)h + h->size;
	const struct raw_task *task = (const void *)body;
	size_t room;

	if (h->size < sizeof(*h) + trailer)
		return false;
	room = h->size - sizeof(*h) - trailer;

	if (h->type == PERF_RECORD_MMAP2 && room > sizeof(struct raw_mmap2)) {
		decode_mmap((const void *)body, h->misc, room - sizeof(struct raw_mmap2), r);
	} else if (h->type == PERF_RECORD_COMM && room > sizeof(struct raw_comm)) {
		const struct raw_comm *raw = (const void *)body;

		*r = (struct side_record){
			.kind = SIDE_COMM, .pid = number_of(raw->pid), .tid = raw->tid};
		r->exec = h->misc & MISC_COMM_EXEC;
		r->text = mem_strndup(raw->comm, room - sizeof(*raw));
	} else if ((h->type == PERF_RECORD_FORK || h->type == PERF_RECORD_EXIT) &&
		   room >= sizeof(*task)) {
		*r = (struct side_record){.kind = h->type == PERF_RECORD_FORK ? SIDE_FORK
									      : SIDE_EXIT,
					  .pid = number_of(task->pid),
					  .tid = task->tid,
					  .parent_pid = number_of(task->ppid),
					  .parent_tid = task->ptid};
	} else {
		return false;
	}
	memcpy(&r->time_ns, end - trailer + 8, 8);
	if (r->pid != PROCFS_OUTSIDE)
		return true;
	free(r->text);
	return false;
}

/* LOST: u64 id, u64 lost. */
uint64_t side_lost(const struct perf_event_header *h, uint64_t *id)
{
	uint64_t fields[2] = {0, 0};

	if (h->type != PERF_RECORD_LOST || h->size < sizeof(*h) + sizeof(fields))
		return 0;
	memcpy(fields, h + 1, sizeof(fields));
	if (id)
		*id = fields[0];
	return fields[1];
}
