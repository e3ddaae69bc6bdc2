/* gperftools: profiles that are text: of the heap, its growth, contention, and what Go counts. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/str.h"
#include "import/gperftools.h"
#include "model/meta.h"

/* "0x4a 0x4b …", leaf first; all are addresses to return to. False: there is something else. */
static bool take_addresses(struct gperftools *r, struct span line)
{
	struct span word;
	uint64_t at;

	r->stack.n = 0;
	while ((word = span_word(&line)).n) {
		if (span_starts(word, "0x"))
			word = span_from(word, 2);
		if (!span_number(word, 16, UINT64_MAX, &at))
			return false;
		if (r->stack.n < GPERFTOOLS_FRAMES_MOST)
			vec_push(&r->stack, r->java ? at : at - 1);
	}
	return true;
}

/* "1: 9216 [3: 9300]": how many objects and bytes, in use and ever allocated. */
static bool take_heap_numbers(struct span s, int64_t v[4])
{
	struct span in_use = span_trim(span_take(&s, '[')), count = span_take(&in_use, ':');
	struct span ever_count;

	s = span_trim(s);
	if (!s.n || s.s[s.n - 1] != ']')
		return false;
	s.n--;
	ever_count = span_take(&s, ':');
	return span_int(span_trim(count), &v[0]) && span_int(span_trim(in_use), &v[1]) &&
	       span_int(span_trim(ever_count), &v[2]) && span_int(span_trim(s), &v[3]);
}

/* What a sample stands for, where one of @rate bytes on average was taken: it was taken with the
 * probability 1 - exp(-size / rate). */
static double weight(const struct gperftools *r, int64_t count, int64_t bytes)
{
	if (!r->rate || count <= 0 || bytes <= 0)
		return 1;
	return 1 / (1 - exp(-((double)bytes / (double)count) / (double)r->rate));
}

static int64_t scaled(int64_t value, double by)
{
	const double v = (double)value * by;

	return fabs(v) < 9e18 ? (int64_t)v : INT64_MAX;
}

static int take_heap(struct gperftools *r, struct span line)
{
	struct span numbers = span_take(&line, '@');
	int64_t v[4];
	uint32_t node;

	if (!take_heap_numbers(numbers, v) || !take_addresses(r, line))
		return input_bad(r->in, "objects: bytes [objects: bytes] @ addresses are expected");
	node = gperftools_node(r);
	for (size_t i = 0; i < 4; i += 2) {
		const double by = weight(r, v[i], v[i + 1]);
		const struct builder_value values[2] = {{r->metrics[i], scaled(v[i], by)},
							{r->metrics[i + 1], scaled(v[i + 1], by)}};

		/* Without allocations there is what is in use alone. */
		if (r->metrics[i + 1] != UINT32_MAX)
			gperftools_sample(r, node, v[i] > 0 ? v[i] : 1, values, 2);
	}
	return 0;
}

/* "cycles count @ addresses": waited for a lock. */
static int take_contention(struct gperftools *r, struct span line)
{
	struct span numbers = span_take(&line, '@'), first = span_word(&numbers);
	struct span second = span_trim(numbers);
	int64_t cycles, count;

	if (!span_int(first, &cycles) || !span_int(second, &count) || !take_addresses(r, line) ||
	    count < 0 || __builtin_mul_overflow(count, r->period, &count))
		return input_bad(r->in, "cycles, a count and @ addresses are expected");
	gperftools_sample(
		r, gperftools_node(r), count,
		(struct builder_value[]){
			{r->metrics[0], count},
			{r->metrics[1], scaled(cycles, (double)r->period * r->ns_per_value)}},
		2);
	return 0;
}

/* "cycles/second = 3201000000" before the first stack. False: it is no such line. */
static bool take_setting(struct gperftools *r, struct span line)
{
	struct span key, value;
	int64_t v;

	if (span_find(line, '=') == line.n || span_find(line, '@') < line.n)
		return false;
	value = line;
	key = span_trim(span_take(&value, '='));
	if (!span_int(span_trim(value), &v) || v <= 0)
		return true;
	if (span_is(key, "cycles/second"))
		r->ns_per_value = 1e9 / (double)v;
	if (span_is(key, "sampling period"))
		r->period = v;
	return true;
}

static bool is_maps_marker(struct span line)
{
	return span_starts(line, "MAPPED_LIBRARIES") || span_starts(line, "--- Memory map:");
}

/* What stands before the list of mappings, which is read. */
static struct span stacks_of(struct gperftools *r, struct span text)
{
	const char *start = text.s;

	while (text.n) {
		const size_t before = (size_t)(text.s - start);

		if (is_maps_marker(span_trim(span_take(&text, '\n')))) {
			gperftools_mappings(r, text);
			return (struct span){start, before};
		}
	}
	return (struct span){start, (size_t)(text.s - start)};
}

static int read_stacks(struct gperftools *r, struct span text,
		       int (*take)(struct gperftools *, struct span))
{
	int rc = 0;

	while (!rc && text.n) {
		const struct span line = span_trim(span_take(&text, '\n'));

		r->in->line++;
		if (line.n && line.s[0] != '#' && !take_setting(r, line))
			rc = builder_skip(r->b, r->in, take(r, line));
	}
	return rc;
}

/* "heap profile: 1: 9216 [3: 9300] @ heapz_v2/524288": the last is how samples were taken. Of
 * "heap" the number is twice the mean; of "heapprofile" and "growthz" all was counted. */
static int take_heap_header(struct gperftools *r, struct span line)
{
	struct span totals = span_take(&line, '@'), kind, rate;
	uint64_t number = 0;
	int64_t v[4];

	span_take(&totals, ':');
	rate = span_trim(line);
	kind = span_take(&rate, '/');
	span_number(span_trim(rate), 10, INT64_MAX, &number);
	if (!take_heap_numbers(totals, v))
		return input_bad(r->in,
				 "heap profile: objects: bytes [objects: bytes] @ is expected");
	if (span_is(kind, "heapz_v2") || span_is(kind, "heap_v2"))
		r->rate = (int64_t)number;
	else if (span_is(kind, "heap"))
		r->rate = (int64_t)(number / 2);
	r->metrics[0] = builder_metric(r->b, "inuse_objects", "events", METRIC_COUNT);
	r->metrics[1] = builder_metric(r->b, "inuse_space", "bytes", METRIC_SUM);
	r->metrics[3] = UINT32_MAX;
	profile_set_run(r->b->profile, RUN_METRIC, "inuse_space");
	if ((v[2] != v[0] && v[2]) || (v[3] != v[1] && v[3])) {
		r->metrics[2] = builder_metric(r->b, "alloc_objects", "events", METRIC_COUNT);
		r->metrics[3] = builder_metric(r->b, "alloc_space", "bytes", METRIC_SUM);
	}
	return 0;
}

static int read_heap(struct gperftools *r, struct span text)
{
	const struct span line = span_trim(span_take(&text, '\n'));
	int rc;

	r->in->line = 1;
	rc = take_heap_header(r, line);
	return rc ? rc : read_stacks(r, stacks_of(r, text), take_heap);
}

static void set_contention(struct gperftools *r)
{
	r->period = 1;
	r->ns_per_value = r->java ? 1000 : 1;
	r->metrics[0] = builder_metric(r->b, "contentions", "events", METRIC_COUNT);
	r->metrics[1] = builder_metric(r->b, "delay", "ns", METRIC_SUM);
	profile_set_run(r->b->profile, RUN_METRIC, "delay");
}

static int read_contention(struct gperftools *r, struct span text)
{
	set_contention(r);
	return read_stacks(r, stacks_of(r, text), take_contention);
}

/* --- Java, Go --------------------------------------------------------------------------------- */

#define JAVA_RATE (512 << 10) /* of heaps, in bytes */

/* "bytes objects @ addresses" */
static int take_java_heap(struct gperftools *r, struct span line)
{
	struct span numbers = span_take(&line, '@'), first = span_word(&numbers);
	int64_t bytes, count;
	double by;

	if (!span_int(first, &bytes) || !span_int(span_trim(numbers), &count) ||
	    !take_addresses(r, line))
		return input_bad(r->in, "bytes, objects and @ addresses are expected");
	by = weight(r, count, bytes);
	gperftools_sample(r, gperftools_node(r), count,
			  (struct builder_value[]){{r->metrics[0], scaled(count, by)},
						   {r->metrics[1], scaled(bytes, by)}},
			  2);
	return 0;
}

/* "7 @ addresses" */
static int take_count(struct gperftools *r, struct span line)
{
	const struct span number = span_trim(span_take(&line, '@'));
	int64_t count;

	if (!span_int(number, &count) || count < 0 || !take_addresses(r, line))
		return input_bad(r->in, "a count and @ addresses are expected");
	gperftools_sample(r, gperftools_node(r), count,
			  &(struct builder_value){r->metrics[0], count}, 1);
	return 0;
}

/* Java's stacks stand before the names of their functions. */
static struct span before_names(struct span text)
{
	const char *start = text.s;

	while (text.n) {
		const char *line = text.s;

		if (span_starts(span_trim(span_take(&text, '\n')), "0x"))
			return (struct span){start, (size_t)(line - start)};
	}
	return (struct span){start, (size_t)(text.s - start)};
}

static int read_java(struct gperftools *r, struct span text, bool heap)
{
	r->java = true;
	gperftools_names(r, text);
	text = before_names(text);
	if (!heap) {
		set_contention(r);
		return read_stacks(r, text, take_contention);
	}
	r->rate = JAVA_RATE;
	r->metrics[0] = builder_metric(r->b, "inuse_objects", "events", METRIC_COUNT);
	r->metrics[1] = builder_metric(r->b, "inuse_space", "bytes", METRIC_SUM);
	profile_set_run(r->b->profile, RUN_METRIC, "inuse_space");
	return read_stacks(r, text, take_java_heap);
}

/* "goroutine profile: total 7": the word before is what is counted. */
static bool take_counted(struct span line, struct span *what)
{
	static const char profile[] = " profile: total ";
	const char *at = memmem(line.s, line.n, profile, sizeof(profile) - 1);

	if (!at || at == line.s)
		return false;
	*what = (struct span){line.s, (size_t)(at - line.s)};
	for (size_t i = 0; i < what->n; i++)
		if ((what->s[i] < 'a' || what->s[i] > 'z') && what->s[i] != '_')
			return false;
	return true;
}

static int read_counts(struct gperftools *r, struct span text, struct span what)
{
	_free_ char *name = mem_strndup(what.s, what.n);

	r->metrics[0] = builder_metric(r->b, name, "events", METRIC_COUNT);
	profile_set_run(r->b->profile, RUN_METRIC, name);
	return read_stacks(r, stacks_of(r, text), take_count);
}

/* --- which ------------------------------------------------------------------------------------ */

static const char heap_sign[] = "heap profile:";
static const char contention_sign[] = "--- contention";
static const char java_heap_sign[] = "--- heapz 1 ---";

static struct span without_blanks(struct span text)
{
	while (text.n && (is_blank(text.s[0]) || text.s[0] == '\n' || text.s[0] == '\r'))
		text = span_from(text, 1);
	return text;
}

bool gperftools_is_text(struct span head)
{
	struct span what, line;

	head = without_blanks(head);
	line = span_take(&head, '\n');
	return span_starts(line, heap_sign) || span_starts(line, contention_sign) ||
	       span_starts(line, java_heap_sign) || take_counted(line, &what) ||
	       gperftools_is_threads(line);
}

int gperftools_text(struct gperftools *r)
{
	static const char java[] = "\nformat = java";
	struct span text = without_blanks(r->data), rest = text, line, what;

	line = span_trim(span_take(&rest, '\n'));
	r->in->line = 1;
	if (gperftools_is_threads(line))
		return gperftools_threads(r, text);
	if (memmem(text.s, text.n, java, sizeof(java) - 1))
		return read_java(r, rest, span_starts(line, java_heap_sign));
	gperftools_names(r, rest);
	if (span_starts(line, heap_sign))
		return read_heap(r, text);
	if (span_starts(line, contention_sign))
		return read_contention(r, rest);
	if (take_counted(line, &what))
		return read_counts(r, rest, what);
	return err(-EINVAL, "'%s' is no profile of gperftools", r->in->name);
}
