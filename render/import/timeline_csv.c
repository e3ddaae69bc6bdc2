/*
 * timeline-csv: events of a timeline as a table, in columns of any order, of which the header has
 * the names: those of eprof's table events (export --to csv --table events) and of the older event
 * profiler whose numbers of events eprof has (model/timed_event.h):
 *
 *	frame,argument,event,time,value1,value2,names
 *	3,,1,1500,0,0,main
 *	3,,2,2500,1000,0,main
 *
 * Needed are frame, event and time (or time_ns), in ns; thread and coroutine may be there, others
 * are not read. Names (or name) is the function's name; without it a function is called after the
 * number of its frame.
 */
#include "import/import.h"

#include <errno.h>
#include <stdio.h>

#include "base/err.h"
#include "base/str.h"
#include "import/scan.h"

#define COLUMNS_MOST 32

enum field { FRAME, ARGUMENT, EVENT, TIME, VALUE1, VALUE2, THREAD, COROUTINE, NAME, FIELDS };

static const struct {
	const char *name;
	enum field part;
} columns[] = {
	{"frame", FRAME},	  {"argument", ARGUMENT}, {"event", EVENT},   {"time", TIME},
	{"time_ns", TIME},	  {"value1", VALUE1},	  {"value2", VALUE2}, {"thread", THREAD},
	{"coroutine", COROUTINE}, {"names", NAME},	  {"name", NAME},
};

struct csv {
	struct input *in;
	struct builder *b;
	int at[FIELDS]; /* the column; -1: there is none */
	struct str unquoted, kept[FIELDS];
};

/* Takes the next field of a line; a quoted one without its quotes, in @unquoted. False: a quote is
 * not closed. */
static bool take_field(struct span *rest, struct str *unquoted, struct span *out)
{
	size_t end;

	if (!rest->n || rest->s[0] != '"') {
		*out = span_take(rest, ',');
		return true;
	}
	unquoted->n = 0;
	for (*rest = span_from(*rest, 1);; *rest = span_from(*rest, 1)) {
		end = span_find(*rest, '"');
		str_addn(unquoted, rest->s, end);
		if (end == rest->n)
			return false;
		*rest = span_from(*rest, end + 1);
		if (!rest->n || rest->s[0] != '"')
			break;
		str_addc(unquoted, '"');
	}
	*out = (struct span){str_text(unquoted), unquoted->n};
	end = span_find(*rest, ',');
	*rest = span_from(*rest, end < rest->n ? end + 1 : end);
	return true;
}

static void place_column(struct span name, int column, int at[FIELDS])
{
	for (size_t i = 0; i < sizeof(columns) / sizeof(*columns); i++)
		if (span_is(span_trim(name), columns[i].name) && at[columns[i].part] < 0)
			at[columns[i].part] = column;
}

static bool read_header(struct span line, int at[FIELDS])
{
	for (int i = 0; i < FIELDS; i++)
		at[i] = -1;
	for (int i = 0; line.n && i < COLUMNS_MOST; i++)
		place_column(span_take(&line, ','), i, at);
	return at[FRAME] >= 0 && at[EVENT] >= 0 && at[TIME] >= 0;
}

static int number(const struct csv *t, const struct span *fields, enum field part, int64_t *out)
{
	const struct span field = span_trim(fields[part]);

	*out = 0;
	if (!field.n || span_int(field, out))
		return 0;
	return input_bad(t->in, "column %d is '%.*s', no whole number that fits 64 bits",
			 t->at[part] + 1, (int)(field.n < 40 ? field.n : 40), field.s);
}

/* The same that must fit 32 bits. */
static int index_of(const struct csv *t, const struct span *fields, enum field part, uint32_t *out)
{
	int64_t value;
	int rc = number(t, fields, part, &value);

	*out = (uint32_t)value;
	if (!rc && (value < 0 || value > INT32_MAX))
		return input_bad(t->in, "column %d is out of range", t->at[part] + 1);
	return rc;
}

static uint32_t frame_of(const struct csv *t, const struct span *fields)
{
	const struct span name = fields[NAME].n ? fields[NAME] : fields[FRAME];
	_free_ char *made =
		fields[NAME].n ? NULL : mem_printf("frame %.*s", (int)(name.n & 0xff), name.s);
	const struct function f = {.name = made ? builder_text(t->b, made, strlen(made))
						: builder_span(t->b, name),
				   .kind = KIND_NATIVE,
				   .named = !made && !builder_is_unnamed(name)};

	return profile_frame(t->b->profile,
			     &(struct frame){.function = profile_function(t->b->profile, &f)});
}

static uint32_t thread_of(const struct csv *t, uint32_t tid)
{
	_free_ char *name = mem_printf("thread %u", tid);

	return builder_thread(t->b, 0, tid, builder_text(t->b, name, strlen(name)), 0);
}

static int take_event(const struct csv *t, const struct span *fields)
{
	struct timed_event e = {0};
	int64_t time = 0;
	int rc = number(t, fields, TIME, &time);

	rc = rc ?: index_of(t, fields, EVENT, &e.event);
	rc = rc ?: number(t, fields, VALUE1, &e.value1);
	rc = rc ?: number(t, fields, VALUE2, &e.value2);
	rc = rc ?: index_of(t, fields, THREAD, &e.thread);
	rc = rc ?: index_of(t, fields, COROUTINE, &e.coroutine);
	if (rc)
		return rc;
	e.thread = thread_of(t, e.thread);
	e.frame = frame_of(t, fields);
	e.argument = builder_span(t->b, fields[ARGUMENT]);
	builder_event(t->b, time, &e);
	return 0;
}

/* Keeps a field until the next line: a quoted one is in a buffer that the next one takes. */
static void keep_field(struct csv *t, int column, struct span field, struct span *fields)
{
	for (int i = 0; i < FIELDS; i++) {
		if (t->at[i] != column)
			continue;
		t->kept[i].n = 0;
		str_addn(&t->kept[i], field.s, field.n);
		fields[i] = (struct span){str_text(&t->kept[i]), field.n};
	}
}

static int take_line(struct csv *t, struct span line)
{
	struct span fields[FIELDS] = {0}, field = {0};

	for (int column = 0; line.n && column < COLUMNS_MOST; column++) {
		if (!take_field(&line, &t->unquoted, &field))
			return input_bad(t->in, "a quote is not closed");
		keep_field(t, column, field, fields);
	}
	return take_event(t, fields);
}

static int timeline_csv_read(struct input *in, struct builder *b)
{
	struct csv t = {.in = in, .b = b};
	struct span line;
	int rc = input_line(in, &line);

	if (rc > 0 && !read_header(line, t.at))
		rc = input_bad(in, "no header with the columns frame, event and time");
	while (rc > 0 && (rc = input_line(in, &line)) > 0) {
		const int bad = line.n ? builder_skip(b, in, take_line(&t, line)) : 0;

		rc = bad < 0 ? bad : 1;
	}
	str_release(&t.unquoted);
	for (int i = 0; i < FIELDS; i++)
		str_release(&t.kept[i]);
	if (!rc && !b->events.n)
		rc = builder_nothing(b, in, "holds no events");
	return rc;
}

static bool timeline_csv_is(struct span head)
{
	int at[FIELDS];

	return read_header(span_trim(span_take(&head, '\n')), at);
}

const struct import timeline_csv_import = {
	.name = "timeline-csv",
	.extension = NULL,
	.about = "events of a timeline as a table: frame, event, time …",
	.is = timeline_csv_is,
	.read = timeline_csv_read,
};
