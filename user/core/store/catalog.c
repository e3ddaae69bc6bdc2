#include "store/catalog.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "base/machine_id.h"
#include "model/meta.h"
#include "model/version.h"
#include "store/run_list.h"

/* Of the machine: what a run does not say otherwise is that of its platform. */
#define MACHINE_TEXTS 4
static const char *const machine_keys[MACHINE_TEXTS] = {META_CPU_FINGERPRINT, META_MACHINE,
							META_CORES, META_RELEASE};

struct listing {
	struct reader *reader;
	struct catalog *catalog;
	hid_t platform;		    /* the one that these are of; not held */
	char *texts[MACHINE_TEXTS]; /* owned */
};

/* The texts of a platform are read once for all of its runs. */
static int take_platform(struct listing *l, hid_t platform)
{
	_h5_ hid_t meta = -1;
	int rc = reader_group(l->reader, platform, "meta", &meta);

	for (size_t i = 0; !rc && i < MACHINE_TEXTS; i++) {
		free(l->texts[i]);
		l->texts[i] = NULL;
		rc = reader_text(l->reader, meta, machine_keys[i], &l->texts[i]);
	}
	l->platform = platform;
	return rc;
}

static int take_machine(struct listing *l, hid_t run, char **const texts[])
{
	int rc = 0;

	for (size_t i = 0; !rc && i < MACHINE_TEXTS; i++) {
		_free_ char *own = mem_printf(SCHEMA_RUN_META "%s", machine_keys[i]);

		if (H5Aexists(run, own) > 0)
			rc = reader_text(l->reader, run, own, texts[i]);
		else
			*texts[i] = mem_strdup(l->texts[i]);
	}
	return rc;
}

/* Of an older file, which has it raw. */
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
	char **const texts[MACHINE_TEXTS] = {&run->cpu_fingerprint, &run->machine_id, &run->cores,
					     &run->release};
	int rc = at->platform_group == l->platform ? 0 : take_platform(l, at->platform_group);

	run->version = mem_strdup(at->version);
	run->platform = mem_strdup(at->platform);
	run->name = mem_strdup(at->name);
	/* Without them it cannot be loaded either: store_load() says so. */
	h5_get_number(at->group, SCHEMA_STARTED_NS, H5T_NATIVE_INT64, &run->started_unix_ns);
	h5_get_number(at->group, SCHEMA_DURATION, H5T_NATIVE_INT64, &run->duration_ns);
	if (!rc)
		rc = take_machine(l, at->group, texts);
	if (!rc)
		hash_machine(run);
	return rc ? rc : reader_text(l->reader, at->group, RUN_COMMAND, &run->command);
}

static int in_order(const void *left, const void *right)
{
	const struct catalog_run *a = left, *b = right;
	int c = version_compare(a->version, b->version);

	if (!c)
		c = (a->started_unix_ns > b->started_unix_ns) -
		    (a->started_unix_ns < b->started_unix_ns);
	c = c ? c : strcmp(a->version, b->version);
	c = c ? c : strcmp(a->platform, b->platform);
	return c ? c : strcmp(a->name, b->name);
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
	for (size_t i = 0; i < MACHINE_TEXTS; i++)
		free(l.texts[i]);
	if (!rc && c->runs.n)
		qsort(c->runs.at, c->runs.n, sizeof(*c->runs.at), in_order);
	return rc;
}

static void release_run(struct catalog_run *run)
{
	char *const texts[] = {run->version,	run->platform, run->name,    run->cpu_fingerprint,
			       run->machine_id, run->cores,    run->release, run->command};

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		free(texts[i]);
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
