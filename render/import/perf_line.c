#include "import/perf_line.h"

#define NS_DIGITS 9

/* "61349.213533:" */
static bool take_time(struct span w, int64_t *ns)
{
	uint64_t seconds, part;
	struct span fraction;
	int64_t whole;

	if (w.n < 4 || w.s[w.n - 1] != ':')
		return false;
	fraction = (struct span){w.s, w.n - 1};
	if (!span_number(span_take(&fraction, '.'), 10, INT64_MAX, &seconds) ||
	    fraction.n > NS_DIGITS || !span_number(fraction, 10, INT64_MAX, &part))
		return false;
	for (size_t i = fraction.n; i < NS_DIGITS; i++)
		part *= 10;
	if (__builtin_mul_overflow((int64_t)seconds, (int64_t)1000000000, &whole))
		return false;
	return !__builtin_add_overflow(whole, (int64_t)part, ns);
}

/* "4711/4713", or the thread alone. */
static bool take_ids(struct span w, struct perf_sample *out)
{
	const struct span first = span_take(&w, '/');
	const bool alone = !w.n;
	uint64_t pid, tid;

	/* perf has -1 for what it does not know. */
	if (span_is(first, "-1"))
		pid = 0;
	else if (!span_number(first, 10, UINT32_MAX, &pid))
		return false;
	tid = pid;
	if (w.n && !span_is(w, "-1") && !span_number(w, 10, UINT32_MAX, &tid))
		return false;
	out->pid = alone ? 0 : (uint32_t)pid;
	out->tid = (uint32_t)tid;
	return true;
}

static bool is_cpu(struct span w)
{
	uint64_t cpu;

	return w.n > 2 && w.s[0] == '[' && w.s[w.n - 1] == ']' &&
	       span_number((struct span){w.s + 1, w.n - 2}, 10, UINT32_MAX, &cpu);
}

/* "1001001 cpu-clock:ppp: …", or no period. */
static bool take_event(struct span rest, struct perf_sample *out)
{
	struct span w = span_word(&rest);

	out->period = 1;
	out->has_period = span_number(w, 10, INT64_MAX, &out->period);
	if (out->has_period)
		w = span_word(&rest);
	if (w.n < 2 || w.s[w.n - 1] != ':')
		return false;
	out->event = (struct span){w.s, w.n - 1};
	out->rest = span_trim(rest);
	return true;
}

/* Sets the name, which ends before the id. perf -F -comm writes none. */
static void set_comm(struct span line, struct span id, struct perf_sample *out)
{
	out->comm = span_trim((struct span){line.s, (size_t)(id.s - line.s)});
	if (!out->comm.n)
		out->comm = span_of("[unknown]");
}

/* Without a time: before the event stand the id, perhaps a CPU, perhaps a period. */
static bool untimed(struct span line, struct perf_sample *out)
{
	struct span before[3] = {{0}}, rest = line;

	for (struct span w = span_word(&rest); w.n; w = span_word(&rest)) {
		const struct span event = {w.s, w.n - 1};
		uint64_t period;

		if (is_cpu(w))
			continue;
		if (w.n < 2 || w.s[w.n - 1] != ':') {
			before[1] = before[0];
			before[0] = w;
			continue;
		}
		out->event = event;
		out->rest = span_trim(rest);
		out->period = 1;
		out->has_period = false;
		out->time_ns = 0;
		if (before[1].n && before[1].s != line.s && take_ids(before[1], out) &&
		    span_number(before[0], 10, INT64_MAX, &period)) {
			out->period = period;
			out->has_period = true;
			set_comm(line, before[1], out);
			return true;
		}
		if (!before[0].n || !take_ids(before[0], out))
			return false;
		set_comm(line, before[0], out);
		return true;
	}
	return false;
}

/* The name of a thread may hold blanks and numbers: it ends before the first id that a time
 * follows, perhaps behind a CPU. */
static bool timed_sample(struct span line, struct perf_sample *out)
{
	struct span rest = line, before = span_word(&rest), cpu = {0};

	for (struct span w = span_word(&rest); w.n; w = span_word(&rest)) {
		if (!cpu.n && is_cpu(w)) {
			cpu = w;
			continue;
		}
		if (take_time(w, &out->time_ns) && take_ids(before, out)) {
			set_comm(line, before, out);
			return take_event(rest, out);
		}
		cpu = (struct span){0};
		before = w;
	}
	return false;
}

bool perf_line_sample(struct span line, bool timed, struct perf_sample *out)
{
	/* perf aligns names to the right where there are no call chains. */
	line = span_trim(line);
	if (!line.n || (line.s[line.n - 1] != ':' && !memmem(line.s, line.n, ": ", 2)))
		return false;
	return timed_sample(line, out) || (!timed && untimed(line, out));
}

bool perf_line_frame(struct span line, struct perf_frame *out)
{
	struct span rest = line;
	const struct span address = span_word(&rest);

	if (address.s == line.s || !span_number(address, 16, UINT64_MAX, &out->address))
		return false;
	out->text = span_trim(rest);
	return out->text.n > 0;
}

/* Where the last bracket opens that closes at the end of @text; text.n: none does. */
static size_t last_bracket(struct span text)
{
	size_t depth = 0;

	if (!text.n || text.s[text.n - 1] != ')')
		return text.n;
	for (size_t i = text.n; i-- > 0;) {
		if (text.s[i] == ')')
			depth++;
		else if (text.s[i] == '(' && !--depth)
			return i;
	}
	return text.n;
}

/* Cuts "+0x71" off. */
static struct span without_offset(struct span name)
{
	const size_t at = span_find_last(name, '+');
	uint64_t offset;

	if (at && at + 3 < name.n && name.s[at + 1] == '0' && name.s[at + 2] == 'x' &&
	    span_number(span_from(name, at + 3), 16, UINT64_MAX, &offset))
		name.n = at;
	return name;
}

void perf_line_symbol(struct span text, struct perf_symbol *out)
{
	const size_t at = last_bracket(text);

	*out = (struct perf_symbol){.name = text};
	/* A name alone may end in a bracket: "operator()". */
	if (at < text.n && (!at || is_blank(text.s[at - 1]))) {
		out->module = (struct span){text.s + at + 1, text.n - at - 2};
		out->name.n = at;
	}
	out->name = without_offset(span_trim(out->name));
	out->inlined = span_is(out->module, "inlined");
	if (out->inlined || span_is(out->module, "[unknown]"))
		out->module.n = 0;
}
