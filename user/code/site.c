#include "code/site.h"

#include <stdlib.h>
#include <string.h>

#include "code/flow.h"
#include "code/insn.h"

/* How many instructions from the entry are looked at; compilers save registers within these. */
#define MAX_BEFORE_ENTRY 32

/* Far beyond the largest functions that compilers make of honest programs. */
#define MAX_FUNCTION_BYTES (16u << 20)

/* A probe that is rewritten to a call must not cross into the next page, and is not. */
#define PAGE_BYTES 4096
#define NOP5_BYTES 5

static const char why_empty[] = "it has no code";
static const char why_large[] = "it is larger than 16 MiB";
static const char why_no_code[] = "its first bytes are not code";
static const char why_not_called[] = "it is not entered by a call";
static const char why_signal[] = "signal handlers return to it";
static const char why_prefix[] = "the kernel takes no probe on its first instructions";
static const char why_no_return[] = "it never returns";
const char sites_chosen[] = "it only chooses the function, once when the program starts: the real "
			    "ones have names of their own";
const char sites_label[] = "its symbol does not say that it is a function: it may be data";

const char sites_read[] = "mono reads and patches the code of this file while it runs it";

const char sites_stub[] = "its call ends in another module, where the function itself can be timed";

const char sites_passed[] = "code passes a static marker: that is counted, and takes no time";

const char sites_no_counter[] = "the counter that turns the static marker on is not in the file";

const char sites_harmful[] = "CPython 3.11 crashes where this static marker is on (cpython#98894)";

const char *sites_reason(uint32_t number)
{
	static const char *const reasons[] = {
		NULL,
		why_empty,
		why_large,
		why_no_code,
		why_not_called,
		why_signal,
		why_prefix,
		why_no_return,
		flow_bad_bytes,
		flow_runs_off,
		flow_indirect,
		flow_foreign_frame,
		flow_unknown_target,
		flow_odd_condition,
		flow_refused,
		flow_calls_itself,
		flow_unknown_pads,
		sites_chosen,
		sites_label,
		sites_stub,
		sites_read,
		sites_passed,
		sites_no_counter,
		sites_harmful,
	};

	return number < sizeof(reasons) / sizeof(*reasons) ? reasons[number] : NULL;
}

uint32_t sites_reason_number(const char *why)
{
	const char *reason;

	for (uint32_t i = 1; (reason = sites_reason(i)); i++) {
		if (why && !strcmp(reason, why))
			return i;
	}
	return 0;
}

enum exit_way sites_exit_way(const struct sites *s, bool hijack)
{
	if (s->why)
		return EXIT_NONE;
	if (hijack)
		return s->own_return ? EXIT_NONE : EXIT_SESSION;
	return s->exits_known ? EXIT_RETS : EXIT_NONE;
}

void sites_release(struct sites *s)
{
	vec_release(&s->exits);
}

/* --- classes -------------------------------------------------------------------------------- */

static bool may_become_call(uint64_t address)
{
	return PAGE_BYTES - address % PAGE_BYTES >= NOP5_BYTES;
}

/* False: no probe goes there. @written: the red zone may be in use. */
static bool classify(const struct site_kernel *k, uint8_t probe, uint64_t address, bool written,
		     enum site_class *out)
{
	*out = SITE_STEPPED;
	switch (probe) {
	case INSN_REFUSED:
		return false;
	case INSN_EMULATED:
		*out = SITE_EMULATED;
		return true;
	case INSN_LONG_NOP:
		*out = k->long_nops ? SITE_EMULATED : SITE_STEPPED;
		return true;
	case INSN_NOP5:
		if (!k->long_nops)
			return true;
		*out = may_become_call(address) ? SITE_NOP5 : SITE_EMULATED;
		return *out != SITE_NOP5 || (k->nop5 && !written);
	default:
		return true;
	}
}

/* --- entry ---------------------------------------------------------------------------------- */

/* Whether code jumps to a place in (entry, @end): it would meet a probe there again. */
static bool is_jumped_to(const struct flow *f, uint64_t end)
{
	for (size_t i = 0; i < f->near.n; i++) {
		if (f->near.at[i] < end)
			return true;
	}
	return false;
}

/*
 * Go's functions first check whether the stack is large enough, and start over after growing it:
 */
static bool is_new_start(const struct flow *f, uint64_t more)
{
	const uint8_t *at;
	struct insn insn;
	bool called = false;
	size_t n;

	for (int i = 0; i < MAX_BEFORE_ENTRY && (n = flow_bytes(f, more, &at)); i++) {
		if (!insn_read(at, n, more, &insn))
			return false;
		if (insn.kind == INSN_JUMP)
			return called && f->loops.n == 1 && f->loops.at[0] == more;
		if (insn.kind == INSN_CALL)
			called = true;
		else if (insn.kind != INSN_PLAIN && insn.kind != INSN_NOP)
			return false;
		more += insn.bytes;
	}
	return false;
}

/* The walk from the entry along what every call runs through. */
struct approach {
	const struct flow *flow;
	const struct site_kernel *kernel;
	uint32_t arguments; /* that are needed: site_world */
	bool overwritten;   /* one of them was */
	struct site best;
	bool found;
	bool own_return; /* it is got at on the way */
	bool written;	 /* something was, to memory */
	bool restarts;	 /* past the branch after which Go functions may start over */
	size_t read;
};

static void consider(struct approach *a, const struct insn *insn, uint64_t address)
{
	const struct code *own = &a->flow->pieces.at[0].code;
	enum site_class class;

	if (a->overwritten || !classify(a->kernel, insn->probe, address, a->written, &class) ||
	    (a->found && class >= a->best.class))
		return;
	a->best = (struct site){.address = address,
				.offset = own->offset + (address - own->address),
				.class = class,
				.condition = SITE_ALWAYS};
	a->found = true;
}

/* True: the walk goes on behind the instruction. */
static bool pass(struct approach *a, const struct insn *insn, const uint8_t *at, size_t n)
{
	struct insn_effects effects;

	if (insn->kind == INSN_BRANCH && !a->restarts && a->flow->loops.n &&
	    is_new_start(a->flow, insn->target)) {
		/* What was found before would be met again. */
		a->restarts = true;
		a->found = false;
		return true;
	}
	if ((insn->kind != INSN_PLAIN && insn->kind != INSN_NOP) ||
	    !insn_effects(at, n, &effects) || effects.moves_stack || effects.lingers)
		return false;
	a->written |= effects.writes && insn->kind != INSN_NOP;
	a->overwritten |= (effects.arguments & a->arguments) && insn->kind != INSN_NOP;
	return true;
}

/* Chooses the entry site. */
static bool approach(struct approach *a)
{
	const struct code *own = &a->flow->pieces.at[0].code;
	uint64_t address = own->address;
	bool goes_on = true;

	for (; goes_on && a->read < MAX_BEFORE_ENTRY; a->read++) {
		const size_t at = address - own->address;
		struct insn insn;

		if (at >= own->n || !insn_read(own->bytes + at, own->n - at, address, &insn) ||
		    is_jumped_to(a->flow, address + insn.bytes))
			break;
		consider(a, &insn, address);
		/* Without call frame information this much is still known. */
		a->own_return |= insn.pops || (insn.base == INSN_BASE_RSP && !insn.displacement);
		goes_on = pass(a, &insn, own->bytes + at, own->n - at);
		address += insn.bytes;
	}
	return a->found;
}

/* mov $15,%eax or %rax; syscall: rt_sigreturn. */
static bool is_signal_return(const struct code *c)
{
	static const uint8_t forms[][9] = {
		{0x48, 0xc7, 0xc0, 0x0f, 0x00, 0x00, 0x00, 0x0f, 0x05},
		{0xb8, 0x0f, 0x00, 0x00, 0x00, 0x0f, 0x05},
	};

	return (c->n >= 9 && !memcmp(c->bytes, forms[0], 9)) ||
	       (c->n >= 7 && !memcmp(c->bytes, forms[1], 7));
}

/* --- exits ---------------------------------------------------------------------------------- */

static int by_address(const void *pa, const void *pb)
{
	const struct site *a = pa, *b = pb;

	return a->address < b->address ? -1 : a->address > b->address;
}

static void take_exits(const struct flow *f, const struct site_kernel *k, struct sites *out)
{
	for (size_t i = 0; i < f->exits.n; i++) {
		const struct flow_exit *e = &f->exits.at[i];
		struct site site = {
			.address = e->address, .offset = e->offset, .condition = e->condition};

		if (classify(k, e->probe, e->address, true, &site.class))
			vec_push(&out->exits, site);
	}
	if (out->exits.n)
		qsort(out->exits.at, out->exits.n, sizeof(*out->exits.at), by_address);
	out->exits_why = f->unknown;
	if (!out->exits_why && !out->exits.n)
		out->exits_why = why_no_return;
	out->exits_known = !out->exits_why;
	out->splits = f->pieces.n > 1;
}

/* --- all ------------------------------------------------------------------------------------ */

/* What forbids a probe altogether; NULL: nothing does. */
static const char *find_obstacle(const struct site_world *w, const struct code *own,
				 struct sites *out)
{
	struct site_frame frame;
	struct insn insn;

	if (!own->n)
		return why_empty;
	if (own->n > MAX_FUNCTION_BYTES)
		return why_large;
	if (!insn_read(own->bytes, own->n, own->address, &insn))
		return why_no_code;
	if (is_signal_return(own))
		return why_signal;
	if (w->frame && w->frame(w->context, own->address, &frame)) {
		if (frame.no_caller)
			out->own_return = true;
		else if (frame.by_rbp || frame.slot)
			return why_not_called;
	}
	return NULL;
}

void sites_marker(const struct site_kernel *k, const struct code *at, struct sites *out)
{
	struct insn insn;

	*out = (struct sites){.own_return = true, .exits_why = sites_passed};
	if (!at->n || !insn_read(at->bytes, at->n, at->address, &insn))
		out->why = why_no_code;
	else if (!classify(k, insn.probe, at->address, true, &out->entry.class))
		out->why = why_prefix;
	out->entry.address = at->address;
	out->entry.offset = at->offset;
	out->entry.condition = SITE_ALWAYS;
}

/* Whether the function's frame begins to be made at the entry site: what jumps back before it has
 * taken its frame down, and is a call of the function by itself in place of a return. */
static bool opens_frame(const struct flow *f, uint64_t address)
{
	struct insn_effects effects;
	const uint8_t *at;
	struct insn insn;
	const size_t n = flow_bytes(f, address, &at);

	return n && insn_read(at, n, address, &insn) && insn.kind == INSN_PLAIN && !insn.pops &&
	       insn_effects(at, n, &effects) && effects.moves_stack;
}

void sites_find(const struct site_world *w, const struct code *own, struct sites *out)
{
	struct approach a = {.kernel = &w->kernel, .arguments = w->arguments};
	struct flow f;

	*out = (struct sites){0};
	out->why = find_obstacle(w, own, out);
	if (out->why)
		return;
	flow_run(w, own, &f);
	a.flow = &f;
	if (approach(&a)) {
		out->entry = a.best;
		out->loops = f.loops.n > 0 && !a.restarts && !opens_frame(&f, a.best.address);
		out->own_return |= f.own_return || a.own_return;
		take_exits(&f, &w->kernel, out);
	} else {
		out->why = why_prefix;
	}
	flow_release(&f);
}
