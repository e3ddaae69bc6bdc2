/*
 * pprof: gzip'd protocol buffers, as pprof.proto describes them, for go tool pprof and what reads
 * its format. Samples of the same stack, thread, zone and wait are one, with how many they were and
 * their value in every metric. A frame and what was inlined into it make one location. Modules are
 * mappings with build-id, that begin at 0. Threads, zones and waits are labels; attributes of the
 * run and the machine are comments, "run.command=sqlite3". An address is that in its file, of a
 * function without a name, else 0: a profile has names.
 *
 * The messages are written one by one, each within a message Profile of its own: put one behind the
 * other these are, by the rules of the encoding, one message.
 */
#include "export/export.h"

#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "export/gzip.h"
#include "export/sums.h"
#include "model/meta.h"
#include "pprof.pb-c.h"
#include "query/measure.h"
#include "query/pprof_word.h"

#define LABELS_MOST 10

/* A frame, and into which location it was inlined, 0 none. */
struct location {
	uint32_t outer, frame;
	bool used;
};

struct pprof {
	const struct profile *p;
	struct gzip out;
	struct intern strings;
	VEC(uint8_t) packed;				       /* scratch of put() */
	VEC(struct location) locations;			       /* [0] is none */
	uint32_t *location;				       /* per node; 0: it has no function */
	Pprof__Label labels[LABELS_MOST], *label[LABELS_MOST]; /* of the sample that is written */
	bool count; /* the first value is the number of samples */
};

/* --- messages --------------------------------------------------------------------------------- */

static void put(struct pprof *w, const Pprof__Profile *message)
{
	const size_t n = pprof__profile__get_packed_size(message);

	vec_reserve(&w->packed, n);
	gzip_put(&w->out, w->packed.at, pprof__profile__pack(message, w->packed.at));
}

/* Writes @message as the only one of that repeated field of Profile. */
#define put_one(w, field, message)                        \
	do {                                              \
		__typeof__(message) one_ = message;       \
		Pprof__Profile m_ = PPROF__PROFILE__INIT; \
		m_.n_##field = 1;                         \
		m_.field = &one_;                         \
		put(w, &m_);                              \
	} while (0)

static int64_t text(struct pprof *w, const char *s)
{
	return intern_add(&w->strings, s);
}

static int64_t string(struct pprof *w, uint32_t number)
{
	return text(w, profile_text(w->p, number));
}

/* Written last, when all are known. */
static void put_strings(struct pprof *w)
{
	for (size_t i = 0; i < intern_count(&w->strings); i++) {
		const char *s = intern_text(&w->strings, i);
		_free_ char *clean = str_clean(s, strlen(s));

		put_one(w, string_table, clean);
	}
}

/* --- what is measured ------------------------------------------------------------------------- */

/* With pprof's word for the unit. */
static Pprof__ValueType type_of(struct pprof *w, const char *name, const char *unit)
{
	Pprof__ValueType type = PPROF__VALUE_TYPE__INIT;

	type.type = text(w, name);
	type.unit = text(w, !strcmp(unit, "ns")	      ? "nanoseconds"
			    : !strcmp(unit, "events") ? "count"
						      : unit);
	return type;
}

static Pprof__ValueType type_of_metric(struct pprof *w, const struct metric *m)
{
	const char *name = profile_text(w->p, m->name);
	const struct pprof_word *known = pprof_word_of(name);

	return known ? type_of(w, known->type, known->unit)
		     : type_of(w, name, profile_text(w->p, m->unit));
}

static void put_types(struct pprof *w)
{
	const struct profile *p = w->p;
	Pprof__ValueType type;
	struct measure own;

	w->count = !measure_has(p, "samples", &own) && !measure_has(p, "calls", &own);
	if (w->count) {
		type = type_of(w, "samples", "count");
		put_one(w, sample_type, &type);
	}
	vec_each (m, &p->metrics) {
		type = type_of_metric(w, m);
		put_one(w, sample_type, &type);
	}
}

/* It opens with the metric that reports open with, unless that is a sum, else with the first. */
static void put_times(struct pprof *w)
{
	const struct profile *p = w->p;
	struct measure main;
	Pprof__ValueType type;
	Pprof__Profile m = PPROF__PROFILE__INIT;

	m.time_nanos = p->started_unix_ns;
	m.duration_nanos = p->duration_ns;
	(void)measure_find(p, NULL, &main);
	if (main.n) {
		const struct metric *metric = &p->metrics.at[main.n == 1 ? main.metric[0] : 0];
		const char *unit = profile_text(p, metric->unit);

		type = type_of_metric(w, metric);
		m.default_sample_type = type.type;
		m.period_type = &type;
		if (p->hz >= 1e-9 && !strcmp(unit, "ns"))
			m.period = (int64_t)(1e9 / p->hz + .5);
	}
	put(w, &m);
}

static void put_comment(struct pprof *w, const char *kind, const char *key, const char *value)
{
	_free_ char *line = mem_printf("%s.%s=%s", kind, key, value);

	put_one(w, comment, text(w, line));
}

static int by_key(const void *left, const void *right, void *profile)
{
	const struct attr *a = left, *b = right;

	return strcmp(profile_text(profile, a->key), profile_text(profile, b->key));
}

/* In order of key: a profile that went there and back makes the same file again. */
static void put_attributes(struct pprof *w, const char *kind, const profile_attrs *attrs)
{
	profile_attrs sorted = {0};

	vec_each (a, attrs)
		vec_push(&sorted, *a);
	vec_sort_by(&sorted, by_key, w->p);
	vec_each (a, &sorted)
		put_comment(w, kind, profile_text(w->p, a->key), profile_text(w->p, a->text));
	vec_release(&sorted);
}

static void put_comments(struct pprof *w)
{
	const struct profile *p = w->p;

	put_attributes(w, "run", &p->run);
	put_attributes(w, "meta", &p->meta);
	vec_each (m, &p->metrics)
		if (m->base)
			put_comment(w, "base", profile_text(p, m->name), profile_text(p, m->base));
}

/* --- stacks ----------------------------------------------------------------------------------- */

static const struct frame *frame_of(const struct pprof *w, uint32_t node)
{
	return &w->p->frames.at[w->p->nodes.at[node].frame];
}

static bool is_inlined(const struct pprof *w, uint32_t node)
{
	return frame_of(w, node)->inlined && w->location[w->p->nodes.at[node].parent];
}

/* Numbers the locations: what is inlined makes one with what it is inlined into. */
static void find_locations(struct pprof *w)
{
	struct map by_key = {0};

	w->location = mem_zalloc(w->p->nodes.n, sizeof(*w->location));
	vec_add(&w->locations);
	for (uint32_t i = 1; i < w->p->nodes.n; i++) {
		const struct node *n = &w->p->nodes.at[i];
		const uint32_t outer = is_inlined(w, i) ? w->location[n->parent] : 0;

		if (!frame_of(w, i)->function)
			continue;
		w->location[i] =
			map_number(&by_key, (uint64_t)outer << 32 | n->frame, w->locations.n);
		if (w->location[i] == w->locations.n)
			vec_push(&w->locations, ((struct location){outer, n->frame, false}));
	}
	map_release(&by_key);
}

/* The locations of a stack, leaf first, to @path, which has room for each; how many. */
static size_t walk(struct pprof *w, uint32_t node, uint64_t *path)
{
	size_t n = 0;

	for (; node; node = w->p->nodes.at[node].parent) {
		if (!w->location[node])
			continue;
		w->locations.at[w->location[node]].used = true;
		path[n++] = w->location[node];
		while (is_inlined(w, node))
			node = w->p->nodes.at[node].parent;
	}
	return n;
}

/* --- labels ----------------------------------------------------------------------------------- */

/* A value of 0 is none: the encoding does not tell them apart. */
static void add_label(struct pprof *w, Pprof__Sample *to, const char *key, int64_t str, int64_t num)
{
	Pprof__Label *label = &w->labels[to->n_label];

	if (!str && !num)
		return;
	*label = (Pprof__Label)PPROF__LABEL__INIT;
	label->key = text(w, key);
	label->str = str;
	label->num = num;
	w->label[to->n_label++] = label;
}

static void add_reason(struct pprof *w, Pprof__Sample *to, const struct reason *r)
{
	const char state[2] = {(char)r->state};

	if (r->kind < REASON_KINDS && r->kind)
		add_label(w, to, "reason", text(w, reason_kind_name(r->kind)), 0);
	add_label(w, to, "call", string(w, r->call), 0);
	add_label(w, to, "object", string(w, r->object), 0);
	add_label(w, to, "state", text(w, state), 0);
}

static void add_labels(struct pprof *w, Pprof__Sample *to, const struct sum *s)
{
	const struct profile *p = w->p;
	const struct thread *t = &p->threads.at[s->thread];

	to->label = w->label;
	add_label(w, to, "thread", string(w, t->name), 0);
	add_label(w, to, "tid", 0, t->tid);
	add_label(w, to, "process", string(w, t->process), 0);
	add_label(w, to, "pid", 0, t->pid);
	add_label(w, to, "cgroup", string(w, t->cgroup), 0);
	if (s->zone)
		add_label(w, to, "zone",
			  string(w, p->zones.at[p->zone_edges.at[s->zone].zone].name), 0);
	if (s->reason)
		add_reason(w, to, &p->reasons.at[s->reason]);
}

/* --- tables ----------------------------------------------------------------------------------- */

static void put_samples(struct pprof *w, const struct sums *sums)
{
	const size_t metrics = w->p->metrics.n;
	_free_ int64_t *values = mem_zalloc(metrics + 1, sizeof(*values));
	_free_ uint64_t *path = mem_zalloc(w->p->nodes.n, sizeof(*path));

	for (size_t i = 0; i < sums->rows.n; i++) {
		const struct sum *row = &sums->rows.at[i];
		Pprof__Sample sample = PPROF__SAMPLE__INIT;

		values[0] = row->samples;
		memcpy(values + w->count, sums->values.at + i * metrics, metrics * sizeof(*values));
		add_labels(w, &sample, row);
		sample.n_location_id = walk(w, row->node, path);
		sample.location_id = path;
		sample.n_value = metrics + w->count;
		sample.value = values;
		put_one(w, sample, &sample);
	}
}

static void put_mapping(struct pprof *w, uint32_t module)
{
	const struct module *of = &w->p->modules.at[module];
	Pprof__Mapping mapping = PPROF__MAPPING__INIT;

	mapping.id = module;
	mapping.filename = string(w, of->path);
	mapping.build_id = string(w, of->build_id);
	/* Nobody need look for the names elsewhere. */
	mapping.has_functions = mapping.has_filenames = true;
	mapping.has_line_numbers = mapping.has_inline_frames = true;
	put_one(w, mapping, &mapping);
}

/* The first one names the profile. */
static void put_mappings(struct pprof *w)
{
	const uint32_t first = profile_main_module(w->p);

	if (first)
		put_mapping(w, first);
	for (uint32_t i = 1; i < w->p->modules.n; i++)
		if (i != first)
			put_mapping(w, i);
}

static void put_function(struct pprof *w, uint32_t number)
{
	const struct function *f = &w->p->functions.at[number];
	Pprof__Function function = PPROF__FUNCTION__INIT;

	function.id = number;
	function.name = string(w, f->name);
	/* Were it the same as the name, pprof would take template arguments off it. */
	function.system_name = string(w, f->linkage);
	function.filename = string(w, f->file);
	function.start_line = f->line;
	put_one(w, function, &function);
}

/* Innermost line first; and the functions of the lines. */
static void put_locations(struct pprof *w)
{
	const struct profile *p = w->p;
	_free_ bool *called = mem_zalloc(p->functions.n, sizeof(*called));
	_free_ Pprof__Line *lines = mem_zalloc(p->nodes.n, sizeof(*lines));
	_free_ Pprof__Line **list = mem_zalloc(p->nodes.n, sizeof(*list));

	for (uint32_t i = (uint32_t)w->locations.n; i-- > 1;) {
		Pprof__Location location = PPROF__LOCATION__INIT;

		if (!w->locations.at[i].used)
			continue;
		location.id = i;
		location.line = list;
		for (uint32_t k = i; k; k = w->locations.at[k].outer) {
			const struct frame *frame = &p->frames.at[w->locations.at[k].frame];
			Pprof__Line *line = list[location.n_line] = &lines[location.n_line];

			*line = (Pprof__Line)PPROF__LINE__INIT;
			line->function_id = frame->function;
			line->line = frame->line;
			location.n_line++;
			location.mapping_id = p->functions.at[frame->function].module;
			location.address = frame->address;
			called[frame->function] = true;
		}
		put_one(w, location, &location);
	}
	for (uint32_t i = 1; i < p->functions.n; i++)
		if (called[i])
			put_function(w, i);
}

static int pprof_write(const struct export_input *in, FILE *out)
{
	_free_ struct pprof *w = mem_zalloc(1, sizeof(*w));
	struct sums sums;

	w->p = in->part;
	gzip_begin(&w->out, out);
	put_types(w);
	put_times(w);
	put_comments(w);
	find_locations(w);
	sums_build(w->p, &sums);
	put_samples(w, &sums);
	put_mappings(w);
	put_locations(w);
	put_strings(w);
	gzip_end(&w->out);
	sums_release(&sums);
	intern_release(&w->strings);
	vec_release(&w->packed);
	vec_release(&w->locations);
	free(w->location);
	return 0;
}

const struct export pprof_export = {
	.name = "pprof",
	.extension = "pb.gz",
	.about = "for go tool pprof and its kin: gzip'd protocol buffers",
	.reads = EXPORT_STACKS,
	.write = pprof_write,
};
