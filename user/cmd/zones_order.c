#include "cmd/zones_order.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"

typedef int compare_fn(const struct zones_found *, const struct zones_row *,
		       const struct zones_row *);

struct order {
	const struct zones_found *listing;
	compare_fn *by; /* NULL: the default */
	bool turned;
};

static int by_number(double a, double b)
{
	return a < b ? -1 : a > b;
}

static int by_address(const struct zones_found *l, const struct zones_row *a,
		      const struct zones_row *b)
{
	(void)l;
	return a->zone->address < b->zone->address ? -1 : a->zone->address > b->zone->address;
}

static int by_name(const struct zones_found *l, const struct zones_row *a,
		   const struct zones_row *b)
{
	(void)l;
	return strcmp(a->zone->name, b->zone->name);
}

/* The largest first, as is the dearest. */
static int by_size(const struct zones_found *l, const struct zones_row *a,
		   const struct zones_row *b)
{
	(void)l;
	return by_number((double)b->zone->size, (double)a->zone->size);
}

static int by_cost(const struct zones_found *l, const struct zones_row *a,
		   const struct zones_row *b)
{
	(void)l;
	return by_number(b->cost_ns, a->cost_ns);
}

/* From what costs least to what can be no zone. */
static int site_rank(const struct zones_row *r)
{
	return r->zone->sites.why ? SITE_CLASSES : (int)r->zone->sites.entry.class;
}

static int by_site(const struct zones_found *l, const struct zones_row *a,
		   const struct zones_row *b)
{
	(void)l;
	return site_rank(a) - site_rank(b);
}

static int exit_rank(const struct zones_found *l, const struct zones_row *r)
{
	return r->zone->sites.why ? EXIT_NONE + 1 : (int)sites_exit_way(&r->zone->sites, l->hijack);
}

static int by_exit(const struct zones_found *l, const struct zones_row *a,
		   const struct zones_row *b)
{
	return exit_rank(l, a) - exit_rank(l, b);
}

static int by_file(const struct zones_found *l, const struct zones_row *a,
		   const struct zones_row *b)
{
	const char *x = a->zone->file, *y = b->zone->file;
	int by = x && y ? strcmp(x, y) : !x - !y;

	(void)l;
	return by ? by : by_number(a->zone->line, b->zone->line);
}

static int by_module(const struct zones_found *l, const struct zones_row *a,
		     const struct zones_row *b)
{
	return strcmp(l->images[a->image]->path, l->images[b->image]->path);
}

static const struct {
	const char *name;
	compare_fn *by;
} columns[] = {
	{"address", by_address}, {"name", by_name}, {"size", by_size}, {"cost", by_cost},
	{"site", by_site},	 {"exit", by_exit}, {"file", by_file}, {"module", by_module},
};

static compare_fn *find(const char *name)
{
	for (size_t i = 0; i < sizeof(columns) / sizeof(*columns); i++)
		if (!strcmp(columns[i].name, name))
			return columns[i].by;
	return NULL;
}

int zones_order_check(const char *order)
{
	if (find(order + (order[0] == '-')))
		return 0;
	return err(-EINVAL, "--sort is by " ZONES_ORDER_NAMES ", not by '%s'", order);
}

static int compare(const void *left, const void *right, void *context)
{
	const struct zones_row *a = left, *b = right;
	const struct order *o = context;
	int by = o->by ? o->by(o->listing, a, b) : 0;

	if (by)
		return o->turned ? -by : by;
	if (a->image != b->image)
		return a->image < b->image ? -1 : 1;
	by = by_address(o->listing, a, b);
	return by ? by : by_name(o->listing, a, b);
}

void zones_rows_build(const struct zones_found *l, const char *order, struct zones_rows *out)
{
	struct order o = {.listing = l, .turned = order && order[0] == '-'};

	o.by = order ? find(order + o.turned) : NULL;
	*out = (struct zones_rows){0};
	for (size_t i = 0; i < l->n; i++) {
		for (size_t k = 0; k < l->lists[i].zones.n; k++) {
			const struct zone_def *z = &l->lists[i].zones.at[k];
			enum exit_way exit = sites_exit_way(&z->sites, l->hijack);
			double cost = z->sites.why ? 0 : zones_cost_of(l->cost, &z->sites, exit);

			vec_push(&out->at, ((struct zones_row){i, z, cost}));
		}
	}
	if (out->at.n)
		qsort_r(out->at.at, out->at.n, sizeof(*out->at.at), compare, &o);
}

void zones_rows_release(struct zones_rows *rows)
{
	vec_release(&rows->at);
}
