#include "process/maps.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "process/opener.h"

/* The first mapping that ends after @address. */
static size_t first_behind(const struct maps *m, uint64_t address)
{
	return vec_upto(&m->at, end, address);
}

/* Replaces @n_old mappings from @at on by @n_new others. */
static void replace(struct maps *m, size_t at, size_t n_old, const struct mapping *put,
		    size_t n_new)
{
	vec_reserve(&m->at, m->at.n + n_new);
	memmove(&m->at.at[at + n_new], &m->at.at[at + n_old],
		(m->at.n - at - n_old) * sizeof(*m->at.at));
	memcpy(&m->at.at[at], put, n_new * sizeof(*put));
	m->at.n += n_new - n_old;
}

bool maps_add(struct maps *m, const struct mapping *new)
{
	struct mapping put[3];
	size_t first, last, n = 0;
	bool other = false;

	if (new->start >= new->end)
		return false;
	first = last = first_behind(m, new->start);
	for (; last < m->at.n && m->at.at[last].start < new->end; last++) {
		const struct mapping *old = &m->at.at[last];

		other |= old->image != new->image || old->bias != new->bias;
	}
	if (last > first && m->at.at[first].start < new->start) {
		put[n] = m->at.at[first];
		put[n++].end = new->start;
	}
	put[n++] = *new;
	if (last > first && m->at.at[last - 1].end > new->end) {
		put[n] = m->at.at[last - 1];
		put[n++].start = new->end;
	}
	replace(m, first, last - first, put, n);
	return other;
}

void maps_copy(struct maps *to, const struct maps *from)
{
	to->at.n = 0;
	vec_reserve(&to->at, from->at.n);
	if (from->at.n)
		memcpy(to->at.at, from->at.at, from->at.n * sizeof(*from->at.at));
	to->at.n = from->at.n;
}

void maps_release(struct maps *m)
{
	vec_release(&m->at);
}

const struct mapping *maps_at(const struct maps *m, uint64_t address)
{
	const size_t i = first_behind(m, address);

	return i == m->at.n || m->at.at[i].start > address ? NULL : &m->at.at[i];
}

bool maps_place(const struct maps *m, uint64_t address, struct place *out)
{
	const struct mapping *at = maps_at(m, address);

	if (at)
		*out = (struct place){.offset = address + at->bias, .image = at->image};
	return at;
}

/* --- reading ---------------------------------------------------------------------------------- */

#define MAPS_MOST (16u << 20) /* 65,530 mappings, the kernel's default limit, with long paths */

int mappings_read(struct opener *opener, uint32_t pid,
		  void (*each)(void *context, const struct procfs_mapping *), void *context)
{
	const struct opener_request r = {.what = OPENER_READ,
					 .pid = pid,
					 .path = "maps",
					 .root_fd = OPENER_OWN_ROOT,
					 .bytes_most = MAPS_MOST};
	struct opener_answer a;
	char *save = NULL;
	const int rc = opener_ask(opener, &r, &a);

	if (rc)
		return opener_is_silent(rc) ? rc : -ESRCH;
	for (char *line = a.text ? strtok_r(a.text, "\n", &save) : NULL; line;
	     line = strtok_r(NULL, "\n", &save)) {
		struct procfs_mapping m;

		if (procfs_parse_mapping(line, &m))
			each(context, &m);
	}
	free(a.text);
	return 0;
}
