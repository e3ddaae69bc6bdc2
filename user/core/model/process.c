#include "model/process.h"

#include "base/mem.h"
#include "model/profile.h"

static const struct column processes_columns[] = {
	TABLE_COLUMN(process, pid, U32, .key = 1),
	TABLE_COLUMN(process, parent, U32, .adds = ADDS_LATEST),
	TABLE_COLUMN(process, born_ns, U64, .key = 2, .below = INT64_MAX),
	TABLE_COLUMN(process, exec_ns, U64, .adds = ADDS_LATEST, .below = INT64_MAX),
	TABLE_COLUMN(process, end_ns, U64, .adds = ADDS_LATEST, .below = INT64_MAX),
	TABLE_COLUMN(process, end, U8, .adds = ADDS_LATEST, .below = PROCESS_ENDS),
	TABLE_COLUMN(process, status, U32, .adds = ADDS_LATEST),
	TABLE_COLUMN(process, command, TEXT, .secret = true, .adds = ADDS_LATEST),
	TABLE_COLUMN(process, command_bytes, U64, .adds = ADDS_LATEST, .below = INT64_MAX),
	TABLE_COLUMN(process, cut, U8, .adds = ADDS_LATEST, .below = 2),
};

void process_index_init(struct process_index *x, const struct profile *p)
{
	*x = (struct process_index){.p = p};
	map_reserve(&x->rows, p->processes.n);
	for (uint32_t i = 0; i < p->processes.n; i++) {
		const struct process *e = &p->processes.at[i];
		uint64_t key = hash_two(e->pid, e->born_ns);

		while (map_number(&x->rows, key, i) != i)
			key++;
	}
}

void process_index_release(struct process_index *x)
{
	map_release(&x->rows);
}

const struct process *process_find(const struct process_index *x, uint32_t pid, uint64_t born_ns)
{
	const uint32_t *row;

	for (uint64_t key = hash_two(pid, born_ns); (row = map_get(&x->rows, key)); key++) {
		const struct process *e = &x->p->processes.at[*row];

		if (e->pid == pid && e->born_ns == born_ns)
			return e;
	}
	return NULL;
}

char *process_command(const struct profile *p, const struct process *e)
{
	return mem_printf("%s%s", profile_text(p, e->command), e->cut ? "…" : "");
}

const struct table processes_table = {
	.name = "processes",
	TABLE_OF(process, processes_columns),
	.rows = ROWS_LISTED,
	.later = true,
};
