// cflags: -O2 -fomit-frame-pointer
/*
 * zone_twin N: functions zt_CLASS_SHAPE, each beside a twin bt_CLASS_SHAPE that does the same,
 * taking turns: what the twins take by the program's own clock is what the functions would without
 * probes, at the same time on the same machine. SHAPE: one, a microsecond of work; few, that and
 * four calls of a function; wide, the same with more memory than a cache holds in between; many, 50
 * calls of a function that does nothing. N hundred calls of each, fewer of the dear ones. Says
 * "twin FUNCTION CALLS MEAN MEDIAN VARIANCE" in ns, of the twin under the function's name.
 * Status 42.
 */
#include <string.h>
#include <sys/resource.h>

#include "prog.h"
#include "zone_stub.h"

#define WIDE_BYTES (128 << 10)
#define CALLS_MAX  20000

struct job {
	uint64_t (*call)(struct job *);
	uint64_t turns;
	uint64_t bytes; /* of memory, to go through */
	struct job *below;
	int times; /* that is called */
};

static volatile unsigned char memory[WIDE_BYTES];

uint64_t zone_twin_body(struct job *j);

FRAME uint64_t zone_twin_body(struct job *j)
{
	uint64_t x = turns(j->turns, j->turns);

	for (uint64_t i = 0; i < j->bytes; i += 64)
		x += memory[i]++;
	for (int i = 0; i < j->times; i++)
		x += j->below->call(j->below);
	return x;
}

#define SHAPES(X, class)               \
	X(class, one, 1000, 0, 0, 100) \
	X(class, few, 1000, 0, 4, 30)  \
	X(class, wide, 1000, WIDE_BYTES, 4, 10) X(class, many, 0, 0, 50, 3)

#define STUBS(class, shape, ...)                           \
	STUB(zt_##class##_##shape, class, zone_twin_body); \
	STUB(bt_##class##_##shape, class, zone_twin_body);
SHAPES(STUBS, push)
SHAPES(STUBS, step)
STUB(zt_push_part, push, zone_twin_body);
STUB(bt_push_part, push, zone_twin_body);
STUB(zt_step_part, step, zone_twin_body);
STUB(bt_step_part, step, zone_twin_body);

static int64_t clock_ns; /* what reading the clock twice shows */

static inline int64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000L + t.tv_nsec;
}

static void calibrate_clock(void)
{
	clock_ns = INT64_MAX;
	for (int i = 0; i < 1000; i++) {
		int64_t start = now_ns(), took = now_ns() - start;

		clock_ns = took < clock_ns ? took : clock_ns;
	}
}

static int by_value(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

static int64_t took[CALLS_MAX];

static void say(const char *name, int n)
{
	double sum = 0, squares = 0;

	for (int i = 0; i < n; i++) {
		sum += (double)took[i];
		squares += (double)took[i] * (double)took[i];
	}
	qsort(took, n, sizeof(took[0]), by_value);
	printf("twin %s %d %.0f %ld %.0f\n", name, n, sum / n, (long)took[n / 2],
	       (squares - sum * sum / n) / (n - 1));
}

/* The function and its twin, one after the other. */
static void run(const char *name, struct job *zone, struct job *twin, int n)
{
	n = n < CALLS_MAX ? n : CALLS_MAX;
	for (int i = 0; i < n; i++) {
		int64_t start = now_ns();

		twin->call(twin);
		took[i] = now_ns() - start - clock_ns;
		(void)now_ns();
		zone->call(zone);
		(void)now_ns();
	}
	say(name, n);
}

#define CALL(name) (uint64_t(*)(struct job *)) name
#define RUN(class, shape, ns, size, n, hundreds)                                                 \
	run("zt_" #class "_" #shape,                                                             \
	    &(struct job){CALL(zt_##class##_##shape), (ns)*per_us / 1000, size,                  \
			  &(struct job){CALL(zt_##class##_part), (n) < 50 ? per_us / 5 : 0}, n}, \
	    &(struct job){CALL(bt_##class##_##shape), (ns)*per_us / 1000, size,                  \
			  &(struct job){CALL(bt_##class##_part), (n) < 50 ? per_us / 5 : 0}, n}, \
	    (hundreds)*many);

int main(int argc, char **argv)
{
	int many = arg(argc, argv, 1, 20);
	const uint64_t per_us = 700; /* turns of the loop, about */

	(void)setpriority(PRIO_PROCESS, 0, -20);
	calibrate_clock();
	SHAPES(RUN, push)
	SHAPES(RUN, step)
	return 42;
}
