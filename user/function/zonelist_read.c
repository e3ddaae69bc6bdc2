#include "function/zonelist_read.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/units.h"
#include "crew/crew.h"
#include "function/zonelist_split.h"
#include "function/zoneread.h"
#include "function/zonewire.h"
#include "symbol/image_files_read.h"

/* Limits for reading a file: generous for the largest honest ones, but they end those that are made
 * to take for ever. */
#define CPU_BASE_S	10
#define CPU_MOST_S	120
#define CPU_BYTES_PER_S (5ull << 20)
#define OUTPUT_PER_ZONE 4096

/* --- in the worker process ---------------------------------------------------------------------
 */

/* What all tasks of a run share; followed by the names of switches, each with its final zero, and
 * the patterns. */
struct head {
	uint64_t pattern; /* whose nearest names are wanted; ZONEPATTERN_NONE: lists are wanted */
	uint64_t max;
	uint64_t switch_bytes;
	struct site_kernel kernel;
	bool lines;
	uint32_t follow;
};

struct begun {
	struct zonelist_request request;
	size_t pattern;
};

static void *begin(const void *bytes, size_t n)
{
	const struct head *head = bytes;
	struct begun *b = mem_zalloc(1, sizeof(*b));
	VEC(const char *) switches = {0};
	const size_t at = sizeof(*head) + head->switch_bytes;
	/* A copy, which outlives @bytes. */
	const char *text =
		memcpy(mem_zalloc(head->switch_bytes + 1, 1), head + 1, head->switch_bytes);

	for (const char *s = text; s < text + head->switch_bytes; s += strlen(s) + 1)
		vec_push(&switches, s);
	b->pattern = head->pattern;
	b->request = (struct zonelist_request){
		.patterns = zonepatterns_get((const char *)bytes + at, n - at),
		.kernel = head->kernel,
		.max = head->max,
		.lines = head->lines,
		.follow = head->follow,
		.switches = switches.at,
		.n_switches = switches.n};
	return b;
}

static int read_one(void *begun, const struct crew_request *r)
{
	const struct begun *b = begun;
	struct zonewire answer = {.task = r->task};
	struct image_files files;
	struct image image;
	struct zoneread z;
	int rc;

	if (!image_files_take(r, &image, &files))
		return -EPROTO;
	z = (struct zoneread){.image = &image,
			      .fd = files.fd,
			      .debug_fd = files.extra_fd,
			      .alt_fd = files.alt_fd,
			      .split = files.split,
			      .n_split = files.n_split,
			      .wanted = zonepatterns_want_module(b->request.patterns, image.path)};
	/* For JIT code prefer the perf map as it is now. */
	if (image.kind == IMAGE_KIND_JIT && z.debug_fd >= 0)
		z.fd = z.debug_fd;
	if (b->pattern == ZONEPATTERN_NONE)
		zoneread_run(&z, &b->request, &answer.list);
	else
		zoneread_nearest(&z, &b->request, b->pattern, &answer.nearest);
	rc = zonewire_write(&answer, r->out_fd);
	zonewire_release(&answer);
	return rc;
}

static const struct crew_service service = {.begin = begin, .run = read_one};

/* --- in the loader -----------------------------------------------------------------------------
 */

/* Files that are read together; each is a task. */
struct run {
	const struct image *const *images;
	const struct zonelist_request *request;
	size_t pattern;		/* as in the head */
	struct zonewire answer; /* the last answer */
	struct zonelist *lists;
	const struct image_files_wish *wishes; /* one a file; NULL: none */
	struct nearest *nearest;
};

static struct crew_task task_of(const struct run *r, const struct image *image)
{
	struct crew_task task = {
		.cost = crew_file_bytes(image->fd),
		.cpu_s = CPU_BASE_S,
		.cpu_most_s = CPU_MOST_S,
		.bytes_per_s = CPU_BYTES_PER_S,
		.output_bytes = OUTPUT_PER_ZONE * zonelist_max(r->request),
	};

	crew_owned_by(&task, image);
	return task;
}

static void put_common(const struct run *r, struct str *out)
{
	const struct zonelist_request *q = r->request;
	struct head head = {.pattern = r->pattern,
			    .max = q->max,
			    .kernel = q->kernel,
			    .lines = q->lines,
			    .follow = q->follow};

	for (size_t i = 0; i < q->n_switches; i++)
		head.switch_bytes += strlen(q->switches[i]) + 1;
	str_addn(out, (const char *)&head, sizeof(head));
	for (size_t i = 0; i < q->n_switches; i++)
		str_addn(out, q->switches[i], strlen(q->switches[i]) + 1);
	zonepatterns_put(q->patterns, out);
}

static void ask(void *context, size_t task, struct crew_ask *a)
{
	const struct run *r = context;

	image_files_ask(a, r->images[task],
			r->wishes ? &r->wishes[task] : &(struct image_files_wish){0});
}

static size_t read_answer(void *context, const void *bytes, size_t n, uint32_t *task)
{
	struct run *r = context;
	const size_t n_hits =
		r->pattern == ZONEPATTERN_NONE ? zonepatterns_count(r->request->patterns) : 0;
	size_t used;

	zonewire_release(&r->answer);
	used = zonewire_read(bytes, n, n_hits, &r->answer);
	*task = r->answer.task;
	return used;
}

static bool take_answer(void *context, size_t task)
{
	struct run *r = context;

	if (r->lists) {
		r->lists[task] = r->answer.list;
		r->answer.list = (struct zonelist){0};
		return true;
	}
	for (size_t i = 0; i < r->answer.nearest.n; i++)
		nearest_add(r->nearest, r->answer.nearest.at[i].name,
			    r->answer.nearest.at[i].distance);
	return true;
}

static void run(struct run *r, size_t n)
{
	_free_ struct crew_task *tasks = mem_zalloc(n + 1, sizeof(*tasks));
	struct crew crew = {.service = &service,
			    .tasks = tasks,
			    .n = n,
			    .ask = ask,
			    .read = read_answer,
			    .take = take_answer,
			    .context = r,
			    .wait = r->request->wait,
			    .allowance = r->request->allowance};

	put_common(r, &crew.common);
	for (size_t i = 0; i < n; i++)
		tasks[i] = task_of(r, r->images[i]);
	crew_run(&crew);
	for (size_t i = 0; i < n && r->lists; i++) {
		if (tasks[i].refused || tasks[i].ran_out)
			r->lists[i].flags |= ZONELIST_TOO_LONG;
		if (tasks[i].refused)
			r->lists[i].problem =
				mem_strdup("it was not read: files of its user took too long");
		else if (tasks[i].failed)
			r->lists[i].problem =
				mem_strdup("it could not be read: it is damaged or too large, "
					   "or this machine is too busy");
		else if (!tasks[i].done)
			r->lists[i].problem = mem_strdup("the capture ended before it was read");
	}
	zonewire_release(&r->answer);
	str_release(&crew.common);
}

/* Whether functions of the image can be probed; of JIT code and the vDSO only the matches are
 * counted, for messages. */
static bool is_readable(const struct image *image)
{
	return image->kind == IMAGE_KIND_VDSO || image->kind == IMAGE_KIND_JIT ||
	       !zonelist_obstacle(image);
}

/* Finds the names in @images nearest to the one that pattern number @pattern gives. */
static void zonelist_nearest(const struct image *const *images, size_t n,
			     const struct zonelist_request *request, size_t pattern,
			     struct nearest *out)
{
	struct run r = {.images = images, .request = request, .pattern = pattern, .nearest = out};

	run(&r, n);
}

/* Reads files once more with .dwo files that their functions need. False: none needs any. */
static bool read_split(const struct image *const *images, size_t n,
		       const struct zonelist_request *request, struct zonelist *lists)
{
	_free_ const struct image **again = mem_zalloc(n + 1, sizeof(*again));
	_free_ struct zonelist *read = mem_zalloc(n + 1, sizeof(*read));
	_free_ size_t *of = mem_zalloc(n + 1, sizeof(*of));
	_free_ struct zonelist_split *splits = mem_zalloc(n + 1, sizeof(*splits));
	_free_ struct image_files_wish *wishes = mem_zalloc(n + 1, sizeof(*wishes));
	struct run r = {.images = again,
			.request = request,
			.pattern = ZONEPATTERN_NONE,
			.lists = read,
			.wishes = wishes};
	size_t n_again = 0;

	for (size_t i = 0; i < n; i++) {
		struct zonelist_split *split = &splits[n_again];

		if (!zonelist_split_choose(&lists[i], split))
			continue;
		wishes[n_again] = (struct image_files_wish){
			.split = true, .files = split->files, .n = split->n};
		again[n_again] = images[i];
		of[n_again++] = i;
	}
	if (n_again)
		run(&r, n_again);
	for (size_t i = 0; i < n_again; i++) {
		zonelist_split_take(&lists[of[i]], &read[i]);
		zonelist_release(&read[i]);
	}
	return n_again;
}

static void give_hits(const struct zonelist_request *request, struct zonelist *l)
{
	while (l->hits.n < zonepatterns_count(request->patterns))
		vec_push(&l->hits, 0);
}

void zonelist_read(const struct image *const *images, size_t n,
		   const struct zonelist_request *request, struct zonelist *out)
{
	_free_ const struct image **readable = mem_zalloc(n + 1, sizeof(*readable));
	_free_ struct zonelist *lists = mem_zalloc(n + 1, sizeof(*lists));
	struct run r = {.images = readable,
			.request = request,
			.pattern = ZONEPATTERN_NONE,
			.lists = lists};
	size_t n_readable = 0, next = 0;

	for (size_t i = 0; i < n; i++) {
		if (is_readable(images[i]))
			readable[n_readable++] = images[i];
	}
	run(&r, n_readable);
	for (size_t i = 0;
	     i < ZONELIST_SPLIT_ROUNDS && read_split(readable, n_readable, request, lists); i++)
		;
	for (size_t i = 0; i < n; i++) {
		out[i] = is_readable(images[i]) ? lists[next++] : (struct zonelist){0};
		if (!is_readable(images[i]))
			out[i].problem = mem_strdup(zonelist_obstacle(images[i]));
		give_hits(request, &out[i]);
	}
}

/* The most reasons that one message gives for a pattern that matches nothing. */
#define MAX_REMARKS 3

struct checking {
	const struct image *const *images;
	const struct zonelist *lists;
	size_t n;
	const struct zonelist_request *request;
};

static bool is_for(const struct checking *c, size_t pattern, size_t image)
{
	return zonepatterns_is_for(c->request->patterns, pattern, c->images[image]->path);
}

static bool takes_any(const struct checking *c, size_t pattern)
{
	for (size_t i = 0; i < c->n; i++) {
		if (!c->lists[i].problem && c->lists[i].hits.at[pattern])
			return true;
	}
	return false;
}

/* "malloc, mallopt, mallinfo", or ""; owned by the caller. */
static char *list_nearest(const struct nearest *nearest)
{
	struct str s = {0};

	for (size_t i = 0; i < nearest->n; i++)
		str_addf(&s, "%s%s", i ? ", " : "", nearest->at[i].name);
	return s.n ? str_steal(&s) : mem_strdup("");
}

static char *nearest_functions(const struct checking *c, size_t pattern)
{
	_free_ const struct image **images = mem_zalloc(c->n + 1, sizeof(*images));
	struct nearest nearest = {0};
	size_t n = 0;
	char *text;

	for (size_t i = 0; i < c->n; i++) {
		if (!c->lists[i].problem && is_for(c, pattern, i))
			images[n++] = c->images[i];
	}
	if (zonepatterns_name(c->request->patterns, pattern))
		zonelist_nearest(images, n, c->request, pattern, &nearest);
	text = list_nearest(&nearest);
	nearest_release(&nearest);
	return text;
}

/* Why some of an image's functions may be unknown; NULL: no reason. */
static const char *remark_on(const struct checking *c, size_t pattern, size_t image)
{
	const struct zonelist *l = &c->lists[image];
	const bool by_file = !zonepatterns_name(c->request->patterns, pattern) &&
			     zonepatterns_need_lines(c->request->patterns);

	/* Images that can never have zones matter only if they have what the pattern asks for. */
	if (l->problem)
		return l->hits.at[pattern] || c->n == 1 || c->images[image]->path[0] == '/'
			       ? l->problem
			       : NULL;
	if (l->flags & ZONELIST_NO_SYMBOLS)
		return l->flags & ZONELIST_STUBS
			       ? "has no symbols: only what it calls in other modules is known by "
				 "name ('*@plt')"
			       : "has no symbols";
	if (by_file && (l->flags & ZONELIST_NO_LINES))
		return "has no debug information, so that its source files are not known";
	if (l->flags & ZONELIST_NO_SYMTAB)
		return "is stripped: only its exported functions are known by name, and those that "
		       "it calls in other modules ('*@plt')";
	return NULL;
}

/* Adds remarks on images with a problem, or on the others: problems come first, as the likelier
 * cause. */
static void add_remarks(const struct checking *c, size_t pattern, bool problems, size_t *n,
			struct str *s)
{
	for (size_t i = 0; i < c->n; i++) {
		const char *remark = is_for(c, pattern, i) ? remark_on(c, pattern, i) : NULL;

		if (!remark || problems != (c->lists[i].problem != NULL) || (*n)++ >= MAX_REMARKS)
			continue;
		str_addf(s, "; %s%s %s", str_base(c->images[i]->path), problems ? ":" : "", remark);
	}
}

static char *nearest_modules(const struct image *const *images, size_t n, const char *text)
{
	const char *colon = strchr(text, ':');
	_free_ char *module = mem_strndup(text, colon ? (size_t)(colon - text) : 0);
	struct nearest nearest = {0};
	char *list;

	for (size_t i = 0; i < n; i++) {
		const char *base = str_base(images[i]->path);

		nearest_add(&nearest, base, nearest_distance(module, base));
	}
	list = list_nearest(&nearest);
	nearest_release(&nearest);
	return list;
}

char *zonelist_no_module(const struct image *const *images, size_t n, const char *text)
{
	_free_ char *nearest = nearest_modules(images, n, text);

	if (!n)
		return mem_printf("no code of the target is known that '%s' could match", text);
	return mem_printf("no program or library matches the module of '%s'%s%s%s", text,
			  *nearest ? " (nearest: " : "", nearest, *nearest ? ")" : "");
}

static int report_no_module(const struct checking *c, size_t pattern)
{
	_free_ char *text = zonelist_no_module(c->images, c->n,
					       zonepatterns_text(c->request->patterns, pattern));

	return err(-ENOENT, "%s", text);
}

static int report_no_match(const struct checking *c, size_t pattern)
{
	_free_ char *nearest = nearest_functions(c, pattern);
	const char *text = zonepatterns_text(c->request->patterns, pattern);
	struct str s = {0};
	size_t n = 0;
	int rc;

	add_remarks(c, pattern, true, &n, &s);
	add_remarks(c, pattern, false, &n, &s);
	if (n > MAX_REMARKS)
		str_addf(&s, "; and %zu more", n - MAX_REMARKS);
	rc = *nearest ? err(-ENOENT, "no function matches '%s' (nearest: %s)%s", text, nearest,
			    str_text(&s))
		      : err(-ENOENT, "no function matches '%s'%s", text, str_text(&s));
	str_release(&s);
	return rc;
}

/* The message when there is no pattern, or only exclusions, and no function. */
static int report_no_functions(const struct checking *c)
{
	for (size_t i = 0; i < c->n; i++) {
		if (c->lists[i].problem)
			return err(-ENOENT, "%s: %s", str_base(c->images[i]->path),
				   c->lists[i].problem);
	}
	if (c->n == 1)
		return err(-ENOENT, "%s has no symbols: no function is known by name%s",
			   str_base(c->images[0]->path),
			   c->lists[0].flags & ZONELIST_STUBS
				   ? ", only what it calls in other modules ('*@plt')"
				   : "");
	return err(-ENOENT, "no function is known by name");
}

static int report_none(const struct checking *c)
{
	for (size_t i = 0; i < zonepatterns_count(c->request->patterns); i++) {
		if (!zonepatterns_is_exclusion(c->request->patterns, i) && takes_any(c, i))
			return err(-ENOENT, "exclusions (!) take out all that '%s' matches",
				   zonepatterns_text(c->request->patterns, i));
	}
	return report_no_functions(c);
}

static int check_pattern(const struct checking *c, size_t pattern)
{
	bool any = false;

	if (zonepatterns_is_exclusion(c->request->patterns, pattern) ||
	    zonepatterns_may_miss(c->request->patterns, pattern) || takes_any(c, pattern))
		return 0;
	for (size_t i = 0; i < c->n; i++)
		any |= is_for(c, pattern, i);
	return any ? report_no_match(c, pattern) : report_no_module(c, pattern);
}

int zonelist_too_many(uint64_t matched, const struct zonelist_request *request)
{
	char found[UNITS_BUF], most[UNITS_BUF];

	return err(-E2BIG,
		   "%s functions match, more than %s: choose fewer, or raise the limit by "
		   "--zones-max %lu",
		   units_count(found, sizeof(found), (int64_t)matched),
		   units_count(most, sizeof(most), (int64_t)zonelist_max(request)), matched);
}

int zonelist_check(const struct image *const *images, const struct zonelist *lists, size_t n,
		   const struct zonelist_request *request)
{
	const struct checking c = {images, lists, n, request};
	uint64_t matched = 0;
	int rc = 0;

	for (size_t i = 0; i < zonepatterns_count(request->patterns) && !rc; i++)
		rc = check_pattern(&c, i);
	if (rc)
		return rc;
	for (size_t i = 0; i < n; i++)
		matched += lists[i].matched;
	if (!matched)
		return report_none(&c);
	return matched <= zonelist_max(request) ? 0 : zonelist_too_many(matched, request);
}
