#include "cmd/zones_listing.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/units.h"
#include "elf/buildid.h"
#include "load/session.h"
#include "probe/calibrate.h"

/*
 * As the target sees it (tools/bench zone_cost) on a virtual machine, where stepping costs far more
 * than on bare metal. A RET is stepped.
 */
const struct zones_cost zones_cost_reference = {
	.ns = {[SITE_NOP5] = {[EXIT_SESSION] = 1250, [EXIT_RETS] = 10500, [EXIT_NONE] = 600},
	       [SITE_EMULATED] = {[EXIT_SESSION] = 1500, [EXIT_RETS] = 10700, [EXIT_NONE] = 660},
	       [SITE_STEPPED] = {[EXIT_SESSION] = 10400, [EXIT_RETS] = 19500, [EXIT_NONE] = 9300}}};

static void take_known(const struct calibration *c, struct zones_cost *out)
{
	for (int class = SITE_NOP5; class <= SITE_STEPPED; class ++) {
		for (int exit = EXIT_SESSION; exit <= EXIT_NONE; exit++) {
			const struct calibrated at = calibration_of(c, class, exit);

			if (!at.known)
				continue;
			out->ns[class][exit] = at.outer_ns;
			out->measured = true;
		}
	}
}

int zones_cost_measure(struct zones_cost *out)
{
	const struct probe_request request = {.max_zones = 1, .actions = 1u << WIRE_ACTION_zone};
	struct target target = {.kind = TARGET_PIDS, .cgroup_fd = -1};
	const struct session_options o = {.target = &target,
					  .hash_bits = 64,
					  .tick_ns = 200000000,
					  .probes = &request,
					  .table_bytes = TABLES_MAX_BYTES};
	struct calibration *calibration;
	struct session *session = NULL;
	int rc;

	vec_push(&target.pids, (uint32_t)getpid());
	rc = session_open(&o, &session);
	if (!rc) {
		calibration = calibrate(session_probes(session));
		take_known(calibration, out);
		calibration_free(calibration);
	}
	session_close(session);
	vec_release(&target.pids);
	if (!rc && !out->measured)
		rc = err(-EIO, "probes could not be timed on this machine");
	return rc;
}

/* The dearest of several exits counts. Functions that end only in tail calls have emulated exits.
 */
static double zones_cost_of(const struct zones_cost *c, const struct sites *s, enum exit_way exit)
{
	bool as_timed = exit != EXIT_RETS; /* with a RET */

	for (size_t i = 0; i < s->exits.n; i++)
		as_timed |= s->exits.at[i].class == SITE_STEPPED;
	return as_timed ? c->ns[s->entry.class][exit]
			: c->ns[s->entry.class][EXIT_NONE] + c->ns[SITE_EMULATED][EXIT_NONE];
}

/* A longer cell, as a name of C++, does not widen its column. */
#define WIDEST 40

/* A function. Numbers are uint64_t, so that columns can refer to them. */
struct row {
	const struct zone_def *zone;
	const char *site, *exit, *name, *linkage, *path, *module, *file, *remark;
	uint64_t number;	       /* of its module */
	uint64_t site_rank, exit_rank; /* from the cheapest to what cannot be a zone */
	uint64_t cost_ns, size, address, line, exits, splits, loops, own_return;
};

struct rows {
	VEC(struct row) at;
};

/* --- columns -------------------------------------------------------------------------------- */

enum kind { TEXT, SOURCE, COUNT, ADDRESS, COST, FLAG };

#define AT(field) offsetof(struct row, field)

/* Those with a title are in the table, unless nothing stands in them; those with a key in JSON. */
static const struct column {
	const char *title, *key, *sort;
	enum kind kind;
	size_t at, sort_at;
	bool largest_first;
} columns[] = {
	{"Site", NULL, "site", TEXT, AT(site), AT(site_rank), false},
	{"Exit", NULL, "exit", TEXT, AT(exit), AT(exit_rank), false},
	{"Cost", NULL, "cost", COST, AT(cost_ns), AT(cost_ns), true},
	{"Bytes", "size", "size", COUNT, AT(size), AT(size), true},
	{"Address", "address", "address", ADDRESS, AT(address), AT(address), false},
	{"Function", "name", "name", TEXT, AT(name), 0, false},
	{"Module", NULL, NULL, TEXT, AT(module), 0, false},
	{NULL, "module", "module", TEXT, AT(path), 0, false},
	{"Source", "file", "file", SOURCE, AT(file), AT(line), false},
	{"", NULL, NULL, TEXT, AT(remark), 0, false},
	{NULL, "linkage", NULL, TEXT, AT(linkage), 0, false},
	{NULL, "line", NULL, COUNT, AT(line), 0, false},
	{NULL, "splits", NULL, FLAG, AT(splits), 0, false},
	{NULL, "loops", NULL, FLAG, AT(loops), 0, false},
	{NULL, "own_return", NULL, FLAG, AT(own_return), 0, false},
};
enum { COLUMNS = sizeof(columns) / sizeof(*columns) };

static const char *text_at(const struct row *r, size_t at)
{
	return *(const char *const *)((const char *)r + at);
}

static uint64_t number_at(const struct row *r, size_t at)
{
	return *(const uint64_t *)((const char *)r + at);
}

/* Why it cannot be a zone, or can only be counted; NULL: neither. */
static const char *remark_on(const struct sites *s, enum exit_way exit)
{
	if (s->why || exit != EXIT_NONE)
		return s->why;
	return !s->exits_why && s->own_return ? "it uses its own return address" : s->exits_why;
}

static struct row row_of(const struct zones_found *f, size_t module, const struct zone_def *z)
{
	const struct sites *s = &z->sites;
	const enum exit_way exit = sites_exit_way(s, !f->no_session);
	const bool can = !s->why;
	const char *path = f->images[module]->path;

	return (struct row){
		.zone = z,
		.site = can ? site_class_name(s->entry.class) : "no",
		.exit = can ? exit_way_name(exit) : NULL,
		.name = z->name,
		.linkage = z->linkage ? z->linkage : z->name,
		.path = path,
		.module = f->n > 1 ? str_base(path) : NULL,
		.file = z->file,
		.remark = remark_on(s, exit),
		.number = module,
		.site_rank = can ? s->entry.class : SITE_CLASSES,
		.exit_rank = can ? exit : EXIT_WAYS,
		.cost_ns = can ? (uint64_t)(zones_cost_of(&f->cost, s, exit) + 0.5) : 0,
		.size = z->size,
		.address = z->address,
		.line = z->line,
		.exits = s->exits.n,
		.splits = s->splits,
		.loops = s->loops,
		.own_return = s->own_return,
	};
}

/* --- order ---------------------------------------------------------------------------------- */

static const struct column *find_column(const char *name)
{
	for (size_t i = 0; i < COLUMNS; i++)
		if (columns[i].sort && !strcmp(columns[i].sort, name))
			return &columns[i];
	return NULL;
}

int zones_sort_check(const char *sort)
{
	if (find_column(sort + (*sort == '-')))
		return 0;
	return err(-EINVAL, "--sort is by " ZONES_SORT_NAMES ", not by '%s'", sort);
}

static int compare_numbers(const struct row *a, const struct row *b, size_t at)
{
	const uint64_t x = number_at(a, at), y = number_at(b, at);

	return x < y ? -1 : x > y;
}

/* By rank or number; by text where there is none. Files are sorted by both, unknown ones last. */
static int compare_column(const struct column *c, const struct row *a, const struct row *b)
{
	const char *x, *y;
	int by = 0;

	if (c->kind == SOURCE || !c->sort_at) {
		x = text_at(a, c->at);
		y = text_at(b, c->at);
		by = x && y ? strcmp(x, y) : !x - !y;
	}
	if (!by && c->sort_at)
		by = compare_numbers(a, b, c->sort_at);
	return c->largest_first ? -by : by;
}

static int compare(const void *left, const void *right, void *context)
{
	const struct row *a = left, *b = right;
	const char *sort = context;
	const bool reversed = sort && *sort == '-';
	int by = sort ? compare_column(find_column(sort + reversed), a, b) : 0;

	if (by)
		return reversed ? -by : by;
	by = compare_numbers(a, b, AT(number));
	by = by ? by : compare_numbers(a, b, AT(address));
	return by ? by : strcmp(a->name, b->name);
}

/* --- table ---------------------------------------------------------------------------------- */

/* Puts the cell, or the title if @r is NULL, into @s, and returns its width. */
static size_t put_cell(struct str *s, const struct column *c, const struct row *r)
{
	const uint64_t number = r && c->kind > SOURCE
	? number_at(r, c->at) : 0;
	const char *text = !r ? c->title : c->kind <= SOURCE
	? text_at(r, c->at) : NULL;
	_free_ char *clean = text ? str_clean(text, strlen(text)) : NULL;
	char cost[UNITS_BUF];

	str_release(s);
	if (text)
		str_addf(s, r && !*c->title ? "(%s)" : "%s", clean);
	else if (c->kind == COST)
		str_add(s, number ? units_ns(cost, sizeof(cost), (double)number) : "–");
	else if (c->kind > SOURCE)
		str_addf(s, c->kind == ADDRESS ? "%" PRIx64 : "%" PRIu64, number);
	if (r && text && c->kind == SOURCE && r->line)
		str_addf(s, ":%" PRIu64, r->line);
	return str_width(str_text(s));
}

/* No column is narrower than its title; in those of width 0 nothing stands. */
static void measure(const struct rows *rows, size_t widths[COLUMNS])
{
	struct str cell = {0};

	for (size_t c = 0; c < COLUMNS; c++) {
		widths[c] = 0;
		for (size_t i = 0; columns[c].title && i < rows->at.n; i++) {
			const size_t width = put_cell(&cell, &columns[c], &rows->at.at[i]);
			const size_t title = strlen(columns[c].title) + 1;

			if (width > widths[c] && (width <= WIDEST || !widths[c]))
				widths[c] = width > WIDEST || width < title ? title : width;
		}
	}
	str_release(&cell);
}

/* emulated  session   970 ns    216    9f4c0  free  malloc.c:3280 */
static void print_line(const size_t widths[COLUMNS], const struct row *r)
{
	struct str line = {0}, cell = {0};

	for (size_t c = 0; c < COLUMNS; c++) {
		const size_t width = widths[c] ? put_cell(&cell, &columns[c], r) : 0;
		const int pad = width < widths[c] ? (int)(widths[c] - width) : 0;
		const bool right = columns[c].kind > SOURCE;

		if (widths[c])
			str_addf(&line, "%*s%s%*s  ", right ? pad : 0, "", str_text(&cell),
				 right ? 0 : pad, "");
	}
	while (line.n && line.s[line.n - 1] == ' ')
		line.s[--line.n] = '\0';
	puts(str_text(&line));
	str_release(&cell);
	str_release(&line);
}

static void print_count(uint64_t n, const char *what)
{
	char count[UNITS_BUF];

	if (n)
		printf(", %s %s", units_count(count, sizeof(count), (int64_t)n), what);
}

static void print_sums(const struct rows *rows)
{
	uint64_t by_site[SITE_CLASSES + 1] = {0}, counted = 0;
	char count[UNITS_BUF];

	for (size_t i = 0; i < rows->at.n; i++) {
		by_site[rows->at.at[i].site_rank]++;
		counted += rows->at.at[i].exit_rank == EXIT_NONE;
	}
	printf("\n%s function%s", units_count(count, sizeof(count), (int64_t)rows->at.n),
	       rows->at.n == 1 ? "" : "s");
	for (unsigned int i = SITE_NOP5; i <= SITE_STEPPED; i++)
		print_count(by_site[i], site_class_name(i));
	print_count(by_site[SITE_CLASSES], "cannot be zones");
	print_count(counted, "can be counted, not timed");
	puts(".");
}

static void print_table(const struct zones_found *f, const struct rows *rows)
{
	size_t widths[COLUMNS];

	measure(rows, widths);
	print_line(widths, NULL);
	for (size_t i = 0; i < rows->at.n; i++)
		print_line(widths, &rows->at.at[i]);
	print_sums(rows);
	for (size_t i = 0; i < f->n; i++)
		if (f->lists[i].zones.n && f->lists[i].flags & ZONELIST_NO_SYMTAB)
			printf("%s is stripped: only the functions that it exports are known by "
			       "name, and those that it calls in other modules ('*@plt').\n",
			       str_base(f->images[i]->path));
	if (f->no_session)
		printf("The ends of calls are seen by probes on RET: %s.\n", f->no_session);
	puts(f->cost.measured ? "Cost: per call, as timed on this machine just now."
			      : "Cost: per call, on the reference machine, a virtual one; "
				"--measure times this one.");
}

/* --- JSON ----------------------------------------------------------------------------------- */

static void add_member(struct str *s, const struct column *c, const struct row *r)
{
	if (c->kind <= SOURCE)
		json_member(s, c->key, text_at(r, c->at));
	else if (c->kind == FLAG)
		json_flag(s, c->key, number_at(r, c->at));
	else
		str_addf(s, ", \"%s\": %" PRIu64, c->key, number_at(r, c->at));
}

static void add_function(struct str *s, const struct row *r)
{
	const struct site *entry = &r->zone->sites.entry;

	if (r->zone->sites.why)
		str_add(s, "{\"site\": null, \"exit\": null, \"cost_ns\": null");
	else
		str_addf(s,
			 "{\"site\": {\"class\": \"%s\", \"address\": %" PRIu64
			 ", \"offset\": %" PRIu64 "}, \"exit\": \"%s\", \"exits\": %" PRIu64
			 ", \"cost_ns\": %" PRIu64,
			 r->site, entry->address, entry->offset, r->exit, r->exits, r->cost_ns);
	for (size_t c = 0; c < COLUMNS; c++)
		if (columns[c].key)
			add_member(s, &columns[c], r);
	json_member(s, "why", r->zone->sites.why);
	json_member(s, "exits_why", r->zone->sites.exits_why);
	str_addc(s, '}');
}

static void add_module(struct str *s, const struct image *image, const struct zonelist *list)
{
	char hex[BUILDID_HEX];

	str_add(s, "{\"path\": ");
	json_quoted(s, image->path);
	json_member(s, "build_id",
		    image->build_id_bytes ? buildid_hex(image->build_id, image->build_id_bytes, hex)
					  : NULL);
	str_addf(s, ", \"functions\": %" PRIu64, list->functions);
	json_flag(s, "stripped", list->flags & ZONELIST_NO_SYMTAB);
	json_member(s, "problem", list->problem);
	json_member(s, "hijack_unsafe", list->hijack_unsafe);
	str_addc(s, '}');
}

static void print_json(const struct zones_found *f, const struct rows *rows)
{
	struct str s = {0};

	str_addf(&s, "{\"hijack\": %s", f->no_session ? "false" : "true");
	json_flag(&s, "cost_measured", f->cost.measured);
	json_member(&s, "hijack_why_not", f->no_session);
	str_add(&s, ", \"modules\": [");
	for (size_t i = 0; i < f->n; i++) {
		str_add(&s, i ? ",\n  " : "\n  ");
		add_module(&s, f->images[i], &f->lists[i]);
	}
	str_add(&s, "\n], \"functions\": [");
	for (size_t i = 0; i < rows->at.n; i++) {
		str_add(&s, i ? ",\n  " : "\n  ");
		add_function(&s, &rows->at.at[i]);
	}
	str_add(&s, "\n]}\n");
	fputs(str_text(&s), stdout);
	str_release(&s);
}

void zones_listing_print(const struct zones_found *f, const char *sort, bool json)
{
	struct rows rows = {0};

	for (size_t i = 0; i < f->n; i++)
		for (size_t k = 0; k < f->lists[i].zones.n; k++)
			vec_push(&rows.at, row_of(f, i, &f->lists[i].zones.at[k]));
	if (rows.at.n)
		qsort_r(rows.at.at, rows.at.n, sizeof(*rows.at.at), compare,
			(void *)(uintptr_t)sort);
	(json ? print_json : print_table)(f, &rows);
	vec_release(&rows.at);
}
