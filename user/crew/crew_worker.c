#include "crew/crew_worker.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/packet.h"
#include "confine/confine.h"
#include "crew/crew_wire.h"

#define MEMORY_BYTES (2ull << 30)
/* In all: each answer has a bound of its own, kept by the kernel's seals. */
#define OUTPUT_BYTES (4ull << 30)
/* Of its life. */
#define CPU_S 3600

/* Descriptors as they come: an order has its bytes and its answer before its files. */
enum { FD_BYTES, FD_ANSWER, FD_FILES };

/* Of the process: what the order at hand may use of CPU time, for a signal handler. */
static struct {
	rlim_t began_s, cpu_s, most_s;
	long peak_kib; /* of memory, when it began */
	uint64_t bytes_per_s;
} allowed;

/* --- CPU time ----------------------------------------------------------------------------------
 */

static rlim_t used_s(const struct rusage *u)
{
	return (rlim_t)(u->ru_utime.tv_sec + u->ru_stime.tv_sec);
}

static void limit_cpu(rlim_t until_s)
{
	struct rlimit value;

	if (getrlimit(RLIMIT_CPU, &value))
		return;
	value.rlim_cur = until_s < value.rlim_max ? until_s : value.rlim_max;
	setrlimit(RLIMIT_CPU, &value);
}

/* Who has read much may take longer. What it has read is what it has in memory, whatever a file's
 * length says. */
static void on_limit(int signal_number)
{
	struct rusage u;
	rlim_t seconds = allowed.cpu_s;

	getrusage(RUSAGE_SELF, &u);
	if (allowed.bytes_per_s && u.ru_maxrss > allowed.peak_kib)
		seconds += (rlim_t)(u.ru_maxrss - allowed.peak_kib) * 1024 / allowed.bytes_per_s;
	if (seconds > allowed.most_s)
		seconds = allowed.most_s;
	if (used_s(&u) < allowed.began_s + seconds) {
		limit_cpu(allowed.began_s + seconds + 1);
		return;
	}
	/* The kernel sends it once more. */
	signal(signal_number, SIG_DFL);
	limit_cpu(used_s(&u));
}

static void allow(const struct crew_order *o)
{
	struct rusage u;

	getrusage(RUSAGE_SELF, &u);
	allowed.began_s = used_s(&u);
	allowed.cpu_s = o->cpu_s;
	allowed.most_s = o->cpu_most_s > o->cpu_s ? o->cpu_most_s : o->cpu_s;
	allowed.peak_kib = u.ru_maxrss;
	allowed.bytes_per_s = o->bytes_per_s;
	signal(SIGXCPU, on_limit);
	limit_cpu(allowed.began_s + o->cpu_s + 1);
}

/* --- orders ------------------------------------------------------------------------------------
 */

/* The whole of a memory file of @n bytes; ends the process where there is less. */
static void *read_whole(int fd, size_t n)
{
	char *bytes = mem_zalloc(n + 1, 1);

	if (file_get_at(fd, bytes, n, 0) != (ssize_t)n)
		_exit(1);
	return bytes;
}

/* Puts the files that came to their places. */
static bool place_files(const struct crew_order *o, const int *came, int *files)
{
	size_t next = FD_FILES;

	if (o->n_files > CREW_FILES || came[FD_ANSWER] < 0)
		return false;
	for (uint32_t i = 0; i < o->n_files; i++) {
		files[i] = -1;
		if (!(o->present & 1u << i))
			continue;
		files[i] = came[next++];
		if (files[i] < 0)
			return false;
	}
	return true;
}

static int work(const struct crew_service *service, void *begun, const struct crew_order *o,
		const int *came)
{
	int files[CREW_FILES];
	_free_ void *bytes = NULL;

	if (!place_files(o, came, files))
		return -EPROTO;
	bytes = read_whole(came[FD_BYTES], o->bytes);
	allow(o);
	return service->run(begun, &(struct crew_request){.bytes = bytes,
							  .n = o->bytes,
							  .fds = files,
							  .n_fds = o->n_files,
							  .task = o->task,
							  .out_fd = came[FD_ANSWER]});
}

/* False: no more come. */
static bool take_order(int socket, const struct crew_service *service, void *begun)
{
	struct crew_order o;
	struct crew_done done;
	int came[PACKET_FDS];

	if (packet_receive_whole(socket, &o, sizeof(o), came, PACKET_FDS))
		return false;
	if (work(service, begun, &o, came))
		_exit(1);
	for (size_t i = 0; i < PACKET_FDS && came[i] >= 0; i++)
		close(came[i]);
	done.task = o.task;
	return !file_put(socket, &done, sizeof(done));
}

static void enter(int socket, int nice)
{
	const struct confine_terms terms = {.kind = CONFINE_READER,
					    .socket = socket,
					    .memory_bytes = MEMORY_BYTES,
					    .file_bytes = OUTPUT_BYTES,
					    .cpu_s = CPU_S};

	if (nice > 0)
		setpriority(PRIO_PROCESS, 0, nice);
	if (confine_enter(&terms))
		_exit(1);
}

void crew_worker_run(int socket)
{
	struct crew_hello hello;
	void *begun = NULL;
	int common;

	confine_close(&socket, 1);
	if (packet_receive_whole(socket, &hello, sizeof(hello), &common, 1) || common < 0)
		_exit(1);
	enter(socket, hello.nice);
	if (hello.service->begin) {
		_free_ void *bytes = read_whole(common, hello.common_bytes);

		begun = hello.service->begin(bytes, hello.common_bytes);
		if (!begun)
			_exit(1);
	}
	close(common);
	while (take_order(socket, hello.service, begun))
		;
	_exit(0);
}
