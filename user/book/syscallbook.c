#include "book/syscallbook.h"

#include "base/mem.h"
#include "model/process.h"
#include "waits/callrule.h"

void syscallbook_release(struct syscallbook *b)
{
	vec_release(&b->rows);
	map_release(&b->by_key);
}

static bool is_same(const struct syscall_row *a, const struct syscall_row *b)
{
	return a->thread == b->thread && a->call == b->call && a->error == b->error;
}

/* The row with that key, added if there is none; NULL: there are too many. */
static struct syscall_row *row_of(struct syscallbook *b, const struct syscall_row *row)
{
	uint64_t key = hash_two(hash_two(row->thread, row->call), row->error);

	for (;; key++) {
		const uint32_t *at = map_get(&b->by_key, key);
		bool fresh;

		if (at && is_same(&b->rows.at[*at], row))
			return &b->rows.at[*at];
		if (at)
			continue;
		if (b->rows.n - b->ended >= SYSCALLBOOK_ROWS)
			return NULL;
		*map_put(&b->by_key, key, &fresh) = (uint32_t)b->rows.n;
		vec_push(&b->rows, ((struct syscall_row){row->thread, row->call, row->error, {0}}));
		return &b->rows.at[b->rows.n - 1];
	}
}

void syscallbook_add(struct syscallbook *b, const struct syscall_row *row)
{
	struct syscall_row *to = row_of(b, row);

	if (!to) {
		b->left_out += row->sums.calls + row->sums.open;
		return;
	}
	to->sums.calls += row->sums.calls;
	to->sums.untimed += row->sums.untimed;
	to->sums.ns += row->sums.ns;
	to->sums.open += row->sums.open;
	to->sums.open_ns += row->sums.open_ns;
	if (row->sums.most_ns > to->sums.most_ns)
		to->sums.most_ns = row->sums.most_ns;
}

char *syscallbook_name(uint32_t call)
{
	const uint32_t number = call & ~WIRE_SYSCALL_COMPAT;
	const bool compat = call & WIRE_SYSCALL_COMPAT;
	const char *name = syscall_name(number, compat), *of = compat ? " (i386)" : "";

	return name ? mem_printf("%s%s", name, of) : mem_printf("syscall %u%s", number, of);
}

void syscallbook_put(const struct syscallbook *b, struct assembly *a)
{
	vec_each (r, &b->rows) {
		_free_ char *name = syscallbook_name(r->call);
		const struct syscall_sum row = {.thread = assembly_thread(a, r->thread),
						.call = intern_add(&a->p->strings, name),
						.error = r->error,
						.calls = (int64_t)r->sums.calls,
						.untimed = (int64_t)r->sums.untimed,
						.total_ns = (int64_t)r->sums.ns,
						.most_ns = (int64_t)r->sums.most_ns,
						.open = (int64_t)r->sums.open,
						.open_ns = (int64_t)r->sums.open_ns};

		vec_push(&a->p->syscalls, row);
	}
}

void syscallbook_window_end(struct syscallbook *b)
{
	b->ended = b->rows.n;
	map_release(&b->by_key);
	b->by_key = (struct map){0};
}

void syscallbook_window_forget(struct syscallbook *b, struct survivors *r)
{
	vec_drop_first(&b->rows, b->ended);
	b->ended = 0;
	map_release(&b->by_key);
	b->by_key = (struct map){0};
	vec_each (row, &b->rows)
		survivors_thread(r, row->thread);
}

void syscallbook_window_renumber(struct syscallbook *b, const struct survivors *r)
{
	vec_each (row, &b->rows)
		row->thread = survivors_new_thread(r, row->thread);
}
