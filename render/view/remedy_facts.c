#include "view/facts.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "model/meta.h"
#include "select/runtime.h"
#include "query/tree.h"
#include "view/base.h"

/* Percent from which a gap is worth a line. */
#define WORTH	  5.0
#define LABEL	  "Remedy"
#define MOST_SAID 3
/* Percent from which a gap hides what was asked for. */
#define HIDES 20.0

/* What the functions of a profile show of gaps: values of the tree's measure. */
struct gaps {
	int64_t jit, native; /* self of functions without a name */
	int64_t cut;	     /* stacks without their outer frames */
	bool go, python;     /* Go's scheduler; a Python function that has a name */
};

static bool is_waiting(const struct view_input *in)
{
	return profile_has(in->profile, PART_OFFCPU);
}

static struct gaps find_gaps(const struct view_input *in)
{
	struct gaps g = {0};
	int64_t jit;

	g.native = base_unnamed(in, &jit) - jit;
	g.jit = jit;
	vec_each (r, &tree_functions(in->tree)->rows) {
		const struct function *f = &in->profile->functions.at[r->function];
		const char *name = profile_text(in->profile, f->name);

		if (!r->function)
			continue;
		g.cut += f->kind == KIND_MARK && !strcmp(name, "[stack incomplete]") ? r->total : 0;
		g.go |= !strcmp(name, "runtime.goexit") || !strcmp(name, "runtime.goexit.abi0") ||
			!strcmp(name, "runtime.mcall") || !strcmp(name, "runtime.mstart");
		g.python |=
			f->kind == KIND_PYTHON || (f->kind == KIND_JIT && str_starts(name, "py::"));
	}
	return g;
}

static bool is_worth(const struct view_input *in, int64_t value)
{
	return value > 0 && base_percent(in, value) >= WORTH;
}

/* The total of the function of that name. */
static int64_t total_of(const struct view_input *in, const char *name)
{
	vec_each (r, &tree_functions(in->tree)->rows) {
		const struct function *f = &in->profile->functions.at[r->function];

		if (r->function && !strcmp(profile_text(in->profile, f->name), name))
			return r->total;
	}
	return 0;
}

static bool is_said(const struct runtime *const *said, size_t n, const struct runtime *r)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(said[i]->name, r->name))
			return true;
	return false;
}

/* The time in scripts of which only the runtime's own functions have a name. */
static int64_t unnamed_scripts(const struct view_input *in, const struct gaps *g,
			       const struct runtime *r)
{
	return r->script && !g->python ? total_of(in, r->script) : 0;
}

/* The first note that begins with that; NULL: none. */
static const char *note_of(const struct profile *p, const char *begin)
{
	vec_each (r, &p->ledger)
		if (r->class == LEDGER_NOTE && r->count &&
		    str_starts(profile_text(p, r->name), begin))
			return profile_text(p, r->name);
	return NULL;
}

/* Whether the functions of scripts are missing because eprof was not root. */
static bool lacks_root(const struct view_input *in)
{
	return note_of(in->profile, "script frames not shown: without root");
}

static void runtime_fact(const struct view_input *in, struct doc_block *b, const struct gaps *g,
			 const struct runtime *r)
{
	if (r->shown && lacks_root(in))
		doc_fact(b, true, LABEL, "names of %s functions: capture as root%s%s", r->name,
			 r->script ? ", or " : "", r->script ? r->map : "");
	else if (is_worth(in, unnamed_scripts(in, g, r)))
		doc_fact(b, true, LABEL, "names of %s functions: %s", r->name, r->map);
	else if (is_worth(in, g->jit))
		doc_fact(b, true, LABEL, "names of %s code, shown as [JIT code]: %s", r->name,
			 r->map);
	if (r->frames && is_worth(in, g->cut))
		doc_fact(b, true, LABEL, "whole stacks of %s: %s", r->name, r->frames);
}

static void runtime_facts(const struct view_input *in, struct doc_block *b, const struct gaps *g)
{
	const struct runtime *said[MOST_SAID];
	size_t n = 0;

	vec_each (m, &in->profile->modules) {
		const struct runtime *r = runtime_of(profile_text(in->profile, m->path));

		if (!r || n == MOST_SAID || is_said(said, n, r))
			continue;
		said[n++] = r;
		runtime_fact(in, b, g, r);
	}
	if (!n && is_worth(in, g->jit))
		doc_fact(b, true, LABEL,
			 "names of [JIT code]: have the program write /tmp/perf-PID.map");
}

/* The file that a note names after "the first is "; owned; NULL: none. */
static char *first_of(const char *note)
{
	static const char before[] = "the first is ";
	const char *name = note ? strstr(note, before) : NULL;
	size_t n;

	if (!name)
		return NULL;
	name += sizeof(before) - 1;
	n = str_ends(name, ", files") ? strlen(name) - strlen(", files") : strlen(name);
	return n ? mem_strndup(name, n) : NULL;
}

/* Debug information that is there, and was not read: how a note begins, and what to do. */
static const struct {
	const char *note, *remedy;
} unread[] = {
	{"debug information not read: compressed with zstd",
	 "inlined calls and lines, compressed with zstd, which libelf cannot read here: objcopy "
	 "--decompress-debug-sections FILE"},
	{"debug information not read: split off",
	 "inlined calls and lines, split off to .dwo or .dwp: build without -gsplit-dwarf"},
	{"debug information not read: not in the .dwp",
	 "inlined calls and lines, not in the .dwp, which may be of another build: make it anew, "
	 "or keep "
	 "the .dwo files where they were compiled, or beside the program"},
	{"debug information not read: in a file of dwz",
	 "names and lines, in a file that dwz made and that is not there: install the whole debug "
	 "package, which has it in /usr/lib/debug/.dwz"},
};

static void unread_facts(const struct view_input *in, struct doc_block *b)
{
	const char *split =
		note_of(in->profile, "debug information not read: in .dwo files not found");
	_free_ char *first = first_of(split);

	for (size_t i = 0; i < sizeof(unread) / sizeof(*unread); i++)
		if (note_of(in->profile, unread[i].note))
			doc_fact(b, true, LABEL, "%s", unread[i].remedy);
	if (!split)
		return;
	doc_fact(b, true, LABEL,
		 "inlined calls and lines, in .dwo files that are not there%s%s: keep them where "
		 "they were compiled, or beside the program, or build without -gsplit-dwarf",
		 first ? ", such as " : "", first ? first : "");
}

static void package_fact(const struct view_input *in, struct doc_block *b, const struct gaps *g)
{
	const char *packages = profile_run(in->profile, RUN_DEBUG_PACKAGES);

	if (!is_worth(in, g->native))
		return;
	if (packages && packages[0])
		doc_fact(b, true, LABEL,
			 "names of module+offset: install %s, then 'eprof name FILE'", packages);
	else
		doc_fact(b, true, LABEL,
			 "names of module+offset: 'eprof name FILE' reads debug files by build-id, "
			 "from folders, packages or DEBUGINFOD_URLS");
}

static bool is_first(const struct view_input *in, const struct gaps *g)
{
	if (base_percent(in, g->native + g->jit) >= HIDES)
		return true;
	vec_each (m, &in->profile->modules) {
		const struct runtime *r = runtime_of(profile_text(in->profile, m->path));

		if (r && base_percent(in, unnamed_scripts(in, g, r)) >= HIDES)
			return true;
	}
	return false;
}

void remedy_facts(const struct view_input *in, struct doc_block *b, bool first)
{
	const struct gaps g = find_gaps(in);

	if (is_first(in, &g) != first)
		return;
	runtime_facts(in, b, &g);
	unread_facts(in, b);
	package_fact(in, b, &g);
	if (g.go && is_waiting(in))
		doc_fact(
			b, true, LABEL,
			"goroutines' own waits are not seen, only those of threads: see Go's block "
			"and mutex profiles");
}
