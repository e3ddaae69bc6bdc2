// cflags: -O2 -fomit-frame-pointer -std=c++20
/* zone_coroutine ROUNDS: C++20's own coroutines, which have no stack: they go on to each other by
 * tail calls, 1,000 deep, and give values. Status 33. */
#include <coroutine>
#include <exception>
#include <utility>

extern "C" {
#include "zone.h"
}

extern "C" FRAME uint64_t zo_leaf(uint64_t x)
{
	return turns(x, 10);
}

struct task {
	struct promise_type {
		std::coroutine_handle<> after = std::noop_coroutine();
		uint64_t value = 0;
		task get_return_object()
		{
			return task(std::coroutine_handle<promise_type>::from_promise(*this));
		}
		std::suspend_always initial_suspend() noexcept { return {}; }
		auto final_suspend() noexcept
		{
			struct go_on {
				bool await_ready() noexcept { return false; }
				std::coroutine_handle<>
				await_suspend(std::coroutine_handle<promise_type> h) noexcept
				{
					return h.promise().after;
				}
				void await_resume() noexcept {}
			};
			return go_on{};
		}
		void return_value(uint64_t v) { value = v; }
		void unhandled_exception() { std::terminate(); }
	};
	explicit task(std::coroutine_handle<promise_type> h) : handle(h) {}
	task(task &&t) noexcept : handle(std::exchange(t.handle, nullptr)) {}
	~task()
	{
		if (handle)
			handle.destroy();
	}
	bool await_ready() { return false; }
	std::coroutine_handle<> await_suspend(std::coroutine_handle<> h)
	{
		handle.promise().after = h;
		return handle;
	}
	uint64_t await_resume() { return handle.promise().value; }
	std::coroutine_handle<promise_type> handle;
};

static task sum_to(uint64_t n)
{
	uint64_t mine = zo_leaf(n);

	if (!n)
		co_return mine;
	co_return mine + 3 * co_await sum_to(n - 1);
}

int main(int argc, char **argv)
{
	rounds_open(argc, argv, 1, 5);
	while (rounds_next()) {
		task t = sum_to(1000);

		t.handle.resume();
		rounds_result(t.handle.promise().value);
	}
	rounds_calls("zo_leaf", 1001);
	return rounds_end(33);
}
