#include "probe/calibrator.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/child.h"
#include "base/clock.h"
#include "confine/capabilities.h"
#include "confine/confine.h"
#include "confine/rules.h"
#include "perf/cpus.h"
#include "probe/own_code.h"
#include "probe/own_process.h"

/* Each function is called so often a batch, and in a brief one. A stepped instruction takes twenty
 * times as long as others on some machines; a RET is stepped. */
#define MOST_CALLS	    200
#define MOST_CALLS_STEPPED  50
#define BRIEF_CALLS	    40
#define BRIEF_CALLS_STEPPED 12
/* The first calls after a sleep find cold caches: they are not timed. */
#define COLD_CALLS 4

/* Calls are this far apart, as in a program: back to back they would be cheaper. */
#define WORK_NS 1000

/* Read between cold calls: twice the L1 cache of most processors. */
#define COLD_BYTES (64 << 10)
#define LINE_BYTES 64

#define BARE_BATCHES 9

/* The functions begin with what is timed, not with the endbr64 that an indirect call asks for. */
#ifdef __CET__
#define WITHOUT_ENDBR __attribute__((nocf_check))
#else
#define WITHOUT_ENDBR
#endif

/* A function for each class and way, in a cache line of its own. */
#define FUNCTION_BYTES 64
static const struct {
	uint8_t code[8];
	uint64_t ret; /* where its RET stands, from its start */
} functions[] = {
	[SITE_NOP5] = {{0x0f, 0x1f, 0x44, 0, 0, 0xc3}, 5},
	[SITE_EMULATED] = {{0x90, 0xc3}, 1},
	[SITE_STEPPED] = {{0x89, 0xf8, 0xc3}, 2}, /* mov %edi, %eax */
};

/* How long it may take to start: the kernel waits for other CPUs when it attaches probes. */
#define START_MS 30000

struct request {
	uint32_t which;
	enum calibrator_calls how;
};

/* --- the process ---------------------------------------------------------------------------- */

struct process {
	const struct calibrator_probes *want;
	int socket;
	const uint8_t *code;
	volatile uint8_t *memory; /* COLD_BYTES */
	double ticks_a_ns;
	struct probe_link links[PROBE_PROGRAMS];
};

/* Always inlined: a function that is called could have somebody's probe. */
#define WITHIN static inline __attribute__((always_inline))

WITHIN long system_call(long number, int fd, const void *data, size_t bytes)
{
	long ret;

	__asm__ volatile("syscall"
			 : "=a"(ret)
			 : "a"(number), "D"((long)fd), "S"(data), "d"(bytes)
			 : "rcx", "r11", "memory");
	return ret;
}

/* The time stamp counter: another clock, read after the kernel was entered, costs as much as what
 * is measured. */
WITHIN uint64_t ticks(void)
{
	return __builtin_ia32_rdtsc();
}

static double ticks_a_ns(void)
{
	uint64_t start_ns = clock_ns(CLOCK_MONOTONIC), start = ticks(), end_ns;

	do
		end_ns = clock_ns(CLOCK_MONOTONIC);
	while (end_ns - start_ns < 1000000);
	return (double)(ticks() - start) / (double)(end_ns - start_ns);
}

/* Without the longest twentieth, one at least, which something else has disturbed. */
WITHIN double mean_of(double *took, int n)
{
	double sum = 0;

	for (int left = n < 20 ? 1 : n / 20; left > 0; left--) {
		int longest = 0;

		for (int i = 1; i < n; i++)
			if (took[i] > took[longest])
				longest = i;
		took[longest] = took[--n];
	}
	for (int i = 0; i < n; i++)
		sum += took[i];
	return sum / n;
}

WITHIN int calls_in(enum site_class class, enum exit_way way, enum calibrator_calls how)
{
	if (class == SITE_STEPPED || way == EXIT_RETS)
		return how == CALIBRATOR_BRIEF ? BRIEF_CALLS_STEPPED : MOST_CALLS_STEPPED;
	return how == CALIBRATOR_BRIEF ? BRIEF_CALLS : MOST_CALLS;
}

WITHIN void empty_cache(const struct process *p)
{
	for (int i = 0; i < COLD_BYTES; i += LINE_BYTES)
		p->memory[i]++;
}

/* The mean time of a call. */
WITHIN double time_batch(const struct process *p, int number, enum calibrator_calls how)
{
	uint64_t work = (uint64_t)(WORK_NS * p->ticks_a_ns);
	WITHOUT_ENDBR void (*call)(void) =
		(WITHOUT_ENDBR void (*)(void))(uintptr_t)(p->code + number * FUNCTION_BYTES);
	int n = calls_in(CALIBRATE_CLASS_OF(number), CALIBRATE_WAY_OF(number), how);
	double took[MOST_CALLS];

	for (int i = -COLD_CALLS; i < n; i++) {
		uint64_t start, before;

		if (how == CALIBRATOR_COLD)
			empty_cache(p);
		start = ticks();
		do
			before = ticks();
		while (before - start < work);
		call();
		took[i < 0 ? 0 : i] = (double)(ticks() - before);
	}
	return mean_of(took, n) / p->ticks_a_ns;
}

/* From here on the process calls nothing but the functions that it times. */
static void __attribute__((noreturn, noinline)) serve(const struct process *p)
{
	struct calibrator_times times;
	struct request r;
	long n;

	do {
		n = system_call(SYS_read, p->socket, &r, sizeof(r));
		if (n != sizeof(r))
			continue;
		for (int i = 0; i < CALIBRATE_ZONES; i++)
			times.ns[i] = r.which >> i & 1 ? time_batch(p, i, r.how) : 0;
		n = system_call(SYS_write, p->socket, &times, sizeof(times));
	} while (n > 0 || n == -EINTR);
	for (;;)
		system_call(SYS_exit_group, 0, NULL, 0);
}

static int by_value(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

double calibrator_median(double *values, int n)
{
	qsort(values, (size_t)n, sizeof(*values), by_value);
	return values[n / 2];
}

static void time_bare(const struct process *p, struct calibrator_times *out)
{
	for (int i = 0; i < CALIBRATE_ZONES; i++) {
		double values[BARE_BATCHES];

		for (int k = 0; k < BARE_BATCHES; k++)
			values[k] = time_batch(p, i, CALIBRATOR_WARM);
		out->ns[i] = calibrator_median(values, BARE_BATCHES);
	}
}

/* A file with the functions, which no other process maps. A descriptor, or -1. */
static int file_with_code(void)
{
	uint8_t page[CALIBRATE_ZONES * FUNCTION_BYTES] = {0};
	int fd = own_code_file("calibrator");

	for (int i = 0; i < CALIBRATE_ZONES; i++)
		memcpy(page + i * FUNCTION_BYTES, functions[CALIBRATE_CLASS_OF(i)].code,
		       sizeof(functions->code));
	return fd >= 0 && write(fd, page, sizeof(page)) == sizeof(page) ? fd : -1;
}

static void add_probe(const struct process *p, enum site_class class, enum exit_way way,
		      bool at_exit, probe_list *list)
{
	int number = CALIBRATE_NUMBER(class, way);
	struct probe probe = {.offset = (uint64_t)number * FUNCTION_BYTES};

	if (at_exit)
		probe.offset += functions[class].ret;
	probe.cookie = wire_cookie(
		(struct wire_cookie){.function = p->want->first + (uint32_t)number,
				     .flags = way == EXIT_RETS ? WIRE_PROBE_RETS : 0,
				     .condition = WIRE_PROBE_ALWAYS,
				     .image = p->want->slot,
				     .generation = p->want->generation,
				     .actions = 1u << WIRE_ACTION_zone | 1u << WIRE_ACTION_count});
	vec_push(list, probe);
}

static bool attach(struct process *p, int fd)
{
	const struct probes *probes = p->want->probes;
	bool hits = !(probes->actions & WIRE_WITH_CALLS);
	probe_list lists[PROBE_PROGRAMS] = {0};
	int ret = 0;

	for (enum site_class class = SITE_NOP5; class <= SITE_STEPPED; class ++) {
		if (p->want->sessions)
			add_probe(p, class, EXIT_SESSION, false, &lists[PROBE_SESSION]);
		add_probe(p, class, EXIT_RETS, false, &lists[PROBE_ENTRY]);
		add_probe(p, class, EXIT_NONE, false, &lists[hits ? PROBE_HIT : PROBE_ENTRY]);
		add_probe(p, class, EXIT_RETS, true, &lists[PROBE_EXIT]);
	}
	for (int i = 0; i < PROBE_PROGRAMS; i++) {
		if (!ret && lists[i].n)
			ret = probes_attach(probes, (enum probe_program)i, fd, (uint32_t)getpid(),
					    &lists[i], &p->links[i]);
		vec_release(&lists[i]);
	}
	return !ret;
}

/* Closes the loader's descriptors but those of the programs that it attaches; these are closed when
 * they are attached. */
static void keep_programs(const struct process *p)
{
	int keep[PROBE_PROGRAMS + 1], n = 0;

	for (int i = 0; i < PROBE_PROGRAMS; i++)
		if (p->want->probes->program_fds[i] >= 0)
			keep[n++] = p->want->probes->program_fds[i];
	keep[n++] = p->socket;
	confine_close(keep, (size_t)n);
}

static void close_programs(const struct process *p)
{
	for (int i = 0; i < PROBE_PROGRAMS; i++)
		if (p->want->probes->program_fds[i] >= 0)
			close(p->want->probes->program_fds[i]);
}

/* It computes, reads and writes its socket. No seccomp: the end of a timed call may be a system
 * call, which a filter would make slower than the target's. */
static void give_up_all(void)
{
	const struct rlimit none = {0, 0};

	emptyroot_enter();
	if (capabilities_drop() || rules_set(false))
		_exit(1);
	setrlimit(RLIMIT_NPROC, &none);
	setrlimit(RLIMIT_NOFILE, &none);
	setrlimit(RLIMIT_FSIZE, &none);
}

static void __attribute__((noreturn)) run(struct process *p)
{
	struct calibrator_times bare;
	int fd;

	own_process_leave();
	keep_programs(p);
	fd = file_with_code();
	p->code = mmap(NULL, CALIBRATE_ZONES * FUNCTION_BYTES, PROT_READ | PROT_EXEC, MAP_PRIVATE,
		       fd, 0);
	if (p->code == MAP_FAILED)
		_exit(1);
	p->memory = mmap(NULL, COLD_BYTES, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	if (p->memory == MAP_FAILED)
		_exit(1);
	p->ticks_a_ns = ticks_a_ns();
	time_bare(p, &bare);
	if (capabilities_keep(p->want->probes->multi ? CAPABILITIES_CALIBRATOR
						     : CAPABILITIES_CALIBRATOR_BY_EVENTS))
		_exit(1);
	child_tie(); /* again: it has another user */
	if (!attach(p, fd) || write(p->socket, &bare, sizeof(bare)) != sizeof(bare))
		_exit(1);
	close_programs(p);
	close(fd);
	give_up_all();
	serve(p);
}

/* --- the loader's side ---------------------------------------------------------------------- */

bool calibrator_start(struct calibrator *c, const struct calibrator_probes *want,
		      struct calibrator_times *bare)
{
	struct process process = {.want = want};
	int ends[2];

	*c = (struct calibrator){.socket = -1};
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends))
		return false;
	process.socket = ends[1];
	c->pid = child_fork();
	if (c->pid == 0)
		run(&process);
	close(ends[1]);
	c->socket = ends[0];
	c->asked = true;
	if (c->pid > 0 && !clock_getcpuclockid(c->pid, &c->cpu) &&
	    calibrator_answer(c, START_MS, bare))
		return true;
	calibrator_end(c);
	return false;
}

void calibrator_ask(struct calibrator *c, uint32_t which, enum calibrator_calls how)
{
	const struct request r = {.which = which, .how = how};

	if (c->pid > 0 && !c->asked)
		c->asked = send(c->socket, &r, sizeof(r), MSG_NOSIGNAL | MSG_DONTWAIT) == sizeof(r);
}

bool calibrator_answer(struct calibrator *c, int wait_ms, struct calibrator_times *out)
{
	struct pollfd p = {.fd = c->socket, .events = POLLIN};

	if (!c->asked || poll(&p, 1, wait_ms) <= 0 ||
	    recv(c->socket, out, sizeof(*out), MSG_DONTWAIT) != sizeof(*out))
		return false;
	c->asked = false;
	return true;
}

void calibrator_move(const struct calibrator *c, int cpu)
{
	cpus_move(c->pid, cpu);
}

int64_t calibrator_cpu_ns(const struct calibrator *c)
{
	return c->pid > 0 ? (int64_t)clock_ns(c->cpu) : 0;
}

void calibrator_kill(const struct calibrator *c)
{
	if (c->pid > 0)
		child_kill(c->pid);
}

void calibrator_end(struct calibrator *c)
{
	/* Which ends it, too, where nobody is left who may kill it. */
	if (c->socket >= 0)
		close(c->socket);
	if (c->pid > 0)
		(void)child_await(c->pid, 0, NULL, NULL);
	*c = (struct calibrator){.socket = -1};
}
