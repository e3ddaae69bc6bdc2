/*
 * guard: the translators that run, in the loader.
 */
#include "probe/guard.h"

#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "process/closure.h"
#include "process/maps.h"
#include "process/opener.h"
#include "process/procfs.h"
#include "process/roots.h"

/* valgrind has mapped the program within 0.1 s if it gets a CPU. */
#define BEGINNING_NS 10000000000u

/* A translator that runs. */
struct running {
	struct guard_reader reader;
	uint64_t begun_ns;    /* start of the program: CLOCK_MONOTONIC; 0: before the capture */
	uint64_t held_ns;     /* when its start waited for us; 0: it did not */
	bool is_doubted;      /* by its name alone: it counts once it makes code */
	bool makes_code;      /* has executable memory that is of no file */
	bool is_unread;	      /* it does not tell what it maps: that may be any file */
	VEC(uint64_t) inodes; /* of mapped files */
};

struct guard {
	struct opener *opener;
	void (*watch)(void *context, int fd);
	void *context;
	struct roots *roots;
	VEC(struct running) running;
};

static struct running *find(const struct guard *g, uint32_t pid)
{
	for (size_t i = 0; i < g->running.n; i++)
		if (g->running.at[i].reader.pid == pid)
			return &g->running.at[i];
	return NULL;
}

static void add_inode(void *context, const struct procfs_mapping *m)
{
	struct running *r = context;

	if (m->inode)
		vec_push(&r->inodes, m->inode);
	/* "[vdso]" has a name. */
	r->makes_code |= m->executable && !m->inode && !m->path[0];
}

/* False: the process has ended. */
static bool read_maps(const struct guard *g, struct running *r)
{
	int rc;

	r->inodes.n = 0;
	rc = mappings_read(g->opener, r->reader.pid, add_inode, r);
	r->is_unread = opener_is_silent(rc);
	r->is_doubted &= !r->makes_code;
	return !rc || r->is_unread;
}

/* True: it counts. */
static bool add_one(struct guard *g, struct guard_reader reader, uint64_t begun_ns,
		    uint64_t held_ns, bool is_doubted)
{
	struct running *r = find(g, reader.pid);

	if (!r)
		r = vec_add(&g->running);
	r->reader = reader;
	r->begun_ns = begun_ns;
	r->held_ns = held_ns;
	r->is_doubted = is_doubted;
	r->makes_code = false;
	(void)read_maps(g, r);
	return !r->is_doubted;
}

static bool add(struct guard *g, struct guard_reader reader, uint64_t begun_ns, uint64_t held_ns)
{
	return add_one(g, reader, begun_ns, held_ns, false);
}

/* Accepts NULL. */
static bool drop(struct guard *g, struct running *r)
{
	if (!r)
		return false;
	vec_release(&r->inodes);
	*r = g->running.at[--g->running.n];
	return true;
}

/* Whether the event is older than a held start of the process, and says nothing of what it runs
 * now. */
static bool is_past(const struct running *r, uint64_t time_ns)
{
	return r && time_ns < r->held_ns;
}

/* Whether it sees the names of files as we do. In a user namespace of its own a process may mount
 * any file under any name. */
static bool is_in_our_user_namespace(uint32_t pid)
{
	_free_ char *theirs = procfs_path(pid, "ns/user");
	struct stat a, b;

	return !stat("/proc/self/ns/user", &a) && !stat(theirs, &b) && a.st_ino == b.st_ino;
}

/* Finds out whether @pid runs a translator; if so, the next start of that file waits. Anybody can
 * give a program of his a translator's name: that is none until it makes code, as all of them do.
 */
static bool judge(struct guard *g, uint32_t pid, uint64_t begun_ns)
{
	_free_ char *link = procfs_path(pid, "exe");
	char path[PATH_MAX];
	ssize_t n = readlink(link, path, sizeof(path) - 1);
	const struct opener_request r = {
		.what = OPENER_PATH, .pid = pid, .path = link, .root_fd = OPENER_OWN_ROOT};
	struct guard_reader reader = {.pid = pid};
	struct opener_answer a;
	bool changed;

	path[n > 0 ? n : 0] = '\0';
	reader.translator = guard_translator_of(path);
	if (reader.translator < 0)
		return drop(g, find(g, pid));
	(void)opener_ask(g->opener, &r, &a);
	if (guard_is_trusted(&a) && is_in_our_user_namespace(pid)) {
		g->watch(g->context, a.fd);
		changed = add(g, reader, begun_ns, 0);
	} else {
		changed = add_one(g, reader, begun_ns, 0, true);
	}
	opener_answer_release(g->opener, &a);
	return changed;
}

static void watch_root(void *context, uint32_t pid)
{
	(void)guard_root_of(context, pid);
}

/* What a command's process will run is known already. */
static void judge_running(void *context, uint32_t pid)
{
	if (!find(context, pid))
		(void)judge(context, pid, 0);
}

/* Watches before it looks: what started just before its file was watched runs by then. */
void guard_begin(struct guard *g)
{
	guard_each_installed(g->opener, -1, g->watch, g->context);
	(void)procfs_processes(watch_root, g);
	(void)procfs_processes(judge_running, g);
}

int guard_root_of(struct guard *g, uint32_t pid)
{
	const size_t before = roots_count(g->roots);
	const int root = roots_of(g->roots, pid);

	if (roots_count(g->roots) != before)
		guard_each_installed(g->opener, root, g->watch, g->context);
	return root;
}

bool guard_command(struct guard *g, uint32_t pid, const char *command)
{
	_free_ char *program = closure_program(g->opener, command);
	_free_ char *path = program ? closure_path(g->opener, program, NULL) : NULL;
	const struct guard_reader reader = {pid, path ? guard_translator_of(path) : -1};

	return reader.translator >= 0 && add(g, reader, clock_ns(CLOCK_MONOTONIC), 0);
}

bool guard_exec(struct guard *g, uint32_t pid, uint64_t time_ns)
{
	(void)guard_root_of(g, pid);
	return !is_past(find(g, pid), time_ns) && judge(g, pid, clock_ns(CLOCK_MONOTONIC));
}

bool guard_started(struct guard *g, const struct guard_start *start)
{
	return add(g, (struct guard_reader){start->pid, start->translator},
		   clock_ns(CLOCK_MONOTONIC), start->time_ns);
}

bool guard_born(struct guard *g, uint32_t parent, uint32_t pid)
{
	const struct running *r = find(g, parent);

	if (!r || find(g, pid))
		return false;
	return add_one(g, (struct guard_reader){pid, r->reader.translator}, r->begun_ns, 0,
		       r->is_doubted);
}

bool guard_exit(struct guard *g, uint32_t pid, uint64_t time_ns)
{
	struct running *r = find(g, pid);

	return !is_past(r, time_ns) && drop(g, r);
}

/* Translators may map more files. Nothing tells when one outside our PID namespace (0) ends. */
bool guard_tick(struct guard *g)
{
	const size_t before = g->running.n;

	for (size_t i = before; i-- > 0;)
		if (g->running.at[i].reader.pid && !read_maps(g, &g->running.at[i]))
			(void)drop(g, &g->running.at[i]);
	return before > 0;
}

static bool maps(const struct running *r, uint64_t inode)
{
	for (size_t i = 0; i < r->inodes.n; i++)
		if (r->inodes.at[i] == inode)
			return true;
	return false;
}

static bool is_beginning(const struct running *r)
{
	return r->begun_ns && clock_ns(CLOCK_MONOTONIC) - r->begun_ns < BEGINNING_NS;
}

const struct guard_reader *guard_reader(const struct guard *g, uint64_t inode, bool is_program,
					uint32_t pid)
{
	for (size_t i = 0; i < g->running.n; i++) {
		const struct running *r = &g->running.at[i];

		if (!r->is_doubted && (!pid || r->reader.pid == pid) &&
		    (!is_program || r->is_unread || is_beginning(r) || maps(r, inode)))
			return &r->reader;
	}
	return NULL;
}

struct guard *guard_new(struct opener *opener, void (*watch)(void *context, int fd), void *context)
{
	struct guard *g = mem_zalloc(1, sizeof(*g));

	g->opener = opener;
	g->watch = watch;
	g->context = context;
	g->roots = roots_new();
	return g;
}

void guard_free(struct guard *g)
{
	if (!g)
		return;
	while (g->running.n)
		(void)drop(g, &g->running.at[0]);
	vec_release(&g->running);
	roots_free(g->roots);
	free(g);
}
