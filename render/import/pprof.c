/*
 * pprof: what go tool pprof and its kin read and write (export/pprof.proto), of Go's runtime,
 * gperftools, perf_to_profile, and of `eprof-render export --to pprof`.
 *
 * Each type of a sample is a metric; of several lines at a location all but the last were inlined.
 * The labels thread, tid, pid, process, cgroup name the thread, and reason, call, object, state why
 * it waited; other labels are not kept, which the ledger says. A sample has no time.
 *
 * Whatever the file claims: an id that is 0, twice there or nowhere is refused, and so is an index
 * past the table of strings. No stack has more than FRAMES_MOST frames, and all stacks together no
 * more than the file's size is good for.
 */
#include "import/import.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/err.h"
#include "base/str.h"
#include "base/units.h"
#include "import/pprof_tables.h"
#include "import/scan.h"
#include "model/meta.h"
#include "query/pprof_word.h"

/* A frame takes a byte of the file at least, but for inlined ones: a location's are named once. */
#define FRAMES_A_BYTE 16
/* --- comments --------------------------------------------------------------------------------- */

/* Attributes as export/pprof.c writes them into comments, those that eprof itself has. */
static const struct known_attribute {
	const char *before;
	void (*set)(struct profile *, const char *key, const char *text);
	const char *keys[16];
} attributes[] = {
	{"run.",
	 profile_set_run,
	 {RUN_NAME, RUN_COMMAND, RUN_TARGET, RUN_PID, RUN_EVENTS, RUN_EVENT_CHOICE, RUN_CLOCK,
	  RUN_OFF_CPU, RUN_OPTIONS, RUN_END}},
	{"meta.",
	 profile_set_meta,
	 {META_VERSION, META_PLATFORM, META_MACHINE, META_TIMESTAMP, META_SYSTEM, META_ARCH,
	  META_NODE, META_RELEASE, META_PROCESSOR, META_CPU_FINGERPRINT, META_CORES,
	  META_COMPILER}},
};

static void set_base(struct pprof *f, const char *line)
{
	vec_each (m, &f->b->metrics) {
		const char *name = profile_text(f->b->profile, m->name);
		const size_t n = strlen(name);

		if (!strncmp(line, name, n) && line[n] == '=') {
			m->base = builder_text(f->b, line + n + 1, strlen(line + n + 1));
			return;
		}
	}
}

static void set_attribute(struct pprof *f, const struct known_attribute *a, const char *line)
{
	for (const char *const *key = a->keys; *key; key++) {
		const size_t n = strlen(*key);
		_free_ char *clean = NULL;

		if (strncmp(line, *key, n) || line[n] != '=')
			continue;
		clean = str_clean(line + n + 1, strlen(line + n + 1));
		a->set(f->b->profile, *key, clean);
	}
}

static int read_comments(struct pprof *f)
{
	for (size_t i = 0; i < f->m->n_comment; i++) {
		const char *line = pprof_string(f, f->m->comment[i]);

		if (!line)
			return -EINVAL;
		if (str_starts(line, "base."))
			set_base(f, line + strlen("base."));
		for (size_t k = 0; k < sizeof(attributes) / sizeof(*attributes); k++)
			if (str_starts(line, attributes[k].before))
				set_attribute(f, &attributes[k],
					      line + strlen(attributes[k].before));
	}
	return 0;
}

/* --- types of samples, which are metrics, and times ------------------------------------------- */

static const struct unit {
	const char *word, *unit;
	int64_t scale;
} units[] = {
	{"nanoseconds", "ns", 1},	 {"microseconds", "ns", 1000},
	{"milliseconds", "ns", 1000000}, {"seconds", "ns", 1000000000},
	{"count", "events", 1},
};

static struct unit unit_of(const char *word)
{
	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
		if (!strcmp(units[i].word, word))
			return units[i];
	return (struct unit){word, *word ? word : "events", 1};
}

/* Whether eprof has written it, by a comment. */
static bool is_ours(const struct pprof *f)
{
	for (size_t i = 0; i < f->m->n_comment; i++) {
		const char *text = pprof_string(f, f->m->comment[i]);

		if (text && str_starts(text, "run.written_by=eprof"))
			return true;
	}
	return false;
}

static const char *metric_of(const struct pprof *f, const char *type)
{
	const struct pprof_word *known = is_ours(f) ? pprof_word_named(type) : NULL;

	return known ? known->metric : type;
}

static int read_type(struct pprof *f, size_t i)
{
	const char *name = pprof_string(f, f->m->sample_type[i]->type);
	const char *word = pprof_string(f, f->m->sample_type[i]->unit);
	const struct pprof_word *heap;
	struct unit unit;
	bool time;

	if (!name || !word)
		return -EINVAL;
	heap = is_ours(f) ? pprof_word_named(name) : NULL;
	unit = unit_of(word);
	/* The unit of blocks is no word of pprof's. */
	if (heap && !strcmp(heap->unit, "count"))
		unit.unit = "blocks";
	if (heap)
		name = heap->metric;
	time = !strcmp(unit.unit, "ns");
	f->types[i].scale = unit.scale;
	f->types[i].metric = builder_metric(
		f->b, *name ? name : "value", unit.unit,
		strcmp(unit.unit, "events") && strcmp(unit.unit, "blocks") ? METRIC_SUM
									   : METRIC_COUNT);
	if (time && (!strcmp(name, "cpu") || !strcmp(name, "cpu-clock")))
		f->b->metrics.at[f->types[i].metric].base =
			builder_text(f->b, METRIC_ON_CPU, strlen(METRIC_ON_CPU));
	if (!strcmp(name, "samples") && f->count == f->m->n_sample_type)
		f->count = i;
	return 0;
}

static int read_types(struct pprof *f)
{
	const Pprof__Profile *m = f->m;
	const char *main;
	int rc = 0;

	if (!m->n_sample_type || m->n_sample_type > PPROF_TYPES_MOST)
		return err(-EINVAL, "'%s' is no sound pprof profile: it has %zu types of samples",
			   f->name, m->n_sample_type);
	f->count = m->n_sample_type;
	for (size_t i = 0; !rc && i < m->n_sample_type; i++)
		rc = read_type(f, i);
	/* Where it names none, pprof opens with the last. */
	main = m->default_sample_type ? pprof_string(f, m->default_sample_type)
				      : pprof_string(f, m->sample_type[m->n_sample_type - 1]->type);
	if (rc || !main)
		return -EINVAL;
	profile_set_run(f->b->profile, RUN_METRIC, metric_of(f, *main ? main : "value"));
	return 0;
}

static int read_times(struct pprof *f)
{
	const Pprof__Profile *m = f->m;
	struct profile *p = f->b->profile;
	const char *unit = m->period_type ? pprof_string(f, m->period_type->unit) : "";

	if (!unit)
		return -EINVAL;
	if (m->time_nanos > 0) {
		p->started_unix_ns = m->time_nanos;
		profile_set_meta(p, META_TIMESTAMP, time_text(m->time_nanos));
	}
	if (m->duration_nanos > 0)
		f->b->duration_ns = builder_sum(f->b->duration_ns, m->duration_nanos);
	if (m->period > 0 && !strcmp(unit_of(unit).unit, "ns"))
		p->hz = 1e9 / ((double)m->period * (double)unit_of(unit).scale);
	return 0;
}

/* --- samples ---------------------------------------------------------------------------------- */

#define NODES_MOST (1u << 24)

/* What the labels of one sample say. */
struct labels {
	uint32_t thread, process, cgroup, pid, tid;
	struct reason reason;
};

static uint8_t reason_kind(struct span name)
{
	for (enum reason_kind k = REASON_NONE + 1; k < REASON_KINDS; k++)
		if (span_is(name, reason_kind_name(k)))
			return (uint8_t)k;
	return REASON_NONE;
}

static uint32_t id_of(int64_t n)
{
	return n > 0 && n <= UINT32_MAX ? (uint32_t)n : 0;
}

static int read_label(struct pprof *f, const Pprof__Label *label, struct labels *out)
{
	const char *key = pprof_string(f, label->key);
	uint32_t *const texts[] = {&out->thread, &out->process, &out->cgroup, &out->reason.call,
				   &out->reason.object};
	static const char *const keys[] = {"thread", "process", "cgroup", "call", "object"};
	const char *value = pprof_string(f, label->str);
	int rc = 0;

	if (!key || !value)
		return -EINVAL;
	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
		if (!strcmp(key, keys[i])) {
			*texts[i] = pprof_text(f, label->str, &rc);
			return rc;
		}
	}
	if (!strcmp(key, "pid"))
		out->pid = id_of(label->num);
	else if (!strcmp(key, "tid"))
		out->tid = id_of(label->num);
	else if (!strcmp(key, "reason"))
		out->reason.kind = reason_kind(span_of(value));
	else if (!strcmp(key, "state"))
		out->reason.state = (uint8_t)value[0];
	else
		f->labels++;
	return 0;
}

static uint32_t thread_of(struct pprof *f, const struct labels *l)
{
	static const char all[] = "all threads";
	const uint32_t name = l->thread ? l->thread : builder_text(f->b, all, sizeof(all) - 1);
	const uint32_t thread = builder_thread(f->b, l->pid, l->tid, name, l->process);
	struct thread *t = &f->b->profile->threads.at[thread];

	t->cgroup = t->cgroup ? t->cgroup : l->cgroup;
	return thread;
}

/* The node of a stack, whose locations stand leaf first. */
static int read_stack(struct pprof *f, const Pprof__Sample *s, uint32_t *node)
{
	struct profile *p = f->b->profile;
	size_t frames = 0;

	*node = 0;
	for (size_t i = s->n_location_id; i-- > 0;) {
		const uint32_t *row = map_get(&f->locations, s->location_id[i]);
		const struct pprof_span *span = row ? &f->spans[*row] : NULL;

		if (!span)
			return err(-EINVAL,
				   "'%s' is no sound pprof profile: there is no location %" PRIu64,
				   f->name, s->location_id[i]);
		frames += span->n;
		f->walked += span->n;
		if (frames > PPROF_FRAMES_MOST || f->walked > f->walk_most ||
		    p->nodes.n > NODES_MOST)
			return err(-EFBIG, "'%s': its stacks are longer than is good for its size",
				   f->name);
		for (uint32_t k = 0; k < span->n; k++)
			*node = profile_node(p, *node, f->frames.at[span->first + k]);
	}
	return 0;
}

static int read_values(struct pprof *f, const Pprof__Sample *s, size_t row,
		       struct builder_value *values)
{
	if (s->n_value != f->m->n_sample_type)
		return pprof_bad(f, "as many values as types has not sample", row);
	for (size_t i = 0; i < s->n_value; i++) {
		values[i].metric = f->types[i].metric;
		if (__builtin_mul_overflow(s->value[i], f->types[i].scale, &values[i].value))
			return pprof_bad(f, "a value is too large in sample", row);
	}
	return 0;
}

static int read_sample(struct pprof *f, size_t i)
{
	const Pprof__Sample *s = f->m->sample[i];
	struct builder_value values[PPROF_TYPES_MOST];
	struct labels labels = {0};
	uint32_t node;
	int64_t count;
	int rc = read_values(f, s, i, values);

	for (size_t k = 0; !rc && k < s->n_label; k++)
		rc = read_label(f, s->label[k], &labels);
	if (!rc)
		rc = read_stack(f, s, &node);
	if (rc)
		return rc;
	count = f->count < s->n_value && s->value[f->count] > 0 ? s->value[f->count] : 1;
	builder_sample(f->b, 0, thread_of(f, &labels), node, count, values, s->n_value);
	labels.reason.idle = reason_kind_is_idle(labels.reason.kind);
	builder_sample_reason(f->b, &labels.reason);
	return 0;
}

/* --- the file --------------------------------------------------------------------------------- */

static int read_all(struct pprof *f)
{
	int rc = read_types(f);

	if (!rc)
		rc = read_times(f);
	if (!rc)
		rc = read_comments(f);
	if (!rc)
		rc = pprof_read_tables(f);
	for (size_t i = 0; !rc && i < f->m->n_sample; i++)
		rc = read_sample(f, i);
	if (!rc)
		builder_note(f->b, f->types[0].metric, LEDGER_NOTE,
			     "labels that a profile has no place for", f->labels);
	return rc;
}

static int pprof_read(struct input *in, struct builder *b)
{
	struct pprof f = {.name = in->name, .b = b};
	struct pprof_file file;
	int rc = pprof_file_read(&file, in);

	if (!rc) {
		f.m = file.message;
		f.walk_most = FRAMES_A_BYTE * file.bytes + PPROF_FRAMES_MOST;
		rc = read_all(&f);
	}
	pprof_file_release(&file);
	map_release(&f.mappings);
	map_release(&f.functions);
	map_release(&f.locations);
	vec_release(&f.frames);
	free(f.spans);
	free(f.modules);
	return rc;
}

const struct import pprof_import = {
	.name = "pprof",
	.extension = "pprof",
	.about = "profiles of go tool pprof and its kin, gzip'd or not",
	.is = pprof_file_is,
	.read = pprof_read,
};
