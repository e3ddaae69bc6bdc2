#include "source/turn.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/str.h"

/* How long a window is: the first so short that little is lost when eprof is killed early, each
 * next one longer, since what a window has anew, opening the files of which it met a new place
 * above all, costs some 0.2 to 0.3 s of CPU. */
#define FIRST_NS (20ull * 1000000000)
#define MOST_NS	 (60ull * 1000000000)

/* It ends before its time where so much happens: its memory is bounded. Stacks and threads take
 * some 200 bytes each, and a thread comes with its process and that one's mappings. An image
 * holds a file open, and is forgotten two windows later at the earliest. */
#define LEAST_NS     (5ull * 1000000000)
#define MOST_STACKS  (128u << 10)
#define MOST_THREADS (32u << 10)
#define MOST_IMAGES  2048u

/* The writer gives way to all others for so long. */
#define PATIENCE_NS (5ull * 1000000000)
/* At the end, how often it is looked for. */
#define LOOK_MS 5

static uint64_t next_ns(const struct turn *t)
{
	const uint64_t n = t->file.windows.n + 1;

	if (t->host.length_ns)
		return t->host.length_ns;
	return n * FIRST_NS < MOST_NS ? n * FIRST_NS : MOST_NS;
}

static bool is_due(const struct turn *t, uint64_t now_ns)
{
	const struct intake *in = t->host.in;

	if (now_ns >= t->due_ns)
		return true;
	/* One that failed is not tried again and again. */
	return !t->failed && now_ns >= t->tried_ns + LEAST_NS &&
	       (in->stacks.stacks.n >= MOST_STACKS || procs_count(in->procs) >= MOST_THREADS ||
		images_made(in->images) - t->images >= MOST_IMAGES);
}

void turn_start(struct turn *t, const struct turn_host *host, uint64_t now_ns)
{
	*t = (struct turn){.host = *host, .start_ns = now_ns, .file.names_fd = -1};
	t->tried_ns = now_ns;
	t->due_ns = now_ns + next_ns(t);
	t->images = images_made(host->in->images);
}

static void resend(struct turn *t, uint64_t now_ns)
{
	session_new_epoch(t->host.session);
	t->resent_ns = now_ns;
	t->first_stack = (uint32_t)t->host.in->stacks.stacks.n;
	t->step = TURN_RESENDING;
	/* An error shows again when the capture drains its rings. */
	(void)intake_survey(t->host.in);
}

/* Once is enough: it will be tried again with each window. */
static void fail(struct turn *t)
{
	_free_ char *text =
		mem_printf("%s; the capture goes on, and keeps all in memory", err_text());

	if (!t->failed && t->host.say)
		t->host.say(t->host.context, text);
	t->failed = true;
}

static void begin_writing(struct turn *t)
{
	t->end_ns = t->host.in->settled_ns;
	sources_window_end(t->host.sources);
	t->step = TURN_NONE;
	if (checkpoint_begin(&t->file, t->host.place, &t->host.maker))
		fail(t);
	else
		t->step = TURN_WRITING;
}

static void forget(struct turn *t)
{
	struct intake *in = t->host.in;
	struct remains r = {0};

	for (size_t i = 0; i < in->stacks.stacks.n; i++)
		vec_push(&r.stacks, 0);
	for (size_t i = 0; i < procs_thread_count(in->procs); i++)
		vec_push(&r.threads, 0);
	sources_window_forget(t->host.sources, &r);
	intake_forget(in, &r, t->first_stack, in->side_lost != t->side_lost);
	sources_window_renumber(t->host.sources, &r);
	t->side_lost = in->side_lost;
	remains_release(&r);
}

static void see_writer(struct turn *t, bool wait, uint64_t now_ns)
{
	int error = 0;

	if (wait || now_ns >= t->tried_ns + PATIENCE_NS)
		checkpoint_hurry(&t->file);
	if (checkpoint_busy(&t->file, wait, &t->host.maker, &t->past, &error))
		return;
	t->step = TURN_NONE;
	if (error) {
		fail(t);
		return;
	}
	forget(t);
	t->start_ns = t->end_ns;
	t->failed = false;
}

void turn_tick(struct turn *t, uint64_t now_ns)
{
	if (!t->host.place)
		return;
	if (t->step == TURN_NONE && is_due(t, now_ns)) {
		resend(t, now_ns);
		t->tried_ns = now_ns;
		t->due_ns = now_ns + next_ns(t);
		t->images = images_made(t->host.in->images);
	} else if (t->step == TURN_RESENDING && t->host.in->settled_ns > t->resent_ns) {
		begin_writing(t);
	} else if (t->step == TURN_WRITING) {
		see_writer(t, false, now_ns);
	}
}

void turn_end(struct turn *t, int signal_fd)
{
	struct pollfd p = {.fd = signal_fd, .events = POLLIN};

	/* The signal stays there for the naming that comes after. */
	while (t->step == TURN_WRITING && poll(&p, 1, LOOK_MS) <= 0)
		see_writer(t, false, UINT64_MAX);
	if (t->step == TURN_WRITING) {
		checkpoint_cut_short(&t->file);
		see_writer(t, true, 0);
	}
	t->step = TURN_NONE;
}

bool turn_has_begun(const struct turn *t)
{
	return t->file.report != NULL;
}

bool turn_has_windows(const struct turn *t)
{
	return t->file.windows.n > 0;
}

void turn_release(struct turn *t)
{
	checkpoint_release(&t->file);
}
