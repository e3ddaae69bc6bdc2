/*
 * processes: the processes of a capture, with parent, start, end, status and command line. A
 * program sends command lines as processes execute; those of processes that were there before are
 * read from /proc. A child has its parent's until it executes a program.
 */
#include "source/processes.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"
#include "process/allowance.h"
#include "process/cmdline.h"
#include "source/ledger.h"
#include "book/lifebook.h"
#include "source/source.h"
#include "wire_process.h"

/* Processes that ended without being sampled, at most, in a capture: more than a build or a day's
 * cron jobs. */
#define MOST_UNSAMPLED (256u << 10)

struct processes {
	struct lifebook book;
	struct session *session;
	struct opener *opener;
	struct procs *procs;
	const struct target *target;
	bool surveyed;	    /* since the last window */
	uint64_t unsampled; /* in windows that are written */
	uint64_t ended;	    /* the same, in the window that is being written */
};

/* What a start or end of a process costs it at most beyond the programs: the kernel tells perf of
 * each mapping and thread. */
#define TURN_NS 25000

static const char *const programs[] = {"processes_exec", "processes_exit", NULL};

static void *processes_new(const void *options)
{
	const struct processes_options *o = options;
	struct processes *p = mem_zalloc(1, sizeof(*p));

	p->book.no_commands = o->no_commands;
	p->book.start_ns = UINT64_MAX;
	return p;
}

static void processes_free(void *state)
{
	struct processes *p = state;

	if (p)
		lifebook_release(&p->book);
	free(p);
}

static void begin(void *state, const struct source_services *services)
{
	struct processes *p = state;

	p->session = services->session;
	p->opener = services->opener;
	p->procs = services->procs;
	p->target = services->target;
	session_map_set(p->session, "processes_control", WIRE_PROCESS_COMMANDS,
			!p->book.no_commands);
}

/* --- /proc ---------------------------------------------------------------------------------- */

static uint64_t number_of(const char *status, const char *key)
{
	const char *at = procfs_field(status, key);

	return at ? strtoull(at, NULL, 10) : 0;
}

/* The loader, its helpers and theirs, where they do not belong to the target. */
static bool is_own(const struct processes *p, uint32_t pid, uint32_t parent)
{
	const uint32_t own = (uint32_t)getpid();
	_free_ char *status = NULL;

	if (!target_is_open(p->target))
		return false;
	if (pid == own || parent == own)
		return true;
	/* Theirs have no row. */
	if (lifebook_living(&p->book, parent))
		return false;
	status = procfs_status(parent);
	return status && number_of(status, "PPid") == own;
}

static bool is_zombie(const char *status)
{
	const char *state = procfs_field(status, "State");

	return state && *state == 'Z';
}

/* A thread of the kernel has no command line, but a name. */
static void name_in_brackets(struct processes *p, struct life *l)
{
	const char *name = procs_name(p->procs, l->pid);
	_free_ char *clean = str_clean(name, strlen(name));
	_free_ char *text = mem_printf("[%s]", clean);

	lifebook_command(&p->book, l, text, 0, false);
}

/* Reads its command line, which may be a title by now. */
static void read_command(struct processes *p, struct life *l)
{
	_free_ char *text = NULL, *status = NULL;
	bool cut = false;

	if (p->book.no_commands)
		return;
	text = cmdline_read(p->opener, l->pid, WIRE_COMMAND_BYTES, &cut);
	if (text && *text) {
		/* What the program sent knows the length of it. */
		const bool same = l->known && l->cut && cut;

		lifebook_command(&p->book, l, text, same ? l->command_bytes : 0, cut);
		return;
	}
	status = procfs_status(l->pid);
	if (status && !l->known && !is_zombie(status))
		name_in_brackets(p, l);
}

/* A process that was there before the capture, or whose birth went unseen. */
static void take_in(struct processes *p, const struct proc *proc)
{
	_free_ char *status = procfs_status(proc->pid);
	const uint32_t parent = status ? (uint32_t)number_of(status, "PPid") : 0;
	struct life *l;

	if (!status || is_own(p, proc->pid, parent))
		return;
	l = lifebook_add(&p->book, proc->pid, proc->born_ns);
	if (!l) {
		p->book.left_out++;
		return;
	}
	l->parent = parent;
	read_command(p, l);
}

/* Whether /proc shows that the process has ended; its main thread has. */
static bool is_gone(uint32_t pid)
{
	_free_ char *status = procfs_status(pid);

	return !status || (is_zombie(status) && number_of(status, "Threads") <= 1);
}

static bool may_read(struct processes *p, const struct proc *proc)
{
	return allowance_begin(p->procs->allowance, proc->uid);
}

/* Takes in processes that are known, but have no row. */
static void take_in_all(struct processes *p)
{
	for (size_t i = 0; i < p->procs->procs.n; i++) {
		const struct proc *proc = &p->procs->procs.at[i];

		if (proc->exited || proc->pid == IDLE || proc->pid == PROCFS_OUTSIDE ||
		    lifebook_living(&p->book, proc->pid) || !may_read(p, proc))
			continue;
		take_in(p, proc);
		allowance_end(p->procs->allowance);
	}
}

static void start(void *state)
{
	struct processes *p = state;

	p->book.start_ns = clock_ns(CLOCK_MONOTONIC);
	take_in_all(p);
}

/* By row of the book: whether a thread of the process has rows in the profile. Freed by the
 * caller. */
static bool *sampled(const struct processes *p)
{
	bool *out = mem_zalloc(p->book.rows.n + 1, sizeof(*out));
	struct map births = {0};
	bool fresh;

	vec_each (e, &p->procs->entries)
		map_put(&births, hash_two(e->pid, e->born_ns), &fresh);
	for (size_t i = 0; i < p->book.rows.n; i++) {
		const struct life *l = &p->book.rows.at[i];

		out[i] = map_get(&births, hash_two(l->pid, l->born_ns));
	}
	map_release(&births);
	return out;
}

/* Looks at processes that live: those that were sampled may have given themselves a title, the
 * record of an exec or an end may have been lost. */
static void look_at(struct processes *p, struct life *l, bool was_sampled)
{
	const struct proc *proc = procs_find(p->procs, l->pid);

	if (l->end != PROCESS_LIVES || !(was_sampled || !l->known || l->leader_gone))
		return;
	if (!proc || !may_read(p, proc))
		return;
	if (l->leader_gone && is_gone(l->pid))
		lifebook_end(&p->book, l, PROCESS_ENDED, 0, l->exit_ns);
	else
		read_command(p, l);
	allowance_end(p->procs->allowance);
}

/* The first time of a window the records of what has just happened are still to come. */
static bool survey(void *state)
{
	struct processes *p = state;
	_free_ bool *was_sampled = NULL;

	p->surveyed = !p->surveyed;
	if (p->surveyed)
		return true;
	take_in_all(p);
	was_sampled = sampled(p);
	for (size_t i = 0; i < p->book.rows.n; i++)
		look_at(p, &p->book.rows.at[i], was_sampled[i]);
	return false;
}

/* --- records and events --------------------------------------------------------------------- */

static void seen(void *state, const struct side_record *r)
{
	struct processes *p = state;
	struct life *l = r->kind == SIDE_EXIT ? lifebook_living(&p->book, r->pid) : NULL;

	if (!l)
		return;
	l->exit_ns = r->time_ns;
	l->leader_gone |= r->pid == r->tid;
}

static void forked(void *state, uint32_t pid, uint32_t child)
{
	struct processes *p = state;
	const struct proc *proc = procs_find(p->procs, child);

	if (proc && !is_own(p, child, pid))
		lifebook_birth(&p->book, pid, child, proc->born_ns);
}

static uint64_t born_ns(const struct processes *p, uint32_t pid)
{
	const struct proc *proc = procs_find(p->procs, pid);

	return proc ? proc->born_ns : 0;
}

static void exec(void *state, uint32_t pid)
{
	struct processes *p = state;
	const struct task *task = procs_find_task(p->procs, pid, pid);
	struct life *l = lifebook_living(&p->book, pid);

	/* The program's record is later than this. */
	if (!l || !task || l->exec_ns >= task->start_ns)
		return;
	lifebook_exec(l, task->start_ns);
	if (!session_has_programs(p->session))
		look_at(p, l, false);
}

static void take_exec(struct processes *p, const struct wire_process *w)
{
	struct life *l = lifebook_add(&p->book, w->pid, born_ns(p, w->pid));
	_free_ char *text = NULL;

	if (!l)
		return;
	lifebook_exec(l, w->time_ns);
	if (!w->text_bytes)
		return;
	text = cmdline_text((const char *)(w + 1), w->text_bytes);
	lifebook_command(&p->book, l, text, w->command_bytes, w->text_bytes < w->command_bytes);
}

static void take_exit(struct processes *p, const struct wire_process *w)
{
	struct life *l = lifebook_living(&p->book, w->pid);
	const int status = (int)w->status;

	if (!l)
		return;
	if (WIFSIGNALED(status))
		lifebook_end(&p->book, l, PROCESS_KILLED, (uint32_t)WTERMSIG(status), w->time_ns);
	else
		lifebook_end(&p->book, l, PROCESS_EXITED, (uint32_t)WEXITSTATUS(status),
			     w->time_ns);
}

static void take(void *state, const void *record, struct stackbook *stacks, struct procs *procs)
{
	const struct wire_process *w = record;

	(void)stacks;
	(void)procs;
	if (w->news == WIRE_PROCESS_EXEC)
		take_exec(state, w);
	else
		take_exit(state, w);
}

/* --- windows -------------------------------------------------------------------------------- */

/* Of too many processes those are left out that nothing else is known of. */
static void leave_out(struct processes *p)
{
	_free_ bool *was_sampled = sampled(p);
	size_t n = 0;

	for (size_t i = 0; i < p->book.rows.n; i++) {
		const struct life *l = &p->book.rows.at[i];
		const bool counts = l->end != PROCESS_LIVES && !was_sampled[i];

		if (counts && p->unsampled + p->ended >= MOST_UNSAMPLED) {
			p->book.left_out++;
			continue;
		}
		p->ended += counts;
		p->book.rows.at[n++] = *l;
	}
	p->book.rows.n = n;
}

static void window_end(void *state)
{
	struct processes *p = state;

	p->ended = 0;
	leave_out(p);
	vec_each (l, &p->book.rows)
		l->over = l->end != PROCESS_LIVES;
	lifebook_index(&p->book);
}

static void window_forget(void *state, struct survivors *r)
{
	struct processes *p = state;

	(void)r;
	p->unsampled += p->ended;
	lifebook_forget(&p->book);
}

/* --- a profile ------------------------------------------------------------------------------ */

static void put(const struct processes *p, const struct life *l, struct assembly *a)
{
	const struct process row = {
		.pid = l->pid,
		.parent = l->parent,
		.born_ns = assembly_time(a, l->born_ns),
		.exec_ns = assembly_time(a, l->exec_ns),
		.end_ns = assembly_time(a, l->end_ns),
		.end = l->end,
		.status = l->status,
		.command = intern_add(&a->p->strings, intern_text(&p->book.texts, l->command)),
		.command_bytes = l->command_bytes,
		.cut = l->cut,
	};

	profile_process(a->p, &row);
}

static void finish(const void *state, struct assembly *a)
{
	const struct processes *p = state;

	vec_each (l, &p->book.rows)
		if (l->end == PROCESS_LIVES || !l->end_ns || l->end_ns >= a->start_ns)
			put(p, l, a);
}

static uint64_t counter(const struct processes *p, enum wire_process_counter what)
{
	return session_map_value(p->session, "processes_counters", what);
}

static void account(const void *state, struct profile *out, const struct ledger_input *in)
{
	const struct processes *p = state;

	(void)in;
	profile_note(out, "processes left out of the table: too many", p->book.left_out);
	profile_note(out, "command lines left out: too many", p->book.commands_left_out);
	profile_note(out, "command lines not read: the process had ended", p->book.unread);
	profile_note(out, "execs and exits of processes lost: ring full",
		     counter(p, WIRE_PROCESS_LOST));
}

static struct program_run run(const void *state, const struct profile *profile)
{
	const struct processes *p = state;

	(void)profile;
	return (struct program_run){.ns = counter(p, WIRE_PROCESS_RUN_NS),
				    .runs = counter(p, WIRE_PROCESS_RUNS)};
}

static void taken(const void *state, const struct profile *profile, struct taken *sum)
{
	(void)profile;
	TAKEN_RUN(sum, (double)counter(state, WIRE_PROCESS_RUN_NS));
	sum->most_ns += TURN_NS * (double)counter(state, WIRE_PROCESS_RUNS);
}

const struct source processes_source = {
	.programs = programs,
	.new = processes_new,
	.free = processes_free,
	.finish = finish,
	.begin = begin,
	.start = start,
	.take = take,
	.forked = forked,
	.exec = exec,
	.seen = seen,
	.survey = survey,
	.window_end = window_end,
	.window_forget = window_forget,
	.account = account,
	.run = run,
	.taken = taken,
};
