/*
 * What the sandbox's child asks of the broker, once it is taken over: each packet is a kind, flags,
 * a number, a path of the list or of its own, descriptors, and the lane that it comes by. Whatever
 * it asks, the broker opens no file but those that the command line named, for what it named them
 * for, makes no other, has one program at a time and kills nothing but this and its owner's
 * children. No program is started, and nothing killed: the calls for that are defined here.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/pidfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/err.h"
#include "base/packet.h"
#include "broker/broker.h"
#include "broker/request.h"

#define FUZZ_RUN fuzz_broker_run
#include "fuzz.h"

#define PACKET	24 /* of the fuzzer's bytes */
#define PACKETS 16

/* --- processes: this one is the only child of the owner, and there is a program or none --------
 */

#define PROGRAM 0x7ffffff0

static bool program_runs;
static pid_t looked_at;

int pidfd_open(pid_t pid, unsigned flags)
{
	expect(!flags && (pid != PROGRAM || program_runs));
	looked_at = pid;
	/* As that of one that has ended: it is readable. */
	return open("/dev/null", O_RDONLY | O_CLOEXEC);
}

int pidfd_send_signal(int fd, int sig, siginfo_t *info, unsigned flags)
{
	expect(fd >= 0 && sig == SIGKILL && !info && !flags && looked_at == getpid());
	return 0;
}

int kill(pid_t pid, int sig)
{
	expect(program_runs && (pid == PROGRAM || pid == -PROGRAM) && sig == SIGKILL);
	return 0;
}

pid_t wait4(pid_t pid, int *status, int options, struct rusage *usage)
{
	expect(program_runs && pid == PROGRAM && options == WNOHANG && !usage);
	program_runs = false;
	*status = 0;
	return pid;
}

/* Programs 0 and 1, and 2 where it gets a descriptor; what 1 prints is sent back. */
static int start(struct broker *b, const struct request *r, const int *fds, int *out, pid_t *child)
{
	(void)b;
	expect(!program_runs && memchr(r->path, 0, sizeof(r->path)));
	for (int i = 0; i < REQUEST_FDS; i++)
		expect(fds[i] < 0 || fcntl(fds[i], F_GETFD) == FD_CLOEXEC);
	if (r->flags > 2 || (r->flags == 2 && fds[0] < 0))
		return err(-EACCES, "there is no such program");
	if (r->flags == 1)
		*out = open("/dev/null", O_RDONLY | O_CLOEXEC);
	program_runs = true;
	*child = PROGRAM;
	return 0;
}

/* --- files ------------------------------------------------------------------------------------ */

static char folder[] = "/tmp/eprof-fuzz-XXXXXX";
static char paths[5][64]; /* read, made, changed, one that is not in the list, made for now */

static void put(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

	expect(fd >= 0 && write(fd, "secret", 6) == 6);
	close(fd);
}

static void remove_folder(void)
{
	for (int i = 0; i < 5; i++)
		(void)unlink(paths[i]);
	(void)rmdir(folder);
}

static void make_folder(void)
{
	static const char *const names[] = {"read", "made", "changed", "other", "passing"};

	if (paths[0][0])
		return;
	expect(mkdtemp(folder));
	for (int i = 0; i < 5; i++)
		snprintf(paths[i], sizeof(paths[i]), "%s/%s", folder, names[i]);
	put(paths[0]);
	put(paths[3]);
	atexit(remove_folder);
}

/* --- requests --------------------------------------------------------------------------------- */

/* How a packet comes. */
struct way {
	size_t lane; /* 0: the first socket */
	int fds[REQUEST_FDS + 2];
	size_t n_fds; /* perhaps one more than it takes */
	bool lane_is_file;
};

/* Who may not be killed, whatever the fuzzer says, is another child of the owner's. */
static int32_t process(uint8_t which, int32_t number)
{
	const int32_t some[] = {getpid(), getppid(), 1, number % 6, -getpid(), number | 1 << 30};

	return some[which % 6];
}

/* Kind, flags, number, which path, descriptors, lane, then some of the path's bytes. */
static void unpack(const uint8_t *bytes, struct request *r, struct way *way)
{
	uint32_t words[3];

	*r = (struct request){0};
	memcpy(words, bytes, sizeof(words));
	r->kind = words[0] % (REQUEST_KINDS + 1);
	r->flags = bytes[15] & 1 ? words[1] & 7 : words[1];
	r->number = bytes[15] & 2 ? (int32_t)(words[2] % 6) : (int32_t)words[2];
	if (r->kind == REQUEST_KILL)
		r->number = process(bytes[12], (int32_t)words[2]);
	*way = (struct way){.lane = bytes[14] % (BROKER_LANES + 1),
			    .n_fds = (r->kind == REQUEST_LANE) + bytes[13] % (REQUEST_FDS + 2),
			    .lane_is_file = bytes[13] & 0x80};
	if (bytes[12] < 0xc0)
		snprintf(r->path, sizeof(r->path), "%s", paths[bytes[12] % 5]);
	else if (bytes[12] < 0xe0)
		memset(r->path, 'x', sizeof(r->path));
	else
		memcpy(r->path, bytes + 16, PACKET - 16);
}

/* Whether the descriptor that came is of a file in the list. */
static void check_file(int fd, const struct request *r)
{
	struct stat got, other;

	expect(!fstat(fd, &got) && !stat(paths[3], &other));
	expect(got.st_ino != other.st_ino);
	if (r->kind == REQUEST_OPEN && !strcmp(r->path, paths[0]))
		expect((fcntl(fd, F_GETFL) & O_ACCMODE) == O_RDONLY);
	expect(r->kind == REQUEST_OPEN || r->kind == REQUEST_BEGIN ||
	       (r->kind == REQUEST_RUN && r->flags == 1));
}

/* Who asks, and the broker. */
struct world {
	struct broker b;
	int ends[1 + BROKER_LANES]; /* the first, then those of the lanes */
};

static void close_lane(struct world *w, size_t lane)
{
	close(w->b.lanes.at[lane]);
	close(w->ends[1 + lane]);
	memmove(&w->b.lanes.at[lane], &w->b.lanes.at[lane + 1],
		(w->b.lanes.n - lane - 1) * sizeof(int));
	memmove(&w->ends[1 + lane], &w->ends[2 + lane], (w->b.lanes.n - lane - 1) * sizeof(int));
	w->b.lanes.n--;
}

static void receive(struct world *w, int socket, const struct request *r, int lane_end)
{
	struct request_answer answer;
	int fd = -1;

	expect(!packet_receive_whole(socket, &answer, sizeof(answer), &fd, 1));
	expect(memchr(answer.text, 0, sizeof(answer.text)));
	if (r->kind == REQUEST_LANE && !answer.rc)
		w->ends[w->b.lanes.n] = lane_end;
	else if (lane_end >= 0)
		close(lane_end);
	if (fd < 0)
		return;
	expect(!answer.rc);
	check_file(fd, r);
	close(fd);
}

/* The descriptors that go with it; the other end of a lane's socket, or -1. */
static int open_fds(const struct request *r, struct way *way)
{
	int ends[2] = {-1, -1};

	for (size_t i = 0; i < way->n_fds; i++)
		way->fds[i] = open("/dev/null", O_RDONLY | O_CLOEXEC);
	if (r->kind != REQUEST_LANE || way->lane_is_file)
		return -1;
	expect(!socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends));
	close(way->fds[0]);
	way->fds[0] = ends[1];
	return ends[0];
}

/* False: the broker ends. */
static bool ask(struct world *w, const struct request *r, struct way *way)
{
	const size_t lane = way->lane <= w->b.lanes.n && w->ends[way->lane] >= 0 ? way->lane : 0;
	const int lane_end = open_fds(r, way);
	bool goes_on;

	expect(!packet_send(w->ends[lane], r, sizeof(*r), way->fds, way->n_fds));
	for (size_t i = 0; i < way->n_fds; i++)
		close(way->fds[i]);
	goes_on = broker_serve(&w->b, lane ? w->b.lanes.at[lane - 1] : w->b.socket);
	expect(w->b.lanes.n <= BROKER_LANES);
	if (goes_on && r->kind != REQUEST_DONE)
		receive(w, w->ends[lane], r, lane_end);
	else if (lane_end >= 0)
		close(lane_end);
	if (!goes_on && lane)
		close_lane(w, lane - 1);
	return goes_on || lane;
}

/* Nothing else was made, and what may only be read is as it was. */
static void check_folder(void)
{
	struct stat st;
	size_t n = 0;
	DIR *dir = opendir(folder);

	expect(dir);
	while (readdir(dir))
		n++;
	closedir(dir);
	expect(n <= 7);
	expect(!stat(paths[0], &st) && st.st_size == 6 && !stat(paths[3], &st) && st.st_size == 6);
}

static void begin(struct world *w, const struct allowed *allowed, size_t n)
{
	int ends[2];

	*w = (struct world){.b = {.allowed = allowed, .owner = getppid(), .start = start}};
	/* Perhaps the owner has ended. */
	if (n % 8 >= 6)
		w->b.owner_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	expect(!socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends));
	w->b.socket = ends[0];
	w->ends[0] = ends[1];
}

/* Ends when who asks is gone, from each lane. */
static void end(struct world *w)
{
	for (size_t i = 0; i <= w->b.lanes.n; i++)
		if (w->ends[i] >= 0)
			close(w->ends[i]);
	broker_serve_all(&w->b);
	broker_end(&w->b);
	expect(!program_runs);
	if (w->b.owner_fd > 0)
		close(w->b.owner_fd);
}

static void FUZZ_RUN(const uint8_t *bytes, size_t n)
{
	struct allowed allowed = {0};
	struct request *r = malloc(sizeof(*r));
	struct world w;
	struct way way;

	make_folder();
	allowed_add(&allowed, ALLOWED_READ, paths[0], false);
	allowed_add(&allowed, ALLOWED_MAKE, paths[1], n % 2);
	allowed_add(&allowed, ALLOWED_CHANGE, paths[2], false);
	allowed_add(&allowed, ALLOWED_MAKE_FOR_NOW, paths[4], true);
	begin(&w, &allowed, n);
	for (size_t i = 0; i < PACKETS && n >= PACKET; i++, bytes += PACKET, n -= PACKET) {
		unpack(bytes, r, &way);
		if (!ask(&w, r, &way))
			break;
	}
	end(&w);
	check_folder();
	(void)unlink(paths[1]);
	(void)unlink(paths[2]);
	(void)unlink(paths[4]);
	allowed_release(&allowed);
	free(r);
}
