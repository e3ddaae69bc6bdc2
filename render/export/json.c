/*
 * json: the call tree as nested dictionaries, in the shape of dask's profiles:
 *
 *	{"identifier":"root","description":{"name":"root","filename":"","line_number":0,"line":""},
 *	 "count":1000,"children":{"main;shell.c;24412":{…}}}
 *
 * count is that of samples, or the metric's value when a metric was asked for by name; it holds
 * the children's. Beside a value stands how far it may be off for being of samples: "margin"
 * (query/spread.h). Written node by node: trees may be deeper than a stack is.
 */
#include "export/export.h"

#include <inttypes.h>
#include <math.h>

#include "base/hash.h"
#include "base/str.h"
#include "base/json.h"

static char *clean_text(const struct profile *p, uint32_t string)
{
	const char *text = profile_text(p, string);

	return str_clean(text, strlen(text));
}

/* name;file;line, and "#2" behind it for a sibling that has the same: of another module, or
 * inlined. @seen counts them. */
static char *identifier(const struct tree_node *n, const char *name, const char *file,
			uint32_t line, struct map *seen)
{
	char *plain = mem_printf("%s;%s;%" PRIu32, name, file, line), *numbered;
	bool fresh;
	uint32_t *count =
		map_put(seen, hash_two(n->parent, hash_bytes(plain, strlen(plain))), &fresh);

	if (++*count == 1)
		return plain;
	numbered = mem_printf("%s#%" PRIu32, plain, *count);
	free(plain);
	return numbered;
}

/* Where the function stands: its source, else its module. */
static uint32_t place_of(const struct profile *p, const struct function *f)
{
	return profile_text(p, f->file)[0] ? f->file : p->modules.at[f->module].path;
}

/* All of a node but its children and its end. @margins: NULL: of numbers of samples. */
static void node_open(const struct export_input *in, uint32_t i, const double *margins,
		      struct map *seen, FILE *out)
{
	const struct tree_node *n = &in->tree->nodes.at[i];
	const struct function *f = &in->profile->functions.at[n->function];
	_free_ char *name = clean_text(in->profile, n->name);
	_free_ char *file = clean_text(in->profile, place_of(in->profile, f));
	_free_ char *id = i ? identifier(n, name, file, f->line, seen) : mem_strdup("root");

	if (i) {
		json_text(out, "", id);
		putc(':', out);
	}
	json_text(out, "{\"identifier\":", id);
	json_text(out, ",\"description\":{\"name\":", i ? name : "root");
	json_text(out, ",\"filename\":", file);
	fprintf(out, ",\"line_number\":%" PRIu32 ",\"line\":\"\"},\"count\":%" PRId64, f->line,
		in->values ? n->total : n->total_samples);
	if (margins && isfinite(margins[i]))
		fprintf(out, ",\"margin\":%.0f", margins[i]);
	fputs(",\"children\":{", out);
}

static int json_write(const struct export_input *in, FILE *out)
{
	const struct tree_node *nodes = in->tree->nodes.at;
	_free_ double *margins = in->values && in->tree->spread ? tree_margins(in->tree) : NULL;
	struct map seen = {0};
	uint32_t i = 0, next;

	do {
		node_open(in, i, margins, &seen, out);
		next = tree_next(in->tree, i, true);
		/* Ends this one and its parents, up to where the next belongs. */
		for (uint32_t d = nodes[i].depth + 1; d-- > (next ? nodes[next].depth : 0);)
			fputs("}}", out);
		if (next && nodes[next].depth <= nodes[i].depth)
			fputs(",\n", out);
		i = next;
	} while (i && !ferror(out));
	putc('\n', out);
	map_release(&seen);
	return 0;
}

const struct export json_export = {
	.name = "json",
	.extension = "json",
	.about = "call tree as nested dictionaries, as dask's",
	.write = json_write,
};
