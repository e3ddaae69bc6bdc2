/*
 * folded: stacks as flame graph tools read them, one a line, root first:
 *
 *	sqlite3;main;sqlite3_step;memcmp_[i];do_syscall_64_[k] 80
 *
 * What stackcollapse-*.pl, bpftrace's scripts and `eprof-render export --to folded` write. The
 *first name is that of the thread. Suffixes tell the kind of a frame: _[k] kernel, _[i] inlined,
 *_[j] JIT. The last token is the count. Lines that begin with '#' are comments.
 *
 * difffolded.pl writes two counts, before and after: if the first stack has two, all must, and they
 * become two metrics. Elsewhere a number before the count is part of a name.
 */
#include "import/import.h"

#include <errno.h>
#include <string.h>

#include "base/err.h"
#include "import/scan.h"
#include "model/meta.h"

struct folded {
	struct input *in;
	struct builder *b;
	struct known frames, threads;
	uint32_t metrics[2];
	size_t n_metrics; /* 0: not known yet */
};

/* A count, of which flamegraph.pl takes "0.156", too. */
struct count {
	int64_t value; /* of @parts to 1 */
	int64_t parts; /* a power of ten */
};

#define DIGITS_MOST 9 /* behind the point; further ones are left out */

static bool read_count(struct span text, struct count *out)
{
	const size_t point = span_find(text, '.');
	const struct span part = span_from(text, point < text.n ? point + 1 : text.n);
	uint64_t whole;
	int64_t rest = 0;

	*out = (struct count){.parts = 1};
	if (!span_number((struct span){text.s, point}, 10, INT64_MAX, &whole))
		return false;
	for (size_t i = 0; i < part.n; i++) {
		if (part.s[i] < '0' || part.s[i] > '9')
			return false;
		if (i >= DIGITS_MOST)
			continue;
		rest = rest * 10 + part.s[i] - '0';
		out->parts *= 10;
	}
	for (; out->parts > 1 && rest % 10 == 0; rest /= 10)
		out->parts /= 10;
	if (__builtin_mul_overflow((int64_t)whole, out->parts, &out->value) ||
	    __builtin_add_overflow(out->value, rest, &out->value))
		*out = (struct count){(int64_t)whole, 1};
	return true;
}

/* The count at the end of @line, behind a blank, which is cut off. */
static bool take_count(struct span *line, struct count *count)
{
	const struct span text = span_trim(*line);
	const size_t space = span_find_last(text, ' '), tab = span_find_last(text, '\t');
	const size_t at = space == text.n ? tab : tab == text.n || space > tab ? space : tab;

	if (at == text.n || !read_count(span_from(text, at + 1), count))
		return false;
	*line = span_trim((struct span){text.s, at});
	return line->n > 0;
}

/* "[stack cut]", "[thread ended]": a note in the stack. Not "[unknown]" and the like. */
static bool is_mark(struct span name)
{
	return span_starts(name, "[stack ") || span_starts(name, "[no ");
}

static uint32_t make_frame(struct builder *b, struct span raw)
{
	static const struct {
		const char *suffix;
		enum frame_kind kind;
	} suffixes[] = {
#define FRAME_KIND(NAME, number, label, of_zones, first, last, list, STYLE, suffix, ...) \
	{suffix, KIND_##NAME},
#define FRAME_KIND_AS(NAME, ...)
#include "model/frame_kinds.def"
#undef FRAME_KIND
#undef FRAME_KIND_AS
	};
	struct function f = {.kind = KIND_NATIVE};
	struct frame e = {0};

	for (size_t i = 0; i < sizeof(suffixes) / sizeof(*suffixes); i++) {
		const size_t n = strlen(suffixes[i].suffix);

		if (n && raw.n > n && span_ends(raw, suffixes[i].suffix)) {
			e.inlined = suffixes[i].kind == KIND_INLINED;
			f.kind = e.inlined ? KIND_NATIVE : suffixes[i].kind;
			raw.n -= n;
			break;
		}
	}
	f.named = !builder_is_unnamed(raw) && !span_is(raw, "[JIT code]");
	f.name = builder_span(b, raw);
	if (f.kind == KIND_NATIVE && is_mark(raw))
		f.kind = KIND_MARK;
	e.function = profile_function(b->profile, &f);
	return profile_frame(b->profile, &e);
}

static uint32_t thread_of(struct folded *f, struct span name)
{
	bool fresh;
	uint32_t *at = known_at(&f->threads, name, &fresh);

	if (fresh)
		*at = builder_thread(f->b, 0, 0, builder_span(f->b, name), 0);
	return *at;
}

static uint32_t node_of(struct folded *f, struct span stack)
{
	uint32_t node = 0;

	while (stack.n) {
		const struct span name = span_take(&stack, ';');
		bool fresh;
		uint32_t *at = known_at(&f->frames, name, &fresh);

		if (fresh)
			*at = make_frame(f->b, name);
		node = profile_node(f->b->profile, node, *at);
	}
	return node;
}

/* By the first stack: one count, or two. */
static void set_metrics(struct folded *f, struct span line)
{
	struct count count;

	f->n_metrics = take_count(&line, &count) ? 2 : 1;
	f->metrics[0] = builder_metric(f->b, f->n_metrics == 2 ? "before" : "samples", "events",
				       METRIC_COUNT);
	if (f->n_metrics == 2)
		f->metrics[1] = builder_metric(f->b, "after", "events", METRIC_COUNT);
	profile_set_run(f->b->profile, RUN_METRIC, f->n_metrics == 2 ? "after" : "samples");
}

/* Of all that have been read, in the metric's unit, which may become finer. */
static int64_t value_of(struct folded *f, size_t metric, const struct count *count)
{
	const int64_t parts = builder_refine(f->b, f->metrics[metric], count->parts);
	int64_t value;

	return __builtin_mul_overflow(count->value, parts / count->parts, &value) ? INT64_MAX
										  : value;
}

/* Other tools' warnings are among stacks. */
static int no_stack(struct folded *f)
{
	return input_bad(f->in, "a stack, a blank and a count are expected");
}

static int take_line(struct folded *f, struct span line)
{
	struct builder_value value;
	struct count counts[2];
	uint32_t thread, node;
	bool whole;

	if (!take_count(&line, &counts[0]))
		return no_stack(f);
	if (!f->n_metrics)
		set_metrics(f, line);
	counts[f->n_metrics - 1] = counts[0];
	if (f->n_metrics == 2 && !take_count(&line, &counts[0]))
		return input_bad(f->in, "two counts are expected, as on the first line");
	thread = thread_of(f, span_take(&line, ';'));
	node = node_of(f, line);
	for (size_t i = 0; i < f->n_metrics; i++) {
		value = (struct builder_value){f->metrics[i], value_of(f, i, &counts[i])};
		/* Parts of something are one sample a line. */
		whole = f->b->metrics.at[f->metrics[i]].kind == METRIC_COUNT;
		builder_sample(f->b, 0, thread, node, whole ? value.value : 1, &value, 1);
	}
	return 0;
}

static int folded_read(struct input *in, struct builder *b)
{
	struct folded f = {.in = in, .b = b};
	struct span line;
	int rc;

	while ((rc = input_line(in, &line)) > 0) {
		line = span_trim(line);
		if (!line.n || line.s[0] == '#')
			continue;
		rc = builder_skip(b, in, take_line(&f, line));
		if (rc)
			break;
	}
	if (!rc && !f.n_metrics)
		rc = builder_nothing(b, in, "holds no stack");
	known_release(&f.frames);
	known_release(&f.threads);
	return rc;
}

/* Most lines that are no comments end in a count, behind a blank, and a stack has several frames.
 */
static bool folded_is(struct span head)
{
	size_t stacks = 0, others = 0;
	bool several = false;

	if (memchr(head.s, '\0', head.n))
		return false;
	while (head.n) {
		const bool whole = span_find(head, '\n') < head.n;
		struct span line = span_trim(span_take(&head, '\n'));
		struct count count;
		bool is;

		if (line.n && line.s[line.n - 1] == '\r')
			line.n--;
		if (!line.n || line.s[0] == '#')
			continue;
		is = whole ? take_count(&line, &count) : true;
		*(is ? &stacks : &others) += 1;
		several |= is && span_find(line, ';') < line.n;
	}
	return several && stacks > others;
}

const struct import folded_import = {
	.name = "folded",
	.extension = "folded",
	.about = "stacks for flame graph tools, one a line",
	.is = folded_is,
	.read = folded_read,
};
