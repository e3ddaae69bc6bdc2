/*
 * gperftools: the stacks of all threads (threadz), leaf first, as addresses with or without names:
 *
 *	--- threadz 1 ---
 *	--- Thread 7f794964e700 (name: thread1/14751) stack: ---
 *	  PC:  0x7f794a32bf7d: nanosleep
 *	  0x7f794a32414e: start_thread
 *	      creator: 0xa45b96 0xa460b4
 *	--- Thread 7f7948978700 (name: thread3/14759) stack: ---
 *	  [same as previous thread]
 *
 * The stack of the thread that made one stands below its own.
 */
#include <errno.h>

#include "base/err.h"
#include "import/gperftools.h"
#include "import/scan.h"
#include "model/meta.h"

static const char start[] = "--- Thread ";

bool gperftools_is_threads(struct span line)
{
	return span_starts(line, "--- threadz ") || span_starts(line, start);
}

/* "(name: thread1/14751) stack: ---" */
static uint32_t take_thread(struct gperftools *r, struct span line)
{
	static const char mark[] = "(name: ", other[] = "thread";
	const char *at = memmem(line.s, line.n, mark, sizeof(mark) - 1);
	struct span name = span_of(other), number = {"", 0};
	uint64_t tid = 0;

	if (at) {
		name = span_from(line, (size_t)(at - line.s) + sizeof(mark) - 1);
		name.n = span_find(name, ')');
		number = span_from(name, span_find_last(name, '/'));
		name.n -= number.n;
		number = number.n ? span_from(number, 1) : number;
	}
	if (!span_number(number, 10, UINT32_MAX, &tid))
		tid = 0;
	return builder_thread(r->b, 0, (uint32_t)tid, builder_span(r->b, name), 0);
}

static void add_name(struct gperftools *r, uint64_t address, struct span name)
{
	bool fresh;
	uint32_t *row = map_put(&r->by_address, address, &fresh);

	if (!fresh)
		return;
	*row = (uint32_t)r->names.n;
	vec_push(&r->names, ((struct gperftools_name){.name = name}));
}

/* "0xbc8f1c 0xbcae55", "0x0040be31: main". All but the leaf's are addresses to return to. */
static bool take_addresses(struct gperftools *r, struct span line)
{
	struct span word;
	uint64_t at;

	while ((word = span_word(&line)).n) {
		const bool named = span_ends(word, ":");

		word.n -= named;
		if (!span_starts(word, "0x") ||
		    !span_number(span_from(word, 2), 16, UINT64_MAX, &at))
			return false;
		at -= r->stack.n > 0;
		if (named)
			add_name(r, at, span_trim(line));
		if (r->stack.n < GPERFTOOLS_FRAMES_MOST)
			vec_push(&r->stack, at);
		if (named)
			return true;
	}
	return true;
}

static int take_line(struct gperftools *r, struct span line, bool *same)
{
	static const char *const words[] = {"PC:", "creator:"};

	if (memmem(line.s, line.n, "same as previous thread", 23)) {
		*same = true;
		return 0;
	}
	for (size_t i = 0; i < 2; i++)
		if (span_starts(line, words[i]))
			line = span_from(line, strlen(words[i]));
	return take_addresses(r, span_trim(line))
		       ? 0
		       : input_bad(r->in, "addresses with 0x and perhaps a name are expected");
}

struct threads {
	struct gperftools *r;
	uint32_t thread, before; /* node of the stack before */
	bool open, same;
};

static void put(struct threads *t)
{
	const uint32_t metric = t->r->metrics[0];

	if (!t->open)
		return;
	if (!t->same)
		t->before = gperftools_node(t->r);
	builder_sample(t->r->b, 0, t->thread, t->before, 1, &(struct builder_value){metric, 1}, 1);
	if (!t->before)
		builder_note(t->r->b, metric, LEDGER_NOTE, "no stack", 1);
	t->open = t->same = false;
	t->r->stack.n = 0;
}

static int take_any(struct threads *t, struct span line)
{
	if (span_starts(line, start)) {
		put(t);
		t->thread = take_thread(t->r, line);
		t->open = true;
		return 0;
	}
	return line.n && t->open ? take_line(t->r, line, &t->same) : 0;
}

/* The list of mappings, which @text ends in. */
static struct span split_maps(struct gperftools *r, struct span text)
{
	static const char mark[] = "--- Memory map:", older[] = "MAPPED_LIBRARIES:";
	const char *at = memmem(text.s, text.n, mark, sizeof(mark) - 1);

	if (!at)
		at = memmem(text.s, text.n, older, sizeof(older) - 1);
	if (!at)
		return text;
	gperftools_mappings(r, span_from(text, (size_t)(at - text.s)));
	return (struct span){text.s, (size_t)(at - text.s)};
}

int gperftools_threads(struct gperftools *r, struct span text)
{
	struct threads t = {.r = r};
	int rc = 0;

	r->metrics[0] = builder_metric(r->b, "threads", "events", METRIC_COUNT);
	profile_set_run(r->b->profile, RUN_METRIC, "threads");
	text = split_maps(r, text);
	r->in->line = 0;
	while (!rc && text.n) {
		r->in->line++;
		rc = builder_skip(r->b, r->in, take_any(&t, span_trim(span_take(&text, '\n'))));
	}
	put(&t);
	return rc ? rc : !r->b->rows.n ? builder_nothing(r->b, r->in, "holds no thread") : 0;
}
