#include "waits/blocker_rows.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"

void blocker_rows_init(struct blocker_rows *b, struct profile *p)
{
	*b = (struct blocker_rows){.p = p};
}

void blocker_rows_release(struct blocker_rows *b)
{
	map_release(&b->by_key);
}

static uint64_t key_of(const struct blocker *row)
{
	const uint64_t who = hash_two((uint64_t)row->pid << 32 | row->tid, row->name);

	return hash_two(hash_two(who, (uint64_t)row->by << 32 | row->reason), row->thread);
}

void blocker_rows_add(struct blocker_rows *b, const struct blocker *row, const char *name)
{
	_free_ char *clean = str_clean(name, strlen(name));
	struct blocker added = *row;
	uint32_t at;

	if (row->ns <= 0)
		return;
	added.name = intern_add(&b->p->strings, clean);
	at = map_number(&b->by_key, key_of(&added), b->p->blockers.n);
	if (at == b->p->blockers.n)
		vec_push(&b->p->blockers, added);
	else
		b->p->blockers.at[at].ns += row->ns;
}
