#include "query/spread_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "model/meta.h"

bool spread_is_ahead(const struct profile *p)
{
	const char *how = profile_run(p, RUN_OFF_CPU);

	return how && !strcmp(how, RUN_OFF_CPU_AHEAD);
}

/* Entries of one thread under several names are one part. */
static void number_threads(struct spread_parts *s, const struct profile *p)
{
	struct map known = {0};

	s->of_thread = mem_zalloc(p->threads.n + 1, sizeof(*s->of_thread));
	for (size_t i = 0; i < p->threads.n; i++) {
		const struct thread *t = &p->threads.at[i];
		bool fresh;
		uint32_t *part = map_put(&known, (uint64_t)t->pid << 32 | t->tid, &fresh);

		if (fresh)
			*part = (uint32_t)s->n++;
		s->of_thread[i] = *part;
	}
	map_release(&known);
}

/* Per node: the frame of user code in which the thread called the kernel; 0 none. */
static uint32_t *callers(const struct profile *p)
{
	uint32_t *out = mem_zalloc(p->nodes.n + 1, sizeof(*out));

	for (size_t i = 1; i < p->nodes.n; i++) {
		const struct node *n = &p->nodes.at[i];
		const struct function *f = &p->functions.at[p->frames.at[n->frame].function];

		out[i] = f->kind == CODE_KERNEL ? out[n->parent] : n->frame;
	}
	return out;
}

/* As octave() of bpf/source/offcpu_ahead.bpf.c: from 1,024th of a period on, 17 of them. */
static uint64_t octave(double periods)
{
	const double least = 1.0 / 1024;

	return periods < least ? 0 : (uint64_t)fmin(16, 1 + floor(log2(periods / least)));
}

/* What is the same for all waits that one sample stands for. Of the place in the program that is
 * the call and who made it: where a thread was made to leave its CPU is anywhere. */
static uint64_t key_of(const struct profile *p, size_t row, uint32_t caller, double period_ns)
{
	const struct reason *r =
		p->reasons.n ? &p->reasons.at[p->samples.at[row].reason] : &(struct reason){0};
	const bool blocked = r->kind != REASON_NONE && r->kind != REASON_RUNNABLE;
	const uint64_t words[] = {p->threads.at[p->samples.at[row].thread].pid,
				  octave((double)p->samples.at[row].wait_ns / period_ns),
				  blocked ? (uint64_t)r->kind << 32 | r->call : 0,
				  blocked ? caller : 0};

	return hash_bytes(words, sizeof(words));
}

static void number_rows(struct spread_parts *s, const struct profile *p, double period_ns)
{
	const size_t rows = p->samples.n;
	_free_ uint32_t *caller = callers(p);
	struct map known = {0};

	s->of_row = mem_zalloc(rows + 1, sizeof(*s->of_row));
	for (size_t i = 0; i < rows; i++) {
		bool fresh;
		uint32_t *part = map_put(
			&known, key_of(p, i, caller[p->samples.at[i].node], period_ns), &fresh);

		if (fresh)
			*part = (uint32_t)s->n++;
		s->of_row[i] = *part;
	}
	map_release(&known);
}

void spread_parts_init(struct spread_parts *s, const struct profile *p, double period_ns)
{
	*s = (struct spread_parts){.n = 1};
	if (spread_is_ahead(p) && period_ns > 0)
		number_rows(s, p, period_ns);
	else
		number_threads(s, p);
}

void spread_parts_release(struct spread_parts *s)
{
	free(s->of_thread);
	free(s->of_row);
}

uint32_t spread_part_of(const struct spread_parts *s, const struct profile *p, size_t row)
{
	return s->of_row ? s->of_row[row] : s->of_thread[p->samples.at[row].thread];
}
