/* gperftools: the import, and profiles of the CPU. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "import/gperftools.h"
#include "import/import.h"
#include "model/meta.h"

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

/* The header: 0, 3 words follow, version 0 (Java: 1), the period in µs, 0. */
static bool take_header(struct words w, struct span *data, uint64_t *period, bool *java)
{
	uint64_t v[5];

	for (size_t i = 0; i < 5; i++)
		if (!take_word(w, data, &v[i]))
			return false;
	*period = v[3];
	*java = v[2] == 1;
	return !v[0] && v[1] == 3 && v[2] < 2 && v[3] && v[3] < UINT32_MAX && !v[4];
}

static bool find_words(struct span data, struct words *w, uint64_t *period, struct span *rest,
		       bool *java)
{
	static const struct words all[] = {{4, false}, {8, false}, {4, true}, {8, true}};

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
		*rest = data;
		*w = all[i];
		if (take_header(*w, rest, period, java))
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
static void take_stack(struct gperftools *r, struct words w, struct span addresses)
{
	const size_t n = addresses.n / w.bytes;

	r->stack.n = 0;
	for (size_t i = 0; i < n && i < GPERFTOOLS_FRAMES_MOST; i++) {
		const uint64_t at = word_at(w, addresses.s + i * w.bytes) - (i && !r->java ? 1 : 0);

		if (i != 1 || r->java || at + 1 != r->stack.at[0])
			vec_push(&r->stack, at);
	}
}

static int take_cpu(struct gperftools *r, uint64_t count)
{
	struct builder_value values[2] = {{r->metrics[0], (int64_t)count}, {r->metrics[1], 0}};

	if (!count || count > INT64_MAX ||
	    __builtin_mul_overflow((int64_t)count, r->period * 1000, &values[1].value))
		return err(-EINVAL, "'%s': a stack has the count %" PRIu64, r->in->name, count);
	gperftools_sample(r, gperftools_node(r), (int64_t)count, values, 2);
	return 0;
}

static void read_places(struct gperftools *r, struct span text)
{
	if (r->java)
		gperftools_names(r, text);
	else
		gperftools_mappings(r, text);
}

/* The first pass finds the list of mappings behind the samples, the second takes these. */
static int walk_cpu(struct gperftools *r, struct words w, struct span data, bool take)
{
	uint64_t count, n;
	struct span addresses;
	int rc = 0;

	while (!rc && take_record(w, &data, &count, &n, &addresses)) {
		r->in->line++;
		if (is_trailer(w, count, n, addresses)) {
			if (!take)
				read_places(r, data);
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

static int read_cpu(struct gperftools *r, struct words w, uint64_t period, struct span data)
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

/* --- the file --------------------------------------------------------------------------------- */

static int read_any(struct gperftools *r)
{
	struct span rest;
	struct words w;
	uint64_t period;

	if (find_words(r->data, &w, &period, &rest, &r->java))
		return read_cpu(r, w, period, rest);
	r->java = false;
	return gperftools_text(r);
}

static int gperftools_read(struct input *in, struct builder *b)
{
	struct gperftools r = {.in = in, .b = b};
	int rc = input_all(in, INPUT_ALL_MAX, &r.data);

	if (!rc)
		rc = read_any(&r);
	if (!rc && !b->rows.n)
		rc = builder_nothing(b, in, "holds no stack");
	vec_release(&r.mappings);
	vec_release(&r.names);
	map_release(&r.by_address);
	vec_release(&r.stack);
	map_release(&r.frames);
	return rc;
}

static bool gperftools_is(struct span head)
{
	struct words w;
	uint64_t period;
	struct span rest;
	bool java;

	return find_words(head, &w, &period, &rest, &java) || gperftools_is_text(head);
}

const struct import gperftools_import = {
	.name = "gperftools",
	.about = "CPU, heap, contention and goroutine profiles that are no protocol buffers",
	.is = gperftools_is,
	.read = gperftools_read,
};
