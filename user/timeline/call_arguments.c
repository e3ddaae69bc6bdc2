#include "timeline/call_arguments.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
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

static void take_member(struct pending_arguments *p, uint32_t member, const struct wire_event *e)
{
	if (member >= WIRE_EVENT_MEMBERS)
		return;
	p->members |= 1u << member;
	p->member[member] = e->value1;
	if (e->flags & WIRE_EVENT_UNREADABLE)
		p->unreadable |= 1u << (WIRE_EVENT_ARGUMENTS + member);
}

void call_arguments_take(struct call_arguments *a, const struct wire_event *e)
{
	const uint32_t argument = e->flags & ~WIRE_EVENT_UNREADABLE;
	struct pending_arguments *p = pending_of(a, e);

	if (e->kind == WIRE_EVENT_MORE) {
		memcpy(p->more, (const uint64_t[]){e->value1, e->value2, e->more}, sizeof(p->more));
		return;
	}
	if (e->kind == WIRE_EVENT_MEMBER) {
		take_member(p, argument, e);
		return;
	}
	if (argument >= CALL_TEXTS ||
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

static bool is_there(const struct pending_arguments *p, uint32_t member)
{
	return p->members >> member & 1 || p->n[WIRE_EVENT_ARGUMENTS + member];
}

static bool is_unreadable(const struct pending_arguments *p, uint32_t member)
{
	return p->unreadable >> (WIRE_EVENT_ARGUMENTS + member) & 1;
}

static void add_member(const struct pending_arguments *p, const struct member *m, uint32_t number,
		       struct str *out)
{
	const uint32_t text = WIRE_EVENT_ARGUMENTS + number;

	str_addf(out, "%s=", m->is.name ?: "?");
	if (!is_there(p, number))
		str_add(out, "[not recorded]");
	else if (is_unreadable(p, number))
		str_add(out, "[not in memory]");
	else if (p->n[text])
		add_text(p, text, 1, out);
	else if (m->is.kind == VALUE_TEXT)
		add_text(p, text, p->member[number], out);
	else
		signature_value(&m->is, p->member[number], out);
}

/* The members behind the pointer @address, the first of which has @number. */
static void add_members(const struct pending_arguments *p, const struct parameter *of,
			const char *name, uint64_t address, uint32_t number, struct str *out)
{
	uint32_t there = 0, unreadable = 0;

	for (uint32_t i = 0; i < of->members.n; i++) {
		there += is_there(p, number + i);
		unreadable += is_unreadable(p, number + i);
	}
	if (!address) {
		str_addf(out, "%s=NULL", name);
		return;
	}
	if (!there || unreadable == of->members.n) {
		str_addf(out, "%s=0x%" PRIx64 "%s", name, address, there ? " [not in memory]" : "");
		return;
	}
	for (uint32_t i = 0; i < of->members.n; i++) {
		str_addf(out, "%s%s.", i ? ", " : "", name);
		add_member(p, &of->members.at[i], number + i, out);
	}
}

/* How a member is read from behind an argument's register. */
static struct wire_event_member shape_of(const struct member *m, uint8_t place)
{
	const uint32_t most = WIRE_EVENT_PIECES * WIRE_EVENT_PIECE;
	const uint32_t bytes = m->array_bytes ? m->array_bytes : m->is.bytes;

	return (struct wire_event_member){.offset = m->offset,
					  .argument = place,
					  .bytes = (uint8_t)(bytes < most ? bytes : most),
					  .text = m->array_bytes	     ? WIRE_MEMBER_ARRAY
						  : m->is.kind == VALUE_TEXT ? WIRE_MEMBER_POINTER
									     : WIRE_MEMBER_VALUE};
}

struct wire_event_shape call_arguments_shape(const struct signature *is)
{
	struct wire_event_shape shape = {.arguments = signature_registers(is),
					 .texts = signature_texts(is)};

	for (uint32_t i = 0; i < is->n; i++)
		for (uint32_t k = 0; k < is->at[i].members.n; k++)
			if (shape.n_members < WIRE_EVENT_MEMBERS)
				shape.members[shape.n_members++] =
					shape_of(&is->at[i].members.at[k], is->at[i].place);
	if (shape.n_members)
		shape.arguments |= WIRE_EVENT_BY_MEMBERS;
	return shape;
}

void call_arguments_add(struct call_arguments *a, const struct signature *is,
			const struct wire_event *entry, struct str *out)
{
	struct pending_arguments *p = pending_of(a, entry);
	uint32_t member = 0;

	for (uint32_t i = 0; i < is->n; i++) {
		const struct parameter *of = &is->at[i];
		const bool is_read = of->place < PLACE_REGISTERS;

		str_add(out, i ? ", " : "");
		if (of->members.n) {
			add_members(p, of, signature_name(is, i), register_of(p, entry, of->place),
				    member, out);
			member += (uint32_t)of->members.n;
			continue;
		}
		str_addf(out, "%s=", signature_name(is, i));
		if (of->kind == VALUE_TEXT && is_read)
			add_text(p, of->place, register_of(p, entry, of->place), out);
		else
			signature_value(of, is_read ? register_of(p, entry, of->place) : 0, out);
	}
	if (is->more)
		str_add(out, is->n ? ", …" : "…");
	*p = (struct pending_arguments){0};
}

void call_arguments_member(struct call_arguments *a, const struct wire_event *e, uint32_t member,
			   struct str *out)
{
	struct pending_arguments *p = pending_of(a, e);
	const char *text = p->text[WIRE_EVENT_ARGUMENTS + member];
	_free_ char *clean = str_clean(text, strlen(text));

	str_add(out, clean);
	*p = (struct pending_arguments){0};
}
