// cflags: -O2 -fomit-frame-pointer
/*
 * zone_clock TURNS: how long functions take by the program's own clock: zm_CLASS_SIZE_outer calls
 * _mid, which calls _inner, each with work of SIZE, 1us to 10ms. TURNS of the loop are a
 * microsecond; 0: says how many and does nothing else. Says "time FUNCTION CALLS MEAN MEDIAN" in
 * ns. All have their turns several times over: a machine that is slower for a while is so for all
 * of them. It goes before all others on its processor, where it may, but for a moment now and then.
 * Status 42.
 */
#include <string.h>
#include <sys/resource.h>

#include "prog.h"
#include "zone_stub.h"

#define CALLS_MAX 1000
#define ROUNDS	  5

struct level {
	const char *name;
	uint64_t (*call)(struct level *);
	uint64_t turns;
	struct level *next;
	int calls;
	int64_t ns[CALLS_MAX];
};

static int64_t clock_ns; /* what reading the clock twice shows */

static inline int64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000L + t.tv_nsec;
}

static inline void measure(struct level *l)
{
	int64_t start = now_ns();

	l->call(l);
	if (l->calls < CALLS_MAX)
		l->ns[l->calls++] = now_ns() - start - clock_ns;
}

uint64_t zm_body(struct level *l);

FRAME uint64_t zm_body(struct level *l)
{
	uint64_t x = turns(l->turns, l->turns);

	if (l->next)
		measure(l->next);
	return x;
}

#define EACH(X, class)         \
	X(class, 1us, 1, 200)  \
	X(class, 10us, 10, 60) \
	X(class, 100us, 100, 12) X(class, 1ms, 1000, 2) X(class, 10ms, 10000, 1)

#define STUBS(class, size, us, n)                          \
	STUB(zm_##class##_##size##_outer, class, zm_body); \
	STUB(zm_##class##_##size##_mid, class, zm_body);   \
	STUB(zm_##class##_##size##_inner, class, zm_body);
EACH(STUBS, nop)
EACH(STUBS, push)
EACH(STUBS, step)

static int by_value(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

static void say(struct level *l)
{
	int64_t sum = 0;

	for (int i = 0; i < l->calls; i++)
		sum += l->ns[i];
	qsort(l->ns, l->calls, sizeof(l->ns[0]), by_value);
	printf("time %s %d %ld %ld\n", l->name, l->calls, (long)(sum / l->calls),
	       (long)l->ns[l->calls / 2]);
}

static void calibrate_clock(void)
{
	int64_t best = INT64_MAX;

	for (int i = 0; i < 1000; i++) {
		int64_t start = now_ns(), took = now_ns() - start;

		best = took < best ? took : best;
	}
	clock_ns = best;
}

/* Turns in a microsecond, of the fastest of some tries. */
static uint64_t calibrate_turns(void)
{
	int64_t best = INT64_MAX;

	for (int i = 0; i < 50; i++) {
		int64_t start = now_ns(), took;

		turns(i, 100000);
		took = now_ns() - start;
		best = took < best ? took : best;
	}
	return 100000 * 1000 / (best ? best : 1);
}

#define LEVEL(class, size, us, which)                                                           \
	{                                                                                       \
		.name = "zm_" #class "_" #size "_" #which,                                      \
		.call = (uint64_t(*)(struct level *))zm_##class##_##size##_##which, .turns = us \
	}
#define LEVELS(class, size, us, n)                                              \
	static struct level class##_##size[3] = {LEVEL(class, size, us, outer), \
						 LEVEL(class, size, us, mid),   \
						 LEVEL(class, size, us, inner)};
EACH(LEVELS, nop)
EACH(LEVELS, push)
EACH(LEVELS, step)

static void set_up(struct level levels[3], uint64_t turns_per_us)
{
	for (int i = 0; i < 3; i++) {
		levels[i].turns *= turns_per_us;
		levels[i].next = i < 2 ? &levels[i + 1] : NULL;
	}
}

static void nested(struct level levels[3], int n)
{
	for (int i = 0; i < n; i++)
		measure(&levels[0]);
}

static void say_all(struct level levels[3])
{
	for (int i = 0; i < 3; i++)
		say(&levels[i]);
}

int main(int argc, char **argv)
{
	uint64_t per_us = arg(argc, argv, 1, 0);

	setvbuf(stdout, NULL, _IOFBF, 1 << 16);
	(void)setpriority(PRIO_PROCESS, 0, -20);
	calibrate_clock();
	if (!per_us) {
		printf("turns %lu\n", (unsigned long)calibrate_turns());
		return 0;
	}
#define SET_UP(class, size, us, n) set_up(class##_##size, per_us);
#define RUN(class, size, us, n)	   nested(class##_##size, n);
#define SAY(class, size, us, n)	   say_all(class##_##size);
	EACH(SET_UP, nop)
	EACH(SET_UP, push)
	EACH(SET_UP, step)
	for (int i = 0; i < ROUNDS; i++) {
		EACH(RUN, nop)
		EACH(RUN, push)
		EACH(RUN, step)
	}
	EACH(SAY, nop)
	EACH(SAY, push)
	EACH(SAY, step)
	printf("clock %ld\n", (long)clock_ns);
	return 42;
}
