#include "view/facts.h"

#include "base/hash.h"
#include "base/str.h"
#include "base/units.h"
#include "model/waits.h"
#include "query/filter.h"

#define NAMED_MOST 3
/* Threads that could run for all but this share of the time in which they wanted to are not named,
 * nor those whose part of all time ready is less. */
#define NAMED_SHARE 0.05
/* From this share on it is a warning: threads starve. */
#define STARVED_SHARE 0.25
#define STARVED_NS    1e8

struct ready {
	uint32_t thread; /* its last row */
	double on_ns, ready_ns;
	int64_t nice;
};

struct readies {
	const struct profile *p;
	VEC(struct ready) threads;
	struct map by_thread;
	struct ready all;
};

static double share(const struct ready *r)
{
	const double wanted = r->on_ns + r->ready_ns;

	return wanted > 0 ? r->ready_ns / wanted : 0;
}

static uint32_t number_of(struct readies *a, uint32_t thread)
{
	const struct thread *t = &a->p->threads.at[thread];
	const uint64_t key = thread_key(t);

	return map_number(&a->by_thread, key, a->threads.n);
}

static void add(struct readies *a, const struct thread_wait *w)
{
	const uint32_t at = number_of(a, w->thread);

	if (at == a->threads.n)
		vec_push(&a->threads, ((struct ready){0}));
	a->threads.at[at].thread = w->thread;
	a->threads.at[at].on_ns += (double)w->on_ns;
	a->threads.at[at].ready_ns += (double)w->runnable_ns;
	a->threads.at[at].nice = w->nice;
	a->all.on_ns += (double)w->on_ns;
	a->all.ready_ns += (double)w->runnable_ns;
}

static int by_ready(const void *left, const void *right, void *context)
{
	const struct ready *a = left, *b = right;

	(void)context;
	return order_down(a->ready_ns, b->ready_ns) ?: order_up(a->thread, b->thread);
}

void ready_why(const struct profile *p, uint32_t thread, int64_t nice, struct str *out)
{
	const uint64_t key = thread_key(&p->threads.at[thread]);
	const struct blocker *most = NULL;

	if (nice)
		str_addf(out, ", nice %lld", (long long)nice);
	vec_each (b, &p->blockers)
		if (thread_key(&p->threads.at[b->thread]) == key && blocker_is_of_cpu(b->by) &&
		    (!most || b->ns > most->ns))
			most = b;
	if (most && most->pid)
		str_addf(out, ", behind %s %u", profile_text(p, most->name), most->tid);
	else if (most)
		str_addf(out, ", %s", blocker_text(most->by));
}

/* "; most: cc1 4711 310 ms (40 %), make 4700 20 ms (9 %)" */
static void add_most(struct readies *a, struct str *out)
{
	size_t named = 0;

	for (size_t i = 0; i < a->threads.n && named < NAMED_MOST; i++) {
		const struct ready *r = &a->threads.at[i];
		const struct thread *t = &a->p->threads.at[r->thread];

		if (share(r) < NAMED_SHARE || r->ready_ns < NAMED_SHARE * a->all.ready_ns)
			continue;
		str_addf(out, "%s%s %u %s (%s",
			 named++ ? ", " : "; most: ", profile_text(a->p, t->name), t->tid,
			 ns_text(r->ready_ns), percent_text(share(r), 1));
		ready_why(a->p, r->thread, r->nice, out);
		str_add(out, ")");
	}
}

void ready_fact(const struct view_input *in, struct doc_block *b)
{
	struct readies a = {.p = in->profile};
	struct filter filter;
	struct str most = {0};
	bool starved;

	if (!a.p->thread_waits.n)
		return;
	if (!filter_init(&filter, a.p, in->selection))
		vec_each (w, &a.p->thread_waits)
			if (!filter.thread || filter.thread[w->thread])
				add(&a, w);
	filter_release(&filter);
	vec_sort_by(&a.threads, by_ready, NULL);
	add_most(&a, &most);
	starved = share(&a.all) >= STARVED_SHARE && a.all.ready_ns >= STARVED_NS;
	if (a.all.on_ns + a.all.ready_ns > 0)
		doc_fact(b, starved, "Ready",
			 "%s without a CPU, %s of the time that threads wanted to run%s",
			 ns_text(a.all.ready_ns), percent_text(share(&a.all), 1), str_text(&most));
	str_release(&most);
	vec_release(&a.threads);
	map_release(&a.by_thread);
}
