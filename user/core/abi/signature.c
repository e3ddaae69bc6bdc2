#include "abi/signature.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

void member_release(struct member *m)
{
	vec_each (e, &m->is.enumerators)
		free(e->name);
	vec_release(&m->is.enumerators);
	free(m->is.name);
}

static void drop_members(struct parameter *p, uint32_t most)
{
	while (p->members.n > most)
		member_release(&p->members.at[--p->members.n]);
}

static void release(struct parameter *p)
{
	drop_members(p, 0);
	vec_release(&p->members);
	vec_each (e, &p->enumerators)
		free(e->name);
	vec_release(&p->enumerators);
	free(p->name);
}

void signature_release(struct signature *s)
{
	for (uint32_t i = 0; i < s->n; i++)
		release(&s->at[i]);
	release(&s->result);
	*s = (struct signature){0};
}

void signature_limit_members(struct signature *s)
{
	uint32_t left = SIGNATURE_MEMBERS_ALL;

	for (uint32_t i = 0; i < s->n; i++) {
		drop_members(&s->at[i], s->at[i].place < PLACE_REGISTERS ? left : 0);
		left -= (uint32_t)s->at[i].members.n;
	}
}

void signature_free(struct signature *s)
{
	if (s)
		signature_release(s);
	free(s);
}

uint32_t signature_registers(const struct signature *s)
{
	uint32_t bits = 0;

	for (uint32_t i = 0; i < s->n; i++)
		if (s->at[i].place < PLACE_REGISTERS)
			bits |= 1u << s->at[i].place;
	return bits;
}

uint32_t signature_texts(const struct signature *s)
{
	uint32_t bits = 0;

	for (uint32_t i = 0; i < s->n; i++)
		if (s->at[i].place < PLACE_REGISTERS && s->at[i].kind == VALUE_TEXT)
			bits |= 1u << s->at[i].place;
	return bits;
}

const char *signature_name(const struct signature *s, uint32_t parameter)
{
	static char number[16];

	if (s->at[parameter].name)
		return s->at[parameter].name;
	snprintf(number, sizeof(number), "arg%" PRIu32, parameter);
	return number;
}

/* The upper bytes of a register that a smaller value is in are chance. */
static uint64_t cut(uint64_t value, uint8_t bytes, bool is_signed)
{
	const uint32_t shift = bytes && bytes < 8 ? 64 - 8 * (uint32_t)bytes : 0;

	return is_signed ? (uint64_t)((int64_t)(value << shift) >> shift) : value << shift >> shift;
}

static void add_enum(const struct parameter *p, uint64_t value, struct str *out)
{
	const int64_t is = (int64_t)cut(value, p->bytes, p->is_signed);

	vec_each (e, &p->enumerators)
		if (e->value == is) {
			str_add(out, e->name);
			return;
		}
	str_addf(out, p->is_signed ? "%" PRId64 : "%" PRIu64, is);
}

static const char *where(const struct parameter *p)
{
	if (p->place == PLACE_NOWHERE)
		return "[empty]";
	if (p->place == PLACE_MEMORY)
		return "[in memory]";
	if (p->place == PLACE_SEVERAL)
		return p->kind == VALUE_STRUCT ? "[a struct in registers]" : "[in two registers]";
	if (p->place == PLACE_STACK)
		return p->kind == VALUE_STRUCT ? "[passed on the stack]" : "[on the stack]";
	return p->place == PLACE_VECTOR ? "[in a vector register]" : "[a struct in a register]";
}

void signature_value(const struct parameter *p, uint64_t value, struct str *out)
{
	const unsigned char c = (unsigned char)value;

	if (p->place >= PLACE_REGISTERS || p->kind == VALUE_STRUCT || p->kind == VALUE_FLOAT) {
		str_add(out, where(p));
		return;
	}
	switch ((enum value_kind)p->kind) {
	case VALUE_INT:
		str_addf(out, "%" PRId64, (int64_t)cut(value, p->bytes, true));
		break;
	case VALUE_UINT:
		str_addf(out, "%" PRIu64, cut(value, p->bytes, false));
		break;
	case VALUE_BOOL:
		str_add(out, c ? "true" : "false");
		break;
	case VALUE_CHAR:
		str_addf(out, c > ' ' && c < 0x7f ? "'%c'" : "'\\x%02x'", c);
		break;
	case VALUE_ENUM:
		add_enum(p, value, out);
		break;
	case VALUE_NONE:
		break;
	default:
		str_addf(out, "0x%" PRIx64, value);
	}
}
