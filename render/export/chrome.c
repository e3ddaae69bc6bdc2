/*
 * chrome: the Trace Event Format, in JSON, for Perfetto, Speedscope and chrome://tracing:
 *
 *	{"traceEvents":[{"ph":"M","pid":4711,"tid":4711,"name":"thread_name","args":{…}},
 *	  {"ph":"B","pid":4711,"tid":4711,"ts":0.000,"name":"main","cat":"sqlite3"},
 *	  {"ph":"E","pid":4711,"tid":4711,"ts":10000.000}],
 *	 "stackFrames":{"1":{"name":"main","category":"sqlite3","file":"shell.c","line":24417}},
 *	 "samples":[{"pid":4711,"tid":4711,"ts":0.000,"name":"cpu-clock","sf":"1","weight":10000000}]}
 *
 * Times are µs. Every sample is in "samples", with its stack and value. Viewers draw slices: those
 * that the samples show (lanes.h) are there while they are no more than SLICES_MOST, which is what
 * viewers load with ease; otherData says when they are left out. Zones have no times of their own:
 * of a profile of zones alone the slices are their call tree, side by side. Of a profile with a
 * timeline the slices are its calls, all of them (chrome_timeline.h).
 */
#include "export/export.h"

#include "base/str.h"
#include "export/chrome_timeline.h"
#include "export/lanes.h"
#include "timeline/timed_calls.h"
#include "model/meta.h"
#include "base/json.h"

#define SLICES_MOST 500000

struct writer {
	const struct profile *p;
	FILE *out;
	const char *before;   /* of the next event */
	size_t thread;	      /* whose lane is being written */
	size_t begun;	      /* slices, counted */
	const char **modules; /* the short name of each, which takes a search to find */
};

static void event_begin(struct writer *w, const char *phase)
{
	const struct thread *t = &w->p->threads.at[w->thread];

	fputs_unlocked(w->before, w->out);
	w->before = ",\n";
	json_text(w->out, "{\"ph\":", phase);
	json_int(w->out, ",\"pid\":", t->pid);
	json_int(w->out, ",\"tid\":", t->tid);
}

/* "process_name": what a pid or tid is called. */
static void name_write(struct writer *w, const char *what, uint32_t name)
{
	event_begin(w, "M");
	json_text(w->out, ",\"name\":", what);
	json_text(w->out, ",\"args\":{\"name\":", profile_text(w->p, name));
	fputs("}}", w->out);
}

/* A thread that had several names is called by its last one. */
static void names_write(struct writer *w)
{
	uint32_t *last;
	_free_ uint32_t *first = threads_first(w->p, &last);

	for (w->thread = 0; w->thread < w->p->threads.n; w->thread++) {
		const struct thread *t = &w->p->threads.at[w->thread];

		if (last[first[w->thread]] != w->thread)
			continue;
		if (t->process)
			name_write(w, "process_name", t->process);
		name_write(w, "thread_name", t->name);
	}
	free(last);
}

/* The module's short name, as the category. */
static void module_write(struct writer *w, const char *key, const struct function *f)
{
	if (f->module)
		json_text(w->out, key, w->modules[f->module]);
}

static void place_write(struct writer *w, const struct function *f, uint32_t line)
{
	const char *file = profile_text(w->p, f->file);

	if (*file)
		json_text(w->out, ",\"file\":", file);
	if (*file && line)
		json_int(w->out, ",\"line\":", line);
}

/* --- slices ----------------------------------------------------------------------------------- */

static void slice_count(void *data, uint64_t time_ns, uint32_t function)
{
	struct writer *w = data;

	(void)time_ns;
	w->begun += function != 0;
}

static void slice_write(void *data, uint64_t time_ns, uint32_t function)
{
	struct writer *w = data;
	const struct function *f = &w->p->functions.at[function];
	const char *name = profile_text(w->p, f->name);

	event_begin(w, function ? "B" : "E");
	json_thousandths(w->out, ",\"ts\":", (int64_t)time_ns);
	if (function) {
		json_text(w->out, ",\"name\":", *name ? name : "?");
		module_write(w, ",\"cat\":", f);
	}
	putc_unlocked('}', w->out);
}

/* False where there are too many. */
static bool slices_write(struct writer *w, const struct lanes *lanes)
{
	for (size_t i = 0; i < lanes->n && w->begun <= SLICES_MOST; i++)
		slices_walk(w->p, lane_of(lanes, i), slice_count, w);
	if (w->begun > SLICES_MOST)
		return false;
	for (w->thread = 0; w->thread < lanes->n; w->thread++)
		slices_walk(w->p, lane_of(lanes, w->thread), slice_write, w);
	return true;
}

/* --- zones ------------------------------------------------------------------------------------ */

/* A zone's slice; its calls are its argument. */
static void zone_write(struct writer *w, const struct tree *t, uint32_t node, int64_t at)
{
	event_begin(w, "X");
	json_text(w->out, ",\"name\":", profile_text(t->profile, t->nodes.at[node].name));
	json_thousandths(w->out, ",\"ts\":", at);
	json_thousandths(w->out, ",\"dur\":", t->nodes.at[node].total);
	json_int(w->out, ",\"args\":{\"calls\":", t->nodes.at[node].self_samples);
	fputs("}}", w->out);
}

/* Each begins where the one before it ends, within its parent. */
static void zones_write(struct writer *w, const struct tree *t)
{
	_free_ int64_t *free_at = mem_zalloc(t->nodes.n, sizeof(*free_at));

	w->thread = 0;
	for (uint32_t i = t->nodes.at[0].first_child; i; i = tree_next(t, i, true)) {
		const uint32_t parent = t->nodes.at[i].parent;

		free_at[i] = free_at[parent];
		free_at[parent] += t->nodes.at[i].total;
		zone_write(w, t, i, free_at[i]);
	}
}

/* --- samples ---------------------------------------------------------------------------------- */

static void frames_write(struct writer *w)
{
	const struct profile *p = w->p;

	fputs("],\n\"stackFrames\":{", w->out);
	for (uint32_t i = 1; i < p->nodes.n; i++) {
		const struct frame *frame = &p->frames.at[p->nodes.at[i].frame];
		const struct function *f = &p->functions.at[frame->function];
		const char *name = profile_text(p, f->name);

		json_int(w->out, i > 1 ? ",\n\"" : "\n\"", i);
		json_text(w->out, "\":{\"name\":", *name ? name : "?");
		module_write(w, ",\"category\":", f);
		if (p->nodes.at[i].parent) {
			json_int(w->out, ",\"parent\":\"", p->nodes.at[i].parent);
			putc_unlocked('"', w->out);
		}
		place_write(w, f, frame->line);
		fputs_unlocked(frame->inlined ? ",\"inlined\":true}" : "}", w->out);
	}
}

static void sample_write(struct writer *w, uint32_t row, uint32_t metric)
{
	const struct samples *s = &w->p->samples;
	const struct thread *t = &w->p->threads.at[s->at[row].thread];

	json_int(w->out, w->before, t->pid);
	w->before = ",\n{\"pid\":";
	json_int(w->out, ",\"tid\":", t->tid);
	json_thousandths(w->out, ",\"ts\":", (int64_t)s->at[row].time_ns);
	json_text(w->out, ",\"name\":", profile_text(w->p, w->p->metrics.at[metric].name));
	if (s->at[row].node) {
		json_int(w->out, ",\"sf\":\"", s->at[row].node);
		putc_unlocked('"', w->out);
	}
	json_int(w->out, ",\"weight\":", s->values.at[metric].at[row]);
	putc_unlocked('}', w->out);
}

static void samples_write(struct writer *w, const struct lanes *lanes)
{
	fputs("},\n\"samples\":[", w->out);
	w->before = "\n{\"pid\":";
	for (size_t i = 0; i < lanes->n; i++) {
		const struct lane lane = lane_of(lanes, i);

		for (size_t k = 0; k < lane.n; k++)
			for (uint32_t m = 0; m < w->p->metrics.n; m++)
				if (w->p->samples.values.at[m].at[lane.rows[k]])
					sample_write(w, lane.rows[k], m);
	}
}

static void end_write(struct writer *w, bool whole)
{
	const char *command = profile_run(w->p, RUN_COMMAND);

	fputs("],\n\"displayTimeUnit\":\"ns\",\"otherData\":{\"written_by\":\"eprof\"", w->out);
	if (command)
		json_text(w->out, ",\"command\":", command);
	if (!whole)
		fputs(",\"slices\":\"left out: more than viewers load; select less, by --from and "
		      "--to\"",
		      w->out);
	fputs("}}\n", w->out);
}

static int chrome_write(const struct export_input *in, FILE *out)
{
	struct writer w = {.p = in->part, .out = out, .before = "\n"};
	const bool zones = in->tree && in->tree->of_zones;
	struct lanes lanes;
	bool whole = true;
	int rc = 0;

	lanes_build(w.p, &lanes);
	w.modules = mem_zalloc(w.p->modules.n, sizeof(*w.modules));
	for (uint32_t i = 1; i < w.p->modules.n; i++)
		w.modules[i] = profile_module_name(w.p, i);
	fputs("{\"traceEvents\":[", out);
	names_write(&w);
	if (profile_has(w.p, PART_EVENTS))
		rc = chrome_timeline_write(in, w.modules, out, &w.before);
	else if (zones)
		zones_write(&w, in->tree);
	else
		whole = slices_write(&w, &lanes);
	frames_write(&w);
	samples_write(&w, &lanes);
	end_write(&w, whole);
	lanes_release(&lanes);
	free(w.modules);
	return rc;
}

const struct export chrome_export = {
	.name = "chrome",
	.extension = "trace.json",
	.about = "Trace Event Format, for Perfetto and chrome://tracing",
	.reads = EXPORT_EVENTS,
	.walks = true,
	.write = chrome_write,
};
