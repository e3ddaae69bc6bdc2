#include "timeline/call_arguments.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "timeline/task_waits.h"

void call_arguments_release(struct call_arguments *a)
{
	vec_release(&a->at);
	map_release(&a->by_task);
}

static struct pending_arguments *pending_of(struct call_arguments *a, const struct wire_event *e)
{
	const uint32_t at = map_number(&a->by_task, task_key(e->pid, e->tid), a->at.n);

	if (at == a->at.n)
		vec_push(&a->at, ((struct pending_arguments){0}));
	return &a->at.at[at];
}

void call_arguments_take(struct call_arguments *a, const struct wire_event *e)
{
	const uint32_t argument = e->flags & ~WIRE_EVENT_UNREADABLE;
	struct pending_arguments *p = pending_of(a, e);

	if (e->kind == WIRE_EVENT_MORE) {
		memcpy(p->more, (const uint64_t[]){e->value1, e->value2, e->more}, sizeof(p->more));
		return;
	}
	if (argument >= WIRE_EVENT_ARGUMENTS ||
	    p->n[argument] + WIRE_EVENT_PIECE >= sizeof(p->text[argument]) + 1)
		return;
	if (e->flags & WIRE_EVENT_UNREADABLE)
		p->unreadable |= 1u << argument;
	memcpy(p->text[argument] + p->n[argument],
	       (const uint64_t[]){e->value1, e->value2, e->more}, WIRE_EVENT_PIECE);
	p->n[argument] += WIRE_EVENT_PIECE;
}

static uint64_t register_of(const struct pending_arguments *p, const struct wire_event *e,
			    uint32_t i)
{
	return i == 0 ? e->value1 : i == 1 ? e->value2 : i == 2 ? e->more : p->more[i - 3];
}

static void add_text(const struct pending_arguments *p, uint32_t i, uint64_t address,
		     struct str *out)
{
	const size_t n = strnlen(p->text[i], sizeof(p->text[i]) - 1);
	_free_ char *clean = str_clean(p->text[i], n);

	if (!address)
		str_add(out, "NULL");
	else if (p->unreadable & 1u << i)
		str_addf(out, "0x%" PRIx64 " [not in memory]", address);
	else if (!p->n[i])
		str_addf(out, "0x%" PRIx64, address);
	else
		str_addf(out, "\"%s\"%s", clean,
			 n + 1 >= WIRE_EVENT_PIECES * WIRE_EVENT_PIECE ? "…" : "");
}

void call_arguments_add(struct call_arguments *a, const struct signature *is,
			const struct wire_event *entry, struct str *out)
{
	struct pending_arguments *p = pending_of(a, entry);

	for (uint32_t i = 0; i < is->n; i++) {
		const struct parameter *of = &is->at[i];
		const bool is_read = of->place < PLACE_REGISTERS;

		str_addf(out, "%s%s=", i ? ", " : "", signature_name(is, i));
		if (of->kind == VALUE_TEXT && is_read)
			add_text(p, of->place, register_of(p, entry, of->place), out);
		else
			signature_value(of, is_read ? register_of(p, entry, of->place) : 0, out);
	}
	if (is->more)
		str_add(out, is->n ? ", …" : "…");
	*p = (struct pending_arguments){0};
}
