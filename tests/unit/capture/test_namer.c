#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <signal.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>

#include "confine/confine.h"
#include "elf/elffile.h"
#include "elf/segments.h"
#include "snippet.h"
#include "symbol/naming.h"
#include "symbol/namer.h"

static const char source[] =
	"#include <stdio.h>\n"
	"static inline __attribute__((always_inline)) int deep(int x)\n"
	"{\n"
	"	__asm__ volatile(\".globl in_deep\\nin_deep: nop\" ::: \"memory\");\n" /* 4 */
	"	return x * 3;\n"
	"}\n"
	"__attribute__((noinline)) int outer(int x)\n" /* 7 */
	"{\n"
	"	x = deep(x ^ 5);\n" /* 9 */
	"	__asm__ volatile(\"\" ::: \"memory\");\n"
	"	return x;\n"
	"}\n"
	"__attribute__((noinline)) static int hidden(int x)\n"
	"{\n"
	"	__asm__ volatile(\"\" ::: \"memory\");\n"
	"	return x * 7 + outer(x);\n"
	"}\n"
	"int main(int c, char **v)\n"
	"{\n"
	"	puts(v[0]);\n"
	"	return hidden(c);\n"
	"}\n";

/* A run of the namer and what came of it. */
struct naming_test {
	struct images *images;
	struct profile *profile;
	struct named named;
	struct namer_stats stats;
	VEC(struct place) places;
	VEC(uint8_t) is_return;
};

static void begin(struct naming_test *t)
{
	*t = (struct naming_test){.images = images_new(), .profile = profile_new()};
}

static void end(struct naming_test *t)
{
	named_release(&t->named);
	profile_free(t->profile);
	images_free(t->images);
	vec_release(&t->places);
	vec_release(&t->is_return);
}

static uint32_t add_binary(struct naming_test *t, const char *name)
{
	_free_ char *path = snippet_path(name);
	struct image_id id = {.path = path};
	struct stat st;

	assert_int_equal(stat(path, &st), 0);
	id.dev_major = major(st.st_dev);
	id.dev_minor = minor(st.st_dev);
	id.inode = st.st_ino;
	return images_file(t->images, (uint32_t)getpid(), 0x1000, 0x2000, &id);
}

static void add_place(struct naming_test *t, uint32_t image, uint64_t offset, bool is_return)
{
	vec_push(&t->places, ((struct place){offset, image}));
	vec_push(&t->is_return, is_return);
}

/* The place of @address in the binary (by its own program headers). */
static void add_address(struct naming_test *t, uint32_t image, uint64_t address, bool is_return)
{
	struct elffile f;
	uint64_t offset;

	assert_int_equal(elffile_open(images_at(t->images, image)->fd, &f), 0);
	assert_true(segments_offset(&f, address, &offset));
	elffile_release(&f);
	add_place(t, image, offset, is_return);
}

static void run(struct naming_test *t)
{
	assert_int_equal(namer_run(t->images, t->places.at, t->is_return.at, t->places.n,
				   t->profile, &t->named, &t->stats),
			 0);
	assert_int_equal(t->named.first.n, t->places.n + 1);
	assert_int_equal(t->named.first.at[t->places.n], t->named.frame.n);
	assert_int_equal(t->stats.places, t->places.n);
	for (size_t i = 0; i < t->places.n; i++)
		assert_true(t->named.first.at[i] < t->named.first.at[i + 1]);
}

static uint32_t frames_of(const struct naming_test *t, size_t place)
{
	return t->named.first.at[place + 1] - t->named.first.at[place];
}

static const struct frame *frame_of(const struct naming_test *t, size_t place, uint32_t i)
{
	return &t->profile->frames.at[t->named.frame.at[t->named.first.at[place] + i]];
}

static const struct function *function_of(const struct naming_test *t, size_t place, uint32_t i)
{
	return &t->profile->functions.at[frame_of(t, place, i)->function];
}

static const char *name_of(const struct naming_test *t, size_t place, uint32_t i)
{
	return profile_text(t->profile, function_of(t, place, i)->name);
}

static void names_functions_lines_and_inlines(void **state)
{
	struct naming_test t;
	uint32_t image;

	(void)state;
	snippet_build("a", source, "-O2 -g");
	begin(&t);
	image = add_binary(&t, "a");
	add_address(&t, image, snippet_address("a", "in_deep"), false);
	add_address(&t, image, snippet_address("a", "main") + 4, false);
	run(&t);
	assert_int_equal(frames_of(&t, 0), 2);
	assert_string_equal(name_of(&t, 0, 0), "deep");
	assert_int_equal(frame_of(&t, 0, 0)->line, 4);
	assert_true(frame_of(&t, 0, 0)->inlined);
	assert_string_equal(name_of(&t, 0, 1), "outer");
	assert_int_equal(frame_of(&t, 0, 1)->line, 9);
	assert_false(frame_of(&t, 0, 1)->inlined);
	assert_int_equal(function_of(&t, 0, 1)->line, 7);
	assert_int_equal(function_of(&t, 0, 1)->kind, KIND_NATIVE);
	assert_true(function_of(&t, 0, 1)->named);
	assert_string_equal(name_of(&t, 1, 0), "main");
	assert_int_equal(t.stats.inlined_frames, 1);
	assert_int_equal(t.stats.with_lines, 2);
	assert_int_equal(t.stats.unnamed, 0);
	assert_int_equal(t.stats.images, 1);
	assert_int_equal(t.stats.images_corrupt, 0);
	end(&t);
}

/* The byte behind the last call of a function may be the next function's first. */
static void return_addresses_are_the_call_s(void **state)
{
	struct naming_test t;
	uint64_t main_address;
	uint32_t image;

	(void)state;
	snippet_build("r",
		      "__attribute__((noreturn)) void stop(void) { for (;;) ; }\n"
		      "__asm__(\".text\\n.type first,@function\\nfirst: nop\\n"
		      ".size first, 1\\n.globl second\\n.type second,@function\\n"
		      "second: nop\\n.size second, 1\");\n"
		      "int main(void) { return 0; }\n",
		      "-O1");
	main_address = snippet_address("r", "second");
	begin(&t);
	image = add_binary(&t, "r");
	add_address(&t, image, main_address, true);
	add_address(&t, image, main_address, false);
	run(&t);
	assert_string_equal(name_of(&t, 0, 0), "first");
	assert_string_equal(name_of(&t, 1, 0), "second");
	end(&t);
}

/* What makecontext() writes below a stack's first function is a function itself, that no call
 * stands before. */
static void return_addresses_put_there_by_hand(void **state)
{
	struct naming_test t;
	uint64_t before, start;
	uint32_t image;

	(void)state;
	snippet_build("hand",
		      "__asm__(\".text\\n.irp f,before,start\\n.balign 16\\n.globl \\\\f\\n"
		      ".type \\\\f,@function\\n\\\\f: .cfi_startproc\\nnop\\nret\\n.cfi_endproc\\n"
		      ".size \\\\f,.-\\\\f\\n.endr\\n\");\n"
		      "int main(void) { return 0; }\n",
		      "-O1");
	before = snippet_address("hand", "before");
	start = snippet_address("hand", "start");
	begin(&t);
	image = add_binary(&t, "hand");
	add_address(&t, image, start, true);
	add_address(&t, image, before + 1, true);
	add_address(&t, image, before + 2, true);
	run(&t);
	assert_string_equal(name_of(&t, 0, 0), "start");
	assert_string_equal(name_of(&t, 1, 0), "before");
	assert_string_equal(name_of(&t, 2, 0), "before");
	end(&t);
}

static void stripped_functions_stay_whole(void **state)
{
	struct naming_test t;
	uint64_t hidden;
	uint32_t image;
	char want[64];

	(void)state;
	snippet_build("s", source, "-O2 -fno-inline");
	hidden = snippet_address("s", "hidden");
	snippet_run("strip s");
	begin(&t);
	image = add_binary(&t, "s");
	add_address(&t, image, hidden + 1, false);
	add_address(&t, image, hidden + 3, false);
	run(&t);
	snprintf(want, sizeof(want), "s+0x%lx", hidden);
	assert_string_equal(name_of(&t, 0, 0), want);
	assert_int_equal(frame_of(&t, 0, 0)->function, frame_of(&t, 1, 0)->function);
	assert_false(function_of(&t, 0, 0)->named);
	assert_int_equal(t.stats.unnamed, 2);
	end(&t);
}

/* As the C library's memcpy, where it is stripped. */
static void what_an_ifunc_chooses_has_its_name(void **state)
{
	struct naming_test t;
	uint64_t fast, slow;
	uint32_t image;

	(void)state;
	snippet_build("choose.so",
		      "static int fast(int x) { return x * 3; }\n"
		      "static int slow(int x) { return x + x + x; }\n"
		      "int volatile cpu;\n"
		      "static void *choose(void) { return cpu ? fast : slow; }\n"
		      "int chosen(int) __attribute__((ifunc(\"choose\")));\n",
		      "-O1 -shared -fPIC");
	fast = snippet_address("choose.so", "fast");
	slow = snippet_address("choose.so", "slow");
	begin(&t);
	image = add_binary(&t, "choose.so");
	add_address(&t, image, fast + 1, false);
	run(&t);
	assert_string_equal(name_of(&t, 0, 0), "fast");
	end(&t);
	snippet_run("strip choose.so");
	begin(&t);
	image = add_binary(&t, "choose.so");
	add_address(&t, image, fast + 1, false);
	add_address(&t, image, slow, false);
	run(&t);
	assert_string_equal(name_of(&t, 0, 0), "chosen");
	assert_string_equal(name_of(&t, 1, 0), "chosen");
	end(&t);
}

/* As in musl, where clone() stands behind memset(), and only the latter is exported. */
static void assembly_ends_where_it_leads_no_further(void **state)
{
	static const struct {
		const char *at, *name; /* NULL: none */
	} cases[] = {{"exported", "exported"}, {"aside", "exported"},	 {"helper", "exported"},
		     {"clone", NULL},	       {"by_table", "by_table"}, {"entry", "by_table"}};
	struct naming_test t;
	uint64_t addresses[sizeof(cases) / sizeof(*cases)];
	uint32_t image;

	(void)state;
	snippet_build("asm",
		      "__asm__(\".text\\n.irp f,aside,helper,clone,entry\\n.globl \\\\f\\n.hidden "
		      "\\\\f\\n"
		      ".endr\\n.irp f,exported,by_table\\n.globl \\\\f\\n.type \\\\f,@function\\n"
		      ".endr\\n"
		      "exported: test %edi,%edi\\nje aside\\ncall helper\\nret\\n"
		      "aside: nop\\njmp exported\\n"
		      "helper: nop\\nret\\n"
		      "clone: nop\\nret\\n"
		      "by_table: jmp *%rax\\n"
		      "entry: nop\\nret\\n\");\n",
		      "-shared -fPIC -nostdlib");
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		addresses[i] = snippet_address("asm", cases[i].at);
	snippet_run("strip asm");
	begin(&t);
	image = add_binary(&t, "asm");
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		add_address(&t, image, addresses[i], false);
	run(&t);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		assert_int_equal(function_of(&t, i, 0)->named, cases[i].name != NULL);
		if (cases[i].name)
			assert_string_equal(name_of(&t, i, 0), cases[i].name);
	}
	end(&t);
}

static void separate_debug_files_are_used(void **state)
{
	struct naming_test t;
	uint64_t address;

	(void)state;
	snippet_build("d", source, "-O2 -g");
	address = snippet_address("d", "in_deep");
	snippet_run("objcopy --only-keep-debug d d.debug && strip d &&"
		    " objcopy --add-gnu-debuglink=d.debug d");
	begin(&t);
	add_address(&t, add_binary(&t, "d"), address, false);
	run(&t);
	assert_int_equal(frames_of(&t, 0), 2);
	assert_string_equal(name_of(&t, 0, 0), "deep");
	assert_int_equal(frame_of(&t, 0, 0)->line, 4);
	end(&t);
}

/* As Fedora strips: the functions that .dynsym lacks are left in a compressed file. */
static void small_debug_files_within_are_used(void **state)
{
	struct naming_test t;
	uint64_t address;
	uint32_t image;

	(void)state;
	snippet_build("m", source, "-O2 -g");
	address = snippet_address("m", "hidden");
	snippet_run("nm -f posix --defined-only m | awk '$2 ~ /[Tt]/ { print $1 }' >m.keep &&"
		    " objcopy -S -R .comment --keep-symbols=m.keep m m.small && xz m.small &&"
		    " strip m && objcopy --add-section .gnu_debugdata=m.small.xz m");
	begin(&t);
	image = add_binary(&t, "m");
	add_address(&t, image, address, false);
	run(&t);
	assert_string_equal(name_of(&t, 0, 0), "hidden");
	end(&t);

	/* What cannot be decompressed is none. */
	snippet_run("head -c 100 m.small.xz >m.bad &&"
		    " objcopy --update-section .gnu_debugdata=m.bad m");
	begin(&t);
	add_address(&t, add_binary(&t, "m"), address, false);
	run(&t);
	assert_false(function_of(&t, 0, 0)->named);
	assert_int_equal(t.stats.images_corrupt, 0);
	end(&t);
}

static void deleted_files_are_named(void **state)
{
	struct naming_test t;
	uint64_t address;
	uint32_t image;

	(void)state;
	snippet_build("gone", source, "-O2 -g -DG");
	address = snippet_address("gone", "outer");
	begin(&t);
	image = add_binary(&t, "gone");
	add_address(&t, image, address, false);
	snippet_run("rm gone");
	run(&t);
	assert_string_equal(name_of(&t, 0, frames_of(&t, 0) - 1), "outer");
	end(&t);
}

static void cxx_and_plt(void **state)
{
	struct naming_test t;
	unsigned long stub = 0;
	uint32_t image;
	FILE *f;

	(void)state;
	snippet_write("x.cc",
		      "#include <cstdio>\n"
		      "namespace shop { template <class T> struct Cart {\n"
		      "	__attribute__((noinline)) T add(T x) { std::puts(\"\"); return x; } }; }\n"
		      "int main() { shop::Cart<int> c; return c.add(0); }\n");
	snippet_run("g++ -O1 -g -o x x.cc && objdump -d x | sed -n 's/ <puts@plt>:$//p' > stub");
	f = fdopen(snippet_open("stub"), "r");
	assert_int_equal(fscanf(f, "%lx", &stub), 1);
	fclose(f);
	begin(&t);
	image = add_binary(&t, "x");
	add_address(&t, image, snippet_address("x", "_ZN4shop4CartIiE3addEi"), false);
	add_address(&t, image, stub + 5, false);
	run(&t);
	assert_string_equal(name_of(&t, 0, 0), "shop::Cart<int>::add");
	assert_string_equal(profile_text(t.profile, function_of(&t, 0, 0)->linkage),
			    "_ZN4shop4CartIiE3addEi");
	assert_string_equal(name_of(&t, 1, 0), "puts@plt");
	end(&t);
}

static void exported_names_are_plain(void **state)
{
	struct naming_test t;
	uint32_t image;

	(void)state;
	snippet_build("alias",
		      "int __own_name(int x) { return x * 3; }\n"
		      "int plain(int x) __attribute__((alias(\"__own_name\")));\n"
		      "int __lonely(int x) { return x * 5; }\n"
		      "int main(int c, char **v) { (void)v; return plain(c) + __lonely(c); }\n",
		      "-O1 -g -fno-inline");
	begin(&t);
	image = add_binary(&t, "alias");
	add_address(&t, image, snippet_address("alias", "plain"), false);
	add_address(&t, image, snippet_address("alias", "__lonely"), false);
	run(&t);
	assert_string_equal(name_of(&t, 0, 0), "plain");
	assert_string_equal(profile_text(t.profile, function_of(&t, 0, 0)->linkage), "__own_name");
	assert_int_equal(function_of(&t, 0, 0)->line, 1);
	assert_string_equal(name_of(&t, 1, 0), "__lonely");
	end(&t);
}

static void jit_code_by_perf_map(void **state)
{
	_free_ char *path = mem_printf("/tmp/perf-%d.map", getpid());
	struct naming_test t;
	uint32_t image;
	FILE *f;

	(void)state;
	begin(&t);
	image = images_jit(t.images, (uint32_t)getpid());
	f = fopen(path, "w");
	fputs("7f0000001000 40 LazyCompile:*render /app/a.js:10\nrubbish\n", f);
	fclose(f);
	add_place(&t, image, 0x7f0000001010, false);
	add_place(&t, image, 0x7f0000001040, true);
	add_place(&t, image, 0x7f0000001040, false);
	add_place(&t, image, 0x7f0000002000, false);
	run(&t);
	unlink(path);
	assert_string_equal(name_of(&t, 0, 0), "LazyCompile:*render /app/a.js:10");
	assert_string_equal(name_of(&t, 1, 0), "LazyCompile:*render /app/a.js:10");
	assert_string_equal(name_of(&t, 2, 0), "[JIT code]");
	assert_int_equal(function_of(&t, 2, 0)->kind, KIND_JIT);
	assert_false(function_of(&t, 2, 0)->named);
	/* All that no line covers is one function: no node an address. */
	assert_int_equal(frame_of(&t, 2, 0)->function, frame_of(&t, 3, 0)->function);
	assert_int_equal(t.stats.unnamed, 2);
	end(&t);
}

static void addresses_outside_of_everything(void **state)
{
	struct naming_test t;
	struct image_id id = {.path = "/opt/lost.so", .inode = 5};
	uint32_t image;

	(void)state;
	begin(&t);
	image = images_file(t.images, 5000001, 0x1000, 0x2000, &id);
	add_place(&t, IMAGE_NONE, 0xdead, false);
	add_place(&t, image, 0x1234, false);
	add_place(&t, 999, 0x77, false);
	add_place(&t, IMAGE_VDSO, 0xffffff, false);
	run(&t);
	assert_string_equal(name_of(&t, 0, 0), "[unknown] 0xdead");
	assert_int_equal(function_of(&t, 0, 0)->kind, KIND_UNKNOWN);
	assert_string_equal(name_of(&t, 1, 0), "lost.so+0x1234");
	assert_int_equal(function_of(&t, 1, 0)->kind, KIND_NATIVE);
	assert_string_equal(name_of(&t, 2, 0), "[unknown] 0x77");
	assert_string_equal(name_of(&t, 3, 0), "[vdso]+0xffffff");
	assert_int_equal(function_of(&t, 3, 0)->kind, KIND_VDSO);
	assert_int_equal(t.stats.unnamed, 4);
	assert_int_equal(t.stats.images_unopened, 1);
	end(&t);
}

static void nothing_to_name(void **state)
{
	struct naming_test t;

	(void)state;
	begin(&t);
	run(&t);
	assert_int_equal(t.named.frame.n, 0);
	end(&t);
}

/* The vDSO has symbols; clock_gettime is one of every kernel's on x86-64. */
static void vdso_is_named(void **state)
{
	struct naming_test t;
	struct stat st;
	bool found = false;

	(void)state;
	begin(&t);
	assert_int_equal(fstat(images_at(t.images, IMAGE_VDSO)->fd, &st), 0);
	for (uint64_t offset = 0x100; offset < (uint64_t)st.st_size; offset += 16)
		add_place(&t, IMAGE_VDSO, offset, false);
	run(&t);
	for (size_t i = 0; i < t.places.n; i++)
		found |= !!strstr(name_of(&t, i, 0), "clock_gettime");
	assert_true(found);
	end(&t);
}

/* What a confined child may have been made to write. */
static void answers_are_checked(void **state)
{
	char good[1024], bad[1024] __attribute__((aligned(4)));
	int fd = memfd_create("answer", 0), refused = 0;
	struct answer a = {0};
	struct answer_view view;
	ssize_t n;

	(void)state;
	answer_frame_mangled(&a, "_ZN1a1bEv", NULL, NULL, "f.c", 3, 4, true);
	answer_frame(&a, "main", NULL, "f.c", 9, 10, false, true);
	answer_next(&a);
	assert_int_equal(answer_write(&a, 7, fd), 0);
	answer_release(&a);
	n = pread(fd, good, sizeof(good), 0);
	close(fd);
	memcpy(bad, good, sizeof(bad));
	assert_int_equal(answer_read(bad, (size_t)n, &view), n);
	assert_int_equal(view.job, 7);
	assert_int_equal(view.n_queries, 1);
	assert_int_equal(view.n_frames, 2);
	assert_string_equal(view.text + view.functions[view.frames[0].function].name, "a::b");
	for (ssize_t i = 0; i < n; i++) {
		assert_int_equal(answer_read(bad, (size_t)i, &view), 0);
		for (int bit = 0; bit < 8; bit++) {
			memcpy(bad, good, sizeof(bad));
			bad[i] = (char)(bad[i] ^ (1 << bit));
			refused += !answer_read(bad, (size_t)n, &view);
		}
		memcpy(bad, good, sizeof(bad));
	}
	assert_true(refused > 100);
}

/* 0 where the child could not do harm; else which test it failed. */
static int try_harm(int kept, int other, const char *secret)
{
	int keep[] = {kept};
	char byte;

	confine_silence();
	confine_close(keep, 1);
	if (confine_enter(&(struct confine_terms){.kind = CONFINE_READER,
						  .socket = -1,
						  .memory_bytes = 1 << 30,
						  .file_bytes = 100}))
		return 1;
	if (pread(kept, &byte, 1, 0) != 1)
		return 2;
	if (pread(other, &byte, 1, 0) == 1)
		return 3;
	if (open(secret, O_RDONLY) >= 0)
		return 4;
	if (!setuid(0) && !geteuid())
		return 5;
	if (fork() >= 0)
		return 6;
	signal(SIGXFSZ, SIG_IGN);
	if (pwrite(kept, &byte, 1, 100) == 1)
		return 7;
	return pwrite(kept, &byte, 1, 50) == 1 ? 0 : 8;
}

static void children_are_confined(void **state)
{
	_free_ char *secret = snippet_path("secret");
	int kept = memfd_create("kept", 0), other = memfd_create("other", 0), status;
	pid_t pid;

	(void)state;
	snippet_write("secret", "x");
	assert_int_equal(chmod(secret, geteuid() ? 0 : 0600), 0);
	assert_int_equal(write(kept, "x", 1), 1);
	assert_int_equal(write(other, "x", 1), 1);
	pid = fork();
	if (!pid)
		_exit(try_harm(kept, other, secret));
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
	close(kept);
	close(other);
}

static uint32_t next_random(uint64_t *seed)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(*seed >> 33);
}

/* Overwrites up to 64 bytes of @bytes: in the headers, anywhere, or (half of them) in the second
 * half, where symbols and DWARF are. */
static void mutate(uint8_t *bytes, size_t n, uint64_t *seed)
{
	const int times = 1 + (int)(next_random(seed) % 64);

	for (int i = 0; i < times; i++) {
		const size_t starts[] = {0, 0, n / 2, n / 2}, ends[] = {1024, n, n, n};
		const uint32_t where = next_random(seed) % 4, what = next_random(seed) % 3;
		const size_t at = starts[where] + next_random(seed) % (ends[where] - starts[where]);

		bytes[at] = what == 0 ? 0xff : what == 1 ? 0 : (uint8_t)next_random(seed);
	}
}

/* How many of all places but the last bear the name of a function of the source. */
static int count_named(const struct naming_test *t)
{
	int n = 0;

	for (size_t i = 0; i + 1 < t->places.n; i++) {
		const char *name = name_of(t, i, frames_of(t, i) - 1);

		n += !strcmp(name, "outer") || !strcmp(name, "hidden") || !strcmp(name, "main");
	}
	return n;
}

static uint8_t *read_whole(const char *name, size_t *n)
{
	int fd = snippet_open(name);
	struct stat st;
	uint8_t *bytes;

	assert_int_equal(fstat(fd, &st), 0);
	*n = (size_t)st.st_size;
	bytes = mem_zalloc(*n, 1);
	assert_int_equal(read(fd, bytes, *n), *n);
	close(fd);
	return bytes;
}

static void write_whole(const char *name, const uint8_t *bytes, size_t n)
{
	_free_ char *path = snippet_path(name);
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_int_equal(fwrite(bytes, 1, n, f), n);
	fclose(f);
}

/* Whatever is done to a binary, each address in it has a frame, and the other binary its names. */
static void corrupt_binaries_lose_only_themselves(void **state)
{
	size_t n;
	uint8_t *good, *bad;
	uint64_t seed = 20240229, address;
	const int rounds = 500;
	int named = 0, corrupt = 0;

	(void)state;
	snippet_build("fuzz", source, "-O2 -g -nostartfiles -Wl,-e,main");
	snippet_build("fine", source, "-O2 -g");
	address = snippet_address("fine", "in_deep");
	good = read_whole("fuzz", &n);
	bad = mem_zalloc(n, 1);
	for (int i = 0; i < rounds; i++) {
		char name[32];
		struct naming_test t;
		uint32_t image;

		memcpy(bad, good, n);
		mutate(bad, n, &seed);
		snprintf(name, sizeof(name), "bad%d", i);
		write_whole(name, bad, n);
		begin(&t);
		image = add_binary(&t, name);
		for (uint64_t offset = 0x1000; offset < 0x1100; offset += 8)
			add_place(&t, image, offset, false);
		add_address(&t, add_binary(&t, "fine"), address, false);
		run(&t);
		corrupt += (int)t.stats.images_corrupt;
		assert_string_equal(name_of(&t, t.places.n - 1, 0), "deep");
		named += count_named(&t);
		end(&t);
		_free_ char *path = snippet_path(name);
		unlink(path);
	}
	/* Most mutations touch nothing that names depend on. */
	/* Not all of them lose all: a change is felt where it is, and in some not at all. */
	assert_true(named > rounds);
	assert_true(corrupt > 0 && corrupt < rounds);
	free(good);
	free(bad);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_functions_lines_and_inlines),
		cmocka_unit_test(return_addresses_are_the_call_s),
		cmocka_unit_test(return_addresses_put_there_by_hand),
		cmocka_unit_test(stripped_functions_stay_whole),
		cmocka_unit_test(what_an_ifunc_chooses_has_its_name),
		cmocka_unit_test(assembly_ends_where_it_leads_no_further),
		cmocka_unit_test(separate_debug_files_are_used),
		cmocka_unit_test(small_debug_files_within_are_used),
		cmocka_unit_test(deleted_files_are_named),
		cmocka_unit_test(cxx_and_plt),
		cmocka_unit_test(exported_names_are_plain),
		cmocka_unit_test(jit_code_by_perf_map),
		cmocka_unit_test(addresses_outside_of_everything),
		cmocka_unit_test(nothing_to_name),
		cmocka_unit_test(vdso_is_named),
		cmocka_unit_test(answers_are_checked),
		cmocka_unit_test(children_are_confined),
		cmocka_unit_test(corrupt_binaries_lose_only_themselves),
	};

	return cmocka_run_group_tests(tests, snippet_setup, snippet_teardown);
}
