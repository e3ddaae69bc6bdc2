/* store: a profile to HDF5 and back, and what is refused. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <hdf5.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "base/err.h"
#include "base/file.h"
#include "hdf5_leaks.h"
#include "model/meta.h"
#include "small_profile.h"
#include "store/h5.h"
#include "store/schema.h"
#include "store/store.h"
#include "temp_folder.h"
#include "zone_profile.h"

#define RUN "/v1.2.0+dirty/linux-x86_64-cpu/profiles/prog-1"

static void save_small(const char *path)
{
	struct profile *p = small_profile();

	assert_int_equal(store_save(path, false, p), 0);
	profile_free(p);
}

static struct profile *load(const char *path)
{
	struct profile *p = NULL;
	int rc = store_load(path, NULL, &p);

	if (rc)
		print_error("%s\n", err_text());
	assert_int_equal(rc, 0);
	return p;
}

static void assert_refused(const char *path, int code, const char *text)
{
	struct profile *p = NULL;

	assert_int_equal(store_load(path, NULL, &p), code);
	assert_null(p);
	assert_string_equal(err_text(), text);
}

#define SAME_COLUMN(a, b, column)                                                     \
	do {                                                                          \
		assert_int_equal((a)->column.n, (b)->column.n);                       \
		if ((a)->column.n)                                                    \
			assert_memory_equal((a)->column.at, (b)->column.at,           \
					    (a)->column.n * sizeof(*(a)->column.at)); \
	} while (0)

/* Column by column: between them a row has gaps. */
static void assert_same_table(const struct table *t, const struct any_vec *a,
			      const struct any_vec *b)
{
	assert_int_equal(a->n, b->n);
	for (size_t i = 0; i < a->n; i++)
		for (size_t c = 0; c < t->n_columns; c++) {
			size_t at = i * t->row_bytes + t->columns[c].offset;

			assert_memory_equal(a->at + at, b->at + at, column_bytes(&t->columns[c]));
		}
}

static void assert_same(const struct profile *a, const struct profile *b)
{
	for (const struct table_place *t = profile_tables; t->table; t++)
		assert_same_table(t->table, table_vec(t, a), table_vec(t, b));
	SAME_COLUMN(a, b, strings.bytes);
	for (size_t m = 0; m < a->metrics.n; m++)
		SAME_COLUMN(a, b, samples.values.at[m]);
	SAME_COLUMN(a, b, meta);
	SAME_COLUMN(a, b, run);
	assert_int_equal(a->started_unix_ns, b->started_unix_ns);
	assert_int_equal(a->duration_ns, b->duration_ns);
	assert_true(a->hz == b->hz);
}

static void comes_back_as_it_was(void **state)
{
	struct profile *p = small_profile(), *back;
	const int64_t early[] = {-3, INT64_MAX / 2};

	(void)state;
	p->functions.at[1].line = UINT32_MAX;
	p->functions.at[1].kind = KIND_MARK;
	table_of(TABLE_frames)->table->derive(p);
	p->threads.at[1].start_ns = INT64_MAX - 1;
	profile_sample(p, 7, 1, 1, early); /* time goes back: differences wrap */
	assert_int_equal(store_save("p.h5", false, p), 0);
	back = load("p.h5");
	assert_same(p, back);
	assert_int_equal(count_files(), 1);
	profile_free(p);
	profile_free(back);
}

static void keeps_a_profile_of_nothing(void **state)
{
	struct profile *p = profile_new(), *back;

	(void)state;
	assert_int_equal(store_save("p.h5", false, p), 0);
	back = load("p.h5");
	assert_same(p, back);
	profile_free(p);
	profile_free(back);
}

/* More rows than a chunk; returns the size of the file. */
static int64_t save_large(const char *path, int samples, int nodes)
{
	struct profile *p = small_profile();
	uint32_t seed = 1;
	struct stat st;

	for (int i = 0; i < samples; i++) {
		const int64_t values[] = {1001001, 0};

		seed = seed * 1664525 + 1013904223;
		if ((int)p->nodes.n < nodes)
			profile_node(p, seed / 7 % p->nodes.n, 1 + seed / 3 % (p->frames.n - 1));
		profile_sample(p, 1000000ull * i + seed / 9 % 50000, seed / 5 % 3,
			       seed / 11 % p->nodes.n, values);
	}
	assert_int_equal(store_save(path, true, p), 0);
	assert_int_equal(stat(path, &st), 0);
	if (samples > 65536) {
		struct profile *back = load(path);

		assert_same(p, back);
		profile_free(back);
	}
	profile_free(p);
	return st.st_size;
}

static void is_small(void **state)
{
	(void)state;
	assert_in_range(save_large("p.h5", 1000, 400), 1000, 20 << 10);
	assert_in_range(save_large("p.h5", 100000, 30000), 100000, 10 * 100000);
}

/* What compresses best: one stack, hit at regular times, as by a clock that counts instructions. */
static void opens_samples_all_alike(void **state)
{
	const int64_t values[] = {1000000, 1};
	const size_t n = 1000000;
	struct profile *p = small_profile(), *back;
	const size_t before = p->samples.n;

	(void)state;
	for (size_t i = 0; i < n; i++)
		profile_sample(p, 1000000ull * i, 1, 1, values);
	assert_int_equal(store_save("p.h5", true, p), 0);
	back = load("p.h5");
	assert_int_equal(back->samples.n, before + n);
	profile_free(back);
	profile_free(p);
}

static bool group_has(const char *file, const char *path, const char *name)
{
	hid_t f = H5Fopen(file, H5F_ACC_RDONLY, H5P_DEFAULT);
	hid_t group = H5Gopen2(f, path, H5P_DEFAULT);
	bool yes = H5Lexists(group, name, H5P_DEFAULT) > 0;

	H5Gclose(group);
	H5Fclose(f);
	return yes;
}

static void makes_group_names_safe(void **state)
{
	struct profile *p = small_profile(), *back;

	(void)state;
	profile_set_meta(p, "version", "../a/b%+");
	profile_set_meta(p, "platform_id", "");
	assert_int_equal(store_save("p.h5", false, p), 0);
	assert_true(group_has("p.h5", "%2E.%2Fa%2Fb%25+", "unknown"));
	back = load("p.h5");
	assert_string_equal(profile_meta(back, "version"), "../a/b%+");
	profile_free(p);
	profile_free(back);
	p = profile_new();
	assert_int_equal(store_save("q.h5", false, p), 0);
	assert_true(group_has("q.h5", "unversioned", "unknown"));
	profile_free(p);
}

static void never_overwrites_unasked(void **state)
{
	struct profile *p = small_profile();

	(void)state;
	assert_int_equal(store_save("p.h5", false, p), 0);
	assert_int_equal(store_save("p.h5", false, p), -EEXIST);
	assert_int_equal(store_save("p.h5", true, p), 0);
	assert_int_equal(store_save("none/p.h5", true, p), -ENOENT);
	assert_int_equal(count_files(), 1);
	profile_free(p);
}

static void survives_a_full_disk(void **state)
{
	const struct rlimit none = {RLIM_INFINITY, RLIM_INFINITY};
	struct profile *p = small_profile();

	(void)state;
	signal(SIGXFSZ, SIG_IGN);
	for (rlim_t bytes = 0; bytes < 6000; bytes += 1500) {
		setrlimit(RLIMIT_FSIZE, &(struct rlimit){bytes, RLIM_INFINITY});
		assert_int_equal(store_save("p.h5", false, p), -EFBIG);
		setrlimit(RLIMIT_FSIZE, &none);
		assert_string_equal(err_text(), "cannot write 'p.h5': File too large");
		assert_int_equal(count_files(), 0);
	}
	assert_int_equal(store_save("p.h5", false, p), 0);
	profile_free(p);
}

static void put(const char *path, const char *data, size_t n)
{
	FILE *f = fopen(path, "w");

	fwrite(data, 1, n, f);
	fclose(f);
}

static void refuses_what_is_no_profile(void **state)
{
	(void)state;
	assert_refused("none", -ENOENT, "cannot open 'none': No such file or directory");
	assert_refused(".", -EINVAL, "cannot read '.': it is a folder, not a profile");
	assert_refused("/dev/null", -EINVAL, "cannot read '/dev/null': it is no regular file");
	put("empty", "", 0);
	assert_refused("empty", -EINVAL, "cannot read 'empty': it is empty, not a profile");
	put("text", "a text file\n", 12);
	assert_refused("text", -EINVAL, "cannot read 'text': it is no HDF5 file, so not a profile");
	H5Fclose(H5Fcreate("other", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
	assert_refused("other", -EINVAL,
		       "cannot read 'other': it is an HDF5 file, but not a profile of eprof");
}

static void refuses_what_is_cut(void **state)
{
	char *bytes;
	size_t n;

	(void)state;
	save_small("p.h5");
	assert_int_equal(file_read("p.h5", 1 << 20, &bytes, &n), 0);
	for (size_t cut = 8; cut < n; cut = cut * 3 / 2) {
		put("cut", bytes, cut);
		assert_refused("cut", -EINVAL,
			       "cannot read 'cut': the HDF5 file is truncated or damaged");
	}
	put("cut", bytes, n - 1);
	assert_refused("cut", -EINVAL, "cannot read 'cut': the HDF5 file is truncated or damaged");
	free(bytes);
}

static hid_t reopen(void)
{
	hid_t f = H5Fopen("p.h5", H5F_ACC_RDWR, H5P_DEFAULT);

	assert_true(f >= 0);
	return f;
}

static void set_root(const char *key, int value)
{
	hid_t f = reopen(), attr = H5Aopen(f, key, H5P_DEFAULT);

	assert_true(H5Awrite(attr, H5T_NATIVE_INT, &value) >= 0);
	H5Aclose(attr);
	H5Fclose(f);
}

static void drop_root(const char *key)
{
	hid_t f = reopen();

	assert_true(H5Adelete(f, key) >= 0);
	H5Fclose(f);
}

/* A later schema that says it may be read by who knows this one; of the parts it has those are
 * shown that are known here. */
static void opens_a_newer_schema_that_lets_it(void **state)
{
	struct profile *q;
	hid_t f, run, attr;
	_free_ char *parts = NULL;
	const char text[] = "samples,waits";
	_h5_ hid_t type = H5Tcopy(H5T_C_S1);

	(void)state;
	save_small("p.h5");
	set_root("schema", STORE_SCHEMA + 6);
	f = reopen();
	run = H5Gopen(f, RUN, H5P_DEFAULT);
	assert_true(run >= 0 && H5Adelete(run, "parts") >= 0);
	H5Tset_size(type, sizeof(text));
	attr = H5Acreate2(run, "parts", type, H5Screate(H5S_SCALAR), H5P_DEFAULT, H5P_DEFAULT);
	assert_true(H5Awrite(attr, type, text) >= 0);
	H5Aclose(attr);
	H5Gclose(run);
	H5Fclose(f);
	assert_int_equal(store_load("p.h5", NULL, &q), 0);
	parts = profile_parts(q);
	assert_string_equal(parts, "samples");
	assert_string_equal(profile_run(q, RUN_UNKNOWN_PARTS), "waits");
	profile_free(q);
}

static void refuses_a_newer_schema(void **state)
{
	(void)state;
	save_small("p.h5");
	set_root("schema", STORE_SCHEMA + 6);
	set_root("min_reader", STORE_SCHEMA + 6);
	assert_refused(
		"p.h5", -ENOTSUP,
		"cannot read 'p.h5': it has schema 12, and this program knows up to 6: use a "
		"newer eprof-render");
	/* Those that came before files said who may read them. */
	drop_root("min_reader");
	assert_refused(
		"p.h5", -ENOTSUP,
		"cannot read 'p.h5': it has schema 12, and this program knows up to 6: use a "
		"newer eprof-render");
}

static void refuses_indices_out_of_range(void **state)
{
	struct profile *p = small_profile();

	(void)state;
	p->nodes.at[2].parent = 5;
	assert_int_equal(store_save("p.h5", true, p), 0);
	assert_refused("p.h5", -EINVAL,
		       "cannot read 'p.h5': nodes, row 2: parent 5 is out of range");
	p->nodes.at[2].parent = 0;
	p->samples.at[3].node = 1000;
	assert_int_equal(store_save("p.h5", true, p), 0);
	assert_refused("p.h5", -EINVAL,
		       "cannot read 'p.h5': samples, row 3: node 1000 is out of range");
	p->samples.at[3].node = 0;
	p->functions.at[1].name = 12345;
	assert_int_equal(store_save("p.h5", true, p), 0);
	assert_refused("p.h5", -EINVAL,
		       "cannot read 'p.h5': functions, row 1: name 12345 is out of range");
	profile_free(p);
}

/* Puts a dataset of @n numbers in the place of RUN/@name. */
static void replace(const char *name, hsize_t n, hid_t plist)
{
	hid_t f = reopen(), run = H5Gopen2(f, RUN, H5P_DEFAULT);
	hid_t space = H5Screate_simple(1, &n, NULL);
	hid_t set;

	H5Ldelete(run, name, H5P_DEFAULT);
	set = H5Dcreate2(run, name, H5T_STD_U32LE, space, H5P_DEFAULT, plist, H5P_DEFAULT);
	assert_true(set >= 0);
	H5Dclose(set);
	H5Sclose(space);
	H5Gclose(run);
	H5Fclose(f);
	H5Pclose(plist);
}

static void refuses_odd_storage(void **state)
{
	const hsize_t chunk = 1000, small = 6;
	hid_t plist = H5Pcreate(H5P_DATASET_CREATE);

	(void)state;
	save_small("p.h5");
	/* No byte of it is in the file, but it would be eight gigabytes in memory. */
	H5Pset_chunk(plist, 1, &chunk);
	replace("samples/node", 1u << 31, plist);
	assert_refused("p.h5", -EFBIG,
		       "cannot read 'p.h5': node is too large for a file of this size");
	plist = H5Pcreate(H5P_DATASET_CREATE);
	H5Pset_chunk(plist, 1, &small);
	H5Pset_fletcher32(plist);
	replace("samples/node", 6, plist);
	assert_refused("p.h5", -EINVAL,
		       "cannot read 'p.h5': 'node' is stored in a way not used by eprof");
	plist = H5Pcreate(H5P_DATASET_CREATE);
	H5Pset_external(plist, "/etc/passwd", 0, 24);
	replace("samples/node", 6, plist);
	assert_refused("p.h5", -EINVAL,
		       "cannot read 'p.h5': 'node' is stored in a way not used by eprof");
	replace("samples/node", 5, H5Pcreate(H5P_DATASET_CREATE));
	assert_refused("p.h5", -EINVAL, "cannot read 'p.h5': samples: columns of unequal length");
	replace("nodes", 6, H5Pcreate(H5P_DATASET_CREATE));
	assert_refused("p.h5", -EINVAL, "cannot read 'p.h5': 'nodes' is no table");
}

static void refuses_links_to_elsewhere(void **state)
{
	hid_t f;

	(void)state;
	save_small("p.h5");
	f = reopen();
	H5Ldelete(f, RUN "/frames", H5P_DEFAULT);
	H5Fclose(f);
	assert_refused("p.h5", -EINVAL, "cannot read 'p.h5': 'frames' is missing");
	f = reopen();
	H5Lcreate_soft(RUN "/nodes", f, RUN "/frames", H5P_DEFAULT, H5P_DEFAULT);
	H5Fclose(f);
	assert_refused("p.h5", -EINVAL, "cannot read 'p.h5': 'frames' is a link to elsewhere");
	f = reopen();
	H5Lcreate_external("p.h5", "/", f, "/zzz", H5P_DEFAULT, H5P_DEFAULT);
	H5Fclose(f);
	assert_refused("p.h5", -EINVAL, "cannot read 'p.h5': 'zzz' is a link to elsewhere");
}

static void cleans_strings(void **state)
{
	struct profile *p = small_profile(), *back;
	struct thread t = {.pid = 1, .tid = 1};

	(void)state;
	t.name = intern_add(&p->strings, "bad\nname\xff");
	t.process = intern_add(&p->strings, "bad?name\xef\xbf\xbd");
	profile_thread(p, &t);
	assert_int_equal(store_save("p.h5", false, p), 0);
	back = load("p.h5");
	assert_string_equal(profile_text(back, back->threads.at[3].name), "bad?name\xef\xbf\xbd");
	/* Two strings became one: their numbers too. */
	assert_int_equal(back->threads.at[3].name, back->threads.at[3].process);
	profile_free(p);
	profile_free(back);
}

static void copy_run(hid_t f, const char *to, int64_t started)
{
	hid_t run, attr;

	assert_true(H5Ocopy(f, RUN, f, to, H5P_DEFAULT, H5P_DEFAULT) >= 0);
	run = H5Gopen2(f, to, H5P_DEFAULT);
	attr = H5Aopen(run, "started_unix_ns", H5P_DEFAULT);
	H5Awrite(attr, H5T_NATIVE_INT64, &started);
	H5Aclose(attr);
	H5Gclose(run);
}

static int64_t started(struct store_key key)
{
	struct profile *p;
	int64_t ns;
	int rc = store_load("p.h5", &key, &p);

	if (rc)
		return rc;
	ns = p->started_unix_ns;
	profile_free(p);
	return ns;
}

static void takes_the_run_asked_for(void **state)
{
	const int64_t first = INT64_C(1700000000000000001);
	hid_t f;

	(void)state;
	save_small("p.h5");
	f = reopen();
	copy_run(f, "/v1.2.0+dirty/linux-x86_64-cpu/profiles/newer", first + 5);
	copy_run(f, "/v1.2.0+dirty/linux-x86_64-cpu/profiles/older", 3);
	H5Gclose(H5Gcreate2(f, "/notes", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
	H5Fclose(f);
	assert_int_equal(started((struct store_key){0}), first + 5);
	assert_int_equal(started((struct store_key){.run = "prog-1"}), first);
	assert_int_equal(started((struct store_key){.version = "v1.2.0+dirty", .run = "older"}), 3);
	assert_int_equal(started((struct store_key){.version = "v9"}), -ENOENT);
	assert_int_equal(started((struct store_key){.platform = "arm"}), -ENOENT);
	assert_string_equal(err_text(), "cannot read 'p.h5': it holds no run of platform arm: see "
					"'eprof-render store runs'");
}

#define ZONE_RUN "/3.40.1/Linux-x86_64-testcpu/profiles/sqlite3-2026-03-01T12:00:00Z"

/* Reading would: the sample has a thread whose name breaks the line. */
static void clean_names(struct profile *p)
{
	for (size_t i = 0; i < p->strings.bytes.n; i++)
		if (p->strings.bytes.at[i] == '\n')
			p->strings.bytes.at[i] = '?';
}

static void brings_zones_back(void **state)
{
	struct profile *p = zone_profile(), *only = zones_only_profile(), *back;

	(void)state;
	clean_names(p);
	clean_names(only);
	p->zones.at[Z_PREAD].m2 = 1e300;
	p->zones.at[Z_PREAD].calls_ns = INT64_MAX;
	assert_int_equal(store_save("p.h5", false, p), 0);
	back = load("p.h5");
	assert_same(p, back);
	assert_string_equal(profile_text(back, back->zones.at[Z_FIND].name), ZONE_FIND);
	assert_int_equal(back->zones.at[Z_COPY].counts, ZONE_MANY);
	profile_free(back);
	assert_int_equal(store_save("only.h5", false, only), 0);
	back = load("only.h5");
	assert_same(only, back);
	profile_free(back);
	profile_free(only);
	profile_free(p);
}

/* As every file of schema 1. */
static void writes_no_zones_where_none_are(void **state)
{
	(void)state;
	save_small("p.h5");
	assert_true(group_has("p.h5", RUN, "nodes"));
	assert_false(group_has("p.h5", RUN, "zones"));
	assert_false(group_has("p.h5", RUN, "zone_edges"));
	assert_false(group_has("p.h5", RUN "/samples", "zone"));
}

/* A table of zones with Tracy's columns and no other, in place of the whole one. */
static void keep_ten_columns(void)
{
	hid_t f = reopen(), from = H5Dopen2(f, ZONE_RUN "/zones", H5P_DEFAULT), to;
	hid_t whole = H5Dget_type(from), space = H5Dget_space(from), ten;
	hsize_t n = (hsize_t)H5Sget_simple_extent_npoints(space);
	size_t bytes = H5Tget_member_offset(whole, 10);
	_free_ char *rows = mem_zalloc(n, bytes);

	ten = H5Tcreate(H5T_COMPOUND, bytes);
	for (unsigned i = 0; i < 10; i++) {
		char *name = H5Tget_member_name(whole, i);
		hid_t type = H5Tget_member_type(whole, i);

		H5Tinsert(ten, name, H5Tget_member_offset(whole, i), type);
		H5Tclose(type);
		H5free_memory(name);
	}
	assert_true(H5Dread(from, ten, H5S_ALL, H5S_ALL, H5P_DEFAULT, rows) >= 0);
	H5Dclose(from);
	H5Ldelete(f, ZONE_RUN "/zones", H5P_DEFAULT);
	to = H5Dcreate2(f, ZONE_RUN "/zones", ten, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
	assert_true(H5Dwrite(to, ten, H5S_ALL, H5S_ALL, H5P_DEFAULT, rows) >= 0);
	H5Dclose(to);
	H5Tclose(ten);
	H5Tclose(whole);
	H5Sclose(space);
	H5Fclose(f);
}

static void unlink_at(const char *path)
{
	hid_t f = reopen();

	assert_true(H5Ldelete(f, path, H5P_DEFAULT) >= 0);
	H5Fclose(f);
}

static void unlink_in_run(const char *name)
{
	_free_ char *path = mem_printf(ZONE_RUN "/%s", name);

	unlink_at(path);
}

static void brings_reasons_back(void **state)
{
	struct profile *p = small_waits(), *back;

	(void)state;
	assert_int_equal(store_save("p.h5", false, p), 0);
	back = load("p.h5");
	assert_same(p, back);
	assert_true(profile_has(back, PART_OFFCPU));
	profile_free(back);
	/* A program that does not know the column leaves it out. */
	unlink_at(RUN "/samples/reason");
	back = load("p.h5");
	assert_int_equal(back->samples.at[0].reason, 0);
	profile_free(back);
	p->samples.at[1].reason = 9;
	assert_int_equal(store_save("p.h5", true, p), 0);
	assert_refused("p.h5", -EINVAL,
		       "cannot read 'p.h5': samples, row 1: reason 9 is out of range");
	p->samples.at[1].reason = 0;
	p->reasons.at[0].kind = 1;
	assert_int_equal(store_save("p.h5", true, p), 0);
	assert_refused("p.h5", -EINVAL, "cannot read 'p.h5': reasons, row 0: must be empty");
	profile_free(p);
}

static void reads_zones_of_other_writers(void **state)
{
	struct profile *p = zone_profile(), *back;

	(void)state;
	assert_int_equal(store_save("p.h5", false, p), 0);
	keep_ten_columns();
	back = load("p.h5");
	assert_int_equal(back->zones.n, Z_COUNT);
	for (size_t i = 0; i < Z_COUNT; i++) {
		struct zone *a = &p->zones.at[i], *b = &back->zones.at[i];

		assert_memory_equal(a, b, offsetof(struct zone, std_ns) + sizeof(a->std_ns));
		assert_int_equal(b->self_ns, 0);
		assert_int_equal(b->function, 0);
		assert_string_equal(profile_text(back, b->note), "");
	}
	profile_free(back);
	unlink_in_run("zone_threads");
	unlink_in_run("zone_hist");
	unlink_in_run("zone_values");
	unlink_in_run("samples/zone");
	unlink_in_run("zone_edges");
	back = load("p.h5");
	assert_int_equal(back->zone_edges.n, 1);
	assert_int_equal(back->samples.n, SAMPLE_KEPT);
	assert_int_equal(back->samples.at[0].zone, 0);
	profile_free(back);
	profile_free(p);
}

static void refuses_wrong_zones(void **state)
{
	struct profile *p = zone_profile();

	(void)state;
	p->zone_edges.at[4].parent = 7;
	assert_int_equal(store_save("p.h5", true, p), 0);
	assert_refused("p.h5", -EINVAL,
		       "cannot read 'p.h5': zone_edges, row 4: parent 7 is out of range");
	p->zone_edges.at[4].parent = E_EXEC;
	p->zones.at[1].note = 77777;
	assert_int_equal(store_save("p.h5", true, p), 0);
	assert_refused("p.h5", -EINVAL,
		       "cannot read 'p.h5': zones, row 1: note 77777 is out of range");
	p->zones.at[1].note = 0;
	assert_int_equal(store_save("p.h5", true, p), 0);
	unlink_in_run("zone_edges");
	assert_refused("p.h5", -EINVAL,
		       "cannot read 'p.h5': samples, row 0: zone 3 is out of range");
	assert_int_equal(store_save("p.h5", true, p), 0);
	unlink_in_run("zones");
	assert_refused("p.h5", -EINVAL,
		       "cannot read 'p.h5': zone_edges, row 1: zone 0 is out of range");
	profile_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_FOLDER(comes_back_as_it_was),
		IN_FOLDER(keeps_a_profile_of_nothing),
		IN_FOLDER(is_small),
		IN_FOLDER(opens_samples_all_alike),
		IN_FOLDER(makes_group_names_safe),
		IN_FOLDER(never_overwrites_unasked),
		IN_FOLDER(survives_a_full_disk),
		IN_FOLDER(refuses_what_is_no_profile),
		IN_FOLDER(refuses_what_is_cut),
		IN_FOLDER(opens_a_newer_schema_that_lets_it),
		IN_FOLDER(refuses_a_newer_schema),
		IN_FOLDER(refuses_indices_out_of_range),
		IN_FOLDER(refuses_odd_storage),
		IN_FOLDER(refuses_links_to_elsewhere),
		IN_FOLDER(cleans_strings),
		IN_FOLDER(takes_the_run_asked_for),
		IN_FOLDER(brings_reasons_back),
		IN_FOLDER(brings_zones_back),
		IN_FOLDER(writes_no_zones_where_none_are),
		IN_FOLDER(reads_zones_of_other_writers),
		IN_FOLDER(refuses_wrong_zones),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
