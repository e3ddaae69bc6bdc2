/*
 * speedscope: samples thread by thread in order of time, as speedscope's file format has them:
 *
 *	{"shared":{"frames":[{"name":"main","file":"shell.c","line":24412}]},
 *	 "profiles":[{"type":"sampled","name":"sqlite3 4711","unit":"nanoseconds","startValue":0,
 *	  "endValue":20,"samples":[[0],[0]],"weights":[10,10]}]}
 *
 * One profile a thread and metric. Stacks are root first. A frame is a function, with the line of
 * its declaration: frames of other lines were other functions to its tables.
 */
#include "export/export.h"

#include "base/json.h"
#include "base/str.h"
#include "base/units.h"
#include "export/lanes.h"
#include "model/meta.h"

static void frames_write(const struct profile *p, FILE *out)
{
	fputs(",\n\"shared\":{\"frames\":[", out);
	for (uint32_t i = 1; i < p->functions.n; i++) {
		const struct function *f = &p->functions.at[i];
		const char *name = profile_text(p, f->name), *file = profile_text(p, f->file);

		json_text(out, i > 1 ? ",\n{\"name\":" : "\n{\"name\":", *name ? name : "?");
		if (*file)
			json_text(out, ",\"file\":", file);
		if (*file && f->line)
			json_int(out, ",\"line\":", f->line);
		putc('}', out);
	}
	fputs("]}", out);
}

/* A stack's text, "[0,4,7]". */
static void stack_write(const struct profile *p, uint32_t node, uint32_t *path, FILE *out)
{
	size_t n = 0;

	for (; node; node = p->nodes.at[node].parent) {
		const uint32_t function = p->frames.at[p->nodes.at[node].frame].function;

		if (function)
			path[n++] = function - 1;
	}
	putc_unlocked('[', out);
	for (size_t i = n; i-- > 0;)
		json_int(out, i + 1 < n ? "," : "", path[i]);
	putc_unlocked(']', out);
}

static const char *unit_word(const char *unit)
{
	return !strcmp(unit, "ns") ? "nanoseconds" : !strcmp(unit, "bytes") ? "bytes" : "none";
}

struct writer {
	const struct profile *p;
	FILE *out;
	uint32_t *path; /* room for the deepest stack */
	struct lanes lanes;
	size_t profiles;
	size_t largest; /* of the profiles, and its sum: it is shown first */
	int64_t most;
};

static void samples_write(struct writer *w, struct lane lane, uint32_t metric)
{
	const char *unit = profile_text(w->p, w->p->metrics.at[metric].unit);
	const int64_t *values = w->p->samples.values.at[metric].at;
	const char *before = "";
	char text[UNITS_BUF];

	fputs(",\"samples\":[", w->out);
	for (size_t i = 0; i < lane.n; i++) {
		if (!values[lane.rows[i]])
			continue;
		fputs_unlocked(before, w->out);
		before = ",\n";
		stack_write(w->p, w->p->samples.at[lane.rows[i]].node, w->path, w->out);
	}
	fputs("],\n\"weights\":[", w->out);
	before = "";
	for (size_t i = 0; i < lane.n; i++) {
		if (!values[lane.rows[i]])
			continue;
		fputs_unlocked(before, w->out);
		fputs_unlocked(units_plain(text, sizeof(text), values[lane.rows[i]], unit), w->out);
		before = ",";
	}
	fputs("]}", w->out);
}

static void profile_write(struct writer *w, size_t thread, uint32_t metric)
{
	const struct metric *m = &w->p->metrics.at[metric];
	const struct lane lane = lane_of(&w->lanes, thread);
	_free_ char *name = lane_name(w->p, thread, metric);
	size_t samples;
	int64_t sum = lane_sum(w->p, lane, metric, &samples);

	if (!samples || ferror(w->out))
		return;
	if (metric == 0 && sum > w->most) {
		w->most = sum;
		w->largest = w->profiles;
	}
	fputs(w->profiles++ ? ",\n{\"type\":\"sampled\"" : "\n{\"type\":\"sampled\"", w->out);
	json_text(w->out, ",\"name\":", name);
	json_text(w->out, ",\"unit\":", unit_word(profile_text(w->p, m->unit)));
	json_int(w->out, ",\"startValue\":0,\"endValue\":", sum);
	samples_write(w, lane, metric);
}

static void profiles_write(struct writer *w)
{
	fputs(",\n\"profiles\":[", w->out);
	for (uint32_t metric = 0; metric < w->p->metrics.n; metric++)
		for (size_t thread = 0; thread < w->p->threads.n; thread++)
			profile_write(w, thread, metric);
	fputs("]", w->out);
	if (w->profiles)
		json_int(w->out, ",\n\"activeProfileIndex\":", (int64_t)w->largest);
}

static int speedscope_write(const struct export_input *in, FILE *out)
{
	struct writer w = {.p = in->part, .out = out};
	const char *command = profile_run(w.p, RUN_COMMAND);

	w.path = mem_zalloc(w.p->nodes.n, sizeof(*w.path));
	lanes_build(w.p, &w.lanes);
	fputs("{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\"", out);
	json_text(out, ",\"exporter\":", "eprof");
	json_text(out, ",\"name\":", command ? command : "profile");
	frames_write(w.p, out);
	profiles_write(&w);
	fputs("}\n", out);
	lanes_release(&w.lanes);
	free(w.path);
	return 0;
}

const struct export speedscope_export = {
	.name = "speedscope",
	.extension = "speedscope.json",
	.about = "samples in order of time, for speedscope.app",
	.reads = EXPORT_STACKS,
	.write = speedscope_write,
};
