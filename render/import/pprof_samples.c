/* Samples of a pprof file: stacks, values, and what labels tell of the thread and its wait. */
#include "import/pprof_state.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/err.h"
#include "import/scan.h"

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
		const struct pprof_place *place = row ? &f->places[*row] : NULL;

		if (!place)
			return err(-EINVAL,
				   "'%s' is no sound pprof profile: there is no location %" PRIu64,
				   f->name, s->location_id[i]);
		frames += place->n;
		f->walked += place->n;
		if (frames > PPROF_FRAMES_MOST || f->walked > f->walk_most ||
		    p->nodes.n > NODES_MOST)
			return err(-EFBIG, "'%s': its stacks are longer than is good for its size",
				   f->name);
		for (uint32_t k = 0; k < place->n; k++)
			*node = profile_node(p, *node, f->frames.at[place->first + k]);
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

int pprof_read_sample(struct pprof *f, size_t i)
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
