#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <sys/stat.h>

#include "debugfile_find.h"
#include "snippet.h"

static const char source[] = "int main(void) { return 0; }\n";

static int find(const char *binary, int root_fd)
{
	_free_ char *path = snippet_path(binary);
	int fd = snippet_open(binary), found;
	struct elffile f;

	assert_int_equal(elffile_open(fd, &f), 0);
	found = debugfile_find(&f, path, root_fd);
	elffile_release(&f);
	close(fd);
	return found;
}

static void expect_file(int fd, const char *name)
{
	_free_ char *path = snippet_path(name);
	struct stat a, b;

	assert_true(fd >= 0);
	assert_int_equal(fstat(fd, &a), 0);
	assert_int_equal(stat(path, &b), 0);
	assert_int_equal(a.st_ino, b.st_ino);
	close(fd);
}

static int open_root(void)
{
	_free_ char *root = snippet_path("root");
	int fd = open(root, O_PATH | O_CLOEXEC);

	assert_true(fd >= 0);
	return fd;
}

static void finds_by_build_id(void **state)
{
	static const char debug[] = "root/usr/lib/debug/.build-id/ab/cdef0123456789.debug";
	int root_fd;

	(void)state;
	snippet_build("a", source, "-g -Wl,--build-id=0xabcdef0123456789");
	snippet_run("mkdir -p root/usr/lib/debug/.build-id/ab && objcopy --only-keep-debug a %s &&"
		    " strip a",
		    debug);
	root_fd = open_root();
	expect_file(find("a", root_fd), debug);
	assert_int_equal(find("a", -1), -ENOENT);
	/* Another build's file under this one's name. */
	snippet_build("other", source, "-g -Wl,--build-id=0xabcdef0123456700");
	snippet_run("objcopy --only-keep-debug other %s", debug);
	assert_int_equal(find("a", root_fd), -ENOENT);
	close(root_fd);
}

static void finds_by_link(void **state)
{
	(void)state;
	snippet_build("b", source, "-g -Wl,--build-id=none");
	snippet_run("objcopy --only-keep-debug b b.dbg && strip b &&"
		    " objcopy --add-gnu-debuglink=b.dbg b");
	expect_file(find("b", -1), "b.dbg");
	snippet_run("mkdir -p .debug && mv b.dbg .debug/");
	expect_file(find("b", -1), ".debug/b.dbg");
	snippet_run("mkdir -p root/usr/lib/debug%s && mv .debug/b.dbg root/usr/lib/debug%s/",
		    snippet_dir, snippet_dir);
	assert_int_equal(find("b", -1), -ENOENT);
	{
		_free_ char *want = mem_printf("root/usr/lib/debug%s/b.dbg", snippet_dir);
		int root_fd = open_root();

		expect_file(find("b", root_fd), want);
		close(root_fd);
	}
}

/* A changed file is not the one that the link speaks of. */
static void checks_the_crc(void **state)
{
	(void)state;
	snippet_build("c", source, "-g -Wl,--build-id=none");
	snippet_run("objcopy --only-keep-debug c c.dbg && strip c &&"
		    " objcopy --add-gnu-debuglink=c.dbg c && echo x >> c.dbg");
	assert_int_equal(find("c", -1), -ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_by_build_id),
		cmocka_unit_test(finds_by_link),
		cmocka_unit_test(checks_the_crc),
	};

	return cmocka_run_group_tests(tests, snippet_setup, snippet_teardown);
}
