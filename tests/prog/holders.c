/*
 * holders KIND [ROUNDS]: a thread "keeper" and threads "waiter", of which the answer is known: who
 * held what another waited for. Each round takes 60 ms.
 *	plain, inherit, robust, recursive: keeper holds the mutex `kept` while waiter waits for it
 *	shared: as plain, but keeper and waiter are processes that share the memory of the mutex
 *	condition: keeper wakes waiter, which waits for a condition: nobody holds it
 *	raw: waiter waits in futex(2) for a word behind which there is no mutex, but a small number
 *	musl: the same for the word of a mutex of musl (src/thread/pthread_mutex_timedlock.c): EBUSY
 *	      and a flag; there is a thread of that number if it runs as the first process of a
 *	      namespace
 *	deadlock: keeper and waiter wait for each other for ever; prints a line, then sleeps
 * Prints "rounds=N".
 */
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "prog.h"

#define HOLD_US 50000
#define REST_US 10000

pthread_mutex_t kept, other = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
struct {
	int word, count, owner, users, kind;
} raw = {2, 0, 1, 1, 0};
static pthread_barrier_t begin;
static bool waits_for_condition, is_raw, is_deadlock;
static int raw_word = 2;
static volatile bool awake;
static int rounds = 20;

static pthread_mutex_t *mutex = &kept;
static pthread_barrier_t *both = &begin;

FRAME void hold(void)
{
	pthread_mutex_lock(mutex);
	pthread_barrier_wait(both);
	usleep(HOLD_US);
	pthread_mutex_unlock(mutex);
	pthread_barrier_wait(both); /* until waiter had it, however late it came */
}

FRAME void want(void)
{
	pthread_barrier_wait(both);
	pthread_mutex_lock(mutex);
	pthread_mutex_unlock(mutex);
	pthread_barrier_wait(both);
}

FRAME void wake(void)
{
	pthread_barrier_wait(&begin);
	usleep(HOLD_US);
	if (is_raw) {
		raw.word = 0;
		syscall(SYS_futex, &raw.word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
	} else {
		/* Until waiter, which may be late for its wait, says that it is awake. */
		for (; !awake; usleep(1000))
			pthread_cond_signal(&condition);
	}
	pthread_barrier_wait(&begin);
}

FRAME void await(void)
{
	raw.word = raw_word;
	awake = false;
	pthread_mutex_lock(&kept);
	pthread_barrier_wait(&begin);
	if (is_raw)
		syscall(SYS_futex, &raw.word, FUTEX_WAIT_PRIVATE, raw_word, NULL, NULL, 0);
	else
		pthread_cond_wait(&condition, &kept);
	awake = true;
	pthread_mutex_unlock(&kept);
	pthread_barrier_wait(&begin);
}

FRAME void take_both(pthread_mutex_t *first, pthread_mutex_t *second)
{
	pthread_mutex_lock(first);
	pthread_barrier_wait(&begin);
	pthread_mutex_lock(second);
}

static void *keeper(void *argument)
{
	prctl(PR_SET_NAME, "keeper");
	if (is_deadlock)
		take_both(&kept, &other);
	for (int i = 0; i < rounds; i++) {
		if (waits_for_condition)
			wake();
		else
			hold();
		usleep(REST_US);
	}
	return argument;
}

static void *waiter(void *argument)
{
	prctl(PR_SET_NAME, "waiter");
	if (is_deadlock)
		take_both(&other, &kept);
	for (int i = 0; i < rounds; i++) {
		if (waits_for_condition)
			await();
		else
			want();
	}
	return argument;
}

static void *sleep_on(void *argument)
{
	pause();
	return argument;
}

static void make_mutex(const char *kind)
{
	pthread_mutexattr_t a;

	pthread_mutexattr_init(&a);
	if (!strcmp(kind, "inherit"))
		pthread_mutexattr_setprotocol(&a, PTHREAD_PRIO_INHERIT);
	if (!strcmp(kind, "robust"))
		pthread_mutexattr_setrobust(&a, PTHREAD_MUTEX_ROBUST);
	if (!strcmp(kind, "recursive"))
		pthread_mutexattr_settype(&a, PTHREAD_MUTEX_RECURSIVE);
	pthread_mutex_init(&kept, &a);
}

/* Keeper and waiter as processes. */
static void share(void)
{
	struct {
		pthread_mutex_t mutex;
		pthread_barrier_t both;
	} *memory = mmap(NULL, sizeof(*memory), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
			 -1, 0);
	pthread_mutexattr_t of_mutex;
	pthread_barrierattr_t of_barrier;
	pid_t child;

	if (memory == MAP_FAILED)
		_exit(1);
	mutex = &memory->mutex;
	both = &memory->both;
	pthread_mutexattr_init(&of_mutex);
	pthread_mutexattr_setpshared(&of_mutex, PTHREAD_PROCESS_SHARED);
	pthread_mutex_init(mutex, &of_mutex);
	pthread_barrierattr_init(&of_barrier);
	pthread_barrierattr_setpshared(&of_barrier, PTHREAD_PROCESS_SHARED);
	pthread_barrier_init(both, &of_barrier, 2);
	child = fork();
	(void)(child ? waiter(NULL) : keeper(NULL));
	if (!child)
		_exit(0);
	waitpid(child, NULL, 0);
	printf("rounds=%d\n", rounds);
	exit(0);
}

int main(int argc, char **argv)
{
	const char *kind = argc > 1 ? argv[1] : "plain";
	pthread_t threads[2], idle;

	rounds = (int)arg(argc, argv, 2, rounds);
	is_deadlock = !strcmp(kind, "deadlock");
	is_raw = !strcmp(kind, "raw") || !strcmp(kind, "musl");
	if (!strcmp(kind, "musl")) {
		raw_word = (int)(FUTEX_WAITERS | EBUSY);
		for (int i = 0; i < EBUSY; i++)
			pthread_create(&idle, NULL, sleep_on, NULL);
	}
	if (!strcmp(kind, "shared"))
		share();
	waits_for_condition = is_raw || !strcmp(kind, "condition");
	make_mutex(kind);
	pthread_barrier_init(&begin, NULL, 2);
	pthread_create(&threads[0], NULL, keeper, NULL);
	pthread_create(&threads[1], NULL, waiter, NULL);
	printf("rounds=%d\n", rounds);
	fflush(stdout);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
}
