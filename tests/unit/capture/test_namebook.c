/* Names that are known are not looked up again, and find their way from one process to another. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "elf/elffile.h"
#include "elf/segments.h"
#include "snippet.h"
#include "symbol/namebook.h"

static const char source[] = "__attribute__((noinline)) int one(int x) { return x * 3; }\n"
			     "__attribute__((noinline)) int two(int x) { return one(x) + 1; }\n"
			     "int main(int c, char **v) { (void)v; return two(c); }\n";

/* The functions one and two of a program, and an address in nothing. */
struct world {
	struct images *images;
	struct namebook book;
	uint32_t image;
	struct place places[3];
	uint8_t is_return[3];
};

static int open_world(void **state)
{
	struct world *w = mem_zalloc(1, sizeof(*w));
	const char *const names[] = {"one", "two"};
	_free_ char *path = NULL;
	struct elffile f;
	struct stat st;

	snippet_build("n", source, "-O1 -g");
	path = snippet_path("n");
	assert_int_equal(stat(path, &st), 0);
	w->images = images_new();
	w->image = images_file(w->images, (uint32_t)getpid(), 0x1000, 0x2000,
			       &(struct image_id){.path = path,
						  .dev_major = major(st.st_dev),
						  .dev_minor = minor(st.st_dev),
						  .inode = st.st_ino});
	assert_int_equal(elffile_open(images_at(w->images, w->image)->fd, &f), 0);
	for (int i = 0; i < 2; i++) {
		w->places[i].image = w->image;
		assert_true(
			segments_offset(&f, snippet_address("n", names[i]), &w->places[i].offset));
	}
	elffile_release(&f);
	w->places[2] = (struct place){0xabc, IMAGE_NONE};
	*state = w;
	return 0;
}

static int close_world(void **state)
{
	struct world *w = *state;

	namebook_release(&w->book);
	images_free(w->images);
	free(w);
	return 0;
}

/* Runs for places @first … @first + @n - 1, into a profile of its own. */
static void expect(struct world *w, struct namebook *b, size_t first, size_t n,
		   const char *const *names)
{
	struct profile *p = profile_new();
	struct named named;

	assert_int_equal(
		namebook_run(b, w->images, w->places + first, w->is_return + first, n, p, &named),
		0);
	assert_int_equal(named.first.n, n + 1);
	for (size_t i = 0; i < n; i++) {
		const struct frame *f = &p->frames.at[named.frame.at[named.first.at[i]]];

		assert_string_equal(profile_text(p, p->functions.at[f->function].name), names[i]);
	}
	assert_int_equal(profile_check(p), 0);
	named_release(&named);
	profile_free(p);
}

static const char *const all[] = {"one", "two", "[unknown] 0xabc"};

static void looks_up_once(void **state)
{
	struct world *w = *state;

	expect(w, &w->book, 0, 1, all);
	assert_int_equal(w->book.stats.places, 1);
	expect(w, &w->book, 0, 3, all);
	assert_int_equal(w->book.stats.places, 3);
	/* What lies in nothing may be something the next time. */
	expect(w, &w->book, 0, 3, all);
	assert_int_equal(w->book.stats.places, 4);
	assert_int_equal(w->book.entries.n, 2);
}

/* An image that has the number of one that was forgotten is another. */
static void numbers_that_are_given_again_are_others(void **state)
{
	static const char *const as_offset[] = {"[JIT code]"};
	struct world *w = *state;
	uint8_t used[IMAGE_FIRST + 1] = {0};

	expect(w, &w->book, 0, 1, all);
	for (int i = 0; i < 3; i++)
		images_forget(w->images, used);
	assert_int_equal(images_jit(w->images, 4999999), w->image);
	expect(w, &w->book, 0, 1, as_offset);
}

static void begins_anew_when_it_is_full(void **state)
{
	struct world *w = *state;

	w->book.most = 2;
	for (int i = 0; i < 3; i++)
		expect(w, &w->book, 0, 2, all);
	assert_true(w->book.entries.n <= 2);
	assert_int_equal(w->book.generation, 2);
}

/* As from a child process, whose copy has grown. */
static void send(const struct namebook *from, const struct namebook_mark *since,
		 struct namebook *to)
{
	int fd = memfd_create("names", MFD_CLOEXEC);

	assert_int_equal(namebook_send(from, since, fd), 0);
	assert_int_equal(namebook_receive(to, fd), 0);
	close(fd);
}

static void goes_from_one_process_to_another(void **state)
{
	struct world *w = *state;
	struct namebook here = {0};
	struct namebook_mark mark = namebook_mark(&here);

	expect(w, &w->book, 0, 1, all);
	send(&w->book, &mark, &here);
	assert_int_equal(here.stats.places, 1);
	assert_int_equal(here.entries.n, 1);
	mark = namebook_mark(&here);
	expect(w, &w->book, 0, 3, all);
	send(&w->book, &mark, &here);
	assert_int_equal(here.entries.n, 2);
	/* Nothing is left to be looked up. */
	expect(w, &here, 0, 2, all);
	assert_int_equal(here.stats.places, 3);
	/* It began anew meanwhile. */
	mark = namebook_mark(&here);
	w->book.most = 2;
	expect(w, &w->book, 0, 1, all);
	send(&w->book, &mark, &here);
	assert_int_equal(here.entries.n, 1);
	expect(w, &here, 0, 3, all);
	namebook_release(&here);
}

static void takes_nothing_else(void **state)
{
	struct world *w = *state;
	struct namebook here = {0};
	struct namebook_mark mark = namebook_mark(&here);
	int fd = memfd_create("names", MFD_CLOEXEC);

	expect(w, &w->book, 0, 2, all);
	assert_int_equal(namebook_send(&w->book, &mark, fd), 0);
	for (off_t n = lseek(fd, 0, SEEK_END) - 1; n >= 0; n -= n > 64 ? 37 : 1) {
		assert_int_equal(ftruncate(fd, n), 0);
		assert_int_not_equal(namebook_receive(&here, fd), 0);
		assert_int_equal(here.entries.n, 0);
	}
	close(fd);
	namebook_release(&here);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(looks_up_once, open_world, close_world),
		cmocka_unit_test_setup_teardown(numbers_that_are_given_again_are_others, open_world,
						close_world),
		cmocka_unit_test_setup_teardown(begins_anew_when_it_is_full, open_world,
						close_world),
		cmocka_unit_test_setup_teardown(goes_from_one_process_to_another, open_world,
						close_world),
		cmocka_unit_test_setup_teardown(takes_nothing_else, open_world, close_world),
	};

	return cmocka_run_group_tests(tests, snippet_setup, snippet_teardown);
}
