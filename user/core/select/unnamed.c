#include "select/unnamed.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "model/packed.h"

/* --- what there is to name ------------------------------------------------------------------- */

/* Whether it is code of a file without a name. */
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

	return order_up(a->module, b->module)
		       ?: order_up(a->address, b->address) ?: order_up(a->frame, b->frame);
}

/* Finds the frames with an address to name, by module and address: *@n of them, the caller's. */
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

/* Whether the @i-th has another address than the one before it. */
static bool is_next(const struct wanted *all, size_t i)
{
	return !i || all[i].module != all[i - 1].module || all[i].address != all[i - 1].address;
}

/* Makes the modules from what they borrow from. */
static void settle(struct unnamed *u)
{
	const uint64_t *addresses = u->addresses.at;

	for (size_t i = 0; i < u->of_modules.n; i++) {
		const struct unnamed_texts *m = &u->of_modules.at[i];

		vec_push(&u->modules,
			 ((struct unnamed_module){.name = intern_text(&u->texts, m->name),
						  .path = intern_text(&u->texts, m->path),
						  .id = intern_text(&u->texts, m->id),
						  .addresses = addresses,
						  .n = m->n}));
		addresses += m->n;
	}
}

void unnamed_find(struct unnamed *u, const struct profile *p)
{
	size_t n;
	_free_ struct wanted *all = find_wanted(p, &n);

	*u = (struct unnamed){0};
	for (size_t i = 0; i < n; i++) {
		const struct module *m = &p->modules.at[all[i].module];

		if (!i || all[i].module != all[i - 1].module)
			vec_push(&u->of_modules,
				 ((struct unnamed_texts){
					 .name = intern_add(&u->texts,
							    profile_module_name(p, all[i].module)),
					 .path = intern_add(&u->texts, profile_text(p, m->path)),
					 .id = intern_add(&u->texts,
							  profile_text(p, m->build_id))}));
		if (!is_next(all, i))
			continue;
		vec_push(&u->addresses, all[i].address);
		u->of_modules.at[u->of_modules.n - 1].n++;
	}
	for (size_t i = 1; i < p->frames.n; i++)
		u->without_address += is_unnamed(p, &p->frames.at[i]) && !p->frames.at[i].address;
	settle(u);
}

void unnamed_release(struct unnamed *u)
{
	vec_release(&u->modules);
	vec_release(&u->of_modules);
	vec_release(&u->addresses);
	intern_release(&u->texts);
}

uint32_t *unnamed_of_frames(const struct profile *p)
{
	size_t n;
	_free_ struct wanted *all = find_wanted(p, &n);
	uint32_t *of = mem_zalloc(p->frames.n + 1, sizeof(*of)), number = 0;

	for (size_t i = 0; i < n; i++) {
		number += is_next(all, i);
		of[all[i].frame] = number;
	}
	return of;
}

/* --- as bytes --------------------------------------------------------------------------------- */

struct head {
	uint64_t modules, addresses, text_bytes, without_address;
};

void unnamed_pack(const struct unnamed *u, struct str *out)
{
	const struct head head = {u->of_modules.n, u->addresses.n, u->texts.bytes.n,
				  u->without_address};

	str_addn(out, (const char *)&head, sizeof(head));
	PACKED_ADD(out, &u->of_modules);
	PACKED_ADD(out, &u->addresses);
	PACKED_ADD(out, &u->texts.bytes);
}

static bool is_clean(const struct unnamed *u, uint32_t text)
{
	const char *s = text < intern_count(&u->texts) ? intern_text(&u->texts, text) : NULL;

	return s && str_is_clean(s, strlen(s));
}

static int check(const struct unnamed *u)
{
	uint64_t at = 0;

	for (size_t i = 0; i < u->of_modules.n; i++) {
		const struct unnamed_texts *m = &u->of_modules.at[i];

		if (!is_clean(u, m->name) || !is_clean(u, m->path) || !is_clean(u, m->id) ||
		    !m->n || m->n > u->addresses.n - at || !u->addresses.at[at])
			return -EINVAL;
		for (uint32_t k = 1; k < m->n; k++)
			if (u->addresses.at[at + k] <= u->addresses.at[at + k - 1])
				return -EINVAL;
		at += m->n;
	}
	return at == u->addresses.n ? 0 : -EINVAL;
}

static int unpack(struct packed rest, struct unnamed *u)
{
	struct head head;
	int rc = PACKED_TAKE(&rest, &head);

	if (rc)
		return rc;
	u->without_address = head.without_address;
	rc = PACKED_TAKE_ALL(&rest, &u->of_modules, head.modules);
	if (!rc)
		rc = PACKED_TAKE_ALL(&rest, &u->addresses, head.addresses);
	if (!rc)
		rc = packed_take_texts(&rest, head.text_bytes, &u->texts);
	return rc ? rc : rest.n ? -EINVAL : check(u);
}

int unnamed_unpack(const char *at, size_t n, struct unnamed *u)
{
	int rc;

	*u = (struct unnamed){0};
	rc = unpack((struct packed){at, n}, u);
	if (rc)
		return err(rc, "what is to be named cannot be read");
	settle(u);
	return 0;
}
