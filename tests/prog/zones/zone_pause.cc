// cflags: -O2 -fomit-frame-pointer -fno-optimize-sibling-calls
// libs: -lboost_context
/*
 * zone_pause WAY TURNS: a coroutine works for 1 ms and pauses, 20 times, deep down; the program
 * works for 3 ms at each pause. WAY: ucontext, boost, signal (sigaltstack and siglongjmp). TURNS
 * of the loop are a microsecond, as zone_clock tells. Says what it measured itself, in ns:
 * "running zw_task N" in the coroutine, "suspended zw_task N" out of it, "running zw_main N" in
 * all that zw_main did but the coroutine. Status 43.
 */
#include <boost/context/detail/fcontext.hpp>
#include <csetjmp>
#include <cstring>
#include <sched.h>
#include <ucontext.h>

extern "C" {
#include "prog.h"
}

namespace ctx = boost::context::detail;

enum { PAUSES = 20, STACK = 1 << 16 };
static char stack[STACK] __attribute__((aligned(64)));
static char way;
static uint64_t per_us;
static int64_t inside, outside, task_ns, paused_ns;
static int64_t left_at, resumed_at;

static ucontext_t user_context, own_context;
static ctx::fcontext_t other_side;
static sigjmp_buf user_jump, own_jump;

static int64_t now_ns()
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000L + t.tv_nsec;
}

extern "C" FRAME uint64_t zw_work(uint64_t us)
{
	return turns(us, us * per_us);
}

extern "C" FRAME void zw_pause()
{
	left_at = now_ns();
	task_ns += left_at - resumed_at;
	if (way == 'u')
		swapcontext(&own_context, &user_context);
	else if (way == 'b')
		other_side = ctx::jump_fcontext(other_side, nullptr).fctx;
	else if (!sigsetjmp(own_jump, 0))
		siglongjmp(user_jump, 1);
	resumed_at = now_ns();
	paused_ns += resumed_at - left_at;
}

extern "C" FRAME uint64_t zw_deep(int depth)
{
	uint64_t x;

	if (depth)
		return zw_deep(depth - 1) + 1;
	x = zw_work(1000);
	zw_pause();
	return x;
}

extern "C" FRAME uint64_t zw_task()
{
	uint64_t sum = 0;

	for (int i = 0; i < PAUSES; i++)
		sum += zw_deep(5);
	return sum;
}

/* What a coroutine runs: it is never resumed after its last pause. */
extern "C" FRAME void zw_body()
{
	resumed_at = now_ns();
	zw_task();
	task_ns += now_ns() - resumed_at;
	left_at = now_ns();
	zw_pause();
	_exit(96);
}

static void boost_body(ctx::transfer_t from)
{
	other_side = from.fctx;
	zw_body();
}

static void handler(int)
{
	if (!sigsetjmp(own_jump, 0))
		return;
	zw_body();
}

extern "C" FRAME void zw_resume()
{
	if (way == 'u')
		swapcontext(&user_context, &own_context);
	else if (way == 'b')
		other_side = ctx::jump_fcontext(other_side, nullptr).fctx;
	else if (!sigsetjmp(user_jump, 0))
		siglongjmp(own_jump, 1);
}

static void make()
{
	stack_t other = {}, none = {};
	struct sigaction action = {};

	if (way == 'u') {
		getcontext(&own_context);
		own_context.uc_stack.ss_sp = stack;
		own_context.uc_stack.ss_size = STACK;
		makecontext(&own_context, zw_body, 0);
	} else if (way == 'b') {
		other_side = ctx::make_fcontext(stack + STACK, STACK, boost_body);
	} else {
		other.ss_sp = stack;
		other.ss_size = STACK;
		none.ss_flags = SS_DISABLE;
		action.sa_handler = handler;
		action.sa_flags = SA_ONSTACK;
		sigaction(SIGUSR1, &action, nullptr);
		sigaltstack(&other, nullptr);
		raise(SIGUSR1);
		sigaltstack(&none, nullptr);
	}
}

extern "C" FRAME uint64_t zw_main()
{
	uint64_t sum = 0;

	for (int i = 0; i < PAUSES; i++) {
		int64_t start = now_ns(), back;

		zw_resume();
		back = now_ns();
		sum += zw_work(3000);
		inside += back - start;
		outside += now_ns() - back;
	}
	zw_resume(); /* the task ends */
	return sum;
}

int main(int argc, char **argv)
{
	struct sched_param param = {};
	cpu_set_t cpus;

	way = argc > 1 ? argv[1][0] : 'u';
	per_us = arg(argc, argv, 2, 1000);
	param.sched_priority = 20;
	CPU_ZERO(&cpus);
	CPU_SET(sched_getcpu(), &cpus);
	sched_setaffinity(0, sizeof(cpus), &cpus);
	sched_setscheduler(0, SCHED_FIFO, &param);
	make();
	zw_main();
	printf("running zw_task %ld\nsuspended zw_task %ld\nrunning zw_main %ld\n", (long)task_ns,
	       (long)paused_ns, (long)outside);
	return 43;
}
