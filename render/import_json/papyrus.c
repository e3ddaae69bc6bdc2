/*
 * papyrus: profiles of scripts in Bethesda's games, calls that begin and end on a stack of the
 * virtual machine, which is shown as a thread:
 *
 *	Script_abc_example_quest log opened (PC)
 *	500:PUSH:3053:1:abcExampleQuest (24021278):abc_example_quest..exampleFunction1
 *	1500:POP:3053:1:abcExampleQuest (24021278):abc_example_quest..exampleFunction1
 *	Log closed
 *
 * Times are ms. Calls that wait in a queue take no time on a stack.
 */
#include "import/import.h"

#include <errno.h>
#include <stdio.h>

#include "base/err.h"
#include "import/scan.h"
#include "import_json/open_slices.h"
#include "import_json/trace_slices.h"
#include "model/meta.h"

#define MS 1000000

struct papyrus {
	struct input *in;
	struct builder *b;
	struct trace_edges edges;
	uint32_t metric;
	int64_t from, to;
};

static uint32_t thread_of(struct papyrus *p, struct span stack)
{
	char name[64];
	uint64_t number = 0;
	const int n = snprintf(name, sizeof(name), "stack %.*s", (int)(stack.n < 32 ? stack.n : 32),
			       stack.s);

	if (!span_number(stack, 10, UINT32_MAX, &number))
		number = 0;
	return builder_thread(p->b, 0, (uint32_t)number, builder_text(p->b, name, (size_t)n), 0);
}

static int take_line(struct papyrus *p, struct span line)
{
	const struct span time = span_take(&line, ':'), what = span_take(&line, ':');
	const struct span stack = span_take(&line, ':');
	struct trace_edge e = {.number = (uint32_t)p->in->line};
	struct span name = line;

	if (!span_int(time, &e.at) || e.at < 0 || e.at > INT64_MAX / 2 / MS || !what.n)
		return input_bad(p->in, "a time, PUSH or POP and a stack are expected");
	e.at *= MS;
	p->from = e.at < p->from ? e.at : p->from;
	p->to = e.at > p->to ? e.at : p->to;
	if (!span_is(what, "PUSH") && !span_is(what, "POP")) {
		builder_note(p->b, p->metric, LEDGER_APART, "events that are no calls", 1);
		return 0;
	}
	span_take(&name, ':');
	span_take(&name, ':');
	if (!name.n)
		return input_bad(p->in, "a function is expected");
	e.lane = trace_lane_of(&p->edges, thread_of(p, stack));
	e.frame = slice_frame(p->b, name, (struct span){"", 0}, 0);
	e.name = builder_span(p->b, name);
	if (span_is(what, "PUSH"))
		vec_push(&p->edges.begins, e);
	else
		vec_push(&p->edges.ends, e);
	return 0;
}

static int lines_read(struct papyrus *p)
{
	struct span line;
	int rc;

	while ((rc = input_line(p->in, &line)) > 0) {
		line = span_trim(line);
		if (!line.n || span_ends(line, " log opened (PC)") || span_is(line, "Log closed"))
			continue;
		rc = builder_skip(p->b, p->in, take_line(p, line));
		if (rc)
			break;
	}
	return rc;
}

static int papyrus_read(struct input *in, struct builder *b)
{
	struct papyrus p = {.in = in, .b = b, .from = INT64_MAX};
	int rc;

	p.metric = builder_metric(b, "time", "ns", METRIC_SUM);
	rc = lines_read(&p);
	if (!rc) {
		trace_slices_put(&p.edges, b,
				 &(struct trace_slices_as){.samples = true, .metric = p.metric});
		if (p.to > p.from)
			b->duration_ns = builder_sum(b->duration_ns, p.to - p.from);
		profile_set_run(b->profile, RUN_EXACT, "1");
		if (!b->rows.n)
			rc = builder_nothing(b, in, "holds no calls that take time");
	}
	trace_edges_release(&p.edges);
	return rc;
}

static bool papyrus_is(struct span head)
{
	const struct span line = span_trim(span_take(&head, '\n'));

	return (span_starts(line, "Stack_") || span_starts(line, "Script_") ||
		span_starts(line, "Obj_")) &&
	       (span_ends(line, " log opened (PC)") || span_ends(line, " log opened (PC)\r"));
}

const struct import papyrus_import = {
	.name = "papyrus",
	.extension = NULL,
	.about = "profiles of Papyrus, the scripts of Bethesda's games",
	.is = papyrus_is,
	.read = papyrus_read,
};
