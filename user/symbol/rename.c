#include "symbol/rename.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/str.h"
#include "model/reframe.h"
#include "process/images.h"
#include "symbol/answer_profile.h"
#include "symbol/worker.h"

/* --- what there is to name ------------------------------------------------------------------ */

/* Of a file, and without a name. */
static bool is_unnamed(const struct profile *p, const struct frame *f)
{
	const struct function *g = &p->functions.at[f->function];

	return f->function && !g->named && g->kind == CODE_USER && g->module;
}

static int digit(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* The bytes of a build-id in hexadecimal, which a stranger may have written; 0: it is none. */
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

struct wanted {
	uint64_t address;
	uint32_t module;
	uint32_t frame;
};

static int compare(const void *left, const void *right)
{
	const struct wanted *a = left, *b = right;

	if (a->module != b->module)
		return a->module < b->module ? -1 : 1;
	if (a->address != b->address)
		return a->address < b->address ? -1 : 1;
	return a->frame < b->frame ? -1 : a->frame > b->frame;
}

/* Frames that have an address to name, by module and address; *@n of them, the caller's. */
static struct wanted *find_wanted(const struct profile *p, size_t *n)
{
	struct wanted *all = mem_zalloc(p->frames.n, sizeof(*all));

	*n = 0;
	for (size_t i = 1; i < p->frames.n; i++) {
		const struct frame *f = &p->frames.at[i];

		if (is_unnamed(p, f) && f->address)
			all[(*n)++] = (struct wanted){
				f->address, p->functions.at[f->function].module, (uint32_t)i};
	}
	if (*n)
		qsort(all, *n, sizeof(*all), compare);
	return all;
}

static bool is_next(const struct wanted *all, size_t i)
{
	return !i || all[i].module != all[i - 1].module || all[i].address != all[i - 1].address;
}

static void add_module(struct rename *r, const struct profile *p, uint32_t module)
{
	struct rename_module *m = vec_add(&r->modules);

	m->module = module;
	m->bytes = parse_id(profile_text(p, p->modules.at[module].build_id), m->id);
	m->fd = -1;
}

void rename_init(struct rename *r, const struct profile *p)
{
	size_t n;
	_free_ struct wanted *all = find_wanted(p, &n);

	*r = (struct rename){0};
	for (size_t i = 0; i < n; i++) {
		if (!i || all[i].module != all[i - 1].module)
			add_module(r, p, all[i].module);
		r->modules.at[r->modules.n - 1].addresses += is_next(all, i);
	}
	for (size_t i = 1; i < p->frames.n; i++)
		r->without_address += is_unnamed(p, &p->frames.at[i]) && !p->frames.at[i].address;
}

void rename_release(struct rename *r)
{
	for (size_t i = 0; i < r->modules.n; i++)
		if (r->modules.at[i].fd >= 0)
			close(r->modules.at[i].fd);
	vec_release(&r->modules);
}

/* --- naming --------------------------------------------------------------------------------- */

/* The names of one query: frames by[first … first + n - 1], innermost first. */
struct span {
	uint32_t first, n;
};

struct run {
	struct rename *r;
	struct profile *p;
	struct query *queries; /* distinct addresses, by module */
	struct span *spans;    /* by query */
	VEC(uint32_t) by;      /* frames of the profile */
	VEC(struct job) jobs;
	VEC(struct rename_module *) of_job;
};

/* Where the outermost function has a name. */
static void take_query(struct run *r, const struct answer_view *v, uint32_t query,
		       struct rename_module *m, struct span *to)
{
	const uint32_t first = query ? v->ends[query - 1] : 0, n = v->ends[query] - first;
	const struct answer_frame *frames = &v->frames[first];

	if (!v->functions[frames[n - 1].function].named)
		return;
	*to = (struct span){(uint32_t)r->by.n, n};
	for (uint32_t i = 0; i < n; i++) {
		const struct frame frame = {.function =
						    answer_function_in(r->p, v, frames[i].function,
								       m->module, CODE_USER, true),
					    .line = frames[i].line,
					    .inlined = frames[i].inlined != 0};

		vec_push(&r->by, profile_frame(r->p, &frame));
		m->inlined += frame.inlined;
	}
	m->named++;
	m->lines += frames[0].line != 0;
}

static void take(void *context, const struct job *job, const struct answer_view *v)
{
	struct run *r = context;
	struct rename_module *m = r->of_job.at[job - r->jobs.at];

	for (uint32_t i = 0; i < v->n_queries; i++)
		take_query(r, v, i, m, &r->spans[job->queries - r->queries + i]);
}

/* A job for each module with a debug file; @images, one a module, live as long as they. */
static void add_jobs(struct run *r, struct image *images)
{
	size_t at = 0;

	for (size_t i = 0; i < r->r->modules.n; i++) {
		struct rename_module *m = &r->r->modules.at[i];

		images[i] = (struct image){
			.kind = IMAGE_KIND_FILE,
			.path = mem_strdup(profile_text(r->p, r->p->modules.at[m->module].path)),
			.fd = m->fd,
			.root_fd = -1};
		if (m->fd >= 0) {
			vec_push(&r->jobs, ((struct job){.image = &images[i],
							 .queries = &r->queries[at],
							 .n = m->addresses,
							 .is_debug = true}));
			vec_push(&r->of_job, m);
		}
		at += m->addresses;
	}
}

/* What comes in the place of each wanted frame: the same, found by frame pointer where it was. */
static void replace(struct run *r, const struct wanted *all, size_t n)
{
	const size_t frames = r->p->frames.n;
	_free_ struct span *of_frame = mem_zalloc(frames, sizeof(*of_frame));
	_free_ uint32_t *first = mem_zalloc(frames + 1, sizeof(*first));
	VEC(uint32_t) by = {0};
	size_t query = 0;

	for (size_t i = 0; i < n; i++) {
		query += i && is_next(all, i);
		of_frame[all[i].frame] = r->spans[query];
	}
	for (size_t i = 0; i < frames; i++) {
		for (uint32_t k = 0; k < of_frame[i].n; k++) {
			struct frame f = r->p->frames.at[r->by.at[of_frame[i].first + k]];

			f.guessed = r->p->frames.at[i].guessed;
			vec_push(&by, profile_frame(r->p, &f));
		}
		first[i + 1] = (uint32_t)by.n;
	}
	if (by.n)
		reframe(r->p, first, by.at, frames);
	vec_release(&by);
}

void rename_run(struct rename *rename, struct profile *p)
{
	struct run r = {.r = rename, .p = p};
	size_t n, queries = 0;
	_free_ struct wanted *all = find_wanted(p, &n);
	_free_ struct image *images = mem_zalloc(rename->modules.n + 1, sizeof(*images));

	r.queries = mem_zalloc(n + 1, sizeof(*r.queries));
	r.spans = mem_zalloc(n + 1, sizeof(*r.spans));
	for (size_t i = 0; i < n; i++)
		if (is_next(all, i))
			r.queries[queries++].offset = all[i].address;
	add_jobs(&r, images);
	worker_run(r.jobs.at, r.jobs.n, take, &r);
	for (size_t i = 0; i < rename->modules.n; i++)
		free(images[i].path);
	replace(&r, all, n);
	free(r.queries);
	free(r.spans);
	vec_release(&r.by);
	vec_release(&r.jobs);
	vec_release(&r.of_job);
}
