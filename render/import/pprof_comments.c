/* Comments of a pprof file: attributes of the run and the machine, as export/pprof.c writes them.
 */
#include "import/pprof_state.h"

#include <errno.h>
#include <string.h>

#include "base/str.h"
#include "model/meta.h"

/* Attributes as export/pprof.c writes them into comments, those that eprof itself has. */
static const struct known_attribute {
	const char *before;
	void (*set)(struct profile *, const char *key, const char *text);
	const char *keys[16];
} attributes[] = {
	{"run.",
	 profile_set_run,
	 {RUN_NAME, RUN_COMMAND, RUN_TARGET, RUN_PID, RUN_EVENTS, RUN_EVENT_CHOICE, RUN_CLOCK,
	  RUN_OFF_CPU, RUN_OPTIONS, RUN_END}},
	{"meta.",
	 profile_set_meta,
	 {META_VERSION, META_PLATFORM, META_MACHINE, META_TIMESTAMP, META_SYSTEM, META_ARCH,
	  META_NODE, META_RELEASE, META_PROCESSOR, META_CPU_FINGERPRINT, META_CORES,
	  META_COMPILER}},
};

static void set_base(struct pprof *f, const char *line)
{
	for (size_t i = 0; i < f->b->metrics.n; i++) {
		struct metric *m = &f->b->metrics.at[i];
		const char *name = profile_text(f->b->profile, m->name);
		const size_t n = strlen(name);

		if (!strncmp(line, name, n) && line[n] == '=') {
			m->base = builder_text(f->b, line + n + 1, strlen(line + n + 1));
			return;
		}
	}
}

static void set_attribute(struct pprof *f, const struct known_attribute *a, const char *line)
{
	for (const char *const *key = a->keys; *key; key++) {
		const size_t n = strlen(*key);
		_free_ char *clean = NULL;

		if (strncmp(line, *key, n) || line[n] != '=')
			continue;
		clean = str_clean(line + n + 1, strlen(line + n + 1));
		a->set(f->b->profile, *key, clean);
	}
}

int pprof_read_comments(struct pprof *f)
{
	for (size_t i = 0; i < f->m->n_comment; i++) {
		const char *line = pprof_string(f, f->m->comment[i]);

		if (!line)
			return -EINVAL;
		if (str_starts(line, "base."))
			set_base(f, line + strlen("base."));
		for (size_t k = 0; k < sizeof(attributes) / sizeof(*attributes); k++)
			if (str_starts(line, attributes[k].before))
				set_attribute(f, &attributes[k],
					      line + strlen(attributes[k].before));
	}
	return 0;
}
