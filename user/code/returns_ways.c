#include "code/returns_ways.h"

#include "base/mem.h"
#include "code/insn.h"
#include "code/returns_code.h"

/* Frames are smaller: whatever is larger is no frame. */
#define MAX_FRAME (1 << 22)

/* Jumps back need a pass each, where one leads into the way of another. */
#define MAX_PASSES 16

/* What each step takes in a pass. */
#define PASS_STEPS 4

/* What the way from the start tells: by both registers, as far as each is known. */
struct origin {
	bool reached, has_rsp, has_rbp;
	uint8_t bp;		/* enum returns_rbp */
	int32_t by_rsp, by_rbp; /* the CFA less the register */
	int32_t bp_offset;
};

struct ways {
	const struct returns_code *code;
	/* Of each step, before it. */
	struct returns_frame *frames; /* by the way to the return */
	struct origin *origins;	      /* by the way from the start */
	uint8_t *news;		      /* whether the origin is not told to the steps that follow */
};

static bool is_sane(int64_t cfa)
{
	return cfa >= -MAX_FRAME && cfa <= MAX_FRAME;
}

/* --- the way to the return ------------------------------------------------------------------ */

static const struct returns_frame unknown = {.way = RETURNS_UNKNOWN};
static const struct returns_frame differ = {.way = RETURNS_DIFFER};
static const struct returns_frame at_start = {.way = RETURNS_BY_RSP, .cfa = 8};

static bool is_same(const struct returns_frame *a, const struct returns_frame *b)
{
	return !memcmp(a, b, sizeof(*a));
}

static bool is_told(const struct returns_frame *f)
{
	return f->way == RETURNS_BY_RSP || f->way == RETURNS_BY_RBP;
}

static struct returns_frame merge(struct returns_frame a, struct returns_frame b)
{
	if (a.way == RETURNS_UNKNOWN)
		return b;
	return b.way == RETURNS_UNKNOWN || is_same(&a, &b) ? a : differ;
}

/* The number of the step behind step @i: false where the code does not go on there. A call does not
 * return that nothing follows but padding or another function: calls are made with more on the
 * stack than the return address. */
static bool behind(const struct ways *w, size_t i, uint32_t *next)
{
	const struct returns_step *s = &w->code->steps.at[i];
	uint8_t kind;

	if (!returns_step_at(w->code, s->at + s->bytes, next))
		return false;
	kind = w->code->steps.at[*next].kind;
	return s->kind != INSN_CALL ||
	       (kind != INSN_NOP && kind != INSN_STOP && !w->code->starts[s->at + s->bytes] &&
		!is_same(&w->frames[*next], &at_start));
}

static struct returns_frame frame_behind(const struct ways *w, size_t i)
{
	uint32_t next;

	return behind(w, i, &next) ? w->frames[next] : unknown;
}

/* At the target of a jump. Functions that are called by others are jumped to in the place of a call
 * and a return. */
static struct returns_frame frame_at_target(const struct ways *w, const struct returns_step *s)
{
	uint32_t target;

	if (!returns_step_at(w->code, s->target, &target))
		return unknown;
	return w->code->starts[s->target] ? at_start : w->frames[target];
}

static struct returns_frame moved(struct returns_frame f, int64_t by)
{
	int64_t cfa = f.cfa + by;

	if (!is_told(&f))
		return f;
	if (!is_sane(cfa))
		return differ;
	f.cfa = (int32_t)cfa;
	return f;
}

/* The frame before the caller's rbp is read from @at: of the way's register, behind the move. */
static struct returns_frame loaded(struct returns_frame f, int32_t at)
{
	if (is_told(&f) && f.bp == RETURNS_RBP_SAME) {
		f.bp = RETURNS_RBP_AT_CFA;
		f.bp_offset = at - f.cfa;
	}
	return f;
}

/* The frame before the caller's rbp is written to @at of rsp. */
static struct returns_frame saved(struct returns_frame f, int32_t at)
{
	if (f.way == RETURNS_BY_RSP && f.bp == RETURNS_RBP_AT_CFA && f.bp_offset == at - f.cfa) {
		f.bp = RETURNS_RBP_SAME;
		f.bp_offset = 0;
	}
	return f;
}

/* … and before rbp becomes something else. */
static struct returns_frame overwritten(struct returns_frame f)
{
	if (f.bp == RETURNS_RBP_SAME)
		f.bp = RETURNS_RBP_LOST;
	return f;
}

/* Before what takes rsp from rbp, which lies @amount lower. */
static struct returns_frame by_rbp(struct returns_frame f, int32_t amount)
{
	f.way = RETURNS_BY_RBP;
	return moved(f, amount);
}

/* Before an instruction on rsp, from what holds behind it in terms of rsp. */
static struct returns_frame before_by_rsp(const struct returns_step *s, struct returns_frame f)
{
	switch (s->stack) {
	case INSN_STACK_ADD:
		return moved(f, s->amount);
	case INSN_STACK_PUSH_RBP:
		return moved(saved(f, 0), s->amount);
	case INSN_STACK_POP_RBP:
		return loaded(moved(f, 8), 0);
	case INSN_STACK_SAVE_RBP:
		return saved(f, s->amount);
	case INSN_STACK_LOAD_RBP:
		return loaded(f, s->amount);
	case INSN_STACK_LEAVE:
		return loaded(by_rbp(f, 8), 0);
	case INSN_STACK_FROM_RBP:
		return by_rbp(f, s->amount);
	case INSN_STACK_TO_RBP:
	case INSN_STACK_SET_RBP:
		return overwritten(f);
	case INSN_STACK_SET_RSP:
	case INSN_STACK_SET_BOTH:
		return differ;
	default:
		return f;
	}
}

/* The same in terms of rbp. */
static struct returns_frame before_by_rbp(const struct returns_step *s, struct returns_frame f)
{
	switch (s->stack) {
	case INSN_STACK_TO_RBP:
		f = overwritten(f);
		f.way = RETURNS_BY_RSP;
		return moved(f, s->amount);
	case INSN_STACK_POP_RBP:
	case INSN_STACK_LOAD_RBP:
	case INSN_STACK_LEAVE:
	case INSN_STACK_SET_RBP:
	case INSN_STACK_SET_BOTH:
		return differ;
	default:
		return f;
	}
}

static struct returns_frame before(const struct returns_step *s, struct returns_frame f)
{
	if (!is_told(&f))
		return f;
	return f.way == RETURNS_BY_RSP ? before_by_rsp(s, f) : before_by_rbp(s, f);
}

static struct returns_frame frame_of(const struct ways *w, size_t i)
{
	const struct returns_step *s = &w->code->steps.at[i];

	switch (s->kind) {
	case INSN_RET:
		return at_start;
	case INSN_STOP:
	case INSN_INDIRECT:
		return unknown;
	case INSN_JUMP:
		return frame_at_target(w, s);
	case INSN_BRANCH:
		return merge(frame_at_target(w, s), frame_behind(w, i));
	default:
		return before(s, frame_behind(w, i));
	}
}

/* True when that changed what is known there. */
static bool find_frame(struct ways *w, size_t i)
{
	const struct returns_frame f = merge(w->frames[i], frame_of(w, i));
	const bool changed = !is_same(&f, &w->frames[i]);

	w->frames[i] = f;
	return changed;
}

/* From the end to the start, again where jumps lead back: frames only ever become known, then
 * differ. After the first time there is news at the target of a jump or behind a step alone. */
static void find_frames(struct ways *w)
{
	const size_t n = w->code->steps.n;
	bool changed = true;

	for (int pass = 0; changed && pass < MAX_PASSES; pass++) {
		bool news = false;

		changed = false;
		if (!budget_steps(w->code->budget, n * PASS_STEPS))
			break;
		for (size_t i = n; i-- > 0;) {
			if (pass && !news && w->code->steps.at[i].target == RETURNS_NOWHERE)
				continue;
			news = find_frame(w, i);
			changed |= news;
		}
	}
	/* What did not settle is not known. */
	for (size_t i = 0; changed && i < n; i++)
		w->frames[i] = differ;
}

/* --- the way from the start ----------------------------------------------------------------- */

static struct origin lose_bp(struct origin o)
{
	if (o.bp == RETURNS_RBP_SAME)
		o.bp = RETURNS_RBP_LOST;
	return o;
}

/* rbp is read from @at: back from where it was kept, or something else. */
static struct origin load_bp(struct origin o, bool has_at, int32_t at)
{
	o.has_rbp = false;
	o.by_rbp = 0;
	if (o.bp != RETURNS_RBP_AT_CFA || !has_at || o.bp_offset != at)
		return lose_bp(o);
	o.bp = RETURNS_RBP_SAME;
	o.bp_offset = 0;
	return o;
}

static struct origin save_bp(struct origin o, int32_t at)
{
	if (o.has_rsp && o.bp == RETURNS_RBP_SAME) {
		o.bp = RETURNS_RBP_AT_CFA;
		o.bp_offset = at;
	}
	return o;
}

static struct origin set_rsp(struct origin o, bool known, int64_t by_rsp)
{
	o.has_rsp = known && is_sane(by_rsp);
	o.by_rsp = o.has_rsp ? (int32_t)by_rsp : 0;
	return o;
}

static struct origin set_rbp(struct origin o, bool known, int64_t by_rbp)
{
	o = lose_bp(o);
	o.has_rbp = known && is_sane(by_rbp);
	o.by_rbp = o.has_rbp ? (int32_t)by_rbp : 0;
	return o;
}

/* What holds behind an instruction, from what holds before it, @o. */
static struct origin after(const struct returns_step *s, struct origin o)
{
	switch (s->stack) {
	case INSN_STACK_ADD:
		return set_rsp(o, o.has_rsp, (int64_t)o.by_rsp - s->amount);
	case INSN_STACK_PUSH_RBP:
		o = set_rsp(o, o.has_rsp, (int64_t)o.by_rsp - s->amount);
		return save_bp(o, -o.by_rsp);
	case INSN_STACK_POP_RBP:
		o = load_bp(o, o.has_rsp, -o.by_rsp);
		return set_rsp(o, o.has_rsp, (int64_t)o.by_rsp - s->amount);
	case INSN_STACK_SAVE_RBP:
		return save_bp(o, s->amount - o.by_rsp);
	case INSN_STACK_LOAD_RBP:
		return load_bp(o, o.has_rsp, s->amount - o.by_rsp);
	case INSN_STACK_LEAVE:
		o = set_rsp(o, o.has_rbp, (int64_t)o.by_rbp - 8);
		return load_bp(o, o.has_rsp, -o.by_rsp - 8);
	case INSN_STACK_FROM_RBP:
		return set_rsp(o, o.has_rbp, (int64_t)o.by_rbp - s->amount);
	case INSN_STACK_TO_RBP:
		return set_rbp(o, o.has_rsp, (int64_t)o.by_rsp - s->amount);
	case INSN_STACK_SET_RSP:
		return set_rsp(o, false, 0);
	case INSN_STACK_SET_RBP:
		return set_rbp(o, false, 0);
	case INSN_STACK_SET_BOTH:
		return set_rsp(set_rbp(o, false, 0), false, 0);
	default:
		return o;
	}
}

/* What both say. */
static struct origin both(const struct origin *a, const struct origin *b)
{
	struct origin o = *a;

	if (!a->reached || !b->reached)
		return a->reached ? *a : *b;
	if (!b->has_rsp || b->by_rsp != a->by_rsp)
		o = set_rsp(o, false, 0);
	if (!b->has_rbp || b->by_rbp != a->by_rbp) {
		o.has_rbp = false;
		o.by_rbp = 0;
	}
	if (b->bp != a->bp || b->bp_offset != a->bp_offset) {
		o.bp = RETURNS_RBP_LOST;
		o.bp_offset = 0;
	}
	return o;
}

/* True when that changed what is known there. */
static bool reach(struct ways *w, uint32_t i, const struct origin *o)
{
	struct origin now;

	if (w->code->starts[w->code->steps.at[i].at])
		return false;
	now = both(&w->origins[i], o);
	if (!memcmp(&now, &w->origins[i], sizeof(now)))
		return false;
	w->origins[i] = now;
	w->news[i] = 1;
	return true;
}

static bool spread_one(struct ways *w, size_t i)
{
	const struct returns_step *s = &w->code->steps.at[i];
	const struct origin o = after(s, w->origins[i]);
	bool changed = false;
	uint32_t to;

	if (s->kind == INSN_RET || s->kind == INSN_STOP || s->kind == INSN_INDIRECT)
		return false;
	if (s->kind != INSN_CALL && returns_step_at(w->code, s->target, &to))
		changed = reach(w, to, &o);
	if (s->kind != INSN_JUMP && behind(w, i, &to))
		changed |= reach(w, to, &o);
	return changed;
}

static void find_origins(struct ways *w)
{
	const size_t n = w->code->steps.n;
	bool changed = true;

	for (size_t i = 0; i < n; i++) {
		if (!w->code->starts[w->code->steps.at[i].at])
			continue;
		w->origins[i] = (struct origin){.reached = true, .has_rsp = true, .by_rsp = 8};
		w->news[i] = 1;
	}
	for (int pass = 0; changed && pass < MAX_PASSES; pass++) {
		changed = false;
		if (!budget_steps(w->code->budget, n))
			break;
		for (size_t i = 0; i < n; i++) {
			if (w->news[i]) {
				w->news[i] = 0;
				changed |= spread_one(w, i);
			}
		}
	}
	for (size_t i = 0; changed && i < n; i++)
		w->origins[i].reached = false;
}

/* --- both ----------------------------------------------------------------------------------- */

/* What the ways tell; where those from the start and those to the return disagree, nothing. */
static struct returns_frame agreed(const struct returns_frame *f, const struct origin *o)
{
	if (!o->reached || (!o->has_rsp && !o->has_rbp))
		return is_told(f) ? *f : differ;
	if ((f->way == RETURNS_BY_RSP && o->has_rsp && f->cfa != o->by_rsp) ||
	    (f->way == RETURNS_BY_RBP && o->has_rbp && f->cfa != o->by_rbp))
		return differ;
	return (struct returns_frame){.way = o->has_rsp ? RETURNS_BY_RSP : RETURNS_BY_RBP,
				      .bp = o->bp,
				      .cfa = o->has_rsp ? o->by_rsp : o->by_rbp,
				      .bp_offset = o->bp_offset};
}

struct returns_frame *returns_follow(const struct returns_code *code)
{
	const size_t n = code->steps.n ? code->steps.n : 1;
	struct ways w = {.code = code,
			 .frames = mem_zalloc(n, sizeof(*w.frames)),
			 .origins = mem_zalloc(n, sizeof(*w.origins)),
			 .news = mem_zalloc(n, 1)};

	find_frames(&w);
	find_origins(&w);
	for (size_t i = 0; i < code->steps.n; i++)
		w.frames[i] = agreed(&w.frames[i], &w.origins[i]);
	free(w.origins);
	free(w.news);
	return w.frames;
}
