/*
 * hungfs MOUNTPOINT FILE [NAME [MS [OPERATION:N[:only]]]]: a file system in memory with one file,
 * NAME (else "prog"), a copy of FILE, to which others can be added. It stops to answer when SIGUSR1
 * comes: requests are taken, and nothing is said to them, until SIGUSR2 comes. With MS, if that is
 * not 0, SIGUSR1 makes it slow instead: each request takes so long. With OPERATION (see names[]) it
 * stops by itself at the Nth such request, and says "hangs"; "only" these have no answer then.
 * It mounts in the mount namespace that it is started in, and unmounts at SIGTERM. Prints a line
 * once it is mounted. Without libfuse: see linux/fuse.h.
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
#define FIRST 2 /* node of files[0] */
#define FILES 64

static volatile sig_atomic_t hangs, ends;
static useconds_t slow_us; /* 0: it hangs instead */

/* When it stops by itself: at which operation, after how many more; 0: never. */
static unsigned stop_at, stop_after;
static bool stop_only;

static const struct {
	const char *name;
	unsigned operation;
} names[] = {{"read", FUSE_READ},      {"create", FUSE_CREATE},	    {"write", FUSE_WRITE},
	     {"fsync", FUSE_FSYNC},    {"fsyncdir", FUSE_FSYNCDIR}, {"flush", FUSE_FLUSH},
	     {"rename", FUSE_RENAME},  {"rename2", FUSE_RENAME2},   {"unlink", FUSE_UNLINK},
	     {"setattr", FUSE_SETATTR}};

/* One without a name is there for those who have it open. */
static struct file {
	char name[256];
	bool used;
	mode_t mode;
	uid_t uid;
	gid_t gid;
	char *data;
	size_t bytes;
} files[FILES];

/* Requests that wait for SIGUSR2, in their order. */
static struct held {
	struct held *next;
	char request[];
} * held, **held_end = &held;

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

/* --- files ------------------------------------------------------------------------------------ */

/* NULL: the root, or none. */
static struct file *file_of(uint64_t node)
{
	return node >= FIRST && node < FIRST + FILES ? &files[node - FIRST] : NULL;
}

static struct file *find(const char *name)
{
	for (int i = 0; i < FILES; i++)
		if (files[i].used && !strcmp(files[i].name, name))
			return &files[i];
	return NULL;
}

static struct file *make(const char *name, mode_t mode, const struct fuse_in_header *in)
{
	for (int i = 0; i < FILES; i++) {
		struct file *f = &files[i];

		if (f->used)
			continue;
		*f = (struct file){.used = true, .mode = S_IFREG | (mode & 07777)};
		f->uid = in ? in->uid : 0;
		f->gid = in ? in->gid : 0;
		snprintf(f->name, sizeof(f->name), "%s", name);
		return f;
	}
	return NULL;
}

static void resize(struct file *f, size_t bytes)
{
	f->data = realloc(f->data, bytes + 1);
	if (!f->data)
		exit(1);
	if (bytes > f->bytes)
		memset(f->data + f->bytes, 0, bytes - f->bytes);
	f->bytes = bytes;
}

static struct fuse_attr attr_of(uint64_t node)
{
	const struct file *f = file_of(node);

	return (struct fuse_attr){.ino = node,
				  .size = f ? f->bytes : 0,
				  .blocks = f ? (f->bytes + 511) / 512 : 0,
				  .mode = f ? f->mode : S_IFDIR | 0755,
				  .uid = f ? f->uid : 0,
				  .gid = f ? f->gid : 0,
				  .nlink = f && !f->name[0] ? 0 : 1,
				  .blksize = 4096};
}

static struct fuse_entry_out entry_of(const struct file *f)
{
	const uint64_t node = FIRST + (uint64_t)(f - files);

	return (struct fuse_entry_out){.nodeid = node, .attr = attr_of(node)};
}

/* --- requests --------------------------------------------------------------------------------- */

static void look_up(int fd, const struct fuse_in_header *in, const char *wanted)
{
	const struct file *f = find(wanted);
	struct fuse_entry_out e;

	if (!f) {
		answer(fd, in, -ENOENT, NULL, 0);
		return;
	}
	e = entry_of(f);
	answer(fd, in, 0, &e, sizeof(e));
}

static void create(int fd, const struct fuse_in_header *in, const struct fuse_create_in *c)
{
	struct file *f = make((const char *)(c + 1), c->mode & ~c->umask, in);
	struct {
		struct fuse_entry_out entry;
		struct fuse_open_out open;
	} out = {0};

	if (!f) {
		answer(fd, in, -ENOSPC, NULL, 0);
		return;
	}
	out.entry = entry_of(f);
	answer(fd, in, 0, &out, sizeof(out));
}

static void read_file(int fd, const struct fuse_in_header *in, const struct fuse_read_in *r)
{
	const struct file *f = file_of(in->nodeid);
	size_t at = r->offset < f->bytes ? r->offset : f->bytes;
	size_t n = f->bytes - at < r->size ? f->bytes - at : r->size;

	answer(fd, in, 0, f->data + at, n);
}

static void write_file(int fd, const struct fuse_in_header *in, const struct fuse_write_in *w)
{
	struct file *f = file_of(in->nodeid);
	struct fuse_write_out out = {.size = w->size};

	if (w->offset + w->size > f->bytes)
		resize(f, w->offset + w->size);
	memcpy(f->data + w->offset, w + 1, w->size);
	answer(fd, in, 0, &out, sizeof(out));
}

static void set_attributes(int fd, const struct fuse_in_header *in, const struct fuse_setattr_in *s)
{
	struct file *f = file_of(in->nodeid);
	struct fuse_attr_out out = {0};

	if (f && s->valid & FATTR_SIZE)
		resize(f, s->size);
	if (f && s->valid & FATTR_MODE)
		f->mode = S_IFREG | (s->mode & 07777);
	if (f && s->valid & FATTR_UID)
		f->uid = s->uid;
	if (f && s->valid & FATTR_GID)
		f->gid = s->gid;
	out.attr = attr_of(in->nodeid);
	answer(fd, in, 0, &out, sizeof(out));
}

static void rename_file(int fd, const struct fuse_in_header *in, const char *from, bool replaces)
{
	struct file *f = find(from), *there = find(from + strlen(from) + 1);
	const bool taken = there && !replaces;

	if (f && !taken) {
		if (there)
			there->name[0] = '\0';
		snprintf(f->name, sizeof(f->name), "%s", from + strlen(from) + 1);
	}
	answer(fd, in, !f ? -ENOENT : taken ? -EEXIST : 0, NULL, 0);
}

static void unlink_file(int fd, const struct fuse_in_header *in, const char *name)
{
	struct file *f = find(name);

	if (f)
		f->name[0] = '\0';
	answer(fd, in, f ? 0 : -ENOENT, NULL, 0);
}

/* All that are there, at the first read. */
static void read_folder(int fd, const struct fuse_in_header *in, const struct fuse_read_in *r)
{
	static char buf[FILES * 320] __attribute__((aligned(8)));
	size_t n = 0;

	for (int i = 0; i < FILES && !r->offset; i++) {
		const size_t length = strlen(files[i].name);
		struct fuse_dirent *d = (void *)(buf + n);

		if (!files[i].used || !length || n + FUSE_DIRENT_SIZE(d) > r->size)
			continue;
		*d = (struct fuse_dirent){
			.ino = FIRST + i, .off = i + 1, .namelen = length, .type = 8};
		memcpy(d->name, files[i].name, length);
		n += FUSE_DIRENT_SIZE(d);
	}
	answer(fd, in, 0, buf, n);
}

static void serve_attributes(int fd, const struct fuse_in_header *in)
{
	const struct fuse_attr_out attr = {.attr = attr_of(in->nodeid)};

	answer(fd, in, 0, &attr, sizeof(attr));
}

static void serve(int fd, const struct fuse_in_header *in, const void *body)
{
	const struct fuse_init_out init = {.major = 7,
					   .minor = 31,
					   .max_readahead = 65536,
					   .max_background = 16,
					   .congestion_threshold = 12,
					   .max_write = 4096};
	const struct fuse_open_out open = {.fh = 1};

	switch (in->opcode) {
	case FUSE_INIT:
		answer(fd, in, 0, &init, sizeof(init));
		break;
	case FUSE_LOOKUP:
		look_up(fd, in, body);
		break;
	case FUSE_GETATTR:
		serve_attributes(fd, in);
		break;
	case FUSE_SETATTR:
		set_attributes(fd, in, body);
		break;
	case FUSE_CREATE:
		create(fd, in, body);
		break;
	case FUSE_OPEN:
	case FUSE_OPENDIR:
		answer(fd, in, 0, &open, sizeof(open));
		break;
	case FUSE_READ:
		read_file(fd, in, body);
		break;
	case FUSE_READDIR:
		read_folder(fd, in, body);
		break;
	case FUSE_WRITE:
		write_file(fd, in, body);
		break;
	case FUSE_RENAME:
		rename_file(fd, in, (const char *)body + sizeof(struct fuse_rename_in), true);
		break;
	case FUSE_RENAME2:
		rename_file(fd, in, (const char *)body + sizeof(struct fuse_rename2_in),
			    !((const struct fuse_rename2_in *)body)->flags);
		break;
	case FUSE_UNLINK:
		unlink_file(fd, in, body);
		break;
	case FUSE_FLUSH:
	case FUSE_FSYNC:
	case FUSE_FSYNCDIR:
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

/* --- no answer -------------------------------------------------------------------------------- */

static void hold(const struct fuse_in_header *in)
{
	struct held *h = malloc(sizeof(*h) + in->len);

	if (!h)
		exit(1);
	memcpy(h->request, in, in->len);
	h->next = NULL;
	*held_end = h;
	held_end = &h->next;
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
	held_end = &held;
}

/* Whether it has no answer, though nobody stopped it. */
static bool stops(const struct fuse_in_header *in)
{
	if (!stop_after || in->opcode != stop_at || --stop_after)
		return false;
	puts("hangs");
	fflush(stdout);
	hangs = 1;
	return true;
}

static void take(int fd, const struct fuse_in_header *in)
{
	const bool spared = stop_only && in->opcode != stop_at;

	if (hangs && slow_us && in->opcode != FUSE_FORGET)
		usleep(slow_us);
	if ((stops(in) || (hangs && !slow_us && !spared)) && in->opcode != FUSE_INIT)
		hold(in);
	else
		serve(fd, in, in + 1);
}

/* --- the start -------------------------------------------------------------------------------- */

static void load(const char *path, const char *name)
{
	FILE *f = fopen(path, "re");
	struct file *to = make(name, 0755, NULL);
	struct stat st;

	if (f && !fstat(fileno(f), &st))
		resize(to, (size_t)st.st_size);
	if (!f || fread(to->data, 1, to->bytes, f) != to->bytes) {
		perror(path);
		exit(1);
	}
	fclose(f);
}

static void set_stop(const char *text)
{
	const char *colon = strchr(text, ':');

	for (size_t i = 0; colon && i < sizeof(names) / sizeof(*names); i++)
		if (strlen(names[i].name) == (size_t)(colon - text) &&
		    !strncmp(names[i].name, text, (size_t)(colon - text))) {
			stop_at = names[i].operation;
			stop_after = (unsigned)atoi(colon + 1);
			stop_only = strstr(colon, ":only") != NULL;
		}
	if (!stop_at)
		exit(2);
}

int main(int argc, char **argv)
{
	static char buf[1 << 18] __attribute__((aligned(8)));
	const struct sigaction action = {.sa_handler = on_signal};
	char options[128];
	int fd;

	if (argc < 3)
		return 2;
	slow_us = argc > 4 ? (useconds_t)atoi(argv[4]) * 1000 : 0;
	load(argv[2], argc > 3 ? argv[3] : "prog");
	if (argc > 5)
		set_stop(argv[5]);
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
