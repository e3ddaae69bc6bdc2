#include "import/perf_header.h"

#include <string.h>

#include "base/str.h"
#include "base/units.h"
#include "import/scan.h"
#include "model/meta.h"

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

void perf_header_line(struct profile *p, struct span line)
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

void perf_header_finish(struct profile *p)
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
