#include "sandbox/sandbox.h"

#include <errno.h>
#include <limits.h>
#include <linux/capability.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/child.h"
#include "base/err.h"
#include "base/mem.h"
#include "broker/agent.h"
#include "broker/broker.h"
#include "confine/callfilter.h"
#include "confine/confine.h"
#include "confine/rules.h"
#include "sandbox/exporter.h"
#include "store/store.h"

/*
 * No honest work comes near these. One profile may take 4 GiB (store/reader.h); a page of 500,000
 * nodes takes a tenth of that.
 */
#define MEMORY_BYTES (8ull << 30)
#define FILE_BYTES   (16ull << 30)
#define CPU_S	     600
#define CPU_S_A_FILE 10

char *sandbox_text(void)
{
	const int version = rules_version();
	const char *calls = callfilter_is_there() ? "seccomp" : "no seccomp (not in this kernel)";

	return version ? mem_printf("sandbox: %s, landlock %d", calls, version)
		       : mem_printf("sandbox: %s, no landlock (not in this kernel)", calls);
}

/* --- in the child ----------------------------------------------------------------------------- */

/* What a shell left open is none of its business; where the command line names such a one
 * (/dev/fd/63), the broker opens it. */
static void close_others(int socket)
{
	if (socket > STDERR_FILENO + 1)
		syscall(SYS_close_range, STDERR_FILENO + 1, socket - 1, 0);
	syscall(SYS_close_range, socket + 1, ~0u, 0);
}

static int enter(const struct allowed *s, int socket)
{
	const struct confine_terms terms = {
		.kind = CONFINE_REPORT,
		.socket = socket,
		.memory_bytes = MEMORY_BYTES,
		.file_bytes = FILE_BYTES,
		.cpu_s = CPU_S + CPU_S_A_FILE * (unsigned int)s->files.n,
	};
	int rc;

	close_others(socket);
	/* Here, and not in the broker, which needs none of it. */
	rc = store_library_load();
	if (!rc)
		rc = confine_enter(&terms);
	if (!rc)
		agent_begin(socket, true);
	return rc;
}

/* --- in the parent ---------------------------------------------------------------------------- */

static const int of_broker[] = {CAP_CHOWN, CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH, CAP_FOWNER,
				CAP_KILL,  CAP_SETGID,	     CAP_SETUID};

/* Of root's capabilities keeps those for opening and making files, for the exporter to become
 * nobody, and for ending what runs. */
static void keep_rights(void)
{
	struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct all[2];
	uint32_t keep[2] = {0};

	if (syscall(SYS_capget, &head, all))
		return;
	for (size_t i = 0; i < sizeof(of_broker) / sizeof(*of_broker); i++)
		keep[CAP_TO_INDEX(of_broker[i])] |= CAP_TO_MASK(of_broker[i]);
	for (int i = 0; i < 2; i++) {
		all[i].permitted &= keep[i];
		all[i].effective &= keep[i];
		all[i].inheritable = 0;
	}
	(void)!syscall(SYS_capset, &head, all);
}

/* The one program, on what may be read. */
static int start_exporter(struct broker *b, const struct request *r, const int *fds, int *out,
			  pid_t *child)
{
	const struct allowed_file *f = allowed_find(b->allowed, r->path, ALLOWED_TO_READ);

	(void)fds;
	if (!f)
		return err(-EACCES,
			   "cannot run " EXPORTER " on '%s': the command line does not name it",
			   r->path);
	return exporter_start(f->path, &b->mask, out, child);
}

/* The signals that end a command from outside, unless they were to be ignored. */
static void blocked_set(sigset_t *set)
{
	static const int all[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
	struct sigaction now;

	sigemptyset(set);
	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		if (!sigaction(all[i], NULL, &now) && now.sa_handler != SIG_IGN)
			sigaddset(set, all[i]);
}

/* Serves until the child has closed its end; the signal that came, or 0. */
static int serve(struct broker *b, int signals)
{
	struct pollfd p[] = {{.fd = b->socket, .events = POLLIN},
			     {.fd = signals, .events = POLLIN}};
	struct signalfd_siginfo info;

	for (;;) {
		const int came = poll(p, 2, -1);

		if (came < 0 && errno == EINTR)
			continue;
		if (came < 0)
			return 0;
		if (p[1].revents && read(signals, &info, sizeof(info)) == sizeof(info))
			return (int)info.ssi_signo;
		if (p[0].revents && !broker_serve(b, b->socket))
			return 0;
	}
}

/* Ends as the child did, or by what was sent to end us. */
static void end_by(int signal_number, const sigset_t *mask)
{
	const struct rlimit none = {0, 0};

	setrlimit(RLIMIT_CORE, &none);
	signal(signal_number, SIG_DFL);
	sigprocmask(SIG_SETMASK, mask, NULL);
	raise(signal_number);
}

static enum sandbox_side tell_crash(const struct broker *b, int signal_number)
{
	const char *what = ending_text(signal_number);

	if (!b->reading[0])
		err(-EIO, "%s: this is a fault of eprof-render, nothing was written", what);
	else if (signal_number == SIGXCPU)
		err(-EIO, "'%s' is damaged: reading it %s", b->reading, what);
	else
		err(-EIO, "'%s' is damaged: reading it %s; capture or copy it again", b->reading,
		    what);
	return SANDBOX_FAILED;
}

/* Until it has ended, which its last file may be in the way of, or a signal came: that, or 0. */
static int await_end(pid_t child, int signals)
{
	_close_ int fd = pidfd_open(child, 0);
	struct pollfd p[] = {{.fd = fd, .events = POLLIN}, {.fd = signals, .events = POLLIN}};
	struct signalfd_siginfo info;

	while (fd >= 0 && poll(p, 2, -1) < 0 && errno == EINTR)
		;
	return fd >= 0 && !p[0].revents && read(signals, &info, sizeof(info)) == sizeof(info)
		       ? (int)info.ssi_signo
		       : 0;
}

static enum sandbox_side supervise(struct broker *b, pid_t child, const sigset_t *blocked,
				   int *status)
{
	const int signals = signalfd(-1, blocked, SFD_CLOEXEC);
	int sent = serve(b, signals), how = 0;

	if (!sent)
		sent = await_end(child, signals);
	/* One that is another user's now, and may not be killed, dies with us; as does one that is
	 * in a system call for ever. */
	if (!sent || !kill(child, SIGKILL))
		(void)child_await(child, sent ? 0 : INT_MAX, &how, NULL);
	broker_end(b);
	if (signals >= 0)
		close(signals);
	if (sent)
		end_by(sent, &b->mask);
	if (WIFSIGNALED(how) && ending_is_crash(WTERMSIG(how)))
		return tell_crash(b, WTERMSIG(how));
	if (WIFSIGNALED(how))
		end_by(WTERMSIG(how), &b->mask);
	*status = WIFEXITED(how) ? WEXITSTATUS(how) : 1;
	return SANDBOX_ENDED;
}

enum sandbox_side sandbox_enter(const struct allowed *s, int *status)
{
	struct broker b = {.allowed = s, .start = s->runs_exporter ? start_exporter : NULL};
	sigset_t blocked;
	int ends[2];
	pid_t child;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends)) {
		err(-errno, "cannot make a socket: %s", strerror(errno));
		return SANDBOX_FAILED;
	}
	blocked_set(&blocked);
	sigprocmask(SIG_BLOCK, &blocked, &b.mask);
	child = child_fork();
	if (!child) {
		sigprocmask(SIG_SETMASK, &b.mask, NULL);
		close(ends[0]);
		return enter(s, ends[1]) ? SANDBOX_FAILED : SANDBOX_CHILD;
	}
	close(ends[1]);
	b.socket = ends[0];
	if (child > 0) {
		keep_rights();
		return supervise(&b, child, &blocked, status);
	}
	err(-errno, "cannot start a process: %s", strerror(errno));
	close(ends[0]);
	return SANDBOX_FAILED;
}
