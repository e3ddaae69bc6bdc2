#include "import_json/perfetto_state.h"

/* --- sequences -------------------------------------------------------------------------------- */

void perfetto_clear(struct perfetto_state *st, struct perfetto_sequence *s)
{
	*s = (struct perfetto_sequence){.epoch = ++st->epochs, .clock = PERFETTO_BOOTTIME};
}

struct perfetto_sequence *perfetto_sequence(struct perfetto_state *st, uint64_t number)
{
	const uint32_t at = map_number(&st->by_sequence, number, st->sequences.n);

	if (at == st->sequences.n)
		perfetto_clear(st, vec_add(&st->sequences));
	return &st->sequences.at[at];
}

/* --- clocks ----------------------------------------------------------------------------------- */

static uint64_t clock_key(const struct perfetto_sequence *s, uint64_t id)
{
	return hash_two(id >= 64 && id < 128 ? s->epoch : 0, id);
}

/* One clock of a snapshot. */
static void read_clock(struct span rest, uint64_t *id, struct perfetto_clock *out)
{
	struct protobuf_field f;

	*out = (struct perfetto_clock){.unit_ns = 1};
	*id = 0;
	while (protobuf_next(&rest, &f)) {
		if (f.number == 1)
			*id = f.value;
		else if (f.number == 2)
			out->base = out->last = (int64_t)f.value;
		else if (f.number == 3)
			out->incremental = f.value != 0;
		else if (f.number == 4 && f.value)
			out->unit_ns = f.value;
	}
}

/* When a snapshot was, by the trace's clock, as far as it tells. */
static int64_t boot_time(struct span rest)
{
	struct protobuf_field f;
	struct perfetto_clock clock;
	uint64_t id;

	while (protobuf_next(&rest, &f)) {
		if (f.number != 1 || !f.bytes.s)
			continue;
		read_clock(f.bytes, &id, &clock);
		if (id == PERFETTO_BOOTTIME)
			return clock.base;
	}
	return INT64_MIN;
}

void perfetto_read_clocks(struct perfetto_state *st, const struct perfetto_sequence *s,
			  struct span rest)
{
	const int64_t boot = boot_time(rest);
	struct protobuf_field f;
	struct perfetto_clock clock;
	uint64_t id;

	while (protobuf_next(&rest, &f)) {
		uint32_t at;

		if (f.number != 1 || !f.bytes.s)
			continue;
		read_clock(f.bytes, &id, &clock);
		clock.base_ns = boot != INT64_MIN ? boot : clock.base;
		at = map_number(&st->by_clock, clock_key(s, id), st->clocks.n);
		if (at == st->clocks.n)
			vec_push(&st->clocks, clock);
		else if (clock.incremental)
			st->clocks.at[at] = clock;
	}
}

static int64_t scaled(int64_t units, uint64_t unit_ns)
{
	int64_t out;

	if (unit_ns > INT64_MAX || __builtin_mul_overflow(units, (int64_t)unit_ns, &out))
		return units < 0 ? INT64_MIN / 2 : INT64_MAX / 2;
	return out;
}

/* Times so far apart that their differences fit. */
static int64_t bounded(int64_t ns)
{
	return ns < INT64_MIN / 4 ? INT64_MIN / 4 : ns > INT64_MAX / 4 ? INT64_MAX / 4 : ns;
}

int64_t perfetto_time(struct perfetto_state *st, const struct perfetto_sequence *s,
		      uint64_t timestamp, uint64_t clock)
{
	const uint32_t *at = map_get(&st->by_clock, clock_key(s, clock ? clock : s->clock));
	struct perfetto_clock *c = at ? &st->clocks.at[*at] : NULL;
	int64_t now = timestamp < INT64_MAX ? (int64_t)timestamp : INT64_MAX, since;

	if (!c)
		return bounded(now);
	if (c->incremental)
		now = c->last = builder_sum(c->last, now);
	if (__builtin_sub_overflow(now, c->base, &since))
		since = 0;
	return bounded(builder_sum(c->base_ns, scaled(since, c->unit_ns)));
}

/* --- names ------------------------------------------------------------------------------------ */

static uint64_t name_key(const struct perfetto_sequence *s, enum perfetto_interned kind,
			 uint64_t iid)
{
	return hash_two((uint64_t)s->epoch << 8 | kind, iid);
}

static void read_name(struct perfetto_state *st, const struct perfetto_sequence *s,
		      enum perfetto_interned kind, struct span rest)
{
	struct protobuf_field f;
	struct span name = {0};
	uint64_t iid = 0;
	bool fresh;

	while (protobuf_next(&rest, &f)) {
		if (f.number == 1)
			iid = f.value;
		else if (f.number == 2 && f.bytes.s)
			name = f.bytes;
	}
	*map_put(&st->names, name_key(s, kind, iid), &fresh) = builder_span(st->b, name);
}

void perfetto_read_interned(struct perfetto_state *st, const struct perfetto_sequence *s,
			    struct span rest)
{
	struct protobuf_field f;

	while (protobuf_next(&rest, &f))
		if (f.bytes.s && f.number >= PERFETTO_CATEGORY && f.number <= PERFETTO_NOTE)
			read_name(st, s, (enum perfetto_interned)f.number, f.bytes);
}

uint32_t perfetto_text(const struct perfetto_state *st, const struct perfetto_sequence *s,
		       enum perfetto_interned kind, uint64_t iid)
{
	const uint32_t *text = map_get(&st->names, name_key(s, kind, iid));

	return text ? *text : 0;
}

/* --- tracks ----------------------------------------------------------------------------------- */

/* The fields of ThreadDescriptor, or of ProcessDescriptor. */
static void read_ids(struct perfetto_state *st, struct span rest, struct trace_track *t,
		     enum perfetto_track_kind kind)
{
	const uint32_t name = kind == PERFETTO_THREAD ? 5 : 6;
	struct protobuf_field f;

	t->kind = (uint8_t)kind;
	while (protobuf_next(&rest, &f)) {
		if (f.number == 1)
			t->pid = (uint32_t)f.value;
		else if (f.number == 2 && kind == PERFETTO_THREAD)
			t->tid = (uint32_t)f.value;
		else if (f.number == name && f.bytes.s)
			t->name = builder_span(st->b, f.bytes);
	}
	if (kind == PERFETTO_PROCESS)
		t->tid = t->pid;
}

static void read_track_field(struct perfetto_state *st, const struct protobuf_field *f,
			     struct trace_track *t)
{
	if (f->number == 5)
		t->parent = f->value;
	if (!f->bytes.s)
		return;
	if (f->number == 2 || f->number == 10 || f->number == 13)
		t->name = t->name ? t->name : builder_span(st->b, f->bytes);
	else if (f->number == 3 && t->kind != PERFETTO_THREAD)
		read_ids(st, f->bytes, t, PERFETTO_PROCESS);
	else if (f->number == 4)
		read_ids(st, f->bytes, t, PERFETTO_THREAD);
	else if (f->number == 8)
		t->kind = PERFETTO_COUNTERS;
}

/* Of a track that is told of again the last is right. */
void perfetto_read_track(struct perfetto_state *st, struct span rest)
{
	struct trace_track t = {0};
	struct protobuf_field f;
	uint64_t uuid = 0;
	uint32_t at;

	while (protobuf_next(&rest, &f)) {
		if (f.number == 1)
			uuid = f.value;
		read_track_field(st, &f, &t);
	}
	at = map_number(&st->by_track, uuid, st->tracks.n);
	if (at == st->tracks.n)
		vec_push(&st->tracks, t);
	else
		st->tracks.at[at] = t;
}

const struct trace_track *perfetto_track(const struct perfetto_state *st, uint64_t uuid)
{
	const uint32_t *at = map_get(&st->by_track, uuid);

	return at ? &st->tracks.at[*at] : NULL;
}

void perfetto_state_release(struct perfetto_state *st)
{
	map_release(&st->by_sequence);
	vec_release(&st->sequences);
	map_release(&st->by_clock);
	vec_release(&st->clocks);
	map_release(&st->names);
	map_release(&st->by_track);
	vec_release(&st->tracks);
}
