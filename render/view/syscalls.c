/*
 * syscalls: which system calls the target made, how long they took and how they failed: by call,
 * and by thread and call.
 */
#include "view/facts.h"

#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/str.h"
#include "model/process.h"
#include "query/filter.h"
#include "view/base.h"

#define TERMINAL_CALLS	 20
#define TERMINAL_THREADS 10
#define MAIN_COLUMNS	 8
#define ERRORS_NAMED	 3
#define CALLS_NAMED	 4

struct failure {
	uint32_t error;
	int64_t calls;
};

/* The rows of one call; or of one thread and call. */
struct group {
	uint32_t call, thread;
	int64_t calls, failed, timed, ns, most_ns, open;
	VEC(struct failure) failures;
};

struct groups {
	VEC(struct group) rows;
	struct map by_key;
	int64_t ns, calls;
};

static void add(struct groups *g, uint64_t key, const struct syscall_sum *s)
{
	const uint32_t at = map_number(&g->by_key, key, g->rows.n);
	struct group *to;

	if (at == g->rows.n)
		vec_push(&g->rows, ((struct group){.call = s->call, .thread = s->thread}));
	to = &g->rows.at[at];
	to->calls += s->calls;
	to->timed += s->calls - s->untimed;
	to->ns += s->total_ns;
	to->open += s->open;
	to->most_ns = s->most_ns > to->most_ns ? s->most_ns : to->most_ns;
	g->ns += s->total_ns;
	g->calls += s->calls;
	if (!s->error)
		return;
	to->failed += s->calls;
	vec_each (f, &to->failures) {
		if (f->error != s->error)
			continue;
		f->calls += s->calls;
		return;
	}
	vec_push(&to->failures, ((struct failure){s->error, s->calls}));
}

static int by_time(const void *a, const void *b)
{
	const struct group *x = a, *y = b;

	return order_down(x->ns, y->ns) ?: order_down(x->calls, y->calls) ?: order_up(x->call, y->call);
}

static int by_calls(const void *a, const void *b)
{
	const struct failure *x = a, *y = b;

	return order_down(x->calls, y->calls) ?: order_up(x->error, y->error);
}

static void release(struct groups *g)
{
	vec_each (r, &g->rows)
		vec_release(&r->failures);
	vec_release(&g->rows);
	map_release(&g->by_key);
}

/* The kernel's own codes for a call that a signal interrupted, which may be made again:
 * include/linux/errno.h. */
static bool is_interrupted(uint32_t error)
{
	return error >= 512 && error <= 516 && error != 515;
}

static const char *error_name(uint32_t error)
{
	return is_interrupted(error) ? "interrupted by a signal" : strerrorname_np((int)error);
}

/* "307 ENOENT, 2 EAGAIN, 1 more" */
static void errors_cell(struct doc_table *t, struct group *r)
{
	struct str text = {0};
	int64_t more = 0;

	vec_sort(&r->failures, by_calls);
	for (size_t i = 0; i < r->failures.n; i++) {
		const struct failure *f = &r->failures.at[i];
		const char *name = error_name(f->error);

		if (i >= ERRORS_NAMED)
			more += f->calls;
		else if (name)
			str_addf(&text, "%s%s %s", i ? ", " : "", count_text(f->calls), name);
		else
			str_addf(&text, "%s%s error %u", i ? ", " : "", count_text(f->calls),
				 f->error);
	}
	if (more)
		str_addf(&text, ", %s more", count_text(more));
	doc_cell(t, 0, "%s", str_text(&text));
	str_release(&text);
}

static void figures(struct doc_table *t, const struct groups *g, const struct group *r)
{
	const double percent = g->ns ? 100.0 * (double)r->ns / (double)g->ns : 0;

	doc_cell(t, percent, "%s", percent_text((double)r->ns, (double)g->ns));
	doc_bar(t, percent);
	base_time_cell(t, (double)r->ns);
	base_count_cell(t, r->calls);
	base_count_cell(t, r->failed);
	base_time_cell(t, r->timed ? (double)r->ns / (double)r->timed : 0);
	base_time_cell(t, (double)r->most_ns);
}

#define FIGURES                                                                                  \
	{"Share", "share_percent", CELL_PERCENT, "of the time in system calls"}, DOC_BAR_COLUMN, \
		{"Time", "total_ns", CELL_NUMBER, "from call to return, with what it waited"},   \
		{"Calls", "calls", CELL_NUMBER, "that returned, all of them"},                   \
		{"Errors", "errors", CELL_NUMBER, NULL}, {"Mean", "mean_ns", CELL_NUMBER, NULL}, \
	{                                                                                        \
		"Longest", "longest_ns", CELL_NUMBER, NULL                                       \
	}

static void write_calls(const struct view_input *in, struct groups *g, struct doc *doc)
{
	static const struct doc_column columns[] = {
		FIGURES,
		{"System call", "call", CELL_TEXT, NULL},
		{"Failed with", "failed_with", CELL_TEXT, "errors, most frequent first"},
		{"Open", "open", CELL_NUMBER,
		 "calls that did not return: in which a thread was at the end, or ended"},
	};
	char calls[UNITS_BUF], ns[UNITS_BUF];
	_free_ char *caption = mem_printf("100 %% = %s in %s system calls, threads add up",
					  units_ns(ns, sizeof(ns), (double)g->ns),
					  units_count(calls, sizeof(calls), g->calls));
	struct doc_table *t = doc_table_of(doc, caption, columns);

	doc_limit(t, TERMINAL_CALLS, 0, "system calls");
	vec_each (r, &g->rows) {
		figures(t, g, r);
		doc_cell(t, 0, "%s", profile_text(in->profile, r->call));
		errors_cell(t, r);
		base_count_cell(t, r->open);
	}
}

static void write_threads(const struct view_input *in, struct groups *g, struct doc *doc)
{
	static const struct doc_column columns[] = {
		FIGURES,
		{"System call", "call", CELL_TEXT, NULL},
		{"PID", "pid", CELL_NUMBER, NULL},
		{"TID", "tid", CELL_NUMBER, NULL},
		{"Thread", "thread", CELL_TEXT, NULL},
		{"Failed with", "failed_with", CELL_TEXT, "errors, most frequent first"},
	};
	struct doc_table *t = doc_table_of(doc, "the same by thread", columns);

	doc_limit(t, TERMINAL_THREADS, 0, "threads' system calls");
	vec_each (r, &g->rows) {
		const struct thread *of = &in->profile->threads.at[r->thread];

		figures(t, g, r);
		doc_cell(t, 0, "%s", profile_text(in->profile, r->call));
		doc_cell(t, of->pid, "%u", of->pid);
		doc_cell(t, of->tid, "%u", of->tid);
		doc_cell(t, 0, "%s", profile_text(in->profile, of->name));
		errors_cell(t, r);
	}
}

static void sum(const struct profile *p, const struct filter *f, struct groups *calls,
		struct groups *threads)
{
	vec_each (s, &p->syscalls) {
		if (f->thread && !f->thread[s->thread])
			continue;
		add(calls, s->call, s);
		add(threads, hash_two(s->call, s->thread), s);
	}
	vec_sort(&calls->rows, by_time);
	vec_sort(&threads->rows, by_time);
}

static void fact_of(const struct profile *p, const struct groups *g, struct doc_block *b)
{
	struct str text = {0};
	int64_t failed = 0;

	vec_each (r, &g->rows)
		failed += r->failed;
	for (size_t i = 0; i < g->rows.n && i < CALLS_NAMED; i++)
		str_addf(&text, "%s %s %s", i ? "," : ":", profile_text(p, g->rows.at[i].call),
			 percent_text((double)g->rows.at[i].ns, (double)g->ns));
	if (text.n)
		str_add(&text, " of that time");
	if (failed)
		str_addf(&text, "; %s failed", count_text(failed));
	doc_fact(b, false, "Syscalls", "%s in %s%s", count_text(g->calls), ns_text((double)g->ns),
		 str_text(&text));
	str_release(&text);
}

void syscalls_fact(const struct view_input *in, struct doc_block *b)
{
	struct groups calls = {0}, threads = {0};
	struct filter f;

	if (!profile_has(in->profile, PART_SYSCALLS))
		return;
	if (!filter_init(&f, in->profile, in->selection)) {
		sum(in->profile, &f, &calls, &threads);
		fact_of(in->profile, &calls, b);
	}
	filter_release(&f);
	release(&calls);
	release(&threads);
}

static int syscalls_write(const struct view_input *in, struct doc *doc)
{
	struct groups calls = {0}, threads = {0};
	struct filter f;
	int rc;

	rc = filter_init(&f, in->profile, in->selection);
	if (!rc) {
		sum(in->profile, &f, &calls, &threads);
		doc_heading(doc, "System calls");
		write_calls(in, &calls, doc);
		if (threads.rows.n > calls.rows.n)
			write_threads(in, &threads, doc);
	}
	filter_release(&f);
	release(&calls);
	release(&threads);
	return rc;
}

const struct view syscalls_view = {
	.name = "syscalls",
	.about = "system calls: how many, how long, and how they failed (--syscalls)",
	.part = PART_SYSCALLS,
	.missing = "No system calls in this profile: eprof --syscalls captures them.",
	.shows = {IN_REPORTS},
	.write = syscalls_write,
};
