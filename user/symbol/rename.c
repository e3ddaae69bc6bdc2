#include "symbol/rename.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/str.h"
#include "process/images.h"
#include "symbol/worker.h"

/* --- modules -------------------------------------------------------------------------------- */

static int digit(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Parses a build-id in hexadecimal, from an untrusted file; returns its length; 0: malformed. */
static uint8_t parse_id(const char *hex, uint8_t id[BUILDID_MAX])
{
	size_t n = strlen(hex);

	if (n % 2 || n / 2 > BUILDID_MAX)
		return 0;
	for (size_t i = 0; i < n; i += 2) {
		int high = digit(hex[i]), low = digit(hex[i + 1]);

		if (high < 0 || low < 0)
			return 0;
		id[i / 2] = (uint8_t)(high << 4 | low);
	}
	return (uint8_t)(n / 2);
}

void rename_init(struct rename *r, const struct unnamed *u)
{
	*r = (struct rename){0};
	for (size_t i = 0; i < u->modules.n; i++) {
		struct rename_module *m = vec_add(&r->modules);

		m->unnamed = &u->modules.at[i];
		m->bytes = parse_id(m->unnamed->id, m->id);
		m->fd = -1;
	}
}

void rename_release(struct rename *r)
{
	for (size_t i = 0; i < r->modules.n; i++)
		if (r->modules.at[i].fd >= 0) {
			close(r->modules.at[i].fd);
			free(r->modules.at[i].path);
		}
	vec_release(&r->modules);
}

/* --- naming --------------------------------------------------------------------------------- */

struct run {
	struct renaming *out;
	struct query *queries; /* all addresses, by module */
	VEC(struct job) jobs;
	VEC(struct rename_module *) of_job;
};

static uint32_t text_of(struct run *r, const struct answer_view *v, uint32_t text)
{
	const char *at = v->text + text;
	_free_ char *clean = str_clean(at, strlen(at));

	return intern_add(&r->out->texts, clean);
}

/* The number of the answer's function; @known has the numbers, plus 1, of those added so far. */
static uint32_t take_function(struct run *r, const struct answer_view *v, uint32_t number,
			      uint32_t *known)
{
	const struct answer_function *f = &v->functions[number];

	if (!known[number]) {
		vec_push(&r->out->functions,
			 ((struct renaming_function){text_of(r, v, f->name),
						     text_of(r, v, f->linkage),
						     text_of(r, v, f->file), f->line}));
		known[number] = (uint32_t)r->out->functions.n;
	}
	return known[number] - 1;
}

/* Takes a query's frames if the outermost function has a name. */
static void take_query(struct run *r, const struct answer_view *v, uint32_t query,
		       struct rename_module *m, struct renaming_span *to, uint32_t *known)
{
	const uint32_t first = query ? v->ends[query - 1] : 0, n = v->ends[query] - first;
	const struct answer_frame *frames = &v->frames[first];

	if (!n || !v->functions[frames[n - 1].function].named)
		return;
	*to = (struct renaming_span){(uint32_t)r->out->frames.n, n};
	for (uint32_t i = 0; i < n; i++) {
		const uint32_t inlined = frames[i].inlined != 0;

		vec_push(&r->out->frames,
			 ((struct renaming_frame){take_function(r, v, frames[i].function, known),
						  frames[i].line, inlined}));
		m->inlined += inlined;
	}
	m->named++;
	m->lines += frames[0].line != 0;
}

static void take(void *context, const struct job *job, const struct answer_view *v)
{
	struct run *r = context;
	struct rename_module *m = r->of_job.at[job->number];
	_free_ uint32_t *known = mem_zalloc(v->n_functions + 1, sizeof(*known));

	for (uint32_t i = 0; i < v->n_queries; i++)
		take_query(r, v, i, m, &r->out->spans.at[job->queries - r->queries + i], known);
}

/* Adds a job for each module with a debug file; @images, one for each module, must outlive the
 * jobs. */
static void add_jobs(struct run *r, struct rename *rename, struct image *images)
{
	size_t at = 0;

	for (size_t i = 0; i < rename->modules.n; i++) {
		struct rename_module *m = &rename->modules.at[i];
		const struct unnamed_module *u = m->unnamed;

		for (size_t k = 0; k < u->n; k++)
			r->queries[at + k].offset = u->addresses[k];
		images[i] = (struct image){.kind = IMAGE_KIND_FILE,
					   .path = m->path ? m->path : (char *)(uintptr_t)u->path,
					   .fd = m->fd,
					   .root_fd = -1};
		if (m->fd >= 0) {
			vec_push(&r->jobs, ((struct job){.image = &images[i],
							 .queries = &r->queries[at],
							 .n = (uint32_t)u->n,
							 .number = (uint32_t)r->of_job.n,
							 .is_debug = true}));
			vec_push(&r->of_job, m);
		}
		at += u->n;
	}
}

static size_t count(const struct rename *rename)
{
	size_t n = 0;

	for (size_t i = 0; i < rename->modules.n; i++)
		n += rename->modules.at[i].unnamed->n;
	return n;
}

void rename_run(struct rename *rename, struct renaming *out)
{
	struct run r = {.out = out};
	const size_t n = count(rename);
	_free_ struct image *images = mem_zalloc(rename->modules.n + 1, sizeof(*images));

	*out = (struct renaming){0};
	r.queries = mem_zalloc(n + 1, sizeof(*r.queries));
	vec_reserve(&out->spans, n + 1);
	memset(out->spans.at, 0, n * sizeof(*out->spans.at));
	out->spans.n = n;
	add_jobs(&r, rename, images);
	worker_run(r.jobs.at, r.jobs.n, NULL, take, &r);
	free(r.queries);
	vec_release(&r.jobs);
	vec_release(&r.of_job);
}
