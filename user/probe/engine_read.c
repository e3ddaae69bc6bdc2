/*
 * engine_read: reads the zones of the files that processes map, and what eprof must know of their
 * code.
 */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "base/err.h"
#include "base/mem.h"
#include "probe/cost_limit.h"
#include "function/zonelist_read.h"

/* Gives it a row of generations; false: images with probes have them all. */
static bool take_slot(struct engine *z, struct probed_image *i)
{
	struct engine_slot slot = {.slot = z->slots};

	if (!i->list.zones.n && !i->list.switches.n)
		return true;
	if (z->unused_slots.n)
		slot = z->unused_slots.at[--z->unused_slots.n];
	else if (z->slots < WIRE_PROBE_CALIBRATION)
		z->slots++;
	else
		return false;
	i->slot = slot.slot;
	i->generation = slot.generation;
	return true;
}

static void tell_watchers(const struct engine *z, const struct probed_image *i)
{
	for (uint32_t k = 0; k < i->list.zones.n; k++) {
		const struct zone_def *f = &i->list.zones.at[k];

		vec_each (w, &z->watchers) {
			if (w->actions & f->actions && w->found)
				w->found(w->context, i->first + k, f,
					 zonepatterns_text(z->in.o->patterns, f->pattern),
					 zonepatterns_argument(z->in.o->patterns, f->pattern));
		}
	}
}

/* Gives functions the actions that go with those that they have. */
static void join(const struct engine_options *o, struct zonelist *list)
{
	vec_each (f, &list->zones) {
		const uint32_t asked = f->actions;

		for (uint32_t i = 0; i < WIRE_ACTIONS; i++)
			if (asked & o->joins[i])
				f->actions |= 1u << i;
	}
}

/* Takes actions from functions that do not need them. */
static void heed_watchers(const struct engine *z, struct zonelist *list)
{
	for (uint32_t k = 0; k < list->zones.n; k++) {
		struct zone_def *f = &list->zones.at[k];
		const char *pattern = zonepatterns_text(z->in.o->patterns, f->pattern);

		f->implied = zonepatterns_may_miss(z->in.o->patterns, f->pattern);
		vec_each (w, &z->watchers) {
			if (w->actions & f->actions && w->wants && f->implied &&
			    !w->wants(list, k, pattern))
				f->actions &= ~w->actions;
		}
	}
}

/* Numbers the zones of an image that was just read. */
static void number_zones(struct engine *z, struct probed_image *i)
{
	size_t room = z->in.o->max - z->used;
	const bool has_slot = take_slot(z, i);

	if (has_slot && engine_forget_revive(z, i))
		return;
	i->first = z->used;
	i->leaves = z->in.o->leaves;
	/* Of an oversized list, keeps as many zones as fit. */
	if (i->list.matched > room || !has_slot) {
		z->too_many += i->list.matched;
		zonelist_drop(&i->list);
	}
	z->used += (uint32_t)i->list.zones.n;
	for (size_t k = 0; k < i->list.zones.n; k++)
		vec_push(&i->refused, false);
	tell_watchers(z, i);
	cost_limit_begin(z, i);
}

/* Lets processes with hijacked return addresses map the file without notice: its code tolerates
 * them. */
static void pass(struct engine *z, struct probed_image *i)
{
	const struct image *image = images_at(z->in.images, i->image);
	struct wire_probe_file file = {image->inode,
				       wire_device(image->dev_major, image->dev_minor)};
	struct stat st;

	if (!probed_image_is_harmless(i))
		return;
	if (!file.inode && image->fd >= 0 && !fstat(image->fd, &st)) {
		file.inode = st.st_ino;
		file.device = wire_device(major(st.st_dev), minor(st.st_dev));
	}
	if (file.inode)
		probemaps_pass_file(z->in.session->maps, &file);
	i->passed = file;
}

/* Takes a lease on the file: what was found in it holds until it is written to. */
static void lease(struct engine *z, struct probed_image *i, int fd)
{
	if (fd < 0)
		return;
	keeper_lease(z->keeper, fd);
	i->file = guard_file_of(fd);
}

typedef VEC(uint32_t) numbers;

static struct zonelist_request request_of(const struct engine *z)
{
	return (struct zonelist_request){.patterns = z->in.o->patterns,
					 .kernel = site_kernel_running(),
					 .max = z->in.o->max,
					 .lines = true,
					 .follow = z->in.o->leaves,
					 .switches = z->in.o->switches,
					 .n_switches = z->in.o->n_switches,
					 .wait = z->in.wait,
					 .allowance = z->in.allowance};
}

static void read_images(struct engine *z, const numbers *which)
{
	const struct zonelist_request request = request_of(z);
	_free_ const struct image **images = mem_zalloc(which->n + 1, sizeof(*images));
	_free_ struct zonelist *lists = mem_zalloc(which->n + 1, sizeof(*lists));

	for (size_t i = 0; i < which->n; i++) {
		images[i] = images_at(z->in.images, z->at.at[which->at[i]]->image);
		lease(z, z->at.at[which->at[i]], images[i]->fd);
	}
	zonelist_read(images, which->n, &request, lists);
	for (size_t i = 0; i < which->n; i++) {
		struct probed_image *image = z->at.at[which->at[i]];

		image->list = lists[i];
		heed_watchers(z, &image->list);
		join(z->in.o, &image->list);
		if (image->list.flags & ZONELIST_TOO_LONG)
			engine_note(z,
				    "files without zones: they, or others of their user, take too "
				    "long to read");
		number_zones(z, image);
		pass(z, image);
	}
}

bool engine_read_wants(const struct engine *z, const struct probed_image *image)
{
	return zonepatterns_want_module(z->in.o->patterns,
					images_at(z->in.images, image->image)->path);
}

bool probed_process_has_zones(const struct engine *z, const struct probed_process *p)
{
	for (size_t i = 0; i < p->images.n; i++)
		if (z->at.at[p->images.at[i]]->list.zones.n)
			return true;
	return false;
}

static void add_number(numbers *to, uint32_t number)
{
	for (size_t i = 0; i < to->n; i++)
		if (to->at[i] == number)
			return;
	vec_push(to, number);
}

/* Adds the unread images of @p: those that may contain zones, or all. */
static void add_unread(const struct engine *z, const struct probed_process *p, bool all,
		       numbers *out)
{
	for (size_t i = 0; i < p->images.n; i++) {
		const struct probed_image *image = z->at.at[p->images.at[i]];

		if (!probed_image_is_read(image) && (all || engine_read_wants(z, image)))
			add_number(out, p->images.at[i]);
	}
}

/* Adds the unread images that patterns name. */
static void add_named(const struct engine *z, numbers *out)
{
	for (uint32_t i = 0; i < z->at.n; i++)
		if (z->at.at[i]->named && !probed_image_is_read(z->at.at[i]))
			add_number(out, i);
}

/* Reads images that may contain zones first; other code is read only for processes with zones. */
void engine_read_new(struct engine *z)
{
	for (int all = 0; all < 2; all++) {
		numbers which = {0};

		add_named(z, &which);
		for (size_t i = 0; i < z->processes.n; i++) {
			struct probed_process *p = z->processes.at[i];

			if (p->dirty && (!all || probed_process_has_zones(z, p)))
				add_unread(z, p, all, &which);
		}
		if (which.n)
			read_images(z, &which);
		vec_release(&which);
	}
}

/* Whether the module that @pattern names is not loaded yet. A pattern without module never
 * waits. */
static bool waits(const struct engine *z, const struct zonelist *lists,
		  const struct image *const *images, size_t n, size_t pattern)
{
	for (size_t i = 0; i < n; i++)
		if ((pattern < lists[i].hits.n && lists[i].hits.at[pattern]) ||
		    zonepatterns_is_for(z->in.o->patterns, pattern, images[i]->path))
			return false;
	return true;
}

/* Whether every pattern that must, and does not wait for its module, matches something that
 * exclusions leave over. */
static bool matches_or_waits(const struct engine *z, const struct zonelist *lists,
			     const struct image *const *images, size_t n)
{
	bool waiting = false, matched = false;

	for (size_t i = 0; i < n; i++)
		matched |= lists[i].matched > 0;
	for (size_t p = 0; p < zonepatterns_count(z->in.o->patterns); p++) {
		bool hit = zonepatterns_is_exclusion(z->in.o->patterns, p);

		for (size_t i = 0; i < n; i++)
			hit |= p < lists[i].hits.n && lists[i].hits.at[p];
		if (!hit && !zonepatterns_may_miss(z->in.o->patterns, p) &&
		    !waits(z, lists, images, n, p))
			return false;
		waiting |= !hit;
	}
	return matched || waiting;
}

char *engine_read_waiting(const struct engine *z)
{
	const struct zonepatterns *patterns = z->in.o->patterns;
	_free_ const struct image **images = mem_zalloc(z->at.n + 1, sizeof(*images));

	for (size_t i = 0; i < z->at.n; i++)
		images[i] = engine_file(z, z->at.at[i]);
	for (size_t p = 0; p < zonepatterns_count(patterns); p++) {
		bool there = zonepatterns_is_exclusion(patterns, p) ||
			     zonepatterns_may_miss(patterns, p);

		for (size_t i = 0; i < z->at.n && !there; i++)
			there = zonepatterns_is_for(patterns, p, images[i]->path);
		if (!there)
			return zonelist_no_module(images, z->at.n, zonepatterns_text(patterns, p));
	}
	return NULL;
}

/* An error, before the capture begins, if nothing matches a pattern: unless a signal has ended the
 * reading, of which the capture itself will know. */
int engine_read_check(struct engine *z)
{
	const struct zonelist_request request = request_of(z);
	_free_ const struct image **images = mem_zalloc(z->at.n + 1, sizeof(*images));
	_free_ struct zonelist *lists = mem_zalloc(z->at.n + 1, sizeof(*lists));
	_free_ char *text = NULL;
	size_t n = 0;
	int ret;

	if (z->too_many)
		return zonelist_too_many(z->used + z->too_many, &request);
	for (size_t i = 0; i < z->at.n; i++) {
		if (!probed_image_is_read(z->at.at[i]))
			continue;
		images[n] = images_at(z->in.images, z->at.at[i]->image);
		lists[n++] = z->at.at[i]->list;
	}
	if (matches_or_waits(z, lists, images, n) || !z->in.wait->goes_on(z->in.wait->context))
		return 0;
	ret = zonelist_check(images, lists, n, &request);
	text = ret && z->remote ? mem_strdup(err_text()) : NULL;
	return text ? err(ret,
			  "%s ('%s' is not probed: it is on a mount that may not answer, as FUSE "
			  "and network file systems are)",
			  text, z->remote)
		    : ret;
}
