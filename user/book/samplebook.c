#include "book/samplebook.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/mem.h"

/* Memory per sample, at most: its row here and its columns in the profile, both with room to
 * grow. */
#define SAMPLE_BYTES 256
/* Samples may take one part in so many of the machine's memory. */
#define SHARE 4

void samplebook_init(struct samplebook *b, uint32_t first_stream, uint32_t streams)
{
	*b = (struct samplebook){.first_stream = first_stream,
				 .streams = streams,
				 .most = mem_most() / SHARE / SAMPLE_BYTES};
	b->lost = mem_zalloc(streams, sizeof(*b->lost));
	b->dropped = mem_zalloc(streams, sizeof(*b->dropped));
	b->before = mem_zalloc(streams, sizeof(*b->before));
	b->now = mem_shared(streams, sizeof(*b->now));
}

void samplebook_release(struct samplebook *b)
{
	vec_release(&b->rows);
	free(b->lost);
	free(b->dropped);
	free(b->before);
	if (b->now)
		munmap(b->now, b->streams * sizeof(*b->now));
	*b = (struct samplebook){0};
}

struct sample_row samplebook_row(const struct samplebook *b, const struct wire_sample *w,
				 uint64_t part, uint32_t user, struct stackbook *stacks,
				 struct procs *procs)
{
	return (struct sample_row){.time_ns = w->time_ns,
				   .weight = w->weight,
				   .part = part,
				   .stream = (w->event & WIRE_STREAM_MASK) - b->first_stream,
				   .zone = w->event >> WIRE_ZONE_SHIFT,
				   .thread = procs_thread(procs, w->pid, w->tid),
				   .user = user,
				   .kernel = stackbook_find(stacks, w->kernel_hash)};
}

bool samplebook_push(struct samplebook *b, const struct sample_row *row)
{
	if (row->stream >= b->streams)
		return false;
	if (samplebook_count(b) >= b->most) {
		b->lost[row->stream]++;
		return false;
	}
	vec_push(&b->rows, *row);
	return true;
}

void samplebook_add(struct samplebook *b, const struct wire_sample *w, uint64_t part, uint32_t user,
		    struct stackbook *stacks, struct procs *procs)
{
	const struct sample_row row = samplebook_row(b, w, part, user, stacks, procs);

	samplebook_push(b, &row);
}

void samplebook_count_slice(struct samplebook *b, const struct source_slice *slice)
{
	const uint32_t stream = (slice->wire->sample.event & WIRE_STREAM_MASK) - b->first_stream;

	if (stream < b->streams)
		b->dropped[stream] += slice->dropped;
}

void samplebook_add_slice(struct samplebook *b, const struct source_slice *slice, uint64_t part,
			  struct stackbook *stacks, struct procs *procs)
{
	samplebook_count_slice(b, slice);
	samplebook_add(b, &slice->wire->sample, part, slice->stack, stacks, procs);
}

uint64_t samplebook_dropped(const struct samplebook *b, uint32_t streams)
{
	uint64_t n = 0;

	for (uint32_t s = 0; s < b->streams; s++)
		n += streams >> s & 1 ? b->dropped[s] : 0;
	return n;
}

size_t samplebook_count(const struct samplebook *b)
{
	return b->written + b->rows.n;
}

void samplebook_put(const struct samplebook *b, const struct sample_row *row, struct assembly *a,
		    const int64_t *values)
{
	samplebook_put_at(row, a,
			  b->traced ? assembly_node_traced(a, row->user, row->kernel)
				    : assembly_node(a, row->user, row->kernel),
			  values);
}

void samplebook_put_at(const struct sample_row *row, struct assembly *a, uint32_t node,
		       const int64_t *values)
{
	profile_sample(a->p, assembly_time(a, row->time_ns), assembly_thread(a, row->thread), node,
		       values);
	/* A zone node in the kernel's numbers; the source of zones turns it into a row later. */
	a->p->samples.at[a->p->samples.n - 1].zone = row->zone;
	a->p->samples.at[a->p->samples.n - 1].wait_ns = row->wait_ns;
}

void samplebook_tally_none(const struct samplebook *b)
{
	memset(b->now, 0, b->streams * sizeof(*b->now));
}

void samplebook_tally_row(const struct samplebook *b, const struct assembly *a,
			  const struct sample_row *row)
{
	struct sample_tally *t = &b->now[row->stream];

	if (row->user == NO_STACK)
		return;
	t->probed += assembly_is_probe(a, row->user, row->kernel);
	t->ends[a->stacks->stacks.at[row->user].end % ASSEMBLY_ENDS]++;
	t->guessed += a->stacks->stacks.at[row->user].guessed;
}

void samplebook_tally(const struct samplebook *b, const struct assembly *a)
{
	samplebook_tally_none(b);
	for (size_t i = 0; i < b->rows.n; i++)
		samplebook_tally_row(b, a, &b->rows.at[i]);
}

static void add_tally(struct sample_tally *to, const struct sample_tally *from)
{
	to->guessed += from->guessed;
	to->probed += from->probed;
	for (size_t e = 0; e < ASSEMBLY_ENDS; e++)
		to->ends[e] += from->ends[e];
}

void samplebook_notes(const struct samplebook *b, struct assembly *a, uint32_t metric,
		      uint32_t streams)
{
	struct sample_tally all = {0};
	int64_t lost = 0;

	for (uint32_t s = 0; s < b->streams; s++) {
		if (!(streams >> s & 1))
			continue;
		add_tally(&all, &b->before[s]);
		add_tally(&all, &b->now[s]);
		lost += b->lost[s];
	}
	if (all.guessed)
		profile_ledger(a->p, metric, LEDGER_NOTE,
			       "some frames guessed: code without unwind rules", all.guessed);
	if (all.probed)
		profile_ledger(a->p, metric, LEDGER_NOTE,
			       "taken inside a zone's probe: [eprof probe]", all.probed);
	for (uint8_t e = 0; e < ASSEMBLY_ENDS; e++)
		if (all.ends[e] && assembly_end_note(e))
			profile_ledger(a->p, metric, LEDGER_NOTE, assembly_end_note(e),
				       all.ends[e]);
	profile_ledger_lose(a->p, metric, "no memory for more samples", lost);
}

void samplebook_window_end(struct samplebook *b)
{
	b->ended = b->rows.n;
}

void samplebook_window_forget(struct samplebook *b, struct survivors *r)
{
	for (uint32_t s = 0; s < b->streams; s++)
		add_tally(&b->before[s], &b->now[s]);
	b->written += b->ended;
	vec_drop_first(&b->rows, b->ended);
	b->ended = 0;
	for (size_t i = 0; i < b->rows.n; i++) {
		const struct sample_row *row = &b->rows.at[i];

		survivors_mark(r, row->thread, row->user, row->kernel);
	}
}

void samplebook_window_renumber(struct samplebook *b, const struct survivors *r)
{
	for (size_t i = 0; i < b->rows.n; i++) {
		struct sample_row *row = &b->rows.at[i];

		survivors_renumber(r, &row->thread, &row->user, &row->kernel);
	}
}
