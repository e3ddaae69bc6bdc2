#include "model/unnamed.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "model/packed.h"

/* --- what there is to name ------------------------------------------------------------------- */

/* Of a file, and without a name. */
static bool is_unnamed(const struct profile *p, const struct frame *f)
{
	const struct function *g = &p->functions.at[f->function];

	return f->function && !g->named && g->kind == KIND_NATIVE && g->module;
}

struct wanted {
	uint64_t address;
	uint32_t module, frame;
};

static int compare(const void *left, const void *right)
{
	const struct wanted *a = left, *b = right;

	if (a->module != b->module)
		return a->module < b->module ? -1 : 1;
	if (a->address != b->address)
		return a->address < b->address ? -1 : 1;
	return a->frame < b->frame ? -1 : a->frame > b->frame;
}

/* Frames that have an address to name, by module and address; *@n of them, the caller's. */
static struct wanted *find_wanted(const struct profile *p, size_t *n)
{
	struct wanted *all = mem_zalloc(p->frames.n, sizeof(*all));

	*n = 0;
	for (size_t i = 1; i < p->frames.n; i++) {
		const struct frame *f = &p->frames.at[i];

		if (is_unnamed(p, f) && f->address)
			all[(*n)++] = (struct wanted){
				f->address, p->functions.at[f->function].module, (uint32_t)i};
	}
	if (*n)
		qsort(all, *n, sizeof(*all), compare);
	return all;
}

/* Whether the @i-th begins another address. */
static bool is_next(const struct wanted *all, size_t i)
{
	return !i || all[i].module != all[i - 1].module || all[i].address != all[i - 1].address;
}

/* The module of all[@first …], and where the next one begins. */
static size_t add_module(struct unnamed *u, const struct profile *p, const struct wanted *all,
			 size_t first, size_t n)
{
	const struct module *module = &p->modules.at[all[first].module];
	struct unnamed_module *m = vec_add(&u->modules);
	size_t end = first;

	while (end < n && all[end].module == all[first].module)
		end++;
	*m = (struct unnamed_module){
		.module = all[first].module,
		.name = mem_strdup(profile_module_name(p, all[first].module)),
		.path = mem_strdup(profile_text(p, module->path)),
		.id = mem_strdup(profile_text(p, module->build_id)),
		.addresses = mem_zalloc(end - first, sizeof(*m->addresses)),
	};
	for (size_t i = first; i < end; i++)
		if (is_next(all, i))
			m->addresses[m->n++] = all[i].address;
	return end;
}

void unnamed_find(struct unnamed *u, const struct profile *p)
{
	size_t n;
	_free_ struct wanted *all = find_wanted(p, &n);

	*u = (struct unnamed){0};
	for (size_t i = 0; i < n;)
		i = add_module(u, p, all, i, n);
	for (size_t i = 1; i < p->frames.n; i++)
		u->without_address += is_unnamed(p, &p->frames.at[i]) && !p->frames.at[i].address;
}

void unnamed_release(struct unnamed *u)
{
	for (size_t i = 0; i < u->modules.n; i++) {
		free(u->modules.at[i].name);
		free(u->modules.at[i].path);
		free(u->modules.at[i].id);
		free(u->modules.at[i].addresses);
	}
	vec_release(&u->modules);
}

size_t unnamed_count(const struct unnamed *u)
{
	size_t n = 0;

	for (size_t i = 0; i < u->modules.n; i++)
		n += u->modules.at[i].n;
	return n;
}

uint32_t *unnamed_of_frames(const struct unnamed *u, const struct profile *p)
{
	size_t n;
	_free_ struct wanted *all = find_wanted(p, &n);
	uint32_t *of = mem_zalloc(p->frames.n + 1, sizeof(*of)), number = 0;

	(void)u;
	for (size_t i = 0; i < n; i++) {
		number += is_next(all, i);
		of[all[i].frame] = number;
	}
	return of;
}

/* --- as bytes -----------------------------------------------------------------------------------
 */

/*
 *	u64 modules, u64 without_address
 *	of each module: u64 addresses, u64 bytes of its three texts, with a NUL behind each
 *	the texts of all; 0 to 7 zeroes; the addresses of all
 */
#define TEXTS	   3
#define MOST_BYTES (16 << 20) /* of one text: names of modules are paths */

struct head {
	uint64_t modules, without_address;
};
struct entry {
	uint64_t addresses, text_bytes[TEXTS];
};

static char **text_of(struct unnamed_module *m, int i)
{
	return i == 0 ? &m->name : i == 1 ? &m->path : &m->id;
}

void unnamed_pack(const struct unnamed *u, struct str *out)
{
	const struct head head = {u->modules.n, u->without_address};
	const size_t start = out->n;

	str_addn(out, (const char *)&head, sizeof(head));
	for (size_t i = 0; i < u->modules.n; i++) {
		struct entry e = {.addresses = u->modules.at[i].n};

		for (int k = 0; k < TEXTS; k++)
			e.text_bytes[k] = strlen(*text_of(&u->modules.at[i], k)) + 1;
		str_addn(out, (const char *)&e, sizeof(e));
	}
	for (size_t i = 0; i < u->modules.n; i++)
		for (int k = 0; k < TEXTS; k++) {
			const char *text = *text_of(&u->modules.at[i], k);

			str_addn(out, text, strlen(text) + 1);
		}
	while ((out->n - start) % sizeof(uint64_t))
		str_addc(out, '\0');
	for (size_t i = 0; i < u->modules.n; i++)
		str_addn(out, (const char *)u->modules.at[i].addresses,
			 u->modules.at[i].n * sizeof(uint64_t));
}

/* A text that is fit for people, and that ends where it is said to. */
static int take_text(struct packed *rest, uint64_t bytes, char **text)
{
	const char *at = bytes && bytes <= MOST_BYTES ? packed_take(rest, bytes, 1) : NULL;

	if (!at || at[bytes - 1] || strlen(at) != bytes - 1 || !str_is_clean(at, bytes - 1))
		return -EINVAL;
	*text = mem_strdup(at);
	return 0;
}

static int take_texts(struct packed *rest, const struct entry *e, struct unnamed_module *m)
{
	int rc = 0;

	for (int k = 0; k < TEXTS && !rc; k++)
		rc = take_text(rest, e->text_bytes[k], text_of(m, k));
	return rc;
}

static int take_addresses(struct packed *rest, uint64_t n, struct unnamed_module *m)
{
	const char *at = n ? packed_take(rest, n, sizeof(*m->addresses)) : NULL;

	if (!at)
		return -EINVAL;
	m->addresses = mem_zalloc(n, sizeof(*m->addresses));
	memcpy(m->addresses, at, n * sizeof(*m->addresses));
	m->n = n;
	for (size_t i = 0; i < n; i++)
		if (!m->addresses[i] || (i && m->addresses[i] <= m->addresses[i - 1]))
			return -EINVAL;
	return 0;
}

static int unpack(struct packed rest, struct unnamed *u)
{
	const char *start = rest.at, *at = packed_take(&rest, 1, sizeof(struct head));
	struct entry e;
	struct head head;
	int rc = 0;

	if (!at)
		return -EINVAL;
	memcpy(&head, at, sizeof(head));
	u->without_address = head.without_address;
	at = packed_take(&rest, head.modules, sizeof(e));
	if (!at)
		return -EINVAL;
	for (uint64_t i = 0; i < head.modules && !rc; i++) {
		memcpy(&e, at + i * sizeof(e), sizeof(e));
		rc = take_texts(&rest, &e, vec_add(&u->modules));
	}
	if (!rc && !packed_take(&rest, -(uint64_t)(rest.at - start) % sizeof(uint64_t), 1))
		rc = -EINVAL;
	for (uint64_t i = 0; i < head.modules && !rc; i++) {
		memcpy(&e, at + i * sizeof(e), sizeof(e));
		rc = take_addresses(&rest, e.addresses, &u->modules.at[i]);
	}
	return !rc && rest.n ? -EINVAL : rc;
}

int unnamed_unpack(const char *at, size_t n, struct unnamed *u)
{
	int rc;

	*u = (struct unnamed){0};
	rc = unpack((struct packed){at, n}, u);
	return rc ? err(rc, "what is to be named cannot be read") : 0;
}
