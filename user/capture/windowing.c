#include "capture/windowing.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/str.h"

/* Length of windows. The first is short, so that little is lost if eprof is killed early; later
 * ones are longer, since each costs some 0.2 to 0.3 s of CPU, mostly for opening again the files
 * in which it meets new addresses. */
#define FIRST_NS (20ull * 1000000000)
#define MOST_NS	 (60ull * 1000000000)

/* A window ends early when it holds this much, so that its memory is bounded. A stack or thread
 * takes some 200 bytes, and a thread brings its process and mappings. An image keeps a file open,
 * and is forgotten two windows later at the earliest. */
#define LEAST_NS     (5ull * 1000000000)
#define MOST_STACKS  (128u << 10)
#define MOST_THREADS (32u << 10)
#define MOST_IMAGES  2048u

/* For so long the writer runs at low priority. */
#define PATIENCE_NS (5ull * 1000000000)
/* How often windowing_end() polls the writer. */
#define LOOK_MS 5

static uint64_t next_ns(const struct windowing *w)
{
	const uint64_t n = w->writer.windows + 1;

	if (w->host.length_ns)
		return w->host.length_ns;
	return n * FIRST_NS < MOST_NS ? n * FIRST_NS : MOST_NS;
}

static bool is_due(const struct windowing *w, uint64_t now_ns)
{
	const struct intake *in = w->host.in;

	if (now_ns >= w->due_ns)
		return true;
	/* After a failure only the regular end is tried. */
	return !w->failed && now_ns >= w->tried_ns + LEAST_NS &&
	       (in->stacks.stacks.n >= MOST_STACKS || in->procs->tasks.n >= MOST_THREADS ||
		in->images->serial - w->images >= MOST_IMAGES);
}

void windowing_start(struct windowing *w, const struct windowing_host *host, uint64_t now_ns)
{
	*w = (struct windowing){
		.host = *host,
		.start_ns = now_ns,
		.writer = {.maker = host->maker, .sinks = host->sinks, .names_fd = -1}};
	w->tried_ns = now_ns;
	w->due_ns = now_ns + next_ns(w);
	w->images = host->in->images->serial;
}

static void resend(struct windowing *w, uint64_t now_ns)
{
	session_new_epoch(w->host.session);
	w->resent_ns = now_ns;
	w->first_stack = (uint32_t)w->host.in->stacks.stacks.n;
	w->step = WINDOW_RESENDING;
	/* The capture meets the same error when it drains its rings. */
	(void)intake_survey(w->host.in);
}

/* Tells the user once; each further window is tried all the same. */
static void fail(struct windowing *w)
{
	_free_ char *text =
		mem_printf("%s; the capture goes on, and keeps all in memory", err_text());

	if (!w->failed && w->host.say)
		w->host.say(w->host.context, text);
	w->failed = true;
}

static void begin_writing(struct windowing *w)
{
	w->end_ns = w->host.in->settled_ns;
	SOURCES_CALL(w->host.sources, window_end);
	w->step = WINDOW_NONE;
	if (window_writer_begin(&w->writer))
		fail(w);
	else
		w->step = WINDOW_WRITING;
}

static void forget(struct windowing *w)
{
	struct intake *in = w->host.in;
	struct survivors r = {0};

	for (size_t i = 0; i < in->stacks.stacks.n; i++)
		vec_push(&r.stacks, 0);
	for (size_t i = 0; i < in->procs->entries.n; i++)
		vec_push(&r.threads, 0);
	SOURCES_CALL(w->host.sources, window_forget, &r);
	intake_forget(in, &r, w->first_stack, in->side_lost != w->side_lost);
	SOURCES_CALL(w->host.sources, window_renumber, &r);
	w->side_lost = in->side_lost;
	survivors_release(&r);
}

static void see_writer(struct windowing *w, bool wait, uint64_t now_ns)
{
	int error = 0;

	if (wait || now_ns >= w->tried_ns + PATIENCE_NS)
		window_writer_hurry(&w->writer);
	if (window_writer_busy(&w->writer, wait, &w->past, &error))
		return;
	w->step = WINDOW_NONE;
	if (error) {
		fail(w);
		return;
	}
	forget(w);
	w->start_ns = w->end_ns;
	w->failed = false;
}

void windowing_tick(struct windowing *w, uint64_t now_ns)
{
	if (!sinks_any(w->host.sinks))
		return;
	if (w->step == WINDOW_NONE && is_due(w, now_ns)) {
		resend(w, now_ns);
		w->tried_ns = now_ns;
		w->due_ns = now_ns + next_ns(w);
		w->images = w->host.in->images->serial;
	} else if (w->step == WINDOW_RESENDING && w->host.in->settled_ns > w->resent_ns) {
		begin_writing(w);
	} else if (w->step == WINDOW_WRITING) {
		see_writer(w, false, now_ns);
	}
}

void windowing_end(struct windowing *w, int signal_fd)
{
	struct pollfd p = {.fd = signal_fd, .events = POLLIN};

	/* The signal stays pending for the naming that follows. */
	while (w->step == WINDOW_WRITING && poll(&p, 1, LOOK_MS) <= 0)
		see_writer(w, false, UINT64_MAX);
	if (w->step == WINDOW_WRITING) {
		window_writer_cut_short(&w->writer);
		see_writer(w, true, 0);
	}
	w->step = WINDOW_NONE;
}

bool windowing_has_begun(const struct windowing *w)
{
	return w->writer.report != NULL;
}

bool windowing_has_windows(const struct windowing *w)
{
	return w->writer.windows > 0;
}

void windowing_release(struct windowing *w)
{
	window_writer_release(&w->writer);
}
