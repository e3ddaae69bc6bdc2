#include "capture/sources.h"

#include <string.h>

#include "probe/engine.h"
#include "source/action.h"

#define SOURCE(name, KIND, number, bytes, streams) extern const struct source name##_source;
#include "sources.def"
#undef SOURCE
#define ACTION(name, number, sees, bytes, streams) extern const struct action name##_action;
#include "actions.def"
#undef ACTION

const struct source *const sources_table[SOURCES] = {
#define SOURCE(name, KIND, number, bytes, streams) &name##_source,
#include "sources.def"
#undef SOURCE
#define ACTION(name, number, sees, bytes, streams) &name##_action.source,
#include "actions.def"
#undef ACTION
};

#define NO_ACTION (-1)
/* Of each: the kind of its records, how the names of its BPF maps begin, and which action it is. */
static const struct {
	uint32_t kind;
	const char *maps;
	int action; /* enum wire_action */
} in_bpf[SOURCES] = {
#define SOURCE(name, KIND, number, bytes, streams) {KIND, #name, NO_ACTION},
#include "sources.def"
#undef SOURCE
#define ACTION(name, number, sees, bytes, streams) {WIRE_PROBE_##name, "probe_" #name, number},
#include "actions.def"
#undef ACTION
};

void sources_ask_actions(const void *options[SOURCES], const struct engine_options *o)
{
#define ACTION(name, number, sees, bytes, streams) \
	options[SOURCE_PROBE_##name] = (o->actions | engine_actions(o)) >> (number)&1 ? o : NULL;
#include "actions.def"
#undef ACTION
}

static bool is_requested(const void *const options[SOURCES], const char *maps)
{
	for (size_t i = 0; i < SOURCES; i++)
		if (options[i] && !strcmp(in_bpf[i].maps, maps))
			return true;
	return false;
}

void sources_ask_beside(const void *options[SOURCES], const void *with)
{
	for (size_t i = 0; i < SOURCES; i++) {
		const char *const *name = sources_table[i]->beside;

		for (; name && *name; name++)
			if (is_requested(options, *name))
				options[i] = with;
	}
}

/* Adds to @sum what @operation of each such source returns. */
#define ADD_EACH(sum, sources, operation)                                 \
	for (size_t i_ = 0; i_ < SOURCES; i_++)                           \
		if ((sources)->state[i_] && sources_table[i_]->operation) \
	(sum) += sources_table[i_]->operation((sources)->state[i_])

bool sources_is_action(size_t source, enum wire_action *out)
{
	if (in_bpf[source].action != NO_ACTION)
		*out = (enum wire_action)in_bpf[source].action;
	return in_bpf[source].action != NO_ACTION;
}

const struct source_option *sources_options(size_t source)
{
	static const struct source_option none[] = {{0}};

	return sources_table[source]->options ? sources_table[source]->options : none;
}

void sources_init(struct sources *s, const void *const options[SOURCES])
{
	for (size_t i = 0; i < SOURCES; i++) {
		const void *with =
			in_bpf[i].action == NO_ACTION ? options[i] : s->state[SOURCE_probes];

		s->state[i] = !options[i]	      ? NULL
			      : sources_table[i]->new ? sources_table[i]->new (with)
						      : (void *)with;
	}
}

void sources_release(struct sources *s)
{
	SOURCES_CALL(s, free);
	*s = (struct sources){0};
}

void sources_request(const struct sources *s, struct session_options *o)
{
	for (size_t i = 0; i < SOURCES; i++) {
		const char *const *program = sources_table[i]->programs;

		if (!s->state[i])
			vec_push(&o->absent, in_bpf[i].maps);
		for (; s->state[i] && program && *program; program++)
			vec_push(&o->programs, *program);
	}
	SOURCES_CALL(s, request, o);
}

int sources_open(const struct sources *s)
{
	int ret = 0;

	for (size_t i = 0; i < SOURCES && !ret; i++)
		if (s->state[i] && sources_table[i]->open)
			ret = sources_table[i]->open(s->state[i]);
	return ret;
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
		if (in_bpf[i].kind == kind && s->state[i]) {
			*state = s->state[i];
			return sources_table[i];
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

uint64_t sources_due_ns(const struct sources *s)
{
	uint64_t first = UINT64_MAX, due;

	for (size_t i = 0; i < SOURCES; i++) {
		if (!s->state[i] || !sources_table[i]->due_ns)
			continue;
		due = sources_table[i]->due_ns(s->state[i]);
		first = due < first ? due : first;
	}
	return first;
}

bool sources_round(const struct sources *s)
{
	bool any = false;

	for (size_t i = 0; i < SOURCES; i++)
		if (s->state[i] && sources_table[i]->round)
			any |= sources_table[i]->round(s->state[i]);
	return any;
}

char *sources_progress(const struct sources *s)
{
	struct str text = {0};

	SOURCES_CALL(s, progress, &text);
	return str_steal(&text);
}

bool sources_survey_stacks(const struct sources *s)
{
	for (size_t i = 0; i < SOURCES; i++)
		if (s->state[i] && sources_table[i]->surveys_stacks)
			return true;
	return false;
}

/* Who has done its part would begin another one, while others go on. */
bool sources_survey(const struct sources *s, bool done[SOURCES])
{
	bool more = false;

	for (size_t i = 0; i < SOURCES; i++) {
		if (done[i] || !s->state[i] || !sources_table[i]->survey)
			continue;
		done[i] = !sources_table[i]->survey(s->state[i]);
		more |= !done[i];
	}
	return more;
}

void sources_finish(const struct sources *s, struct assembly *a)
{
	SOURCES_CALL(s, assemble, a);
	SOURCES_CALL(s, finish, a);
}

struct program_run sources_run(const struct sources *s, const struct profile *p)
{
	struct program_run sum = {0};

	for (size_t i = 0; i < SOURCES; i++) {
		struct program_run run = {0};

		if (s->state[i] && sources_table[i]->run)
			run = sources_table[i]->run(s->state[i], p);
		sum.ns += run.ns;
		sum.runs += run.runs;
	}
	return sum;
}

void sources_taken(const struct sources *s, const struct profile *p, struct taken *sum)
{
	SOURCES_CALL(s, taken, p, sum);
}

void sources_taken_beside_probes(const struct sources *s, struct taken *sum)
{
	enum wire_action action;

	for (size_t i = 0; i < SOURCES; i++)
		if (s->state[i] && sources_table[i]->taken && i != SOURCE_probes &&
		    !sources_is_action(i, &action))
			sources_table[i]->taken(s->state[i], NULL, sum);
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

		if (s->state[i] && sources_table[i]->total)
			sources_table[i]->total(s->state[i], p, &of_one);
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
		const struct source *is = sources_table[i];

		if (!options[i] || !(is->captures || (names && is->name)))
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
		text = options[i] ? sources_table[i]->opening : NULL;
	return text ? text : "";
}

const char *sources_closing(const void *const options[SOURCES])
{
	const char *text = NULL;

	for (size_t i = 0; i < SOURCES && !text; i++)
		text = options[i] ? sources_table[i]->closing : NULL;
	return text ? text : "";
}

char *sources_waiting(const struct sources *s)
{
	char *text = NULL;

	for (size_t i = 0; i < SOURCES && !text; i++)
		if (s->state[i] && sources_table[i]->waiting)
			text = sources_table[i]->waiting(s->state[i]);
	return text;
}

const char *sources_forbidden(const struct sources *s)
{
	const char *text = NULL;

	for (size_t i = 0; i < SOURCES && !text; i++)
		if (s->state[i] && sources_table[i]->forbidden)
			text = sources_table[i]->forbidden(s->state[i]);
	return text;
}
