/*
 * action_marker: the calls of functions of scripts as rows of the profile: zones that are counted,
 * at the static markers that interpreters pass for each: see interpreters.h.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/units.h"
#include "script/scriptpattern.h"
#include "model/profile.h"
#include "probe/call_price.h"
#include "probe/cost_limit.h"
#include "probe/engine.h"
#include "select/script_package.h"
#include "source/action.h"
#include "source/interpreters.h"
#include "wire_marker.h"

extern const struct action marker_action;

static const char *const implies[] = {
	"python*:" INTERPRETERS_PYTHON,
	"libpython*:" INTERPRETERS_PYTHON,
	"php*:" INTERPRETERS_PHP,
	"libphp*:" INTERPRETERS_PHP,
	NULL,
};

struct markers {
	struct engine *engine;
	const struct scriptpatterns *patterns;
	struct session *session;
	struct interpreters interpreters;
	/* What the kernel had counted at the end of the window, if one has ended that is not
	 * written. */
	struct map_entries ended;
	bool has_ended;
	/* By the key in the kernel's map: calls that are in written windows. */
	struct map row_of;
	VEC(uint64_t) written;
	uint64_t lost_written[WIRE_MARKER_LOST], lost[WIRE_MARKER_LOST];
};

/* --- markers ---------------------------------------------------------------------------------- */

static struct wire_marker_value value_of(const struct marker_value *v)
{
	return (struct wire_marker_value){.known = v->known,
					  .in_memory = v->in_memory,
					  .reg = v->reg,
					  .offset = (uint32_t)v->offset};
}

/* CPython hands over file, name and line; PHP name, file, line and class. */
static struct wire_marker wire_of(const struct marker *m, uint32_t language)
{
	const bool php = language == WIRE_SCRIPT_PHP;
	struct wire_marker out = {.language = language};

	out.file = value_of(&m->values[php ? 1 : 0]);
	out.name = value_of(&m->values[php ? 0 : 1]);
	if (php)
		out.class = value_of(&m->values[3]);
	return out;
}

static const struct probed_image *image_with(const struct engine *e, uint32_t function)
{
	vec_each (image, &e->at)
		if (function - (*image)->first < (*image)->list.zones.n)
			return *image;
	return NULL;
}

/* A marker that will have a probe. */
static void found(void *state, uint32_t number, const struct zone_def *def, const char *pattern,
		  uint32_t argument)
{
	struct markers *m = state;
	const struct probed_image *image = image_with(m->engine, number);
	struct interpreted *i = image && !probed_image_is_past(image)
					? interpreters_of(&m->interpreters, image->image)
					: NULL;
	const char *marker = i ? interpreters_marker(&i->is) : NULL;
	struct wire_marker wire;

	(void)pattern;
	(void)argument;
	if (!marker || def->sites.why || strcmp(def->name, marker))
		return;
	wire = wire_of(&def->marker, i->is.language);
	if (!wire.file.known || !wire.name.known)
		return;
	i->marker = number;
	i->counts = !session_map_set_entries(m->session, "probe_marker_values", &number, &wire, 1);
}

/* Whether functions of @language are counted in some process; else why not, or NULL: none runs an
 * interpreter. */
static bool is_counted(struct markers *m, uint32_t language, char **why)
{
	vec_each (at, &m->engine->processes) {
		const struct probed_process *p = *at;

		for (size_t k = 0; k < p->images.n; k++) {
			const struct probed_image *image = m->engine->at.at[p->images.at[k]];
			const struct interpreted *i =
				interpreters_of(&m->interpreters, image->image);
			char *objects;

			if (i->is.language != language)
				continue;
			objects = interpreters_objection(&m->interpreters,
							 p->before_exec ? 0 : p->pid, i);
			if (!objects)
				return true;
			free(*why);
			*why = objects;
		}
	}
	return false;
}

static int check(struct markers *m, uint32_t language)
{
	const char *text = scriptpatterns_first(m->patterns, language);
	const enum target_kind kind = m->engine->in.target->kind;
	_free_ char *why = NULL;

	if (!text || is_counted(m, language, &why))
		return 0;
	if (why)
		return err(-ENOTSUP, "pattern '%s': %s", text, why);
	/* What a command starts, and what runs later elsewhere, is not known yet. */
	if (kind == TARGET_COMMAND || engine_is_for_all(m->engine->in.target))
		return 0;
	return err(-ENOENT, "pattern '%s': no process of the target runs %s", text,
		   language == WIRE_SCRIPT_PYTHON ? "CPython" : "PHP");
}

static int markers_open(void *state)
{
	struct markers *m = state;
	int rc = check(m, WIRE_SCRIPT_PYTHON);

	return rc ? rc : check(m, WIRE_SCRIPT_PHP);
}

/* --- the capture ------------------------------------------------------------------------------ */

static void *markers_new(const void *engine)
{
	struct markers *m = mem_zalloc(1, sizeof(*m));

	m->engine = (struct engine *)(uintptr_t)engine;
	m->patterns = m->engine->in.o->own[WIRE_ACTION_marker];
	engine_watch(m->engine, (struct engine_watcher){1u << WIRE_ACTION_marker, NULL, found, m});
	return m;
}

static void markers_free(void *state)
{
	struct markers *m = state;

	if (!m)
		return;
	interpreters_release(&m->interpreters);
	map_release(&m->row_of);
	vec_release(&m->written);
	vec_release(&m->ended.words);
	free(m);
}

static void captures(const void *options, double hz, struct str *out)
{
	(void)options;
	(void)hz;
	str_add(out, "calls of script functions");
}

static void begin(void *state, const struct source_services *services)
{
	struct markers *m = state;

	m->session = services->session;
	m->interpreters.images = services->images;
	m->interpreters.procs = services->procs;
}

static void drained(void *state)
{
	struct markers *m = state;

	interpreters_look(&m->interpreters);
}

/* --- rows ------------------------------------------------------------------------------------- */

/* Says that not all calls were counted, to keep to --max-slowdown: in a text that the caller frees;
 * NULL: they were. */
static char *limit_of(const struct markers *m, uint64_t language)
{
	vec_each (i, &m->interpreters.known)
		if (i->is.language == language && i->counts &&
		    cost_limit_detached(m->engine, i->marker))
			return cost_limit_note(m->engine, i->marker);
	return NULL;
}

static void add_row(const struct markers *m, struct profile *p, const struct wire_marker_calls *c,
		    uint64_t calls)
{
	const char *title = script_language((uint32_t)c->language)->title;
	const bool has_class = *c->class;
	_free_ char *class = str_clean(c->class, strnlen(c->class, sizeof(c->class)));
	_free_ char *own = str_clean(c->name, strnlen(c->name, sizeof(c->name)));
	_free_ char *file = str_clean(c->file, strnlen(c->file, sizeof(c->file)));
	_free_ char *name = mem_printf("%s%s%s", class, has_class ? "::" : "", own);
	_free_ char *module = script_module(title, file);
	_free_ char *limited = limit_of(m, c->language);
	struct zone zone = {
		.name = intern_add(&p->strings, name),
		.src_file = intern_add(&p->strings, file),
		.module = profile_module(p, module, ""),
		.exit_way = EXIT_NONE,
		.site_class = SITE_EMULATED,
		.note = intern_add(&p->strings,
				   limited ? limited
				   : c->language == WIRE_SCRIPT_PYTHON
					   ? "CPython tells when a function returns or yields, not "
					     "when it is called: counted there"
					   : "counted where PHP calls or resumes it"),
	};
	uint32_t row, edge;

	zone.flags = limited ? ZONE_DETACHED : 0;
	row = profile_zone(p, &zone);
	edge = profile_zone_edge(p, 0, row);
	p->zone_edges.at[edge].counts += calls;
	p->zones.at[row].counts += calls;
	p->zones.at[row].untimed += calls;
}

static bool is_sound(const struct wire_marker_calls *c)
{
	return c->language < script_languages && script_language((uint32_t)c->language);
}

static bool is_wanted(const struct markers *m, const struct wire_marker_calls *c)
{
	char file[WIRE_MARKER_FILE + 1] = "", name[WIRE_MARKER_NAME + 1] = "";
	char class[WIRE_MARKER_CLASS + 1] = "";

	memcpy(file, c->file, sizeof(c->file));
	memcpy(name, c->name, sizeof(c->name));
	memcpy(class, c->class, sizeof(c->class));
	return is_sound(c) &&
	       scriptpatterns_match(m->patterns, (uint32_t)c->language, file, class, name);
}

/* Of the calls of an entry of the kernel's map, those that are in no written window. */
static uint64_t since(const struct markers *m, uint64_t key, uint64_t calls)
{
	const uint32_t *row = map_get(&m->row_of, key);
	const uint64_t before = row && *row < m->written.n ? m->written.at[*row] : 0;

	return calls > before ? calls - before : 0;
}

/* Returns their calls; sets @told to the languages, as bits, of which any function was called. */
static uint64_t add_rows(const struct markers *m, struct profile *p, uint32_t *told)
{
	struct map_entries live = {0};
	const struct map_entries *entries = m->has_ended ? &m->ended : &live;
	uint64_t sum = 0;

	if (!m->has_ended)
		(void)session_map_entries(m->session, "probe_marker_calls", false, &live);
	for (size_t i = 0; i < entries->n; i++) {
		const struct wire_marker_calls *c = map_entry_value(entries, i);
		const uint64_t key = *(const uint64_t *)map_entry_key(entries, i);
		const uint64_t calls = since(m, key, c->calls);

		if (calls && is_sound(c))
			*told |= 1u << c->language;
		if (!calls || !is_wanted(m, c))
			continue;
		add_row(m, p, c, calls);
		sum += calls;
	}
	vec_release(&live.words);
	return sum;
}

static const char *const lost_texts[WIRE_MARKER_LOST] = {
	[WIRE_MARKER_UNREAD] = "calls of script functions: their names could not be read",
	[WIRE_MARKER_FULL] = "calls of script functions: too many functions",
};

static void add_ledger(const struct markers *m, struct profile *p, uint64_t kept)
{
	uint64_t lost = 0;

	for (uint32_t i = 0; i < WIRE_MARKER_LOST; i++) {
		const uint64_t now =
			m->has_ended ? m->lost[i]
				     : session_map_value(m->session, "probe_marker_sums", i);
		const uint64_t n = now - m->lost_written[i];

		if (n)
			profile_ledger(p, LEDGER_ZONES, LEDGER_LOST, lost_texts[i], (int64_t)n);
		lost += n;
	}
	profile_ledger(p, LEDGER_ZONES, LEDGER_TAKEN, "taken", (int64_t)(kept + lost));
	profile_ledger(p, LEDGER_ZONES, LEDGER_KEPT, "kept", (int64_t)kept);
}

/* Interpreters that are of no use, of processes that came later, too. @told: see add_rows(). */
static void add_notes(const struct markers *m, struct profile *p, uint32_t told)
{
	const uint32_t languages = scriptpatterns_languages(m->patterns);

	vec_each (i, &m->interpreters.known) {
		_free_ char *why = NULL, *note = NULL;

		if (!(languages >> i->is.language & 1))
			continue;
		why = interpreters_objection(&m->interpreters, 0, i);
		if (!why && !(told >> i->is.language & 1))
			why = interpreters_silence(i);
		note = why ? mem_printf("script functions not counted: %s", why) : NULL;
		if (note)
			profile_ledger(p, LEDGER_ZONES, LEDGER_NOTE, note, 1);
	}
}

static void finish(const void *state, struct assembly *a)
{
	const struct markers *m = state;

	uint32_t told = 0;

	add_ledger(m, a->p, add_rows(m, a->p, &told));
	add_notes(m, a->p, told);
	profile_add_part(a->p, PART_ZONES);
	zones_finish(a->p);
}

static void total(const void *state, const struct profile *p, struct str *out)
{
	const struct markers *m = state;
	uint64_t calls = 0, functions = 0;

	/* Those of native functions are the zones' own. */
	if (m->engine->in.o->actions >> WIRE_ACTION_zone & 1)
		return;
	for (size_t i = 0; i < p->zones.n; i++) {
		calls += p->zones.at[i].counts;
		functions++;
	}
	str_addf(out, "%s call%s of ", count_text(calls), calls == 1 ? "" : "s");
	str_addf(out, "%s script function%s", count_text(functions), functions == 1 ? "" : "s");
}

/* What an interpreter itself does to get to its marker and back: CPython 3.11 finds the line. */
#define INTERPRETER_NS 350

/* Probes are hit at each call of any function. */
static void taken(const void *state, const struct profile *p, struct taken *sum)
{
	const struct markers *m = state;
	const uint64_t hits = session_map_value(m->session, "probe_marker_sums", WIRE_MARKER_HITS);
	const struct calibrated at =
		calibration_of(m->engine->in.calibration, SITE_EMULATED, EXIT_NONE);

	/* While the capture runs, the engine has the probes' part. */
	if (p)
		TAKEN_PROBES(sum, (double)hits * at.outer_ns);
	taken_add(sum, (double)hits * INTERPRETER_NS, 0.5, 2);
	TAKEN_RUN(sum,
		  (double)session_map_value(m->session, "probe_marker_sums", WIRE_MARKER_RUN_NS));
}

/* --- windows ---------------------------------------------------------------------------------- */

static void window_end(void *state)
{
	struct markers *m = state;

	vec_release(&m->ended.words);
	m->ended = (struct map_entries){0};
	(void)session_map_entries(m->session, "probe_marker_calls", false, &m->ended);
	for (uint32_t i = 0; i < WIRE_MARKER_LOST; i++)
		m->lost[i] = session_map_value(m->session, "probe_marker_sums", i);
	m->has_ended = true;
}

static void window_forget(void *state, struct survivors *r)
{
	struct markers *m = state;

	(void)r;
	for (size_t i = 0; i < m->ended.n; i++) {
		const struct wire_marker_calls *c = map_entry_value(&m->ended, i);
		const uint64_t key = *(const uint64_t *)map_entry_key(&m->ended, i);
		const uint32_t row = map_number(&m->row_of, key, m->written.n);

		if (row == m->written.n)
			vec_push(&m->written, 0);
		m->written.at[row] = c->calls;
	}
	memcpy(m->lost_written, m->lost, sizeof(m->lost));
	m->has_ended = false;
}

const struct action marker_action = {
	.name = "marker",
	.implies = implies,
	.source = {.new = markers_new,
		   .free = markers_free,
		   .captures = captures,
		   .begin = begin,
		   .open = markers_open,
		   .drained = drained,
		   .finish = finish,
		   .taken = taken,
		   .total = total,
		   .window_end = window_end,
		   .window_forget = window_forget},
};
