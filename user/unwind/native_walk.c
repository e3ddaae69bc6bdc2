#include "unwind/native_walk.h"

#include "base/vec.h"
#include "cfi/cfi_step.h"
#include "wire_script.h"

static inline const void *table_line(void *table, wire_u32 number)
{
	const struct table_blob *t = table;

	return number < t->n_words / TABLE_LINE_WORDS ? t->words + number * (size_t)TABLE_LINE_WORDS
						      : NULL;
}

/* Memory this close below the stack pointer has been popped: at the end of a function its rules
 * still say where rbp was saved, though it is restored already. */
#define POPPED_BYTES 256

static inline bool is_popped(const struct native_walk *w, uint64_t address)
{
	const uint64_t sp = w->registers[CFI_RSP];

	return address < sp && sp - address <= POPPED_BYTES;
}

/* Memory below the stack pointer may be missing. A table reads nothing there but rbp. */
static inline int step_read(void *context, wire_u64 address, wire_u64 *out)
{
	const struct native_walk *w = context;

	if (w->read(w->context, address, out))
		return 0;
	if (!is_popped(w, address))
		return -1;
	*out = w->registers[CFI_RBP];
	return 0;
}

static inline int step_register(void *context, wire_u32 number, wire_u64 *out)
{
	const struct native_walk *w = context;

	if (number >= CFI_REGISTERS)
		return -1;
	*out = w->registers[number];
	return 0;
}

#include "sample/lookup.h"
#include "sample/step.h"

bool native_find(const struct table_blob *table, uint64_t offset, struct table_rule *out)
{
	struct table_blob *t = (struct table_blob *)(uintptr_t)table;
	const struct table_rule *rule;
	struct table_header h;
	wire_u32 number, past;

	if (table_open(t, &h) || table_find(t, &h, offset, &number, &past))
		return false;
	rule = table_rule_at(t, &h, number);
	if (!rule || rule->cfa == TABLE_CFA_NONE)
		return false;
	*out = *rule;
	table_rule_past(out, past);
	return true;
}

static bool is_code(const struct native_walk *w, uint64_t address)
{
	struct native_code code;

	return w->find(w->context, address, &code);
}

/* A frame already passed, and what was known of its caller then. */
struct passed {
	uint64_t key;
	struct step_regs caller;
};

/* How many bytes of call frame information a walk may interpret: two kilobytes for each of 16,384
 * frames. Most functions have some fifty bytes. */
#define MAX_PROGRAM_BYTES (32u << 20)

/* A walk in progress. Tables know three registers; the others are followed from the innermost frame
 * on, and only if a rule needs one of them. */
struct walking {
	const struct native_walk *w;
	struct step_regs at;
	VEC(struct passed) passed;
	struct cfi_registers all; /* of the frame reached after `followed` frames */
	size_t followed;
	size_t program_bytes; /* interpreted so far */
	size_t run, run_end;  /* in w->chain: the next frames of the script, and their entry */
	bool in_file;	      /* the last step left code of a file */
};

static void start(struct walking *k, const struct native_walk *w)
{
	*k = (struct walking){.w = w, .all.known = (1u << CFI_REGISTERS) - 1};
	for (size_t i = 0; i < CFI_REGISTERS; i++)
		k->all.value[i] = w->registers[i];
	step_start(&k->at, w->registers[CFI_RIP], w->registers[CFI_RSP], w->registers[CFI_RBP]);
}

/* The three registers that tables and frame pointers give; the others are unknown. */
static struct cfi_registers few(const struct step_regs *r)
{
	struct cfi_registers out = {.known = 1u << CFI_RIP | 1u << CFI_RSP | 1u << CFI_RBP};

	out.value[CFI_RIP] = r->ip;
	out.value[CFI_RSP] = r->sp;
	out.value[CFI_RBP] = r->bp;
	return out;
}

/* Whether a full step gives the same caller as the step by table. The table's return address may be
 * one that restore() replaced. */
static bool agrees(struct cfi_registers *r, const struct step_regs *table)
{
	r->value[CFI_RIP] = table->ip;
	return r->value[CFI_RSP] == table->sp;
}

/* Looks up the call frame information at @key; false if there is none, or if the walk has
 * interpreted too much already. */
static bool frame_at(struct walking *k, uint64_t key, struct cfi_frame *out)
{
	const struct native_walk *w = k->w;
	bool found;

	*out = (struct cfi_frame){0};
	if (!w->frame || k->program_bytes > MAX_PROGRAM_BYTES)
		return false;
	found = w->frame(w->context, key, out);
	k->program_bytes += out->program_bytes;
	return found;
}

/* Sets k->all to the registers of the frame at k->at. */
static void follow(struct walking *k)
{
	const struct native_walk *w = k->w;
	const struct cfi_memory memory = {w->read, w->context};

	for (; k->followed < k->passed.n; k->followed++) {
		const struct passed *p = &k->passed.at[k->followed];
		struct cfi_frame frame;

		if (!frame_at(k, p->key, &frame) || cfi_step(&frame, &memory, &k->all) ||
		    !agrees(&k->all, &p->caller))
			k->all = few(&p->caller);
	}
}

static enum step_end end_of(enum cfi_step end)
{
	switch (end) {
	case CFI_STEP_DONE:
		return STEP_NEXT;
	case CFI_STEP_ROOT:
		return STEP_ROOT;
	case CFI_STEP_UNREADABLE:
		return STEP_UNREADABLE;
	default:
		return STEP_OTHER;
	}
}

/* Steps by the call frame information itself, where a table has no room for it. */
static enum step_end step_in_full(struct walking *k)
{
	const struct native_walk *w = k->w;
	const struct cfi_memory memory = {w->read, w->context};
	struct cfi_registers caller;
	struct cfi_frame frame;
	uint64_t bp = 0;
	enum step_end end;

	if (!frame_at(k, step_key(&k->at), &frame))
		return STEP_OTHER;
	follow(k);
	caller = k->all;
	end = end_of(cfi_step(&frame, &memory, &caller));
	if (end != STEP_NEXT)
		return end;
	cfi_register(&caller, CFI_RBP, &bp);
	return step_to(&k->at, caller.value[CFI_RIP], caller.value[CFI_RSP], bp, frame.signal);
}

static enum step_end step_by_rule(struct walking *k, const struct table_rule *rule)
{
	enum step_end end = walk_step((void *)(uintptr_t)k->w, &k->at, rule);

	return end == STEP_OTHER ? step_in_full(k) : end;
}

/* Steps to the caller; *@guessed: only code or frame pointer suggest it. */
static enum step_end step(struct walking *k, bool *guessed)
{
	const struct native_walk *w = k->w;
	struct native_code code = {0};
	struct table_rule rule;
	enum step_end end;
	bool has_code = w->find(w->context, step_key(&k->at), &code);
	bool has_rule = has_code && code.table && native_find(code.table, code.offset, &rule);

	k->in_file = code.table;
	*guessed = has_code && (!has_rule || rule.flags & TABLE_GUESS);
	/* Ends where the kernel's walker does: a rule led to no code. */
	if (!has_code)
		return STEP_BROKEN;
	end = has_rule ? step_by_rule(k, &rule) : walk_step_bp((void *)(uintptr_t)w, &k->at);
	if (end == STEP_NEXT && *guessed && !is_code(w, step_key(&k->at)))
		return STEP_BROKEN;
	return end;
}

/* Replaces a uretprobe's trampoline by the return address whose place it took. */
static void restore(struct walking *k)
{
	const struct native_walk *w = k->w;

	for (size_t i = 0; i < w->n_origins && w->trampoline && k->at.ip == w->trampoline; i++)
		if (w->origins[i].stack == k->at.sp - 8)
			k->at.ip = w->origins[i].address;
}

/* --- frames of a script ----------------------------------------------------------------------- */

/* Goes to the run of frames that begins at @at, if there is one. */
static void next_run(struct walking *k, size_t at)
{
	const struct native_walk *w = k->w;

	k->run = k->run_end = at;
	while (k->run_end < w->n_chain && WIRE_FRAME_KIND(w->chain[k->run_end]) != WIRE_FRAME_CODE)
		k->run_end++;
	if (k->run_end >= w->n_chain)
		k->run = k->run_end = w->n_chain;
}

static size_t add_run(const struct walking *k, uint64_t *frames, size_t n, size_t max)
{
	for (size_t i = k->run; i < k->run_end && n < max; i++)
		frames[n++] = k->w->chain[i];
	return n;
}

static bool by_pointer(const struct walking *k)
{
	return k->w->chain[k->run_end] & WIRE_BY_FRAME_POINTER;
}

/* Whether the next frames of the script belong to the frame @from that was left. */
static bool is_entry(const struct walking *k, const struct step_regs *from, bool guessed)
{
	const uint64_t entry = WIRE_FRAME_VALUE(k->w->chain[k->run_end]);

	return by_pointer(k) ? guessed && entry == from->bp : entry >= from->sp;
}

/* The native frame @from, the last of @n, was left; @guessed as in step(). If it is the loop that
 * runs the script's next frames, or a frame of a script itself, these take its place. Returns the
 * number of frames. */
static size_t merge(struct walking *k, const struct step_regs *from, bool guessed, uint64_t *frames,
		    size_t n, size_t max)
{
	const struct native_walk *w = k->w;

	/* Entries of frames that were left out, or of a loop that no native frame was found for. */
	while (k->run_end < w->n_chain && WIRE_FRAME_VALUE(w->chain[k->run_end]) < k->at.sp &&
	       !is_entry(k, from, guessed))
		next_run(k, k->run_end + 1);
	if (k->run_end >= w->n_chain || WIRE_FRAME_VALUE(w->chain[k->run_end]) >= k->at.sp)
		return n;
	/* A stub of V8 that was interrupted may work on the frame of the function that called it.
	 */
	n -= !(by_pointer(k) && from->innermost && k->in_file);
	n = add_run(k, frames, n, max);
	next_run(k, k->run_end + 1);
	return n;
}

/* The native walk ended before the thread's first frame: adds the rest of the script, behind a
 * mark. What led to no code is no frame. */
static size_t add_rest(struct walking *k, uint64_t *frames, size_t n, size_t max)
{
	if (k->run_end >= k->w->n_chain || by_pointer(k))
		return n;
	if (n > 1 && !is_code(k->w, step_key(&k->at)))
		n--;
	if (n < max)
		frames[n++] = (uint64_t)WIRE_FRAME_SCRIPT << WIRE_FRAME_SHIFT | WIRE_SCRIPT_NATIVE;
	for (; k->run_end < k->w->n_chain; next_run(k, k->run_end + 1))
		n = add_run(k, frames, n, max);
	return n;
}

/* ---------------------------------------------------------------------------------------------- */

struct native_end native_walk(const struct native_walk *w, uint64_t *frames, size_t max)
{
	struct native_end out = {0};
	struct walking k;
	bool guessed = false;
	struct step_regs from;
	uint64_t key;

	start(&k, w);
	next_run(&k, 0);
	while (out.n < max) {
		uint64_t exact = out.n && k.at.exact ? WIRE_EXACT : 0;

		/* A signal frame: the return stub in front of it was put there, not called. */
		if (exact)
			frames[out.n - 1] |= exact;
		frames[out.n++] = k.at.ip | exact | (guessed ? WIRE_BY_FRAME_POINTER : 0);
		out.n_guessed += guessed;
		key = step_key(&k.at);
		from = k.at;
		out.end = step(&k, &guessed);
		out.no_rule = guessed;
		if (out.end != STEP_NEXT)
			break;
		restore(&k);
		out.n = merge(&k, &from, guessed, frames, out.n, max);
		vec_push(&k.passed, ((struct passed){.key = key, .caller = k.at}));
	}
	if (out.end != STEP_ROOT)
		out.n = add_rest(&k, frames, out.n, max);
	vec_release(&k.passed);
	return out;
}
