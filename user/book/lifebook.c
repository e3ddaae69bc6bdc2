#include "book/lifebook.h"

#include "base/mem.h"

void lifebook_release(struct lifebook *b)
{
	vec_release(&b->rows);
	map_release(&b->latest);
	intern_release(&b->texts);
}

struct life *lifebook_living(const struct lifebook *b, uint32_t pid)
{
	const uint32_t *at = map_get(&b->latest, pid);

	return at && b->rows.at[*at].end == PROCESS_LIVES ? &b->rows.at[*at] : NULL;
}

static struct life *add(struct lifebook *b, uint32_t pid, uint64_t born_ns)
{
	struct life *l;
	bool fresh;

	if (b->rows.n >= LIFEBOOK_ROWS)
		return NULL;
	*map_put(&b->latest, pid, &fresh) = (uint32_t)b->rows.n;
	l = vec_add(&b->rows);
	l->pid = pid;
	l->born_ns = born_ns;
	return l;
}

struct life *lifebook_add(struct lifebook *b, uint32_t pid, uint64_t born_ns)
{
	struct life *l = lifebook_living(b, pid);

	return l ? l : add(b, pid, born_ns);
}

void lifebook_birth(struct lifebook *b, uint32_t parent, uint32_t pid, uint64_t born_ns)
{
	struct life *before = lifebook_living(b, pid), *from, *l;

	/* Its end went unseen. */
	if (before)
		lifebook_end(b, before, PROCESS_ENDED, 0, before->exit_ns);
	l = add(b, pid, born_ns);
	if (!l) {
		b->left_out++;
		return;
	}
	l->parent = parent;
	from = lifebook_living(b, parent);
	if (!from)
		return;
	l->command = from->command;
	l->command_bytes = from->command_bytes;
	l->cut = from->cut;
	l->known = from->known;
}

void lifebook_command(struct lifebook *b, struct life *l, const char *text, uint64_t bytes,
		      bool cut)
{
	l->known = true;
	if (b->texts.bytes.n >= LIFEBOOK_BYTES) {
		b->commands_left_out++;
		l->command = 0;
		return;
	}
	l->command = intern_add(&b->texts, text);
	l->command_bytes = bytes;
	l->cut = cut;
}

void lifebook_exec(struct life *l, uint64_t time_ns)
{
	l->exec_ns = time_ns;
	l->command = 0;
	l->command_bytes = 0;
	l->cut = l->known = false;
}

void lifebook_end(struct lifebook *b, struct life *l, enum process_end end, uint32_t status,
		  uint64_t time_ns)
{
	l->end = (uint8_t)end;
	l->status = status;
	l->end_ns = time_ns;
	b->unread += !l->known && !b->no_commands && (!time_ns || time_ns >= b->start_ns);
}

void lifebook_index(struct lifebook *b)
{
	bool fresh;

	map_release(&b->latest);
	for (size_t i = 0; i < b->rows.n; i++)
		*map_put(&b->latest, b->rows.at[i].pid, &fresh) = (uint32_t)i;
}

void lifebook_forget(struct lifebook *b)
{
	struct intern texts = {0};
	size_t n = 0;

	for (size_t i = 0; i < b->rows.n; i++) {
		struct life *l = &b->rows.at[i];

		if (l->over)
			continue;
		l->command = intern_add(&texts, intern_text(&b->texts, l->command));
		b->rows.at[n++] = *l;
	}
	b->rows.n = n;
	intern_release(&b->texts);
	b->texts = texts;
	lifebook_index(b);
}
