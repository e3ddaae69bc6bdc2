/*
 * ghc: JSON of the cost centre profiler of Haskell's GHC (+RTS -pj):
 *
 *	{"program":"p","rts_arguments":["-pj"],"tick_interval":1000,
 *	 "cost_centres":[{"id":7,"label":"main","module":"Main","src_loc":"a.hs:(3,1)-(5,9)"}],
 *	 "profile":{"id":7,"entries":1,"alloc":648,"ticks":3,"children":[…]}}
 *
 * Ticks are of tick_interval µs.
 */
#include "import/import.h"

#include <errno.h>

#include "base/err.h"
#include "base/str.h"
#include "import_json/json_tape.h"
#include "import_json/open_slices.h"
#include "model/meta.h"

#define US 1000

struct level {
	uint32_t child, end; /* the next one, and behind the last */
	uint32_t node;	     /* the profile's */
};

struct ghc {
	struct builder *b;
	struct json_tape tape;
	struct map centres; /* id → frame */
	VEC(struct level) open;
	uint32_t time, ticks, alloc, entries, thread;
	int64_t tick_ns;
};

/* "a.hs:(3,1)-(5,9)", "a.hs:3:1-9"; "<entire-module>" is no place. */
static struct span take_place(struct span place, uint32_t *line)
{
	const struct span file = span_take(&place, ':');
	size_t n = 0;
	uint64_t number;

	if (span_starts(file, "<"))
		return (struct span){"", 0};
	if (span_starts(place, "("))
		place = span_from(place, 1);
	while (n < place.n && place.s[n] >= '0' && place.s[n] <= '9')
		n++;
	if (span_number((struct span){place.s, n}, 10, UINT32_MAX, &number))
		*line = (uint32_t)number;
	return file;
}

static void centres_read(struct ghc *g)
{
	const struct json_tape *t = &g->tape;

	tape_each(t, centre, tape_get(t, JSON_ROOT, "cost_centres"))
	{
		const struct span module = tape_text(t, tape_get(t, centre, "module"));
		const struct span label = tape_text(t, tape_get(t, centre, "label"));
		_free_ char *name =
			mem_printf("%.*s.%.*s", (int)module.n, module.s, (int)label.n, label.s);
		uint32_t id, line = 0;
		struct span file;
		bool fresh;

		if (!tape_index(t, tape_get(t, centre, "id"), &id))
			continue;
		file = take_place(tape_text(t, tape_get(t, centre, "src_loc")), &line);
		*map_put(&g->centres, id, &fresh) = slice_frame(g->b, span_of(name), file, line);
	}
}

static int64_t amount(const struct ghc *g, uint32_t node, const char *key)
{
	int64_t value = 0;

	return tape_scaled(&g->tape, tape_get(&g->tape, node, key), 1, &value) && value > 0 ? value
											    : 0;
}

static void put(struct ghc *g, uint32_t centre, uint32_t node)
{
	const int64_t ticks = amount(g, centre, "ticks");
	struct builder_value time[] = {{g->ticks, ticks}, {g->time, INT64_MAX / 2}};
	const struct builder_value alloc = {g->alloc, amount(g, centre, "alloc")};
	const struct builder_value entries = {g->entries, amount(g, centre, "entries")};

	if (__builtin_mul_overflow(ticks, g->tick_ns, &time[1].value))
		time[1].value = INT64_MAX / 2;
	builder_sample(g->b, 0, g->thread, node, ticks, time, 2);
	builder_sample(g->b, 0, g->thread, node, 1, &alloc, 1);
	builder_sample(g->b, 0, g->thread, node, 0, &entries, 1);
}

static void centre_read(struct ghc *g, uint32_t centre, uint32_t parent)
{
	const uint32_t children = tape_get(&g->tape, centre, "children");
	uint32_t id, node = parent;
	const uint32_t *frame = tape_index(&g->tape, tape_get(&g->tape, centre, "id"), &id)
					? map_get(&g->centres, id)
					: NULL;

	if (frame) {
		node = profile_node(g->b->profile, parent, *frame);
		put(g, centre, node);
	} else {
		builder_note(g->b, g->ticks, LEDGER_APART,
			     "cost centre that is not listed, left out", 1);
	}
	vec_push(&g->open, ((struct level){tape_first(&g->tape, children, JSON_ARRAY),
					   tape_end(&g->tape, children), node}));
}

static void tree_read(struct ghc *g)
{
	centre_read(g, tape_get(&g->tape, JSON_ROOT, "profile"), 0);
	while (g->open.n) {
		struct level *l = &g->open.at[g->open.n - 1];
		const uint32_t child = l->child;

		if (child >= l->end) {
			g->open.n--;
			continue;
		}
		l->child = g->tape.values.at[child].next;
		centre_read(g, child, l->node);
	}
}

static void profile_read(struct ghc *g)
{
	const struct span program = tape_text(&g->tape, tape_get(&g->tape, JSON_ROOT, "program"));
	_free_ char *command = builder_attribute(program);
	int64_t ticks = 0;

	g->ticks = builder_metric(g->b, "samples", "events", METRIC_COUNT);
	g->time = builder_metric(g->b, "time", "ns", METRIC_SUM);
	g->alloc = builder_metric(g->b, "alloc", "bytes", METRIC_SUM);
	g->entries = builder_metric(g->b, "entries", "events", METRIC_COUNT);
	g->thread = builder_thread(g->b, 0, 0, builder_span(g->b, program), 0);
	if (!tape_scaled(&g->tape, tape_get(&g->tape, JSON_ROOT, "tick_interval"), US, &g->tick_ns))
		g->tick_ns = 0;
	if (tape_scaled(&g->tape, tape_get(&g->tape, JSON_ROOT, "total_ticks"), 1, &ticks) &&
	    ticks > 0 && !__builtin_mul_overflow(ticks, g->tick_ns, &ticks) && ticks > 0)
		g->b->duration_ns = builder_sum(g->b->duration_ns, ticks);
	if (*command)
		profile_set_run(g->b->profile, RUN_COMMAND, command);
	profile_set_run(g->b->profile, RUN_METRIC, "time");
	centres_read(g);
	tree_read(g);
}

static int ghc_read(struct input *in, struct builder *b)
{
	struct ghc g = {.b = b};
	int rc = json_tape_read(&g.tape, in);

	if (!rc) {
		profile_read(&g);
		if (!b->rows.n)
			rc = err(-EINVAL, "'%s' holds no costs of GHC's profiler", in->name);
	}
	vec_release(&g.open);
	map_release(&g.centres);
	json_tape_release(&g.tape);
	return rc;
}

static bool ghc_is(struct span head)
{
	return json_head_is(head, '{') && json_head_has(head, 1, "rts_arguments");
}

const struct import ghc_import = {
	.name = "ghc",
	.extension = NULL,
	.about = "JSON of Haskell's cost centre profiler (+RTS -pj)",
	.is = ghc_is,
	.read = ghc_read,
};
