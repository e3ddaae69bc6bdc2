// cflags: -shared -fPIC
/*
 * escape: what hostile bytes could make of eprof-render, once they run in it: loaded by LD_PRELOAD,
 * it takes the place of zlib's inflateInit_(), which HDF5 calls for the first table of a profile,
 * and tries everything that the sandbox is to refuse. Each attempt is a line on stderr: its name,
 * and the error or "done". ESCAPE says which: all, or cpu, crash, abort, hang, which do not return.
 *
 * ESCAPE_FILE is a file that nobody named on the command line; ESCAPE_INPUT the one that is read;
 * ESCAPE_AT "write" waits for deflate(), by which then the output has begun, and "inode" for a read
 * of the file whose number is ESCAPE_INODE.
 */
#include <dlfcn.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>

#include "../../user/core/broker/request.h"
#include "attempts.h"

static void told(const char *name, long rc)
{
	fprintf(stderr, "%s %s\n", name, rc < 0 ? strerrorname_np(errno) : "done");
}

/* --- of the broker ---------------------------------------------------------------------------- */

static int broker_socket(void)
{
	struct stat st;

	for (int fd = 3; fd < 64; fd++)
		if (!fstat(fd, &st) && S_ISSOCK(st.st_mode))
			return fd;
	return -1;
}

static void ask(const char *name, struct request r, const char *path)
{
	struct iovec part = {&r, sizeof(r)};
	struct msghdr m = {.msg_iov = &part, .msg_iovlen = 1};
	struct request_answer answer = {.rc = -EIO};
	int fd = broker_socket();

	snprintf(r.path, sizeof(r.path), "%s", path);
	sendmsg(fd, &m, MSG_NOSIGNAL);
	part = (struct iovec){&answer, sizeof(answer)};
	recvmsg(fd, &m, 0);
	errno = -answer.rc;
	told(name, answer.rc);
}

static void try_broker(void)
{
	const char *input = getenv("ESCAPE_INPUT"), *other = getenv("ESCAPE_FILE");
	char aside[PATH_MAX];

	snprintf(aside, sizeof(aside), "%s/../escape-aside", input);
	ask("ask-open", (struct request){.kind = REQUEST_OPEN}, other);
	ask("ask-passwd", (struct request){.kind = REQUEST_OPEN}, "/etc/passwd");
	ask("ask-write", (struct request){.kind = REQUEST_OPEN, .flags = O_RDWR}, input);
	ask("ask-truncate", (struct request){.kind = REQUEST_OPEN, .flags = O_TRUNC}, input);
	ask("ask-create", (struct request){.kind = REQUEST_OPEN, .flags = O_CREAT}, aside);
	ask("ask-make", (struct request){.kind = REQUEST_BEGIN}, aside);
	ask("ask-replace", (struct request){.kind = REQUEST_BEGIN, .flags = REQUEST_FORCE}, input);
	ask("ask-run", (struct request){.kind = REQUEST_RUN}, other);
	ask("ask-run-input", (struct request){.kind = REQUEST_RUN}, input);
	ask("ask-commit", (struct request){.kind = REQUEST_COMMIT, .number = -7}, "");
	ask("ask-commit-none", (struct request){.kind = REQUEST_COMMIT, .number = 3}, "");
	ask("ask-end", (struct request){.kind = REQUEST_END}, "");
}

/* --- of bounds -------------------------------------------------------------------------------- */

static void show_memory(void)
{
	fprintf(stderr, "memory %u GiB\n", attempt_memory(MAP_PRIVATE | MAP_ANONYMOUS));
	fprintf(stderr, "shared %u GiB\n", attempt_memory(MAP_SHARED | MAP_ANONYMOUS));
}

static void show_limits(void)
{
	static const struct {
		const char *name;
		int which;
	} limits[] = {{"CPU", RLIMIT_CPU}, {"FSIZE", RLIMIT_FSIZE}, {"CORE", RLIMIT_CORE}};
	struct rlimit now;

	for (size_t i = 0; i < sizeof(limits) / sizeof(*limits); i++)
		if (!getrlimit(limits[i].which, &now))
			fprintf(stderr, "limit-%s %llu\n", limits[i].name,
				(unsigned long long)now.rlim_cur);
}

static void escape(void)
{
	const char *what = getenv("ESCAPE");
	static int done;
	/* All 0: free(3) takes what lies in front of its argument for the size and flags of a
	 * chunk, and follows a pointer, instead of aborting, where a chance bit there says so. */
	char *volatile inside = (char *)calloc(1, 64) + 8;

	if (!what || done++)
		return;
	if (!strcmp(what, "cpu"))
		for (volatile unsigned i = 0;; i++)
			;
	if (!strcmp(what, "crash"))
		*(volatile int *)8 = 0;
	if (!strcmp(what, "abort"))
		free(inside);
	if (!strcmp(what, "hang"))
		for (;;)
			poll(NULL, 0, -1);
	if (strcmp(what, "all"))
		return;
	show_limits();
	attempt_all(told, getenv("ESCAPE_FILE"), getenv("ESCAPE_INPUT"));
	try_broker();
	show_memory();
}

int inflateInit_(void *stream, const char *version, int bytes);
int inflateInit_(void *stream, const char *version, int bytes)
{
	int (*real)(void *, const char *, int) =
		(int (*)(void *, const char *, int))dlsym(RTLD_NEXT, "inflateInit_");

	if (!getenv("ESCAPE_AT"))
		escape();
	return real(stream, version, bytes);
}

static int is_input(int fd)
{
	const char *number = getenv("ESCAPE_INODE");
	struct stat st;

	return number && !fstat(fd, &st) && st.st_ino == strtoull(number, NULL, 10);
}

ssize_t pread(int fd, void *to, size_t n, off_t at)
{
	ssize_t (*real)(int, void *, size_t, off_t) =
		(ssize_t(*)(int, void *, size_t, off_t))dlsym(RTLD_NEXT, "pread");

	if (is_input(fd))
		escape();
	return real(fd, to, n, at);
}

int deflate(void *stream, int flush);
int deflate(void *stream, int flush)
{
	int (*real)(void *, int) = (int (*)(void *, int))dlsym(RTLD_NEXT, "deflate");
	const char *at = getenv("ESCAPE_AT");

	if (at && !strcmp(at, "write"))
		escape();
	return real(stream, flush);
}
