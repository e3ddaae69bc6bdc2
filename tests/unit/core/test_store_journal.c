/* The journal at a store's end, made by hand as journal.c describes it: read as what it says, put
 * in place by the next writer, dropped where it is not right; and stores and journals of ill will:
 * 1,500 of them, always the same ones. ASan, UBSan and an alarm watch. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <endian.h>
#include <stdio.h>
#include <unistd.h>

#include "base/file.h"
#include "base/hash.h"
#include "hdf5_leaks.h"
#include "store/catalog.h"
#include "store_sample.h"
#include "temp_folder.h"

#define PAGE	     512
#define RUNS	     3
#define ROUNDS	     500
#define TIME_LIMIT_S 300

/* xorshift64 by Marsaglia. */
static uint64_t next(uint64_t *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 7;
	*seed ^= *seed << 17;
	return *seed;
}

struct bytes {
	char *at;
	size_t n;
};

static struct bytes get(const char *path)
{
	struct bytes b = {0};

	assert_int_equal(file_read(path, 1 << 22, &b.at, &b.n), 0);
	return b;
}

static void put(const char *path, const void *bytes, size_t n)
{
	FILE *f = fopen(path, "w");

	assert_int_equal(fwrite(bytes, 1, n, f), n);
	fclose(f);
}

/* A store before and after a run was added. */
struct states {
	struct bytes before, after;
};

static void make_states(struct states *s)
{
	for (int i = 0; i < RUNS; i++)
		assert_int_equal(store_sample_add("s.h5", i % 2 ? "1.0" : "2.0", i), 0);
	s->before = get("s.h5");
	assert_int_equal(store_sample_add("s.h5", "2.0", RUNS), 0);
	s->after = get("s.h5");
	unlink("s.h5");
}

static void release_states(struct states *s)
{
	free(s->before.at);
	free(s->after.at);
}

/* The numbers of a trailer, for those who want other ones. */
struct trailer {
	char magic[8];
	uint64_t base, pages, n_pages, end, hash;
};

static void add_bytes(struct bytes *b, const void *at, size_t n)
{
	b->at = mem_realloc(b->at, b->n + n, 1);
	memcpy(b->at + b->n, at, n);
	b->n += n;
}

static uint64_t hash_blocks(uint64_t hash, const char *at, size_t n)
{
	for (size_t take; n; at += take, n -= take) {
		take = n < 65536 ? n : 65536;
		hash = hash_seeded(at, take, hash);
	}
	return hash;
}

/* The page of the new store, as much as it has of it. */
static void add_page(struct bytes *b, const struct states *s, uint64_t number)
{
	const uint64_t le = htole64(number);
	const size_t at = number * PAGE, left = s->after.n - at;
	char page[PAGE] = "";

	memcpy(page, s->after.at + at, left < PAGE ? left : PAGE);
	add_bytes(b, &le, sizeof(le));
	add_bytes(b, page, PAGE);
}

static void end_journal(struct bytes *b, struct trailer t)
{
	uint64_t hash;

	hash = hash_blocks(0, b->at + t.base, t.pages - t.base);
	hash = hash_blocks(hash, b->at + t.pages, b->n - t.pages);
	t.hash = hash_seeded(&t, offsetof(struct trailer, hash), hash);
	add_bytes(b, &t, sizeof(t));
}

/* The old store, with the change in a journal. */
static struct bytes with_journal(const struct states *s, struct trailer *t)
{
	struct bytes b = {0};

	*t = (struct trailer){.magic = {'e', 'p', 'r', 'o', 'f', 'j', 'n', 'l'},
			      .base = s->before.n,
			      .pages = s->after.n,
			      .end = s->after.n};
	add_bytes(&b, s->before.at, s->before.n);
	add_bytes(&b, s->after.at + s->before.n, s->after.n - s->before.n);
	for (uint64_t i = 0; i * PAGE < s->before.n; i++) {
		size_t left = s->before.n - i * PAGE;

		if (memcmp(s->before.at + i * PAGE, s->after.at + i * PAGE,
			   left < PAGE ? left : PAGE) != 0) {
			add_page(&b, s, i);
			t->n_pages++;
		}
	}
	return b;
}

static void reads_and_applies(void **state)
{
	struct states s;
	struct trailer t;
	struct bytes b, there;

	(void)state;
	make_states(&s);
	b = with_journal(&s, &t);
	assert_in_range(t.n_pages, 1, 40);
	end_journal(&b, t);
	put("s.h5", b.at, b.n);
	/* A reader sees the new store, and leaves the file as it is. */
	assert_int_equal(store_sample_count("s.h5"), RUNS + 1);
	there = get("s.h5");
	assert_int_equal(there.n, b.n);
	assert_memory_equal(there.at, b.at, b.n);
	free(there.at);
	/* One who could write puts it in place, and has the same as who was not stopped. */
	assert_int_equal(store_check("s.h5"), 0);
	there = get("s.h5");
	assert_int_equal(there.n, s.after.n);
	assert_memory_equal(there.at, s.after.at, s.after.n);
	free(there.at);
	free(b.at);
	release_states(&s);
}

/* A journal that is not whole is none, and the next writer drops it. */
static void drops_what_is_not_whole(void **state)
{
	struct states s;
	struct trailer t;
	struct bytes b;
	size_t cuts;

	(void)state;
	make_states(&s);
	b = with_journal(&s, &t);
	end_journal(&b, t);
	cuts = b.n - s.before.n;
	for (size_t i = 1; i <= cuts; i += i < 70 ? 1 : cuts / 40) {
		put("s.h5", b.at, b.n - i);
		assert_int_equal(store_sample_count("s.h5"), RUNS);
	}
	for (size_t i = 0; i < 40; i++) {
		b.at[s.before.n + i * cuts / 40] ^= 1;
		put("s.h5", b.at, b.n);
		assert_int_equal(store_sample_count("s.h5"), RUNS);
		b.at[s.before.n + i * cuts / 40] ^= 1;
	}
	put("s.h5", b.at, b.n - 1);
	assert_int_equal(store_sample_add("s.h5", "3.0", 9), 0);
	assert_int_equal(store_sample_count("s.h5"), RUNS + 1);
	free(b.at);
	release_states(&s);
}

/* Whatever it is: each call succeeds or says why. */
static void try_all(const char *path, uint64_t *seed)
{
	struct platforms platforms;
	struct catalog catalog;
	uint64_t before, after;
	size_t n;

	assert_true(!catalog_load(path, &catalog) || *err_text());
	catalog_release(&catalog);
	assert_true(!platforms_load(path, &platforms) || *err_text());
	platforms_release(&platforms);
	assert_true(store_sample_count(path) >= 0 || *err_text());
	switch (next(seed) % 3) {
	case 0:
		assert_true(!store_sample_add(path, "2.0", RUNS + 1) || *err_text());
		break;
	case 1:
		assert_true(!store_remove(path, &(struct store_key){.version = "2.0"}, &n) ||
			    *err_text());
		break;
	default:
		assert_true(!store_compact(path, &before, &after) || *err_text());
	}
	assert_true(store_sample_count(path) >= 0 || *err_text());
}

/* HDF5 asks for as many bytes as a damaged file says, and copes where it gets none. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "allocator_may_return_null=1";
}

static void survives_damage(void **state)
{
	struct states s;
	uint64_t seed = 20261123;
	char *copy;

	(void)state;
	make_states(&s);
	copy = mem_zalloc(s.after.n, 1);
	alarm(TIME_LIMIT_S);
	for (int i = 0; i < ROUNDS; i++) {
		memcpy(copy, s.after.at, s.after.n);
		for (uint64_t k = next(&seed) % 8; k-- > 0;)
			copy[next(&seed) % s.after.n] = (char)next(&seed);
		put("s.h5", copy, next(&seed) % 10 ? s.after.n : next(&seed) % s.after.n);
		try_all("s.h5", &seed);
	}
	alarm(0);
	free(copy);
	release_states(&s);
}

/* With the right checksum, and anything else in pages and trailer. */
static void survives_ill_will(void **state)
{
	static const uint64_t odd[] = {0, 1, 47, 48, 511, 512, 1 << 20, INT64_MAX, UINT64_MAX};
	struct states s;
	uint64_t seed = 4711;

	(void)state;
	make_states(&s);
	alarm(TIME_LIMIT_S);
	for (int i = 0; i < ROUNDS; i++) {
		struct trailer t;
		struct bytes b = with_journal(&s, &t);
		uint64_t *const numbers[] = {&t.end, &t.n_pages, &t.end};
		uint64_t *number = numbers[next(&seed) % 3];

		for (uint64_t k = next(&seed) % 16; k-- > 0;)
			b.at[s.after.n + next(&seed) % (b.n - s.after.n)] = (char)next(&seed);
		if (next(&seed) % 2)
			*number = next(&seed) % 2 ? odd[next(&seed) % 9] : next(&seed) % b.n;
		if (next(&seed) % 8 == 0)
			t.base = next(&seed) % t.pages;
		end_journal(&b, t);
		put("s.h5", b.at, b.n);
		try_all("s.h5", &seed);
		free(b.at);
	}
	alarm(0);
	release_states(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_FOLDER(reads_and_applies),
		IN_FOLDER(drops_what_is_not_whole),
		IN_FOLDER(survives_damage),
		IN_FOLDER(survives_ill_will),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
