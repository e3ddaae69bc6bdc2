/*
 * reasons FOLDER: a thread that waits in functions of their own, r_…, for reasons of its own
 * making. Prints a line of each function, with tabs between: its name, the ns that it waited by its
 * own clocks, how often it did, and why as a profile must say it: kind, state, idle (0 or 1),
 * system call, object; '*' at an object's end stands for the rest. What this machine has no means
 * for is left out: "left out", the name, and which of tests/has it lacks.
 *
 * reasons --has FEATURE FOLDER: status 0 where that is there. FEATURE is compat, userfaultfd or
 * disk: FOLDER is on one.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <linux/magic.h>
#include <linux/userfaultfd.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdarg.h>
#include <stdbool.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/vfs.h>
#include <sys/wait.h>

#include "compat.h"
#include "prog.h"

#define WAIT_NS	   15300000
#define TIMES	   16
#define DISK_TIMES 400
#define DISK_BYTES (1 << 20)

static sem_t the_lock;	 /* zeroed data */
static int the_word = 1; /* other data */
static sem_t locks[8];	 /* more than one lock */
static sem_t *heap_lock; /* on the heap */
static int pipe_fd[2], socket_fd[2], event_fd, timer_fd, tty_fd, master_fd, fifo_fd, fifo_end;
static int epoll_fd, disk_fd, mapped_fd, lock_fd, lock_end, semaphores, fault_fd;
static pid_t child;
static volatile char *pages; /* nobody's yet: their faults wait for the helper */
static size_t page;
static char *block; /* where a disk is read to */
static bool has_disk, has_faults;
static volatile char *mapped;
static char folder[4096];

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static void fail(const char *what)
{
	perror(what);
	_exit(1);
}

/* --- waits -------------------------------------------------------------------------------- */

static void get_byte(int fd)
{
	char c;

	if (read(fd, &c, 1) != 1)
		fail("read");
}

FRAME static void r_lock(void)
{
	sem_wait(&the_lock);
}

FRAME static void r_locks(void)
{
	sem_wait(&locks[3]);
}

FRAME static void r_heap(void)
{
	sem_wait(heap_lock);
}

FRAME static void r_word(void)
{
	const struct timespec t = {.tv_nsec = WAIT_NS};

	syscall(SYS_futex, &the_word, FUTEX_WAIT_PRIVATE, 1, &t, NULL, 0);
}

FRAME static void r_pipe(void)
{
	get_byte(pipe_fd[0]);
}

FRAME static void r_fifo(void)
{
	get_byte(fifo_fd);
}

FRAME static void r_socket(void)
{
	char c;

	if (recv(socket_fd[0], &c, 1, 0) != 1)
		fail("recv");
}

FRAME static void r_device(void)
{
	char line[8];

	if (read(tty_fd, line, sizeof(line)) <= 0)
		fail("tty");
}

FRAME static void r_event(void)
{
	uint64_t n;

	if (read(event_fd, &n, sizeof(n)) != sizeof(n))
		fail("eventfd");
}

FRAME static void r_timer(void)
{
	const struct itimerspec t = {.it_value.tv_nsec = WAIT_NS};
	uint64_t n;

	if (timerfd_settime(timer_fd, 0, &t, NULL) || read(timer_fd, &n, sizeof(n)) != sizeof(n))
		fail("timerfd");
}

static int open_in(const char *name, int flags)
{
	char path[sizeof(folder) + 16];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	fd = open(path, flags | O_CLOEXEC, 0600);
	if (fd < 0)
		fail(path);
	return fd;
}

FRAME static void r_file_lock(void)
{
	if (flock(lock_fd, LOCK_EX) || flock(lock_fd, LOCK_UN))
		fail("flock");
}

/* What it waited for is closed as soon as the wait is over. */
FRAME static void r_closed(void)
{
	int fd = open_in("lock", O_RDWR);

	if (flock(fd, LOCK_EX) || close(fd))
		fail("flock of a file that is closed");
}

FRAME static void r_disk(void)
{
	if (pread(disk_fd, block, DISK_BYTES, 0) != DISK_BYTES)
		fail("disk");
}

FRAME static void r_poll(void)
{
	struct pollfd p = {.fd = pipe_fd[0], .events = POLLIN};

	poll(&p, 1, WAIT_NS / 1000000);
}

FRAME static void r_poll_many(void)
{
	struct pollfd p[2] = {{.fd = pipe_fd[0], .events = POLLIN},
			      {.fd = socket_fd[0], .events = POLLIN}};

	poll(p, 2, WAIT_NS / 1000000);
}

FRAME static void r_select(void)
{
	struct timeval t = {.tv_usec = WAIT_NS / 1000};

	select(0, NULL, NULL, NULL, &t);
}

FRAME static void r_epoll(void)
{
	struct epoll_event e;

	epoll_wait(epoll_fd, &e, 1, WAIT_NS / 1000000);
}

FRAME static void r_sleep(void)
{
	usleep(WAIT_NS / 1000);
}

/* By a system call of i386, whose numbers and registers are others. */
FRAME static void r_compat(void)
{
	int *t = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT,
		      -1, 0);

	if (t == MAP_FAILED)
		fail("mmap");
	t[0] = 0;
	t[1] = WAIT_NS;
	if (compat_call(162 /* nanosleep */, t))
		fail("nanosleep of i386");
	munmap(t, 4096);
}

FRAME static void r_child(void)
{
	waitpid(child, NULL, 0);
}

FRAME static void r_signal(void)
{
	const struct timespec t = {.tv_nsec = WAIT_NS};
	sigset_t none;

	sigemptyset(&none);
	sigaddset(&none, SIGUSR2);
	sigtimedwait(&none, NULL, &t);
}

FRAME static void r_message(void)
{
	const struct timespec t = {.tv_nsec = WAIT_NS};
	struct sembuf down = {.sem_op = -1};

	semtimedop(semaphores, &down, 1, &t);
}

FRAME static void r_fault(void)
{
	pages[page] = 1;
}

/* The kernel's own fault, when it writes what it has read. */
FRAME static void r_fault_in_read(void)
{
	if (read(pipe_fd[0], (char *)pages + page, 1) != 1)
		fail("read");
}

FRAME static char r_fault_disk(void)
{
	return mapped[page % DISK_BYTES];
}

static void fault_disk(void)
{
	(void)r_fault_disk();
}

/* Another thread takes the CPU from it. */
FRAME static void r_spin(void)
{
	spin_for(0.2);
}

/* --- a thread that wakes the other one ---------------------------------------------------- */

static void put_byte(int fd)
{
	if (write(fd, "\n", 1) != 1)
		fail("write");
}

static void wake_lock(void)
{
	sem_post(&the_lock);
}
static void wake_locks(void)
{
	sem_post(&locks[3]);
}
static void wake_heap(void)
{
	sem_post(heap_lock);
}
static void wake_pipe(void)
{
	put_byte(pipe_fd[1]);
}
static void wake_fifo(void)
{
	put_byte(fifo_end);
}
static void wake_socket(void)
{
	put_byte(socket_fd[1]);
}
static void wake_device(void)
{
	put_byte(master_fd);
}
static void wake_event(void)
{
	eventfd_write(event_fd, 1);
}
static void wake_file_lock(void)
{
	flock(lock_end, LOCK_UN);
}

static void wake_fault(void)
{
	struct uffd_msg m;
	struct uffdio_zeropage zero;

	if (read(fault_fd, &m, sizeof(m)) != sizeof(m))
		fail("userfaultfd");
	usleep(WAIT_NS / 1000);
	zero = (struct uffdio_zeropage){.range = {m.arg.pagefault.address & ~4095ull, 4096}};
	if (ioctl(fault_fd, UFFDIO_ZEROPAGE, &zero))
		fail("UFFDIO_ZEROPAGE");
}

static void prepare_file_lock(void)
{
	flock(lock_end, LOCK_EX);
}
static void prepare_fault(void)
{
	page += 4096;
}

static void prepare_fault_in_read(void)
{
	page += 4096;
	put_byte(pipe_fd[1]);
}

static void prepare_fault_disk(void)
{
	page += 5 * 4096;
	if (mapped)
		munmap((char *)mapped, DISK_BYTES);
	posix_fadvise(mapped_fd, 0, 0, POSIX_FADV_DONTNEED);
	mapped = mmap(NULL, DISK_BYTES, PROT_READ, MAP_SHARED, mapped_fd, 0);
	if (mapped == MAP_FAILED || madvise((char *)mapped, DISK_BYTES, MADV_RANDOM))
		fail("mmap of the disk");
}

static void prepare_child(void)
{
	child = fork();
	if (!child) {
		usleep(WAIT_NS / 1000);
		_exit(0);
	}
}

static void pin(void)
{
	cpu_set_t set;
	int cpu = 0;

	sched_getaffinity(0, sizeof(set), &set);
	while (!CPU_ISSET(cpu, &set))
		cpu++;
	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

static void *spin(void *arg)
{
	pin();
	spin_for(0.3);
	return arg;
}

static void prepare_spin(void)
{
	pthread_t other;

	pin();
	pthread_create(&other, NULL, spin, NULL);
	pthread_detach(other);
}

struct job {
	const char *name;
	void (*wait)(void);
	void (*wake)(void);    /* by the helper; NULL: the wait ends by itself */
	void (*prepare)(void); /* before the wait; may be NULL */
	const char *reason;
	int times;
};

static int orders[2];

static void *help(void *arg)
{
	void (*wake)(void);

	(void)arg;
	while (read(orders[0], &wake, sizeof(wake)) == sizeof(wake)) {
		if (wake != wake_fault)
			usleep(WAIT_NS / 1000);
		wake();
	}
	return NULL;
}

static void say(const char *name, uint64_t ns, int times, const char *reason)
{
	printf("%s\t%lu\t%d\t%s\n", name, ns, times, reason);
	fflush(stdout);
}

/* Time that this thread was not on a CPU. */
static uint64_t off_ns(void)
{
	return now_ns() - (uint64_t)(cpu_s() * 1e9);
}

static unsigned long inode_of(int fd)
{
	struct stat st;

	return fstat(fd, &st) ? 0 : st.st_ino;
}

static void work(const struct job *job)
{
	uint64_t ns = 0;

	for (int i = 0; i < job->times; i++) {
		uint64_t before;

		if (job->prepare)
			job->prepare();
		if (job->wake && write(orders[1], &job->wake, sizeof(job->wake)) < 0)
			fail("orders");
		before = off_ns();
		job->wait();
		ns += off_ns() - before;
	}
	say(job->name, ns, job->times, job->reason);
}

/* --- processes that are stopped ----------------------------------------------------------- */

/* Until the parent lets it go on; the child's own clock is its parent's business. */
FRAME static void r_stopped(void)
{
	raise(SIGSTOP);
}

FRAME static void r_traced(void)
{
	raise(SIGSTOP);
}

/* @stop in a child, which is let go on after a while; prints how long that was. */
static void stop_child(const char *name, void (*stop)(void), bool traced, const char *reason)
{
	uint64_t *ns = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	child = fork();
	if (!child) {
		if (traced)
			ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		*ns = now_ns();
		stop();
		*ns = now_ns() - *ns;
		_exit(0);
	}
	waitpid(child, NULL, WUNTRACED);
	usleep(8 * WAIT_NS / 1000);
	if (traced)
		ptrace(PTRACE_CONT, child, NULL, NULL);
	else
		kill(child, SIGCONT);
	waitpid(child, NULL, 0);
	say(name, *ns, 1, reason);
}

/* --- all together ------------------------------------------------------------------------- */

static void open_files(void)
{
	struct epoll_event none = {0};
	char path[sizeof(folder) + 16];

	snprintf(path, sizeof(path), "%s/fifo", folder);
	if (mkfifo(path, 0600) || pipe(pipe_fd) || pipe(orders) ||
	    socketpair(AF_UNIX, SOCK_STREAM, 0, socket_fd))
		fail("pipes");
	fifo_fd = open_in("fifo", O_RDWR);
	fifo_end = open_in("fifo", O_WRONLY);
	event_fd = eventfd(0, 0);
	timer_fd = timerfd_create(CLOCK_MONOTONIC, 0);
	epoll_fd = epoll_create1(0);
	epoll_ctl(epoll_fd, EPOLL_CTL_ADD, pipe_fd[0], &none);
	master_fd = posix_openpt(O_RDWR | O_NOCTTY);
	if (grantpt(master_fd) || unlockpt(master_fd))
		fail("pty");
	tty_fd = open(ptsname(master_fd), O_RDWR | O_NOCTTY);
	lock_fd = open_in("lock", O_RDWR | O_CREAT);
	lock_end = open_in("lock", O_RDWR);
	semaphores = semget(IPC_PRIVATE, 1, 0600);
	heap_lock = calloc(1, sizeof(*heap_lock));
}

static char *text(const char *format, ...)
{
	char *out;
	va_list args;

	va_start(args, format);
	if (vasprintf(&out, format, args) < 0)
		_exit(1);
	va_end(args);
	return out;
}

static void open_disk(void)
{
	struct statfs s;
	int fd = open_in("disk", O_WRONLY | O_CREAT);

	has_disk = !fstatfs(fd, &s) && s.f_type != TMPFS_MAGIC;
	if (!has_disk)
		return;

	if (posix_memalign((void **)&block, 4096, DISK_BYTES))
		fail("memory");
	memset(block, 1, DISK_BYTES);
	if (write(fd, block, DISK_BYTES) != DISK_BYTES || fsync(fd))
		fail("disk");
	close(fd);
	disk_fd = open(text("%s/disk", folder), O_RDONLY | O_DIRECT | O_CLOEXEC);
	has_disk = disk_fd >= 0;
	mapped_fd = open_in("disk", O_RDONLY);
}

static void open_faults(void)
{
	const size_t bytes = (2 * TIMES + 2) * 4096;
	struct uffdio_api api = {.api = UFFD_API};
	struct uffdio_register range;

	fault_fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC);
	pages = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	range = (struct uffdio_register){.range = {(uintptr_t)pages, bytes},
					 .mode = UFFDIO_REGISTER_MODE_MISSING};
	has_faults = fault_fd >= 0 && !ioctl(fault_fd, UFFDIO_API, &api) &&
		     !ioctl(fault_fd, UFFDIO_REGISTER, &range);
}

/* What the job needs and this machine lacks, by its name in tests/has. NULL: nothing. */
static const char *lacking(const char *job)
{
	if (!has_disk && strstr(job, "_disk"))
		return "disk";
	if (!has_faults && (!strcmp(job, "r_fault") || !strcmp(job, "r_fault_in_read")))
		return "userfaultfd";
	return strcmp(job, "r_compat") || has_compat() ? NULL : "compat";
}

static void work_all(void)
{
	const struct job jobs[] = {
		{"r_lock", r_lock, wake_lock, NULL, "lock\tS\t0\tfutex\treasons:the_lock", TIMES},
		{"r_locks", r_locks, wake_locks, NULL, "lock\tS\t0\tfutex\treasons:locks+0x60",
		 TIMES},
		{"r_word", r_word, NULL, NULL, "lock\tS\t0\tfutex\treasons:the_word", TIMES},
		{"r_heap", r_heap, wake_heap, NULL, "lock\tS\t0\tfutex\t[heap]+0x*", TIMES},
		{"r_pipe", r_pipe, wake_pipe, NULL,
		 text("pipe\tS\t0\tread\tpipe:[%lu]", inode_of(pipe_fd[0])), TIMES},
		{"r_fifo", r_fifo, wake_fifo, NULL, text("pipe\tS\t0\tread\t%s/fifo", folder),
		 TIMES},
		{"r_socket", r_socket, wake_socket, NULL,
		 text("socket\tS\t0\trecvfrom\tsocket:[%lu]", inode_of(socket_fd[0])), TIMES},
		{"r_device", r_device, wake_device, NULL,
		 text("device\tS\t0\tread\t%s", ptsname(master_fd)), TIMES},
		{"r_event", r_event, wake_event, NULL,
		 "descriptor\tS\t0\tread\tanon_inode:[eventfd]", TIMES},
		{"r_timer", r_timer, NULL, NULL, "descriptor\tS\t0\tread\tanon_inode:[timerfd]",
		 TIMES},
		{"r_file_lock", r_file_lock, wake_file_lock, prepare_file_lock,
		 text("file lock\tS\t0\tflock\t%s/lock", folder), TIMES},
		{"r_closed", r_closed, wake_file_lock, prepare_file_lock,
		 text("file lock\tS\t0\tflock\t*/%s/lock", basename(folder)), TIMES},
		{"r_disk", r_disk, NULL, NULL, text("disk\tD\t0\tpread64\t%s/disk", folder),
		 DISK_TIMES},
		{"r_poll", r_poll, NULL, NULL,
		 text("poll\tS\t1\tpoll\tpipe:[%lu]", inode_of(pipe_fd[0])), TIMES},
		{"r_poll_many", r_poll_many, NULL, NULL, "poll\tS\t1\tpoll\t", TIMES},
		{"r_select", r_select, NULL, NULL, "poll\tS\t1\tpselect6\t", TIMES},
		{"r_epoll", r_epoll, NULL, NULL, "epoll\tS\t1\tepoll_wait\t", TIMES},
		{"r_sleep", r_sleep, NULL, NULL, "sleep\tS\t1\tclock_nanosleep\t", TIMES},
		{"r_compat", r_compat, NULL, NULL, "sleep\tS\t1\tnanosleep\t", TIMES},
		{"r_child", r_child, NULL, prepare_child, "child\tS\t0\twait4\t", TIMES},
		{"r_signal", r_signal, NULL, NULL, "signal\tS\t1\trt_sigtimedwait\t", TIMES},
		{"r_message", r_message, NULL, NULL, "message\tS\t0\tsemtimedop\t", TIMES},
		{"r_fault", r_fault, wake_fault, prepare_fault, "page fault\t*\t0\t\t", TIMES},
		{"r_fault_in_read", r_fault_in_read, wake_fault, prepare_fault_in_read,
		 "page fault\t*\t0\tread\t", TIMES},
		{"r_fault_disk", fault_disk, NULL, prepare_fault_disk, "page fault, disk\tD\t0\t\t",
		 4 * DISK_TIMES},
		{"r_spin", r_spin, NULL, prepare_spin, "runnable\tR\t0\t\t", 1},
	};

	for (size_t i = 0; i < sizeof(jobs) / sizeof(*jobs); i++) {
		const char *lack = lacking(jobs[i].name);

		if (lack)
			printf("left out\t%s\t%s\n", jobs[i].name, lack);
		else
			work(&jobs[i]);
	}
}

static bool has(const char *feature)
{
	if (!strcmp(feature, "compat"))
		return has_compat();
	open_disk();
	open_faults();
	unlink(text("%s/disk", folder));
	return strcmp(feature, "disk") ? has_faults : has_disk;
}

int main(int argc, char **argv)
{
	pthread_t helper;

	if (argc < 2 || !realpath(argv[argc - 1], folder))
		fail("usage: reasons [--has FEATURE] FOLDER");
	if (argc == 4)
		return !has(argv[2]);
	open_files();
	open_disk();
	open_faults();
	wait_for_line();
	pthread_create(&helper, NULL, help, NULL);
	work_all();
	stop_child("r_stopped", r_stopped, false, "stopped\tT\t0\t\t");
	stop_child("r_traced", r_traced, true, "traced\tt\t0\t\t");
	semctl(semaphores, 0, IPC_RMID);
	return 0;
}
