#include <fcntl.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "probe/own_code.h"
#include "process/procfs.h"

/* What is mapped where a function of the C library is. */
struct there {
	uint64_t address, inode;
	char path[PATH_MAX];
};

static void look(void *context, const struct procfs_mapping *m)
{
	struct there *t = context;

	if (t->address < m->start || t->address >= m->end)
		return;
	t->inode = m->inode;
	snprintf(t->path, sizeof(t->path), "%s", m->path);
}

static struct there there(void *function)
{
	struct there t = {.address = (uint64_t)(uintptr_t)function};

	assert_int_equal(procfs_maps((uint32_t)getpid(), look, &t), 0);
	return t;
}

static void runs_a_copy(void **state)
{
	/* Of the C library, which no sanitizer has one of its own of. */
	char *(*volatile of_libc)(char *) = strfry;
	struct there before = there((void *)(uintptr_t)of_libc), after;
	char word[] = "aaaa";
	struct own_code own = {0};
	int fd = open(before.path, O_RDONLY | O_CLOEXEC);

	(void)state;
	assert_true(fd >= 0);
	own_code_leave(&own, fd);
	after = there((void *)(uintptr_t)before.address);
	assert_int_not_equal(after.inode, before.inode);
	assert_non_null(strstr(after.path, "own-code"));
	assert_string_equal(of_libc(word), "aaaa");
	/* Once is enough. */
	own_code_leave(&own, fd);
	assert_int_equal(there((void *)(uintptr_t)before.address).inode, after.inode);
	own_code_release(&own);
	close(fd);
}

static void leaves_others_alone(void **state)
{
	struct there before = there((void *)(uintptr_t)runs_a_copy);
	int fd = open("/etc/passwd", O_RDONLY | O_CLOEXEC);
	struct own_code own = {0};

	(void)state;
	own_code_leave(&own, fd);
	own_code_leave(&own, -1);
	assert_int_equal(there((void *)(uintptr_t)runs_a_copy).inode, before.inode);
	own_code_release(&own);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(runs_a_copy),
		cmocka_unit_test(leaves_others_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
