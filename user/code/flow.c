#include "code/flow.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "code/insn.h"

/* Pieces that a compiler makes of one function are two or three. */
#define MAX_PIECES 16

const char flow_bad_bytes[] = "some of its bytes are not code";
const char flow_runs_off[] = "it runs on into the code behind it";
const char flow_indirect[] = "an indirect jump may leave it";
const char flow_foreign_frame[] = "it jumps into other code without taking down its frame";
const char flow_unknown_target[] = "it jumps into code of unknown ownership";
const char flow_odd_condition[] =
	"it is left by a conditional jump on rcx, which a probe cannot evaluate";
const char flow_refused[] = "the kernel refuses a probe where it ends";
const char flow_unknown_pads[] = "its landing pads cannot be read";
const char flow_calls_itself[] = "it calls into its own middle";

/* In flow_piece.marks. */
enum { MARK_NONE, MARK_START, MARK_INSIDE };

static void say_unknown(struct flow *f, const char *why)
{
	if (!f->unknown)
		f->unknown = why;
}

static struct flow_piece *piece_of(const struct flow *f, uint64_t address)
{
	for (size_t i = 0; i < f->pieces.n; i++) {
		const struct code *c = &f->pieces.at[i].code;

		if (address >= c->address && address - c->address < c->n)
			return &f->pieces.at[i];
	}
	return NULL;
}

size_t flow_bytes(const struct flow *f, uint64_t address, const uint8_t **at)
{
	const struct flow_piece *piece = piece_of(f, address);

	*at = NULL;
	if (!piece)
		return 0;
	*at = piece->code.bytes + (address - piece->code.address);
	return piece->code.n - (address - piece->code.address);
}

static void add_piece(struct flow *f, const struct code *code)
{
	vec_push(&f->pieces, ((struct flow_piece){.code = *code,
						  .marks = mem_zalloc(code->n ? code->n : 1, 1)}));
}

static void push(struct flow *f, uint64_t address, const struct flow_history *h)
{
	vec_push(&f->todo, ((struct flow_place){.address = address, .history = *h}));
}

static uint64_t entry_of(const struct flow *f)
{
	return f->pieces.at[0].code.address;
}

static bool frame_at(const struct flow *f, uint64_t address, struct site_frame *out)
{
	return f->world->frame && f->world->frame(f->world->context, address, out);
}

/* Whether rsp points to the return address there; *@known: whether that can be told. */
static bool is_bare(const struct flow *f, uint64_t address, bool *known)
{
	struct site_frame frame;

	*known = frame_at(f, address, &frame);
	return *known && !frame.by_rbp && !frame.slot;
}

/* --- ways out ------------------------------------------------------------------------------- */

static void add_exit(struct flow *f, const struct insn *insn, uint64_t address, uint8_t condition)
{
	const struct code *c = &piece_of(f, address)->code;

	if (insn->probe == INSN_REFUSED)
		say_unknown(f, flow_refused);
	else if (condition == INSN_ODD_CONDITION)
		say_unknown(f, flow_odd_condition);
	else
		vec_push(&f->exits,
			 ((struct flow_exit){.address = address,
					     .offset = c->offset + (address - c->address),
					     .probe = insn->probe,
					     .condition = condition}));
}

/* Takes the code at @address, outside of all pieces, for a part of the function if it is one. */
static bool add_part(struct flow *f, uint64_t address, const struct flow_history *h,
		     enum site_target *target)
{
	struct code part = {0};

	*target = SITE_TARGET_FUNCTION;
	if (f->world->target)
		*target = f->world->target(f->world->context, address, &part);
	if (*target != SITE_TARGET_PART)
		return false;
	*target = SITE_TARGET_UNKNOWN;
	if (f->pieces.n == MAX_PIECES || address - part.address >= part.n)
		return false;
	add_piece(f, &part);
	push(f, address, h);
	return true;
}

/* A direct jump at @from out of all pieces. */
static void leave(struct flow *f, const struct insn *insn, uint64_t from, uint8_t condition,
		  const struct flow_history *h)
{
	enum site_target target;
	bool known, bare;

	if (add_part(f, insn->target, h, &target))
		return;
	bare = is_bare(f, from, &known);
	if (target != SITE_TARGET_FUNCTION)
		say_unknown(f, flow_unknown_target);
	else if (known && !bare)
		say_unknown(f, flow_foreign_frame);
	else
		add_exit(f, insn, from, condition);
}

static void jump(struct flow *f, const struct insn *insn, uint64_t from, uint8_t condition,
		 const struct flow_history *h)
{
	const uint64_t entry = entry_of(f);

	if (!piece_of(f, insn->target)) {
		leave(f, insn, from, condition, h);
		return;
	}
	if (insn->target == entry)
		vec_push(&f->loops, from);
	else if (insn->target > entry && insn->target - entry < FLOW_NEAR)
		vec_push(&f->near, insn->target);
	push(f, insn->target, h);
}

/* A subroutine inside the function: what it returns to is not the function's caller. */
static void call(struct flow *f, const struct insn *insn)
{
	const struct flow_history nothing = {0};

	if (!insn->target || insn->target == entry_of(f) || !piece_of(f, insn->target))
		return;
	say_unknown(f, flow_calls_itself);
	push(f, insn->target, &nothing);
}

/* --- indirect jumps ------------------------------------------------------------------------- */

enum whither { WHITHER_UNKNOWN, WHITHER_INSIDE, WHITHER_AWAY };

/* By the first entry of a table at a known place. */
static enum whither by_table(const struct flow *f, const struct insn_value *value)
{
	uint64_t entry;

	if (!value->has_address || !f->world->data ||
	    !f->world->data(f->world->context, value->address, &entry, sizeof(entry)))
		return WHITHER_UNKNOWN;
	return piece_of(f, entry) ? WHITHER_INSIDE : WHITHER_AWAY;
}

/* Where @value, a register's, comes from by the instructions of @h before number @end; hands out
 * which of them says so. */
static struct insn_value origin_of(const struct flow *f, const struct flow_history *h, size_t *end,
				   struct insn_value value)
{
	while (value.source == INSN_FROM_REGISTER && *end > 0) {
		const uint8_t *at;
		const size_t n = flow_bytes(f, h->at[--*end], &at);

		insn_writes(at, n, value.number, &value);
	}
	return value;
}

/* Whether the sum holds an entry of a table of distances, or a place in the code: what compilers
 * make of a switch. Two loaded values make up a function's address in a module. */
static enum whither by_sum(const struct flow *f, const struct flow_history *h, size_t end,
			   const struct insn_value *sum)
{
	const int16_t numbers[] = {sum->number, sum->other};
	bool variables = true;

	for (size_t k = 0; k < 2; k++) {
		size_t i = end;
		const struct insn_value v = origin_of(
			f, h, &i,
			(struct insn_value){.source = INSN_FROM_REGISTER, .number = numbers[k]});

		if (v.source == INSN_FROM_DISTANCE || v.source == INSN_FROM_CODE)
			return WHITHER_INSIDE;
		variables &= v.source == INSN_FROM_MEMORY;
	}
	return variables ? WHITHER_AWAY : WHITHER_UNKNOWN;
}

/* By what was put in the register before: compilers add an entry of a table of distances for a
 * switch, and load a function's address from a variable. Hands out the number of the instruction
 * in @h that says so. */
static enum whither by_history(const struct flow *f, const struct flow_history *h,
			       struct insn_value value, size_t *origin)
{
	value = origin_of(f, h, origin, value);
	switch (value.source) {
	case INSN_FROM_REGISTER: /* an argument, where nothing was before */
		return h->n < FLOW_HISTORY && (!h->n || h->at[0] == entry_of(f)) ? WHITHER_AWAY
										 : WHITHER_UNKNOWN;
	case INSN_FROM_SUM:
		return by_sum(f, h, *origin, &value);
	case INSN_FROM_CODE:
		return WHITHER_INSIDE;
	case INSN_FROM_MEMORY:
		return WHITHER_AWAY;
	case INSN_FROM_TABLE:
		return by_table(f, &value);
	default:
		return WHITHER_UNKNOWN;
	}
}

/* Whether the instruction at @address reads the address of a function that uses its return
 * address: by a jump there it would be that of our function. */
static bool reads_keeper(const struct flow *f, uint64_t address)
{
	struct insn insn;
	const uint8_t *at;
	const size_t n = flow_bytes(f, address, &at);

	return f->world->keeps_return && insn_read(at, n, address, &insn) && insn.variable &&
	       f->world->keeps_return(f->world->context, insn.variable);
}

static void jump_indirectly(struct flow *f, const struct insn *insn, uint64_t from,
			    const struct flow_history *h)
{
	enum whither whither = WHITHER_UNKNOWN;
	struct insn_value value;
	const uint8_t *at;
	const size_t n = flow_bytes(f, from, &at);
	bool known, bare = is_bare(f, from, &known);
	size_t origin = h->n;

	if (f->world->switches)
		whither = WHITHER_AWAY;
	else if (insn->notrack || (known && !bare))
		whither = WHITHER_INSIDE;
	else if (insn_jump_value(at, n, &value))
		whither = by_history(f, h, value, &origin);
	/* Where no more is known the jump may go to its own return address, as jump_fcontext's. */
	f->own_return |= !known || reads_keeper(f, origin < h->n ? h->at[origin] : from) ||
			 (f->world->stores_keepers && whither != WHITHER_INSIDE);
	if (whither == WHITHER_INSIDE)
		f->inner_jumps = true;
	else if (whither == WHITHER_AWAY)
		add_exit(f, insn, from, SITE_ALWAYS);
	else
		say_unknown(f, flow_indirect);
}

/* --- the walk ------------------------------------------------------------------------------- */

/* Whether the instruction gets at the word that the return address is in. */
static bool uses_return(const struct flow *f, const struct insn *insn, uint64_t address)
{
	struct site_frame frame;

	if ((!insn->base && !insn->pops) || !frame_at(f, address, &frame))
		return false;
	if (insn->pops && !frame.by_rbp && !frame.slot)
		return true;
	return insn->base == (frame.by_rbp ? INSN_BASE_RBP : INSN_BASE_RSP) &&
	       insn->displacement == frame.slot;
}

static void remember(struct flow_history *h, uint64_t address)
{
	if (h->n == FLOW_HISTORY)
		memmove(h->at, h->at + 1, --h->n * sizeof(*h->at));
	h->at[h->n++] = address;
}

/* True: goes on behind the instruction. */
static bool act(struct flow *f, const struct insn *insn, uint64_t address,
		const struct flow_history *h)
{
	f->own_return |= uses_return(f, insn, address);
	switch (insn->kind) {
	case INSN_JUMP:
		jump(f, insn, address, SITE_ALWAYS, h);
		return false;
	case INSN_BRANCH:
		jump(f, insn, address, insn->condition, h);
		return true;
	case INSN_INDIRECT:
		jump_indirectly(f, insn, address, h);
		return false;
	case INSN_RET:
		add_exit(f, insn, address, SITE_ALWAYS);
		return false;
	case INSN_CALL:
		call(f, insn);
		return true;
	case INSN_STOP:
		return false;
	default:
		return true;
	}
}

/* Notes that an instruction of @n bytes starts at @at. Where a jump leads into the middle of
 * another, as behind a lock prefix, both count. False: it reaches into one read before. */
static bool mark(const struct flow_piece *p, size_t at, size_t n)
{
	bool apart = true;

	p->marks[at] = MARK_START;
	for (size_t i = at + 1; i < at + n; i++) {
		apart &= p->marks[i] != MARK_START;
		p->marks[i] = p->marks[i] == MARK_START ? MARK_START : MARK_INSIDE;
	}
	return apart;
}

/* @is_gap: found between other code, not by a jump. */
static void follow(struct flow *f, uint64_t address, struct flow_history history, bool is_gap)
{
	bool after_call = false, goes_on = true;

	while (goes_on) {
		const struct flow_piece *piece = piece_of(f, address);
		const uint8_t *at;
		struct insn insn;
		size_t n;

		/* A call that is the last thing does not return. */
		if (!piece) {
			if (!after_call)
				say_unknown(f, flow_runs_off);
			return;
		}
		if (piece->marks[address - piece->code.address] == MARK_START)
			return;
		n = flow_bytes(f, address, &at);
		if (!insn_read(at, n, address, &insn)) {
			if (!after_call)
				say_unknown(f, flow_bad_bytes);
			return;
		}
		if (!mark(piece, address - piece->code.address, insn.bytes) && is_gap)
			say_unknown(f, flow_bad_bytes);
		goes_on = act(f, &insn, address, &history);
		remember(&history, address);
		after_call = insn.kind == INSN_CALL || (after_call && insn.kind == INSN_NOP);
		address += insn.bytes;
	}
}

static void take_pad(void *context, uint64_t address)
{
	const struct flow_history nothing = {0};
	struct flow *f = context;
	enum site_target target;

	if (piece_of(f, address))
		push(f, address, &nothing);
	else if (!add_part(f, address, &nothing, &target))
		say_unknown(f, flow_unknown_target);
}

/* Pieces may be found on the way. */
static void land(struct flow *f)
{
	const struct site_world *w = f->world;

	while (f->landed < f->pieces.n) {
		const uint64_t address = f->pieces.at[f->landed++].code.address;

		if (w->pads && !w->pads(w->context, address, take_pad, f))
			say_unknown(f, flow_unknown_pads);
	}
}

static void follow_all(struct flow *f)
{
	for (land(f); f->todo.n; land(f)) {
		const struct flow_place *place = &f->todo.at[--f->todo.n];

		follow(f, place->address, place->history, false);
	}
}

/* The first place of a piece that was not read and is no padding, if any. */
static bool find_gap(struct flow_piece *p, uint64_t *address)
{
	for (; p->swept < p->code.n;) {
		const uint8_t *at = p->code.bytes + p->swept;
		struct insn insn;

		*address = p->code.address + p->swept;
		if (p->marks[p->swept]) {
			p->swept++;
			continue;
		}
		if (!insn_read(at, p->code.n - p->swept, *address, &insn))
			return true;
		if (insn.kind != INSN_NOP && insn.kind != INSN_STOP)
			return true;
		p->swept += insn.bytes;
	}
	return false;
}

/* What no jump leads to that we can follow. Compilers put no data between their code. */
static void sweep(struct flow *f)
{
	const struct flow_history nothing = {0};

	for (size_t i = 0; i < f->pieces.n; i++) {
		uint64_t address;

		while (!f->unknown && find_gap(&f->pieces.at[i], &address)) {
			follow(f, address, nothing, true);
			follow_all(f);
		}
	}
}

void flow_run(const struct site_world *world, const struct code *own, struct flow *out)
{
	const struct flow_history nothing = {0};

	*out = (struct flow){.world = world};
	add_piece(out, own);
	push(out, own->address, &nothing);
	follow_all(out);
	if (world->sweep || out->inner_jumps)
		sweep(out);
}

void flow_release(struct flow *f)
{
	for (size_t i = 0; i < f->pieces.n; i++)
		free(f->pieces.at[i].marks);
	vec_release(&f->pieces);
	vec_release(&f->todo);
	vec_release(&f->exits);
	vec_release(&f->near);
	vec_release(&f->loops);
}
