#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/mem.h"
#include "confine/capabilities.h"
#include "load/ksyms.h"
#include "process/opener.h"
#include "capture/capture.h"
#include "capture/capture_state.h"

/* How often the loader drains the rings: seldom enough to cost nothing, often enough that they do
 * not overflow and that it still finds the files of a short-lived process. */
#define TICK_NS (200 * 1000 * 1000)

/* By how much the loader lowers its nice value while it loads its programs and opens events. That
 * takes some 50 ms; at normal priority, beside hundreds of busy threads, it would take many
 * seconds. */
#define STARTING 20
/* The same during the capture: a late loader loses the first stacks of new code. It sleeps nearly
 * all the time. */
#define RUNNING 10

/* How often /proc is rescanned for children that were forked meanwhile; the first rescan rarely
 * finds any. */
#define MOST_ROUNDS 8

/* After the end of the capture foreign files are read for at most this long. */
#define READ_AFTER_NS 2000000000u

static const int ending[] = {SIGINT, SIGTERM, SIGHUP};
#define ENDING_SIGNALS (sizeof(ending) / sizeof(*ending))

/* Asks sources that keep only the last of what they record to keep what they have now. */
#define KEEPING SIGUSR2

static sigset_t ending_signals(void)
{
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < ENDING_SIGNALS; i++)
		sigaddset(&set, ending[i]);
	return set;
}

static int block_signals(struct capture *c)
{
	sigset_t set = ending_signals();

	sigaddset(&set, KEEPING);
	sigprocmask(SIG_BLOCK, &set, NULL);
	c->signal_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return c->signal_fd < 0 ? err(-errno, "signalfd: %s", strerror(errno)) : 0;
}

static int watch(struct capture *c, struct capture_watched w)
{
	struct epoll_event e = {.events = EPOLLIN, .data.fd = w.fd};

	if (epoll_ctl(c->epoll_fd, EPOLL_CTL_ADD, w.fd, &e))
		return err(-errno, "epoll: %s", strerror(errno));
	vec_push(&c->watched, w);
	return 0;
}

/* The first signal ends the capture. Later ones stay blocked: however many come, what was captured
 * is saved. KEEPING ends nothing. */
static enum capture_end on_signal(struct capture *c, int fd)
{
	struct signalfd_siginfo info = {0};

	(void)!read(fd, &info, sizeof(info));
	if (info.ssi_signo != KEEPING)
		return CAPTURE_SIGNAL;
	SOURCES_CALL(&c->sources, keep);
	return CAPTURE_RUNNING;
}

/* A process of the target has exited. */
static enum capture_end on_exit_of(struct capture *c, int pidfd)
{
	epoll_ctl(c->epoll_fd, EPOLL_CTL_DEL, pidfd, NULL);
	return ++c->exited < c->o.target->pidfds.n ? CAPTURE_RUNNING : CAPTURE_EXITED;
}

static int watch_all(struct capture *c)
{
	int ret;

	c->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (c->epoll_fd < 0)
		return err(-errno, "epoll: %s", strerror(errno));
	ret = watch(c, (struct capture_watched){c->signal_fd, on_signal});
	if (!ret)
		ret = session_watch(c->session, c->epoll_fd);
	for (size_t i = 0; i < c->o.target->pidfds.n && !ret; i++)
		ret = watch(c, (struct capture_watched){c->o.target->pidfds.at[i], on_exit_of});
	return ret ? ret : sideband_watch(session_sideband(c->session), c->epoll_fd);
}

static uint64_t deadline_of(const struct capture *c)
{
	return c->start_ns && c->o.duration_ns ? c->start_ns + (uint64_t)c->o.duration_ns
					       : UINT64_MAX;
}

/* Whether the time is not over and no signal is pending. The signal is left for loop() to read. */
static bool goes_on(void *context)
{
	const struct capture *c = context;
	struct pollfd p = {.fd = c->signal_fd, .events = POLLIN};

	return clock_ns(CLOCK_MONOTONIC) < deadline_of(c) && poll(&p, 1, 0) == 0;
}

/* Whether foreign files may be read: until a signal comes or the time is over, and for
 * READ_AFTER_NS more, so that the last samples have their stacks. */
static bool reads_on(void *context)
{
	const struct capture *c = context;
	struct pollfd p = {.fd = c->signal_fd, .events = POLLIN};
	const uint64_t until = c->reads_until_ns ? c->reads_until_ns : deadline_of(c);

	return clock_ns(CLOCK_MONOTONIC) < until && poll(&p, 1, 0) == 0;
}

/* Best effort: it needs CAP_SYS_NICE. */
static void hurry(const struct capture *c, int by)
{
	setpriority(PRIO_PROCESS, 0, c->nice - by);
}

/* Children that were forked before we followed their parent are found by rescanning /proc until
 * nothing new appears. The sideband reports those that lose their parent meanwhile. */
static int add_children(struct capture *c)
{
	struct target *t = c->o.target;
	size_t known = t->pids.n;
	int n = 1, ret = 0;

	for (int round = 0; round < MOST_ROUNDS && n > 0 && !ret; round++) {
		n = target_add_children(t);
		for (; known < t->pids.n && !ret; known++)
			ret = session_add(c->session, t->pids.at[known]);
	}
	return n < 0 ? n : ret;
}

static double taken_beside_probes(const void *capture)
{
	const struct capture *c = capture;
	struct taken sum = {0};

	sources_taken_beside_probes(&c->sources, &sum);
	slowdown_events(c->slowdown, &sum);
	return sum.ns;
}

static int open_all(struct capture *c)
{
	const struct session_options o = {.events = c->o.events,
					  .n_events = c->o.n_events,
					  .hz = c->o.hz,
					  .target = c->o.target,
					  .sampler = c->o.sampler,
					  .tick_ns = TICK_NS,
					  .async = c->o.async,
					  .hash_bits = c->o.hash_bits,
					  .table_bytes = c->o.table_bytes};
	struct source_services services = {.opener = c->o.opener,
					   .target = c->o.target,
					   .say = c->o.say,
					   .context = c->o.context,
					   .beside_probes_ns = taken_beside_probes,
					   .capture = c};
	int ret = block_signals(c);

	c->session_options = o;
	c->nice = getpriority(PRIO_PROCESS, 0);
	hurry(c, STARTING);
	sources_init(&c->sources, c->o.sources);
	sinks_init(&c->sinks, c->o.sinks);
	sources_request(&c->sources, &c->session_options);
	if (!ret)
		ret = session_open(&c->session_options, &c->session);
	if (ret)
		return ret;
	services.session = c->session;
	c->reading = (struct crew_wait){reads_on, c};
	opener_set_patience(c->o.opener, reads_on, c);
	ret = intake_init(&c->in, &services, &c->sources, &c->reading);
	if (ret)
		return ret;
	c->ending = (struct crew_wait){goes_on, c};
	c->in.ending = &c->ending;
	ret = session_attach(c->session);
	if (!ret && c->o.target->children)
		ret = add_children(c);
	if (ret)
		return ret;
	hurry(c, RUNNING);
	c->slowdown = slowdown_new(c->session, c->o.events, c->o.n_events, c->o.hz);
	intake_snapshot(&c->in);
	ret = sources_open(&c->sources);
	if (!ret)
		ret = watch_all(c);
	/* The last step that needs the right to load programs is done. */
	if (!ret)
		(void)ksyms_prepare();
	if (!ret)
		ret = capabilities_keep(CAPABILITIES_LOADER);
	/* Before a message says that the capture has begun. */
	if (!ret)
		SOURCES_CALL(&c->sources, start);
	return ret;
}

int capture_open(const struct capture_options *o, struct capture **out)
{
	struct capture *c = mem_zalloc(1, sizeof(*c));
	int ret;

	c->o = *o;
	c->status = -1;
	c->epoll_fd = c->signal_fd = -1;
	c->cpu_at_open_ns = capture_loader_cpu_ns(c);
	ret = open_all(c);
	if (ret) {
		capture_free(c);
		return ret;
	}
	*out = c;
	return 0;
}

void capture_free(struct capture *c)
{
	if (!c)
		return;
	opener_set_patience(c->o.opener, NULL, NULL);
	intake_release(&c->in);
	sources_release(&c->sources);
	slowdown_free(c->slowdown);
	session_close(c->session);
	windowing_release(&c->windowing);
	sinks_release(&c->sinks);
	namebook_release(&c->names);
	vec_release(&c->session_options.programs);
	vec_release(&c->session_options.absent);
	vec_release(&c->session_options.paces);
	vec_release(&c->session_options.map_sizes);
	vec_release(&c->watched);
	if (c->epoll_fd >= 0)
		close(c->epoll_fd);
	if (c->signal_fd >= 0)
		close(c->signal_fd);
	free(c);
}

static void reap_command(struct capture *c)
{
	int status;

	if (c->o.target->kind == TARGET_COMMAND && c->status < 0 &&
	    waitpid((pid_t)c->o.target->pids.at[0], &status, WNOHANG) > 0)
		c->status = status;
}

static enum capture_end ready(struct capture *c, int fd)
{
	for (size_t i = 0; i < c->watched.n; i++)
		if (c->watched.at[i].fd == fd)
			return c->watched.at[i].ready(c, fd);
	return CAPTURE_RUNNING;
}

/* A signal takes precedence over the other ends. */
static enum capture_end wait_for_tick(struct capture *c, uint64_t until_ns)
{
	struct epoll_event events[16];
	uint64_t now = clock_ns(CLOCK_MONOTONIC);
	int timeout = until_ns > now ? (int)((until_ns - now + 999999) / 1000000) : 0;
	int n = epoll_wait(c->epoll_fd, events, 16, timeout);
	enum capture_end end = CAPTURE_RUNNING;

	for (int i = 0; i < n && end != CAPTURE_SIGNAL; i++) {
		const enum capture_end by = ready(c, events[i].data.fd);

		end = by == CAPTURE_RUNNING ? end : by;
	}
	return end;
}

static bool slowdown_so_far(const struct capture *c, struct slowdown_figure *out)
{
	const double ran_ns = slowdown_ran_ns(c->slowdown);
	struct taken sum = {0};

	sources_taken(&c->sources, NULL, &sum);
	slowdown_events(c->slowdown, &sum);
	if (ran_ns > 0)
		*out = slowdown_of(&sum, ran_ns);
	return ran_ns > 0 && sum.ns > 0;
}

static void progress(struct capture *c, capture_progress_fn fn, void *context)
{
	struct slowdown_figure slowdown;
	struct capture_progress p = {.elapsed_ns =
					     (int64_t)(clock_ns(CLOCK_MONOTONIC) - c->start_ns),
				     .own_cpu_ns = capture_loader_cpu_ns(c) - c->cpu_at_start_ns};
	_free_ char *text = NULL;

	if (!fn)
		return;
	p.sources = text = sources_progress(&c->sources);
	p.lost = sources_lost(&c->sources);
	p.slowdown = slowdown_so_far(c, &slowdown) ? &slowdown : NULL;
	fn(context, &p);
}

/* Sources may have work that is due between two ticks. */
static uint64_t wait_until(const struct capture *c, uint64_t tick, uint64_t deadline)
{
	uint64_t until = tick < deadline ? tick : deadline;
	uint64_t due = sources_due_ns(&c->sources);

	return due < until ? due : until;
}

static enum capture_end loop(struct capture *c, capture_progress_fn fn, void *context, int *ret)
{
	uint64_t deadline = deadline_of(c);
	uint64_t tick = c->start_ns + TICK_NS;

	for (;;) {
		enum capture_end end = wait_for_tick(c, wait_until(c, tick, deadline));
		uint64_t now = clock_ns(CLOCK_MONOTONIC);

		if (now >= deadline && end == CAPTURE_RUNNING)
			end = CAPTURE_TIME;
		if (end != CAPTURE_RUNNING)
			return end;
		/* The rings are drained in the next pass. */
		if (sources_round(&c->sources) && now < tick)
			continue;
		*ret = intake_drain(&c->in, false);
		if (*ret)
			return CAPTURE_SIGNAL;
		if (now < tick)
			continue; /* a ring was half full */
		SOURCES_CALL(&c->sources, tick);
		slowdown_tick(c->slowdown);
		progress(c, fn, context);
		session_tick(c->session);
		tables_tick(c->in.tables);
		images_tick(c->in.images);
		windowing_tick(&c->windowing, now);
		tick = now + TICK_NS;
	}
}

/* A command that is slow to start does not end the capture: it is captured once it runs. */
static int start_command(struct capture *c)
{
	const int rc = target_go(c->o.target);

	if (rc > 0 && c->o.say)
		c->o.say(c->o.context, "the command has not started yet: what it needs is on a "
				       "mount that does not answer, or the machine is busy");
	return c->command_error = rc < 0 ? rc : 0;
}

int capture_run(struct capture *c, capture_progress_fn fn, void *context, enum capture_end *end)
{
	int ret, last;

	c->start_ns = clock_ns(CLOCK_MONOTONIC);
	c->start_unix_ns = (int64_t)clock_ns(CLOCK_REALTIME);
	c->cpu_at_start_ns = capture_loader_cpu_ns(c);
	ret = session_start(c->session);
	/* Takes in threads that were created while the events of their siblings were being
	 * opened. */
	if (!ret)
		ret = intake_drain(&c->in, false);
	if (!ret && c->o.target->kind == TARGET_COMMAND)
		ret = start_command(c);
	if (ret)
		return ret;
	capture_start_windows(c);
	*end = loop(c, fn, context, &ret);
	c->loop_end_ns = clock_ns(CLOCK_MONOTONIC);
	c->reads_until_ns = c->loop_end_ns + READ_AFTER_NS;
	SOURCES_CALL(&c->sources, ending);
	if (!ret)
		ret = intake_survey(&c->in);
	slowdown_finish(c->slowdown);
	session_stop(c->session);
	SOURCES_CALL(&c->sources, stop);
	c->end_ns = clock_ns(CLOCK_MONOTONIC);
	c->cpu_at_end_ns = capture_loader_cpu_ns(c);
	last = intake_drain(&c->in, true);
	SOURCES_CALL(&c->sources, drained);
	/* Frees the rings before names are looked up, which needs memory, too. */
	session_drained(c->session);
	hurry(c, 0);
	/* Wait for the command only now: the exit data of a zombie can be read at once. */
	reap_command(c);
	windowing_end(&c->windowing, c->signal_fd);
	/* Must come after windowing_end(), which drops the rows of the window that was being
	 * written. */
	SOURCES_CALL(&c->sources, window_end);
	return ret ? ret : last;
}

char *capture_waiting(const struct capture *c)
{
	return sources_waiting(&c->sources);
}

char *capture_total(const struct capture *c, const struct profile *p)
{
	return sources_total(&c->sources, p);
}

const char *capture_forbidden(const struct capture *c)
{
	return sources_forbidden(&c->sources);
}

int capture_command_status(struct capture *c)
{
	reap_command(c);
	return c->status;
}

int capture_signals(const struct capture *c)
{
	return c->signal_fd;
}

struct images *capture_images(const struct capture *c)
{
	return c->in.images;
}

int capture_command_error(const struct capture *c)
{
	return c->command_error;
}
