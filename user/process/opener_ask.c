/* The asking side of the opener: see opener.h. */

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/packet.h"
#include "process/mounts.h"
#include "process/opener.h"
#include "process/opener_wire.h"
#include "process/procfs.h"

/* How long a key that timed out is refused; doubled each time, up to MOST_DOUBLE times. */
#define REFUSE_NS   (10ull * 1000000000)
#define MOST_DOUBLE 6
/* So many requests for one user may time out before all of that user's are refused. */
#define USER_TIMES 2

enum { KEY_DEVICE = 1, KEY_PROCESS, KEY_USER };

static uint64_t key_of(uint64_t kind, uint64_t what)
{
	return hash_two(kind, what) | 1;
}

static uint64_t refusal_user(uint32_t pid)
{
	_free_ char *path = mem_printf("/proc/%u", pid);
	struct stat st;

	return pid && !stat(path, &st) ? key_of(KEY_USER, st.st_uid) : 0;
}

static struct opener_refusal *find_refusal(struct opener_shared *s, uint64_t key)
{
	for (size_t i = 0; key && i < OPENER_REFUSED; i++)
		if (atomic_load(&s->refused[i].key) == key)
			return &s->refused[i];
	return NULL;
}

/* Refuses the key from now on, since a request for it has timed out. */
static void refusal_add(struct opener_shared *s, uint64_t key, uint64_t now_ns)
{
	struct opener_refusal *r = find_refusal(s, key);
	uint32_t times;

	if (!key)
		return;
	if (!r) {
		r = &s->refused[atomic_fetch_add(&s->refused_n, 1) % OPENER_REFUSED];
		atomic_store(&r->times, 0);
		atomic_store(&r->key, key);
	}
	times = atomic_fetch_add(&r->times, 1);
	atomic_store(&r->until_ns,
		     now_ns + (REFUSE_NS << (times < MOST_DOUBLE ? times : MOST_DOUBLE)));
}

static bool is_refused(struct opener_shared *s, uint64_t key, uint32_t times)
{
	const struct opener_refusal *r = find_refusal(s, key);

	return r && atomic_load(&r->times) >= times &&
	       clock_ns(CLOCK_MONOTONIC) < atomic_load(&r->until_ns);
}

/* Keys for the table of refusals; 0: nothing to blame. */
static uint64_t refusal_device(uint32_t major, uint32_t minor)
{
	return major || minor ? key_of(KEY_DEVICE, (uint64_t)major << 32 | minor) : 0;
}

static uint64_t refusal_process(const struct opener_request *r)
{
	return key_of(KEY_PROCESS, (uint64_t)r->pid << 8 | r->what);
}

/* Whether the request is refused. Nearly always the table is empty, and no key is computed. */
static bool refusal_holds(struct opener_shared *s, const struct opener_request *r)
{
	if (!atomic_load(&s->refused_n))
		return false;
	return is_refused(s, refusal_device(r->device_major, r->device_minor), 1) ||
	       (r->pid && is_refused(s, refusal_process(r), 1)) ||
	       is_refused(s, refusal_user(r->pid), USER_TIMES);
}

/* How often the state of a pending request is checked. */
#define POLL_MS 50

/* --- helpers --------------------------------------------------------------------------------- */

static void send_order(const struct opener *o, char what)
{
	while (send(o->control, &what, 1, MSG_NOSIGNAL | MSG_DONTWAIT) < 0 && errno == EINTR)
		;
}

/* The helper that has the request; NULL: none has. */
static struct opener_slot *slot_of(const struct opener *o, uint32_t number)
{
	for (size_t i = 0; i < OPENER_HELPERS; i++) {
		struct opener_slot *s = &o->shared->slots[i];

		if (atomic_load(&s->state) == OPENER_BUSY &&
		    atomic_load(&s->request) == ((uint64_t)o->channel << 32 | number))
			return s;
	}
	return NULL;
}

static bool give_up(const struct opener *o, struct opener_slot *s)
{
	uint32_t busy = OPENER_BUSY;

	if (!atomic_compare_exchange_strong(&s->state, &busy, OPENER_GIVEN_UP))
		return false;
	send_order(o, OPENER_END);
	return true;
}

static bool is_stuck(const struct opener_slot *s, uint64_t now_ns)
{
	const uint64_t since = atomic_load(&s->since_ns);

	return since < now_ns && now_ns - since > OPENER_STUCK_NS;
}

/* Whether the helper runs, or waits for a processor: no mount keeps it waiting. */
static bool is_runnable(const struct opener_slot *s)
{
	const pid_t pid = atomic_load(&s->pid);
	_free_ char *status = pid > 0 ? procfs_status((uint32_t)pid) : NULL;
	const char *state = status ? procfs_field(status, "State") : NULL;

	return state && state[0] == 'R';
}

/* Whether a helper would take a request if it got a processor. */
static bool is_any_runnable(const struct opener *o)
{
	for (size_t i = 0; i < OPENER_HELPERS; i++) {
		const struct opener_slot *s = &o->shared->slots[i];
		const uint32_t state = atomic_load(&s->state);

		if ((state == OPENER_IDLE || state == OPENER_BUSY) && is_runnable(s))
			return true;
	}
	return false;
}

/* Makes sure that a helper is free for the next request; starts one if all are busy. Gives up stuck
 * helpers, whichever process they work for. False: all helpers are stuck. */
static bool ensure_helper(const struct opener *o)
{
	const uint64_t now = clock_ns(CLOCK_MONOTONIC);
	bool is_any = false, is_room = false;

	for (size_t i = 0; i < OPENER_HELPERS; i++) {
		struct opener_slot *s = &o->shared->slots[i];
		uint32_t state = atomic_load(&s->state);

		if (state == OPENER_IDLE)
			return true;
		if (state == OPENER_BUSY && is_stuck(s, now - OPENER_STUCK_NS) && !is_runnable(s) &&
		    give_up(o, s))
			state = OPENER_GIVEN_UP;
		is_room |= state == OPENER_NONE;
		is_any |= state == OPENER_BUSY;
	}
	if (is_room)
		send_order(o, OPENER_MORE);
	return is_any || is_room;
}

/* --- the channel ------------------------------------------------------------------------------ */

static bool has_channel(struct opener *o)
{
	int ends[2];

	if (o->mine == getpid())
		return true;
	/* We are a child: the answers to our parent are not ours, and its descriptor numbers may be
	 * reused. */
	if (o->mine)
		vec_release(&o->asked);
	o->mine = 0;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends))
		return false;
	o->answers = ends[0];
	o->theirs = ends[1];
	o->channel = atomic_fetch_add(&o->shared->channels, 1) + 1;
	o->numbers = 0;
	o->mine = getpid();
	return true;
}

static bool send_request(struct opener *o, const struct opener_request *r)
{
	const int files[2] = {o->theirs, r->root_fd};
	const char *path = r->path ? r->path : "";
	struct opener_message m;
	struct iovec part = {&m, offsetof(struct opener_message, path) + strlen(path) + 1};

	if (strlen(path) >= sizeof(m.path) || (r->home && strlen(r->home) >= sizeof(m.home)))
		return false;
	memset(&m, 0, offsetof(struct opener_message, path));
	m.number = ++o->numbers;
	m.channel = o->channel;
	m.what = r->what;
	m.pid = r->pid;
	m.start = r->start;
	m.end = r->end;
	m.bytes_most = r->bytes_most;
	m.root = r->root_fd >= 0 ? 0 : r->root_fd;
	m.no_links = r->no_links;
	m.folder = r->folder;
	if (r->home)
		strcpy(m.home, r->home);
	m.sent_ns = clock_ns(CLOCK_MONOTONIC);
	m.has_owner = r->as != NULL;
	if (r->as)
		m.owner = *r->as;
	strcpy(m.path, path);
	return !packet_try(o->requests, &part, 1, files, r->root_fd >= 0 ? 2 : 1);
}

/* --- answers ---------------------------------------------------------------------------------- */

/* Reads a text that came in a file, with checks: the helper is ours, but what it read is not. */
static void read_text(struct opener_answer *a, const struct opener_reply *r, int file)
{
	const size_t n = r->text_bytes;
	ssize_t got;

	a->text = mem_zalloc(n + 1, 1);
	got = file_get_at(file, a->text, n, 0);
	close(file);
	if (got == (ssize_t)n) {
		a->text_bytes = n;
		return;
	}
	free(a->text);
	a->text = NULL;
	a->rc = got < 0 ? (int)got : -EIO;
}

/* @n: bytes of the packet, or -EPROTO if its file could not be received. @file: -1 for none. */
static void unpack(const struct opener *o, ssize_t n, int file, struct opener_answer *a)
{
	struct opener_reply r;
	size_t text = (size_t)n - sizeof(r);

	memcpy(&r, o->room, sizeof(r));
	*a = (struct opener_answer){.rc = r.rc,
				    .fd = -1,
				    .is_copy = r.is_copy,
				    .device_major = r.device_major,
				    .device_minor = r.device_minor,
				    .inode = r.inode,
				    .bytes = r.bytes,
				    .uid = r.uid,
				    .mode = r.mode,
				    .links = r.links};
	if (n < 0 || (r.text_in_file && file < 0)) {
		a->rc = a->rc ? a->rc : -EMFILE;
		return;
	}
	if (r.text_in_file) {
		read_text(a, &r, file);
		return;
	}
	a->fd = file;
	if (!text)
		return;
	a->text = mem_zalloc(text + 1, 1);
	memcpy(a->text, o->room + sizeof(r), text);
	a->text_bytes = text;
}

/* Receives the next answer, to any request. Returns the request's number, 0: none is there. */
static uint32_t receive(struct opener *o, struct opener_answer *a)
{
	const size_t room = sizeof(struct opener_reply) + OPENER_TEXT;
	int files[PACKET_FDS];
	struct opener_reply r;
	size_t n_files;
	ssize_t n;

	if (!o->room)
		o->room = mem_zalloc(room, 1);
	memset(o->room, 0, sizeof(r));
	n = packet_receive(o->answers, o->room, room, files, &n_files, MSG_DONTWAIT);
	if (n != -EPROTO && n < (ssize_t)sizeof(r))
		return 0;
	memcpy(&r, o->room, sizeof(r));
	unpack(o, n, n_files ? files[0] : -1, a);
	return r.number;
}

static struct asked *find_asked(struct opener *o, uint32_t number)
{
	for (size_t i = 0; i < o->asked.n; i++)
		if (o->asked.at[i].number == number)
			return &o->asked.at[i];
	return NULL;
}

static void forget(struct opener *o, struct asked *q)
{
	*q = o->asked.at[--o->asked.n];
}

/* Stores all answers received so far with their requests, and drops those of forgotten requests. */
static void receive_all(struct opener *o)
{
	struct opener_answer a;
	uint32_t number;

	while ((number = receive(o, &a))) {
		struct asked *q = find_asked(o, number);

		if (!q || q->answered) {
			opener_answer_release(o, &a);
			continue;
		}
		q->answer = a;
		q->answered = true;
	}
}

static void blame(struct opener *o, const struct asked *q, struct opener_slot *s, uint64_t now_ns)
{
	const uint64_t device = s ? atomic_load(&s->device) : 0;

	refusal_add(o->shared, q->device, now_ns);
	if (device)
		refusal_add(o->shared, refusal_device((uint32_t)(device >> 32), (uint32_t)device),
			    now_ns);
	else
		refusal_add(o->shared, q->process, now_ns);
	refusal_add(o->shared, refusal_user(q->pid), now_ns);
	atomic_fetch_add(&o->shared->timed_out, 1);
}

static uint64_t limit_ns(const struct opener *o)
{
	return !o->goes_on || o->goes_on(o->context) ? OPENER_WHOLE_NS : OPENER_HURRY_NS;
}

/* The same for a request that no helper has taken yet. On a busy machine helpers wait long for a
 * processor. */
static int judge_queued(const struct opener *o, uint64_t waited_ns)
{
	if (waited_ns >= OPENER_QUEUE_NS && (waited_ns >= limit_ns(o) || !is_any_runnable(o)))
		return -EBUSY;
	return ensure_helper(o) ? -EINPROGRESS : -EBUSY;
}

/* -EINPROGRESS: an answer may still come. */
static int judge(struct opener *o, const struct asked *q)
{
	const uint64_t now = clock_ns(CLOCK_MONOTONIC), waited_ns = now - q->sent_ns;
	struct opener_slot *s = slot_of(o, q->number);

	if (!s)
		return judge_queued(o, waited_ns);
	if (waited_ns < limit_ns(o) && (!is_stuck(s, now) || is_runnable(s)))
		return -EINPROGRESS;
	blame(o, q, s, now);
	/* It may have answered just now. */
	return give_up(o, s) ? -ETIMEDOUT : -EINPROGRESS;
}

/* --- for callers ------------------------------------------------------------------------------ */

/* Sends a request without waiting. Returns its number, or 0 if *a already has the answer.
 * opener_take() waits @wait_ms at most, and returns true when the answer is there or the time limit
 * is reached; then the number is invalid. */
static uint32_t opener_begin(struct opener *o, const struct opener_request *r,
			     struct opener_answer *a)
{
	struct asked *q;

	*a = (struct opener_answer){.rc = -EBUSY, .fd = -1};
	if (!o) {
		struct mounts *mounts = mounts_new();
		int rest;

		opener_do(mounts, r, NULL, NULL, a, &rest);
		if (rest >= 0)
			close(rest);
		mounts_free(mounts);
		return 0;
	}
	atomic_fetch_add(&o->shared->asked, 1);
	if (refusal_holds(o->shared, r) || !has_channel(o) || !ensure_helper(o) ||
	    !send_request(o, r)) {
		atomic_fetch_add(&o->shared->refusals, 1);
		return 0;
	}
	q = vec_add(&o->asked);
	*q = (struct asked){.number = o->numbers,
			    .sent_ns = clock_ns(CLOCK_MONOTONIC),
			    .device = refusal_device(r->device_major, r->device_minor),
			    .process = refusal_process(r),
			    .pid = r->pid};
	return o->numbers;
}

/* True: the request has ended, with *@rc. */
static bool has_ended(struct opener *o, uint32_t number, int *rc)
{
	const struct asked *q;

	receive_all(o);
	q = find_asked(o, number);
	if (!q)
		*rc = -EBUSY;
	else if (q->answered)
		*rc = 0;
	else
		*rc = judge(o, q);
	return *rc != -EINPROGRESS;
}

static bool opener_take(struct opener *o, uint32_t number, int wait_ms, struct opener_answer *a)
{
	const uint64_t until = clock_ns(CLOCK_MONOTONIC) + (uint64_t)wait_ms * 1000000;
	struct asked *q;
	int rc;

	*a = (struct opener_answer){.rc = -EBUSY, .fd = -1};
	if (!has_channel(o))
		return true;
	while (!has_ended(o, number, &rc)) {
		struct pollfd p = {.fd = o->answers, .events = POLLIN};
		const uint64_t now = clock_ns(CLOCK_MONOTONIC);
		const uint64_t left_ms = now < until ? (until - now + 999999) / 1000000 : 0;

		if (!left_ms)
			return false;
		(void)poll(&p, 1, left_ms < POLL_MS ? (int)left_ms : POLL_MS);
	}
	q = find_asked(o, number);
	if (!q)
		return true;
	if (q->answered)
		*a = q->answer;
	else
		a->rc = rc;
	forget(o, q);
	return true;
}

void opener_set_patience(struct opener *o, bool (*goes_on)(void *), void *context)
{
	if (!o)
		return;
	o->goes_on = goes_on;
	o->context = context;
}

bool opener_is_silent(int rc)
{
	return rc == -ETIMEDOUT || rc == -EBUSY;
}

int opener_ask(struct opener *o, const struct opener_request *r, struct opener_answer *a)
{
	const uint32_t number = opener_begin(o, r, a);

	while (number && !opener_take(o, number, POLL_MS, a))
		;
	return a->rc;
}

void opener_close(struct opener *o, int fd)
{
	struct stat st;

	if (fd < 0)
		return;
	/* Only copies are sealed. */
	if (o && fcntl(fd, F_GET_SEALS) > F_SEAL_SEAL && !fstat(fd, &st))
		atomic_fetch_sub(&o->shared->kept_bytes, (uint64_t)st.st_blocks * 512);
	close(fd);
}

void opener_answer_release(struct opener *o, struct opener_answer *a)
{
	opener_close(o, a->fd);
	free(a->text);
	*a = (struct opener_answer){.fd = -1};
}

void opener_stats(const struct opener *o, struct opener_stats *out)
{
	*out = (struct opener_stats){0};
	if (!o)
		return;
	out->asked = atomic_load(&o->shared->asked);
	out->timed_out = atomic_load(&o->shared->timed_out);
	out->refused = atomic_load(&o->shared->refusals);
	out->copied = atomic_load(&o->shared->copied);
	out->copied_bytes = atomic_load(&o->shared->copied_bytes);
	out->too_large = atomic_load(&o->shared->too_large);
	for (size_t i = 0; i < OPENER_HELPERS; i++)
		out->stuck += atomic_load(&o->shared->slots[i].state) == OPENER_GIVEN_UP;
}
