/*
 * Names afterwards: of a profile that a capture of a stripped program would leave, from its debug
 * file. With a folder as its argument it writes there what tests/cli/name.test works on:
 * stripped.h5 and its debug file, right.debug, and other.debug, of another program.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "base/str.h"
#include "elf/debugfile.h"
#include "elf/segments.h"
#include "select/renaming.h"
#include "store/store.h"
#include "symbol/namer.h"
#include "symbol/rename.h"

#include "small_profile.h"
#include "snippet.h"

static const char source[] =
	"static inline __attribute__((always_inline)) int deep(int x)\n"
	"{\n"
	"	__asm__ volatile(\".globl in_deep\\nin_deep: nop\" ::: \"memory\");\n" /* 3 */
	"	return x * 3;\n"
	"}\n"
	"__attribute__((noinline)) static int outer(int x)\n" /* 6 */
	"{\n"
	"	x = deep(x ^ 5);\n"							 /* 8 */
	"	__asm__ volatile(\".globl in_outer\\nin_outer: nop\" ::: \"memory\");\n" /* 9 */
	"	return x;\n"
	"}\n"
	"int main(int c, char **v)\n" /* 12 */
	"{\n"
	"	c = outer(c);\n"
	"	__asm__ volatile(\".globl in_main\\nin_main: nop\" ::: \"memory\");\n" /* 15 */
	"	return c + !v;\n"
	"}\n";

static uint32_t image_of(struct images *images, const char *name)
{
	_free_ char *path = snippet_path(name);
	struct image_id id = {.path = path};
	struct stat st;

	assert_int_equal(stat(path, &st), 0);
	id.dev_major = major(st.st_dev);
	id.dev_minor = minor(st.st_dev);
	id.inode = st.st_ino;
	return images_file(images, (uint32_t)getpid(), 0x1000, 0x2000, &id);
}

/* As a capture names what it met: main called outer, in which deep was inlined; one sample each,
 * of 1, 2 and 4. */
static struct profile *capture(const char *program, const uint64_t address[3])
{
	struct images *images = images_new();
	uint32_t image = image_of(images, program), node = 0;
	const uint8_t is_return[3] = {0};
	struct place places[3];
	struct namer_stats stats;
	struct named named = {0};
	struct profile *p = profile_new();
	struct elffile f;

	profile_metric(p, "cpu-clock", "ns", METRIC_SUM);
	small_thread(p, 10, 10, "prog", "prog");
	assert_int_equal(elffile_open(images_at(images, image)->fd, &f), 0);
	for (int i = 0; i < 3; i++) {
		places[i].image = image;
		assert_true(segments_offset(&f, address[i], &places[i].offset));
	}
	elffile_release(&f);
	assert_int_equal(namer_run(images, places, is_return, 3, p, &named, &stats), 0);
	for (uint32_t i = 0; i < 3; i++) {
		uint32_t from = i == 2 ? p->nodes.at[node].parent : node;

		for (uint32_t k = named.first.at[i + 1]; k-- > named.first.at[i];)
			from = profile_node(p, from, named.frame.at[k]);
		node = from;
		profile_sample(p, i, 0, node, (const int64_t[]){1 << i});
	}
	p->duration_ns = 10;
	profile_ledger(p, 0, LEDGER_TAKEN, "taken", 3);
	profile_ledger(p, 0, LEDGER_KEPT, "kept", 3);
	profile_set_run(p, "name", "prog-1");
	profile_set_run(p, "command", "prog");
	named_release(&named);
	images_free(images);
	return p;
}

/* The stripped program "s", its debug file "s.debug", and where main, outer and deep are in it. */
static void build(uint64_t address[3])
{
	snippet_build("s", source, "-O2 -g -Wl,--build-id=sha1");
	address[0] = snippet_address("s", "in_main");
	address[1] = snippet_address("s", "in_outer");
	address[2] = snippet_address("s", "in_deep");
	snippet_run("cp s full && objcopy --only-keep-debug s s.debug && strip -s s");
}

/* "main:15 outer:9", root first; '+' behind an inlined one. */
static char *stack_of(const struct profile *p, uint32_t node)
{
	struct str s = {0};
	uint32_t path[16], n = 0;

	for (; node; node = p->nodes.at[node].parent)
		path[n++] = node;
	while (n-- > 0) {
		const struct frame *f = &p->frames.at[p->nodes.at[path[n]].frame];

		str_addf(&s, "%s%s:%u%s", s.n ? " " : "",
			 profile_text(p, p->functions.at[f->function].name), f->line,
			 f->inlined ? "+" : "");
	}
	return str_steal(&s);
}

static void assert_stack(const struct profile *p, size_t sample, const char *want)
{
	_free_ char *stack = stack_of(p, p->samples.at[sample].node);

	assert_string_equal(stack, want);
}

/* As between processes: both what is to be named and the names go by as bytes. */
static void rename_by(struct profile *p, const char *debug_file, uint32_t named)
{
	struct unnamed here = {0}, there = {0};
	struct renaming names, back = {0};
	struct str question = {0}, answer = {0};
	struct rename r;

	unnamed_find(&here, p);
	unnamed_pack(&here, &question);
	assert_int_equal(unnamed_unpack(question.s, question.n, &there), 0);
	rename_init(&r, &there);
	assert_int_equal(r.modules.n, 1);
	assert_int_equal(r.modules.at[0].unnamed->n, 3);
	r.modules.at[0].fd = snippet_open(debug_file);
	rename_run(&r, &names);
	assert_int_equal(r.modules.at[0].named, named);
	renaming_pack(&names, &answer);
	assert_int_equal(renaming_unpack(answer.s, answer.n, 3, &back), 0);
	renaming_apply(&back, p);
	renaming_release(&back);
	renaming_release(&names);
	rename_release(&r);
	unnamed_release(&there);
	unnamed_release(&here);
	str_release(&question);
	str_release(&answer);
	assert_int_equal(profile_check(p), 0);
}

static void a_stripped_program_gets_functions_lines_and_inlines(void **state)
{
	uint64_t address[3];
	struct profile *p;

	(void)state;
	build(address);
	p = capture("s", address);
	/* As it was: a function is its start. */
	assert_int_equal(p->functions.n, 3);
	assert_int_equal(p->frames.n, 4);
	rename_by(p, "s.debug", 3);
	assert_stack(p, 0, "main:15");
	assert_stack(p, 1, "main:15 outer:9");
	assert_stack(p, 2, "main:15 outer:8 deep:3+");
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(p->samples.values.at[0].at[i], 1 << i);
	/* What the profile no longer needs is gone. */
	assert_int_equal(p->functions.n, 4);
	assert_int_equal(p->frames.n, 5);
	assert_int_equal(p->nodes.n, 5);
	assert_int_equal(p->functions.at[1].line, 12);
	profile_free(p);
}

/* What comes from a process that a stranger's file took over is refused, or is what it says. */
static void spoiled_bytes_are_refused(void **state)
{
	struct unnamed u = {0}, again;
	struct str packed = {0};
	uint64_t address[3];
	struct profile *p;
	size_t taken = 0;

	(void)state;
	build(address);
	p = capture("s", address);
	unnamed_find(&u, p);
	unnamed_pack(&u, &packed);
	for (size_t n = 0; n < packed.n; n++) {
		_free_ char *cut = mem_zalloc(n + 1, 1);

		memcpy(cut, packed.s, n);
		assert_int_equal(unnamed_unpack(cut, n, &again), -EINVAL);
		unnamed_release(&again);
	}
	for (size_t i = 0; i < packed.n * 256; i++) {
		_free_ char *other = mem_zalloc(packed.n, 1);

		memcpy(other, packed.s, packed.n);
		other[i / 256] = (char)i;
		if (!unnamed_unpack(other, packed.n, &again)) {
			struct str same = {0};

			taken++;
			unnamed_pack(&again, &same);
			assert_int_equal(same.n, packed.n);
			str_release(&same);
		}
		unnamed_release(&again);
	}
	/* Numbers and letters may be others; the rest may not. */
	assert_in_range(taken, 256, packed.n * 256 / 2);
	str_release(&packed);
	unnamed_release(&u);
	profile_free(p);
}

static void spoiled_names_are_refused(void **state)
{
	struct renaming r = {0}, again;
	struct str packed = {0};

	(void)state;
	intern_add(&r.texts, "f");
	vec_push(&r.functions, ((struct renaming_function){.name = 1}));
	vec_push(&r.frames, ((struct renaming_frame){.line = 7}));
	vec_push(&r.spans, ((struct renaming_span){0, 1}));
	renaming_pack(&r, &packed);
	assert_int_equal(renaming_unpack(packed.s, packed.n, 1, &again), 0);
	renaming_release(&again);
	assert_int_equal(renaming_unpack(packed.s, packed.n, 2, &again), -EINVAL);
	renaming_release(&again);
	for (size_t i = 0; i < packed.n * 256; i++) {
		_free_ char *other = mem_zalloc(packed.n, 1);

		memcpy(other, packed.s, packed.n);
		other[i / 256] = (char)i;
		if (!renaming_unpack(other, packed.n, 1, &again)) {
			assert_in_range(again.functions.at[0].name, 0,
					intern_count(&again.texts) - 1);
			assert_int_equal(again.frames.at[0].function, 0);
			assert_in_range(again.spans.at[0].first + again.spans.at[0].n, 0, 1);
		}
		renaming_release(&again);
		assert_int_equal(renaming_unpack(other, i / 256, 1, &again), -EINVAL);
		renaming_release(&again);
	}
	str_release(&packed);
	renaming_release(&r);
}

/* What a capture of the program with its symbols would have had. */
static void it_is_as_if_it_had_had_symbols(void **state)
{
	uint64_t address[3];
	struct profile *late, *early;

	(void)state;
	build(address);
	late = capture("s", address);
	rename_by(late, "full", 3);
	early = capture("full", address);
	assert_int_equal(late->functions.n, early->functions.n);
	assert_int_equal(late->nodes.n, early->nodes.n);
	for (size_t i = 0; i < 3; i++) {
		_free_ char *a = stack_of(late, late->samples.at[i].node);
		_free_ char *b = stack_of(early, early->samples.at[i].node);

		assert_string_equal(a, b);
	}
	profile_free(late);
	profile_free(early);
}

static void a_file_without_dwarf_gives_names(void **state)
{
	uint64_t address[3];
	struct profile *p;

	(void)state;
	build(address);
	snippet_run("strip -g -o symbols full");
	p = capture("s", address);
	rename_by(p, "symbols", 3);
	assert_stack(p, 2, "main:0 outer:0");
	profile_free(p);
}

static void what_is_no_debug_file_changes_nothing(void **state)
{
	uint64_t address[3];
	struct profile *p, *same;

	(void)state;
	build(address);
	snippet_run("head -c 5000 /dev/urandom > noise; head -c 700 s.debug > cut; : > empty");
	for (size_t i = 0; i < 3; i++) {
		static const char *const files[] = {"noise", "cut", "empty"};

		p = capture("s", address);
		same = capture("s", address);
		rename_by(p, files[i], 0);
		assert_int_equal(p->nodes.n, same->nodes.n);
		assert_int_equal(p->frames.n, same->frames.n);
		assert_int_equal(p->functions.n, same->functions.n);
		profile_free(p);
		profile_free(same);
	}
}

static void addresses_last_in_the_file(void **state)
{
	_free_ char *path = snippet_path("p.h5");
	uint64_t address[3];
	struct profile *p;

	(void)state;
	build(address);
	p = capture("s", address);
	assert_int_equal(store_save(path, true, p), 0);
	profile_free(p);
	p = NULL;
	assert_int_equal(store_load(path, NULL, &p), 0);
	rename_by(p, "s.debug", 3);
	assert_stack(p, 2, "main:15 outer:8 deep:3+");
	profile_free(p);
}

/* Three samples: main;a;b, main;a;c, main;b. a becomes what b is, and main stays. */
static void alike_stacks_become_one(void **state)
{
	struct profile *p = profile_new();
	uint32_t b, a;
	uint32_t first[8] = {0}, by[1];

	(void)state;
	profile_metric(p, "cpu-clock", "ns", METRIC_SUM);
	small_thread(p, 1, 1, "x", "x");
	profile_sample(p, 0, 0, small_node(p, "main;a;c"), (const int64_t[]){1});
	profile_sample(p, 0, 0, small_node(p, "main;b;c"), (const int64_t[]){2});
	a = p->nodes.at[2].frame;
	b = p->nodes.at[p->nodes.at[p->samples.at[1].node].parent].frame;
	by[0] = b;
	for (size_t i = a + 1; i < 8; i++)
		first[i] = 1;
	assert_in_range(p->frames.n, 5, 7);
	reframe(p, first, by, p->frames.n);
	assert_int_equal(profile_check(p), 0);
	assert_int_equal(p->samples.at[0].node, p->samples.at[1].node);
	assert_int_equal(p->nodes.n, 4);
	assert_int_equal(p->frames.n, 4);
	assert_int_equal(p->functions.n, 4);
	/* The profile can go on growing. */
	assert_int_equal(small_node(p, "main;b;c"), p->samples.at[0].node);
	assert_int_equal(p->nodes.n, 4);
	profile_free(p);
}

/* --- folders -------------------------------------------------------------------------------- */

static uint8_t id_of(const char *name, uint8_t id[BUILDID_MAX])
{
	_close_ int fd = snippet_open(name);
	struct elffile f;
	uint8_t bytes;

	assert_int_equal(elffile_open(fd, &f), 0);
	bytes = buildid_read(&f, id);
	elffile_release(&f);
	assert_true(bytes > 2);
	return bytes;
}

/* What debugdir_open() finds of "s" in the folder @name; -errno, or 0. */
static int find(const char *name, bool flat, const char *ends)
{
	_free_ char *dir = snippet_path(name), *found = NULL;
	uint8_t id[BUILDID_MAX], bytes = id_of("s", id);
	struct debugdir d;
	int fd;

	assert_int_equal(debugdir_init(&d, dir, flat), 0);
	fd = debugdir_open(&d, id, bytes, &found);
	debugdir_release(&d);
	if (fd >= 0) {
		assert_true(debugfile_is(fd, id, bytes));
		close(fd);
	}
	if (ends)
		assert_true(found && str_ends(found, ends));
	else
		assert_null(found);
	return fd < 0 ? fd : 0;
}

static void files_are_found_by_build_id_wherever_they_stand(void **state)
{
	char hex[BUILDID_HEX];
	uint8_t id[BUILDID_MAX];
	uint64_t address[3];

	(void)state;
	build(address);
	buildid_hex(id, id_of("s", id), hex);
	snippet_run("rm -rf a b c d e && mkdir -p a/.build-id/%.2s b/%.2s c/%s d e", hex, hex, hex);
	snippet_run("cp s.debug a/.build-id/%.2s/%s.debug", hex, hex + 2);
	snippet_run("cp s.debug b/%.2s/%s.debug", hex, hex + 2);
	snippet_run("cp s.debug c/%s/debuginfo && cp s.debug d/anything && cp s.debug e/x", hex);
	assert_int_equal(find("a", false, ".debug"), 0);
	assert_int_equal(find("b", false, ".debug"), 0);
	assert_int_equal(find("c", false, "/debuginfo"), 0);
	assert_int_equal(find("d", true, "/anything"), 0);
	assert_int_equal(find("e", false, NULL), -ENOENT);
}

static void another_build_id_is_refused(void **state)
{
	char hex[BUILDID_HEX];
	uint8_t id[BUILDID_MAX];
	uint64_t address[3];

	(void)state;
	build(address);
	buildid_hex(id, id_of("s", id), hex);
	snippet_build("other", "int main(void) { return 1; }\n", "-g -Wl,--build-id=sha1");
	snippet_run("rm -rf a && mkdir -p a/.build-id/%.2s && cp other a/.build-id/%.2s/%s.debug",
		    hex, hex, hex + 2);
	assert_int_equal(find("a", false, ".debug"), -EBADMSG);
	/* Where the right one is there, too, that is taken. */
	snippet_run("cp s.debug a/right");
	assert_int_equal(find("a", true, "a/right"), 0);
}

/* --- for name.test -------------------------------------------------------------------------- */

static const char *wanted_folder(const char *set)
{
	static const char *folder;

	return folder = set ? set : folder;
}

static void writes_what_the_command_line_test_needs(void **state)
{
	const char *folder = wanted_folder(NULL);
	_free_ char *path = mem_printf("%s/stripped.h5", folder);
	uint64_t address[3];
	struct profile *p;

	(void)state;
	build(address);
	snippet_build("other", "int main(void) { return 1; }\n", "-g -Wl,--build-id=sha1");
	p = capture("s", address);
	assert_int_equal(store_save(path, true, p), 0);
	profile_free(p);
	snippet_run("cp s.debug '%s/right.debug' && cp other '%s/other.debug'", folder, folder);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_stripped_program_gets_functions_lines_and_inlines),
		cmocka_unit_test(spoiled_bytes_are_refused),
		cmocka_unit_test(spoiled_names_are_refused),
		cmocka_unit_test(it_is_as_if_it_had_had_symbols),
		cmocka_unit_test(a_file_without_dwarf_gives_names),
		cmocka_unit_test(what_is_no_debug_file_changes_nothing),
		cmocka_unit_test(addresses_last_in_the_file),
		cmocka_unit_test(alike_stacks_become_one),
		cmocka_unit_test(files_are_found_by_build_id_wherever_they_stand),
		cmocka_unit_test(another_build_id_is_refused),
	};
	const struct CMUnitTest write[] = {
		cmocka_unit_test(writes_what_the_command_line_test_needs),
	};

	if (argc == 2) {
		wanted_folder(argv[1]);
		return cmocka_run_group_tests(write, snippet_setup, snippet_teardown);
	}
	return cmocka_run_group_tests(tests, snippet_setup, snippet_teardown);
}
