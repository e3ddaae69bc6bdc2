#include "export/perfetto_packets.h"

#include "base/hash.h"
#include "base/mem.h"

/* Fields, by message. */
enum {
	TRACE_PACKET = 1,

	PACKET_CLOCKS = 6,
	PACKET_TIME = 8,
	PACKET_SEQUENCE = 10,
	PACKET_EVENT = 11,
	PACKET_INTERNED = 12,
	PACKET_FLAGS = 13,
	PACKET_CLOCK = 58, /* of the defaults, too */
	PACKET_DEFAULTS = 59,
	PACKET_TRACK = 60,
	PACKET_FIRST = 87,

	DEFAULTS_EVENT = 11,

	CLOCKS_CLOCK = 1,
	CLOCK_ID = 1,
	CLOCK_TIME = 2,
	CLOCK_INCREMENTAL = 3,

	INTERNED_CATEGORY = 1,
	INTERNED_NAME = 2,
	INTERNED_NOTE = 3,
	INTERNED_IID = 1, /* of each of them */
	INTERNED_TEXT = 2,

	EVENT_CATEGORY = 3,
	EVENT_NOTE = 4,
	EVENT_TYPE = 9,
	EVENT_NAME = 10,
	EVENT_TRACK = 11,
	EVENT_NAME_TEXT = 23,
	EVENT_COUNT = 30,
	EVENT_MEASURE = 44,
	EVENT_FLOW = 47,
	EVENT_FLOW_ENDS = 48,

	NOTE_NAME = 1,
	NOTE_INT = 4,
	NOTE_TEXT = 6,

	TRACK_UUID = 1,
	TRACK_NAME = 2,
	TRACK_PROCESS = 3,
	TRACK_THREAD = 4,
	TRACK_PARENT = 5,
	TRACK_COUNTER = 8,

	PROCESS_PID = 1,
	PROCESS_NAME = 6,
	THREAD_PID = 1,
	THREAD_TID = 2,
	THREAD_NAME = 5,
	COUNTER_UNIT = 3,
};

#define STATE_CLEARED 1
#define STATE_NEEDED  2

#define CLOCK_REALTIME 1
#define CLOCK_BOOTTIME 6  /* the clock of traces, which begins with the capture here */
#define CLOCK_DELTA    64 /* the sequence's own */

/* Numbers of categories: of modules those behind. */
#define CATEGORY_C 1

enum note { NOTE_ARGUMENTS = 1, NOTE_RETURNED, NOTE_ENDED_BY, NOTES_END };
static const char *const note_names[NOTES_END] = {"", "arguments", "returned", "ended by"};

/* Writes the packet with the sequence it belongs to, and makes room for the next. */
static void write_packet(struct perfetto_packets *w, const struct packet_sequence *s,
			 uint32_t flags)
{
	protobuf_uint(&w->packet, PACKET_SEQUENCE, s->number);
	protobuf_uint(&w->packet, PACKET_FLAGS, flags);
	protobuf_clear(&w->inner);
	protobuf_message(&w->inner, TRACE_PACKET, &w->packet);
	fwrite_unlocked(w->inner.bytes.at, 1, w->inner.bytes.n, w->out);
	protobuf_clear(&w->packet);
}

/* --- sequences -------------------------------------------------------------------------------- */

static void add_clock(struct perfetto_packets *w, uint32_t id, uint64_t time, bool incremental)
{
	protobuf_clear(&w->inner);
	protobuf_uint(&w->inner, CLOCK_ID, id);
	protobuf_uint(&w->inner, CLOCK_TIME, time);
	if (incremental)
		protobuf_uint(&w->inner, CLOCK_INCREMENTAL, 1);
	protobuf_message(&w->event, CLOCKS_CLOCK, &w->inner);
}

static void add_clocks(struct perfetto_packets *w)
{
	protobuf_clear(&w->event);
	add_clock(w, CLOCK_BOOTTIME, 0, false);
	if (w->p->started_unix_ns > 0)
		add_clock(w, CLOCK_REALTIME, (uint64_t)w->p->started_unix_ns, false);
	add_clock(w, CLOCK_DELTA, 0, true);
	protobuf_message(&w->packet, PACKET_CLOCKS, &w->event);
}

static void add_defaults(struct perfetto_packets *w, uint64_t track)
{
	protobuf_clear(&w->event);
	protobuf_uint(&w->event, PACKET_CLOCK, CLOCK_DELTA);
	if (track) {
		protobuf_clear(&w->inner);
		protobuf_uint(&w->inner, EVENT_TRACK, track);
		protobuf_message(&w->event, DEFAULTS_EVENT, &w->inner);
	}
	protobuf_message(&w->packet, PACKET_DEFAULTS, &w->event);
}

void perfetto_open(struct perfetto_packets *w, struct packet_sequence *s, uint64_t track)
{
	*s = (struct packet_sequence){.number = ++w->sequences};
	add_clocks(w);
	add_defaults(w, track);
	protobuf_uint(&w->packet, PACKET_FIRST, 1);
	write_packet(w, s, STATE_CLEARED);
}

void perfetto_begin(struct perfetto_packets *w, const struct profile *p, FILE *out)
{
	*w = (struct perfetto_packets){.out = out, .p = p};
	w->names = mem_zalloc(intern_count(&p->strings), sizeof(*w->names));
	w->modules = mem_zalloc(p->modules.n, sizeof(*w->modules));
	w->module_names = mem_zalloc(p->modules.n, sizeof(*w->module_names));
	for (uint32_t i = 1; i < p->modules.n; i++)
		w->module_names[i] = profile_module_name(p, i);
	perfetto_open(w, &w->tracks, 0);
}

void perfetto_end(struct perfetto_packets *w)
{
	free(w->names);
	free(w->modules);
	free(w->module_names);
	map_release(&w->names_known);
	map_release(&w->modules_known);
	protobuf_release(&w->packet);
	protobuf_release(&w->event);
	protobuf_release(&w->interned);
	protobuf_release(&w->inner);
}

/* --- tracks ----------------------------------------------------------------------------------- */

static void add_process(struct perfetto_packets *w, const struct thread *t)
{
	protobuf_clear(&w->inner);
	protobuf_uint(&w->inner, PROCESS_PID, t->pid);
	protobuf_text(&w->inner, PROCESS_NAME, profile_text(w->p, t->process ?: t->name));
	protobuf_message(&w->event, TRACK_PROCESS, &w->inner);
}

static void add_thread(struct perfetto_packets *w, const struct thread *t)
{
	protobuf_clear(&w->inner);
	protobuf_uint(&w->inner, THREAD_PID, t->pid);
	protobuf_uint(&w->inner, THREAD_TID, t->tid);
	protobuf_text(&w->inner, THREAD_NAME, profile_text(w->p, t->name));
	protobuf_message(&w->event, TRACK_THREAD, &w->inner);
}

static void add_counter(struct perfetto_packets *w, enum perfetto_unit unit)
{
	protobuf_clear(&w->inner);
	if (unit)
		protobuf_uint(&w->inner, COUNTER_UNIT, unit);
	protobuf_message(&w->event, TRACK_COUNTER, &w->inner);
}

void perfetto_put_track(struct perfetto_packets *w, const struct perfetto_track *t)
{
	protobuf_clear(&w->event);
	protobuf_uint(&w->event, TRACK_UUID, t->uuid);
	if (t->parent)
		protobuf_uint(&w->event, TRACK_PARENT, t->parent);
	if (t->name)
		protobuf_text(&w->event, TRACK_NAME, t->name);
	if (t->process)
		add_process(w, t->process);
	if (t->thread)
		add_thread(w, t->thread);
	if (t->counter)
		add_counter(w, t->unit);
	protobuf_message(&w->packet, PACKET_TRACK, &w->event);
	write_packet(w, &w->tracks, STATE_NEEDED);
}

/* --- events ----------------------------------------------------------------------------------- */

/* Whether the sequence @s has the name of number @i; from now on it has it. @last: per number, the
 * sequence that had it last. */
static bool is_known(const struct packet_sequence *s, uint32_t *last, struct map *known, uint32_t i)
{
	bool fresh = false;

	if (last[i] != s->number)
		map_put(known, (uint64_t)s->number << 32 | i, &fresh);
	last[i] = s->number;
	return !fresh;
}

static void intern(struct perfetto_packets *w, uint32_t field, uint32_t iid, const char *text)
{
	protobuf_clear(&w->inner);
	protobuf_uint(&w->inner, INTERNED_IID, iid);
	protobuf_text(&w->inner, INTERNED_TEXT, text);
	protobuf_message(&w->interned, field, &w->inner);
}

static void add_one_category(struct perfetto_packets *w, const struct packet_sequence *s,
			     uint32_t module, const char *name)
{
	if (!is_known(s, w->modules, &w->modules_known, module))
		intern(w, INTERNED_CATEGORY, CATEGORY_C + module, name);
	protobuf_uint(&w->event, EVENT_CATEGORY, CATEGORY_C + module);
}

static void add_category(struct perfetto_packets *w, const struct packet_sequence *s,
			 const struct perfetto_event *e)
{
	if (e->of_c)
		add_one_category(w, s, 0, "c_call");
	if (e->module)
		add_one_category(w, s, e->module, w->module_names[e->module]);
}

/* Number 0 would be no name. */
static void add_name(struct perfetto_packets *w, const struct packet_sequence *s,
		     const struct perfetto_event *e)
{
	if (e->name) {
		if (!is_known(s, w->names, &w->names_known, e->name))
			intern(w, INTERNED_NAME, e->name, profile_text(w->p, e->name));
		protobuf_uint(&w->event, EVENT_NAME, e->name);
	} else if (e->name_text) {
		protobuf_text(&w->event, EVENT_NAME_TEXT, e->name_text);
	}
}

static void add_note(struct perfetto_packets *w, struct packet_sequence *s, enum note note,
		     const char *text, const int64_t *number)
{
	if (!text && !number)
		return;
	for (uint32_t i = 1; i < NOTES_END && !s->notes; i++)
		intern(w, INTERNED_NOTE, i, note_names[i]);
	s->notes = true;
	protobuf_clear(&w->inner);
	protobuf_uint(&w->inner, NOTE_NAME, note);
	if (text)
		protobuf_text(&w->inner, NOTE_TEXT, text);
	else
		protobuf_uint(&w->inner, NOTE_INT, (uint64_t)*number);
	protobuf_message(&w->event, EVENT_NOTE, &w->inner);
}

static void add_event(struct perfetto_packets *w, struct packet_sequence *s,
		      const struct perfetto_event *e)
{
	protobuf_clear(&w->event);
	protobuf_clear(&w->interned);
	protobuf_uint(&w->event, EVENT_TYPE, e->type);
	add_name(w, s, e);
	add_category(w, s, e);
	if (e->track)
		protobuf_uint(&w->event, EVENT_TRACK, e->track);
	if (e->count)
		protobuf_uint(&w->event, EVENT_COUNT, (uint64_t)*e->count);
	if (e->measure)
		protobuf_double(&w->event, EVENT_MEASURE, *e->measure);
	if (e->flow)
		protobuf_fixed64(&w->event, e->flow_ends ? EVENT_FLOW_ENDS : EVENT_FLOW, e->flow);
	add_note(w, s, NOTE_ARGUMENTS, e->arguments, NULL);
	add_note(w, s, NOTE_RETURNED, NULL, e->returned);
	add_note(w, s, NOTE_ENDED_BY, e->ended_by, NULL);
}

void perfetto_put(struct perfetto_packets *w, struct packet_sequence *s,
		  const struct perfetto_event *e)
{
	const uint64_t now = e->time_ns > s->at_ns ? e->time_ns : s->at_ns;

	add_event(w, s, e);
	protobuf_uint(&w->packet, PACKET_TIME, now - s->at_ns);
	protobuf_message(&w->packet, PACKET_EVENT, &w->event);
	if (w->interned.bytes.n)
		protobuf_message(&w->packet, PACKET_INTERNED, &w->interned);
	write_packet(w, s, STATE_NEEDED);
	s->at_ns = now;
}
