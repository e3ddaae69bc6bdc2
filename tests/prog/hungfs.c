/*
 * hungfs MOUNTPOINT FILE [NAME [MS]]: a file system with one file, NAME (else "prog"), a copy of
 * FILE, that stops to answer when SIGUSR1 comes: requests are taken, and nothing is said to them,
 * until SIGUSR2 comes. With MS, SIGUSR1 makes it slow instead: each request takes so long. It
 * mounts in the mount namespace that it is started in, and unmounts at SIGTERM. Prints a line once
 * it is mounted. Without libfuse: see linux/fuse.h.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#define ROOT  1
#define FILE_ 2

static volatile sig_atomic_t hangs, ends;
static char *data;
static size_t bytes;
static const char *name = "prog";
static useconds_t slow_us; /* 0: it hangs instead */

/* Requests that wait for SIGUSR2. */
static struct held {
	struct held *next;
	char request[];
} * held;

static void on_signal(int signal_number)
{
	if (signal_number == SIGTERM)
		ends = 1;
	else
		hangs = signal_number == SIGUSR1;
}

static void answer(int fd, const struct fuse_in_header *in, int error, const void *body, size_t n)
{
	struct fuse_out_header out = {sizeof(out) + n, error, in->unique};
	struct iovec parts[] = {{&out, sizeof(out)}, {(void *)body, n}};

	if (writev(fd, parts, 2) < 0 && errno != ENOENT)
		perror("answer");
}

static struct fuse_attr attr_of(uint64_t node)
{
	return (struct fuse_attr){.ino = node,
				  .size = node == FILE_ ? bytes : 0,
				  .blocks = (bytes + 511) / 512,
				  .mode = node == FILE_ ? S_IFREG | 0755 : S_IFDIR | 0755,
				  .nlink = 1,
				  .blksize = 4096};
}

static void look_up(int fd, const struct fuse_in_header *in, const char *wanted)
{
	struct fuse_entry_out e = {.nodeid = FILE_, .attr = attr_of(FILE_)};

	if (strcmp(wanted, name) != 0)
		answer(fd, in, -ENOENT, NULL, 0);
	else
		answer(fd, in, 0, &e, sizeof(e));
}

static void read_file(int fd, const struct fuse_in_header *in, const struct fuse_read_in *r)
{
	size_t at = r->offset < bytes ? r->offset : bytes;
	size_t n = bytes - at < r->size ? bytes - at : r->size;

	answer(fd, in, 0, data + at, n);
}

static void serve(int fd, const struct fuse_in_header *in, const void *body)
{
	struct fuse_init_out init = {.major = 7,
				     .minor = 31,
				     .max_readahead = 65536,
				     .max_background = 16,
				     .congestion_threshold = 12,
				     .max_write = 65536};
	struct fuse_attr_out attr = {.attr = attr_of(in->nodeid)};
	struct fuse_open_out open = {.fh = 1};

	switch (in->opcode) {
	case FUSE_INIT:
		answer(fd, in, 0, &init, sizeof(init));
		break;
	case FUSE_LOOKUP:
		look_up(fd, in, body);
		break;
	case FUSE_GETATTR:
		answer(fd, in, 0, &attr, sizeof(attr));
		break;
	case FUSE_OPEN:
	case FUSE_OPENDIR:
		answer(fd, in, 0, &open, sizeof(open));
		break;
	case FUSE_READ:
		read_file(fd, in, body);
		break;
	case FUSE_FLUSH:
	case FUSE_RELEASE:
	case FUSE_RELEASEDIR:
	case FUSE_ACCESS:
		answer(fd, in, 0, NULL, 0);
		break;
	case FUSE_FORGET:
	case FUSE_BATCH_FORGET:
	case FUSE_INTERRUPT:
		break;
	default:
		answer(fd, in, -ENOSYS, NULL, 0);
	}
}

static void hold(const struct fuse_in_header *in)
{
	struct held *h = malloc(sizeof(*h) + in->len);

	if (!h)
		exit(1);
	memcpy(h->request, in, in->len);
	h->next = held;
	held = h;
}

static void serve_held(int fd)
{
	while (held) {
		struct held *h = held;
		const struct fuse_in_header *in = (void *)h->request;

		held = h->next;
		serve(fd, in, in + 1);
		free(h);
	}
}

static void take(int fd, const struct fuse_in_header *in)
{
	if (hangs && slow_us && in->opcode != FUSE_FORGET)
		usleep(slow_us);
	if (!hangs || slow_us || in->opcode == FUSE_INIT)
		serve(fd, in, in + 1);
	else
		hold(in);
}

static void load(const char *path)
{
	FILE *f = fopen(path, "re");
	struct stat st;

	if (!f || fstat(fileno(f), &st) || !(data = malloc((size_t)st.st_size)) ||
	    fread(data, 1, (size_t)st.st_size, f) != (size_t)st.st_size) {
		perror(path);
		exit(1);
	}
	bytes = (size_t)st.st_size;
	fclose(f);
}

int main(int argc, char **argv)
{
	static char buf[1 << 18] __attribute__((aligned(8)));
	const struct sigaction action = {.sa_handler = on_signal};
	char options[128];
	int fd;

	if (argc < 3)
		return 2;
	name = argc > 3 ? argv[3] : name;
	slow_us = argc > 4 ? (useconds_t)atoi(argv[4]) * 1000 : 0;
	load(argv[2]);
	sigaction(SIGUSR1, &action, NULL);
	sigaction(SIGUSR2, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	fd = open("/dev/fuse", O_RDWR | O_CLOEXEC);
	snprintf(options, sizeof(options), "fd=%d,rootmode=40000,user_id=0,group_id=0,allow_other",
		 fd);
	if (fd < 0 || mount("hungfs", argv[1], "fuse", 0, options)) {
		perror("hungfs");
		return 1;
	}
	puts("mounted");
	fflush(stdout);
	while (!ends) {
		ssize_t n = read(fd, buf, sizeof(buf));
		const struct fuse_in_header *in = (void *)buf;

		if (n < 0 && errno != EINTR && errno != ENOENT)
			break;
		if (n >= (ssize_t)sizeof(*in))
			take(fd, in);
		if (!hangs)
			serve_held(fd);
	}
	umount2(argv[1], MNT_DETACH);
	return 0;
}
