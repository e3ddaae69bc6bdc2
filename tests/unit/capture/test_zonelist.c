/* Lists of zones as children read them out of files, and what is said where nothing matches. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "base/err.h"
#include "crew/crew.h"
#include "process/maps.h"
#include "snippet.h"
#include "function/zonelist_read.h"
#include "function/zonelist_split.h"
#include "function/zonewire.h"

static const char source[] = "int helper(int x) { return x * 3; }\n" /* line 1 */
			     "int parse_int(int x) { return helper(x) + 1; }\n"
			     "int parse_float(int x) { return helper(x) + 2; }\n"
			     "\n"
			     "int other(int x)\n" /* 5 */
			     "{\n"
			     "	return helper(x) - 1;\n"
			     "}\n"
			     "int swapcontext(int x) { return helper(x); }\n"
			     "int my_jump(int x) { return helper(x); }\n";

/* Images of files in the group's folder. */
struct world {
	struct image images[3];
	const struct image *at[3];
	struct zonelist lists[3];
	struct zonepatterns *patterns;
	struct zonelist_request request;
	size_t n;
};

static void add_image(struct world *w, const char *name)
{
	struct image *image = &w->images[w->n];

	*image = (struct image){.kind = IMAGE_KIND_FILE,
				.path = snippet_path(name),
				.fd = snippet_open(name),
				.root_fd = -1};
	w->at[w->n++] = image;
}

static void begin(struct world *w, const char *const *patterns, size_t n)
{
	*w = (struct world){.patterns = zonepatterns_new()};
	for (size_t i = 0; i < n; i++)
		assert_int_equal(zonepatterns_add(w->patterns, patterns[i]), 0);
	w->request = (struct zonelist_request){
		.patterns = w->patterns, .kernel = {.long_nops = true}, .lines = true};
}

#define BEGIN(w, ...)                                \
	begin(w, (const char *const[]){__VA_ARGS__}, \
	      sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))

static int read_and_check(struct world *w)
{
	zonelist_read(w->at, w->n, &w->request, w->lists);
	return zonelist_check(w->at, w->lists, w->n, &w->request);
}

static void end(struct world *w)
{
	for (size_t i = 0; i < w->n; i++) {
		zonelist_release(&w->lists[i]);
		if (w->images[i].fd >= 0)
			close(w->images[i].fd);
		free(w->images[i].path);
	}
	zonepatterns_free(w->patterns);
}

static int make_files(void **state)
{
	int rc = snippet_setup(state);

	snippet_build("lib.so", source, "-O1 -g -shared -fPIC -fno-inline");
	snippet_run("strip -o stripped.so lib.so");
	snippet_build("hidden.so",
		      "static __attribute__((noinline)) int secret(int x) { return x * 7; }\n"
		      "int shown(int x) { return secret(x) + 1; }\n",
		      "-O1 -shared -fPIC");
	snippet_run("strip hidden.so");
	return rc;
}

static void lists_what_matches(void **state)
{
	const struct zone_def *zone;
	struct world w;

	(void)state;
	BEGIN(&w, "parse_*", "other", "!parse_float");
	add_image(&w, "lib.so");
	assert_int_equal(read_and_check(&w), 0);
	assert_null(w.lists[0].problem);
	assert_null(w.lists[0].hijack_unsafe);
	assert_int_equal(w.lists[0].flags & ~ZONELIST_STUBS, 0);
	assert_int_equal(w.lists[0].matched, 2);
	assert_int_equal(w.lists[0].zones.n, 2);
	zone = &w.lists[0].zones.at[0];
	assert_string_equal(zone->name, "parse_int");
	assert_null(zone->linkage);
	assert_non_null(strstr(zone->file, "lib.so.c"));
	assert_int_equal(zone->line, 2);
	assert_int_equal(zone->pattern, 0);
	assert_int_equal(zone->address, snippet_address("lib.so", "parse_int"));
	assert_int_equal(zone->offset, zone->address); /* as linkers lay out small libraries */
	assert_null(zone->sites.why);
	assert_true(zone->sites.exits_known);
	assert_true(zone->sites.entry.offset >= zone->offset &&
		    zone->sites.entry.offset < zone->offset + zone->size);
	assert_string_equal(w.lists[0].zones.at[1].name, "other");
	assert_int_equal(w.lists[0].zones.at[1].pattern, 1);
	end(&w);
}

static void finds_functions_by_line(void **state)
{
	static const struct {
		const char *pattern, *want;
	} cases[] = {{"@lib.so.c:2", "parse_int"},
		     {"@lib.so.c:4", "parse_float"},
		     {"@lib.so.c:7", "other"},
		     {"@lib.so.c:5", "other"},
		     {"@lib.so.c:99", "my_jump"}};
	struct world w;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		BEGIN(&w, cases[i].pattern);
		add_image(&w, "lib.so");
		assert_int_equal(read_and_check(&w), 0);
		assert_int_equal(w.lists[0].zones.n, 1);
		assert_string_equal(w.lists[0].zones.at[0].name, cases[i].want);
		assert_true(w.lists[0].zones.at[0].line > 0);
		end(&w);
	}
	BEGIN(&w, "@lib.so.c");
	add_image(&w, "lib.so");
	assert_int_equal(read_and_check(&w), 0);
	assert_int_equal(w.lists[0].zones.n, 6);
	end(&w);
}

static void knows_switches(void **state)
{
	static const char *const mine[] = {"my_*"};
	struct world w;

	(void)state;
	BEGIN(&w, "helper", "my_jump");
	w.request.switches = mine;
	w.request.n_switches = 1;
	add_image(&w, "lib.so");
	assert_int_equal(read_and_check(&w), 0);
	assert_int_equal(w.lists[0].switches.n, 2);
	assert_string_equal(w.lists[0].switches.at[0].name, "swapcontext");
	assert_string_equal(w.lists[0].switches.at[1].name, "my_jump");
	assert_null(w.lists[0].switches.at[1].sites.why);
	assert_true(w.lists[0].switches.at[1].sites.exits.n > 0);
	/* A zone that leaves its stack is never hijacked. */
	assert_int_equal(w.lists[0].zones.n, 2);
	assert_false(w.lists[0].zones.at[0].sites.own_return);
	assert_true(w.lists[0].zones.at[1].sites.own_return);
	end(&w);
}

/* mono asserts what it finds in the stubs of what it compiled ahead of time. */
static void leaves_mono_alone(void **state)
{
	struct world w;

	(void)state;
	snippet_build("mono.so", "char mono_aot_file_info[8]; int f(int x) { return x; }\n",
		      "-O1 -shared -fPIC");
	BEGIN(&w, "f");
	add_image(&w, "mono.so");
	assert_int_equal(read_and_check(&w), 0);
	assert_int_equal(w.lists[0].zones.n, 1);
	assert_non_null(strstr(w.lists[0].zones.at[0].sites.why, "mono"));
	end(&w);
}

/* A module that no pattern is for is read for its switches and hazards only. */
static void reads_all_modules(void **state)
{
	struct world w;

	(void)state;
	snippet_write("throws.cc", "int throws(int x) { if (x) throw x; return x; }\n");
	snippet_run("g++ -O1 -shared -fPIC -o throws.so throws.cc");
	BEGIN(&w, "hidden.so:shown");
	add_image(&w, "lib.so");
	add_image(&w, "hidden.so");
	add_image(&w, "throws.so");
	assert_int_equal(read_and_check(&w), 0);
	assert_int_equal(w.lists[0].zones.n, 0);
	assert_int_equal(w.lists[0].switches.n, 1);
	assert_int_equal(w.lists[1].zones.n, 1);
	assert_string_equal(w.lists[2].hijack_unsafe, "throws.so throws C++ exceptions");
	end(&w);
}

static void expect_error(struct world *w, int code, const char *const *words, size_t n)
{
	assert_int_equal(read_and_check(w), code);
	for (size_t i = 0; i < n; i++) {
		if (!strstr(err_text(), words[i]))
			fail_msg("no '%s' in: %s", words[i], err_text());
	}
	end(w);
}

#define EXPECT_ERROR(w, code, ...)                                \
	expect_error(w, code, (const char *const[]){__VA_ARGS__}, \
		     sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))

static void says_what_does_not_match(void **state)
{
	struct world w;

	(void)state;
	BEGIN(&w, "parse_itn");
	add_image(&w, "lib.so");
	EXPECT_ERROR(&w, -ENOENT, "'parse_itn'", "nearest: parse_int");
	BEGIN(&w, "helper", "parse_duble");
	add_image(&w, "lib.so");
	EXPECT_ERROR(&w, -ENOENT, "'parse_duble'");
	BEGIN(&w, "secret");
	add_image(&w, "hidden.so");
	EXPECT_ERROR(&w, -ENOENT, "'secret'", "hidden.so is stripped");
	BEGIN(&w, "libb.so:helper");
	add_image(&w, "lib.so");
	EXPECT_ERROR(&w, -ENOENT, "module", "nearest: lib.so");
	BEGIN(&w, "@lib.so.c");
	add_image(&w, "stripped.so");
	EXPECT_ERROR(&w, -ENOENT, "no debug information");
	BEGIN(&w, "/xyz/");
	add_image(&w, "lib.so");
	EXPECT_ERROR(&w, -ENOENT, "'/xyz/'");
}

static void says_when_too_many_match(void **state)
{
	struct world w;

	(void)state;
	BEGIN(&w, "*r*");
	w.request.max = 3;
	add_image(&w, "lib.so");
	add_image(&w, "stripped.so");
	zonelist_read(w.at, w.n, &w.request, w.lists);
	assert_int_equal(w.lists[0].zones.n, 3);
	assert_true(w.lists[0].matched > 3);
	assert_int_equal(zonelist_check(w.at, w.lists, w.n, &w.request), -E2BIG);
	assert_non_null(strstr(err_text(), "--zones-max"));
	end(&w);
}

static void says_what_is_no_place_for_probes(void **state)
{
	static const char map[] = "7f0000000000 40 Interpreter::run\n7f0000001000 20 stub\n";
	struct images *images = images_new();
	struct world w;
	int fd;

	(void)state;
	BEGIN(&w, "[vdso]:*clock_gettime*");
	w.at[w.n++] = images_at(images, IMAGE_VDSO);
	assert_int_equal(read_and_check(&w), -ENOENT);
	assert_non_null(strstr(err_text(), "vDSO"));
	assert_true(w.lists[0].hits.at[0] > 0);
	assert_int_equal(w.lists[0].zones.n, 0);
	w.images[0].fd = -1;
	end(&w);
	images_free(images);

	fd = memfd_create("map", MFD_CLOEXEC);
	assert_int_equal(write(fd, map, sizeof(map) - 1), sizeof(map) - 1);
	BEGIN(&w, "Interpreter::*");
	w.images[0] = (struct image){
		.kind = IMAGE_KIND_JIT, .path = mem_strdup("//anon"), .fd = fd, .root_fd = -1};
	w.at[w.n++] = &w.images[0];
	EXPECT_ERROR(&w, -ENOENT, "Interpreter::*", "JIT");

	BEGIN(&w, "main");
	w.images[0] = (struct image){.kind = IMAGE_KIND_FILE,
				     .path = mem_strdup("/gone"),
				     .fd = -1,
				     .note = (char *)"replaced since it was mapped",
				     .root_fd = -1};
	w.at[w.n++] = &w.images[0];
	EXPECT_ERROR(&w, -ENOENT, "gone", "replaced since it was mapped");

	snippet_run("as --32 -o 32.o /dev/null && ld -m elf_i386 -e 0 -o 32 32.o");
	BEGIN(&w, "main");
	add_image(&w, "32");
	EXPECT_ERROR(&w, -ENOENT, "32-bit");
	snippet_write("text", "hello\n");
	BEGIN(&w, "main");
	add_image(&w, "text");
	EXPECT_ERROR(&w, -ENOENT, "not an ELF file");
}

static void no_pattern_is_every_function(void **state)
{
	struct world w;

	(void)state;
	*(&w) = (struct world){.patterns = zonepatterns_new()};
	w.request = (struct zonelist_request){.patterns = w.patterns};
	add_image(&w, "lib.so");
	assert_int_equal(read_and_check(&w), 0);
	assert_true(w.lists[0].zones.n >= 6);
	end(&w);
}

/* Whatever stands in a file: it is listed, or has a problem; nothing more happens. */
static void survives_damage(void **state)
{
	_free_ char *path = snippet_path("damaged");
	uint32_t seed = 7;
	size_t problems = 0;
	struct stat st;
	struct world w;
	int fd;

	(void)state;
	fd = snippet_open("lib.so");
	assert_int_equal(fstat(fd, &st), 0);
	close(fd);
	for (int round = 0; round < 60; round++) {
		snippet_run("cp lib.so damaged");
		fd = open(path, O_RDWR | O_CLOEXEC);
		for (int k = 0; k < 40; k++) {
			uint8_t byte;

			seed = seed * 1103515245 + 12345;
			byte = (uint8_t)(seed >> 8);
			/* Headers, symbols and call frame information are hit more often. */
			assert_int_equal(
				pwrite(fd, &byte, 1,
				       (off_t)((seed >> 4) % (round % 3 ? st.st_size : 1024))),
				1);
		}
		if (round % 5 == 4)
			assert_int_equal(ftruncate(fd, (off_t)((seed >> 4) % st.st_size)), 0);
		close(fd);
		BEGIN(&w, "*");
		add_image(&w, "damaged");
		read_and_check(&w);
		problems += w.lists[0].problem != NULL;
		for (size_t i = 0; i < w.lists[0].zones.n; i++)
			assert_non_null(w.lists[0].zones.at[i].name);
		end(&w);
	}
	assert_true(problems > 0 && problems < 60);
}

/* --- wire ----------------------------------------------------------------------------------- */

/* A function that takes a pointer to a struct of two members, an enumeration and a text. */
static struct signature *signature(void)
{
	struct signature *s = mem_zalloc(1, sizeof(*s));
	struct member *m;

	s->n = 1;
	s->at[0].name = mem_strdup("req");
	s->at[0].kind = VALUE_POINTER;
	m = vec_add(&s->at[0].members);
	m->is = (struct parameter){.name = mem_strdup("state"), .kind = VALUE_ENUM, .bytes = 4};
	vec_push(&m->is.enumerators, ((struct enumerator){mem_strdup("BUSY"), 5}));
	m = vec_add(&s->at[0].members);
	*m = (struct member){.is = {.name = mem_strdup("tag"), .kind = VALUE_TEXT},
			     .offset = SIGNATURE_OFFSET - 1,
			     .array_bytes = 16};
	return s;
}

static void fill(struct zonewire *w)
{
	struct zone_def *zone = vec_add(&w->list.zones);
	struct zone_switch *change = vec_add(&w->list.switches);

	w->task = 5;
	w->list.flags = ZONELIST_GO;
	w->list.functions = UINT64_C(1) << 40;
	w->list.matched = 1;
	w->list.hijack_unsafe = mem_strdup("x throws");
	vec_push(&w->list.hits, 3);
	vec_push(&w->list.hits, 0);
	zone->name = mem_strdup("a\nname");
	zone->line = 77;
	zone->pattern = 1;
	zone->address = 0x401000;
	zone->sites.entry = (struct site){0x401003, 0x1003, SITE_EMULATED, SITE_ALWAYS};
	vec_push(&zone->sites.exits, ((struct site){0x401010, 0x1010, SITE_STEPPED, 5}));
	zone->sites.exits_known = true;
	zone->sites.why = sites_chosen;
	zone->signature = signature();
	zone->arguments = 0x3f;
	zone->dwo = mem_strdup("part.dwo");
	zone->dwo_folder = mem_strdup("");
	change->name = mem_strdup("jump");
	change->sites.entry.class = SITE_EMULATED;
	nearest_add(&w->nearest, "near", 2);
}

/* Releases @w. */
static size_t write_wire(struct zonewire *w, void **bytes)
{
	const int fd = memfd_create("answer", MFD_CLOEXEC);
	struct stat st;

	assert_int_equal(zonewire_write(w, fd), 0);
	zonewire_release(w);
	assert_int_equal(fstat(fd, &st), 0);
	*bytes = mem_zalloc((size_t)st.st_size, 1);
	assert_int_equal(pread(fd, *bytes, (size_t)st.st_size, 0), st.st_size);
	close(fd);
	return (size_t)st.st_size;
}

static size_t write_answer(void **bytes)
{
	struct zonewire w = {0};

	fill(&w);
	return write_wire(&w, bytes);
}

static void add_split(struct zonelist *l, const char *dwo, const char *folder)
{
	struct zone_def *zone = vec_add(&l->zones);

	zone->address = l->zones.n;
	zone->dwo = dwo ? mem_strdup(dwo) : NULL;
	zone->dwo_folder = dwo ? mem_strdup(folder) : NULL;
}

/* Each file is chosen once, so many at a time; what the list read with them knows is taken over,
 * unless it is of another file. */
static void split_files_are_chosen(void **state)
{
	struct zonelist l = {0}, again = {0};
	struct zonelist_split s;
	char name[16];

	(void)state;
	add_split(&l, NULL, "");
	for (int i = 0; i < 20; i++) {
		snprintf(name, sizeof(name), "f%d.dwo", i / 2);
		add_split(&l, name, "/src");
	}
	assert_true(zonelist_split_choose(&l, &s));
	assert_int_equal(s.n, IMAGE_FILES_SPLIT);
	assert_string_equal(s.files[6].name, "f6.dwo");
	assert_true(zonelist_split_choose(&l, &s));
	assert_int_equal(s.n, 3);
	assert_string_equal(s.files[0].name, "f7.dwo");
	assert_false(zonelist_split_choose(&l, &s));
	for (int i = 0; i < 21; i++)
		add_split(&again, i == 2 ? "f0.dwo" : NULL, "/src");
	again.zones.at[1].signature = signature();
	again.zones.at[3].signature = signature();
	again.zones.at[3].address = 0;
	zonelist_split_take(&l, &again);
	assert_non_null(l.zones.at[1].signature);
	assert_null(l.zones.at[1].dwo);
	assert_string_equal(l.zones.at[2].dwo, "f0.dwo");
	assert_null(l.zones.at[3].signature);
	assert_string_equal(l.zones.at[3].dwo, "f1.dwo");
	again.zones.n--;
	zonelist_split_take(&l, &again);
	again.zones.n++;
	assert_string_equal(l.zones.at[3].dwo, "f1.dwo");
	zonelist_release(&l);
	zonelist_release(&again);
}

static void answers_cross_over(void **state)
{
	_free_ void *bytes = NULL;
	const size_t n = write_answer(&bytes);
	const struct zone_def *zone;
	const struct member *m;
	struct zonewire w;

	(void)state;
	assert_int_equal(n % 4, 0);
	assert_int_equal(zonewire_read(bytes, n, 2, &w), n);
	assert_int_equal(w.task, 5);
	assert_int_equal(w.list.flags, ZONELIST_GO);
	assert_int_equal(w.list.functions, UINT64_C(1) << 40);
	assert_int_equal(w.list.hits.at[0], 3);
	assert_string_equal(w.list.hijack_unsafe, "x throws");
	assert_null(w.list.problem);
	zone = &w.list.zones.at[0];
	assert_string_equal(zone->name, "a?name"); /* one line, whatever it was */
	assert_null(zone->linkage);
	assert_int_equal(zone->sites.exits.at[0].condition, 5);
	assert_ptr_equal(zone->sites.why, sites_chosen);
	assert_int_equal(zone->arguments, 0x3f);
	assert_string_equal(zone->dwo, "part.dwo");
	assert_string_equal(zone->dwo_folder, "");
	assert_int_equal(zone->signature->at[0].members.n, 2);
	m = zone->signature->at[0].members.at;
	assert_string_equal(m[0].is.enumerators.at[0].name, "BUSY");
	assert_int_equal(m[1].offset, SIGNATURE_OFFSET - 1);
	assert_int_equal(m[1].array_bytes, 16);
	assert_string_equal(w.list.switches.at[0].name, "jump");
	assert_string_equal(w.nearest.at[0].name, "near");
	zonewire_release(&w);
	assert_int_equal(zonewire_read(bytes, n, 3, &w), 0); /* other patterns */
}

static void refuses_bad_answers(void **state)
{
	_free_ void *bytes = NULL;
	const size_t n = write_answer(&bytes);
	struct zonewire w;
	uint32_t seed = 3;

	(void)state;
	for (size_t cut = 0; cut < n; cut++) {
		_free_ void *part = mem_zalloc(cut + 1, 1);

		memcpy(part, bytes, cut);
		assert_int_equal(zonewire_read(part, cut, 2, &w), 0);
	}
	for (int round = 0; round < 5000; round++) {
		_free_ uint8_t *spoiled = mem_zalloc(n, 1);

		memcpy(spoiled, bytes, n);
		for (int k = 0; k < 1 + round % 4; k++) {
			seed = seed * 1103515245 + 12345;
			spoiled[(seed >> 8) % n] = (uint8_t)(seed >> 24);
		}
		if (zonewire_read(spoiled, n, 2, &w))
			zonewire_release(&w);
	}
}

static void refuses_sites_of_no_class(void **state)
{
	struct zonewire entry = {0}, exit = {0}, got;
	_free_ void *first = NULL, *second = NULL;
	size_t n;

	(void)state;
	fill(&entry);
	entry.list.switches.at[0].sites.entry.class = SITE_UNKNOWN;
	n = write_wire(&entry, &first);
	assert_int_equal(zonewire_read(first, n, 2, &got), 0);
	fill(&exit);
	exit.list.zones.at[0].sites.exits.at[0].class = SITE_UNKNOWN;
	n = write_wire(&exit, &second);
	assert_int_equal(zonewire_read(second, n, 2, &got), 0);
}

/* One who waits; gives up after so many times. */
struct waiting {
	int asked, patience;
};

static bool goes_on(void *context)
{
	struct waiting *w = context;

	return w->asked++ < w->patience;
}

/* Our own program takes long enough to read that one who waits is asked. */
static void can_be_given_up(void **state)
{
	static const int patience[] = {0, 1 << 20};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct waiting waiting = {.patience = patience[i]};
		const struct crew_wait wait = {goes_on, &waiting};
		struct world w;

		BEGIN(&w, "*");
		w.images[0] = (struct image){.kind = IMAGE_KIND_FILE,
					     .path = strdup("/proc/self/exe"),
					     .fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC),
					     .root_fd = -1};
		w.at[w.n++] = &w.images[0];
		w.request.wait = &wait;
		zonelist_read(w.at, w.n, &w.request, w.lists);
		assert_true(waiting.asked > 0);
		if (patience[i])
			assert_null(w.lists[0].problem);
		else
			assert_string_equal(w.lists[0].problem,
					    "the capture ended before it was read");
		assert_int_equal(w.lists[0].zones.n > 0, patience[i] > 0);
		end(&w);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(leaves_mono_alone),
		cmocka_unit_test(lists_what_matches),
		cmocka_unit_test(finds_functions_by_line),
		cmocka_unit_test(knows_switches),
		cmocka_unit_test(reads_all_modules),
		cmocka_unit_test(says_what_does_not_match),
		cmocka_unit_test(says_when_too_many_match),
		cmocka_unit_test(says_what_is_no_place_for_probes),
		cmocka_unit_test(no_pattern_is_every_function),
		cmocka_unit_test(survives_damage),
		cmocka_unit_test(answers_cross_over),
		cmocka_unit_test(split_files_are_chosen),
		cmocka_unit_test(refuses_bad_answers),
		cmocka_unit_test(refuses_sites_of_no_class),
		cmocka_unit_test(can_be_given_up),
	};

	return cmocka_run_group_tests(tests, make_files, snippet_teardown);
}
