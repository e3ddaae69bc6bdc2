#include "model/process.h"

#include "base/mem.h"
#include "model/check.h"
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

/* --- system calls --------------------------------------------------------------------------------
 */

static const struct column syscalls_columns[] = {
	TABLE_COLUMN(syscall_sum, thread, U32, .key = 1, .refers = TABLE_threads),
	TABLE_COLUMN(syscall_sum, call, TEXT, .key = 2),
	TABLE_COLUMN(syscall_sum, error, U32, .key = 3, .below = 4096),
	TABLE_COLUMN(syscall_sum, calls, I64, .adds = ADDS_SUM),
	TABLE_COLUMN(syscall_sum, untimed, I64, .adds = ADDS_SUM),
	TABLE_COLUMN(syscall_sum, total_ns, I64, .adds = ADDS_SUM),
	TABLE_COLUMN(syscall_sum, most_ns, I64, .adds = ADDS_MAX),
	TABLE_COLUMN(syscall_sum, open, I64, .adds = ADDS_SUM),
	TABLE_COLUMN(syscall_sum, open_ns, I64, .adds = ADDS_SUM),
};

/* Sums over all rows of the table fit. */
static int check_sums(const struct profile *p)
{
	int64_t calls = 0, ns = 0;
	int rc = 0;

	for (size_t i = 0; !rc && i < p->syscalls.n; i++) {
		const struct syscall_sum *s = &p->syscalls.at[i];
		const struct spot spot = {"syscalls", i};
		const struct {
			const char *name;
			int64_t value, *sum;
		} sums[] = {{"calls", s->calls, &calls},  {"untimed", s->untimed, &calls},
			    {"open", s->open, &calls},	  {"total_ns", s->total_ns, &ns},
			    {"open_ns", s->open_ns, &ns}, {"most_ns", s->most_ns, &ns}};

		for (size_t k = 0; !rc && k < sizeof(sums) / sizeof(*sums); k++)
			rc = sums[k].value < 0
				     ? check_row(spot,
						 &(struct bounded){sums[k].name,
								   (uint64_t)sums[k].value,
								   (uint64_t)INT64_MAX + 1},
						 1)
				     : check_add(spot, sums[k].name, check_magnitude(sums[k].value),
						 sums[k].sum);
	}
	return rc;
}

const struct table syscalls_table = {
	.name = "syscalls",
	TABLE_OF(syscall_sum, syscalls_columns),
	.part = PART_SYSCALLS,
	.words = "system calls",
	.check = check_sums,
};
