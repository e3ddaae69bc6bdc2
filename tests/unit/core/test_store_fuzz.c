/* store against damaged files: 2,000 mutations of a small profile's bytes, which HDF5's checksums
 * mostly see, and 1,500 well-formed files with wrong tables, which they cannot; always the same
 * ones. Each must load or be refused with a text; ASan, UBSan and a limit of CPU time watch. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/err.h"
#include "base/file.h"
#include "hdf5_leaks.h"
#include "merge/merge.h"
#include "model/check.h"
#include "model/waits.h"
#include "query/tree.h"
#include "query/zone_rows.h"
#include "report_doc.h"
#include "small_profile.h"
#include "store/schema.h"
#include "store/store.h"
#include "temp_folder.h"
#include "zone_profile.h"

#define ROUNDS	     2000
#define TIME_LIMIT_S 60

/* 0: none. Of CPU time: a busy machine is no hang. */
static void limit_cpu(int seconds)
{
	const struct itimerval t = {.it_value.tv_sec = seconds};

	setitimer(ITIMER_PROF, &t, NULL);
}

/* xorshift64 by Marsaglia. */
static uint64_t next(uint64_t *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 7;
	*seed ^= *seed << 17;
	return *seed;
}

/* One to eight changed bytes, or a run of equal ones; sometimes the end cut off. Returns the
 * size. */
static size_t mutate(char *bytes, size_t n, uint64_t *seed)
{
	static const uint8_t telling[] = {0, 1, 0x7f, 0x80, 0xff};
	size_t times = 1 + next(seed) % 8;

	/* A table of no rows. */
	if (!n)
		return 0;
	for (size_t i = 0; i < times; i++) {
		size_t at = next(seed) % n;

		switch (next(seed) % 4) {
		case 0:
			bytes[at] ^= 1 << next(seed) % 8;
			break;
		case 1:
			bytes[at] = (char)next(seed);
			break;
		case 2:
			bytes[at] = (char)telling[next(seed) % sizeof(telling)];
			break;
		default:
			for (size_t k = at; k < n && k < at + 8; k++)
				bytes[k] = (char)0xff;
		}
	}
	return next(seed) % 10 ? n : next(seed) % n;
}

static void put(const char *path, const char *bytes, size_t n)
{
	FILE *f = fopen(path, "w");

	assert_int_equal(fwrite(bytes, 1, n, f), n);
	fclose(f);
}

/* True when the file loads. What loads must also be good for trees and tables. */
/* Twice itself, whole and a part of it: a profile again, or a word why not. */
static void try_merge(const struct profile *p)
{
	static const struct merge_choice choices[] = {
		{0}, {.from_ns = 150, .to_ns = 450}, {.recent_ns = 300, .key = "*"}};

	for (size_t i = 0; i < sizeof(choices) / sizeof(*choices); i++) {
		struct merge *m = merge_new(&choices[i]);
		struct profile *sum = NULL;

		if (merge_add(m, p, "a") || merge_add(m, p, "b") || merge_finish(m, &sum))
			assert_true(*err_text());
		profile_free(sum);
		merge_free(m);
	}
}

static bool try(const char *path)
{
	const struct selection all = {0};
	struct profile *p = NULL;
	struct zone_rows rows;
	struct tree *t = NULL;
	int rc = store_load(path, NULL, &p);

	if (rc) {
		assert_true(rc < 0 && *err_text());
		assert_null(p);
		return false;
	}
	if (!tree_build(p, &all, &t))
		tree_free(t);
	if (!zone_tree_build(p, &all, &t))
		tree_free(t);
	if (!zone_rows_build(p, &all, &rows))
		zone_rows_release(&rows);
	free(contradictions_text(p));
	try_merge(p);
	profile_free(p);
	return true;
}

/* What loads can be shown, its zones one by one too. */
static void report(const char *path)
{
	static const char *const shown[] = {"summary", "zones", "zone", "zone-flame", "cost", NULL};
	static const char *const names[] = {"html", "txt", "csv"};
	const struct selection sel = {
		.zone = "/./", .sort = "p99", .where = {"counts>=0"}, .n_where = 1};
	struct report_doc r;

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		struct profile *p;
		size_t n;

		assert_int_equal(store_load(path, NULL, &p), 0);
		report_doc_init(&r, p, &sel, shown);
		free(report_doc_write(&r.doc, names[i], &(struct format_options){.width = 80}, &n));
		report_doc_release(&r);
	}
}

static void survives_mutations(void **state)
{
	struct profile *p = small_profile();
	uint64_t seed = 20240229;
	char *bytes, *copy;
	size_t n, loaded = 0;

	(void)state;
	assert_int_equal(store_save("good.h5", false, p), 0);
	profile_free(p);
	assert_int_equal(file_read("good.h5", 1 << 20, &bytes, &n), 0);
	assert_true(try("good.h5"));
	copy = mem_zalloc(n, 1);
	limit_cpu(TIME_LIMIT_S);
	for (int i = 0; i < ROUNDS; i++) {
		memcpy(copy, bytes, n);
		put("bad.h5", copy, mutate(copy, n, &seed));
		loaded += try("bad.h5");
	}
	limit_cpu(0);
	/* HDF5's checksums see nearly all; a change in unused space loads. */
	assert_in_range(loaded, 0, ROUNDS / 2);
	free(copy);
	free(bytes);
}

/* A table that has rows, of zones or of all else. */
static const struct table_place *any_table(const struct profile *p, bool of_zones, uint64_t *seed)
{
	for (;;) {
		const struct table_place *t = &profile_tables[next(seed) % (TABLES - 1)];

		if ((t->table->part == PART_ZONES) == of_zones && table_vec(t, p)->n)
			return t;
	}
}

static void spoil_table(struct profile *p, const struct table_place *t, uint64_t *seed)
{
	mutate(table_vec(t, p)->at, table_vec(t, p)->n * t->table->row_bytes, seed);
}

static void spoil_samples(struct profile *p, uint64_t *seed)
{
	mutate((char *)p->samples.at, p->samples.n * sizeof(*p->samples.at), seed);
}

/* Changes bytes of any table, as a writer of ill will could. */
static void spoil(struct profile *p, uint64_t *seed)
{
	if (next(seed) % 3)
		spoil_table(p, any_table(p, false, seed), seed);
	else if (next(seed) % 5)
		spoil_samples(p, seed);
	else
		mutate((char *)p->samples.values.at[0].at,
		       p->samples.values.at[0].n * sizeof(int64_t), seed);
}

static void survives_wrong_tables(void **state)
{
	uint64_t seed = 42;
	size_t loaded = 0;

	(void)state;
	limit_cpu(TIME_LIMIT_S);
	for (int i = 0; i < ROUNDS / 2; i++) {
		struct profile *p = small_waits();

		profile_module(p, "/bin/x", "");
		vec_push(&p->thread_waits, ((struct thread_wait){.thread = 1, .waits = 2}));
		vec_push(&p->windows, ((struct window){0, 1000, 99}));
		vec_push(&p->origins, ((struct origin){.file = 1, .duration_ns = 1000}));
		vec_push(&p->source_lines, ((struct source_line){1, 7, 2}));
		profile_add_part(p, PART_SOURCE);
		spoil(p, &seed);
		assert_int_equal(store_save("bad.h5", true, p), 0);
		loaded += try("bad.h5");
		profile_free(p);
	}
	limit_cpu(0);
	/* Changes to a line or a time are as good as the true ones. */
	assert_in_range(loaded, 1, ROUNDS / 2 - 100);
}

static void spoil_zones(struct profile *p, uint64_t *seed)
{
	if (next(seed) % 8)
		spoil_table(p, any_table(p, true, seed), seed);
	else
		spoil_samples(p, seed);
}

static void survives_wrong_zones(void **state)
{
	uint64_t seed = 4711;
	size_t loaded = 0;

	(void)state;
	limit_cpu(TIME_LIMIT_S);
	for (int i = 0; i < ROUNDS / 4; i++) {
		struct profile *p = small_profile();

		zones_add(p);
		spoil_zones(p, &seed);
		assert_int_equal(store_save("bad.h5", true, p), 0);
		/* Some of them: what goes wrong in a report mostly does so in each. */
		if (try("bad.h5") && ++loaded % 4 == 0)
			report("bad.h5");
		profile_free(p);
	}
	limit_cpu(0);
	assert_in_range(loaded, 1, ROUNDS / 4 - 50);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_FOLDER(survives_mutations),
		IN_FOLDER(survives_wrong_tables),
		IN_FOLDER(survives_wrong_zones),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
