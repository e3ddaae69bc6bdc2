/*
 * callgrind: functions, their lines, and the calls between them, in version 1 of Callgrind's
 * format (valgrind's manual, "Callgrind Format Specification"), for callgrind_annotate and
 * KCachegrind:
 *
 *	events: samples cpu-clock
 *
 *	ob=(1) /usr/bin/sqlite3
 *	fl=(1) shell.c
 *	fn=(1) main
 *	24417 1 10000000                 own cost of a line
 *	cob=(2) /usr/lib/libsqlite3.so.0
 *	cfi=(2) sqlite3.c
 *	cfn=(2) sqlite3_step
 *	calls=4 89031                    how often, and where the callee begins
 *	24417 4 40000000                 from where, and the cost of all that was called
 *
 * The format has functions and no stacks: edges.h says how recursion is counted. The number of
 * calls is that of samples, of zones that of calls. "thread NAME" calls what a thread runs. What
 *was inlined is a function that was called: the format's fi= would leave its name out.
 *
 * The event "samples" is how many samples there were. A profile with a metric of that name, as of
 * folded stacks, has it in that event's place: no event may stand there twice.
 */
#include "export/export.h"

#include <inttypes.h>

#include "base/str.h"
#include "export/edges.h"
#include "model/meta.h"
#include "base/json.h"

/* Cost of one line of a function, or of its calls of another from there. A function from
 * profile.functions.n on is a thread, whose name that is. */
struct row {
	uint32_t function, line;
	uint32_t callee; /* 0: own cost */
	size_t values;	 /* where they begin */
	int64_t calls;
};

struct writer {
	const struct profile *p;
	FILE *out;
	bool zones;
	bool count; /* the first event is the number of samples */
	struct edges edges;
	VEC(struct row) rows;
	VEC(int64_t) values;
	struct numbering keys;
	bool *object, *file, *function; /* the names that were written once */
	char **events;			/* per metric; owned */
};

static struct row *find(struct writer *w, const struct row *key)
{
	bool fresh;
	const uint32_t number = numbering_put(
		&w->keys, (struct key){{key->function, key->line, key->callee}}, &fresh);

	if (fresh) {
		vec_push(&w->rows, *key);
		w->rows.at[number].values = w->values.n;
		for (size_t i = 0; i < w->edges.width; i++)
			vec_push(&w->values, 0);
	}
	return &w->rows.at[number];
}

static void add(struct writer *w, const struct row *key, const int64_t *values, int64_t calls)
{
	struct row *row = find(w, key);

	row->calls += calls;
	for (size_t i = 0; i < w->edges.width; i++)
		w->values.at[row->values + i] += values[i];
}

static bool is_zero(const struct writer *w, const int64_t *values)
{
	for (size_t i = 0; i < w->edges.width; i++)
		if (values[i])
			return false;
	return true;
}

/* How often the node's function was called there: its samples; of a zone its calls, metric 0. */
static int64_t calls_of(const struct writer *w, uint32_t node)
{
	const size_t at = node * w->edges.width;

	return w->zones ? w->edges.self[at] : w->edges.total[at + w->edges.width - 1];
}

static void add_node(struct writer *w, uint32_t node)
{
	const struct edges *e = &w->edges;
	const struct frame *frame = &w->p->frames.at[w->p->nodes.at[node].frame];
	const uint32_t up = e->parent[node];

	if (!frame->function || is_zero(w, e->total + node * e->width))
		return;
	if (!is_zero(w, e->self + node * e->width))
		add(w, &(struct row){.function = frame->function, .line = frame->line},
		    e->self + node * e->width, 0);
	if (up)
		add(w,
		    &(struct row){.function = edges_function(e, up),
				  .line = w->p->frames.at[w->p->nodes.at[up].frame].line,
				  .callee = frame->function},
		    e->call + node * e->width, calls_of(w, node));
}

/* What threads of one name call first; a stack without a function is their own. */
static void add_threads(struct writer *w)
{
	const struct samples *s = &w->p->samples;
	_free_ int64_t *values = mem_zalloc(w->edges.width, sizeof(*values));

	for (size_t i = 0; i < s->n; i++) {
		const uint32_t root = w->edges.root[s->at[i].node];
		struct row key = {.function = (uint32_t)w->p->functions.n +
					      w->p->threads.at[s->at[i].thread].name,
				  .callee = root ? edges_function(&w->edges, root) : 0};

		for (size_t m = 0; m < s->values.n; m++)
			values[m] = s->values.at[m].at[i];
		values[s->values.n] = 0;
		values[s->values.n] = !is_zero(w, values);
		if (values[s->values.n])
			add(w, &key, values, 1);
	}
}

/* "fn=(12) main", and later "fn=(12)". */
static void name_write(struct writer *w, const char *key, bool *written, uint32_t number,
		       const char *prefix, const char *name)
{
	json_int(w->out, key, number);
	if (!written[number]) {
		_free_ char *clean = str_clean(name, strlen(name));

		written[number] = true;
		fprintf(w->out, ") %s%s\n", prefix, *clean ? clean : "???");
		return;
	}
	fputs_unlocked(")\n", w->out);
}

static void place_write(struct writer *w, uint32_t function, bool callee)
{
	const struct profile *p = w->p;
	const bool thread = function >= p->functions.n;
	const struct function *f = &p->functions.at[thread ? 0 : function];

	name_write(w, callee ? "cob=(" : "ob=(", w->object, f->module, "",
		   profile_text(p, p->modules.at[f->module].path));
	name_write(w, callee ? "cfi=(" : "fl=(", w->file, f->file, "", profile_text(p, f->file));
	name_write(w, callee ? "cfn=(" : "fn=(", w->function, function, thread ? "thread " : "",
		   profile_text(p, thread ? function - (uint32_t)p->functions.n : f->name));
}

static void cost_write(struct writer *w, const struct row *row)
{
	const int64_t *values = w->values.at + row->values;

	json_int(w->out, "", row->line);
	if (w->count)
		json_int(w->out, " ", values[w->edges.width - 1]);
	for (size_t i = 0; i + 1 < w->edges.width; i++)
		json_int(w->out, " ", values[i]);
	putc_unlocked('\n', w->out);
}

static int by_place(const void *left, const void *right)
{
	const struct row *a = left, *b = right;

	return order_up(a->function, b->function) ?:
	       order_up(!!a->callee, !!b->callee) ?:
	       order_up(a->line, b->line) ?:
	       order_up(a->callee, b->callee);
}

static void rows_write(struct writer *w)
{
	vec_sort(&w->rows, by_place);
	for (size_t i = 0; i < w->rows.n && !ferror(w->out); i++) {
		const struct row *row = &w->rows.at[i];

		if (!i || row->function != row[-1].function) {
			putc('\n', w->out);
			place_write(w, row->function, false);
		}
		if (row->callee) {
			place_write(w, row->callee, true);
			json_int(w->out, "calls=", row->calls);
			json_int(w->out, " ", w->p->functions.at[row->callee].line);
			putc_unlocked('\n', w->out);
		}
		cost_write(w, row);
	}
}

static bool is_event(const struct writer *w, const char *word, size_t metrics)
{
	for (size_t i = 0; i < metrics; i++)
		if (!strcmp(w->events[i], word))
			return true;
	return false;
}

/* The metric's name as one word that no metric before it has: "page faults" is page_faults, a
 * second one page_faults_2. Owned by the caller. */
static char *event_of(const struct writer *w, size_t metric)
{
	const char *name = profile_text(w->p, w->p->metrics.at[metric].name);
	char *word = *name ? str_clean(name, strlen(name)) : mem_strdup("value");
	_free_ char *first = NULL;

	for (char *s = word; *s; s++)
		if (strchr(" :=", *s))
			*s = '_';
	first = mem_strdup(word);
	for (unsigned n = 2; is_event(w, word, metric); n++) {
		free(word);
		word = mem_printf("%s_%u", first, n);
	}
	return word;
}

static void name_events(struct writer *w)
{
	const size_t n = w->p->metrics.n;

	w->events = mem_zalloc(n + 1, sizeof(*w->events));
	for (size_t i = 0; i < n; i++)
		w->events[i] = event_of(w, i);
	w->count = !w->zones && !is_event(w, "samples", n);
}

static void line_write(FILE *out, const char *key, const char *text, const char *end)
{
	_free_ char *clean = text ? str_clean(text, strlen(text)) : NULL;

	if (clean)
		fprintf(out, "%s%s%s", key, clean, end);
}

static void events_write(struct writer *w)
{
	const struct profile *p = w->p;

	for (size_t i = 0; i < p->metrics.n; i++) {
		fprintf(w->out, "event: %s", w->events[i]);
		line_write(w->out, " : ", profile_text(p, p->metrics.at[i].name), "");
		line_write(w->out, ", ", profile_text(p, p->metrics.at[i].unit), "\n");
	}
	fputs(w->count ? "events: samples" : "events:", w->out);
	for (size_t i = 0; i < p->metrics.n; i++)
		fprintf(w->out, " %s", w->events[i]);
	putc('\n', w->out);
}

/* All that was taken. */
static void summary_write(struct writer *w)
{
	const struct samples *s = &w->p->samples;
	int64_t samples = 0;

	fputs("summary:", w->out);
	for (size_t i = 0; i < s->n; i++) {
		bool any = false;

		for (size_t m = 0; m < s->values.n; m++)
			any |= s->values.at[m].at[i] != 0;
		samples += any;
	}
	if (w->count)
		json_int(w->out, " ", samples);
	for (size_t m = 0; m < s->values.n; m++) {
		int64_t sum = 0;

		for (size_t i = 0; i < s->values.at[m].n; i++)
			sum += s->values.at[m].at[i];
		json_int(w->out, " ", sum);
	}
	putc('\n', w->out);
}

static void head_write(struct writer *w)
{
	fputs("# callgrind format\nversion: 1\ncreator: eprof\n", w->out);
	line_write(w->out, "pid: ", profile_run(w->p, RUN_PID), "\n");
	line_write(w->out, "cmd: ", profile_run(w->p, RUN_COMMAND), "\n");
	fputs("positions: line\n", w->out);
	events_write(w);
	summary_write(w);
}

static int callgrind_write(const struct export_input *in, FILE *out)
{
	struct writer w = {.p = in->part, .out = out, .zones = in->tree && in->tree->of_zones};
	const size_t strings = intern_count(&w.p->strings);

	name_events(&w);
	edges_build(w.p, &w.edges);
	for (uint32_t i = 1; i < w.p->nodes.n; i++)
		add_node(&w, i);
	if (!w.zones)
		add_threads(&w);
	w.object = mem_zalloc(w.p->modules.n, sizeof(bool));
	w.file = mem_zalloc(strings, sizeof(bool));
	w.function = mem_zalloc(w.p->functions.n + strings, sizeof(bool));
	head_write(&w);
	rows_write(&w);
	edges_release(&w.edges);
	vec_release(&w.rows);
	vec_release(&w.values);
	numbering_release(&w.keys);
	for (size_t i = 0; i < w.p->metrics.n; i++)
		free(w.events[i]);
	free(w.events);
	free(w.object);
	free(w.file);
	free(w.function);
	return 0;
}

const struct export callgrind_export = {
	.name = "callgrind",
	.extension = "callgrind",
	.beginning = "callgrind.out",
	.about = "functions, lines and calls, for callgrind_annotate and KCachegrind",
	.reads = EXPORT_STACKS,
	.write = callgrind_write,
};
