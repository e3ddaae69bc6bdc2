/*
 * gperftools: profiles of gperftools and its kin before they wrote protocol buffers: of the CPU, in
 * binary words, and of the heap, its growth, and contention for locks, as text. Stacks are
 * addresses; the list of mappings at the end tells which modules they are in. As `go tool pprof`
 * reads them (github.com/google/pprof, profile/legacy_profile.go).
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/str.h"
#include "import/import.h"
#include "import/scan.h"
#include "model/meta.h"

#define FRAMES_MOST 4096 /* of a stack; what calls these is left out */
#define METRICS	    4

/* A part of a module that may be executed: [low, high) in memory. */
struct mapping {
	uint64_t low, high, offset;
	uint32_t module;
	struct span path;
};

struct reader {
	struct input *in;
	struct builder *b;
	struct span data; /* all of it */
	VEC(struct mapping) mappings;
	struct map frames;   /* by address: row of frames */
	VEC(uint64_t) stack; /* leaf first */
	uint32_t metrics[METRICS];
	int64_t rate; /* of a heap: a sample stands for so many bytes, by chance; 0: each is counted
		       */
	double ns_per_value; /* of contention */
	int64_t period;	     /* of contention: every such event was sampled; of the CPU: µs */
};

/* --- addresses -------------------------------------------------------------------------------- */

static int by_low(const void *a, const void *b)
{
	const struct mapping *m = a, *n = b;

	return (m->low > n->low) - (m->low < n->low);
}

/* The last one that begins at @address or before: they are in order, and do not overlap. */
static const struct mapping *mapping_of(const struct reader *r, uint64_t address)
{
	size_t low = 0, high = r->mappings.n;

	while (low < high) {
		const size_t mid = low + (high - low) / 2;

		if (r->mappings.at[mid].low <= address)
			low = mid + 1;
		else
			high = mid;
	}
	return low && address < r->mappings.at[low - 1].high ? &r->mappings.at[low - 1] : NULL;
}

/* "libfoo.so+0x1f30", or where in no mapping, "[unknown] 0x7f00". */
static uint32_t make_frame(struct reader *r, uint64_t address)
{
	const struct mapping *m = mapping_of(r, address);
	struct profile *p = r->b->profile;
	const char *path = m ? profile_text(p, p->modules.at[m->module].path) : "";
	_free_ char *name =
		*path ? mem_printf("%s+0x%" PRIx64, str_base(path), address - m->low + m->offset)
		      : mem_printf("[unknown] 0x%" PRIx64, address);
	struct function e = {.name = builder_text(r->b, name, strlen(name)),
			     .module = m ? m->module : 0};

	e.kind = builder_code_kind(r->b, e.module, span_of(name));
	return profile_frame(p, &(struct frame){.function = profile_function(p, &e)});
}

/* The node of the stack. */
static uint32_t make_node(struct reader *r)
{
	uint32_t node = 0;

	for (size_t i = r->stack.n; i-- > 0;) {
		bool fresh;
		uint32_t *frame = map_put(&r->frames, r->stack.at[i], &fresh);

		if (fresh)
			*frame = make_frame(r, r->stack.at[i]);
		node = profile_node(r->b->profile, node, *frame);
	}
	return node;
}

static void add_sample(struct reader *r, uint32_t node, int64_t count,
		       const struct builder_value *values, size_t n)
{
	const int64_t samples = count > 0 ? count : 1;
	static const char all[] = "all threads";
	const uint32_t name = builder_text(r->b, all, sizeof(all) - 1);

	builder_sample(r->b, 0, builder_thread(r->b, 0, 0, name, 0), node, count, values, n);
	if (!node)
		builder_note(r->b, values[0].metric, LEDGER_NOTE, "no stack", samples);
}

/* --- mappings --------------------------------------------------------------------------------- */

static bool take_range(struct span *line, struct mapping *m)
{
	struct span high = span_word(line), low;

	if (high.n && high.s[high.n - 1] == ':')
		high.n--;
	if (span_find(high, '-') == high.n)
		return false;
	low = span_take(&high, '-');
	return span_number(low, 16, UINT64_MAX, &m->low) &&
	       span_number(high, 16, UINT64_MAX, &m->high) && m->low < m->high;
}

/* "00400000-00fcb000 r-xp 00000000 08:01 42 /bin/x", as in /proc/PID/maps. False: none of code. */
static bool take_kernels(struct span line, struct mapping *m)
{
	const struct span rights = span_word(&line), offset = span_word(&line);

	span_word(&line);
	span_word(&line);
	m->path = span_trim(line);
	return rights.n == 4 && rights.s[2] == 'x' &&
	       span_number(offset, 16, UINT64_MAX, &m->offset);
}

/* One of the lines below the marker. "00400000-00fcb000: $source/x" has the @source that a line
 * before it gave: "source=/home". */
static void take_mapping(struct reader *r, struct span line, struct span *source)
{
	struct mapping m = {0};
	struct span rest = line;
	_free_ char *path = NULL;

	if (span_starts(line, "source=")) {
		*source = span_from(line, 7);
		return;
	}
	if (!take_range(&rest, &m))
		return;
	if (rest.n && rest.s[0] == ' ' && rest.n > 5 && (rest.s[1] == 'r' || rest.s[1] == '-')) {
		if (!take_kernels(rest, &m))
			return;
	} else {
		m.path = span_trim(rest);
	}
	if (span_starts(m.path, "$source")) {
		m.path = span_from(m.path, 7);
		path = mem_printf("%.*s%.*s", (int)source->n, source->s, (int)m.path.n, m.path.s);
		m.path = span_of(path);
	}
	m.module = m.path.n ? builder_module(r->b, m.path) : 0;
	m.path = (struct span){0};
	vec_push(&r->mappings, m);
}

static void read_mappings(struct reader *r, struct span text)
{
	struct span source = {0};

	while (text.n)
		take_mapping(r, span_trim(span_take(&text, '\n')), &source);
	vec_sort(&r->mappings, by_low);
}

/* --- the CPU: binary words -------------------------------------------------------------------- */

/* How words are written: bytes, and whether the greatest comes first. */
struct words {
	uint8_t bytes;
	bool big;
};

static uint64_t word_at(struct words w, const char *at)
{
	uint64_t v = 0;

	for (unsigned i = 0; i < w.bytes; i++) {
		const unsigned from = w.big ? i : w.bytes - 1u - i;

		v = v << 8 | (uint8_t)at[from];
	}
	return v;
}

static bool take_word(struct words w, struct span *data, uint64_t *v)
{
	if (data->n < w.bytes)
		return false;
	*v = word_at(w, data->s);
	*data = span_from(*data, w.bytes);
	return true;
}

/* The header: 0, 3 words follow, version 0, the period in µs, 0. */
static bool take_header(struct words w, struct span *data, uint64_t *period)
{
	uint64_t v[5];

	for (size_t i = 0; i < 5; i++)
		if (!take_word(w, data, &v[i]))
			return false;
	*period = v[3];
	return !v[0] && v[1] == 3 && !v[2] && v[3] && v[3] < UINT32_MAX && !v[4];
}

static bool find_words(struct span data, struct words *w, uint64_t *period, struct span *rest)
{
	static const struct words all[] = {{4, false}, {8, false}, {4, true}, {8, true}};

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
		*rest = data;
		*w = all[i];
		if (take_header(*w, rest, period))
			return true;
	}
	return false;
}

/* One record: a count, a number of frames, and so many addresses, leaf first. False: it is cut, and
 * nothing follows. */
static bool take_record(struct words w, struct span *data, uint64_t *count, uint64_t *n,
			struct span *addresses)
{
	if (!take_word(w, data, count) || !take_word(w, data, n) || *n > data->n / w.bytes)
		return false;
	*addresses = (struct span){data->s, *n * w.bytes};
	*data = span_from(*data, addresses->n);
	return true;
}

static bool is_trailer(struct words w, uint64_t count, uint64_t n, struct span addresses)
{
	return !count && n == 1 && !word_at(w, addresses.s);
}

/* Callers' addresses are those to return to, behind the call. The leaf may be there twice: from the
 * signal's context, and from the walk of the stack. */
static void take_stack(struct reader *r, struct words w, struct span addresses)
{
	const size_t n = addresses.n / w.bytes;

	r->stack.n = 0;
	for (size_t i = 0; i < n && i < FRAMES_MOST; i++) {
		const uint64_t at = word_at(w, addresses.s + i * w.bytes) - (i ? 1 : 0);

		if (i != 1 || at + 1 != r->stack.at[0])
			vec_push(&r->stack, at);
	}
}

static int take_cpu(struct reader *r, uint64_t count)
{
	struct builder_value values[2] = {{r->metrics[0], (int64_t)count}, {r->metrics[1], 0}};

	if (!count || count > INT64_MAX ||
	    __builtin_mul_overflow((int64_t)count, r->period * 1000, &values[1].value))
		return err(-EINVAL, "'%s': a stack has the count %" PRIu64, r->in->name, count);
	add_sample(r, make_node(r), (int64_t)count, values, 2);
	return 0;
}

/* The first pass finds the list of mappings behind the samples, the second takes these. */
static int walk_cpu(struct reader *r, struct words w, struct span data, bool take)
{
	uint64_t count, n;
	struct span addresses;
	int rc = 0;

	while (!rc && take_record(w, &data, &count, &n, &addresses)) {
		r->in->line++;
		if (is_trailer(w, count, n, addresses)) {
			if (!take)
				read_mappings(r, data);
			return 0;
		}
		if (!take)
			continue;
		take_stack(r, w, addresses);
		rc = builder_skip(r->b, r->in, take_cpu(r, count));
	}
	if (take)
		builder_note(r->b, r->metrics[0], LEDGER_NOTE,
			     "the file is cut short: its end is missing", 1);
	return rc;
}

static int read_cpu(struct reader *r, struct words w, uint64_t period, struct span data)
{
	struct profile *p = r->b->profile;

	r->period = (int64_t)period;
	r->metrics[0] = builder_metric(r->b, "samples", "events", METRIC_COUNT);
	r->metrics[1] = builder_metric(r->b, "cpu", "ns", METRIC_SUM);
	profile_set_run(p, RUN_METRIC, "cpu");
	p->hz = 1e6 / (double)period;
	walk_cpu(r, w, data, false);
	r->in->line = 0;
	return walk_cpu(r, w, data, true);
}

/* --- text: heap, growth, contention ----------------------------------------------------------- */

/* "0x4a 0x4b …", leaf first; all are addresses to return to. False: there is something else. */
static bool take_addresses(struct reader *r, struct span line)
{
	struct span word;
	uint64_t at;

	r->stack.n = 0;
	while ((word = span_word(&line)).n) {
		if (span_starts(word, "0x"))
			word = span_from(word, 2);
		if (!span_number(word, 16, UINT64_MAX, &at))
			return false;
		if (r->stack.n < FRAMES_MOST)
			vec_push(&r->stack, at - 1);
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
static double weight(const struct reader *r, int64_t count, int64_t bytes)
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

static int take_heap(struct reader *r, struct span line)
{
	struct span numbers = span_take(&line, '@');
	int64_t v[4];
	uint32_t node;

	if (!take_heap_numbers(numbers, v) || !take_addresses(r, line))
		return input_bad(r->in, "objects: bytes [objects: bytes] @ addresses are expected");
	node = make_node(r);
	for (size_t i = 0; i < 4; i += 2) {
		const double by = weight(r, v[i], v[i + 1]);
		const struct builder_value values[2] = {{r->metrics[i], scaled(v[i], by)},
							{r->metrics[i + 1], scaled(v[i + 1], by)}};

		/* Without allocations there is what is in use alone. */
		if (r->metrics[i + 1] != UINT32_MAX)
			add_sample(r, node, v[i] > 0 ? v[i] : 1, values, 2);
	}
	return 0;
}

/* "cycles count @ addresses": waited for a lock. */
static int take_contention(struct reader *r, struct span line)
{
	struct span numbers = span_take(&line, '@'), first = span_word(&numbers);
	struct span second = span_trim(numbers);
	int64_t cycles, count;

	if (!span_int(first, &cycles) || !span_int(second, &count) || !take_addresses(r, line) ||
	    count < 0 || __builtin_mul_overflow(count, r->period, &count))
		return input_bad(r->in, "cycles, a count and @ addresses are expected");
	add_sample(r, make_node(r), count,
		   (struct builder_value[]){
			   {r->metrics[0], count},
			   {r->metrics[1], scaled(cycles, (double)r->period * r->ns_per_value)}},
		   2);
	return 0;
}

/* "cycles/second = 3201000000" before the first stack. False: it is no such line. */
static bool take_setting(struct reader *r, struct span line)
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
static struct span stacks_of(struct reader *r, struct span text)
{
	const char *start = text.s;

	while (text.n) {
		const size_t before = (size_t)(text.s - start);

		if (is_maps_marker(span_trim(span_take(&text, '\n')))) {
			read_mappings(r, text);
			return (struct span){start, before};
		}
	}
	return (struct span){start, (size_t)(text.s - start)};
}

static int read_stacks(struct reader *r, struct span text,
		       int (*take)(struct reader *, struct span))
{
	int rc = 0;

	while (!rc && text.n) {
		const struct span line = span_trim(span_take(&text, '\n'));

		r->in->line++;
		if (line.n && line.s[0] != '#' &&
		    !(take == take_contention && take_setting(r, line)))
			rc = builder_skip(r->b, r->in, take(r, line));
	}
	return rc;
}

/* "heap profile: 1: 9216 [3: 9300] @ heapz_v2/524288": the last is how samples were taken. Of
 * "heap" the number is twice the mean; of "heapprofile" and "growthz" all was counted. */
static int take_heap_header(struct reader *r, struct span line)
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

static int read_heap(struct reader *r, struct span text)
{
	const struct span line = span_trim(span_take(&text, '\n'));
	int rc;

	r->in->line = 1;
	rc = take_heap_header(r, line);
	return rc ? rc : read_stacks(r, stacks_of(r, text), take_heap);
}

static int read_contention(struct reader *r, struct span text)
{
	static const char java[] = "format = java";

	if (memmem(text.s, text.n, java, sizeof(java) - 1))
		return err(-EINVAL,
			   "'%s' is a profile of Java, which is not read: convert it with "
			   "go tool pprof -proto",
			   r->in->name);
	span_take(&text, '\n');
	r->in->line = 1;
	r->period = 1;
	r->ns_per_value = 1;
	r->metrics[0] = builder_metric(r->b, "contentions", "events", METRIC_COUNT);
	r->metrics[1] = builder_metric(r->b, "delay", "ns", METRIC_SUM);
	profile_set_run(r->b->profile, RUN_METRIC, "delay");
	return read_stacks(r, stacks_of(r, text), take_contention);
}

/* --- the file --------------------------------------------------------------------------------- */

static const char heap_sign[] = "heap profile:";
static const char contention_sign[] = "--- contention";

static int read_any(struct reader *r)
{
	struct span text = r->data, rest;
	struct words w;
	uint64_t period;

	if (find_words(r->data, &w, &period, &rest))
		return read_cpu(r, w, period, rest);
	while (text.n && (is_blank(text.s[0]) || text.s[0] == '\n' || text.s[0] == '\r'))
		text = span_from(text, 1);
	if (span_starts(text, heap_sign))
		return read_heap(r, text);
	if (span_starts(text, contention_sign))
		return read_contention(r, text);
	return err(-EINVAL, "'%s' is no profile of gperftools", r->in->name);
}

static int gperftools_read(struct input *in, struct builder *b)
{
	struct reader r = {.in = in, .b = b};
	int rc = input_all(in, INPUT_ALL_MAX, &r.data);

	if (!rc)
		rc = read_any(&r);
	if (!rc && !b->rows.n)
		rc = builder_nothing(b, in, "holds no stack");
	vec_release(&r.mappings);
	vec_release(&r.stack);
	map_release(&r.frames);
	return rc;
}

static bool gperftools_is(struct span head)
{
	struct words w;
	uint64_t period;
	struct span rest;

	if (find_words(head, &w, &period, &rest))
		return true;
	while (head.n && (is_blank(head.s[0]) || head.s[0] == '\n'))
		head = span_from(head, 1);
	return span_starts(head, heap_sign) || span_starts(head, contention_sign);
}

const struct import gperftools_import = {
	.name = "gperftools",
	.about = "CPU, heap and contention profiles before pprof's",
	.is = gperftools_is,
	.read = gperftools_read,
};
