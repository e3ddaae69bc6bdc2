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

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "export/gzip.h"
#include "export/sums.h"
#include "model/meta.h"
#include "pprof.pb-c.h"

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
	VEC(uint8_t) packed;		/* scratch of put() */
	VEC(struct location) locations; /* [0] is none */
	uint32_t *location;		/* per node; 0: it has no function */
	bool count;			/* the first value is the number of samples */
};

/* --- messages --------------------------------------------------------------------------------- */

static void put(struct pprof *w, const Pprof__Profile *message)
{
	const size_t n = pprof__profile__get_packed_size(message);

	vec_reserve(&w->packed, n);
	gzip_put(&w->out, w->packed.at, pprof__profile__pack(message, w->packed.at));
}

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
		Pprof__Profile m = PPROF__PROFILE__INIT;

		m.n_string_table = 1;
		m.string_table = &clean;
		put(w, &m);
	}
}

/* --- what is measured ------------------------------------------------------------------------- */

/* pprof's word for a unit. */
static const char *unit_word(const char *unit)
{
	return !strcmp(unit, "ns") ? "nanoseconds" : !strcmp(unit, "events") ? "count" : unit;
}

static void put_type(struct pprof *w, const char *name, const char *unit)
{
	Pprof__ValueType type = PPROF__VALUE_TYPE__INIT, *types = &type;
	Pprof__Profile m = PPROF__PROFILE__INIT;

	type.type = text(w, name);
	type.unit = text(w, unit_word(unit));
	m.n_sample_type = 1;
	m.sample_type = &types;
	put(w, &m);
}

static void put_types(struct pprof *w)
{
	const struct profile *p = w->p;

	w->count = true;
	for (size_t i = 0; i < p->metrics.n; i++) {
		const char *name = profile_text(p, p->metrics.at[i].name);

		w->count &= strcmp(name, "samples") != 0 && strcmp(name, "calls") != 0;
	}
	if (w->count)
		put_type(w, "samples", "count");
	for (size_t i = 0; i < p->metrics.n; i++)
		put_type(w, profile_text(p, p->metrics.at[i].name),
			 profile_text(p, p->metrics.at[i].unit));
}

/* What it opens with: the metric that reports open with, unless that is a sum, else the first. */
static const struct metric *main_metric(const struct profile *p)
{
	const char *own = profile_run(p, RUN_METRIC);

	for (size_t i = 0; own && i < p->metrics.n; i++)
		if (!strcmp(profile_text(p, p->metrics.at[i].name), own))
			return &p->metrics.at[i];
	return p->metrics.n ? &p->metrics.at[0] : NULL;
}

static void put_times(struct pprof *w)
{
	const struct profile *p = w->p;
	const struct metric *metric = main_metric(p);
	Pprof__ValueType type = PPROF__VALUE_TYPE__INIT;
	Pprof__Profile m = PPROF__PROFILE__INIT;

	m.time_nanos = p->started_unix_ns;
	m.duration_nanos = p->duration_ns;
	if (metric) {
		type.type = m.default_sample_type = string(w, metric->name);
		type.unit = text(w, unit_word(profile_text(p, metric->unit)));
		m.period_type = &type;
	}
	if (metric && p->hz >= 1e-9 && !strcmp(profile_text(p, metric->unit), "ns"))
		m.period = (int64_t)(1e9 / p->hz + .5);
	put(w, &m);
}

static void put_comment(struct pprof *w, const char *kind, const char *key, const char *value)
{
	_free_ char *line = mem_printf("%s.%s=%s", kind, key, value);
	int64_t number = text(w, line);
	Pprof__Profile m = PPROF__PROFILE__INIT;

	m.n_comment = 1;
	m.comment = &number;
	put(w, &m);
}

static int by_key(const void *left, const void *right, void *profile)
{
	const struct attr *a = left, *b = right;

	return strcmp(profile_text(profile, a->key), profile_text(profile, b->key));
}

/* In order of key: a profile that went there and back makes the same file again. */
static void put_attributes(struct pprof *w, const char *kind, const struct attr *attrs, size_t n)
{
	_free_ struct attr *sorted = mem_zalloc(n + 1, sizeof(*sorted));

	if (n)
		memcpy(sorted, attrs, n * sizeof(*sorted));
	qsort_r(sorted, n, sizeof(*sorted), by_key, (void *)w->p);
	for (size_t i = 0; i < n; i++)
		put_comment(w, kind, profile_text(w->p, sorted[i].key),
			    profile_text(w->p, sorted[i].text));
}

static void put_comments(struct pprof *w)
{
	const struct profile *p = w->p;

	put_attributes(w, "run", p->run.at, p->run.n);
	put_attributes(w, "meta", p->meta.at, p->meta.n);
	for (size_t i = 0; i < p->metrics.n; i++)
		if (p->metrics.at[i].base)
			put_comment(w, "base", profile_text(p, p->metrics.at[i].name),
				    profile_text(p, p->metrics.at[i].base));
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

static size_t deepest(const struct profile *p)
{
	_free_ uint32_t *depth = mem_zalloc(p->nodes.n, sizeof(*depth));
	uint32_t most = 0;

	for (size_t i = 1; i < p->nodes.n; i++) {
		depth[i] = depth[p->nodes.at[i].parent] + 1;
		most = depth[i] > most ? depth[i] : most;
	}
	return most;
}

/* --- labels ----------------------------------------------------------------------------------- */

struct labels {
	Pprof__Label at[LABELS_MOST], *list[LABELS_MOST];
	size_t n;
};

/* A value of 0 is none: the encoding does not tell them apart. */
static void add_label(struct pprof *w, struct labels *l, const char *key, int64_t str, int64_t num)
{
	Pprof__Label *label = &l->at[l->n];

	if (!str && !num)
		return;
	*label = (Pprof__Label)PPROF__LABEL__INIT;
	label->key = text(w, key);
	label->str = str;
	label->num = num;
	l->list[l->n++] = label;
}

static void add_reason(struct pprof *w, struct labels *l, const struct reason *r)
{
	const char state[2] = {(char)r->state};

	if (r->kind < REASON_KINDS && r->kind)
		add_label(w, l, "reason", text(w, reason_kind_name(r->kind)), 0);
	add_label(w, l, "call", string(w, r->call), 0);
	add_label(w, l, "object", string(w, r->object), 0);
	add_label(w, l, "state", text(w, state), 0);
}

static void add_labels(struct pprof *w, struct labels *l, const struct sum *s)
{
	const struct profile *p = w->p;
	const struct thread *t = &p->threads.at[s->thread];

	l->n = 0;
	add_label(w, l, "thread", string(w, t->name), 0);
	add_label(w, l, "tid", 0, t->tid);
	add_label(w, l, "process", string(w, t->process), 0);
	add_label(w, l, "pid", 0, t->pid);
	add_label(w, l, "cgroup", string(w, t->cgroup), 0);
	if (s->zone)
		add_label(w, l, "zone", string(w, p->zones.at[p->zone_edges.at[s->zone].zone].name),
			  0);
	if (s->reason)
		add_reason(w, l, &p->reasons.at[s->reason]);
}

/* --- tables ----------------------------------------------------------------------------------- */

static void put_samples(struct pprof *w, const struct sums *sums)
{
	const size_t metrics = w->p->metrics.n;
	_free_ int64_t *values = mem_zalloc(metrics + 1, sizeof(*values));
	_free_ uint64_t *path = mem_zalloc(deepest(w->p) + 1, sizeof(*path));

	for (size_t i = 0; i < sums->rows.n; i++) {
		const struct sum *row = &sums->rows.at[i];
		Pprof__Sample sample = PPROF__SAMPLE__INIT, *samples = &sample;
		Pprof__Profile m = PPROF__PROFILE__INIT;
		struct labels labels;

		values[0] = row->samples;
		memcpy(values + w->count, sums->values.at + i * metrics, metrics * sizeof(*values));
		add_labels(w, &labels, row);
		sample.n_location_id = walk(w, row->node, path);
		sample.location_id = path;
		sample.n_value = metrics + w->count;
		sample.value = values;
		sample.n_label = labels.n;
		sample.label = labels.list;
		m.n_sample = 1;
		m.sample = &samples;
		put(w, &m);
	}
}

static void put_mapping(struct pprof *w, uint32_t module)
{
	const struct module *of = &w->p->modules.at[module];
	Pprof__Mapping mapping = PPROF__MAPPING__INIT, *mappings = &mapping;
	Pprof__Profile m = PPROF__PROFILE__INIT;

	mapping.id = module;
	mapping.filename = string(w, of->path);
	mapping.build_id = string(w, of->build_id);
	/* Nobody need look for the names elsewhere. */
	mapping.has_functions = mapping.has_filenames = true;
	mapping.has_line_numbers = mapping.has_inline_frames = true;
	m.n_mapping = 1;
	m.mapping = &mappings;
	put(w, &m);
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
	Pprof__Function function = PPROF__FUNCTION__INIT, *functions = &function;
	Pprof__Profile m = PPROF__PROFILE__INIT;

	function.id = number;
	function.name = string(w, f->name);
	/* Were it the same as the name, pprof would take template arguments off it. */
	function.system_name = string(w, f->linkage);
	function.filename = string(w, f->file);
	function.start_line = f->line;
	m.n_function = 1;
	m.function = &functions;
	put(w, &m);
}

/* Innermost line first. */
static void put_location(struct pprof *w, uint32_t number, Pprof__Line *lines, Pprof__Line **list)
{
	const struct profile *p = w->p;
	Pprof__Location location = PPROF__LOCATION__INIT, *locations = &location;
	Pprof__Profile m = PPROF__PROFILE__INIT;

	location.id = number;
	for (; number; number = w->locations.at[number].outer) {
		const struct frame *frame = &p->frames.at[w->locations.at[number].frame];
		Pprof__Line *line = &lines[location.n_line];

		*line = (Pprof__Line)PPROF__LINE__INIT;
		line->function_id = frame->function;
		line->line = frame->line;
		list[location.n_line++] = line;
		location.mapping_id = p->functions.at[frame->function].module;
		location.address = frame->address;
	}
	location.line = list;
	m.n_location = 1;
	m.location = &locations;
	put(w, &m);
}

static void put_locations(struct pprof *w)
{
	const size_t most = deepest(w->p) + 1;
	_free_ bool *called = mem_zalloc(w->p->functions.n, sizeof(*called));
	_free_ Pprof__Line *lines = mem_zalloc(most, sizeof(*lines));
	_free_ Pprof__Line **list = mem_zalloc(most, sizeof(*list));

	for (uint32_t i = (uint32_t)w->locations.n; i-- > 1;) {
		struct location *l = &w->locations.at[i];

		if (!l->used)
			continue;
		put_location(w, i, lines, list);
		for (uint32_t k = i; k; k = w->locations.at[k].outer)
			called[w->p->frames.at[w->locations.at[k].frame].function] = true;
	}
	for (uint32_t i = 1; i < w->p->functions.n; i++)
		if (called[i])
			put_function(w, i);
}

static int pprof_write(const struct export_input *in, FILE *out)
{
	struct pprof *w = mem_zalloc(1, sizeof(*w));
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
	free(w);
	return 0;
}

const struct export pprof_export = {
	.name = "pprof",
	.extension = "pb.gz",
	.about = "for go tool pprof and its kin: gzip'd protocol buffers",
	.reads = EXPORT_STACKS,
	.write = pprof_write,
};
