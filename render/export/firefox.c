/*
 * firefox: the processed profile of the Firefox Profiler, for profiler.firefox.com. Pinned to
 * version 60 of that format, the first whose threads share their tables; the site upgrades older
 * versions as it loads them (docs-developer/CHANGELOG-formats.md of firefox-devtools/profiler).
 *
 * One thread of it a thread and metric. A row of stackTable is a node, of frameTable a frame, with
 * its line and how deep it is inlined; of funcTable a function, whose resource is its module, whose
 * library has the build-id. Times are ms.
 */
#include "export/export.h"

#include "base/str.h"
#include "export/lanes.h"
#include "query/frame_class.h"
#include "model/meta.h"
#include "base/json.h"

#define FORMAT_VERSION 60

/* A row of frameTable: a frame, and into how many it was inlined at once. */
struct depth_frame {
	uint32_t frame, depth;
};

struct writer {
	const struct profile *p;
	FILE *out;
	struct lanes lanes;
	VEC(struct depth_frame) frames;
	uint32_t *frame;       /* per node: its row of frames */
	uint32_t *source;      /* per string: number of the file of that name, and 1; 0: none */
	VEC(uint32_t) sources; /* the string of each */
	VEC(uint32_t) rows;    /* samples of the thread and metric that are written */
	uint32_t metric;
};

#define NONE INT64_MIN /* null */

typedef int64_t cell_of(const struct writer *, uint32_t row);

/* A column: its cells, or what all its cells are. */
struct json_column {
	const char *key;
	cell_of *cell;
	const char *constant;
	bool ns; /* written as ms, to the µs: what the site shows */
};

static void ms_write(FILE *out, const char *before, int64_t ns)
{
	json_thousandths(out, before, ns / 1000);
}

static void cell_write(struct writer *w, const struct json_column *c, uint32_t row)
{
	const int64_t value = c->cell ? c->cell(w, row) : NONE;

	if (value == NONE)
		fputs_unlocked(c->cell ? "null" : c->constant, w->out);
	else if (c->ns)
		ms_write(w->out, "", value);
	else
		json_int(w->out, "", value);
}

/* The rows from @first to before @end. */
static void table_write(struct writer *w, const char *opening, const struct json_column *columns,
			size_t first, size_t end)
{
	fputs(opening, w->out);
	for (const struct json_column *c = columns; c->key; c++) {
		fprintf(w->out, "\n\"%s\":[", c->key);
		for (size_t i = first; i < end; i++) {
			if (i > first)
				putc_unlocked(',', w->out);
			cell_write(w, c, (uint32_t)i);
		}
		fputs("],", w->out);
	}
	json_int(w->out, "\n\"length\":", (int64_t)(end - first));
	fputs("},", w->out);
}

/* --- stacks, frames, functions: node i is stack i - 1, and so with the others ----------------- */

static void find_frames(struct writer *w)
{
	const struct profile *p = w->p;
	struct map by_key = {0};

	w->frame = mem_zalloc(p->nodes.n, sizeof(*w->frame));
	vec_add(&w->frames);
	for (uint32_t i = 1; i < p->nodes.n; i++) {
		const struct node *n = &p->nodes.at[i];
		const uint32_t outer = w->frames.at[w->frame[n->parent]].depth;
		const struct depth_frame e = {
			n->frame, p->frames.at[n->frame].inlined && n->parent ? outer + 1 : 0};

		w->frame[i] = map_number(&by_key, (uint64_t)e.depth << 32 | e.frame, w->frames.n);
		if (w->frame[i] == w->frames.n)
			vec_push(&w->frames, e);
	}
	map_release(&by_key);
}

static const struct frame *frame_at(const struct writer *w, uint32_t row)
{
	return &w->p->frames.at[w->frames.at[row].frame];
}

static enum frame_class category_of(const struct writer *w, uint32_t row)
{
	const struct frame *frame = frame_at(w, row);

	return frame_class_of_call(&w->p->functions.at[frame->function], frame->inlined);
}

/* A reference of which 0 means none, as a number from 0. */
static int64_t less_one(uint32_t number)
{
	return number ? (int64_t)number - 1 : NONE;
}

static int64_t line_of(uint32_t line)
{
	return line ? line : NONE;
}

/* The cell of row i. */
#define CELL(name, value)                                       \
	static int64_t name(const struct writer *w, uint32_t i) \
	{                                                       \
		(void)w;                                        \
		return (value);                                 \
	}

CELL(stack_frame, w->frame[i])
CELL(stack_prefix, less_one(w->p->nodes.at[i].parent))
CELL(frame_depth, w->frames.at[i].depth)
CELL(frame_category, category_of(w, i))
CELL(frame_function, frame_at(w, i)->function)
CELL(frame_line, line_of(frame_at(w, i)->line))
CELL(function_name, w->p->functions.at[i].name)
CELL(function_resource, (int64_t)w->p->functions.at[i].module - 1)
CELL(function_source, less_one(w->source[w->p->functions.at[i].file]))
CELL(function_line, line_of(w->p->functions.at[i].line))
CELL(module_library, i - 1)
CELL(module_name, w->p->modules.at[i].path)
CELL(source_name, w->sources.at[i])
CELL(sample_stack, less_one(w->p->samples.at[w->rows.at[i]].node))
CELL(sample_time, (int64_t)w->p->samples.at[w->rows.at[i]].time_ns)
CELL(sample_weight, w->p->samples.values.at[w->metric].at[w->rows.at[i]])

static void tables_write(struct writer *w)
{
	static const struct json_column stacks[] = {
		{"frame", stack_frame, NULL, false}, {"prefix", stack_prefix, NULL, false}, {0}};
	static const struct json_column frames[] = {{"address", NULL, "-1", false},
						    {"inlineDepth", frame_depth, NULL, false},
						    {"category", frame_category, NULL, false},
						    {"subcategory", NULL, "0", false},
						    {"func", frame_function, NULL, false},
						    {"nativeSymbol", NULL, "null", false},
						    {"innerWindowID", NULL, "null", false},
						    {"line", frame_line, NULL, false},
						    {"column", NULL, "null", false},
						    {0}};
	static const struct json_column functions[] = {{"name", function_name, NULL, false},
						       {"isJS", NULL, "false", false},
						       {"relevantForJS", NULL, "false", false},
						       {"resource", function_resource, NULL, false},
						       {"source", function_source, NULL, false},
						       {"lineNumber", function_line, NULL, false},
						       {"columnNumber", NULL, "null", false},
						       {0}};
	/* Type 1 is a library. */
	static const struct json_column resources[] = {{"lib", module_library, NULL, false},
						       {"name", module_name, NULL, false},
						       {"host", NULL, "null", false},
						       {"type", NULL, "1", false},
						       {0}};
	static const struct json_column sources[] = {
		{"uuid", NULL, "null", false}, {"filename", source_name, NULL, false}, {0}};

	table_write(w, "\n\"stackTable\":{", stacks, 1, w->p->nodes.n);
	table_write(w, "\n\"frameTable\":{", frames, 0, w->frames.n);
	table_write(w, "\n\"funcTable\":{", functions, 0, w->p->functions.n);
	table_write(w, "\n\"resourceTable\":{", resources, 1, w->p->modules.n);
	fputs("\n\"nativeSymbols\":{\"libIndex\":[],\"address\":[],\"name\":[],"
	      "\"functionSize\":[],\"length\":0},",
	      w->out);
	table_write(w, "\n\"sources\":{", sources, 0, w->sources.n);
}

/* Numbers the source files in the order in which functions name them. */
static void find_sources(struct writer *w)
{
	w->source = mem_zalloc(intern_count(&w->p->strings), sizeof(*w->source));
	for (uint32_t i = 1; i < w->p->functions.n; i++) {
		const uint32_t file = w->p->functions.at[i].file;

		if (!file || w->source[file])
			continue;
		vec_push(&w->sources, file);
		w->source[file] = (uint32_t)w->sources.n;
	}
}

static void strings_write(struct writer *w)
{
	fputs("\n\"stringArray\":[", w->out);
	for (uint32_t i = 0; i < intern_count(&w->p->strings); i++)
		json_text(w->out, i ? ",\n" : "\n", profile_text(w->p, i));
	fputs("]},", w->out);
}

/* --- threads ---------------------------------------------------------------------------------- */

static void thread_head(struct writer *w, size_t thread, uint32_t metric)
{
	const struct thread *t = &w->p->threads.at[thread];
	const char *name = profile_text(w->p, t->name);
	_free_ char *of_metric =
		w->p->metrics.n < 2 ? mem_strdup(name)
				    : mem_printf("%s (%s)", name,
						 profile_text(w->p, w->p->metrics.at[metric].name));

	json_text(w->out, "{\"processType\":\"default\",\"name\":", of_metric);
	json_text(w->out, ",\"processName\":", profile_text(w->p, t->process));
	json_int(w->out, ",\"pid\":\"", t->pid);
	json_int(w->out, "\",\"tid\":", t->tid);
	fputs(t->pid == t->tid ? ",\"isMainThread\":true" : ",\"isMainThread\":false", w->out);
	ms_write(w->out, ",\"registerTime\":", (int64_t)t->start_ns);
	ms_write(w->out, ",\"processStartupTime\":", (int64_t)t->born_ns);
	fputs(",\"processShutdownTime\":null,\"unregisterTime\":null,\"pausedRanges\":[],", w->out);
}

static void samples_write(struct writer *w)
{
	const char *unit = profile_text(w->p, w->p->metrics.at[w->metric].unit);
	const bool ns = !strcmp(unit, "ns");
	const struct json_column columns[] = {{"stack", sample_stack, NULL, false},
					      {"time", sample_time, NULL, true},
					      {"weight", sample_weight, NULL, ns},
					      {0}};
	_free_ char *opening = mem_printf("\n\"samples\":{\"weightType\":\"%s\",",
					  ns			   ? "tracing-ms"
					  : !strcmp(unit, "bytes") ? "bytes"
								   : "samples");

	table_write(w, opening, columns, 0, w->rows.n);
}

static void find_rows(struct writer *w, struct lane lane, uint32_t metric)
{
	w->metric = metric;
	w->rows.n = 0;
	for (size_t i = 0; i < lane.n; i++)
		if (w->p->samples.values.at[metric].at[lane.rows[i]])
			vec_push(&w->rows, lane.rows[i]);
}

static void threads_write(struct writer *w)
{
	const char *before = "\n";

	fputs("\n\"threads\":[", w->out);
	for (size_t i = 0; i < w->p->threads.n; i++)
		for (uint32_t m = 0; m < w->p->metrics.n && !ferror(w->out); m++) {
			find_rows(w, lane_of(&w->lanes, i), m);
			if (!w->rows.n)
				continue;
			fputs(before, w->out);
			before = ",\n";
			thread_head(w, i, m);
			samples_write(w);
			fputs("\n\"markers\":{\"data\":[],\"name\":[],\"startTime\":[],\"endTime\":"
			      "[],"
			      "\"phase\":[],\"category\":[],\"length\":0}}",
			      w->out);
		}
	fputs("]}\n", w->out);
}

/* --- what is of all --------------------------------------------------------------------------- */

static const char *const colours[FRAME_CLASSES] = {
#define FRAME_KIND(NAME, number, label, of_zones, first, last, list, STYLE, suffix, firefox) \
	firefox,
#define FRAME_KIND_AS(NAME, ...)
#include "model/frame_kinds.def"
#undef FRAME_KIND
#undef FRAME_KIND_AS
};

static void categories_write(FILE *out)
{
	fputs(",\"categories\":[", out);
	for (int i = 0; i < FRAME_CLASSES; i++) {
		json_text(out, i ? ",{\"name\":" : "{\"name\":",
			  frame_class_label((enum frame_class)i, false));
		json_text(out, ",\"color\":", colours[i]);
		fputs(",\"subcategories\":[\"Other\"]}", out);
	}
	putc(']', out);
}

static void attribute_write(struct writer *w, const char *key, const char *text)
{
	if (text)
		json_text(w->out, key, text);
}

static void meta_write(struct writer *w)
{
	const struct profile *p = w->p;
	const char *command = profile_run(p, RUN_COMMAND);

	json_int(w->out,
		 "{\"meta\":{\"version\":30,\"preprocessedProfileVersion\":", FORMAT_VERSION);
	json_thousandths(w->out, ",\"interval\":", p->hz >= 1e-6 ? (int64_t)(1e6 / p->hz) : 1000);
	ms_write(w->out, ",\"startTime\":", p->started_unix_ns);
	ms_write(w->out, ",\"profilingStartTime\":0.000,\"profilingEndTime\":", p->duration_ns);
	json_text(w->out, ",\"processType\":0,\"stackwalk\":1,\"symbolicated\":true,\"product\":",
		  command ? command : "profile");
	attribute_write(w, ",\"oscpu\":", profile_meta(p, META_SYSTEM));
	attribute_write(w, ",\"abi\":", profile_meta(p, META_ARCH));
	attribute_write(w, ",\"CPUName\":", profile_meta(p, META_PROCESSOR));
	attribute_write(w, ",\"arguments\":", profile_run(p, RUN_OPTIONS));
	fputs(",\"importedFrom\":\"eprof\",\"markerSchema\":[],"
	      "\"sourceCodeIsNotOnSearchfox\":true",
	      w->out);
	categories_write(w->out);
	fputs("},", w->out);
}

static void libraries_write(struct writer *w)
{
	const char *arch = profile_meta(w->p, META_ARCH);

	fputs("\n\"libs\":[", w->out);
	for (uint32_t i = 1; i < w->p->modules.n; i++) {
		const struct module *m = &w->p->modules.at[i];
		const char *path = profile_text(w->p, m->path);

		json_text(w->out, i > 1 ? ",\n{\"name\":" : "\n{\"name\":", str_base(path));
		json_text(w->out, ",\"path\":", path);
		json_text(w->out, ",\"debugName\":", str_base(path));
		json_text(w->out, ",\"debugPath\":", path);
		json_text(w->out, ",\"arch\":", arch ? arch : "");
		fputs(",\"breakpadId\":\"\"", w->out);
		json_text(w->out, ",\"codeId\":", profile_text(w->p, m->build_id));
		putc('}', w->out);
	}
	fputs("],", w->out);
}

static int firefox_write(const struct export_input *in, FILE *out)
{
	struct writer w = {.p = in->part, .out = out};

	lanes_build(w.p, &w.lanes);
	find_sources(&w);
	find_frames(&w);
	meta_write(&w);
	libraries_write(&w);
	fputs("\n\"shared\":{", out);
	tables_write(&w);
	strings_write(&w);
	threads_write(&w);
	lanes_release(&w.lanes);
	vec_release(&w.frames);
	free(w.frame);
	free(w.source);
	vec_release(&w.sources);
	vec_release(&w.rows);
	return 0;
}

const struct export firefox_export = {
	.name = "firefox",
	.extension = "firefox.json",
	.about = "for the Firefox Profiler: its processed profile, version 60",
	.reads = EXPORT_STACKS,
	.write = firefox_write,
};
