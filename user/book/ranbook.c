#include "book/ranbook.h"

#include <string.h>

#include "base/str.h"
#include "model/waits.h"

_Static_assert((int)WIRE_OFF_BY_RAN == (int)BLOCKER_RAN &&
		       (int)WIRE_OFF_BY_ELSEWHERE == (int)BLOCKER_ELSEWHERE,
	       "the programs have the numbers of the table");

void ranbook_release(struct ranbook *b)
{
	vec_release(&b->rows);
	map_release(&b->by_pair);
}

static bool is_row_of(const struct ran_row *r, uint32_t thread, const struct wire_off_ran_key *key)
{
	return r->thread == thread && r->by == key->by && r->pid == key->by_pid &&
	       r->tid == key->by_tid;
}

/* The row of that pair in this window, added if it is new; NULL: there is no room. */
static struct ran_row *row_of(struct ranbook *b, uint32_t thread,
			      const struct wire_off_ran_key *key)
{
	const uint64_t pair = hash_two((uint64_t)thread << 32 | key->by,
				       (uint64_t)key->by_pid << 32 | key->by_tid);

	for (uint64_t at = pair;; at++) {
		uint32_t row;

		if (b->rows.n - b->ended >= RANBOOK_ROWS && !map_get(&b->by_pair, at))
			return NULL;
		row = map_number(&b->by_pair, at, b->rows.n);
		if (row == b->rows.n)
			vec_push(&b->rows, ((struct ran_row){.thread = thread,
							     .by = key->by,
							     .pid = key->by_pid,
							     .tid = key->by_tid}));
		if (is_row_of(&b->rows.at[row], thread, key))
			return &b->rows.at[row];
	}
}

void ranbook_take(struct ranbook *b, struct session *session, struct procs *procs)
{
	struct map_entries entries = {0};

	(void)session_map_entries(session, "offcpu_ran", true, &entries);
	for (size_t i = 0; i < entries.n; i++) {
		const struct wire_off_ran_key *key = map_entry_key(&entries, i);
		const struct wire_off_ran *value = map_entry_value(&entries, i);
		struct ran_row *row = row_of(b, procs_thread(procs, key->pid, key->tid), key);

		if (!row) {
			b->lost_ns += value->ns;
			continue;
		}
		row->ns += value->ns;
		memcpy(row->name, value->by_name, sizeof(value->by_name));
	}
	vec_release(&entries.words);
}

void ranbook_put(const struct ranbook *b, struct assembly *a)
{
	vec_each (r, &b->rows) {
		_free_ char *name = str_clean(r->name, strlen(r->name));
		const struct blocker row = {.thread = assembly_thread(a, r->thread),
					    .by = (uint8_t)r->by,
					    .pid = r->pid,
					    .tid = r->tid,
					    .name = intern_add(&a->p->strings, name),
					    .ns = (int64_t)r->ns};

		vec_push(&a->p->blockers, row);
	}
}

/* Rows of this window are complete; those of the next have moved or their threads have other
 * numbers: they are looked for anew. */
static void forget_pairs(struct ranbook *b)
{
	map_release(&b->by_pair);
	b->by_pair = (struct map){0};
}

void ranbook_window_end(struct ranbook *b)
{
	b->ended = b->rows.n;
	forget_pairs(b);
}

void ranbook_window_forget(struct ranbook *b, struct survivors *r)
{
	vec_drop_first(&b->rows, b->ended);
	b->ended = 0;
	forget_pairs(b);
	vec_each (row, &b->rows)
		survivors_thread(r, row->thread);
}

void ranbook_window_renumber(struct ranbook *b, const struct survivors *r)
{
	vec_each (row, &b->rows)
		row->thread = survivors_new_thread(r, row->thread);
	forget_pairs(b);
}
