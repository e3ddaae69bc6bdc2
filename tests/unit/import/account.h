/*
 * account: what a profile is, as sums by text, of as much as a format can hold: two profiles that
 * are the same to it have the same sums. For the test of round trips; after cmocka.
 */
#ifndef TESTS_ACCOUNT_H
#define TESTS_ACCOUNT_H

#include <stdlib.h>

#include "base/str.h"
#include "model/profile.h"

/* What a format can tell of a sample. */
enum {
	HOLDS_IDS = 1,	  /* of processes and threads, and processes' names */
	HOLDS_PLACES = 2, /* files, lines, modules */
	HOLDS_BUILDS = 4, /* build-ids, names before demangling, where functions are declared */
	HOLDS_KINDS = 8,  /* of code, as the module tells; that code has no name */
	HOLDS_REASONS = 16,
	HOLDS_SEMICOLONS = 32, /* in names */
	HOLDS_METRICS = 64,    /* their names and units, and all of them */
	HOLDS_INLINES = 128,
	HOLDS_ADDRESSES = 512, /* of code without a name */
	HOLDS_COLOURS = 256,   /* kernel and JIT code */
};

/* On one line, as every format has it: control characters and bytes that are no text are '?'. */
static inline void put_text(struct str *s, const char *text, unsigned holds)
{
	_free_ char *clean = str_clean(text, strlen(text));

	for (char *c = clean; *c; c++)
		if (*c == ';' && !(holds & HOLDS_SEMICOLONS))
			*c = ':';
	str_addf(s, "|%s", clean);
}

static inline void put_frame(struct str *s, const struct profile *p, uint32_t number,
			     unsigned holds)
{
	const struct frame *frame = &p->frames.at[number];
	const struct function *f = &p->functions.at[frame->function];
	const struct module *m = &p->modules.at[f->module];

	put_text(s, profile_text(p, f->name), holds);
	if (holds & HOLDS_INLINES && frame->inlined)
		str_add(s, " inlined");
	if (holds & HOLDS_COLOURS && !frame->inlined)
		str_add(s, f->kind == KIND_KERNEL ? " kernel" : f->kind == KIND_JIT ? " JIT" : "");
	if (holds & HOLDS_PLACES) {
		put_text(s, profile_text(p, f->file), holds);
		put_text(s, profile_text(p, m->path), holds);
		str_addf(s, ":%u", frame->line);
	}
	if (holds & HOLDS_ADDRESSES)
		str_addf(s, "@%llx", (unsigned long long)frame->address);
	if (holds & HOLDS_BUILDS) {
		put_text(s, profile_text(p, f->linkage), holds);
		put_text(s, profile_text(p, m->build_id), holds);
		str_addf(s, ":%u", f->line);
	}
	if (holds & HOLDS_KINDS)
		str_addf(s, "[%d%d]", f->kind, f->named);
}

static inline void put_thread(struct str *s, const struct profile *p, uint32_t thread,
			      unsigned holds)
{
	const struct thread *t = &p->threads.at[thread];
	const char *name = profile_text(p, t->name);
	/* Folded lines begin with it; one that begins with '#' would be a comment. */
	const bool comment = *name == '#' && !(holds & HOLDS_SEMICOLONS);
	_free_ char *shown = mem_printf("%s%s", comment ? "?" : "", name + comment);

	put_text(s, shown, holds);
	if (holds & HOLDS_IDS) {
		put_text(s, profile_text(p, t->process), holds);
		str_addf(s, " %u/%u", t->pid, t->tid);
	}
}

static inline void put_reason(struct str *s, const struct profile *p, uint32_t row, unsigned holds)
{
	const struct reason *r = &p->reasons.at[row];

	if (!row || !(holds & HOLDS_REASONS))
		return;
	str_addf(s, " because %d%c%d", r->kind, r->state ? r->state : '-', r->idle);
	put_text(s, profile_text(p, r->call), holds);
	put_text(s, profile_text(p, r->object), holds);
}

/* Sums by text. */
struct account {
	struct intern texts;
	VEC(int64_t) sums;
};

static inline void count(struct account *a, const struct str *key, int64_t value)
{
	const uint32_t at = intern_add(&a->texts, str_text(key));

	while (a->sums.n <= at)
		vec_push(&a->sums, 0);
	a->sums.at[at] += value;
}

/* All of @a is in @b with the same sums, or no further off than @off, and nothing else. */
static inline void assert_same(struct account *a, struct account *b, int64_t off,
			       const char *format, size_t profile)
{
	size_t n = 0, m = 0;

	for (uint32_t i = 0; i < b->sums.n; i++)
		m += b->sums.at[i] != 0;
	for (uint32_t i = 0; i < a->sums.n; i++) {
		const char *text = intern_text(&a->texts, i);
		const uint32_t at = intern_add(&b->texts, text);
		const int64_t back = at < b->sums.n ? b->sums.at[at] : 0;

		n += a->sums.at[i] != 0;
		if (llabs(a->sums.at[i] - back) > off)
			fail_msg("%s, profile %zu: '%s' was %lld, is %lld", format, profile, text,
				 (long long)a->sums.at[i], (long long)back);
	}
	assert_true(n > 0);
	if (n != m)
		fail_msg("%s, profile %zu: %zu sums were %zu", format, profile, m, n);
}

static inline void account_release(struct account *a)
{
	intern_release(&a->texts);
	vec_release(&a->sums);
}

static inline void put_metric(struct str *s, const struct profile *p, uint32_t metric,
			      unsigned holds)
{
	if (!(holds & HOLDS_METRICS))
		return;
	put_text(s, profile_text(p, p->metrics.at[metric].name), holds);
	put_text(s, profile_text(p, p->metrics.at[metric].unit), holds);
}

/* Whether metric @m of @p is one of the original's: imports add numbers of samples and of calls. */
static inline bool is_of(const struct profile *original, const struct profile *p, uint32_t m,
			 unsigned holds)
{
	const char *name = profile_text(p, p->metrics.at[m].name);

	if (!(holds & HOLDS_METRICS))
		return m == 0;
	for (size_t i = 0; i < original->metrics.n; i++)
		if (!strcmp(profile_text(original, original->metrics.at[i].name), name))
			return true;
	return false;
}

/* Adds what a sample is of one metric. */
typedef void (*take_sample)(struct account *, const struct profile *, size_t sample,
			    uint32_t metric, unsigned holds);

/* The sums of @p, by what @take tells of its samples. */
static inline struct account account_of(const struct profile *original, const struct profile *p,
					take_sample take, unsigned holds)
{
	struct account a = {0};

	for (size_t i = 0; i < p->samples.n; i++)
		for (uint32_t m = 0; m < p->metrics.n; m++)
			if (p->samples.values.at[m].at[i] && is_of(original, p, m, holds))
				take(&a, p, i, m, holds);
	return a;
}

static inline int64_t value_of(const struct profile *p, size_t sample, uint32_t metric)
{
	return p->samples.values.at[metric].at[sample];
}

/* By thread, reason and stack. */
static inline void take_stack(struct account *a, const struct profile *p, size_t i, uint32_t metric,
			      unsigned holds)
{
	struct str key = {0};

	put_metric(&key, p, metric, holds);
	put_thread(&key, p, p->samples.at[i].thread, holds);
	put_reason(&key, p, p->samples.at[i].reason, holds);
	for (uint32_t n = p->samples.at[i].node; n; n = p->nodes.at[n].parent)
		put_frame(&key, p, p->nodes.at[n].frame, holds);
	count(a, &key, value_of(p, i, metric));
	str_release(&key);
}

/* By the leaf's line. */
static inline void take_line(struct account *a, const struct profile *p, size_t i, uint32_t metric,
			     unsigned holds)
{
	struct str key = {0};

	put_metric(&key, p, metric, holds);
	put_frame(&key, p, p->nodes.at[p->samples.at[i].node].frame, holds);
	count(a, &key, value_of(p, i, metric));
	str_release(&key);
}

static inline uint32_t function_of(const struct profile *p, uint32_t node)
{
	return p->frames.at[p->nodes.at[node].frame].function;
}

static inline void put_function(struct str *s, const struct profile *p, uint32_t node,
				unsigned holds)
{
	const struct function *f = &p->functions.at[function_of(p, node)];

	put_text(s, profile_text(p, f->name), holds);
	put_text(s, profile_text(p, p->modules.at[f->module].path), holds);
}

/* Whether the function of @inner, or its call from there, stands in the stack above it, too. */
static inline bool is_outermost(const struct profile *p, uint32_t inner)
{
	for (uint32_t n = p->nodes.at[inner].parent; n; n = p->nodes.at[n].parent)
		if (function_of(p, n) == function_of(p, inner))
			return false;
	return true;
}

/* By each function in the stack, once. */
static inline void take_functions(struct account *a, const struct profile *p, size_t i,
				  uint32_t metric, unsigned holds)
{
	for (uint32_t n = p->samples.at[i].node; n; n = p->nodes.at[n].parent) {
		struct str key = {0};

		if (!is_outermost(p, n))
			continue;
		put_metric(&key, p, metric, holds);
		put_function(&key, p, n, holds);
		count(a, &key, value_of(p, i, metric));
		str_release(&key);
	}
}

/* By each pair of caller and callee, where the callee was called first. */
static inline void take_pairs(struct account *a, const struct profile *p, size_t i, uint32_t metric,
			      unsigned holds)
{
	for (uint32_t n = p->samples.at[i].node; n; n = p->nodes.at[n].parent) {
		struct str key = {0};

		if (!p->nodes.at[n].parent || !is_outermost(p, n))
			continue;
		put_metric(&key, p, metric, holds);
		put_function(&key, p, n, holds);
		str_add(&key, " from ");
		put_function(&key, p, p->nodes.at[n].parent, holds);
		count(a, &key, value_of(p, i, metric));
		str_release(&key);
	}
}

#endif
