#include "waits/memory.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "process/maps.h"
#include "process/procfs.h"

/* How long mappings that were read count as current, and how soon they are read again for an
 * address that they lack. */
#define KEEP_NS	 2000000000ull
#define AGAIN_NS 100000000ull

/* Limits of the time for reading: a burst, and in the long run this fraction of the time. */
#define BURST_NS   200000000ull
#define PART_OF_NS 20

/* Further areas of a process are ignored. */
#define MOST_AREAS 16384

static void clear(struct memory_process *p)
{
	for (size_t i = 0; i < p->areas.n; i++)
		free(p->areas.at[i].path);
	vec_release(&p->areas);
	*p = (struct memory_process){0};
}

/* Whether @m continues @last: another part of its file, or the zeroed data after it. */
static bool continues(const struct memory_area *last, const struct procfs_mapping *m)
{
	if (last->path[0] != '/')
		return false;
	if (!strcmp(last->path, m->path))
		return m->file_offset != 0;
	return !m->path[0] && last->code && m->start == last->end;
}

static void take(void *context, const struct procfs_mapping *m)
{
	struct memory_process *p = context;
	struct memory_area *last = p->areas.n ? &p->areas.at[p->areas.n - 1] : NULL;

	if (!last || !continues(last, m)) {
		if (p->areas.n >= MOST_AREAS)
			return;
		vec_push(&p->areas, ((struct memory_area){.start = m->start,
							  .file_offset = m->file_offset,
							  .device = (uint64_t)m->dev_major << 32 |
								    m->dev_minor,
							  .inode = m->inode,
							  .path = mem_strdup(m->path)}));
		last = &p->areas.at[p->areas.n - 1];
	}
	last->end = m->end;
	if (m->executable && m->path[0] == '/' && !last->code)
		last->code = m->start;
}

static struct memory_process *process_of(struct memory *m, uint32_t pid)
{
	for (size_t i = 0; i < MEMORY_PROCESSES; i++)
		if (m->processes[i].pid == pid)
			return &m->processes[i];
	return &m->processes[m->next++ % MEMORY_PROCESSES];
}

static const struct memory_area *area_at(const struct memory_process *p, uint64_t address)
{
	const size_t n = vec_upto(&p->areas, start, address);

	return n && address < p->areas.at[n - 1].end ? &p->areas.at[n - 1] : NULL;
}

/* Reads @pid's mappings into @p; false: there is no time left for that. */
static bool read_process(struct memory *m, struct memory_process *p, uint32_t pid, uint64_t now_ns)
{
	const uint64_t start_ns = clock_ns(CLOCK_MONOTONIC);

	m->first_ns = m->first_ns ? m->first_ns : now_ns;
	if (m->read_ns > BURST_NS + (now_ns - m->first_ns) / PART_OF_NS) {
		m->refused++;
		return false;
	}
	clear(p);
	*p = (struct memory_process){.pid = pid, .read_ns = now_ns};
	(void)mappings_read(m->opener, pid, take, p);
	m->read_ns += clock_ns(CLOCK_MONOTONIC) - start_ns;
	return true;
}

const struct memory_area *memory_find(struct memory *m, uint32_t pid, uint64_t address,
				      uint64_t now_ns)
{
	struct memory_process *p = process_of(m, pid);
	const struct memory_area *found = p->pid == pid ? area_at(p, address) : NULL;

	if (p->pid == pid && now_ns < p->read_ns + (found ? KEEP_NS : AGAIN_NS))
		return found;
	return read_process(m, p, pid, now_ns) ? area_at(p, address) : NULL;
}

bool memory_shares(struct memory *m, uint32_t pid, uint64_t address, uint32_t other,
		   uint64_t now_ns)
{
	const struct memory_area *at = memory_find(m, pid, address, now_ns);
	/* Reading the other process may drop what is known of this one. */
	const uint64_t inode = at ? at->inode : 0, device = at ? at->device : 0;
	const struct memory_process *p;

	if (!inode)
		return false;
	(void)memory_find(m, other, address, now_ns);
	p = process_of(m, other);
	if (p->pid != other)
		return false;
	vec_each (area, &p->areas)
		if (area->inode == inode && area->device == device)
			return true;
	return false;
}

void memory_forget(struct memory *m, uint32_t pid)
{
	for (size_t i = 0; i < MEMORY_PROCESSES; i++)
		if (m->processes[i].pid == pid)
			clear(&m->processes[i]);
}

void memory_release(struct memory *m)
{
	for (size_t i = 0; i < MEMORY_PROCESSES; i++)
		clear(&m->processes[i]);
}
