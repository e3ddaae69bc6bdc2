#include "store/catalog.h"

#include <stdlib.h>
#include <string.h>

#include "base/machine_id.h"
#include "base/mem.h"
#include "base/str.h"
#include "model/meta.h"
#include "select/version.h"
#include "store/run_list.h"

/* An attribute, and which text of a row it becomes. */
struct wanted {
	const char *key;
	size_t at;
};

static char **text_at(void *row, size_t at)
{
	return (char **)((char *)row + at);
}

static int read_texts(struct reader *r, hid_t obj, const struct wanted *texts, size_t n, void *row)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < n; i++)
		rc = reader_text(r, obj, texts[i].key, text_at(row, texts[i].at));
	return rc;
}

#define COUNT(table) (sizeof(table) / sizeof(*(table)))

/* --- runs ------------------------------------------------------------------------------------- */

/* Of the machine: the platform's, unless the run has its own. */
static const struct wanted of_machine[] = {
	{META_CPU_FINGERPRINT, offsetof(struct catalog_run, cpu_fingerprint)},
	{META_MACHINE, offsetof(struct catalog_run, machine_id)},
	{META_CORES, offsetof(struct catalog_run, cores)},
	{META_RELEASE, offsetof(struct catalog_run, release)},
};

struct listing {
	struct reader *reader;
	struct catalog *catalog;
	hid_t platform;		    /* the one that was read last; not held */
	struct catalog_run machine; /* its texts of_machine */
};

static void release_run(struct catalog_run *run)
{
	char *const texts[] = {run->version,	run->platform, run->name,    run->cpu_fingerprint,
			       run->machine_id, run->cores,    run->release, run->command};

	for (size_t i = 0; i < COUNT(texts); i++)
		free(texts[i]);
	*run = (struct catalog_run){0};
}

/* Reads the texts of a platform once for all of its runs. */
static int take_platform(struct listing *l, hid_t platform)
{
	_h5_ hid_t meta = -1;
	int rc = reader_group(l->reader, platform, "meta", &meta);

	release_run(&l->machine);
	l->platform = platform;
	return rc ? rc : read_texts(l->reader, meta, of_machine, COUNT(of_machine), &l->machine);
}

static int take_machine(struct listing *l, hid_t group, struct catalog_run *run)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < COUNT(of_machine); i++) {
		const size_t at = of_machine[i].at;
		_free_ char *own = mem_printf(SCHEMA_RUN_META "%s", of_machine[i].key);

		if (H5Aexists(group, own) > 0)
			rc = reader_text(l->reader, group, own, text_at(run, at));
		else
			*text_at(run, at) = mem_strdup(*text_at(&l->machine, at));
	}
	return rc;
}

/* Older files have the machine's id unhashed. */
static void hash_machine(struct catalog_run *run)
{
	char *raw = run->machine_id;

	run->machine_id = machine_id_hashed(raw ? raw : "");
	free(raw);
}

static int take_run(void *arg, const struct walk_run *at)
{
	struct listing *l = arg;
	struct catalog_run *run = vec_add(&l->catalog->runs);
	int rc = at->platform_group == l->platform ? 0 : take_platform(l, at->platform_group);

	run->version = mem_strdup(at->version);
	run->platform = mem_strdup(at->platform);
	run->name = mem_strdup(at->name);
	/* A run without them cannot be loaded either: store_load() says so. */
	h5_get_number(at->group, SCHEMA_STARTED_NS, H5T_NATIVE_INT64, &run->started_unix_ns);
	h5_get_number(at->group, SCHEMA_DURATION, H5T_NATIVE_INT64, &run->duration_ns);
	if (!rc)
		rc = take_machine(l, at->group, run);
	if (!rc)
		hash_machine(run);
	return rc ? rc : reader_text(l->reader, at->group, RUN_COMMAND, &run->command);
}

static int compare_runs(const void *left, const void *right)
{
	const struct catalog_run *a = left, *b = right;

	return version_compare(a->version, b->version)
		       ?: order_up(a->started_unix_ns, b->started_unix_ns)
		       ?: strcmp(a->version, b->version)
		       ?: strcmp(a->platform, b->platform) ?: strcmp(a->name, b->name);
}

int catalog_load(const char *path, struct catalog *c)
{
	struct reader r;
	struct listing l = {.reader = &r, .catalog = c, .platform = -1};
	int rc = reader_open(&r, path);

	*c = (struct catalog){0};
	if (!rc)
		rc = walk_runs(&r, NULL, take_run, &l);
	reader_close(&r);
	release_run(&l.machine);
	if (!rc)
		vec_sort(&c->runs, compare_runs);
	return rc;
}

bool catalog_same_program(const struct catalog_run *a, const struct catalog_run *b)
{
	_free_ char *p = str_program(a->command), *q = str_program(b->command);

	return !*p || !*q || !strcmp(p, q);
}

void catalog_release(struct catalog *c)
{
	for (size_t i = 0; i < c->runs.n; i++)
		release_run(&c->runs.at[i]);
	vec_release(&c->runs);
}

/* --- versions and platforms ------------------------------------------------------------------- */

static const struct wanted of_platform[] = {
	{META_TIMESTAMP, offsetof(struct platform, timestamp)},
	{META_SYSTEM, offsetof(struct platform, system)},
	{META_PROCESSOR, offsetof(struct platform, processor)},
	{META_CORES, offsetof(struct platform, cores)},
	{META_NODE, offsetof(struct platform, node)},
};

struct platform_listing {
	struct reader *reader;
	struct platforms *platforms;
};

static int add_platform(void *arg, const struct walk_platform *at)
{
	struct platform_listing *l = arg;
	struct platform *p = vec_add(&l->platforms->all);
	_h5_ hid_t runs = -1, meta = -1;
	H5G_info_t info;
	int rc = reader_group(l->reader, at->group, "profiles", &runs);

	p->version = mem_strdup(at->version);
	p->platform = mem_strdup(at->platform);
	if (!rc)
		rc = reader_group(l->reader, at->group, "meta", &meta);
	/* The code that follows the links checks them. */
	p->runs = H5Gget_info(runs, &info) < 0 ? 0 : (size_t)info.nlinks;
	return rc ? rc : read_texts(l->reader, meta, of_platform, COUNT(of_platform), p);
}

/* Platforms of one version together, by time. */
static int compare_in_version(const void *left, const void *right)
{
	const struct platform *a = left, *b = right;

	return version_compare(a->version, b->version)
		       ?: strcmp(a->version, b->version)
		       ?: strcmp(a->timestamp, b->timestamp) ?: strcmp(a->platform, b->platform);
}

/* The platforms of a version, which is as old as the first of them. */
struct span {
	const struct platform *first;
	size_t n;
};

static int compare_spans(const void *left, const void *right)
{
	const struct span *a = left, *b = right;

	return version_compare(a->first->version, b->first->version)
		       ?: strcmp(a->first->timestamp, b->first->timestamp)
		       ?: strcmp(a->first->version, b->first->version);
}

/* Versions whose names do not say which is newer are ordered by time. */
static void sort_platforms(struct platforms *list)
{
	struct platform *sorted = mem_zalloc(list->all.n, sizeof(*sorted));
	VEC(struct span) spans = {0};
	size_t n = 0;

	vec_sort(&list->all, compare_in_version);
	for (size_t i = 0; i < list->all.n; i++) {
		const struct platform *p = &list->all.at[i];

		if (!spans.n || strcmp(p->version, spans.at[spans.n - 1].first->version) != 0)
			vec_push(&spans, ((struct span){.first = p}));
		spans.at[spans.n - 1].n++;
	}
	vec_sort(&spans, compare_spans);
	for (size_t i = 0; i < spans.n; n += spans.at[i++].n)
		memcpy(sorted + n, spans.at[i].first, spans.at[i].n * sizeof(*sorted));
	vec_release(&spans);
	free(list->all.at);
	list->all.at = sorted;
	list->all.cap = n;
}

int platforms_load(const char *path, struct platforms *list)
{
	struct reader r;
	struct platform_listing l = {&r, list};
	int rc = reader_open(&r, path);

	*list = (struct platforms){0};
	if (!rc)
		rc = walk_platforms(&r, NULL, add_platform, &l);
	reader_close(&r);
	/* After an error texts may be NULL. */
	if (!rc && list->all.n)
		sort_platforms(list);
	return rc;
}

void platforms_release(struct platforms *list)
{
	for (size_t i = 0; i < list->all.n; i++) {
		struct platform *p = &list->all.at[i];

		free(p->version);
		free(p->platform);
		for (size_t k = 0; k < COUNT(of_platform); k++)
			free(*text_at(p, of_platform[k].at));
	}
	vec_release(&list->all);
}
