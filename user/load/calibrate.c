#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "load/calibrate.h"
#include "symbol/procfs.h"

/* Each function is called so often a batch, in so many batches; the median counts. A stepped site
 * takes twenty times as long as others on some machines. */
#define BATCHES 9
static const int calls_of[CALIBRATE_CLASSES] = {200, 200, 50};
#define MOST_CALLS 200

/* Between calls there is other work, as in a program: back to back they would be cheaper. */
#define WORK_NS 1000

/* A row of generations that images do not reach. */
#define SLOT (WIRE_ZONE_IMAGES - 1)

/* One function for each class and way: nothing is called from two places. */
#define FUNCTION(name, body)                                                         \
	__asm__(".text\n.p2align 6\n.type " name ",@function\n" name ":\n" body "\n" \
		".size " name ", . - " name "\n")
#define FUNCTIONS(class, body)                         \
	FUNCTION("calibrate_" class "_session", body); \
	FUNCTION("calibrate_" class "_rets", body);    \
	FUNCTION("calibrate_" class "_none", body)
FUNCTIONS("nop5", ".byte 0x0f, 0x1f, 0x44, 0, 0\nret");
FUNCTIONS("emulated", "nop\nret");
FUNCTIONS("stepped", "mov %edi, %eax\nret");

typedef void function(void);
function calibrate_nop5_session, calibrate_nop5_rets, calibrate_nop5_none;
function calibrate_emulated_session, calibrate_emulated_rets, calibrate_emulated_none;
function calibrate_stepped_session, calibrate_stepped_rets, calibrate_stepped_none;

static const struct {
	function *call;
	uint64_t ret; /* where its RET stands, from its start */
} functions[CALIBRATE_CLASSES][CALIBRATE_WAYS] = {
	{{calibrate_nop5_session, 5}, {calibrate_nop5_rets, 5}, {calibrate_nop5_none, 5}},
	{{calibrate_emulated_session, 1},
	 {calibrate_emulated_rets, 1},
	 {calibrate_emulated_none, 1}},
	{{calibrate_stepped_session, 2}, {calibrate_stepped_rets, 2}, {calibrate_stepped_none, 2}},
};

/* --- the process that calls ----------------------------------------------------------------- */

static int by_value(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* The processor's own clock: reading another after the kernel was entered costs what is measured.
 */
static uint64_t ticks(void)
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

/* The mean time of a call; the twentieth that took longest was disturbed by something else. */
static double time_batch(function *call, int n, double rate)
{
	uint64_t work = (uint64_t)(WORK_NS * rate);
	double took[MOST_CALLS], sum = 0;
	int kept = n - n / 20;

	for (int i = 0; i < n; i++) {
		uint64_t start = ticks(), before;

		do
			before = ticks();
		while (before - start < work);
		call();
		took[i] = (double)(ticks() - before);
	}
	qsort(took, (size_t)n, sizeof(*took), by_value);
	for (int i = 0; i < kept; i++)
		sum += took[i];
	return sum / kept / rate;
}

/* Answers each number of a function with the time of a batch of its calls. */
static void __attribute__((noreturn)) serve(int from, int to)
{
	double rate = ticks_a_ns();
	uint8_t number;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	while (read(from, &number, 1) == 1) {
		int class = number / CALIBRATE_WAYS, way = number % CALIBRATE_WAYS;
		double ns = time_batch(functions[class][way].call, calls_of[class], rate);

		if (write(to, &ns, sizeof(ns)) != sizeof(ns))
			break;
	}
	_exit(0);
}

struct server {
	pid_t pid;
	int to, from;
};

static bool server_start(struct server *s)
{
	int there[2], back[2];

	if (pipe2(there, O_CLOEXEC))
		return false;
	if (pipe2(back, O_CLOEXEC)) {
		close(there[0]);
		close(there[1]);
		return false;
	}
	s->pid = fork();
	if (s->pid == 0) {
		close(there[1]);
		serve(there[0], back[1]);
	}
	close(there[0]);
	close(back[1]);
	s->to = there[1];
	s->from = back[0];
	return s->pid > 0;
}

static void server_end(struct server *s)
{
	close(s->to);
	close(s->from);
	if (s->pid > 0)
		waitpid(s->pid, NULL, 0);
}

static bool ask(struct server *s, uint8_t number, double *ns)
{
	return write(s->to, &number, 1) == 1 && read(s->from, ns, sizeof(*ns)) == sizeof(*ns);
}

/* --- probes --------------------------------------------------------------------------------- */

struct finding {
	uint64_t address, offset;
};

static void find_mapping(void *context, const struct procfs_mapping *m)
{
	struct finding *f = context;

	if (f->address >= m->start && f->address < m->end)
		f->offset = f->address - m->start + m->file_offset;
}

/* The address's place in our own file; 0: none. */
static uint64_t offset_of(function *at)
{
	struct finding f = {.address = (uint64_t)(uintptr_t)at};

	(void)procfs_maps((uint32_t)getpid(), find_mapping, &f);
	return f.offset;
}

struct run {
	struct zone_session *z;
	struct server server;
	struct probe_link links[3];
	uint32_t first; /* zone number */
	double bare_ns[CALIBRATE_ZONES];
};

static uint32_t number_of(int class, int way)
{
	return (uint32_t)(class * CALIBRATE_WAYS + way);
}

static void add_probe(const struct run *r, int class, int way, bool at_exit, probe_list *list)
{
	struct probe probe = {.offset = offset_of(functions[class][way].call)};

	if (at_exit)
		probe.offset += functions[class][way].ret;
	probe.cookie = wire_zone_cookie(r->first + number_of(class, way),
					way == CALIBRATE_RETS ? WIRE_ZONE_RETS : 0,
					WIRE_ZONE_ALWAYS, SLOT, 1);
	vec_push(list, probe);
}

static bool hang(struct run *r, int fd)
{
	probe_list sessions = {0}, entries = {0}, exits = {0};
	uint32_t pid = (uint32_t)r->server.pid;
	int ret;

	for (int class = 0; class < CALIBRATE_CLASSES; class ++) {
		if (r->z->sessions)
			add_probe(r, class, CALIBRATE_SESSION, false, &sessions);
		add_probe(r, class, CALIBRATE_RETS, false, &entries);
		add_probe(r, class, CALIBRATE_NONE, false, &entries);
		add_probe(r, class, CALIBRATE_RETS, true, &exits);
	}
	ret = probes_attach(&r->z->probes, PROBE_SESSION, fd, pid, &sessions, &r->links[0]);
	if (!ret)
		ret = probes_attach(&r->z->probes, PROBE_ENTRY, fd, pid, &entries, &r->links[1]);
	if (!ret)
		ret = probes_attach(&r->z->probes, PROBE_EXIT, fd, pid, &exits, &r->links[2]);
	vec_release(&sessions);
	vec_release(&entries);
	vec_release(&exits);
	return !ret;
}

/* --- figures -------------------------------------------------------------------------------- */

static double median(double *values, int n)
{
	qsort(values, (size_t)n, sizeof(*values), by_value);
	return values[n / 2];
}

/* What the kernel has counted of that function so far. */
static struct wire_zone_node counted(const struct run *r, uint32_t number)
{
	struct wire_zone_node sum = {0};

	for (size_t i = 1; i < zonemaps_nodes(r->z->maps); i++) {
		struct wire_zone_node n = zonemaps_node(r->z->maps, i);

		if (n.zone != r->first + number)
			continue;
		sum.timed += n.timed;
		sum.total_ns += n.total_ns;
	}
	return sum;
}

/* Calls without probes: what is to be taken off. */
static bool time_bare(struct run *r)
{
	for (uint8_t i = 0; i < CALIBRATE_ZONES; i++) {
		double values[BATCHES];

		for (int k = 0; k < BATCHES; k++)
			if (!ask(&r->server, i, &values[k]))
				return false;
		r->bare_ns[i] = median(values, BATCHES);
	}
	return true;
}

static bool time_probed(struct run *r, uint32_t number, struct calibrated *out)
{
	double outer[BATCHES], inner[BATCHES], warm;
	struct wire_zone_node before, after;

	if (!ask(&r->server, (uint8_t)number, &warm))
		return false;
	before = counted(r, number);
	for (int k = 0; k < BATCHES; k++) {
		if (!ask(&r->server, (uint8_t)number, &outer[k]))
			return false;
		after = counted(r, number);
		inner[k] = after.timed > before.timed ? (double)(after.total_ns - before.total_ns) /
								(double)(after.timed - before.timed)
						      : 0;
		before = after;
	}
	out->outer_ns = fmax(0, median(outer, BATCHES) - r->bare_ns[number]);
	out->inner_ns = fmin(median(inner, BATCHES), out->outer_ns);
	out->known = true;
	return true;
}

static void time_all(struct run *r, struct calibration *out)
{
	for (int class = 0; class < CALIBRATE_CLASSES; class ++)
		for (int way = 0; way < CALIBRATE_WAYS; way++)
			if ((way != CALIBRATE_SESSION || r->z->sessions) &&
			    !time_probed(r, number_of(class, way), &out->at[class][way]))
				return;
}

void calibrate(struct zone_session *z, struct calibration *out)
{
	const struct wire_zone_proc proc = {.flags = WIRE_PROC_TARGET | WIRE_PROC_HIJACK |
						     WIRE_PROC_RETS | WIRE_PROC_OURS};
	struct run r = {.z = z, .first = zonemaps_max_zones(z->maps)};
	_close_ int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);

	*out = (struct calibration){0};
	if (fd < 0 || !server_start(&r.server))
		return;
	if (time_bare(&r) && hang(&r, fd) &&
	    !zonemaps_set_proc(z->maps, (uint32_t)r.server.pid, proc)) {
		zonemaps_set_generation(z->maps, SLOT, 1);
		zonemaps_enable(z->maps, true);
		time_all(&r, out);
		zonemaps_enable(z->maps, false);
		zonemaps_set_generation(z->maps, SLOT, 2);
		zonemaps_forget_proc(z->maps, (uint32_t)r.server.pid);
	}
	server_end(&r.server);
	for (size_t i = 0; i < sizeof(r.links) / sizeof(*r.links); i++)
		probe_link_close(&r.links[i]);
}
