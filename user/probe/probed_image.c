#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "probe/probed_image.h"
#include "process/maps.h"
#include "wire_probe.h"

static const struct sites *sites_of(const struct probed_image *z, size_t k)
{
	return &z->list.zones.at[k].sites;
}

bool probed_image_has(const struct probed_image *z, size_t k)
{
	return !sites_of(z, k)->why && !z->refused.at[k];
}

bool probed_image_has_exits(const struct probed_image *z, size_t k)
{
	const struct sites *s = sites_of(z, k);

	return s->exits_known && s->exits.n;
}

bool probed_image_is_leaf(const struct probed_image *z, size_t k)
{
	return z->list.zones.at[k].actions & z->leaves && z->list.zones.at[k].implied &&
	       !z->list.hijack_unsafe && !sites_of(z, k)->own_return;
}

bool probed_image_has_leaves(const struct probed_image *z)
{
	for (size_t k = 0; k < z->list.zones.n && z->leaves; k++)
		if (probed_image_is_leaf(z, k))
			return true;
	return false;
}

bool probed_image_has_only_leaves(const struct probed_image *z)
{
	for (size_t k = 0; k < z->list.zones.n; k++)
		if (z->list.zones.at[k].actions & WIRE_WITH_CALLS && !probed_image_is_leaf(z, k))
			return false;
	return true;
}

bool probed_image_is_met(const struct probed_image *z, uint32_t pid)
{
	const struct probe_set *h = &z->attached;

	return h->entries != ATTACH_NOTHING && (!h->entry_pid || h->entry_pid == pid);
}

enum exit_way probed_image_exit(const struct probed_image *z, size_t k, uint32_t flags)
{
	if (z->attached.entries == ATTACH_SESSIONS && probed_image_is_leaf(z, k))
		return EXIT_SESSION;
	if (flags & WIRE_PROC_HIJACK)
		return sites_of(z, k)->own_return ? EXIT_NONE : EXIT_SESSION;
	if (flags & WIRE_PROC_RETS)
		return probed_image_has_exits(z, k) ? EXIT_RETS : EXIT_NONE;
	return EXIT_NONE;
}

bool probed_image_is_harmless(const struct probed_image *z)
{
	return probed_image_is_read(z) && zonelist_is_harmless(&z->list);
}

bool probed_image_is_past(const struct probed_image *z)
{
	return z->image == IMAGE_NONE;
}

bool probed_image_is_read(const struct probed_image *z)
{
	return z->first != UINT32_MAX;
}

static bool is_timed(const struct probed_image *z, size_t k)
{
	return z->modes.at[k] == PROBE_MODE_TIMED && probed_image_has_exits(z, k);
}

static uint32_t stepped_flag(const struct site *site)
{
	return site->class == SITE_STEPPED ? WIRE_PROBE_STEPPED : 0;
}

/* Whether the ends of its calls are seen by sessions alone. */
static bool needs_no_exits(const struct probed_image *z, size_t k, const struct probe_set *want)
{
	return want->entries == ATTACH_SESSIONS && !want->leaf_exits && probed_image_is_leaf(z, k);
}

/* The cookie's flags for the probe at @site of zone @k. */
static uint32_t flags_of(const struct probed_image *z, size_t k, const struct site *site,
			 const struct probe_set *want)
{
	const struct sites *s = sites_of(z, k);

	return stepped_flag(site) | (s->loops ? WIRE_PROBE_LOOPS : 0) |
	       (s->own_return ? WIRE_PROBE_ITSELF : 0) |
	       (z->list.flags & ZONELIST_GO ? WIRE_PROBE_GO : 0) |
	       (want->entries == ATTACH_SESSIONS && probed_image_is_leaf(z, k) ? WIRE_PROBE_LEAF
									       : 0) |
	       (want->exits && is_timed(z, k) && !needs_no_exits(z, k, want) ? WIRE_PROBE_RETS : 0);
}

/* What is done at calls of function @k; 0: it has no probe. */
static uint32_t actions_at(const struct probed_image *z, size_t k, const struct probe_set *want)
{
	const uint32_t zone = 1u << WIRE_ACTION_zone, actions = z->list.zones.at[k].actions;

	if (!probed_image_has(z, k) || z->modes.at[k] == PROBE_MODE_DETACHED)
		return 0;
	if (actions & zone && !want->counted)
		return actions;
	return (actions & ~zone) | 1u << WIRE_ACTION_count;
}

static void add_probe(const struct probed_image *z, size_t k, const struct site *site,
		      uint8_t generation, const struct probe_set *want, probe_list *out)
{
	const struct wire_cookie cookie = {.function = z->first + (uint32_t)k,
					   .flags = flags_of(z, k, site, want),
					   .condition = site->condition,
					   .image = z->slot,
					   .generation = generation,
					   .actions = actions_at(z, k, want)};

	vec_push(out, ((struct probe){.offset = site->offset,
				      .cookie = wire_cookie(cookie),
				      .semaphore = z->list.zones.at[k].marker.semaphore}));
}

/* Adds the entries of functions whose calls are seen to end by some action, or (@hits) by none. */
static void add_entries(const struct probed_image *z, uint8_t generation, bool hits,
			const struct probe_set *want, probe_list *out)
{
	for (size_t k = 0; k < z->list.zones.n; k++) {
		const uint32_t actions = actions_at(z, k, want);

		if (actions && hits == !(actions & WIRE_WITH_CALLS))
			add_probe(z, k, &sites_of(z, k)->entry, generation, want, out);
	}
}

static void add_exits(const struct probed_image *z, uint8_t generation,
		      const struct probe_set *want, probe_list *out)
{
	for (size_t k = 0; k < z->list.zones.n; k++) {
		const struct sites *s = sites_of(z, k);

		if (!(actions_at(z, k, want) & WIRE_WITH_CALLS) || !is_timed(z, k) ||
		    needs_no_exits(z, k, want))
			continue;
		for (size_t i = 0; i < s->exits.n; i++)
			add_probe(z, k, &s->exits.at[i], generation, want, out);
	}
}

/* Whether the instruction at @offset of the file is a RET. */
static bool is_ret(int fd, uint64_t offset)
{
	uint8_t bytes[2] = {0};

	if (pread(fd, bytes, sizeof(bytes), (off_t)offset) < 1)
		return false;
	return bytes[0] == 0xc3 || bytes[0] == 0xc2 || (bytes[0] == 0xf3 && bytes[1] == 0xc3);
}

static void add_switch(const struct probed_image *z, const struct zone_switch *s, int fd,
		       uint8_t generation, bool at_exit, probe_list *out)
{
	uint32_t back = strstr(s->name, "longjmp") ? WIRE_PROBE_BACK : 0;
	/* It calls a function on the other stack, which returns where that was left. */
	const bool returns_there = strstr(s->name, "ontop_fcontext");

	/* Where longjmp leads is seen at the next event. */
	if (s->sites.why || (at_exit && back))
		return;
	for (size_t i = 0; i < (at_exit ? s->sites.exits.n : 1); i++) {
		const struct site *site = at_exit ? &s->sites.exits.at[i] : &s->sites.entry;
		const uint32_t jump = at_exit && !returns_there && !is_ret(fd, site->offset)
					      ? WIRE_PROBE_JUMP
					      : 0;
		const struct wire_cookie cookie = {.flags = back | jump | stepped_flag(site),
						   .condition = site->condition,
						   .image = z->slot,
						   .generation = generation};

		vec_push(out,
			 ((struct probe){.offset = site->offset, .cookie = wire_cookie(cookie)}));
	}
}

static void add_switches(const struct probed_image *z, int fd, uint8_t generation, bool at_exit,
			 probe_list *out)
{
	for (size_t i = 0; i < z->list.switches.n; i++)
		add_switch(z, &z->list.switches.at[i], fd, generation, at_exit, out);
}

/* One attachment of an image's probes. */
struct job {
	struct probed_image *z;
	const struct probe_tools *tools;
	int fd;
	const struct probe_set *want;
	uint8_t generation;
	keeper_links links;
};

/* Whether a single probe of many may be the cause of an error. */
static bool may_be_one(int code)
{
	return code == -EINVAL || code == -EIO || code == -EOPNOTSUPP || code == -ENOTSUP ||
	       code == -ENOEXEC || code == -ENOENT;
}

/* Attaches @list. If the kernel refuses some of its probes, attaches all others, and notes whose
 * zones were refused. */
static int attach(struct job *job, enum probe_program program, uint32_t pid, const probe_list *list)
{
	bool of_zones = program != PROBE_SWITCH && program != PROBE_SWITCH_TO;
	probe_list half[2] = {{.at = list->at, .n = list->n / 2},
			      {.at = list->at + list->n / 2, .n = list->n - list->n / 2}};
	int ret = keeper_attach(job->tools->keeper, program, job->fd, &job->z->file, pid, list,
				&job->links);

	if (!ret || !may_be_one(ret))
		return ret;
	if (list->n == 1) {
		if (of_zones)
			job->z->refused.at[wire_cookie_function(list->at->cookie) - job->z->first] =
				true;
		return 0;
	}
	ret = attach(job, program, pid, &half[0]);
	return ret ? ret : attach(job, program, pid, &half[1]);
}

static bool same(const struct probe_set *a, const struct probe_set *b)
{
	return a->entries == b->entries && a->counted == b->counted && a->exits == b->exits &&
	       a->leaf_exits == b->leaf_exits && a->switches == b->switches &&
	       a->entry_pid == b->entry_pid && a->exit_pid == b->exit_pid &&
	       a->modes_number == b->modes_number;
}

/* Attaches the probes of one program, if any are wanted. */
static int attach_program(struct job *job, enum probe_program program)
{
	const struct probe_set *want = job->want;
	uint32_t pid = program == PROBE_EXIT ? want->exit_pid : want->entry_pid;
	probe_list list = {0};
	int ret;

	if (program == PROBE_SWITCH || program == PROBE_SWITCH_TO) {
		if (want->switches)
			add_switches(job->z, job->fd, job->generation, program == PROBE_SWITCH_TO,
				     &list);
	} else if (program == PROBE_EXIT) {
		if (want->exits)
			add_exits(job->z, job->generation, want, &list);
	} else if (program == PROBE_HIT) {
		if (want->entries != ATTACH_NOTHING)
			add_entries(job->z, job->generation, true, want, &list);
	} else if (want->entries == (program == PROBE_SESSION ? ATTACH_SESSIONS : ATTACH_ENTRIES)) {
		add_entries(job->z, job->generation, false, want, &list);
	}
	ret = list.n ? attach(job, program, pid, &list) : 0;
	vec_release(&list);
	return ret;
}

/*
 * If several programs are at one place, the one attached last runs first. The order makes sure that
 * a call is recorded before its stack is left, and ended after its stack is entered again; and
 * that every call seen to begin is seen to end.
 */
static int attach_all(struct job *job)
{
	static const enum probe_program order[] = {PROBE_SWITCH, PROBE_EXIT,	PROBE_HIT,
						   PROBE_ENTRY,	 PROBE_SESSION, PROBE_SWITCH_TO};
	int ret = 0;

	for (size_t i = 0; i < sizeof(order) / sizeof(*order) && !ret; i++)
		ret = attach_program(job, order[i]);
	return ret;
}

int probed_image_attach(struct probed_image *z, const struct probe_tools *tools,
			const struct image *image, const struct probe_set *want)
{
	struct job job = {.z = z,
			  .tools = tools,
			  .fd = image->fd,
			  .want = want,
			  .generation = z->generation + 1};
	int ret;

	if (same(want, &z->attached) || z->written)
		return 0;
	own_code_leave(tools->own, job.fd);
	ret = attach_all(&job);
	if (ret) {
		keeper_drop(tools->keeper, &job.links);
		return ret;
	}
	probemaps_set_generation(tools->maps, z->slot, job.generation);
	keeper_drop(tools->keeper, &z->links);
	z->links = job.links;
	z->generation = job.generation;
	z->attached = *want;
	return 0;
}

void probed_image_release(struct probed_image *z)
{
	vec_release(&z->links);
	zonelist_release(&z->list);
	vec_release(&z->refused);
	vec_release(&z->modes);
	if (z->was)
		free(z->was->path);
	free(z->was);
}
