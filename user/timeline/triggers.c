#include "timeline/triggers.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

void triggers_init(struct triggers *t, const struct recording *r, triggers_is_about *is_about,
		   triggers_args_of *args_of, void *context)
{
	*t = (struct triggers){
		.recording = r, .is_about = is_about, .args_of = args_of, .context = context};
	for (uint32_t i = 0; i < r->o.n_triggers; i++)
		t->reads_arguments |= r->o.triggers[i].kind == TIMELINE_TRIGGER_ARGUMENT;
}

void triggers_release(struct triggers *t)
{
	vec_release(&t->open);
	vec_release(&t->kept);
	call_arguments_release(&t->arguments);
	task_waits_release(&t->waits);
}

void triggers_drop(struct triggers *t)
{
	t->kept.n = 0;
	t->no_room = t->unlooked = 0;
}

/* --- conditions -------------------------------------------------------------------------------
 */

/* The arguments of the call that begins at the event, as they are shown; NULL: they are not read.
 * Freed by the caller. */
static char *arguments_at(struct triggers *t, const struct wire_event *e)
{
	struct str text = {0};
	const struct signature *args;

	if (!t->reads_arguments)
		return NULL;
	if (call_arguments_are(e))
		call_arguments_take(&t->arguments, e);
	if (e->kind != WIRE_EVENT_ENTRY)
		return NULL;
	args = t->args_of(t->context, e->function);
	if (!args)
		return NULL;
	call_arguments_add(&t->arguments, args, e, &text);
	return str_steal(&text);
}

/* As the argument that a condition names is shown: by number or by name. */
static const char *shown_name(const struct signature *args, const struct timeline_trigger *is)
{
	const char digit = str_starts(is->argument, "arg") ? is->argument[3] : '\0';
	const uint32_t number = (uint32_t)(digit - '0');

	return digit >= '0' && digit <= '9' && !is->argument[4] && number < args->n
		       ? signature_name(args, number)
		       : is->argument;
}

/* Whether the argument has that value among those shown. */
static bool has_value(const char *shown, const struct signature *args,
		      const struct timeline_trigger *is)
{
	_free_ char *wanted = mem_printf("%s=%s", shown_name(args, is), is->value);
	const size_t n = strlen(wanted);

	for (const char *at = shown; (at = strstr(at, wanted)); at += n)
		if ((at == shown || at[-1] == ' ') && (!at[n] || at[n] == ','))
			return true;
	return false;
}

/* Whether the condition holds at the event; *@ns: the time that it is about. */
static bool holds(struct triggers *t, uint32_t i, const struct wire_event *e, uint64_t waited,
		  const char *arguments, uint64_t *ns)
{
	const struct timeline_trigger *is = &t->recording->o.triggers[i];

	*ns = 0;
	switch (is->kind) {
	case TIMELINE_TRIGGER_CALL:
		*ns = e->value1;
		return e->kind == WIRE_EVENT_EXIT && e->value1 > is->least_ns &&
		       t->is_about(t->context, i, e->function);
	case TIMELINE_TRIGGER_EXCEPTION:
		return e->kind == WIRE_EVENT_HIT && t->is_about(t->context, i, e->function);
	case TIMELINE_TRIGGER_READY:
		*ns = waited;
		return waited > is->least_ns;
	case TIMELINE_TRIGGER_ARGUMENT:
		return arguments && has_value(arguments, t->args_of(t->context, e->function), is) &&
		       t->is_about(t->context, i, e->function);
	}
	return false;
}

static void open_span(struct triggers *t, uint32_t trigger, const struct wire_event *e,
		      uint64_t place, uint64_t ns)
{
	const uint64_t last = t->recording->o.last_ns, part = ns / TRIGGERS_PART;
	const uint64_t before = last ? last : part > TRIGGERS_LEAST_NS ? part : TRIGGERS_LEAST_NS;

	vec_push(&t->open, ((struct triggered){
				   .event = *e,
				   .place = place,
				   .from_ns = e->time_ns -
					      (ns + before < e->time_ns ? ns + before : e->time_ns),
				   .to_ns = e->time_ns + (last ? last / TRIGGERS_PART : before),
				   .trigger = trigger,
				   .ns = ns}));
	t->fired++;
}

/* --- copies -----------------------------------------------------------------------------------
 */

/* The first place of a span: not before what was copied, which may reach beyond the event that it
 * was found at, nor before what is there. */
static uint64_t first_of(const struct triggers *t, const struct triggered *s)
{
	uint64_t place = s->place > t->copied ? s->place : t->copied;
	struct wire_event e;

	while (place > t->copied && recording_get(t->recording, place - 1, &e) &&
	       e.time_ns >= s->from_ns)
		place--;
	return place;
}

static void keep(struct triggers *t, const struct wire_event *e)
{
	if (t->kept.n > t->recording->mask)
		t->no_room++;
	else
		vec_push(&t->kept, *e);
}

/* Notes that a condition held. */
static void note(struct triggers *t, const struct triggered *s, uint32_t number)
{
	struct wire_event e = s->event;

	e.kind = TRIGGERS_FIRED;
	e.value1 = s->ns;
	e.value2 = number;
	e.more = s->trigger;
	vec_push(&t->kept, e);
}

/* Notes how many events before @e are left out. */
static void note_gap(struct triggers *t, const struct wire_event *e, uint64_t n)
{
	struct wire_event gap = *e;

	gap.kind = TRIGGERS_GAP;
	gap.value1 = n;
	if (n)
		vec_push(&t->kept, gap);
}

/* Copies the events from place @begin on, up to the first behind place @least that is later than
 * @to_ns, or to place @end. */
static void copy(struct triggers *t, uint64_t begin, uint64_t least, uint64_t end, uint64_t to_ns)
{
	struct wire_event e;
	uint64_t place;

	for (place = begin; place < end; place++) {
		if (!recording_get(t->recording, place, &e))
			continue;
		if (place > least && e.time_ns > to_ns)
			break;
		if (place == begin)
			note_gap(t, &e, begin - t->copied);
		keep(t, &e);
	}
	t->copied = place > t->copied ? place : t->copied;
}

static void close_spans(struct triggers *t, uint64_t now_ns, bool last)
{
	size_t done = 0;

	while (done < t->open.n && (last || t->open.at[done].to_ns < now_ns)) {
		const struct triggered *s = &t->open.at[done];

		note(t, s, t->fired - (uint32_t)(t->open.n - done) + 1);
		copy(t, first_of(t, s), s->place, t->looked, s->to_ns);
		done++;
	}
	memmove(t->open.at, t->open.at + done, (t->open.n - done) * sizeof(*t->open.at));
	t->open.n -= done;
}

static void look_at(struct triggers *t, const struct wire_event *e, uint64_t place)
{
	const struct timeline_options *o = &t->recording->o;
	const uint64_t waited = task_waits_take(&t->waits, e).ready_ns;
	_free_ char *arguments = arguments_at(t, e);
	uint64_t ns;

	for (uint32_t i = 0; i < o->n_triggers && t->fired < o->triggers_most; i++)
		if (holds(t, i, e, waited, arguments, &ns)) {
			open_span(t, i, e, place, ns);
			return;
		}
}

void triggers_look(struct triggers *t, bool last)
{
	const uint64_t to = recording_made(t->recording), slots = t->recording->mask + 1;
	uint64_t newest_ns = 0;
	struct wire_event e = {0};

	if (to > t->looked + slots) {
		t->unlooked += to - slots - t->looked;
		t->looked = to - slots;
	}
	for (; t->looked < to; t->looked++) {
		if (!recording_get(t->recording, t->looked, &e)) {
			/* Being written: in the next look, but at the end, or if it never is. */
			if (!last && to - t->looked < slots / 2)
				break;
			t->unlooked++;
			continue;
		}
		newest_ns = e.time_ns;
		look_at(t, &e, t->looked);
	}
	if (t->asked && e.serial)
		open_span(t, t->recording->o.n_triggers, &e, t->looked - 1, 0);
	t->asked = t->asked && !e.serial;
	close_spans(t, newest_ns, last);
}

void triggers_ask(struct triggers *t)
{
	t->asked = true;
}

void triggers_copy_all(struct triggers *t)
{
	const uint64_t to = recording_made(t->recording), slots = t->recording->mask + 1;
	const uint64_t begin = to > t->copied + slots ? to - slots : t->copied;

	copy(t, begin, 0, to, UINT64_MAX);
	t->looked = to;
}

/* A gap stands before its event, a condition that holds behind it. */
static int standing(const struct wire_event *e)
{
	return e->kind == TRIGGERS_GAP ? 0 : e->kind == TRIGGERS_FIRED ? 2 : 1;
}

static int in_time(const void *a, const void *b)
{
	const struct wire_event *x = a, *y = b;

	if (x->time_ns != y->time_ns)
		return order_up(x->time_ns, y->time_ns);
	return order_up(x->serial, y->serial) ?: order_up(standing(x), standing(y));
}

void triggers_kept(const struct triggers *t, recorded_events *out)
{
	vec_each (e, &t->kept)
		vec_push(out, *e);
	vec_sort(out, in_time);
}
