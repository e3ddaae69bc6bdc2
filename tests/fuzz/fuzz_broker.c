/*
 * What the sandbox's child asks of the broker, once it is taken over: each packet is a kind, flags,
 * a number, and a path of the list or of its own. Whatever it asks, the broker opens no file but
 * those that the command line named, for what it named them for, and makes no other.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "broker/broker.h"
#include "broker/request.h"

#define FUZZ_RUN fuzz_broker_run
#include "fuzz.h"

#define PACKET	24 /* of the fuzzer's bytes */
#define PACKETS 16

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

/* Kind, flags, number, which path, then some of its bytes. */
static void unpack(const uint8_t *bytes, struct request *r)
{
	uint32_t words[3];

	*r = (struct request){0};
	memcpy(words, bytes, sizeof(words));
	r->kind = words[0] % (REQUEST_KINDS + 1);
	r->flags = bytes[15] & 1 ? words[1] & 7 : words[1];
	r->number = bytes[15] & 2 ? (int32_t)(words[2] % 6) : (int32_t)words[2];
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
	expect(r->kind == REQUEST_OPEN || r->kind == REQUEST_BEGIN);
}

static void ask(struct broker *b, int socket, const struct request *r)
{
	struct request_answer answer;
	int fd = -1;

	expect(!request_send(socket, r, sizeof(*r), NULL, 0));
	if (!broker_serve(b, b->socket) || r->kind == REQUEST_DONE)
		return;
	expect(!request_receive(socket, &answer, sizeof(answer), &fd, 1));
	expect(memchr(answer.text, 0, sizeof(answer.text)));
	if (fd < 0)
		return;
	expect(!answer.rc);
	check_file(fd, r);
	close(fd);
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

static void FUZZ_RUN(const uint8_t *bytes, size_t n)
{
	struct allowed allowed = {0};
	struct broker b = {.allowed = &allowed};
	struct request *r = malloc(sizeof(*r));
	int ends[2];

	make_folder();
	allowed_read(&allowed, paths[0]);
	allowed_make(&allowed, paths[1], n % 2);
	allowed_change(&allowed, paths[2]);
	allowed_make_for_now(&allowed, paths[4], true);
	expect(!socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends));
	b.socket = ends[0];
	for (size_t i = 0; i < PACKETS && n >= PACKET; i++, bytes += PACKET, n -= PACKET) {
		unpack(bytes, r);
		ask(&b, ends[1], r);
	}
	broker_end(&b);
	close(ends[1]);
	check_folder();
	(void)unlink(paths[1]);
	(void)unlink(paths[2]);
	(void)unlink(paths[4]);
	allowed_release(&allowed);
	free(r);
}
