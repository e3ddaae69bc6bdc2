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
	uint32_t *frame;  /* per node: its row of frames */
	uint32_t *source; /* per string: number of the file of that name, and 1; 0: none */
	uint32_t *names;  /* per source file: its string */
	size_t sources;
};

/* Writes one cell of a table's column: that of @row. */
typedef void cell_write(struct writer *, uint32_t row);

/* A column: its cells, or what all its cells are. */
struct json_column {
	const char *key;
	cell_write *cell;
	const char *constant;
};

/* The rows from @first to before @end. */
static void table_write(struct writer *w, const char *name, const struct json_column *columns,
			uint32_t first, uint32_t end)
{
	fprintf(w->out, "\n\"%s\":{", name);
	for (const struct json_column *c = columns; c->key; c++) {
		fprintf(w->out, "\n\"%s\":[", c->key);
		for (uint32_t i = first; i < end; i++) {
			if (i > first)
				putc_unlocked(',', w->out);
			if (c->cell)
				c->cell(w, i);
			else
				fputs_unlocked(c->constant, w->out);
		}
		fputs("],", w->out);
	}
	json_int(w->out, "\n\"length\":", (int64_t)end - first);
	fputs("},", w->out);
}

/* @number less @from; null where @number is 0: there is none. */
static void number_or_null(struct writer *w, uint32_t number, uint32_t from)
{
	if (number)
		json_int(w->out, "", number - from);
	else
		fputs_unlocked("null", w->out);
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

static void stack_frame(struct writer *w, uint32_t i)
{
	json_int(w->out, "", w->frame[i]);
}

static void stack_prefix(struct writer *w, uint32_t i)
{
	number_or_null(w, w->p->nodes.at[i].parent, 1);
}

static void frame_depth(struct writer *w, uint32_t i)
{
	json_int(w->out, "", w->frames.at[i].depth);
}

static void frame_category(struct writer *w, uint32_t i)
{
	const struct frame *frame = frame_at(w, i);

	json_int(w->out, "",
		 frame_class_of_call(&w->p->functions.at[frame->function], frame->inlined));
}

static void frame_function(struct writer *w, uint32_t i)
{
	json_int(w->out, "", frame_at(w, i)->function);
}

static void frame_line(struct writer *w, uint32_t i)
{
	number_or_null(w, frame_at(w, i)->line, 0);
}

static void function_name(struct writer *w, uint32_t i)
{
	json_int(w->out, "", w->p->functions.at[i].name);
}

static void function_resource(struct writer *w, uint32_t i)
{
	json_int(w->out, "", (int64_t)w->p->functions.at[i].module - 1);
}

static void function_source(struct writer *w, uint32_t i)
{
	number_or_null(w, w->source[w->p->functions.at[i].file], 1);
}

static void function_line(struct writer *w, uint32_t i)
{
	number_or_null(w, w->p->functions.at[i].line, 0);
}

static void module_library(struct writer *w, uint32_t i)
{
	json_int(w->out, "", i - 1);
}

static void module_name(struct writer *w, uint32_t i)
{
	json_int(w->out, "", w->p->modules.at[i].path);
}

static void tables_write(struct writer *w)
{
	static const struct json_column stacks[] = {
		{"frame", stack_frame, NULL}, {"prefix", stack_prefix, NULL}, {0}};
	static const struct json_column frames[] = {{"address", NULL, "-1"},
						    {"inlineDepth", frame_depth, NULL},
						    {"category", frame_category, NULL},
						    {"subcategory", NULL, "0"},
						    {"func", frame_function, NULL},
						    {"nativeSymbol", NULL, "null"},
						    {"innerWindowID", NULL, "null"},
						    {"line", frame_line, NULL},
						    {"column", NULL, "null"},
						    {0}};
	static const struct json_column functions[] = {
		{"name", function_name, NULL},	   {"isJS", NULL, "false"},
		{"relevantForJS", NULL, "false"},  {"resource", function_resource, NULL},
		{"source", function_source, NULL}, {"lineNumber", function_line, NULL},
		{"columnNumber", NULL, "null"},	   {0}};
	/* Type 1 is a library. */
	static const struct json_column resources[] = {{"lib", module_library, NULL},
						       {"name", module_name, NULL},
						       {"host", NULL, "null"},
						       {"type", NULL, "1"},
						       {0}};

	table_write(w, "stackTable", stacks, 1, (uint32_t)w->p->nodes.n);
	table_write(w, "frameTable", frames, 0, (uint32_t)w->frames.n);
	table_write(w, "funcTable", functions, 0, (uint32_t)w->p->functions.n);
	table_write(w, "resourceTable", resources, 1, (uint32_t)w->p->modules.n);
	fputs("\n\"nativeSymbols\":{\"libIndex\":[],\"address\":[],\"name\":[],"
	      "\"functionSize\":[],\"length\":0},",
	      w->out);
}

/* Numbers the source files in the order in which functions name them. */
static void find_sources(struct writer *w)
{
	w->source = mem_zalloc(intern_count(&w->p->strings), sizeof(*w->source));
	for (uint32_t i = 1; i < w->p->functions.n; i++) {
		const uint32_t file = w->p->functions.at[i].file;

		if (file && !w->source[file])
			w->source[file] = (uint32_t)++w->sources;
	}
}

static void source_name(struct writer *w, uint32_t i)
{
	json_int(w->out, "", w->names[i]);
}

static void sources_write(struct writer *w)
{
	static const struct json_column columns[] = {
		{"uuid", NULL, "null"}, {"filename", source_name, NULL}, {0}};
	const uint32_t strings = (uint32_t)intern_count(&w->p->strings);

	w->names = mem_zalloc(w->sources + 1, sizeof(*w->names));
	for (uint32_t i = 0; i < strings; i++)
		if (w->source[i])
			w->names[w->source[i] - 1] = i;
	table_write(w, "sources", columns, 0, (uint32_t)w->sources);
}

static void strings_write(struct writer *w)
{
	fputs("\n\"stringArray\":[", w->out);
	for (uint32_t i = 0; i < intern_count(&w->p->strings); i++)
		json_text(w->out, i ? ",\n" : "\n", profile_text(w->p, i));
	fputs("]},", w->out);
}

/* --- threads ---------------------------------------------------------------------------------- */

/* Calls @cell of each sample of the lane that has a value of the metric. */
static void samples_column(struct writer *w, const char *key, struct lane lane, uint32_t metric,
			   void (*cell)(struct writer *, uint32_t row, uint32_t metric))
{
	const int64_t *values = w->p->samples.values.at[metric].at;
	const char *before = "";

	fprintf(w->out, "\n\"%s\":[", key);
	for (size_t i = 0; i < lane.n; i++) {
		if (!values[lane.rows[i]])
			continue;
		fputs_unlocked(before, w->out);
		before = ",";
		cell(w, lane.rows[i], metric);
	}
	fputs("],", w->out);
}

static void sample_stack(struct writer *w, uint32_t row, uint32_t metric)
{
	(void)metric;
	number_or_null(w, w->p->samples.at[row].node, 1);
}

/* ns as ms, to the µs: what the site shows. */
static void ms_write(FILE *out, const char *before, int64_t ns)
{
	json_thousandths(out, before, ns / 1000);
}

static void sample_time(struct writer *w, uint32_t row, uint32_t metric)
{
	(void)metric;
	ms_write(w->out, "", (int64_t)w->p->samples.at[row].time_ns);
}

static bool is_time(const struct writer *w, uint32_t metric)
{
	return !strcmp(profile_text(w->p, w->p->metrics.at[metric].unit), "ns");
}

static void sample_weight(struct writer *w, uint32_t row, uint32_t metric)
{
	const int64_t value = w->p->samples.values.at[metric].at[row];

	if (is_time(w, metric))
		ms_write(w->out, "", value);
	else
		json_int(w->out, "", value);
}

static const char *weight_word(const struct writer *w, uint32_t metric)
{
	const char *unit = profile_text(w->p, w->p->metrics.at[metric].unit);

	return is_time(w, metric) ? "tracing-ms" : !strcmp(unit, "bytes") ? "bytes" : "samples";
}

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
	fputs(",\"processShutdownTime\":null,\"unregisterTime\":null,\"pausedRanges\":[],"
	      "\"markers\":{\"data\":[],\"name\":[],\"startTime\":[],\"endTime\":[],\"phase\":[],"
	      "\"category\":[],\"length\":0},\n\"samples\":{",
	      w->out);
}

static void threads_write(struct writer *w)
{
	const char *before = "\n";
	size_t samples;

	fputs("\n\"threads\":[", w->out);
	for (size_t i = 0; i < w->p->threads.n; i++) {
		const struct lane lane = lane_of(&w->lanes, i);

		for (uint32_t m = 0; m < w->p->metrics.n && !ferror(w->out); m++) {
			lane_sum(w->p, lane, m, &samples);
			if (!samples)
				continue;
			fputs(before, w->out);
			before = ",\n";
			thread_head(w, i, m);
			samples_column(w, "stack", lane, m, sample_stack);
			samples_column(w, "time", lane, m, sample_time);
			samples_column(w, "weight", lane, m, sample_weight);
			json_text(w->out, "\"weightType\":", weight_word(w, m));
			json_int(w->out, ",\"length\":", (int64_t)samples);
			fputs("}}", w->out);
		}
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
	sources_write(&w);
	strings_write(&w);
	threads_write(&w);
	lanes_release(&w.lanes);
	vec_release(&w.frames);
	free(w.frame);
	free(w.source);
	free(w.names);
	return 0;
}

const struct export firefox_export = {
	.name = "firefox",
	.extension = "firefox.json",
	.about = "for the Firefox Profiler: its processed profile, version 60",
	.reads = EXPORT_STACKS,
	.write = firefox_write,
};
