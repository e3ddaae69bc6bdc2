/* Profiles of gperftools: words of each size and order, samples' weights, lines and ends that are
 * odd. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/str.h"
#include "export_text.h"
#include "imported.h"
#include "model/meta.h"

extern const struct export folded_export;

#define MAPS                                                   \
	"00400000-00500000 r-xp 00001000 08:01 42 /bin/prog\n" \
	"00600000-00700000 rw-p 00000000 08:01 42 /bin/data\n"

struct layout {
	unsigned bytes;
	bool big;
};

static void add_word(struct str *s, struct layout l, uint64_t v)
{
	for (unsigned i = 0; i < l.bytes; i++)
		str_addc(s, (char)(v >> 8 * (l.big ? l.bytes - 1 - i : i)));
}

static void add_words(struct str *s, struct layout l, const uint64_t *v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		add_word(s, l, v[i]);
}

#define WORDS(s, l, ...)                                 \
	add_words(s, l, (const uint64_t[]){__VA_ARGS__}, \
		  sizeof((const uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t))

/* Two samples of leaf+0x10, called from 0x20 and 0x30, and one whose leaf is there twice. */
static void add_samples(struct str *s, struct layout l)
{
	WORDS(s, l, 0, 3, 0, 10000, 0);
	WORDS(s, l, 2, 3, 0x400010, 0x400021, 0x400031);
	WORDS(s, l, 1, 3, 0x400010, 0x400010, 0x400031);
}

static void assert_folded(struct profile *p, const char *text)
{
	char *back = export_text(&folded_export, p, true);

	assert_string_equal(back, text);
	free(back);
}

/* Whether a row of the ledger has these words. */
static bool ledger_has(const struct profile *p, const char *words)
{
	for (size_t i = 0; i < p->ledger.n; i++)
		if (strstr(profile_text(p, p->ledger.at[i].name), words))
			return true;
	return false;
}

static void reads_words_of_each_kind(void **state)
{
	static const struct layout all[] = {{8, false}, {4, false}, {8, true}, {4, true}};

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		struct str s = {0};
		struct profile *p;

		add_samples(&s, all[i]);
		WORDS(&s, all[i], 0, 1, 0);
		str_add(&s, MAPS);
		p = imported_bytes("gperftools", s.s, s.n);
		assert_folded(p, "all threads;prog+0x1030;prog+0x1010 10000000\n"
				 "all threads;prog+0x1030;prog+0x1020;prog+0x1010 20000000\n");
		assert_true(p->hz == 100);
		assert_int_equal(ledger_count(p, 0, LEDGER_KEPT), 3);
		assert_int_equal(ledger_count(p, 0, LEDGER_LOST), 0);
		profile_free(p);
		str_release(&s);
	}
}

static void says_that_the_end_is_missing(void **state)
{
	const struct layout l = {8, false};
	struct str s = {0};
	struct profile *p;

	(void)state;
	add_samples(&s, l);
	WORDS(&s, l, 1, 100, 0x400010);
	p = imported_bytes("gperftools", s.s, s.n);
	assert_folded(p, "all threads;[unknown] 0x400030;[unknown] 0x400010 10000000\n"
			 "all threads;[unknown] 0x400030;[unknown] 0x400020;[unknown] 0x400010 "
			 "20000000\n");
	assert_true(ledger_has(p, "cut short"));
	profile_free(p);
	str_release(&s);
}

/* 1 / (1 - exp(-1)) = 1.582 of 1000 bytes each at a rate of 1000; the odd line costs itself. */
static void weighs_samples_of_heaps(void **state)
{
	struct profile *p =
		imported("gperftools", "heap profile: 2: 3000 [4: 9000] @ heapz_v2/1000\n"
				       "1: 1000 [2: 4000] @ 0x400011 0x400021\n"
				       "odd\n"
				       "--- Memory map: ---\n"
				       "source=/home\n"
				       "  00400000-00500000: $source/prog\n");

	(void)state;
	assert_int_equal(p->metrics.n, 4);
	assert_folded(p, "all threads;prog+0x20;prog+0x10 1581\n");
	assert_string_equal(profile_text(p, p->modules.at[1].path), "/home/prog");
	assert_true(ledger_has(p, "line 3"));
	profile_free(p);
}

static void takes_counted_heaps_as_they_are(void **state)
{
	struct profile *p = imported("gperftools", "heap profile: 1: 1000 [1: 1000] @ growthz\n"
						   "1: 1000 [1: 1000] @ 0x400011\n"
						   "1: 24 [1: 24] @\n");

	(void)state;
	assert_int_equal(p->metrics.n, 2);
	assert_folded(p, "all threads 24\nall threads;[unknown] 0x400010 1000\n");
	assert_true(ledger_has(p, "no stack"));
	profile_free(p);
}

/* 4,000 cycles of half a ns, 1 in 10 sampled. */
static void scales_contention(void **state)
{
	struct profile *p = imported("gperftools", "--- contentionz 1 ---\n"
						   "cycles/second = 2000000000\n"
						   "sampling period = 10\n"
						   "4000 2 @ 0x400011\n");

	(void)state;
	assert_folded(p, "all threads;[unknown] 0x400010 20000\n");
	assert_int_equal(ledger_count(p, 0, LEDGER_KEPT), 20);
	profile_free(p);
}

/* Java's addresses are numbers of names; of a heap each 512 KiB were sampled. */
static void takes_names_of_java(void **state)
{
	struct profile *p = imported("gperftools", "--- contentionz 1 ---\n"
						   "format = java\n"
						   "resolution = microseconds\n"
						   "sampling period = 100\n"
						   " 2 1 @ 0x00000003 0x00000004\n"
						   " 0x00000003 com.example.f (F.java:12)\n"
						   " 0x00000004 VM\n");
	const struct frame *f = &p->frames.at[2];
	const struct function *e = &p->functions.at[f->function];

	(void)state;
	assert_folded(p, "all threads;VM;com.example.f 200000\n");
	assert_int_equal(ledger_count(p, 0, LEDGER_APART), 0);
	assert_string_equal(profile_text(p, e->file), "F.java");
	assert_int_equal(f->line, 12);
	profile_free(p);
	p = imported("gperftools", "--- heapz 1 ---\n"
				   "format = java\n"
				   "resolution = bytes\n"
				   " 524288 1 @ 0x3\n"
				   " 0x3 f (F.java:1)\n");
	assert_folded(p, "all threads;f 829411\n");
	profile_free(p);
}

static void takes_java_of_the_cpu(void **state)
{
	const struct layout l = {4, false};
	struct str s = {0};
	struct profile *p;

	(void)state;
	WORDS(&s, l, 0, 3, 1, 10000, 0);
	WORDS(&s, l, 2, 2, 3, 4);
	WORDS(&s, l, 0, 1, 0);
	str_add(&s, " 0x00000003 f (F.java:12)\n 0x00000004 main (F.java:3)\n");
	p = imported_bytes("gperftools", s.s, s.n);
	assert_folded(p, "all threads;main;f 20000000\n");
	profile_free(p);
	str_release(&s);
}

/* Go's text names addresses behind '#', as calls: one before where they return to. */
static void takes_counts_and_names_of_go(void **state)
{
	struct profile *p =
		imported("gperftools", "goroutine profile: total 4\n"
				       "3 @ 0x44cb3 0x45046\n"
				       "#\t0x44cb2\truntime.gopark+0x12\t/go/src/proc.go:145\n"
				       "#\t0x45045\tmain.main+0x5\t/x/main.go:9\n\n"
				       "1 @ 0x45046\n"
				       "#\t0x45045\tmain.main+0x5\t/x/main.go:9\n");

	(void)state;
	assert_folded(p, "all threads;main.main 1\n"
			 "all threads;main.main;runtime.gopark 3\n");
	assert_string_equal(profile_text(p, p->metrics.at[0].name), "goroutine");
	assert_int_equal(ledger_count(p, 0, LEDGER_KEPT), 4);
	profile_free(p);
}

static void refuses(void **state)
{
	(void)state;
	refused("gperftools", "heap profile: 1 [\n", "heap profile:");
	refused("gperftools", "heap profile: 1: 2 [1: 2] @ growthz\n", "holds no stack");
	refused("gperftools", "--- contentionz 1 ---\nformat = java\n", "holds no stack");
	refused("gperftools", "something else\n", "no profile of gperftools");
}

static void is_recognised(void **state)
{
	static const char cpu[] = "\0\0\0\0\0\0\0\0\3\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
				  "\x10\x27\0\0\0\0\0\0\0\0\0\0\0\0\0";

	(void)state;
	assert_string_equal(import_recognise("x", (struct span){cpu, 40})->name, "gperftools");
	assert_string_equal(import_recognise("x", (struct span){"heap profile: 1", 15})->name,
			    "gperftools");
	assert_null(import_recognise("x", (struct span){"heaps", 5}));
}

/* What is not a call is not adjusted; the stack of the thread that made one is below its own. */
static void reads_threads(void **state)
{
	struct profile *p =
		imported("gperftools", "--- threadz 1 ---\n\n"
				       "--- Thread 7f79 (name: thread1/14751) stack: ---\n"
				       "  PC:  0x00400010: nanosleep\n"
				       "  0x00400021: start(arg *)\n"
				       "      creator: 0x400031 0x700041\n"
				       "--- Thread 7f78 (name: a/b/14759) stack: ---\n"
				       "  [same as previous thread]\n"
				       "--- Thread 7f77 (name: none/1) stack: ---\n"
				       "  odd\n"
				       "--- Memory map: ---\n"
				       "  00400000-00500000: /bin/prog\n");

	(void)state;
	assert_folded(p, "a/b;[unknown] 0x700040;prog+0x30;start(arg *);nanosleep 1\n"
			 "none 1\n"
			 "thread1;[unknown] 0x700040;prog+0x30;start(arg *);nanosleep 1\n");
	assert_int_equal(p->threads.at[0].tid, 14751);
	assert_int_equal(ledger_count(p, 0, LEDGER_KEPT), 3);
	assert_true(ledger_has(p, "line 10"));
	assert_true(ledger_has(p, "no stack"));
	profile_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_words_of_each_kind),
		cmocka_unit_test(says_that_the_end_is_missing),
		cmocka_unit_test(weighs_samples_of_heaps),
		cmocka_unit_test(takes_counted_heaps_as_they_are),
		cmocka_unit_test(scales_contention),
		cmocka_unit_test(takes_names_of_java),
		cmocka_unit_test(takes_java_of_the_cpu),
		cmocka_unit_test(takes_counts_and_names_of_go),
		cmocka_unit_test(refuses),
		cmocka_unit_test(is_recognised),
		cmocka_unit_test(reads_threads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
