/* What the dynamic linker will load, foretold from files of a container: its cache and its list of
 * preloads, a program, a script; which of them the bytes are, the first one says. */
#include <fcntl.h>
#include <sys/stat.h>

#include "process/closure.h"

#define FUZZ_RUN fuzz_closure_run
#define FUZZ_MS	 1000 /* it searches folders */
#include "fuzz.h"

static const char *const places[] = {"etc/ld.so.cache", "etc/ld.so.preload", "program"};
#define PLACES (sizeof(places) / sizeof(*places))

static char root[] = "/tmp/eprof-fuzz-XXXXXX";

static void remove_root(void)
{
	char path[64];

	for (size_t i = 0; i < PLACES; i++) {
		snprintf(path, sizeof(path), "%s/%s", root, places[i]);
		(void)unlink(path);
	}
	snprintf(path, sizeof(path), "%s/etc", root);
	(void)rmdir(path);
	(void)rmdir(root);
}

/* A folder with what a root holds, made once. */
static int open_root(void)
{
	static int fd = -1;

	if (fd < 0) {
		expect(mkdtemp(root));
		fd = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
		expect(fd >= 0 && !mkdirat(fd, "etc", 0755));
		atexit(remove_root);
	}
	return fd;
}

static void put(int root_fd, const char *path, const void *bytes, size_t n)
{
	int fd = openat(root_fd, path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

	expect(fd >= 0 && write(fd, bytes, n) == (ssize_t)n);
	close(fd);
}

/* A program that needs a library which only the cache, or a preload, can lead to. */
static void put_program(int root_fd)
{
	static const char path[] = "/proc/self/exe";
	static char bytes[4 << 20];
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	static ssize_t n;

	if (!n)
		n = read(fd, bytes, sizeof(bytes));
	close(fd);
	put(root_fd, "program", bytes, (size_t)n);
}

static void FUZZ_RUN(const uint8_t *bytes, size_t n)
{
	const int root_fd = open_root();
	closure c = {0};
	size_t which;

	if (!n)
		return;
	which = bytes[0] % PLACES;
	for (size_t i = 0; i < PLACES; i++)
		(void)unlinkat(root_fd, places[i], 0);
	if (which != PLACES - 1)
		put_program(root_fd);
	put(root_fd, places[which], bytes + 1, n - 1);
	closure_search_program(root_fd, "/program", NULL, &c);
	expect(c.n <= 4096);
	closure_release(&c);
}
