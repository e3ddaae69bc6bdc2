/*
 * cprofile: the statistics that Python's cProfile writes (cProfile.py, pstats.py): a marshalled
 * dictionary
 *
 *	(file, line, function) → (cc, nc, tt, ct, {(file, line, function): (nc, cc, tt, ct)})
 *
 * of calls: nc all of them, cc those that are primitive, so not below another of the same function;
 * tt seconds in the function itself, ct with all that it called. The last part is of callers, whose
 * first two numbers stand the other way round.
 *
 * Functions become zones: counts is nc, of which nc - cc are untimed (their time is in the
 *primitive ones'), self is tt, total ct, and the mean that of a primitive call. What single calls
 *took is not known. The call tree is made of callers by callgraph.h.
 */
#include "import/import.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/err.h"
#include "base/str.h"
#include "import/callgraph.h"
#include "import/marshal.h"
#include "model/meta.h"

#define COLUMNS	    "name,src_file,src_line,total_ns,total_perc,counts,mean_ns,calls_ns,self_ns,untimed"
#define FILE_BYTES  ((size_t)256 << 20)
#define EDGES_MOST  (4u << 20)
#define NS	    1e9
#define SECONDS_MAX 9e9 /* 285 years */

/* Values of the call graph. */
enum { TOTAL, SELF, CALLS, VALUES };

struct cprofile {
	struct input *in;
	struct builder *b;
	struct marshal m;
	struct map functions;	 /* object of a key → function */
	VEC(struct zone) zones;	 /* per function */
	struct numbering places; /* by name, file and line; the number is the function */
	struct callgraph graph;
	bool untold; /* callers without times */
};

static int bad(const struct cprofile *c, const struct zone *z, const char *what)
{
	return err(-EINVAL, "'%s', function '%s': %s", c->in->name,
		   z ? profile_text(c->b->profile, z->name) : "?", what);
}

/* Names "~" stand for no file: functions of the interpreter itself. */
static bool read_place(struct cprofile *c, const struct marshal_object *key, struct zone *z)
{
	const struct marshal_object *file, *line, *name;

	if (key->type != MARSHAL_TUPLE || key->n != 3)
		return false;
	file = marshal_item(&c->m, key, 0);
	line = marshal_item(&c->m, key, 1);
	name = marshal_item(&c->m, key, 2);
	if (file->type != MARSHAL_TEXT || line->type != MARSHAL_INT || name->type != MARSHAL_TEXT)
		return false;
	z->name = builder_text(c->b, name->text, name->n);
	z->src_file =
		file->n == 1 && file->text[0] == '~' ? 0 : builder_text(c->b, file->text, file->n);
	z->src_line = line->i > 0 && line->i <= UINT32_MAX ? (uint32_t)line->i : 0;
	return true;
}

/* The function that a key names, added where it is new; UINT32_MAX: it is no such key. */
static uint32_t function_of(struct cprofile *c, uint32_t key)
{
	struct zone z = {0};
	bool fresh;
	uint32_t *known = map_put(&c->functions, key, &fresh);

	if (!fresh)
		return *known;
	*known = UINT32_MAX;
	if (!read_place(c, &c->m.objects.at[key], &z))
		return UINT32_MAX;
	*known = numbering_put(&c->places, (struct key){{z.name, z.src_file, z.src_line}}, &fresh);
	if (fresh)
		vec_push(&c->zones, z);
	return *known;
}

static bool read_count(const struct marshal_object *o, int64_t *out)
{
	*out = o->i;
	return o->type == MARSHAL_INT && o->i >= 0;
}

static bool read_seconds(const struct marshal_object *o, int64_t *ns)
{
	const double s = o->type == MARSHAL_FLOAT ? o->f
			 : o->type == MARSHAL_INT ? (double)o->i
						  : NAN;

	/* Its clock may go back by a hair. */
	if (!(s > -1e-3 && s < SECONDS_MAX))
		return false;
	*ns = s > 0 ? llround(s * NS) : 0;
	return true;
}

/* Numbers of calls and times; @callers: their order there. */
struct figures {
	int64_t nc, cc, v[VALUES];
};

static bool read_figures(const struct cprofile *c, const struct marshal_object *o, size_t n,
			 bool callers, struct figures *f)
{
	if (o->type != MARSHAL_TUPLE || o->n != n)
		return false;
	if (!read_count(marshal_item(&c->m, o, callers ? 0 : 1), &f->nc) ||
	    !read_count(marshal_item(&c->m, o, callers ? 1 : 0), &f->cc) || f->cc > f->nc)
		return false;
	f->v[CALLS] = f->nc;
	return read_seconds(marshal_item(&c->m, o, 2), &f->v[SELF]) &&
	       read_seconds(marshal_item(&c->m, o, 3), &f->v[TOTAL]);
}

static int read_function(struct cprofile *c, uint32_t key, const struct marshal_object *value)
{
	const uint32_t function = function_of(c, key);
	struct figures f = {0};
	struct zone *z;

	if (function == UINT32_MAX)
		return bad(c, NULL, "a key that is no (file, line, function)");
	z = &c->zones.at[function];
	if (!read_figures(c, value, 5, false, &f) ||
	    marshal_item(&c->m, value, 4)->type != MARSHAL_DICT)
		return bad(c, z,
			   "its value is no (cc, nc, tt, ct, callers) with counts and times from 0 "
			   "on, and no more primitive calls than calls");
	if (z->counts || z->total_ns)
		return bad(c, z, "it stands there twice");
	z->counts = (uint64_t)f.nc;
	z->untimed = (uint64_t)(f.nc - f.cc);
	z->total_ns = z->calls_ns = f.v[TOTAL];
	z->self_ns = f.v[SELF];
	z->mean_ns = f.cc ? f.v[TOTAL] / f.cc : 0;
	c->b->duration_ns = builder_sum(c->b->duration_ns, f.v[SELF]);
	return 0;
}

/* The module profile tells how often a caller called, nothing more. */
static int read_caller(struct cprofile *c, uint32_t callee, uint32_t key,
		       const struct marshal_object *value)
{
	const uint32_t caller = function_of(c, key);
	const struct zone *z = &c->zones.at[callee];
	struct figures f = {0};

	if (caller == UINT32_MAX)
		return bad(c, z, "a caller that is no (file, line, function)");
	if (value->type == MARSHAL_INT) {
		c->untold = true;
		return 0;
	}
	if (!read_figures(c, value, 4, true, &f))
		return bad(
			c, z,
			"a caller's value is no (nc, cc, tt, ct) with counts and times from 0 on");
	if (c->graph.edges.n >= EDGES_MOST)
		return err(-EFBIG, "'%s' has more than %u pairs of callers and callees",
			   c->in->name, EDGES_MOST);
	callgraph_call(&c->graph, caller, callee, 0, f.v);
	return 0;
}

static int read_callers(struct cprofile *c, uint32_t key, const struct marshal_object *value)
{
	const struct marshal_object *callers = marshal_item(&c->m, value, 4);
	const uint32_t function = function_of(c, key);
	int rc = 0;

	for (size_t i = 0; !rc && i < callers->n; i++)
		rc = read_caller(c, function, c->m.items.at[callers->first + 2 * i],
				 marshal_item(&c->m, callers, 2 * i + 1));
	return rc;
}

/* What no caller accounts for began the program, or was called by code that was not profiled. */
static void add_roots(struct cprofile *c)
{
	const size_t n = c->zones.n;
	int64_t *called = mem_zalloc(n * VALUES + 1, sizeof(*called));

	for (size_t i = 0; i < c->graph.edges.n; i++)
		for (size_t k = 0; k < VALUES; k++) {
			int64_t *at = &called[c->graph.edges.at[i].callee * VALUES + k];

			*at = builder_sum(*at, c->graph.edge_values.at[i * VALUES + k]);
		}
	for (uint32_t f = 0; f < n; f++) {
		const struct zone *z = &c->zones.at[f];
		const int64_t all[VALUES] = {z->total_ns, z->self_ns, (int64_t)z->counts};
		int64_t rest[VALUES];

		for (size_t k = 0; k < VALUES; k++)
			rest[k] = all[k] > called[f * VALUES + k] ? all[k] - called[f * VALUES + k]
								  : 0;
		/* Without calls it is a rounding of the times. */
		if (rest[CALLS])
			callgraph_root(&c->graph, f, rest);
	}
	free(called);
}

static uint32_t rest_zone(struct builder *b)
{
	const struct zone z = {.name = builder_text(b, CALLGRAPH_OTHERS, strlen(CALLGRAPH_OTHERS)),
			       .flags = ZONE_PSEUDO};

	return builder_zone(b, &z, 0);
}

/* The rows of zone_edges, parents first. */
static void put_tree(struct cprofile *c, const uint32_t *rows)
{
	struct profile *p = c->b->profile;
	const struct callgraph *g = &c->graph;
	uint32_t *edges = mem_zalloc(g->places.n + 1, sizeof(*edges));

	for (uint32_t i = CALLGRAPH_REST + 1; i < g->places.n; i++) {
		const struct callgraph_place *at = &g->places.at[i];
		const int64_t *v = callgraph_values(g, i);
		struct zone_edge *e;

		if (at->moved)
			continue;
		if (at->parent == CALLGRAPH_REST && !edges[CALLGRAPH_REST])
			edges[CALLGRAPH_REST] = profile_zone_edge(p, 0, rest_zone(c->b));
		edges[i] = profile_zone_edge(p, edges[at->parent], rows[at->function]);
		e = &p->zone_edges.at[edges[i]];
		e->counts += (uint64_t)v[CALLS];
		e->timed += (uint64_t)v[CALLS];
		e->total_ns = builder_sum(e->total_ns, v[TOTAL]);
		e->self_ns = builder_sum(e->self_ns, v[SELF]);
	}
	free(edges);
}

static int put_all(struct cprofile *c)
{
	uint32_t *rows = mem_zalloc(c->zones.n + 1, sizeof(*rows));

	/* Functions that are known as callers only were not profiled themselves. */
	for (size_t i = 0; i < c->zones.n; i++)
		rows[i] = builder_zone(c->b, &c->zones.at[i], 0);
	if (c->untold)
		builder_note(c->b, LEDGER_ZONES, LEDGER_NOTE,
			     "callers without times (module profile): no call tree", 1);
	callgraph_functions(&c->graph, (uint32_t)c->zones.n);
	add_roots(c);
	callgraph_expand(&c->graph);
	if (!c->untold)
		put_tree(c, rows);
	free(rows);
	return 0;
}

static int read_stats(struct cprofile *c)
{
	const struct marshal_object *root = &c->m.objects.at[c->m.root];
	int rc = 0;

	if (root->type != MARSHAL_DICT)
		return err(-EINVAL, "'%s' is no dictionary as cProfile writes it", c->in->name);
	for (size_t i = 0; !rc && i < root->n; i++)
		rc = read_function(c, c->m.items.at[root->first + 2 * i],
				   marshal_item(&c->m, root, 2 * i + 1));
	/* A caller may be a function that is no key of its own. */
	callgraph_init(&c->graph, VALUES, 1u << TOTAL);
	for (size_t i = 0; !rc && i < root->n; i++)
		rc = read_callers(c, c->m.items.at[root->first + 2 * i],
				  marshal_item(&c->m, root, 2 * i + 1));
	return rc ? rc : put_all(c);
}

static int cprofile_read(struct input *in, struct builder *b)
{
	struct cprofile c = {.in = in, .b = b};
	struct span bytes;
	int rc = input_all(in, FILE_BYTES, &bytes);

	if (!rc)
		rc = marshal_read(&c.m, in->name, bytes);
	if (!rc)
		rc = read_stats(&c);
	if (!rc) {
		profile_add_part(b->profile, PART_ZONES);
		profile_set_run(b->profile, RUN_CLOCK, "wall");
		profile_set_run(b->profile, RUN_ZONE_COLUMNS, COLUMNS);
	}
	marshal_release(&c.m);
	map_release(&c.functions);
	numbering_release(&c.places);
	vec_release(&c.zones);
	callgraph_release(&c.graph);
	return rc;
}

static bool cprofile_is(struct span head)
{
	return marshal_is_dict(head);
}

const struct import cprofile_import = {
	.name = "cprofile",
	.extension = "prof",
	.about = "statistics of Python's cProfile",
	.is = cprofile_is,
	.read = cprofile_read,
};
