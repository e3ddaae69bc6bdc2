/* images_forget(), and how many files images may hold open: anybody can map one new file after the
 * other. See images.h, images_state.h. */
#include "process/images.h"
#include "process/images_state.h"

#include <stdlib.h>
#include <unistd.h>

#include "process/maps.h"
#include "process/opener.h"

/* Descriptors that the rest of eprof needs while files are kept open. */
#define SPARE_FDS 64

static uint64_t open_of(const struct images *m, uid_t uid)
{
	const uint32_t *n = map_get(&m->open_by_user, uid);

	return n ? *n : 0;
}

bool images_may_hold(const struct images *m, uint32_t pid, int fd)
{
	const uid_t uid = owner_uid(pid);
	uint64_t own, others;

	if ((uint64_t)fd + SPARE_FDS > m->max_fds)
		return false;
	if (!uid)
		return true;
	own = open_of(m, uid);
	others = m->n_open - own;
	return own < (m->max_fds - SPARE_FDS - others) / 2;
}

void images_held(struct images *m, const struct image *image, bool held)
{
	bool fresh;
	uint32_t *n;

	if (!image->has_mapper || image->fd < 0)
		return;
	n = map_put(&m->open_by_user, image->mapper.uid, &fresh);
	*n += held ? 1u : -1u;
	m->n_open += held ? 1u : -1ull;
}

void image_free(struct image *image)
{
	if (!image)
		return;
	if (image->fd >= 0)
		close(image->fd);
	free(image->path);
	free(image->note);
	free(image);
}

/* Whether an image has it as its process's root. */
static bool is_root_of_any(void *context, int fd)
{
	const struct images *m = context;

	for (size_t i = 0; i < m->at.n; i++)
		if (m->at.at[i] && m->at.at[i]->root_fd == fd)
			return true;
	return false;
}

/* Takes @image, which is to be forgotten, out of the images of its build. If it was the first of
 * them, the next one is from now on: returns that, else IMAGE_NONE. */
static uint32_t unlink_copy(struct images *m, uint32_t number)
{
	const struct image *image = m->at.at[number];
	const uint32_t heir = image->next_copy;
	uint32_t *link = &m->at.at[image->first]->next_copy;

	if (image->first != number) {
		while (*link != number)
			link = &m->at.at[*link]->next_copy;
		*link = heir;
		return IMAGE_NONE;
	}
	for (uint32_t i = heir; i != IMAGE_NONE; i = m->at.at[i]->next_copy)
		m->at.at[i]->first = heir;
	return heir;
}

/* The build is known by the image @heir from now on, instead of @number. */
static void inherit_build(struct images *m, uint32_t number, uint32_t heir)
{
	for (size_t i = 0; i < m->aliases.n && heir != IMAGE_NONE; i++)
		if (m->aliases.at[i].image == number && m->aliases.at[i].id.build_id_bytes)
			m->aliases.at[i].image = heir;
}

/* The names and pids by which images are found, of those that are left. */
static void forget_keys(struct images *m)
{
	struct map by_key = {0}, by_pid = {0};
	size_t n = 0;
	bool fresh;

	for (size_t i = 0; i < m->aliases.n; i++) {
		const struct alias *a = &m->aliases.at[i];
		const struct image *image = m->at.at[a->image];
		uint64_t key = image ? identity_key(&a->id, image->path) : 0;
		const uint32_t *known = image ? map_get(&m->by_key, key) : NULL;

		if (!known || *known != i)
			continue;
		*map_put(&by_key, key, &fresh) = (uint32_t)n;
		m->aliases.at[n++] = *a;
	}
	m->aliases.n = n;
	for (uint32_t i = IMAGE_FIRST; i < m->at.n; i++) {
		const struct image *image = m->at.at[i];
		const uint32_t *now = image ? map_get(&m->by_pid, image->jit_pid) : NULL;

		if (now && *now == i)
			*map_put(&by_pid, image->jit_pid, &fresh) = i;
	}
	map_release(&m->by_key);
	map_release(&m->by_pid);
	m->by_key = by_key;
	m->by_pid = by_pid;
}

bool images_is_stale(const struct images *m, uint32_t image)
{
	return m->at.at[image]->asked + 1 < m->round;
}

void images_forget(struct images *m, const uint8_t *used)
{
	for (uint32_t i = IMAGE_FIRST; i < m->at.n; i++) {
		struct image *image = m->at.at[i];

		if (!image || used[i] || (image->kind != IMAGE_KIND_JIT && !images_is_stale(m, i)))
			continue;
		inherit_build(m, i, unlink_copy(m, i));
		images_held(m, image, false);
		opener_close(m->opener, image->fd);
		image->fd = -1;
		image_free(image);
		m->at.at[i] = NULL;
		vec_push(&m->unused, i);
	}
	m->round++;
	forget_keys(m);
	roots_forget(m->roots, is_root_of_any, m);
}
