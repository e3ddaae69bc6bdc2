// cflags: -O2 -fomit-frame-pointer
/*
 * zone_throw WAY ROUNDS: C++ exceptions thrown through 50 functions that each have something to
 * destroy. WAY: catch, and caught at the top; rethrow, and caught and thrown on at every tenth;
 * inside, another thrown and caught in each destructor meanwhile; thread, in 4 threads, and handed
 * on to the first; sort, out of what std::sort and qsort call back; cancel, threads cancelled
 * within; never, caught by nobody, which aborts. Status 31.
 */
#include <algorithm>
#include <exception>
#include <pthread.h>
#include <semaphore.h>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

extern "C" {
#include "zone.h"
}

static thread_local uint64_t destroyed, caught;
static std::string way;
static sem_t ready, never;

struct failure : std::runtime_error {
	uint64_t value;
	explicit failure(uint64_t v) : std::runtime_error("failure"), value(v) {}
};

extern "C" FRAME uint64_t zx_leaf(uint64_t x)
{
	return turns(x, 10);
}

extern "C" FRAME void zx_throw(uint64_t value)
{
	throw failure(zx_leaf(value));
}

extern "C" FRAME uint64_t zx_inside(uint64_t n)
{
	try {
		zx_throw(n);
	} catch (const failure &f) {
		return f.value;
	}
	return 0;
}

struct guard {
	uint64_t n;
	FRAME explicit guard(uint64_t i) : n(i) {}
	FRAME ~guard()
	{
		destroyed += n;
		if (way == "inside")
			destroyed += zx_inside(n);
	}
};

extern "C" FRAME void zx_bottom(uint64_t value)
{
	if (way == "cancel") {
		sem_post(&ready);
		sem_wait(&never);
	}
	zx_throw(value);
}

template <int N> FRAME uint64_t zx_down(uint64_t value)
{
	guard g(N);

	if (way != "rethrow" || N % 10)
		return zx_down<N - 1>(value) + g.n;
	try {
		return zx_down<N - 1>(value);
	} catch (failure &f) {
		caught++;
		f.value += N;
		throw;
	}
}

template <> FRAME uint64_t zx_down<0>(uint64_t value)
{
	zx_bottom(value);
	return 0;
}

extern "C" FRAME uint64_t zx_catch(uint64_t value)
{
	try {
		return zx_down<50>(value);
	} catch (const std::exception &e) {
		const failure *f = dynamic_cast<const failure *>(&e);
		return f ? f->value + 1 : 0;
	}
}

extern "C" FRAME int zx_compare(const void *a, const void *b)
{
	if (*static_cast<const int *>(a) == 7)
		zx_throw(7);
	return *static_cast<const int *>(a) - *static_cast<const int *>(b);
}

static uint64_t sorts()
{
	std::vector<int> v;
	uint64_t sum = 0;

	for (int i = 0; i < 100; i++)
		v.push_back(i * 37 % 101);
	try {
		std::sort(v.begin(), v.end(), [](int a, int b) { return zx_compare(&a, &b) < 0; });
	} catch (const failure &f) {
		sum += f.value;
	}
	return sum;
}

static uint64_t threads()
{
	std::vector<std::exception_ptr> thrown(4);
	std::vector<std::thread> all;
	uint64_t sum = 0;

	for (int i = 0; i < 4; i++)
		all.emplace_back([&thrown, i] {
			try {
				zx_down<50>(i);
			} catch (...) {
				thrown[i] = std::current_exception();
			}
		});
	for (auto &t : all)
		t.join();
	for (auto &e : thrown)
		try {
			std::rethrow_exception(e);
		} catch (const failure &f) {
			sum = sum * 31 + f.value;
		}
	return sum;
}

extern "C" FRAME void *zx_cancelled(void *where)
{
	struct tell {
		void *where;
		~tell() { *static_cast<uint64_t *>(where) = destroyed; }
	} t{where};

	zx_down<50>(1);
	return where;
}

static uint64_t cancels()
{
	uint64_t sum = 0;

	for (int i = 0; i < 4; i++) {
		pthread_t thread;
		uint64_t there = 0;

		pthread_create(&thread, nullptr, zx_cancelled, &there);
		sem_wait(&ready);
		pthread_cancel(thread);
		pthread_join(thread, nullptr);
		sum = sum * 31 + there;
	}
	return sum;
}

static uint64_t one_round()
{
	uint64_t sum = 0;

	destroyed = caught = 0;
	if (way == "sort")
		sum = sorts();
	else if (way == "thread")
		sum = threads();
	else if (way == "cancel")
		sum = cancels();
	else
		for (int i = 0; i < 10; i++)
			sum = sum * 31 + zx_catch(i);
	return sum * 31 + destroyed * 7 + caught;
}

int main(int argc, char **argv)
{
	way = argc > 1 ? argv[1] : "catch";
	sem_init(&ready, 0, 0);
	sem_init(&never, 0, 0);
	rounds_open(argc, argv, 2, 5);
	while (rounds_next())
		rounds_result(one_round());
	if (way == "catch" || way == "rethrow") {
		rounds_calls("zx_catch", 10);
		rounds_calls("zx_down<50>", 10);
		rounds_calls("zx_down<1>", 10);
		rounds_calls("zx_throw", 10);
		rounds_calls("zx_leaf", 10);
	}
	if (way == "inside")
		rounds_calls("zx_inside", 500);
	if (way == "never") {
		rounds_end(0);
		zx_down<50>(3);
	}
	return rounds_end(31);
}
