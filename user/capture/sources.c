#include "capture/sources.h"

#define SOURCE(name, KIND, number, bytes, streams) extern const struct source name##_source;
#include "sources.def"
#undef SOURCE

/* Each with the kind of its records. */
static const struct {
	uint32_t kind;
	const struct source *is;
} table[SOURCES] = {
#define SOURCE(name, KIND, number, bytes, streams) {KIND, &name##_source},
#include "sources.def"
#undef SOURCE
};

/* Calls @operation of each source that is asked for and has it. */
#define EACH(sources, operation, ...)                                \
	for (size_t i_ = 0; i_ < SOURCES; i_++)                      \
		if ((sources)->state[i_] && table[i_].is->operation) \
	table[i_].is->operation((sources)->state[i_] __VA_OPT__(, ) __VA_ARGS__)

/* Adds to @sum what @operation of each such source returns. */
#define ADD_EACH(sum, sources, operation)                            \
	for (size_t i_ = 0; i_ < SOURCES; i_++)                      \
		if ((sources)->state[i_] && table[i_].is->operation) \
	(sum) += table[i_].is->operation((sources)->state[i_])

const struct source_option *sources_options(size_t source)
{
	static const struct source_option none[] = {{0}};

	return table[source].is->options ? table[source].is->options : none;
}

void sources_init(struct sources *s, const void *const options[SOURCES])
{
	for (size_t i = 0; i < SOURCES; i++)
		s->state[i] = options[i] ? table[i].is->new (options[i]) : NULL;
}

void sources_release(struct sources *s)
{
	EACH(s, free);
	*s = (struct sources){0};
}

void sources_request(const struct sources *s, struct session_options *o)
{
	for (size_t i = 0; i < SOURCES; i++) {
		const char *const *program = table[i].is->programs;

		if (!s->state[i])
			vec_push(&o->absent, table[i].is->name);
		for (; s->state[i] && program && *program; program++)
			vec_push(&o->programs, *program);
	}
	EACH(s, request, o);
}

void sources_begin(const struct sources *s, const struct source_services *services)
{
	EACH(s, begin, services);
}

int sources_open(const struct sources *s)
{
	int ret = 0;

	for (size_t i = 0; i < SOURCES && !ret; i++)
		if (s->state[i] && table[i].is->open)
			ret = table[i].is->open(s->state[i]);
	return ret;
}

void sources_start(const struct sources *s)
{
	EACH(s, start);
}

void sources_metrics(const struct sources *s, struct profile *p)
{
	EACH(s, metrics, p);
}

uint64_t sources_lost(const struct sources *s)
{
	uint64_t n = 0;

	ADD_EACH(n, s, lost);
	return n;
}

/* The source of records of @kind, where it is asked for, with its state; NULL: none is. */
static const struct source *source_of(const struct sources *s, uint32_t kind, void **state)
{
	for (size_t i = 0; i < SOURCES; i++) {
		if (table[i].kind == kind && s->state[i]) {
			*state = s->state[i];
			return table[i].is;
		}
	}
	return NULL;
}

void sources_take(const struct sources *s, uint32_t kind, const void *record,
		  struct stackbook *stacks, struct procs *procs)
{
	void *state;
	const struct source *is = source_of(s, kind, &state);

	if (is && is->take)
		is->take(state, record, stacks, procs);
}

void sources_take_slice(const struct sources *s, const struct source_slice *slice,
			struct stackbook *stacks, struct procs *procs)
{
	void *state;
	const struct source *is = source_of(s, slice->wire->source, &state);

	if (is && is->take_slice)
		is->take_slice(state, slice, stacks, procs);
}

void sources_code_changed(const struct sources *s, uint32_t pid)
{
	EACH(s, code_changed, pid);
}

void sources_forked(const struct sources *s, uint32_t pid, uint32_t child)
{
	EACH(s, forked, pid, child);
}

void sources_exec(const struct sources *s, uint32_t pid)
{
	EACH(s, exec, pid);
}

void sources_leader_exited(const struct sources *s, uint32_t pid)
{
	EACH(s, leader_exited, pid);
}

void sources_seen(const struct sources *s, const struct side_record *r)
{
	EACH(s, seen, r);
}

void sources_before_drain(const struct sources *s)
{
	EACH(s, before_drain);
}

void sources_after_drain(const struct sources *s)
{
	EACH(s, after_drain);
}

uint64_t sources_due_ns(const struct sources *s)
{
	uint64_t first = UINT64_MAX, due;

	for (size_t i = 0; i < SOURCES; i++) {
		if (!s->state[i] || !table[i].is->due_ns)
			continue;
		due = table[i].is->due_ns(s->state[i]);
		first = due < first ? due : first;
	}
	return first;
}

bool sources_round(const struct sources *s)
{
	bool any = false;

	for (size_t i = 0; i < SOURCES; i++)
		if (s->state[i] && table[i].is->round)
			any |= table[i].is->round(s->state[i]);
	return any;
}

void sources_tick(const struct sources *s)
{
	EACH(s, tick);
}

char *sources_progress(const struct sources *s)
{
	struct str text = {0};

	EACH(s, progress, &text);
	return str_steal(&text);
}

bool sources_survey(const struct sources *s)
{
	int more = 0;

	ADD_EACH(more, s, survey);
	return more;
}

void sources_window_end(const struct sources *s)
{
	EACH(s, window_end);
}

void sources_window_forget(const struct sources *s, struct survivors *r)
{
	EACH(s, window_forget, r);
}

void sources_window_renumber(const struct sources *s, const struct survivors *r)
{
	EACH(s, window_renumber, r);
}

void sources_hold_images(const struct sources *s, uint8_t *used)
{
	EACH(s, hold_images, used);
}

void sources_ending(const struct sources *s)
{
	EACH(s, ending);
}

void sources_stop(const struct sources *s)
{
	EACH(s, stop);
}

void sources_drained(const struct sources *s)
{
	EACH(s, drained);
}

void sources_account(const struct sources *s, struct profile *p, const struct ledger_input *in)
{
	EACH(s, account, p, in);
}

void sources_reconcile(const struct sources *s, struct profile *p, const struct ledger_input *in)
{
	EACH(s, reconcile, p, in);
}

void sources_finish(const struct sources *s, struct assembly *a)
{
	EACH(s, assemble, a);
	EACH(s, finish, a);
}

struct program_run sources_run(const struct sources *s, const struct profile *p)
{
	struct program_run sum = {0};

	for (size_t i = 0; i < SOURCES; i++) {
		struct program_run run = {0};

		if (s->state[i] && table[i].is->run)
			run = table[i].is->run(s->state[i], p);
		sum.ns += run.ns;
		sum.runs += run.runs;
	}
	return sum;
}

double sources_programs_ns(const struct sources *s)
{
	double ns = 0;

	ADD_EACH(ns, s, programs_ns);
	return ns;
}

double sources_probes_ns(const struct sources *s)
{
	double ns = 0;

	ADD_EACH(ns, s, probes_ns);
	return ns;
}

int64_t sources_cpu_ns(const struct sources *s)
{
	int64_t ns = 0;

	ADD_EACH(ns, s, cpu_ns);
	return ns;
}

char *sources_total(const struct sources *s, const struct profile *p)
{
	struct str text = {0};

	for (size_t i = 0; i < SOURCES; i++) {
		_free_ char *one = NULL;
		struct str of_one = {0};

		if (s->state[i] && table[i].is->total)
			table[i].is->total(s->state[i], p, &of_one);
		one = str_steal(&of_one);
		if (one && *one)
			str_addf(&text, "%s%s", text.n ? ", " : "", one);
	}
	return str_steal(&text);
}

char *sources_captures(const void *const options[SOURCES], double hz, bool names)
{
	struct str text = {0};

	for (size_t i = 0; i < SOURCES; i++) {
		const struct source *is = table[i].is;

		if (!options[i] || !(is->captures || names))
			continue;
		str_add(&text, text.n ? ", " : "");
		if (is->captures)
			is->captures(options[i], hz, &text);
		else
			str_add(&text, is->name);
	}
	return str_steal(&text);
}

const char *sources_opening(const void *const options[SOURCES])
{
	const char *text = NULL;

	for (size_t i = 0; i < SOURCES && !text; i++)
		text = options[i] ? table[i].is->opening : NULL;
	return text ? text : "";
}

const char *sources_closing(const void *const options[SOURCES])
{
	const char *text = NULL;

	for (size_t i = 0; i < SOURCES && !text; i++)
		text = options[i] ? table[i].is->closing : NULL;
	return text ? text : "";
}

char *sources_waiting(const struct sources *s)
{
	char *text = NULL;

	for (size_t i = 0; i < SOURCES && !text; i++)
		if (s->state[i] && table[i].is->waiting)
			text = table[i].is->waiting(s->state[i]);
	return text;
}

const char *sources_forbidden(const struct sources *s)
{
	const char *text = NULL;

	for (size_t i = 0; i < SOURCES && !text; i++)
		if (s->state[i] && table[i].is->forbidden)
			text = table[i].is->forbidden(s->state[i]);
	return text;
}
