#include "query/wait_names.h"

#include <string.h>

#include "base/mem.h"
#include "base/str.h"

/* The libraries of C and C++ and the loader, whose functions at the end of a stack are no work of
 * their own. */
static const char *const modules[] = {"libc.so", "libc-",     "libpthread", "libc.musl",
				      "ld-",	 "libstdc++", "libc++",	    "[vdso]"};

/* The same in a program that is linked statically, and in other runtimes. */
static const char *const wrappers[] = {
	"accept",
	"accept4",
	"clock_nanosleep",
	"epoll_pwait",
	"epoll_pwait2",
	"epoll_wait",
	"futex_wait",
	"nanosleep",
	"pause",
	"poll",
	"ppoll",
	"pread",
	"pread64",
	"pselect",
	"pthread_cond_clockwait",
	"pthread_cond_timedwait",
	"pthread_cond_wait",
	"pwrite",
	"pwrite64",
	"read",
	"readv",
	"recv",
	"recvfrom",
	"recvmsg",
	"select",
	"sem_timedwait",
	"sem_wait",
	"send",
	"sendmsg",
	"sendto",
	"sigtimedwait",
	"sigwait",
	"sleep",
	"syscall",
	"usleep",
	"wait4",
	"waitid",
	"waitpid",
	"write",
	"writev",
	"runtime/internal/syscall.Syscall6",
	"internal/runtime/syscall.Syscall6",
	"syscall.RawSyscall6",
	"syscall.RawSyscall",
	"syscall.Syscall6",
	"syscall.Syscall",
	"runtime.epollwait",
	"runtime.futex.abi0",
	"runtime.futex",
	"runtime.usleep",
};

/* Beginnings of names, less leading underscores: glibc and musl, the JVM, Rust, Go, C++. */
static const char *const locks[] = {
	"pthread_mutex_lock",	   "pthread_mutex_timedlock", "pthread_mutex_clocklock",
	"pthread_mutex_cond_lock", "pthread_rwlock_rdlock",   "pthread_rwlock_wrlock",
	"pthread_rwlock_timed",	   "pthread_rwlock_clock",    "lll_lock_wait",
	"ObjectMonitor::enter",	   "runtime.lock2",	      "std::sys::sync::mutex::",
	"absl::Mutex::Lock",	   "parking_lot::raw_",	      "std::sys::unix::locks::futex_mutex",
};

static const char *const schedulers[] = {"runtime.findRunnable", "runtime.findrunnable",
					 "runtime.stopm", "runtime.stoplockedm"};

static bool is_among(const char *name, const char *const *names, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(name, names[i]))
			return true;
	return false;
}

static bool begins_with_one(const char *name, const char *const *names, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (str_starts(name, names[i]))
			return true;
	return false;
}

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

static enum wait_name name_of(const struct profile *p, const struct function *f)
{
	const char *name = profile_text(p, f->name);
	const char *bare = name + strspn(name, "_");
	const char *module = str_base(profile_text(p, p->modules.at[f->module].path));

	/* "__GI___nanosleep", as glibc calls its own. */
	if (str_starts(bare, "GI_"))
		bare += strlen("GI_") + strspn(bare + strlen("GI_"), "_");
	if (begins_with_one(bare, locks, COUNT(locks)))
		return WAIT_NAME_LOCK;
	if (is_among(name, schedulers, COUNT(schedulers)))
		return WAIT_NAME_SCHEDULER;
	if (f->kind == KIND_VDSO || begins_with_one(module, modules, COUNT(modules)) ||
	    is_among(bare, wrappers, COUNT(wrappers)))
		return WAIT_NAME_WRAPPER;
	return WAIT_NAME_NONE;
}

uint8_t *wait_names(const struct profile *p)
{
	uint8_t *out = mem_zalloc(p->functions.n + 1, sizeof(*out));

	for (size_t i = 1; i < p->functions.n; i++)
		out[i] = (uint8_t)name_of(p, &p->functions.at[i]);
	return out;
}
