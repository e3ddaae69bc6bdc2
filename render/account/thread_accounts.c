#include "account/thread_accounts.h"

#include "model/reason.h"

static struct thread_account *account_of(struct thread_accounts *a, uint32_t thread)
{
	const struct thread *t = &a->p->threads.at[thread];
	const uint64_t key = thread_key(t);
	const uint32_t at = map_number(&a->by_thread, key, a->all.n);

	if (at == a->all.n)
		vec_push(&a->all, ((struct thread_account){.number = at}));
	a->all.at[at].thread = thread;
	return &a->all.at[at];
}

static void add_hold(struct thread_accounts *a, size_t row, uint32_t account, int64_t value)
{
	const struct sample *s = &a->p->samples.at[row];
	const uint8_t kind = s->reason ? a->p->reasons.at[s->reason].kind : REASON_NONE;
	const struct thread_hold hold = {.account = account,
					 .function = a->classes->site[row],
					 .kind = kind,
					 .class = a->classes->of[row]};
	const uint64_t key =
		hash_two((uint64_t)account << 32 | hold.function, (uint64_t)kind << 8 | hold.class);
	const uint32_t at = map_number(&a->by_hold, key, a->holds.n);

	if (at == a->holds.n)
		vec_push(&a->holds, hold);
	a->holds.at[at].value += value;
}

bool thread_accounts_is_ready(const struct profile *p, size_t row)
{
	const uint32_t reason = p->samples.at[row].reason;

	return reason && p->reasons.at[reason].kind == REASON_RUNNABLE;
}

static void add_rows(struct thread_accounts *a)
{
	for (size_t i = 0; i < a->p->samples.n; i++) {
		const int64_t value = filter_value(&a->filter, i);
		const uint8_t class = a->classes->of[i];
		struct thread_account *to;

		if (!value)
			continue;
		to = account_of(a, a->p->samples.at[i].thread);
		if (class == WAIT_NONE)
			*(thread_accounts_is_ready(a->p, i) ? &to->ready : &to->on) += value;
		else
			add_hold(a, i, to->number, value);
		to->of[class] += value;
		a->of[class] += value;
	}
	vec_each (account, &a->all)
		for (size_t class = 0; class < WAIT_CLASSES; class ++)
			a->threads[class] += account->of[class] > 0;
}

void thread_accounts_init(struct thread_accounts *a, const struct profile *p,
			  const struct selection *selection)
{
	static const char *const lives[] = {METRIC_WALL, METRIC_OFF_CPU};
	struct selection all = *selection;
	struct measure m;

	*a = (struct thread_accounts){.p = p};
	all.omit_idle = false;
	for (size_t i = 0; i < sizeof(lives) / sizeof(*lives) && !all.metric; i++)
		if (measure_has(p, lives[i], &m))
			all.metric = lives[i];
	if (filter_init(&a->filter, p, &all) || !a->filter.measure.n)
		return;
	a->unit = a->filter.measure.unit;
	a->classes = wait_classes_of(p, selection->waits, &a->own);
	add_rows(a);
}

void thread_accounts_release(struct thread_accounts *a)
{
	vec_release(&a->all);
	vec_release(&a->holds);
	map_release(&a->by_thread);
	map_release(&a->by_hold);
	filter_release(&a->filter);
	wait_classes_release(&a->own);
}

static int by_class(const void *left, const void *right, void *class)
{
	const struct thread_account *a = left, *b = right;
	const size_t c = *(const size_t *)class;

	return order_down(a->of[c], b->of[c]) ?: order_up(a->thread, b->thread);
}

void thread_accounts_sort(struct thread_accounts *a, size_t class)
{
	vec_sort_by(&a->all, by_class, &class);
}

int64_t thread_account_whole(const struct thread_account *account)
{
	int64_t sum = 0;

	for (size_t i = 0; i < WAIT_CLASSES; i++)
		sum += account->of[i];
	return sum;
}

const struct thread_hold *thread_accounts_hold(const struct thread_accounts *a, uint32_t account,
					       size_t class)
{
	const struct thread_hold *most = NULL;

	vec_each (hold, &a->holds)
		if (hold->account == account && hold->class == class &&
		    (!most || hold->value > most->value))
			most = hold;
	return most;
}

bool thread_accounts_wait(const struct thread_accounts *a)
{
	int64_t waits = 0;

	for (size_t i = WAIT_NONE + 1; i < WAIT_CLASSES; i++)
		waits |= a->of[i];
	return waits;
}
