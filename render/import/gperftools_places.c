/* gperftools: which functions and modules addresses are in. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "import/gperftools.h"

/* --- addresses -------------------------------------------------------------------------------- */

static int by_low(const void *a, const void *b)
{
	const struct gperftools_mapping *m = a, *n = b;

	return (m->low > n->low) - (m->low < n->low);
}

/* The last one that begins at @address or before: they are in order, and do not overlap. */
static const struct gperftools_mapping *mapping_of(const struct gperftools *r, uint64_t address)
{
	size_t low = 0, high = r->mappings.n;

	while (low < high) {
		const size_t mid = low + (high - low) / 2;

		if (r->mappings.at[mid].low <= address)
			low = mid + 1;
		else
			high = mid;
	}
	return low && address < r->mappings.at[low - 1].high ? &r->mappings.at[low - 1] : NULL;
}

/* The function that the file names at that address; NULL: none. */
static const struct gperftools_name *name_of(const struct gperftools *r, uint64_t address)
{
	const uint32_t *row = map_get(&r->by_address, address);

	return row ? &r->names.at[*row] : NULL;
}

/* "libfoo.so+0x1f30", or where in no mapping, "[unknown] 0x7f00". Freed by the caller. */
static char *address_text(const struct gperftools *r, uint64_t address,
			  const struct gperftools_mapping *m)
{
	const struct profile *p = r->b->profile;
	const char *path = m ? profile_text(p, p->modules.at[m->module].path) : "";

	return *path ? mem_printf("%s+0x%" PRIx64, str_base(path), address - m->low + m->offset)
		     : mem_printf("[unknown] 0x%" PRIx64, address);
}

static uint32_t make_frame(struct gperftools *r, uint64_t address)
{
	const struct gperftools_mapping *m = mapping_of(r, address);
	const struct gperftools_name *named = name_of(r, address);
	_free_ char *unnamed = named ? NULL : address_text(r, address, m);
	const struct span name = named ? named->name : span_of(unnamed);
	struct function e = {.name = builder_span(r->b, name), .module = m ? m->module : 0};
	struct frame frame = {.line = named ? named->line : 0};

	e.file = named ? builder_span(r->b, named->file) : 0;
	e.kind = builder_code_kind(r->b, e.module, name);
	e.named = named && !builder_is_unnamed(name) && e.kind != KIND_UNKNOWN;
	frame.function = profile_function(r->b->profile, &e);
	return profile_frame(r->b->profile, &frame);
}

/* The node of the stack. */
uint32_t gperftools_node(struct gperftools *r)
{
	uint32_t node = 0;

	for (size_t i = r->stack.n; i-- > 0;) {
		bool fresh;
		uint32_t *frame = map_put(&r->frames, r->stack.at[i], &fresh);

		if (fresh)
			*frame = make_frame(r, r->stack.at[i]);
		node = profile_node(r->b->profile, node, *frame);
	}
	return node;
}

void gperftools_sample(struct gperftools *r, uint32_t node, int64_t count,
		       const struct builder_value *values, size_t n)
{
	const int64_t samples = count > 0 ? count : 1;
	static const char all[] = "all threads";
	const uint32_t name = builder_text(r->b, all, sizeof(all) - 1);

	builder_sample(r->b, 0, builder_thread(r->b, 0, 0, name, 0), node, count, values, n);
	if (!node)
		builder_note(r->b, values[0].metric, LEDGER_NOTE, "no stack", samples);
}

/* --- mappings --------------------------------------------------------------------------------- */

static bool take_range(struct span *line, struct gperftools_mapping *m)
{
	struct span high = span_word(line), low;

	if (high.n && high.s[high.n - 1] == ':')
		high.n--;
	if (span_find(high, '-') == high.n)
		return false;
	low = span_take(&high, '-');
	return span_number(low, 16, UINT64_MAX, &m->low) &&
	       span_number(high, 16, UINT64_MAX, &m->high) && m->low < m->high;
}

/* "00400000-00fcb000 r-xp 00000000 08:01 42 /bin/x", as in /proc/PID/maps. False: none of code. */
static bool take_kernels(struct span line, struct gperftools_mapping *m, struct span *path)
{
	const struct span rights = span_word(&line), offset = span_word(&line);

	span_word(&line);
	span_word(&line);
	*path = span_trim(line);
	return rights.n == 4 && rights.s[2] == 'x' &&
	       span_number(offset, 16, UINT64_MAX, &m->offset);
}

/* One of the lines below the marker. "00400000-00fcb000: $source/x" has the @source that a line
 * before it gave: "source=/home". */
static void take_mapping(struct gperftools *r, struct span line, struct span *source)
{
	static const char from_source[] = "$source";
	struct gperftools_mapping m = {0};
	struct span rest = line, path;
	_free_ char *whole = NULL;

	if (span_starts(line, "source=")) {
		*source = span_from(line, 7);
		return;
	}
	if (!take_range(&rest, &m))
		return;
	path = span_trim(rest);
	/* Rights or a path. */
	if (path.n > 4 && (path.s[0] == 'r' || path.s[0] == '-') && is_blank(path.s[4]) &&
	    !take_kernels(rest, &m, &path))
		return;
	if (span_starts(path, from_source)) {
		path = span_from(path, sizeof(from_source) - 1);
		whole = mem_printf("%.*s%.*s", (int)source->n, source->s, (int)path.n, path.s);
		path = span_of(whole);
	}
	m.module = path.n ? builder_module(r->b, path) : 0;
	vec_push(&r->mappings, m);
}

void gperftools_mappings(struct gperftools *r, struct span text)
{
	struct span source = {0};

	while (text.n)
		take_mapping(r, span_trim(span_take(&text, '\n')), &source);
	vec_sort(&r->mappings, by_low);
}

/* --- names ------------------------------------------------------------------------------------ */

/* "a.go:12" */
static void take_place(struct span place, struct gperftools_name *out)
{
	const size_t colon = span_find_last(place, ':');
	uint64_t line;

	out->file = place;
	if (colon < place.n && span_number(span_from(place, colon + 1), 10, UINT32_MAX, &line)) {
		out->file.n = colon;
		out->line = (uint32_t)line;
	}
}

/* "0x44cb2\truntime.main+0x12\t/src/proc.go:145", as Go writes it behind '#'. */
static void take_go(struct span rest, struct gperftools_name *out)
{
	const struct span function = span_take(&rest, '\t');
	const size_t plus = span_find_last(function, '+');

	out->name = span_trim(plus < function.n ? (struct span){function.s, plus} : function);
	take_place(span_trim(rest), out);
}

/* "0x3 com.example.f (Source.java:95)", as Java's do. */
static void take_java(struct span rest, struct gperftools_name *out)
{
	const size_t bracket = span_find_last(rest, '(');

	rest = span_trim(rest);
	out->name = rest;
	if (!span_ends(rest, ")") || bracket >= rest.n)
		return;
	out->name = span_trim((struct span){rest.s, span_find_last(rest, '(')});
	rest = span_from(rest, span_find_last(rest, '(') + 1);
	take_place((struct span){rest.s, rest.n - 1}, out);
}

/* Of calls inlined at one address the last is the function that holds the code. */
static void take_name(struct gperftools *r, struct span line)
{
	const bool go = line.n && line.s[0] == '#';
	struct span rest = span_trim(go ? span_from(line, 1) : line), word = span_word(&rest);
	struct gperftools_name name = {.line = 0};
	uint64_t address;
	bool fresh;
	uint32_t *row;

	if (!span_starts(word, "0x") || !span_number(span_from(word, 2), 16, UINT64_MAX, &address))
		return;
	rest = span_trim(rest);
	if (go)
		take_go(rest, &name);
	else
		take_java(rest, &name);
	if (!name.name.n)
		return;
	row = map_put(&r->by_address, address, &fresh);
	*row = (uint32_t)r->names.n;
	vec_push(&r->names, name);
}

void gperftools_names(struct gperftools *r, struct span text)
{
	while (text.n)
		take_name(r, span_trim(span_take(&text, '\n')));
}
