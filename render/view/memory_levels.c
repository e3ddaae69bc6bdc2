/*
 * memory_levels: what the target's processes had before the capture, and over time: by process and
 * all together, beside the limit of their cgroup.
 */
#include "view/facts.h"

#include <stdlib.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/str.h"
#include "model/memory_use.h"
#include "query/measure.h"
#include "view/base.h"

#define TERMINAL_LEVELS	   20
#define TERMINAL_PROCESSES 10

/* Rows that are closer are of one look at all processes. */
#define SAME_LOOK_NS 50000000

/* A process over time. Row numbers are those of memory_levels. */
struct lifetime {
	uint32_t pid;
	size_t first, last; /* with memory */
	int64_t most;	    /* resident */
	int64_t oom_kills;  /* in its cgroup */
	bool gone, killed;
	struct memory_level now; /* while the rows are read */
};

struct lifetimes {
	VEC(struct lifetime) rows;
	struct map by_pid;
	struct map taken; /* pids that are selected; unused if all are */
	bool all;
};

static int64_t resident(const struct memory_level *l)
{
	return l->anonymous + l->file + l->shared;
}

static bool is_nothing(const struct memory_level *l)
{
	return !resident(l) && !l->swap;
}

/* Which processes: those of which a thread is selected. */
static int choose(const struct view_input *in, struct lifetimes *c)
{
	const struct profile *p = in->profile;
	_free_ bool *taken = NULL;
	const int rc = threads_choose(p, &in->selection->threads, &taken);

	c->all = !taken;
	for (size_t i = 0; i < p->threads.n && taken; i++) {
		bool fresh;

		if (taken[i])
			(void)map_put(&c->taken, p->threads.at[i].pid, &fresh);
	}
	return rc;
}

static bool takes(const struct lifetimes *c, uint32_t pid)
{
	return c->all || map_get(&c->taken, pid);
}

static void release(struct lifetimes *c)
{
	vec_release(&c->rows);
	map_release(&c->by_pid);
	map_release(&c->taken);
}

static void add_level(struct lifetimes *c, const struct profile *p, size_t i)
{
	const struct memory_level *l = &p->memory_levels.at[i];
	struct lifetime *of;
	uint32_t at;

	if (!takes(c, l->pid))
		return;
	at = map_number(&c->by_pid, l->pid, c->rows.n);
	if (at == c->rows.n)
		vec_push(&c->rows, ((struct lifetime){.pid = l->pid, .first = i, .last = i}));
	of = &c->rows.at[at];
	of->now = *l;
	of->gone = is_nothing(l);
	of->killed |= l->killed;
	of->last = of->gone ? of->last : i;
	of->most = resident(l) > of->most ? resident(l) : of->most;
	of->oom_kills = l->oom_kills > of->oom_kills ? l->oom_kills : of->oom_kills;
}

/* Of two cgroups the one with the tighter limit; without any, the larger. */
static bool is_tighter(const struct memory_level *a, const struct memory_level *b)
{
	if (a->group_limit && b->group_limit && a->group_limit != b->group_limit)
		return a->group_limit < b->group_limit;
	return a->group_limit == b->group_limit ? a->group_bytes > b->group_bytes
						: a->group_limit != 0;
}

/* What all have together. */
static struct memory_level sum_now(const struct lifetimes *c)
{
	struct memory_level sum = {0};

	vec_each (of, &c->rows) {
		const struct memory_level *l = &of->now;

		sum.anonymous += l->anonymous;
		sum.file += l->file;
		sum.shared += l->shared;
		sum.swap += l->swap;
		sum.killed += of->killed && sum.killed < UINT8_MAX;
		sum.oom_kills = of->oom_kills > sum.oom_kills ? of->oom_kills : sum.oom_kills;
		if (!of->gone && is_tighter(l, &sum)) {
			sum.group_bytes = l->group_bytes;
			sum.group_limit = l->group_limit;
		}
	}
	return sum;
}

typedef VEC(struct memory_level) level_list;

/* The levels of all together, one for each time. */
static level_list sum_up(const struct view_input *in, struct lifetimes *c)
{
	const struct profile *p = in->profile;
	level_list out = {0};

	for (size_t i = 0; i < p->memory_levels.n; i++) {
		const int64_t time_ns = (int64_t)p->memory_levels.at[i].time_ns;
		struct memory_level sum;

		add_level(c, p, i);
		if (i + 1 < p->memory_levels.n &&
		    (int64_t)p->memory_levels.at[i + 1].time_ns - time_ns < SAME_LOOK_NS)
			continue;
		if (time_ns < in->selection->from_ns ||
		    (in->selection->to_ns && time_ns >= in->selection->to_ns) || !c->rows.n)
			continue;
		sum = sum_now(c);
		sum.time_ns = (uint64_t)time_ns;
		vec_push(&out, sum);
	}
	return out;
}

/* --- tables ----------------------------------------------------------------------------------- */

static void write_sums(const level_list *levels, struct doc *doc)
{
	static const struct doc_column columns[] = {
		{"Time", "time_ns", CELL_NUMBER, NULL},
		{"Resident", "resident_bytes", CELL_NUMBER, NULL},
		{"Anonymous", "anonymous_bytes", CELL_NUMBER, NULL},
		{"File", "file_bytes", CELL_NUMBER, NULL},
		{"Shared", "shared_bytes", CELL_NUMBER, NULL},
		{"Swap", "swap_bytes", CELL_NUMBER, NULL},
		{"Cgroup", "group_bytes", CELL_NUMBER,
		 "what the cgroup with the tightest limit uses, with files that are not mapped"},
		{"Limit", "group_limit_bytes", CELL_NUMBER, NULL},
		{"OOM kills", "oom_kills", CELL_NUMBER,
		 "processes of the cgroup that the kernel killed for lack of memory, since it was "
		 "made"},
		{"Killed", "killed", CELL_NUMBER,
		 "processes of the target that the kernel killed for lack of memory"},
	};
	struct doc_table *t =
		doc_table_of(doc, "what all processes of the target had together", columns);

	doc_limit(t, TERMINAL_LEVELS, 0, "times");
	vec_each (l, levels) {
		base_time_cell(t, (double)l->time_ns);
		base_bytes_cell(t, resident(l));
		base_bytes_cell(t, l->anonymous);
		base_bytes_cell(t, l->file);
		base_bytes_cell(t, l->shared);
		base_bytes_cell(t, l->swap);
		base_bytes_cell(t, l->group_bytes);
		base_bytes_cell(t, l->group_limit);
		base_count_cell(t, l->oom_kills);
		base_count_cell(t, l->killed);
	}
}

static const char *name_of(const struct profile *p, uint32_t pid)
{
	vec_each (t, &p->threads)
		if (t->pid == pid)
			return profile_text(p, t->process);
	vec_each (b, &p->memory_before)
		if (b->pid == pid)
			return profile_text(p, b->name);
	return "";
}

static int by_most(const void *a, const void *b)
{
	const struct lifetime *x = a, *y = b;

	return order_down(x->most, y->most) ?: order_up(x->pid, y->pid);
}

/* Rows are in order of what processes had at most. */
static void write_processes(const struct profile *p, struct lifetimes *c, struct doc *doc)
{
	static const struct doc_column columns[] = {
		{"PID", "pid", CELL_NUMBER, NULL},
		{"Process", "process", CELL_TEXT, NULL},
		{"Start", "start_bytes", CELL_NUMBER, "resident when it was first seen"},
		{"End", "end_bytes", CELL_NUMBER, "resident when it was last seen"},
		{"Most", "most_bytes", CELL_NUMBER,
		 "resident, of what was seen: once a second, more often in the first ten"},
		{"Anonymous", "anonymous_bytes", CELL_NUMBER, "of no file, at its end"},
		{"Growth", "growth_bytes", CELL_NUMBER,
		 "of anonymous memory, from its start to its end"},
		{"Swap", "swap_bytes", CELL_NUMBER, NULL},
		{"Ended", "ended", CELL_TEXT, NULL},
	};
	struct doc_table *t = doc_table_of(doc, "what each process had", columns);

	vec_sort(&c->rows, by_most);
	doc_limit(t, TERMINAL_PROCESSES, 0, "processes");
	vec_each (of, &c->rows) {
		const struct memory_level *first = &p->memory_levels.at[of->first],
					  *last = &p->memory_levels.at[of->last];

		doc_cell(t, of->pid, "%u", of->pid);
		doc_cell(t, 0, "%s", name_of(p, of->pid));
		base_bytes_cell(t, resident(first));
		base_bytes_cell(t, resident(last));
		base_bytes_cell(t, of->most);
		base_bytes_cell(t, last->anonymous);
		base_bytes_cell(t, last->anonymous - first->anonymous);
		base_bytes_cell(t, last->swap);
		doc_cell(t, of->gone, "%s",
			 of->killed ? "killed: no memory"
			 : of->gone ? "yes"
				    : "–");
	}
}

/* --- before the capture ----------------------------------------------------------------------- */

struct before {
	uint32_t pid;
	int64_t bytes[BEFORE_KINDS], swap, blocks;
	bool knows_arenas, least;
};

static void add_before(struct before *b, const struct memory_before *row)
{
	const uint8_t kind = row->kind % BEFORE_KINDS;

	b->bytes[kind] += row->bytes;
	b->swap += row->swap;
	b->knows_arenas |= kind >= BEFORE_ARENAS;
	b->least |= row->least;
	b->blocks += kind == BEFORE_MMAPPED ? row->count : 0;
}

static int64_t in_use(const struct before *b)
{
	return b->bytes[BEFORE_ARENAS] - b->bytes[BEFORE_FREE] + b->bytes[BEFORE_MMAPPED];
}

static void before_row(struct doc_table *t, const struct profile *p, const struct before *b)
{
	static const enum memory_before_kind shown[] = {BEFORE_HEAP,  BEFORE_ANONYMOUS,
							BEFORE_STACK, BEFORE_CHANGED,
							BEFORE_FILE,  BEFORE_SHARED};

	doc_cell(t, b->pid, "%u", b->pid);
	doc_cell(t, 0, "%s", name_of(p, b->pid));
	for (size_t i = 0; i < sizeof(shown) / sizeof(*shown); i++)
		base_bytes_cell(t, b->bytes[shown[i]]);
	base_bytes_cell(t, b->swap);
	base_bytes_cell(t, b->knows_arenas ? in_use(b) : 0);
	base_bytes_cell(t, b->bytes[BEFORE_FREE]);
}

static void write_before(const struct profile *p, const struct lifetimes *c, struct doc *doc)
{
	static const struct doc_column columns[] = {
		{"PID", "pid", CELL_NUMBER, NULL},
		{"Process", "process", CELL_TEXT, NULL},
		{"[heap]", "heap_bytes", CELL_NUMBER, "resident, as the next ones"},
		{"Anonymous", "anonymous_bytes", CELL_NUMBER, "other mappings of no file"},
		{"Stack", "stack_bytes", CELL_NUMBER, "of the main thread"},
		{"Changed", "changed_bytes", CELL_NUMBER,
		 "pages of mapped files that the process has changed, its own"},
		{"File", "file_bytes", CELL_NUMBER, "pages of mapped files as they are"},
		{"Shared", "shared_bytes", CELL_NUMBER, "shared memory"},
		{"Swap", "swap_bytes", CELL_NUMBER, NULL},
		{"malloc", "malloc_bytes", CELL_NUMBER,
		 "in use by glibc's count, blocks that threads keep included"},
		{"Free", "free_bytes", CELL_NUMBER, "in glibc's arenas"},
	};
	struct doc_table *t;

	if (!p->memory_before.n)
		return;
	t = doc_table_of(doc, "what processes had before the capture", columns);
	doc_limit(t, TERMINAL_PROCESSES, 0, "processes");
	for (size_t i = 0; i < p->memory_before.n;) {
		struct before b = {.pid = p->memory_before.at[i].pid};

		for (; i < p->memory_before.n && p->memory_before.at[i].pid == b.pid; i++)
			add_before(&b, &p->memory_before.at[i]);
		if (takes(c, b.pid))
			before_row(t, p, &b);
	}
}

int memory_levels_write(const struct view_input *in, struct doc *doc)
{
	struct lifetimes c = {0};
	level_list levels;
	const int rc = choose(in, &c);

	if (!rc) {
		levels = sum_up(in, &c);
		write_before(in->profile, &c, doc);
		if (levels.n)
			write_sums(&levels, doc);
		if (c.rows.n > 1)
			write_processes(in->profile, &c, doc);
		vec_release(&levels);
	}
	release(&c);
	return rc;
}

/* --- facts ------------------------------------------------------------------------------------ */

/* Owned; NULL: nothing is known. */
static char *before_text(const struct profile *p, const struct lifetimes *c)
{
	struct before b = {0};
	struct str text = {0};
	bool any = false;

	vec_each (row, &p->memory_before) {
		if (!takes(c, row->pid))
			continue;
		add_before(&b, row);
		any = true;
	}
	if (!any)
		return NULL;
	str_addf(&text, "%s resident in [heap] and anonymous memory when the capture began",
		 bytes_text((double)(b.bytes[BEFORE_HEAP] + b.bytes[BEFORE_ANONYMOUS])));
	if (!b.knows_arenas)
		return str_steal(&text);
	str_addf(&text, "; by glibc's count %s%s in use", b.least ? "at most " : "",
		 bytes_text((double)in_use(&b)));
	if (b.blocks)
		str_addf(&text, " (%s in large blocks)",
			 bytes_text((double)b.bytes[BEFORE_MMAPPED]));
	str_addf(&text, ", %s%s free", b.least ? "at least " : "",
		 bytes_text((double)b.bytes[BEFORE_FREE]));
	return str_steal(&text);
}

char *memory_before_text(const struct view_input *in)
{
	struct lifetimes c = {0};
	char *text = choose(in, &c) ? NULL : before_text(in->profile, &c);

	release(&c);
	return text;
}

/* "; anonymous memory changed by 31.2 MiB, live blocks by 1.2 MiB", of processes that were attached
 * to: what is live is known since then. */
static void add_live(const struct view_input *in, int64_t grew, struct str *text)
{
	const struct profile *p = in->profile;
	struct measure live;
	int64_t sum = 0;

	if (!p->memory_before.n || !profile_has(p, PART_HEAP) ||
	    !measure_has(p, HEAP_METRIC_LIVE, &live))
		return;
	for (size_t i = 0; i < p->samples.n; i++)
		sum += measure_value(p, &live, i);
	str_addf(text, "; anonymous memory changed by %s", base_signed_bytes(grew));
	str_addf(text, ", live blocks by %s", base_signed_bytes(sum));
}

static void levels_fact(const struct view_input *in, const level_list *levels, struct doc_block *b)
{
	const struct memory_level *first = &levels->at[0], *last = &levels->at[levels->n - 1];
	struct str text = {0};
	int64_t most = 0;

	vec_each (l, levels)
		most = resident(l) > most ? resident(l) : most;
	if (is_nothing(last)) {
		str_addf(&text, "%s resident at most", bytes_text((double)most));
	} else {
		str_addf(&text, "%s resident at the start, ", bytes_text((double)resident(first)));
		str_addf(&text, "%s at the end, ", bytes_text((double)resident(last)));
		str_addf(&text, "%s at most", bytes_text((double)most));
	}
	if (last->swap)
		str_addf(&text, "; %s in swap", bytes_text((double)last->swap));
	if (first->group_limit) {
		str_addf(&text, "; the cgroup used %s of ", bytes_text((double)first->group_bytes));
		str_addf(&text, "%s", bytes_text((double)first->group_limit));
	}
	add_live(in, last->anonymous - first->anonymous, &text);
	if (last->killed)
		str_addf(&text, "; the kernel killed %u %s for lack of memory", last->killed,
			 last->killed == 1 ? "process" : "processes");
	doc_fact(b, last->killed, "Processes", "%s", str_text(&text));
	str_release(&text);
}

void memory_levels_fact(const struct view_input *in, struct doc_block *b)
{
	struct lifetimes c = {0};
	level_list levels;

	if (!choose(in, &c)) {
		_free_ char *before = before_text(in->profile, &c);

		levels = sum_up(in, &c);
		if (before)
			doc_fact(b, false, "Before", "%s", before);
		if (levels.n)
			levels_fact(in, &levels, b);
		vec_release(&levels);
	}
	release(&c);
}
