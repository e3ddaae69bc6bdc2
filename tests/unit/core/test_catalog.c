/* Stores of many runs: what is added comes back, in order and under its exact keys; and what is
 * refused. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "hdf5_leaks.h"
#include "store/h5.h"
#include "store/catalog.h"
#include "store/reader.h"
#include "store/schema.h"
#include "store_sample.h"
#include "temp_folder.h"

#define COUNT(a) (sizeof(a) / sizeof(*(a)))

static void add(const char *version, int i)
{
	int rc = store_sample_add("s.h5", version, i);

	if (rc)
		print_error("%s\n", err_text());
	assert_int_equal(rc, 0);
}

/* "version:run version:run …" as the catalog has them. */
static void assert_runs(const char *expected)
{
	struct catalog c;
	char text[1024] = "";

	assert_int_equal(catalog_load("s.h5", &c), 0);
	for (size_t i = 0; i < c.runs.n; i++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%s:%s", i ? " " : "",
			 c.runs.at[i].version, c.runs.at[i].name);
	assert_string_equal(text, expected);
	catalog_release(&c);
}

static void lists_in_order(void **state)
{
	(void)state;
	add("1.10.0", 1);
	add("1.9.0", 2);
	add("1.10.0-rc1", 3);
	add("abcdef01", 9);
	add("1.9.0", 0);
	add("0000fffe", 5);
	assert_runs("0000fffe:prog-5 abcdef01:prog-9 1.9.0:prog-0 1.9.0:prog-2 1.10.0-rc1:prog-3 "
		    "1.10.0:prog-1");
}

static void lists_a_capture(void **state)
{
	struct profile *p = store_sample("1.0", 7);
	struct catalog c;

	(void)state;
	profile_set_meta(p, META_CPU_FINGERPRINT, "amd-25-1");
	assert_int_equal(store_save("s.h5", false, p), 0);
	assert_int_equal(catalog_load("s.h5", &c), 0);
	assert_int_equal(c.runs.n, 1);
	assert_string_equal(c.runs.at[0].version, "1.0");
	assert_string_equal(c.runs.at[0].platform, "linux-x86_64-cpu");
	assert_string_equal(c.runs.at[0].name, "prog-7");
	assert_string_equal(c.runs.at[0].cpu_fingerprint, "amd-25-1");
	assert_string_equal(c.runs.at[0].machine_id, "");
	assert_string_equal(c.runs.at[0].command, "./prog größe");
	assert_true(c.runs.at[0].started_unix_ns == p->started_unix_ns);
	assert_int_equal(c.runs.at[0].duration_ns, 1000);
	catalog_release(&c);
	profile_free(p);
}

static void keeps_keys_exactly(void **state)
{
	static const char *const keys[] = {"1.5+local", "1.5_local", "feature/größe x",
					   "..",	".hidden",   "100%",
					   "100%25",	"a\tb\nc",   "\xff\xfe",
					   " spaced ",	"%zz",	     "日本語",
					   "meta",	"profiles",  "/",
					   "//",	"#",	     "a#2"};
	struct catalog c;
	size_t found = 0;

	(void)state;
	for (size_t i = 0; i < COUNT(keys); i++)
		add(keys[i], (int)i);
	assert_int_equal(catalog_load("s.h5", &c), 0);
	assert_int_equal(c.runs.n, COUNT(keys));
	for (size_t i = 0; i < COUNT(keys); i++) {
		struct profile *p = NULL;

		assert_int_equal(store_load("s.h5", &(struct store_key){.version = keys[i]}, &p),
				 0);
		assert_true(p->started_unix_ns ==
			    INT64_C(1700000000000000001) + INT64_C(1000000000) * (int64_t)i);
		profile_free(p);
		for (size_t k = 0; k < c.runs.n; k++)
			found += !strcmp(c.runs.at[k].version, keys[i]);
	}
	assert_int_equal(found, COUNT(keys));
	catalog_release(&c);
}

static void adds_each_run_once(void **state)
{
	struct profile *p = store_sample("1.0", 1), *other = store_sample("1.0", 1);
	bool added;

	(void)state;
	assert_int_equal(store_add("s.h5", p, &added), 0);
	assert_true(added);
	assert_int_equal(store_add("s.h5", p, &added), 0);
	assert_false(added);
	/* Of the same name and time, but not the same. */
	profile_cost(other, "loader", "ns", 1);
	assert_int_equal(store_add("s.h5", other, &added), 0);
	assert_true(added);
	assert_int_equal(store_add("s.h5", other, &added), 0);
	assert_false(added);
	assert_runs("1.0:prog-1 1.0:prog-1 #2");
	profile_free(p);
	profile_free(other);
}

static struct profile *on_machine(int i, const char *release, const char *machine)
{
	struct profile *p = store_sample("1.0", i);

	profile_set_meta(p, META_RELEASE, release);
	profile_set_meta(p, META_CPU_FINGERPRINT, machine);
	if (i == 1)
		profile_set_meta(p, "only_first", "yes");
	if (i == 2)
		profile_set_meta(p, "only_second", "yes");
	assert_int_equal(store_add("s.h5", p, NULL), 0);
	return p;
}

static void assert_same_meta(const struct profile *p, const char *run)
{
	struct profile *q = NULL;

	assert_int_equal(store_load("s.h5", &(struct store_key){.run = run}, &q), 0);
	assert_int_equal(p->meta.n, q->meta.n);
	for (size_t i = 0; i < p->meta.n; i++)
		assert_string_equal(profile_meta(q, profile_text(p, p->meta.at[i].key)),
				    profile_text(p, p->meta.at[i].text));
	assert_int_equal(p->run.n, q->run.n);
	profile_free(q);
}

/* One platform, two machines. */
static void keeps_the_machine_of_each_run(void **state)
{
	struct profile *first = on_machine(1, "6.1", "amd"), *second = on_machine(2, "6.12", "amd"),
		       *third = on_machine(3, "6.1", "intel");
	struct catalog c;

	(void)state;
	assert_same_meta(first, "prog-1");
	assert_same_meta(second, "prog-2");
	assert_same_meta(third, "prog-3");
	assert_int_equal(catalog_load("s.h5", &c), 0);
	assert_string_equal(c.runs.at[0].release, "6.1");
	assert_string_equal(c.runs.at[1].release, "6.12");
	assert_string_equal(c.runs.at[1].cpu_fingerprint, "amd");
	assert_string_equal(c.runs.at[2].cpu_fingerprint, "intel");
	catalog_release(&c);
	profile_free(first);
	profile_free(second);
	profile_free(third);
}

static void lists_platforms(void **state)
{
	struct profile *p = store_sample("1.9", 3);
	struct platforms list;

	(void)state;
	add("1.10", 1);
	add("1.9", 2);
	profile_set_meta(p, META_PLATFORM, "arm/64");
	profile_set_meta(p, META_CORES, "4");
	assert_int_equal(store_add("s.h5", p, NULL), 0);
	add("1.9", 4);
	assert_int_equal(platforms_load("s.h5", &list), 0);
	assert_int_equal(list.all.n, 3);
	assert_string_equal(list.all.at[0].version, "1.9");
	assert_string_equal(list.all.at[0].platform, "arm/64");
	assert_string_equal(list.all.at[0].cores, "4");
	assert_int_equal(list.all.at[0].runs, 1);
	assert_string_equal(list.all.at[1].platform, "linux-x86_64-cpu");
	assert_int_equal(list.all.at[1].runs, 2);
	assert_string_equal(list.all.at[2].version, "1.10");
	platforms_release(&list);
	profile_free(p);
}

/* Versions between which only time decides stay together. */
static void orders_versions_by_time(void **state)
{
	static const char *const when[] = {"2026-03-01", "2026-01-01", "2026-02-01"};
	static const char *const versions[] = {"abcdef1", "bcdef12", "abcdef1"};
	struct platforms list;

	(void)state;
	for (int i = 0; i < 3; i++) {
		struct profile *p = store_sample(versions[i], i);

		profile_set_meta(p, META_TIMESTAMP, when[i]);
		profile_set_meta(p, META_PLATFORM, i == 2 ? "b" : "a");
		assert_int_equal(store_add("s.h5", p, NULL), 0);
		profile_free(p);
	}
	assert_int_equal(platforms_load("s.h5", &list), 0);
	assert_string_equal(list.all.at[0].version, "bcdef12");
	assert_string_equal(list.all.at[1].version, "abcdef1");
	assert_string_equal(list.all.at[1].platform, "b");
	assert_string_equal(list.all.at[2].platform, "a");
	platforms_release(&list);
}

static void removes_what_is_named(void **state)
{
	size_t n;

	(void)state;
	add("1.0", 1);
	add("1.0", 2);
	add("2.0", 3);
	assert_int_equal(store_remove("s.h5", &(struct store_key){.version = "3.0"}, &n), -ENOENT);
	assert_int_equal(store_remove("s.h5", &(struct store_key){.run = "prog-1"}, &n), 0);
	assert_int_equal(n, 1);
	assert_runs("1.0:prog-2 2.0:prog-3");
	assert_int_equal(store_remove("s.h5", &(struct store_key){.version = "2.0"}, &n), 0);
	assert_runs("1.0:prog-2");
	assert_int_equal(
		store_remove("s.h5", &(struct store_key){.platform = "linux-x86_64-cpu"}, &n), 0);
	/* No run is a store still. */
	assert_runs("");
	assert_int_equal(store_sample_count("s.h5"), 0);
	add("4.0", 4);
	assert_runs("4.0:prog-4");
}

static hid_t reopen(void)
{
	hid_t f = H5Fopen("s.h5", H5F_ACC_RDWR, H5P_DEFAULT);

	assert_true(f >= 0);
	return f;
}

static int compact(uint64_t *before, uint64_t *after)
{
	return store_compact("s.h5", before, after);
}

static void compacts(void **state)
{
	uint64_t before, after;
	struct stat old, new;
	hid_t f;
	size_t n;

	(void)state;
	for (int i = 0; i < 20; i++)
		add(i % 2 ? "1.0" : "2.0", i);
	assert_int_equal(store_remove("s.h5", &(struct store_key){.version = "1.0"}, &n), 0);
	f = reopen();
	H5Gclose(H5Gcreate2(f, "/2.0/linux-x86_64-cpu/profiles/prog-4/of_others", H5P_DEFAULT,
			    H5P_DEFAULT, H5P_DEFAULT));
	H5Fclose(f);
	assert_int_equal(chmod("s.h5", 0640), 0);
	assert_int_equal(stat("s.h5", &old), 0);
	assert_int_equal(symlink("s.h5", "link.h5"), 0);
	assert_int_equal(store_compact("link.h5", &before, &after), 0);
	assert_int_equal(stat("s.h5", &new), 0);
	assert_int_equal(before, old.st_size);
	assert_int_equal(after, new.st_size);
	assert_in_range(after, before / 3, before * 2 / 3);
	assert_int_equal(new.st_mode, old.st_mode);
	assert_int_equal(store_sample_count("s.h5"), 10);
	f = reopen();
	assert_true(H5Lexists(f, "/2.0/linux-x86_64-cpu/profiles/prog-4/of_others", H5P_DEFAULT) >
		    0);
	H5Fclose(f);
	add("1.0", 30);
	assert_int_equal(store_sample_count("s.h5"), 11);
}

/* h5py's own files: what is written by another program can be read, and made to be added to. */
static void compacts_other_formats(void **state)
{
	uint64_t before, after;
	hid_t from, to, f;

	(void)state;
	add("1.0", 1);
	assert_int_equal(rename("s.h5", "from.h5"), 0);
	from = H5Fopen("from.h5", H5F_ACC_RDONLY, H5P_DEFAULT);
	to = H5Fcreate("s.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
	assert_true(H5Ocopy(from, "1.0", to, "1.0", H5P_DEFAULT, H5P_DEFAULT) >= 0);
	assert_int_equal(h5_put_text(to, "format", "eprof"), 0);
	f = STORE_SCHEMA;
	assert_int_equal(h5_put_number(to, "schema", H5T_NATIVE_INT64, &f), 0);
	H5Fclose(from);
	H5Fclose(to);
	assert_runs("1.0:prog-1");
	assert_int_equal(store_sample_add("s.h5", "1.0", 2), -ENOTSUP);
	assert_non_null(strstr(err_text(), "store compact"));
	assert_int_equal(compact(&before, &after), 0);
	add("1.0", 2);
	assert_runs("1.0:prog-1 1.0:prog-2");
}

static void assert_not_compacted(const char *why)
{
	uint64_t before, after;

	assert_int_equal(compact(&before, &after), -EINVAL);
	if (!strstr(err_text(), why))
		print_error("%s\n", err_text());
	assert_non_null(strstr(err_text(), why));
	assert_int_equal(count_files(), 1);
}

static void refuses_links(void **state)
{
	char deep[256] = "/deep";
	hid_t f;

	(void)state;
	add("1.0", 1);
	f = reopen();
	H5Lcreate_hard(f, "/", f, "/1.0/linux-x86_64-cpu/profiles/prog-1/loop", H5P_DEFAULT,
		       H5P_DEFAULT);
	H5Fclose(f);
	/* A run with what nobody asks for loads. */
	assert_int_equal(store_sample_count("s.h5"), 1);
	assert_not_compacted("linked from several places");
	f = reopen();
	H5Ldelete(f, "/1.0/linux-x86_64-cpu/profiles/prog-1/loop", H5P_DEFAULT);
	H5Lcreate_soft("/", f, "/1.0/linux-x86_64-cpu/profiles/soft", H5P_DEFAULT, H5P_DEFAULT);
	H5Fclose(f);
	assert_int_equal(store_sample_count("s.h5"), -EINVAL);
	assert_int_equal(store_sample_add("s.h5", "1.0", 2), 0);
	assert_not_compacted("link to elsewhere");
	f = reopen();
	H5Ldelete(f, "/1.0/linux-x86_64-cpu/profiles/soft", H5P_DEFAULT);
	H5Lcreate_external("/etc/x.h5", "/", f, "/9.0", H5P_DEFAULT, H5P_DEFAULT);
	H5Fclose(f);
	assert_int_equal(store_sample_count("s.h5"), -EINVAL);
	assert_int_equal(store_sample_add("s.h5", "9.0", 2), -EINVAL);
	assert_non_null(strstr(err_text(), "link to elsewhere"));
	assert_not_compacted("link to elsewhere");
	f = reopen();
	H5Ldelete(f, "/9.0", H5P_DEFAULT);
	for (int i = 0; i < 20; i++) {
		H5Gclose(H5Gcreate2(f, deep, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
		strcat(deep, "/d");
	}
	H5Fclose(f);
	assert_not_compacted("too deep");
}

/* All links lead to the root, and each of those again. */
static void bounds_loops(void **state)
{
	struct catalog c;
	hid_t f;

	(void)state;
	add("1.0", 1);
	f = reopen();
	for (int i = 0; i < 60; i++) {
		char name[16];

		snprintf(name, sizeof(name), "/loop%d", i);
		H5Lcreate_hard(f, "/", f, name, H5P_DEFAULT, H5P_DEFAULT);
	}
	H5Lcreate_hard(f, "/", f, "/profiles", H5P_DEFAULT, H5P_DEFAULT);
	H5Fclose(f);
	assert_int_equal(catalog_load("s.h5", &c), -EINVAL);
	catalog_release(&c);
}

static void refuses_what_is_no_store(void **state)
{
	struct catalog c;
	FILE *f = fopen("text.h5", "w");

	(void)state;
	fputs("this is no store", f);
	fclose(f);
	assert_int_equal(mkfifo("fifo", 0600), 0);
	assert_int_equal(mkdir("folder", 0700), 0);
	assert_int_equal(store_sample_add("text.h5", "1", 1), -EINVAL);
	assert_string_equal(err_text(),
			    "cannot read 'text.h5': it is no HDF5 file, so not a profile");
	assert_int_equal(store_sample_add("fifo", "1", 1), -EINVAL);
	assert_string_equal(err_text(), "cannot read 'fifo': it is no regular file");
	assert_int_equal(store_sample_add("folder", "1", 1), -EISDIR);
	assert_int_equal(store_sample_add("none/s.h5", "1", 1), -ENOENT);
	assert_int_equal(catalog_load("fifo", &c), -EINVAL);
	catalog_release(&c);
	assert_int_equal(store_check("text.h5"), -EINVAL);
	assert_int_equal(store_check("none/s.h5"), -ENOENT);
	assert_int_equal(store_check("new.h5"), -ENOENT);
	assert_int_equal(count_files(), 3);
}

/* Groups and tables in each other's places, and attributes of wrong types. */
static void refuses_wrong_types(void **state)
{
	const int64_t number = 1;
	struct catalog c;
	hid_t f, run;

	(void)state;
	add("1.0", 1);
	f = reopen();
	run = H5Gopen2(f, "/1.0/linux-x86_64-cpu/profiles/prog-1", H5P_DEFAULT);
	assert_true(H5Adelete(run, "started_unix_ns") >= 0 && H5Adelete(run, "command") >= 0);
	assert_int_equal(h5_put_text(run, "started_unix_ns", "yesterday"), 0);
	assert_int_equal(h5_put_number(run, "command", H5T_NATIVE_INT64, &number), 0);
	H5Gclose(run);
	H5Fclose(f);
	assert_int_equal(catalog_load("s.h5", &c), 0);
	assert_int_equal(c.runs.at[0].started_unix_ns, 0);
	assert_string_equal(c.runs.at[0].command, "");
	catalog_release(&c);
	f = reopen();
	H5Ldelete(f, "/1.0/linux-x86_64-cpu/profiles", H5P_DEFAULT);
	assert_true(H5Lmove(f, "/1.0/linux-x86_64-cpu/meta", f, "/1.0/linux-x86_64-cpu/profiles",
			    H5P_DEFAULT, H5P_DEFAULT) >= 0);
	H5Fclose(f);
	/* profiles without runs, and no meta */
	assert_int_equal(store_sample_count("s.h5"), 0);
	f = reopen();
	H5Ldelete(f, "/1.0", H5P_DEFAULT);
	run = H5Screate(H5S_SCALAR);
	H5Dclose(H5Dcreate2(f, "/1.0", H5T_NATIVE_INT, run, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
	H5Sclose(run);
	H5Fclose(f);
	assert_int_equal(store_sample_count("s.h5"), 0);
	assert_int_equal(store_sample_add("s.h5", "1.0", 1), -EINVAL);
	assert_int_equal(store_sample_add("s.h5", "1.1", 1), 0);
}

/* Others lock it as HDF5 does. */
static void waits_for_its_lock(void **state)
{
	int fd, other;

	(void)state;
	add("1.0", 1);
	fd = open("s.h5", O_RDWR);
	other = open("s.h5", O_RDWR);
	assert_int_equal(flock(other, LOCK_EX), 0);
	assert_int_equal(lock_take(fd, LOCK_SH, 20), -EAGAIN);
	assert_int_equal(lock_take(fd, LOCK_EX, 20), -EAGAIN);
	if (!fork()) {
		usleep(50000);
		_exit(flock(other, LOCK_UN));
	}
	assert_int_equal(lock_take(fd, LOCK_EX, 60000), 0);
	wait(NULL);
	assert_int_equal(lock_take(other, LOCK_SH, 0), -EAGAIN);
	close(fd);
	assert_int_equal(lock_take(other, LOCK_SH, 0), 0);
	/* Readers share it. */
	assert_int_equal(store_sample_count("s.h5"), 1);
	close(other);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_FOLDER(lists_in_order),
		IN_FOLDER(lists_a_capture),
		IN_FOLDER(keeps_keys_exactly),
		IN_FOLDER(adds_each_run_once),
		IN_FOLDER(keeps_the_machine_of_each_run),
		IN_FOLDER(lists_platforms),
		IN_FOLDER(orders_versions_by_time),
		IN_FOLDER(removes_what_is_named),
		IN_FOLDER(compacts),
		IN_FOLDER(compacts_other_formats),
		IN_FOLDER(refuses_links),
		IN_FOLDER(bounds_loops),
		IN_FOLDER(refuses_what_is_no_store),
		IN_FOLDER(refuses_wrong_types),
		IN_FOLDER(waits_for_its_lock),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
