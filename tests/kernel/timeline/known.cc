/*
 * known: calls functions in ways that end in every way, and writes what it did to the file LOG, a
 * line for each event of a thread in order: "TID call NAME", "TID return NAME RESULT", "TID left
 * NAME". Coroutines have lines "TID/N …" of their own.
 *
 *	known LOG [THREADS [ROUNDS]]
 */
#include <csetjmp>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>
#include <fcntl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#define PROBED extern "C" __attribute__((noinline, noclone))

/* Each task's lines; written at its end. */
static thread_local std::string said;
static thread_local int coroutine;
static const char *path;

__attribute__((format(printf, 1, 2))) static void say(const char *format, ...)
{
	char text[200];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	said += std::to_string(syscall(SYS_gettid)) +
		(coroutine ? "/" + std::to_string(coroutine) : "") + " " + text + "\n";
}

/* In one piece, or lines of several threads would mix. */
static void write_said()
{
	const int fd = open(path, O_WRONLY | O_CREAT | O_APPEND, 0600);

	if (write(fd, said.data(), said.size()) != (ssize_t)said.size())
		abort();
	close(fd);
	said.clear();
}

/* The body says its own call and return, so that the log has the order in which they nest. */
#define BEGIN(name) say("call %s", name)
#define END(name, result)                        \
	do {                                     \
		long result_ = (result);         \
		say("return %s %ld", name, result_); \
		return result_;                  \
	} while (0)

PROBED long leaf(long x)
{
	BEGIN("leaf");
	END("leaf", x * 2);
}

PROBED long fib(long n)
{
	BEGIN("fib");
	long sum = n < 2 ? n : fib(n - 1) + fib(n - 2);
	END("fib", sum);
}

/* Left by an exception, with a destructor on the way that calls another function. */
struct cleaner {
	~cleaner() { leaf(1); }
};

PROBED long thrower(long depth, bool cleans)
{
	BEGIN("thrower");
	if (!depth) {
		say("left thrower");
		throw std::runtime_error("deep");
	}
	try {
		cleaner *c = cleans ? new cleaner : nullptr;
		struct guard {
			cleaner *c;
			~guard() { delete c; }
		} g{c};
		long sum = thrower(depth - 1, cleans) + 1;
		END("thrower", sum);
	} catch (int) {
		END("thrower", -1);
	}
}

PROBED long catcher(long depth, bool cleans)
{
	long result = 0;

	BEGIN("catcher");
	try {
		result = thrower(depth, cleans);
	} catch (std::exception &) {
		result = leaf(depth);
	}
	END("catcher", result);
}

PROBED long rethrower(long depth)
{
	BEGIN("rethrower");
	try {
		thrower(depth, false);
	} catch (std::exception &) {
		leaf(3);
		say("left rethrower");
		throw;
	}
	END("rethrower", 0);
}

static thread_local jmp_buf place;

PROBED long jumper(long depth)
{
	BEGIN("jumper");
	if (!depth)
		longjmp(place, 1);
	long sum = jumper(depth - 1) + 1;
	END("jumper", sum);
}

PROBED long jumped(long depth)
{
	BEGIN("jumped");
	if (!setjmp(place))
		jumper(depth);
	END("jumped", depth);
}

static thread_local ucontext_t home, away;

PROBED long inside(long n)
{
	BEGIN("inside");
	swapcontext(&away, &home);
	END("inside", n);
}

static void coroutine_main()
{
	coroutine = 1;
	inside(5);
	coroutine = 0;
}

PROBED long resumer(long n)
{
	BEGIN("resumer");
	coroutine = 1;
	swapcontext(&home, &away);
	coroutine = 0;
	leaf(n);
	coroutine = 1;
	swapcontext(&home, &away);
	coroutine = 0;
	END("resumer", n);
}

static void use_coroutine()
{
	static thread_local char stack[65536] __attribute__((aligned(64)));

	getcontext(&away);
	away.uc_stack.ss_sp = stack;
	away.uc_stack.ss_size = sizeof(stack);
	away.uc_link = &home;
	makecontext(&away, coroutine_main, 0);
	resumer(9);
}

/* A thread that ends amid a call. */
PROBED long ends(long n)
{
	BEGIN("ends");
	if (n) {
		write_said();
		syscall(SYS_exit, 0);
	}
	END("ends", n);
}

static void work(int rounds)
{
	for (int i = 0; i < rounds; i++) {
		fib(6);
		catcher(6, false);
		jumped(3);
		try {
			rethrower(2);
		} catch (std::exception &) {
			leaf(4);
		}
	}
	write_said();
}

static void fork_one()
{
	pid_t child = fork();

	if (!child) {
		fib(4);
		write_said();
		_exit(0);
	}
	waitpid(child, nullptr, 0);
}

int main(int argc, char **argv)
{
	const int threads = argc > 2 ? atoi(argv[2]) : 8, rounds = argc > 3 ? atoi(argv[3]) : 3;
	std::vector<std::thread> all;

	path = argv[1];
	said.reserve(1 << 20);
	for (int i = 0; i < threads; i++)
		all.emplace_back([rounds] {
			said.reserve(1 << 20);
			work(rounds);
		});
	for (auto &t : all)
		t.join();
	std::thread([] { ends(1); }).detach();
	usleep(50000);
	fork_one();
	use_coroutine();
	write_said();
	return 0;
}
