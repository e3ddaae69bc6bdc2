/*
 * callgrind: what valgrind's callgrind and those who write its format have counted: costs per line
 * of each function, and of calls between functions their number and inclusive costs.
 *
 * Each event is a metric, and so are calls. There are no stacks in it: the call tree is made by
 * callgraph.h. Of what eprof wrote, functions "thread NAME" are threads again. Code that is inlined
 * from another file (fi=, fe=) is a frame of that file, as the format does not name the function.
 * Threads and parts add up. Jumps are passed over.
 */
#include "import/import.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "base/err.h"
#include "base/str.h"
#include "import/callgrind_costs.h"
#include "import/callgrind_line.h"
#include "import/scan.h"
#include "model/meta.h"

/* An event, as a line "event:" describes it; owned. */
struct event {
	char *word, *name, *unit;
};

#define NONE UINT32_MAX

struct callgrind {
	struct input *in;
	struct builder *b;
	struct map names[CALLGRIND_SPACES]; /* number → string + 1 */
	VEC(uint32_t) events;		    /* metrics, in the order of the cost lines */
	VEC(struct event) named;	    /* what lines "event:" say */
	struct callgrind_positions positions;
	struct callgrind_costs costs;
	int64_t summary[CALLGRIND_EVENTS]; /* by metric, of all parts */
	bool has_totals;

	/* What lines have said so far; strings, NONE where nothing. */
	uint32_t object, file, source; /* source: fi=, fe= */
	uint32_t name, function;       /* function: as callgrind_function() numbers it */
	uint32_t called_object, called_file, called;
	uint32_t jump;
	int64_t n_calls; /* the next line is of so many calls; -1 none */
	/* Where calls= says that the callee begins; 0: not, or not outright. */
	uint32_t callee_line;
};

static uint32_t text_of(struct callgrind *c, enum callgrind_space space, struct span name)
{
	if (space == CALLGRIND_FUNCTION)
		return builder_span(c->b, name.n ? name : span_of("[unknown]"));
	return span_is(name, "???") ? 0 : builder_span(c->b, name);
}

/* The string that a value of ob=, fl=, fn= and their like stands for. */
static void read_name(struct callgrind *c, enum callgrind_space space, struct span value,
		      uint32_t *out)
{
	struct span name;
	uint32_t number, *known;
	bool fresh;

	(void)callgrind_name(value, &number, &name);
	if (number != UINT32_MAX) {
		known = map_put(&c->names[space], number, &fresh);
		/* valgrind writes an object without a name so: it has a number, and nothing more.
		 */
		if (fresh || name.n)
			*known = text_of(c, space, name);
		*out = *known;
		return;
	}
	*out = text_of(c, space, name);
}

static void add_own(struct callgrind *c, const int64_t *costs)
{
	const struct own_line e = {
		.function = c->function,
		.file = c->source == c->file ? 0 : c->source,
		.line = callgrind_source_line(&c->positions),
	};

	callgrind_add_own(&c->costs, &e, costs);
}

/* What is not said of the callee is as of the caller; of calls from other files' code no line is
 * kept, as it would be taken for one of the function's own. */
static void add_call(struct callgrind *c, const int64_t *costs)
{
	const uint32_t object = c->called_object == NONE ? c->object : c->called_object;
	const uint32_t file = c->called_file == NONE ? c->file : c->called_file;
	const uint32_t line = c->source == c->file ? callgrind_source_line(&c->positions) : 0;
	const uint32_t callee = callgrind_function(&c->costs, object, file, c->called);
	struct function *f = &c->costs.rows.at[callee];

	f->line = f->line ? f->line : c->callee_line;
	callgrind_add_calls(&c->costs, c->function, line, callee, c->n_calls, costs);
}

static void end_call(struct callgrind *c)
{
	c->n_calls = -1;
	c->called = c->called_file = c->called_object = NONE;
}

static int take_cost(struct callgrind *c, struct span line)
{
	int rc = 0;
	int64_t costs[CALLGRIND_EVENTS] = {0}, by_metric[CALLGRIND_EVENTS] = {0};

	if (!callgrind_cost(&c->positions, line, c->events.n, costs)) {
		end_call(c);
		return input_bad(c->in, "neither a name, nor a position and costs of %zu event%s",
				 c->events.n, c->events.n == 1 ? "" : "s");
	}
	if (c->function == NONE)
		return input_bad(c->in, "costs before a function");
	/* Each part of the file has its own order of events. */
	for (size_t i = 0; i < c->events.n; i++)
		by_metric[c->events.at[i]] = costs[i];
	if (c->n_calls < 0) {
		add_own(c, by_metric);
		return 0;
	}
	if (c->called == NONE)
		rc = input_bad(c->in, "calls of no function: cfn= is missing");
	else
		add_call(c, by_metric);
	end_call(c);
	return rc;
}

/* --- the lines with a name -------------------------------------------------------------------- */

static int take_calls(struct callgrind *c, struct span value)
{
	uint64_t n = 0, line;
	const bool known = span_number(span_take(&value, ' '), 10, INT64_MAX, &n);

	/* The line that follows has costs of calls all the same. */
	c->n_calls = (int64_t)n;
	c->callee_line = 0;
	if (!known)
		return input_bad(c->in, "calls= is followed by no number");
	if (c->positions.n == 1 && span_number(span_trim(value), 10, UINT32_MAX, &line))
		c->callee_line = (uint32_t)line;
	return 0;
}

static int take_positions(struct callgrind *c, struct span value)
{
	if (!callgrind_positions_read(&c->positions, value))
		return input_bad(c->in, "positions are \"line\", \"instr\" or \"instr line\"");
	return 0;
}

/* Whether @word may stand for @name, of which blanks, ':' and '=' are '_' in an event; at its end
 * it may have a number, "_2". */
static bool is_word_of(const char *word, const char *name)
{
	size_t i = 0;

	for (; word[i] && name[i]; i++)
		if (word[i] != name[i] && word[i] != '_')
			return false;
	return !name[i] && (!word[i] || word[i] == '_');
}

/* "event: page_faults : page faults, events": what it is called in full, and its unit. Of other
 * writers it is a description, and the event's own name that of the metric. */
static int take_unit(struct callgrind *c, struct span value)
{
	const struct span word = span_trim(span_take(&value, ':'));
	const struct span all = span_trim(value);
	const size_t comma = span_find_last(all, ',');
	const struct span name = {all.s, comma};
	const struct span unit = span_trim(span_from(all, comma < all.n ? comma + 1 : all.n));
	struct event e = {.word = str_clean(word.s, word.n),
			  .name = str_clean(name.s, name.n),
			  .unit = str_clean(unit.s, unit.n)};

	if (!is_word_of(e.word, e.name)) {
		free(e.name);
		e.name = mem_strdup(e.word);
	}
	if (!*e.unit || strchr(e.unit, ' ')) {
		free(e.unit);
		e.unit = mem_strdup("events");
	}
	vec_push(&c->named, e);
	return 0;
}

static uint32_t metric_of(struct callgrind *c, struct span event)
{
	_free_ char *word = str_clean(event.s, event.n);
	const char *name = word, *unit = "events";

	for (size_t i = 0; i < c->named.n; i++) {
		if (strcmp(c->named.at[i].word, word) != 0)
			continue;
		name = c->named.at[i].name;
		unit = c->named.at[i].unit;
	}
	c->costs.has_calls |= !strcmp(name, CALLGRIND_CALLS);
	return builder_metric(c->b, name, unit, strcmp(unit, "events") ? METRIC_SUM : METRIC_COUNT);
}

/* Reports open with the first event, but not with a number of samples where there is another. */
static void set_main(struct callgrind *c)
{
	const struct profile *p = c->b->profile;
	const struct metric *metrics = c->b->metrics.at;
	const char *first = profile_text(p, metrics[c->events.at[0]].name);
	const bool counts = c->events.n > 1 && !strcmp(first, "samples");
	_free_ char *name = mem_strdup(profile_text(p, metrics[c->events.at[counts]].name));

	profile_set_run(c->b->profile, RUN_METRIC, name);
}

static int take_events(struct callgrind *c, struct span value)
{
	c->events.n = 0;
	while ((value = span_trim(value)).n) {
		const uint32_t metric = metric_of(c, span_take(&value, ' '));

		for (size_t i = 0; i < c->events.n; i++)
			if (c->events.at[i] == metric)
				return input_bad(c->in, "an event stands there twice");
		if (metric >= CALLGRIND_EVENTS)
			return input_bad(c->in, "more than %d events", CALLGRIND_EVENTS);
		vec_push(&c->events, metric);
	}
	if (!c->events.n)
		return input_bad(c->in, "no events");
	set_main(c);
	return 0;
}

/* Adds a cost for each event to @to, by metric. */
static void add_totals(const struct callgrind *c, struct span value, int64_t *to)
{
	for (size_t i = 0; i < c->events.n; i++) {
		int64_t n;

		value = span_trim(value);
		if (span_int(span_take(&value, ' '), &n))
			to[c->events.at[i]] = builder_sum(to[c->events.at[i]], n);
	}
}

static int take_totals(struct callgrind *c, struct span value)
{
	c->has_totals = true;
	add_totals(c, value, c->costs.totals);
	return 0;
}

/* Of a part of the file: some writers give no totals of all. */
static int take_summary(struct callgrind *c, struct span value)
{
	add_totals(c, value, c->summary);
	return 0;
}

/* What eprof writes has functions that are threads: see callgrind_costs.c. */
static int take_creator(struct callgrind *c, struct span value)
{
	c->costs.has_threads = span_is(value, "eprof");
	return 0;
}

/* Lines with a value, and what takes it: a function, or an attribute of the run. Neither of a jump:
 * what follows it is a position without costs. */
static const struct value_line {
	const char *key;
	int (*take)(struct callgrind *, struct span);
	const char *attribute;
} value_lines[] = {
	{"calls=", take_calls, NULL},
	{"jump=", NULL, NULL},
	{"jcnd=", NULL, NULL},
	{"events:", take_events, NULL},
	{"event:", take_unit, NULL},
	{"positions:", take_positions, NULL},
	{"totals:", take_totals, NULL},
	{"summary:", take_summary, NULL},
	{"cmd:", NULL, RUN_COMMAND},
	{"pid:", NULL, RUN_PID},
	{"creator:", take_creator, NULL},
};

static int take_value(struct callgrind *c, const struct value_line *line, struct span value)
{
	_free_ char *text = line->attribute ? builder_attribute(value) : NULL;

	if (line->attribute)
		profile_set_run(c->b->profile, line->attribute, text);
	if (line->take == take_calls)
		return builder_skip(c->b, c->in, take_calls(c, value));
	return line->take ? line->take(c, value) : 0;
}

/* Lines that name something, and which string of struct callgrind each sets. A jump may be the
 * first to say a name. */
static const struct name_line {
	const char *key;
	enum callgrind_space space;
	size_t string;
} name_lines[] = {
	{"fn=", CALLGRIND_FUNCTION, offsetof(struct callgrind, name)},
	{"cfn=", CALLGRIND_FUNCTION, offsetof(struct callgrind, called)},
	{"fl=", CALLGRIND_FILE, offsetof(struct callgrind, file)},
	{"fi=", CALLGRIND_FILE, offsetof(struct callgrind, source)},
	{"fe=", CALLGRIND_FILE, offsetof(struct callgrind, source)},
	{"cfi=", CALLGRIND_FILE, offsetof(struct callgrind, called_file)},
	{"cfl=", CALLGRIND_FILE, offsetof(struct callgrind, called_file)},
	{"ob=", CALLGRIND_OBJECT, offsetof(struct callgrind, object)},
	{"cob=", CALLGRIND_OBJECT, offsetof(struct callgrind, called_object)},
	{"jfi=", CALLGRIND_FILE, offsetof(struct callgrind, jump)},
	{"jfn=", CALLGRIND_FUNCTION, offsetof(struct callgrind, jump)},
};

static void take_name(struct callgrind *c, const struct name_line *line, struct span value)
{
	uint32_t *string = (uint32_t *)((char *)c + line->string);

	read_name(c, line->space, value, string);
	if (string == &c->name)
		c->function = callgrind_function(&c->costs, c->object, c->file, c->name);
	if (string == &c->name || string == &c->file)
		c->source = c->file;
}

/* "desc: …", "version: 1": what is of no use here. */
static bool is_header(struct span line)
{
	size_t n = 0;

	while (n < line.n && ((line.s[n] >= 'a' && line.s[n] <= 'z') || line.s[n] == '_'))
		n++;
	return n && n < line.n && line.s[n] == ':';
}

static int take_line(struct callgrind *c, struct span line)
{
	line = span_trim(line);
	if (!line.n || line.s[0] == '#')
		return 0;
	for (size_t i = 0; i < sizeof(name_lines) / sizeof(*name_lines); i++) {
		const struct name_line *l = &name_lines[i];

		if (span_starts(line, l->key)) {
			take_name(c, l, span_trim(span_from(line, strlen(l->key))));
			return 0;
		}
	}
	for (size_t i = 0; i < sizeof(value_lines) / sizeof(*value_lines); i++) {
		const struct value_line *l = &value_lines[i];

		if (span_starts(line, l->key))
			return take_value(c, l, span_trim(span_from(line, strlen(l->key))));
	}
	if (is_header(line))
		return 0;
	if (!c->events.n)
		return input_bad(c->in, "costs before the line \"events:\" that names them");
	return builder_skip(c->b, c->in, take_cost(c, line));
}

static void release(struct callgrind *c)
{
	for (size_t i = 0; i < CALLGRIND_SPACES; i++)
		map_release(&c->names[i]);
	vec_release(&c->events);
	for (size_t i = 0; i < c->named.n; i++) {
		free(c->named.at[i].word);
		free(c->named.at[i].name);
		free(c->named.at[i].unit);
	}
	vec_release(&c->named);
	callgrind_costs_release(&c->costs);
}

static int callgrind_read(struct input *in, struct builder *b)
{
	struct callgrind c = {
		.in = in,
		.b = b,
		.positions = {.n = 1},
		.function = NONE,
		.called_object = NONE,
		.called_file = NONE,
		.called = NONE,
		.n_calls = -1,
	};
	_free_ char *program = NULL;
	const char *command;
	struct span line;
	int rc;

	callgrind_costs_init(&c.costs, b);
	while ((rc = input_line(in, &line)) > 0) {
		rc = take_line(&c, line);
		if (rc)
			break;
	}
	if (!rc && !c.costs.own.n)
		rc = builder_nothing(b, in, "holds no costs of callgrind");
	if (!c.has_totals)
		memcpy(c.costs.totals, c.summary, sizeof(c.summary));
	profile_set_run(b->profile, RUN_EXACT, "1");
	command = profile_run(b->profile, RUN_COMMAND);
	program = str_program(command ? command : str_base(in->name));
	if (!rc) {
		c.costs.thread = builder_thread(b, 0, 0, builder_span(b, span_of(program)), 0);
		callgrind_costs_put(&c.costs);
	}
	release(&c);
	return rc;
}

static bool callgrind_is(struct span head)
{
	return span_starts(head, "# callgrind format") ||
	       (head.n && memmem(head.s, head.n, "\nevents: ", 9) &&
		(memmem(head.s, head.n, "\nfn=", 4) || memmem(head.s, head.n, "\nfl=", 4) ||
		 memmem(head.s, head.n, "\ncreator: ", 10)));
}

const struct import callgrind_import = {
	.name = "callgrind",
	.extension = "callgrind",
	.about = "what callgrind counted",
	.is = callgrind_is,
	.read = callgrind_read,
};
