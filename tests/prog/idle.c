/*
 * idle ROUNDS: threads that wait for work, or are held up in it, by calls that do not tell which.
 * Prints a line of each, with tabs between: its name, and the ms that it was idle, held up, and
 * either, which its stacks do not tell: what it asked for, since nobody ends its waits. Of threads
 * that never come back it is at least that.
 *
 * idle --asleep: two that wait for each other's lock, and one that is parked, until a signal.
 * Prints "asleep" when they are.
 */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <semaphore.h>
#include <stdbool.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>

#include "prog.h"

enum class { IDLE, HELD_UP, UNDECIDED, CLASSES };

static __thread uint64_t waited_ms[CLASSES];
static int epoll_fd, rounds;
static pthread_barrier_t asleep;
static double start_s;

static struct timespec in_ms(int ms)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	t.tv_nsec += ms * 1000000L;
	t.tv_sec += t.tv_nsec / 1000000000;
	t.tv_nsec %= 1000000000;
	return t;
}

/* --- ways to wait: each is one call, inlined into its caller ---------------------------------- */

#define WAY static inline __attribute__((always_inline)) void

WAY by_epoll(int ms)
{
	struct epoll_event e;

	epoll_wait(epoll_fd, &e, 1, ms);
}

WAY by_poll(int ms)
{
	poll(NULL, 0, ms);
}

WAY by_semaphore(int ms)
{
	struct timespec until = in_ms(ms);
	sem_t never;

	sem_init(&never, 0, 0);
	while (sem_timedwait(&never, &until) && errno == EINTR)
		;
}

WAY by_condition(int ms)
{
	struct timespec until = in_ms(ms);
	pthread_mutex_t mutex;
	pthread_cond_t never;

	pthread_mutex_init(&mutex, NULL);
	pthread_cond_init(&never, NULL);
	pthread_mutex_lock(&mutex);
	while (pthread_cond_timedwait(&never, &mutex, &until) != ETIMEDOUT)
		;
	pthread_mutex_unlock(&mutex);
}

/* --- a client of an event loop ---------------------------------------------------------------- */

FRAME void client_handle(void)
{
	spin_for(0.004);
}

/* Reads what began before it, as servers do. */
FRAME void client_start(void)
{
	spin_for(0.1);
}

FRAME void client_loop(void)
{
	for (int i = 0; i < rounds; i++) {
		by_epoll(15);
		waited_ms[IDLE] += 15;
		client_handle();
	}
}

FRAME void client(void)
{
	client_start();
	client_loop();
}

/* --- a session of a database: all of its waits are epoll -------------------------------------- */

FRAME void wait_event(int ms)
{
	by_epoll(ms);
}

FRAME void secure_read(void)
{
	wait_event(12);
	waited_ms[IDLE] += 12;
}

FRAME void read_command(void)
{
	secure_read();
}

FRAME void proc_sleep(void)
{
	wait_event(17);
	waited_ms[HELD_UP] += 17;
}

FRAME void lock_acquire(void)
{
	proc_sleep();
}

FRAME void exec_query(void)
{
	spin_for(0.004);
	lock_acquire();
}

FRAME void session(void)
{
	for (int i = 0; i < rounds; i++) {
		read_command();
		exec_query();
	}
}

/* The same, with a semaphore in the work. */
FRAME void sem_update(void)
{
	spin_for(0.004);
	by_semaphore(17);
	waited_ms[HELD_UP] += 17;
}

FRAME void semaphore(void)
{
	for (int i = 0; i < rounds; i++) {
		by_epoll(12);
		waited_ms[IDLE] += 12;
		sem_update();
	}
}

/* --- a pool's worker, an event loop within work ----------------------------------------------- */

FRAME void get_task(void)
{
	by_condition(15);
	waited_ms[IDLE] += 15;
}

FRAME void run_task(void)
{
	spin_for(0.004);
}

FRAME void worker(void)
{
	for (int i = 0; i < rounds; i++) {
		get_task();
		run_task();
	}
}

FRAME void inner_handle(void)
{
	spin_for(0.002);
}

FRAME void inner_loop(void)
{
	for (int i = 0; i < 3; i++) {
		by_poll(11);
		waited_ms[HELD_UP] += 11;
		inner_handle();
	}
}

FRAME void outer_handle(void)
{
	inner_loop();
}

FRAME void nested(void)
{
	for (int i = 0; i < rounds; i++) {
		by_poll(12);
		waited_ms[IDLE] += 12;
		outer_handle();
	}
}

/* --- a worker whose wait lies deep in what it calls, as in the JVM -----------------------------
 */

FRAME void park(void)
{
	by_condition(15);
}

FRAME void unsafe_park(void)
{
	park();
}

FRAME void queue_take(void)
{
	unsafe_park();
}

FRAME void executor_get(void)
{
	queue_take();
	waited_ms[IDLE] += 15;
}

FRAME void executor_task(void)
{
	spin_for(0.004);
}

FRAME void executor(void)
{
	for (int i = 0; i < rounds; i++) {
		executor_get();
		executor_task();
	}
}

/* --- threads that never come back ------------------------------------------------------------- */

static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;
static sem_t never;
static double stuck_s; /* CPU time before that */

FRAME void take_both(pthread_mutex_t *first, pthread_mutex_t *second)
{
	pthread_mutex_lock(first);
	spin_for(stuck_s);
	pthread_barrier_wait(&asleep);
	pthread_mutex_lock(second);
}

FRAME void dead_one(void)
{
	take_both(&one, &other);
}

FRAME void dead_other(void)
{
	take_both(&other, &one);
}

FRAME void parked(void)
{
	sem_wait(&never);
}

/* --- all together ----------------------------------------------------------------------------- */

FRAME void busy(void)
{
	spin_for(0.2);
}

struct job {
	const char *name;
	void (*run)(void);
};

static void *run(void *arg)
{
	const struct job *job = arg;

	prctl(PR_SET_NAME, job->name);
	job->run();
	printf("%s\t%lu\t%lu\t%lu\n", job->name, waited_ms[IDLE], waited_ms[HELD_UP],
	       waited_ms[UNDECIDED]);
	fflush(stdout);
	return NULL;
}

static void start(const struct job *jobs, size_t n, pthread_t *threads)
{
	for (size_t i = 0; i < n; i++)
		if (pthread_create(&threads[i], NULL, run, (void *)&jobs[i]))
			_exit(1);
}

int main(int argc, char **argv)
{
	static const struct job stuck[] = {
		{"dead_one", dead_one}, {"dead_other", dead_other}, {"parked", parked}};
	static const struct job jobs[] = {{"client", client},	    {"session", session},
					  {"semaphore", semaphore}, {"worker", worker},
					  {"worker", worker},	    {"nested", nested},
					  {"executor", executor},   {"busy", busy}};
	pthread_t threads[sizeof(jobs) / sizeof(*jobs)], others[3];
	const bool asleep_only = argc > 1 && !strcmp(argv[1], "--asleep");

	epoll_fd = epoll_create1(0);
	rounds = (int)arg(argc, argv, 1, 40);
	stuck_s = asleep_only ? 0 : 0.1;
	sem_init(&never, 0, 0);
	pthread_barrier_init(&asleep, NULL, 3);
	start(stuck, 3, others);
	pthread_barrier_wait(&asleep);
	start_s = now_s();
	usleep(100000);
	if (asleep_only) {
		puts("asleep");
		fflush(stdout);
		pause();
	}
	start(jobs, sizeof(jobs) / sizeof(*jobs), threads);
	for (size_t i = 0; i < sizeof(jobs) / sizeof(*jobs); i++)
		pthread_join(threads[i], NULL);
	printf("dead_one\t0\t%lu\t0\nparked\t0\t0\t%lu\n", (uint64_t)((now_s() - start_s) * 1e3),
	       (uint64_t)((now_s() - start_s) * 1e3));
	return 0;
}
