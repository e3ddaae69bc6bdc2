/*
 * perf-script: the text of `perf script`, one sample after the other, each with its stack, leaf
 * first. See perf_line.h for the lines; `perf script --header` tells of the machine, too.
 *
 * Each event is a metric: of cpu-clock and task-clock the periods are ns, of others events. Times
 * are kept to the µs or ns that perf prints; the first sample is at 0. perf prints the thread's id
 * alone unless it is asked for both (-F +pid): the process is unknown then.
 */
#include "import/import.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <time.h>

#include "base/err.h"
#include "base/str.h"
#include "base/units.h"
#include "import/builder.h"
#include "import/scan.h"
#include "import/perf_line.h"
#include "model/meta.h"

#define KERNEL_FROM (1ull << 63) /* addresses of the kernel, on every 64-bit machine */

/* What the text of a frame becomes: its frame; of an inlined one its name, as it takes the module
 * of the function that it is in. */
struct shape {
	uint32_t frame; /* not inlined */
	uint32_t module;
	uint32_t name; /* inlined */
	uint8_t inlined;
};
struct perf_script {
	struct input *in;
	struct builder *b;
	struct known comms, events[2]; /* → string; metric, by whether a period is known */
	struct known texts[2];	       /* of user space and kernel → shape */
	VEC(struct shape) shapes;
	VEC(uint32_t) stack; /* shapes, leaf first */
	struct perf_sample sample;
	uint32_t thread, metric;
	bool timed; /* the first sample has a time, and all must have one */
	bool open;  /* a sample whose stack is being read */
	bool lost;  /* frames that follow belong to none */
	size_t samples;
};

/* --- the comments of `perf script --header` --------------------------------------------------- */

/* The key of a line, and what it becomes. */
static const struct {
	const char *key, *meta, *run;
} keys[] = {
	{"hostname", META_NODE, NULL},	   {"os release", META_RELEASE, NULL},
	{"arch", META_ARCH, NULL},	   {"nrcpus online", META_CORES, NULL},
	{"cpudesc", META_PROCESSOR, NULL}, {"cpuid", META_CPU_FINGERPRINT, NULL},
	{"cmdline", NULL, RUN_OPTIONS},
};

/* "event : name = cpu-clock, …, { sample_period, sample_freq } = 499, …, freq = 1, …" */
static void take_event(struct profile *p, const char *text)
{
	static const char sample[] = "sample_freq } = ";
	const char *at = strstr(text, sample), *freq = strstr(text, " freq = 1");
	double hz;

	if (!at || !freq || p->hz)
		return;
	at += strlen(sample);
	if (span_double((struct span){at, strcspn(at, ", ")}, &hz) && hz > 0)
		p->hz = hz;
}

/* "Mon Aug 30 11:15:28 2021", when perf.data was written: by the clock of that machine, whose time
 * zone is nowhere said. Taken for UTC. */
static void take_date(struct profile *p, const char *text)
{
	struct tm tm = {0};
	const char *end = strptime(text, "%a %b %d %H:%M:%S %Y", &tm);

	/* Years that ns since 1970 can tell. */
	if (!end || *end || p->started_unix_ns || tm.tm_year < 70 || tm.tm_year > 300)
		return;
	p->started_unix_ns = (int64_t)timegm(&tm) * 1000000000;
	profile_set_meta(p, META_TIMESTAMP, time_text(p->started_unix_ns));
}

/* Takes one line that begins with '#'. */
static void perf_header_line(struct profile *p, struct span line)
{
	struct span value = span_trim(span_from(line, 1)), key;
	_free_ char *text = NULL;

	if (span_find(value, ':') == value.n)
		return;
	key = span_trim(span_take(&value, ':'));
	value = span_trim(value);
	text = builder_attribute(value);
	if (span_is(key, "event"))
		take_event(p, text);
	if (span_is(key, "captured on"))
		take_date(p, text);
	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
		if (!*text || !span_is(key, keys[i].key))
			continue;
		if (keys[i].meta && !profile_meta(p, keys[i].meta))
			profile_set_meta(p, keys[i].meta, text);
		if (keys[i].run && !profile_run(p, keys[i].run))
			profile_set_run(p, keys[i].run, text);
	}
}

/* "AuthenticAMD,25,17,1" as captures write it: "AuthenticAMD-25-17-1". */
static void set_fingerprint(struct profile *p)
{
	const char *id = profile_meta(p, META_CPU_FINGERPRINT);
	_free_ char *text = id ? mem_strdup(id) : NULL;

	if (!text)
		return;
	for (char *s = text; *s; s++)
		*s = *s == ',' ? '-' : *s;
	profile_set_meta(p, META_CPU_FINGERPRINT, text);
}

/* "perf record -g -- sqlite3 x.db" → "sqlite3 x.db" */
static void set_command(struct profile *p)
{
	const char *line = profile_run(p, RUN_OPTIONS);
	const char *dashes = line ? strstr(line, " -- ") : NULL;
	_free_ char *command = dashes ? mem_strdup(dashes + 4) : NULL;

	if (command)
		profile_set_run(p, RUN_COMMAND, command);
}

/* After the last one: the platform, as captures have it. */
static void perf_header_finish(struct profile *p)
{
	const char *arch = profile_meta(p, META_ARCH), *cpu = profile_meta(p, META_PROCESSOR);
	_free_ char *slug = cpu ? str_slug(cpu) : NULL;
	_free_ char *platform = arch && slug ? mem_printf("linux-%s-%s", arch, slug) : NULL;

	set_fingerprint(p);
	set_command(p);
	if (!platform)
		return;
	profile_set_meta(p, META_SYSTEM, "Linux");
	profile_set_meta(p, META_PLATFORM, platform);
}

/* --- samples ---------------------------------------------------------------------------------- */

static bool is_clock(struct span event)
{
	return span_starts(event, "cpu-clock") || span_starts(event, "task-clock");
}

/* Where perf script left out the periods (-F -period) and no header has the rate, the samples of a
 * clock are of no known time: they are counted. */
static uint32_t metric_of(struct perf_script *s, struct span event, bool has_period)
{
	bool fresh;
	uint32_t *at = known_at(&s->events[has_period], event, &fresh);
	_free_ char *name = fresh ? str_clean(event.s, event.n) : NULL;
	const bool clock = is_clock(event) && has_period;

	if (fresh) {
		*at = builder_metric(s->b, name, clock ? "ns" : "events",
				     clock ? METRIC_SUM : METRIC_COUNT);
		if (clock)
			s->b->metrics.at[*at].base = builder_span(s->b, span_of(METRIC_ON_CPU));
	}
	return *at;
}

static uint32_t thread_of(struct perf_script *s, const struct perf_sample *e)
{
	bool fresh;
	uint32_t *at = known_at(&s->comms, e->comm, &fresh);

	if (fresh)
		*at = builder_span(s->b, e->comm);
	return builder_thread(s->b, e->pid, e->tid, *at, 0);
}

static enum frame_kind kind_of(const struct perf_symbol *e, uint64_t address)
{
	if (address >= KERNEL_FROM || span_starts(e->module, "[kernel."))
		return KIND_KERNEL;
	if (span_is(e->module, "[vdso]"))
		return KIND_VDSO;
	if (span_starts(e->module, "/tmp/perf-") || span_starts(e->module, "[JIT]") ||
	    span_starts(e->module, "//anon"))
		return KIND_JIT;
	return !e->module.n && builder_is_unnamed(e->name) ? KIND_UNKNOWN : KIND_NATIVE;
}

/* As captures call it. */
static struct span module_of(const struct perf_symbol *e)
{
	return span_is(e->module, "[kernel.kallsyms]") ? span_of("[kernel]") : e->module;
}

static struct shape make_shape(struct perf_script *s, const struct perf_frame *line)
{
	struct profile *p = s->b->profile;
	struct function f = {0};
	struct perf_symbol e;
	struct shape shape = {0};

	perf_line_symbol(line->text, &e);
	f.name = builder_span(s->b, e.name.n ? e.name : span_of("[unknown]"));
	f.module = builder_module(s->b, module_of(&e));
	f.kind = (uint8_t)kind_of(&e, line->address);
	f.named = !builder_is_unnamed(e.name);
	shape.inlined = e.inlined;
	shape.name = f.name;
	shape.module = f.module;
	if (!e.inlined)
		shape.frame =
			profile_frame(p, &(struct frame){.function = profile_function(p, &f)});
	return shape;
}

/* Frames of the kernel and of user space may have the same text where no module is known. */
static void take_frame(struct perf_script *s, const struct perf_frame *line)
{
	bool fresh;
	const bool kernel = line->address >= KERNEL_FROM;
	uint32_t *at = known_at(&s->texts[kernel], line->text, &fresh);

	if (fresh) {
		*at = (uint32_t)s->shapes.n;
		vec_push(&s->shapes, make_shape(s, line));
	}
	vec_push(&s->stack, *at);
}

/* An inlined function is of the same module and kind as the one that holds its code: @outer. */
static uint32_t inlined_frame(struct profile *p, uint32_t name, uint32_t outer)
{
	const struct function *o = &p->functions.at[p->frames.at[outer].function];
	const struct function f = {.name = name, .module = o->module, .kind = o->kind, .named = 1};

	return profile_frame(p, &(struct frame){.function = profile_function(p, &f), .inlined = 1});
}

static void end_sample(struct perf_script *s)
{
	struct builder_value value = {s->metric, (int64_t)s->sample.period};
	uint32_t node = 0, outer = 0;

	if (!s->open)
		return;
	for (size_t i = s->stack.n; i-- > 0;) {
		const struct shape *shape = &s->shapes.at[s->stack.at[i]];

		outer = shape->inlined ? inlined_frame(s->b->profile, shape->name, outer)
				       : shape->frame;
		node = profile_node(s->b->profile, node, outer);
	}
	builder_sample(s->b, s->sample.time_ns, s->thread, node, 1, &value, 1);
	if (!s->stack.n)
		builder_note(s->b, s->metric, LEDGER_NOTE, "no stack", 1);
	if (!value.value)
		builder_lose(s->b, s->metric, "a period of 0", 1);
	s->open = false;
	s->stack.n = 0;
}

/* Without a call chain perf writes the frame behind the event. */
static void take_rest(struct perf_script *s)
{
	struct perf_frame frame;
	_free_ char *line = s->sample.rest.n
				    ? mem_printf("\t%.*s", (int)s->sample.rest.n, s->sample.rest.s)
				    : NULL;

	if (line && perf_line_frame(span_of(line), &frame) &&
	    span_find(frame.text, '=') == frame.text.n)
		take_frame(s, &frame);
}

static void begin_sample(struct perf_script *s, const struct perf_sample *sample)
{
	end_sample(s);
	s->sample = *sample;
	s->open = true;
	s->lost = false;
	if (!s->samples++)
		s->timed = s->b->timed = sample->time_ns > 0;
	s->thread = thread_of(s, &s->sample);
	if (!s->sample.has_period && is_clock(s->sample.event) && s->b->profile->hz > 1e-9) {
		s->sample.period = (uint64_t)llround(1e9 / s->b->profile->hz);
		s->sample.has_period = true;
	}
	s->metric = metric_of(s, s->sample.event, s->sample.has_period);
	take_rest(s);
}

static int lose_line(struct perf_script *s)
{
	end_sample(s);
	s->lost = true;
	if (!s->samples)
		return input_bad(s->in, "no line of perf script: thread, id, time and event are "
					"expected, as in \"cat 4711 61349.213533: cycles:\"");
	builder_lose(s->b, 0, "line of a sample that was not understood", 1);
	return 0;
}

/* A line that begins with a blank: of the stack; or a source line (-F +srcline), or one of another
 * field of a sample. */
static void take_inner(struct perf_script *s, struct span line)
{
	struct perf_frame frame;

	if (s->lost)
		return;
	if (!s->open)
		builder_note(s->b, 0, LEDGER_NOTE, "line outside of samples", s->samples > 0);
	else if (perf_line_frame(line, &frame))
		take_frame(s, &frame);
	else
		builder_note(s->b, s->metric, LEDGER_NOTE, "line in a stack that was not read", 1);
}

/* A frame without blanks before it, as tools leave it that trim lines: "7f26dc19f683 read
 * (libc.so)".
 */
static bool is_bare_frame(struct span line, struct perf_frame *out, char **indented)
{
	struct span rest = line;
	const struct span address = span_word(&rest);
	uint64_t number;

	if (address.n < 6 || !span_number(address, 16, UINT64_MAX, &number))
		return false;
	*indented = mem_printf("\t%.*s", (int)line.n, line.s);
	return perf_line_frame(span_of(*indented), out);
}

static bool take_bare(struct perf_script *s, struct span line)
{
	struct perf_frame frame;
	_free_ char *indented = NULL;

	if (!(s->open || s->lost) || !is_bare_frame(line, &frame, &indented))
		return false;
	if (s->open)
		take_frame(s, &frame);
	return true;
}

/* Without call chains lines of samples begin with blanks, too. */
static int take_line(struct perf_script *s, struct span line)
{
	struct perf_sample sample;

	if (!span_trim(line).n)
		end_sample(s);
	else if (line.s[0] == '#')
		perf_header_line(s->b->profile, line);
	else if (line.s[0] != '\t' && perf_line_sample(line, s->timed, &sample))
		begin_sample(s, &sample);
	else if (is_blank(line.s[0]))
		take_inner(s, line);
	else if (!take_bare(s, line))
		return lose_line(s);
	return 0;
}

static void release(struct perf_script *s)
{
	known_release(&s->comms);
	known_release(&s->events[0]);
	known_release(&s->events[1]);
	known_release(&s->texts[0]);
	known_release(&s->texts[1]);
	vec_release(&s->shapes);
	vec_release(&s->stack);
}

static int perf_script_read(struct input *in, struct builder *b)
{
	struct perf_script s = {.in = in, .b = b};
	struct span line;
	int rc;

	while ((rc = input_line(in, &line)) > 0) {
		rc = take_line(&s, line);
		if (rc)
			break;
	}
	end_sample(&s);
	if (!rc && !s.samples)
		rc = err(-EINVAL, "'%s' holds no sample of perf script", in->name);
	if (!rc)
		perf_header_finish(b->profile);
	release(&s);
	return rc;
}

/* The first line that is no comment begins a sample; where that has no time, a frame follows it. */
static bool is_begun(struct span line, struct span rest)
{
	struct perf_sample sample;
	struct perf_frame frame;
	_free_ char *indented = NULL;

	if (perf_line_sample(line, true, &sample))
		return true;
	if (!perf_line_sample(line, false, &sample))
		return false;
	line = span_take(&rest, '\n');
	return perf_line_frame(line, &frame) || is_bare_frame(line, &frame, &indented);
}

static bool perf_script_is(struct span head)
{
	if (span_starts(head, "# ========\n# captured on"))
		return true;
	while (head.n) {
		const struct span line = span_take(&head, '\n');

		if (line.n && line.s[0] != '#' && line.s[0] != '\r')
			return is_begun(line, head);
	}
	return false;
}

const struct import perf_script_import = {
	.name = "perf-script",
	.about = "the text of perf script",
	.is = perf_script_is,
	.read = perf_script_read,
};
