/*
 * zones: which processes have which code, and what that means for their probes.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/mem.h"
#include "source/source.h"
#include "source/zone_state.h"
#include "source/zones.h"
#include "symbol/closure.h"

/* A program of which nothing could be foretold has mapped its libraries after that time. */
#define LINKING_NS 1000000000u

static void *zones_new(void)
{
	return mem_zalloc(1, sizeof(struct zones));
}

static void process_free(struct zone_process *p)
{
	vec_release(&p->images);
	free(p);
}

static void zones_free(void *state)
{
	struct zones *z = state;

	if (!z)
		return;
	for (size_t i = 0; i < z->at.n; i++) {
		zone_image_release(z->at.at[i]);
		free(z->at.at[i]);
	}
	for (size_t i = 0; i < z->processes.n; i++)
		process_free(z->processes.at[i]);
	for (size_t i = 0; i < z->notes.n; i++)
		free(z->notes.at[i].text);
	vec_release(&z->at);
	vec_release(&z->processes);
	vec_release(&z->thread_of);
	vec_release(&z->notes);
	map_release(&z->by_image);
	map_release(&z->by_pid);
	free(z);
}

void zones_configure(struct zones *z, const struct zones_input *in)
{
	z->in = *in;
}

bool zones_active(const struct zones *z)
{
	return z->in.session;
}

void zone_note(struct zones *z, const char *text)
{
	for (size_t i = 0; i < z->notes.n; i++) {
		if (!strcmp(z->notes.at[i].text, text)) {
			z->notes.at[i].n++;
			return;
		}
	}
	vec_push(&z->notes, ((struct zone_note){.text = mem_strdup(text), .n = 1}));
}

/* --- processes ------------------------------------------------------------------------------ */

struct zone_process *zone_process_of(struct zones *z, uint32_t pid)
{
	bool fresh;
	uint32_t *at = map_put(&z->by_pid, pid, &fresh);

	if (fresh) {
		struct zone_process *p = mem_zalloc(1, sizeof(*p));

		p->pid = pid;
		*at = (uint32_t)z->processes.n;
		vec_push(&z->processes, p);
	}
	return z->processes.at[*at];
}

void zones_process(struct zones *z, uint32_t pid)
{
	zone_process_of(z, pid)->dirty = true;
	z->unsettled = true;
}

bool zones_unsettled(const struct zones *z)
{
	return z->unsettled;
}

void zones_fork(struct zones *z, uint32_t pid, uint32_t child)
{
	struct zone_process *from = zone_process_of(z, pid), *to = zone_process_of(z, child);

	to->flags = from->flags;
	to->foreign = from->foreign;
	to->before_exec = false;
	to->unknown_until_ns = from->unknown_until_ns;
	to->images.n = 0;
	for (size_t i = 0; i < from->images.n; i++)
		vec_push(&to->images, from->images.at[i]);
	zones_process(z, child);
}

void zones_tick(struct zones *z)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC);

	for (size_t i = 0; i < z->processes.n; i++) {
		struct zone_process *p = z->processes.at[i];

		if (p->unknown_until_ns && p->unknown_until_ns < now) {
			p->unknown_until_ns = 0;
			zones_process(z, p->pid);
		}
	}
}

/* --- images --------------------------------------------------------------------------------- */

/* The image's number among those that were read; it is made, unread, where it is new. */
static uint32_t number_of(struct zones *z, uint32_t image)
{
	bool fresh;
	uint32_t *at = map_put(&z->by_image, image, &fresh);

	if (fresh) {
		struct zone_image *i = mem_zalloc(1, sizeof(*i));

		i->image = image;
		i->slot = (uint32_t)z->at.n % WIRE_ZONE_IMAGES;
		i->first = UINT32_MAX;
		*at = (uint32_t)z->at.n;
		vec_push(&z->at, i);
	}
	return *at;
}

static void add_image(struct zones *z, struct zone_process *p, uint32_t image)
{
	uint32_t number = number_of(z, image);

	for (size_t i = 0; i < p->images.n; i++)
		if (p->images.at[i] == number)
			return;
	vec_push(&p->images, number);
}

struct gathering {
	struct zones *z;
	struct zone_process *p;
};

static void gather_image(void *context, uint32_t image)
{
	struct gathering *g = context;

	if (images_at(g->z->in.images, image)->kind == IMAGE_KIND_FILE)
		add_image(g->z, g->p, image);
}

static void gather(struct zones *z, struct zone_process *p)
{
	struct gathering g = {z, p};

	procs_each_image(z->in.procs, p->pid, gather_image, &g);
}

/* Takes the files of @c for the code of @p. */
static void add_closure(struct zones *z, struct zone_process *p, const closure *c)
{
	for (size_t i = 0; i < c->n; i++) {
		struct image_id id = {.path = c->at[i]};
		struct stat st;

		if (stat(c->at[i], &st))
			continue;
		id.dev_major = major(st.st_dev);
		id.dev_minor = minor(st.st_dev);
		id.inode = st.st_ino;
		add_image(z, p, images_file(z->in.images, p->pid, 0, 0, &id));
	}
}

void zones_command(struct zones *z, uint32_t pid, const char *command)
{
	struct zone_process *p = zone_process_of(z, pid);
	closure c = {0};

	closure_of_command(command, &c);
	add_closure(z, p, &c);
	closure_release(&c);
	p->before_exec = true;
	zones_process(z, pid);
}

/* Whether paths mean the same to @pid as to us. */
static bool shares_root(uint32_t pid)
{
	_free_ char *path = mem_printf("/proc/%u/root/.", pid);
	struct stat ours, its;

	return !stat("/", &ours) && !stat(path, &its) && ours.st_dev == its.st_dev &&
	       ours.st_ino == its.st_ino;
}

/* What the program that @p runs now will have mapped in a moment. Of one that sees other files than
 * we do, that has to be waited for. */
static void foretell(struct zones *z, struct zone_process *p)
{
	_free_ char *link = mem_printf("/proc/%u/exe", p->pid);
	char path[4096];
	closure c = {0};
	ssize_t n = readlink(link, path, sizeof(path) - 1);

	if (n > 0 && shares_root(p->pid)) {
		path[n] = '\0';
		closure_of_program(path, &c);
	}
	add_closure(z, p, &c);
	p->unknown_until_ns = c.n ? 0 : clock_ns(CLOCK_MONOTONIC) + LINKING_NS;
	closure_release(&c);
}

void zones_exec(struct zones *z, uint32_t pid)
{
	struct zone_process *p = zone_process_of(z, pid);

	p->foreign = false;
	if (!p->before_exec) {
		p->images.n = 0;
		p->flags = WIRE_PROC_TARGET;
		foretell(z, p);
	}
	p->before_exec = false;
	zones_process(z, pid);
}

static bool is_read(const struct zone_image *i)
{
	return i->first != UINT32_MAX;
}

/* Gives the zones of an image that was just read their numbers. */
static void number_zones(struct zones *z, struct zone_image *i)
{
	size_t room = z->in.o->max - z->used;

	i->first = z->used;
	if (i->list.zones.n > room || z->at.n > WIRE_ZONE_IMAGES) {
		z->too_many += i->list.zones.n;
		zonelist_release(&i->list);
	}
	z->used += (uint32_t)i->list.zones.n;
	for (size_t k = 0; k < i->list.zones.n; k++)
		vec_push(&i->refused, false);
}

typedef VEC(uint32_t) numbers;

static void read_images(struct zones *z, const numbers *which)
{
	struct zonelist_request request = {.patterns = z->in.o->patterns,
					   .kernel = site_kernel_running(),
					   .max = z->in.o->max,
					   .lines = true,
					   .switches = z->in.o->switches,
					   .n_switches = z->in.o->n_switches};
	_free_ const struct image **images = mem_zalloc(which->n + 1, sizeof(*images));
	_free_ struct zonelist *lists = mem_zalloc(which->n + 1, sizeof(*lists));

	for (size_t i = 0; i < which->n; i++)
		images[i] = images_at(z->in.images, z->at.at[which->at[i]]->image);
	zonelist_read(images, which->n, &request, lists);
	for (size_t i = 0; i < which->n; i++) {
		struct zone_image *image = z->at.at[which->at[i]];

		image->list = lists[i];
		number_zones(z, image);
	}
}

static bool has_zones(const struct zones *z, const struct zone_process *p)
{
	for (size_t i = 0; i < p->images.n; i++)
		if (z->at.at[p->images.at[i]]->list.zones.n)
			return true;
	return false;
}

/* Adds the images of @p that are not read yet: those where zones may be, or all. */
static void add_unread(const struct zones *z, const struct zone_process *p, bool all, numbers *out)
{
	for (size_t i = 0; i < p->images.n; i++) {
		uint32_t number = p->images.at[i];
		const struct zone_image *image = z->at.at[number];
		bool there = false;

		for (size_t k = 0; k < out->n; k++)
			there |= out->at[k] == number;
		if (there || is_read(image))
			continue;
		if (all || zonepatterns_want_module(z->in.o->patterns,
						    images_at(z->in.images, image->image)->path))
			vec_push(out, number);
	}
}

/* Those where zones may be first: code of processes without zones is nobody's business. */
static void read_new(struct zones *z)
{
	for (int all = 0; all < 2; all++) {
		numbers which = {0};

		for (size_t i = 0; i < z->processes.n; i++) {
			struct zone_process *p = z->processes.at[i];

			if (p->dirty && (!all || has_zones(z, p)))
				add_unread(z, p, all, &which);
		}
		if (which.n)
			read_images(z, &which);
		vec_release(&which);
	}
}

/* --- decisions ------------------------------------------------------------------------------ */

/* Why return addresses in @p must be let alone; NULL: they need not. */
static const char *unsafe_why(const struct zones *z, const struct zone_process *p)
{
	if (z->in.o->ends == ZONE_ENDS_SESSION)
		return NULL;
	if (p->foreign)
		return "it runs code off its threads' stacks";
	for (size_t i = 0; i < p->images.n; i++) {
		const struct zone_image *image = z->at.at[p->images.at[i]];

		if (image->list.hijack_unsafe)
			return image->list.hijack_unsafe;
		if (image->list.flags & ZONELIST_GO)
			return "a Go program moves its stacks";
	}
	return NULL;
}

/* There are other programs for that, which do nothing else. */
static bool counts_only(const struct zones *z)
{
	return z->in.o->clocks & WIRE_CLOCK_NONE;
}

static uint32_t judge(const struct zones *z, struct zone_process *p)
{
	enum zone_ends ends = z->in.o->ends;

	p->unsafe = unsafe_why(z, p);
	if (ends == ZONE_ENDS_NONE || counts_only(z) || p->unknown_until_ns)
		return WIRE_PROC_TARGET;
	if (ends != ZONE_ENDS_RETS && z->in.session->sessions && !p->unsafe)
		return WIRE_PROC_TARGET | WIRE_PROC_HIJACK;
	return WIRE_PROC_TARGET | WIRE_PROC_RETS | (p->foreign ? WIRE_PROC_FOREIGN : 0);
}

static bool is_for_all(const struct target *t)
{
	return t->kind == TARGET_ALL || t->kind == TARGET_CGROUP;
}

static bool maps(const struct zone_process *p, uint32_t number)
{
	for (size_t i = 0; i < p->images.n; i++)
		if (p->images.at[i] == number)
			return true;
	return false;
}

/* What should hang in image @number, once processes have the flags that judge() says. */
static struct zone_hanging wanted(struct zones *z, uint32_t number)
{
	struct zone_image *image = z->at.at[number];
	struct zone_hanging want = {0};
	size_t users = 0, with_exits = 0;

	for (size_t i = 0; i < z->processes.n; i++) {
		struct zone_process *p = z->processes.at[i];
		uint32_t flags = maps(p, number) ? judge(z, p) : 0;

		if (!flags)
			continue;
		users++;
		want.entry_pid = p->pid;
		want.switches |= p->foreign && image->list.switches.n;
		if (flags & WIRE_PROC_RETS) {
			with_exits++;
			want.exit_pid = p->pid;
		}
		if (counts_only(z))
			want.entries = HANG_COUNTS;
		else if (flags & WIRE_PROC_HIJACK)
			want.entries = HANG_SESSIONS;
		else if (want.entries == HANG_NOTHING)
			want.entries = HANG_ENTRIES;
	}
	want.exits = with_exits > 0;
	image->entries_for_all |= users > 1 || is_for_all(z->in.target);
	image->exits_for_all |= with_exits > 1 || is_for_all(z->in.target);
	if (image->entries_for_all || want.entries == HANG_SESSIONS)
		want.entry_pid = 0;
	if (image->exits_for_all)
		want.exit_pid = 0;
	return want;
}

static int tell(struct zones *z, struct zone_process *p, uint32_t flags)
{
	struct wire_zone_proc proc = {.flags = flags, .exec_flags = WIRE_PROC_TARGET};

	if (p->before_exec)
		proc = (struct wire_zone_proc){.exec_flags = flags};
	p->flags = flags;
	return zonemaps_set_proc(z->in.session->maps, p->pid, proc);
}

static int hang(struct zones *z, uint32_t number)
{
	struct zone_image *image = z->at.at[number];
	struct zone_hanging want = wanted(z, number);

	if (!image->list.zones.n && !want.switches)
		return 0;
	return zone_image_hang(image, z->in.session, images_at(z->in.images, image->image), &want);
}

/* Probes and flags of one process after a change of its code. Nothing is hijacked before it is
 * known to be safe, and nothing is seen to begin whose end would not be seen. */
static int settle(struct zones *z, struct zone_process *p)
{
	uint32_t flags = judge(z, p);
	int ret = 0;

	p->dirty = false;
	if (!has_zones(z, p))
		return is_for_all(z->in.target) ? 0 : tell(z, p, WIRE_PROC_TARGET);
	if (p->flags & WIRE_PROC_HIJACK && !(flags & WIRE_PROC_HIJACK))
		ret = tell(z, p, WIRE_PROC_TARGET);
	for (size_t i = 0; i < p->images.n && !ret; i++)
		ret = hang(z, p->images.at[i]);
	if (!ret && flags != p->flags)
		ret = tell(z, p, flags);
	return ret;
}

/* The module that @pattern names is not there yet. A pattern that names none never waits. */
static bool waits(const struct zones *z, const struct zonelist *lists,
		  const struct image *const *images, size_t n, size_t pattern)
{
	for (size_t i = 0; i < n; i++)
		if ((pattern < lists[i].hits.n && lists[i].hits.at[pattern]) ||
		    zonepatterns_is_for(z->in.o->patterns, pattern, images[i]->path))
			return false;
	return true;
}

/* Whether all patterns but those that wait for their module match something. */
static bool matches_or_waits(const struct zones *z, const struct zonelist *lists,
			     const struct image *const *images, size_t n)
{
	for (size_t p = 0; p < zonepatterns_count(z->in.o->patterns); p++) {
		bool hit = zonepatterns_is_exclusion(z->in.o->patterns, p);

		for (size_t i = 0; i < n; i++)
			hit |= p < lists[i].hits.n && lists[i].hits.at[p];
		if (!hit && !waits(z, lists, images, n, p))
			return false;
	}
	return true;
}

/* Patterns that nothing matches are an error while nothing is captured yet. */
static int check(struct zones *z)
{
	struct zonelist_request request = {.patterns = z->in.o->patterns, .max = z->in.o->max};
	_free_ const struct image **images = mem_zalloc(z->at.n + 1, sizeof(*images));
	_free_ struct zonelist *lists = mem_zalloc(z->at.n + 1, sizeof(*lists));
	size_t n = 0;

	if (z->too_many)
		return err(-E2BIG,
			   "more than %u functions match: ask for fewer, or for more with "
			   "--zones-max",
			   z->in.o->max);
	for (size_t i = 0; i < z->at.n; i++) {
		if (!is_read(z->at.at[i]))
			continue;
		images[n] = images_at(z->in.images, z->at.at[i]->image);
		lists[n++] = z->at.at[i]->list;
	}
	if (matches_or_waits(z, lists, images, n))
		return 0;
	return zonelist_check(images, lists, n, &request);
}

int zones_settle(struct zones *z, bool first)
{
	uint64_t start = clock_ns(CLOCK_MONOTONIC);
	int ret = 0;

	z->unsettled = false;
	for (size_t i = 0; i < z->processes.n; i++)
		if (z->processes.at[i]->dirty && !z->processes.at[i]->before_exec)
			gather(z, z->processes.at[i]);
	read_new(z);
	if (first)
		ret = check(z);
	for (size_t i = 0; i < z->processes.n && !ret; i++) {
		if (!z->processes.at[i]->dirty)
			continue;
		ret = settle(z, z->processes.at[i]);
		if (ret && !first) {
			zone_note(z, err_text());
			ret = 0;
		}
	}
	z->attach_ns += (int64_t)(clock_ns(CLOCK_MONOTONIC) - start);
	return ret;
}

void zones_start(struct zones *z)
{
	zonemaps_enable(z->in.session->maps, true);
}

void zones_stop(struct zones *z)
{
	zonemaps_enable(z->in.session->maps, false);
}

size_t zones_count(const struct zones *z)
{
	size_t n = 0;

	for (size_t i = 0; i < z->at.n; i++)
		for (size_t k = 0; k < z->at.at[i]->list.zones.n; k++)
			n += zone_image_has(z->at.at[i], k);
	return n;
}

uint64_t zones_calls(const struct zones *z)
{
	uint64_t n = 0;

	for (size_t i = 0; i < zonemaps_nodes(z->in.session->maps); i++)
		n += zonemaps_node(z->in.session->maps, i).entered;
	return n;
}

/* --- the source ----------------------------------------------------------------------------- */

static void take_thread(struct zones *z, const struct wire_zone_record *r, struct procs *procs)
{
	while (z->thread_of.n <= r->number)
		vec_push(&z->thread_of, NO_THREAD);
	z->thread_of.at[r->number] =
		procs_thread(procs, r->pid, r->tid ? r->tid : r->pid, r->time_ns);
}

static void zones_take(void *state, const void *record, struct stacks *stacks, struct procs *procs)
{
	const struct wire_zone_record *r = record;
	struct zones *z = state;

	(void)stacks;
	if (r->news == WIRE_NEWS_THREAD && r->number < WIRE_ZONE_THREADS)
		take_thread(z, r, procs);
	if (r->news == WIRE_NEWS_FOREIGN) {
		zone_process_of(z, r->pid)->foreign = true;
		zone_session_watch_waits(z->in.session);
		zones_process(z, r->pid);
	}
	if (r->news == WIRE_NEWS_PROC)
		zones_process(z, r->pid);
}

static size_t zones_taken(const void *state)
{
	(void)state;
	return 0;
}

static void zones_finish_source(const void *state, struct assembly *a)
{
	const struct zones *z = state;

	if (zones_active(z))
		zone_rows(z, a);
}

const struct source zones_source = {
	.name = "zones",
	.new = zones_new,
	.free = zones_free,
	.take = zones_take,
	.taken = zones_taken,
	.finish = zones_finish_source,
};
