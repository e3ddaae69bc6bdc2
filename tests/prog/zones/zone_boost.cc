// cflags: -O2 -fomit-frame-pointer
// libs: -lboost_context
/*
 * zone_boost WAY ROUNDS: Boost.Context. WAY: fiber, generators by its fibers; throw, exceptions
 * thrown and caught in them, while others are open; unwind, fibers destroyed before their end;
 * roam, resumed by 4 threads in turn; jump, its assembler functions make_fcontext and
 * jump_fcontext themselves. Status 32.
 */
#include <boost/context/detail/fcontext.hpp>
#include <boost/context/fiber.hpp>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

extern "C" {
#include "zone.h"
}

namespace ctx = boost::context;

static std::string way;
static uint64_t destroyed;

extern "C" FRAME uint64_t zf_leaf(uint64_t x)
{
	return turns(x, 20);
}

struct guard {
	FRAME ~guard() { destroyed++; }
};

struct generator {
	ctx::fiber own, user;
	uint64_t value = 0;
	bool more = true;
};

extern "C" FRAME void zf_give(generator *g, uint64_t value)
{
	g->value = value;
	g->user = std::move(g->user).resume();
}

extern "C" FRAME void zf_throw(uint64_t x)
{
	throw std::out_of_range(std::to_string(zf_leaf(x)));
}

extern "C" FRAME uint64_t zf_walk(generator *g, int depth, uint64_t place)
{
	uint64_t below = 0;
	guard end;

	if (depth)
		below += zf_walk(g, depth - 1, 2 * place);
	zf_give(g, zf_leaf(place));
	if (depth)
		below += zf_walk(g, depth - 1, 2 * place + 1);
	if (way == "throw" && place == 3)
		zf_throw(below);
	return below + 1;
}

extern "C" FRAME void zf_body(generator *g)
{
	try {
		zf_give(g, zf_walk(g, 4, 1));
	} catch (const std::out_of_range &e) {
		zf_give(g, std::stoull(e.what()));
	}
	g->more = false;
}

extern "C" FRAME void zf_resume(generator *g)
{
	g->own = std::move(g->own).resume();
}

static uint64_t fibers(int n_threads, int most)
{
	std::vector<generator> all(6);
	std::vector<std::thread> threads;
	std::mutex lock;
	uint64_t sum = 0;
	int at = 0, taken = 0;

	for (auto &g : all)
		g.own = ctx::fiber([&g](ctx::fiber &&user) {
			g.user = std::move(user);
			zf_body(&g);
			return std::move(g.user);
		});
	auto run = [&] {
		for (size_t idle = 0; idle < all.size() && taken < most;) {
			std::lock_guard<std::mutex> hold(lock);
			generator &g = all[at++ % all.size()];
			if (!g.more) {
				idle++;
				continue;
			}
			idle = 0;
			taken++;
			zf_resume(&g);
			sum += g.more ? g.value : 0;
		}
	};
	for (int i = 0; i < n_threads; i++)
		threads.emplace_back(run);
	for (auto &t : threads)
		t.join();
	if (!n_threads)
		run();
	return sum;
}

extern "C" FRAME void zf_entry(ctx::detail::transfer_t from)
{
	for (uint64_t i = 0;; i++)
		from = ctx::detail::jump_fcontext(
			from.fctx, reinterpret_cast<void *>(zf_leaf(i)));
}

static uint64_t jumps()
{
	const size_t size = 1 << 16;
	std::vector<char> stack(2 * size);
	ctx::detail::fcontext_t to[2];
	uint64_t sum = 0;

	for (int i = 0; i < 2; i++)
		to[i] = ctx::detail::make_fcontext(stack.data() + (i + 1) * size, size, zf_entry);
	for (int i = 0; i < 100; i++) {
		ctx::detail::transfer_t back = ctx::detail::jump_fcontext(to[i % 2], nullptr);

		to[i % 2] = back.fctx;
		sum = sum * 31 + reinterpret_cast<uintptr_t>(back.data);
	}
	return sum;
}

int main(int argc, char **argv)
{
	way = argc > 1 ? argv[1] : "fiber";
	rounds_open(argc, argv, 2, 5);
	while (rounds_next()) {
		destroyed = 0;
		uint64_t sum = way == "jump" ? jumps()
					     : fibers(way == "roam" ? 4 : 0,
						      way == "unwind" ? 60 : 1 << 20);
		rounds_result(sum * 1000 + destroyed);
	}
	if (way == "fiber" || way == "roam") {
		rounds_calls("zf_body", 6);
		rounds_calls("zf_walk", 6 * 31);
		rounds_calls("zf_leaf", 6 * 31);
		rounds_calls("zf_give", 6 * 32);
		rounds_calls("zf_resume", 6 * 33);
	}
	if (way == "jump")
		rounds_calls("zf_leaf", 100);
	return rounds_end(32);
}
