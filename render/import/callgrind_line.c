#include "import/callgrind_line.h"

bool callgrind_name(struct span value, uint32_t *number, struct span *name)
{
	const size_t end = span_find(value, ')');
	uint64_t n;

	*number = UINT32_MAX;
	*name = value;
	if (!value.n || value.s[0] != '(' || end == value.n)
		return value.n > 0;
	if (!span_number((struct span){value.s + 1, end - 1}, 10, UINT32_MAX - 1, &n))
		return true; /* "(below main)" */
	*number = (uint32_t)n;
	*name = span_trim(span_from(value, end + 1));
	return true;
}

bool callgrind_positions_read(struct callgrind_positions *p, struct span value)
{
	*p = (struct callgrind_positions){.n = 1, .line_at = 0};
	if (span_is(value, "line"))
		return true;
	if (span_is(value, "instr")) {
		p->line_at = 1;
		return true;
	}
	p->n = 2;
	p->line_at = 1;
	return span_is(value, "instr line");
}

/* "16", "0x400", "+3", "-3", "*" */
static bool position(struct span w, uint64_t *at)
{
	const char sign = w.n ? w.s[0] : 0;
	int base = 10;
	uint64_t n;

	if (sign == '*')
		return w.n == 1;
	if (sign == '+' || sign == '-')
		w = span_from(w, 1);
	if (span_starts(w, "0x")) {
		w = span_from(w, 2);
		base = 16;
	}
	if (!span_number(w, base, UINT64_MAX, &n))
		return false;
	if (sign == '+')
		return !__builtin_add_overflow(*at, n, at);
	if (sign == '-')
		return !__builtin_sub_overflow(*at, n, at);
	*at = n;
	return true;
}

static bool cost(struct callgrind_positions *p, size_t i, struct span w, int64_t *out)
{
	const char sign = w.n ? w.s[0] : 0;
	int64_t by = 0;

	p->relative |= sign == '*' || sign == '+';
	if (sign == '*' && w.n == 1)
		*out = p->cost[i];
	else if (!span_int(sign == '+' ? span_from(w, 1) : w, &by))
		return false;
	else if (!p->relative || (sign != '+' && sign != '-'))
		*out = by;
	else if (__builtin_add_overflow(p->cost[i], by, out))
		return false;
	p->cost[i] = *out;
	return true;
}

bool callgrind_cost(struct callgrind_positions *p, struct span line, size_t n, int64_t *costs)
{
	struct span rest = line;

	for (size_t i = 0; i < p->n; i++)
		if (!position(span_word(&rest), &p->at[i]))
			return false;
	for (size_t i = 0; i < n; i++) {
		const struct span w = span_word(&rest);

		costs[i] = 0;
		if (w.n && !cost(p, i, w, &costs[i]))
			return false;
	}
	return !span_trim(rest).n;
}

uint32_t callgrind_source_line(const struct callgrind_positions *p)
{
	const uint64_t line = p->line_at < p->n ? p->at[p->line_at] : 0;

	return line <= UINT32_MAX ? (uint32_t)line : 0;
}
