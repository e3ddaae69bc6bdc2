#include "stack/interleave.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "wire_script.h"

#define NO_GAP UINT32_MAX

struct merge {
	const uint64_t *native, *script;
	uint32_t n_native, n_script;
	uint32_t loops, runs;
	uint32_t gap;	    /* the script's frames before those left out, or NO_GAP */
	uint32_t last_runs; /* that end behind the gap */
	bool is_whole;	    /* the script's frames reach to the outermost one */
	/* Where we are: */
	uint32_t at_native, at_script, run;
	struct interleave_words out;
};

static bool is_kind(uint64_t word, uint64_t kind)
{
	return WIRE_FRAME_KIND(word) == kind;
}

static void put(struct merge *m, uint64_t word)
{
	m->out.at[m->out.n++] = word;
}

/* A loop that stays is code as other is. */
static void put_native(struct merge *m, uint64_t word)
{
	if (is_kind(word, WIRE_FRAME_LOOP) || is_kind(word, WIRE_FRAME_CORE))
		word &= ~((uint64_t)WIRE_FRAME_MOST << WIRE_FRAME_SHIFT);
	put(m, word);
}

static void put_note(struct merge *m, enum wire_script_note note)
{
	put(m, (uint64_t)WIRE_FRAME_SCRIPT << WIRE_FRAME_SHIFT | note);
}

/* Leaves out the native frames up to the loop of the first run that goes on behind the gap. */
static void skip_gap(struct merge *m)
{
	const uint32_t next = m->runs > m->last_runs ? m->runs - m->last_runs : 0;

	m->out.cut_at = m->out.n;
	m->gap = NO_GAP;
	while (m->run < next && m->at_native < m->n_native)
		m->run += is_kind(m->native[m->at_native++], WIRE_FRAME_LOOP);
}

static void put_run(struct merge *m)
{
	bool ends = false;

	while (!ends && m->at_script < m->n_script) {
		if (m->at_script == m->gap)
			skip_gap(m);
		ends = m->script[m->at_script] & WIRE_SCRIPT_END;
		put(m, m->script[m->at_script++] & ~WIRE_SCRIPT_END);
	}
	m->run++;
}

/* Whether the word that was just taken is a part of the loop that follows. */
static bool is_core(const struct merge *m, uint64_t word)
{
	return is_kind(word, WIRE_FRAME_CORE) && m->at_native < m->n_native &&
	       is_kind(m->native[m->at_native], WIRE_FRAME_LOOP);
}

static void pair(struct merge *m)
{
	bool surplus_loop = m->loops > m->runs;

	if (m->runs > m->loops) {
		put_run(m);
		/* The native frame behind it was interrupted, not left for a call. */
		if (m->n_native && !is_kind(m->native[0], WIRE_FRAME_LOOP))
			put(m, m->native[m->at_native++] | WIRE_EXACT);
	}
	while (m->at_native < m->n_native) {
		const uint64_t word = m->native[m->at_native++];

		if (is_core(m, word) && !surplus_loop)
			continue;
		if (!is_kind(word, WIRE_FRAME_LOOP) || surplus_loop)
			put_native(m, word);
		else
			put_run(m);
		surplus_loop &= !is_kind(word, WIRE_FRAME_LOOP);
	}
}

/* All of them, without native frames. */
static void put_runs(struct merge *m)
{
	m->last_runs = m->runs;
	while (m->at_script < m->n_script)
		put_run(m);
}

static void put_together(struct merge *m, bool is_rooted)
{
	uint32_t i = 0, end = m->n_native;

	for (; i < m->n_native && !is_kind(m->native[i], WIRE_FRAME_LOOP); i++) {
		m->at_native = i + 1;
		if (!is_core(m, m->native[i]))
			put_native(m, m->native[i]);
	}
	while (end > i && !is_kind(m->native[end - 1], WIRE_FRAME_LOOP))
		end--;
	/* The native walk did not get to them. */
	if (!m->loops)
		put_note(m, WIRE_SCRIPT_NATIVE);
	put_runs(m);
	if (m->loops)
		put_note(m, m->is_whole && m->runs >= m->loops ? WIRE_SCRIPT_NATIVE
							       : WIRE_SCRIPT_TORN);
	for (i = is_rooted ? end : m->n_native; i < m->n_native; i++)
		put_native(m, m->native[i]);
}

static uint32_t count(const uint64_t *words, uint32_t n, bool (*is)(uint64_t))
{
	uint32_t found = 0;

	for (uint32_t i = 0; i < n; i++)
		found += is(words[i]);
	return found;
}

static bool is_loop(uint64_t word)
{
	return is_kind(word, WIRE_FRAME_LOOP);
}

static bool is_marked(uint64_t word)
{
	return is_loop(word) || is_kind(word, WIRE_FRAME_CORE);
}

static bool is_end(uint64_t word)
{
	return word & WIRE_SCRIPT_END;
}

/* Puts the outermost of too many frames into order: they are in a ring. */
static void unroll(struct merge *m, uint64_t *script, uint64_t frames)
{
	uint64_t ring[WIRE_TAIL_FRAMES];

	m->gap = NO_GAP;
	if (frames <= m->n_script || m->n_script < WIRE_TAIL_FRAMES)
		return;
	m->gap = m->n_script - WIRE_TAIL_FRAMES;
	memcpy(ring, script + m->gap, sizeof(ring));
	for (uint32_t i = 0; i < WIRE_TAIL_FRAMES; i++)
		script[m->gap + i] = ring[(i + frames - m->n_script) % WIRE_TAIL_FRAMES];
	m->last_runs = count(script + m->gap, WIRE_TAIL_FRAMES, is_end);
}

static uint32_t find_chain(const struct interleave_words *words)
{
	uint32_t i = 0;

	while (i < words->n && !is_kind(words->at[i], WIRE_FRAME_CHAIN))
		i++;
	return i;
}

void interleave_mark(uint64_t *frames, uint32_t n, const struct wire_script_proc *proc)
{
	for (uint32_t i = 0; i < n; i++) {
		const bool exact = !i || frames[i] & WIRE_EXACT;
		const uint64_t at = WIRE_FRAME_VALUE(frames[i]) - !exact;

		if (at - proc->core < proc->core_bytes)
			frames[i] |= (uint64_t)WIRE_FRAME_CORE << WIRE_FRAME_SHIFT;
		else if (at - proc->loop < proc->loop_bytes || at - proc->cold < proc->cold_bytes)
			frames[i] |= (uint64_t)WIRE_FRAME_LOOP << WIRE_FRAME_SHIFT;
	}
}

static bool is_script(uint64_t word)
{
	return is_kind(word, WIRE_FRAME_SCRIPT);
}

/* Takes the script's frames, which stand in the places of loops, out of @in, of @n words, to
 * @script: there are more loops, so nothing says that these are theirs. */
static void take_out(struct merge *m, uint64_t *in, uint64_t *script, uint32_t n)
{
	m->gap = m->out.cut_at ? count(in, m->out.cut_at, is_script) : NO_GAP;
	m->out.cut_at = 0;
	for (uint32_t i = 0; i < n; i++) {
		if (!is_script(in[i]))
			continue;
		script[m->n_script++] = in[i];
		in[i] = (uint64_t)WIRE_FRAME_LOOP << WIRE_FRAME_SHIFT;
	}
	m->script = script;
}

void interleave(struct interleave_words *words, uint8_t end)
{
	const uint32_t chain = find_chain(words);
	struct merge m = {.n_native = chain, .out = {words->at, 0, words->cut_at}};
	_free_ uint64_t *in = NULL;
	uint64_t value;

	m.loops = count(words->at, chain, is_loop);
	if (chain == words->n && !count(words->at, chain, is_marked))
		return;
	m.native = in = mem_zalloc(2 * words->n, sizeof(*in));
	memcpy(in, words->at, words->n * sizeof(*in));
	if (chain == words->n && m.loops && count(in, chain, is_script)) {
		take_out(&m, in, in + words->n, words->n);
		put_together(&m, end == WIRE_END_ROOT);
		*words = m.out;
		return;
	}
	/* A thread that runs no script, but was just going to, or did. */
	if (chain == words->n || (!m.loops && end == WIRE_END_ROOT)) {
		for (uint32_t i = 0; i < chain; i++)
			put_native(&m, in[i]);
		*words = m.out;
		return;
	}
	value = WIRE_FRAME_VALUE(in[chain]);
	m.script = in + chain + 1;
	m.n_script = words->n - chain - 1;
	m.runs = (uint32_t)WIRE_CHAIN_RUNS(value);
	m.is_whole = value & WIRE_CHAIN_WHOLE;
	unroll(&m, in + chain + 1, WIRE_CHAIN_FRAMES(value));
	if (m.loops && m.is_whole && WIRE_CHAIN_PAIRS(m.runs, m.loops, end == WIRE_END_ROOT))
		pair(&m);
	else
		put_together(&m, end == WIRE_END_ROOT);
	*words = m.out;
}
