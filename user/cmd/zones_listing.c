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

/* What a call of a zone costs, by the class of its entry site and the way its end is seen. */
struct costs {
	double ns[SITE_CLASSES][EXIT_WAYS];
	bool measured; /* on this machine */
};

/* On the reference machine, as the target sees it (tools/bench zone_cost): a virtual machine, where
 * stepping costs far more than on bare metal. A RET is stepped. */
static const struct costs reference = {
	.ns = {[SITE_NOP5] = {[EXIT_SESSION] = 1250, [EXIT_RETS] = 10500, [EXIT_NONE] = 600},
	       [SITE_EMULATED] = {[EXIT_SESSION] = 1500, [EXIT_RETS] = 10700, [EXIT_NONE] = 660},
	       [SITE_STEPPED] = {[EXIT_SESSION] = 10400, [EXIT_RETS] = 19500, [EXIT_NONE] = 9300}}};

static void calibrate_costs(struct probe_session *session, struct costs *out)
{
	struct calibration *c = calibrate(session);

	for (int class = SITE_NOP5; class <= SITE_STEPPED; class ++)
		for (int exit = EXIT_SESSION; exit <= EXIT_NONE; exit++) {
			const struct calibrated at = calibration_of(c, class, exit);

			if (at.known)
				out->ns[class][exit] = at.outer_ns;
			out->measured |= at.known;
		}
	calibration_free(c);
}

static int measure_costs(struct costs *out)
{
	const struct probe_request request = {.max_zones = 1, .actions = 1u << WIRE_ACTION_zone};
	struct target target = {.kind = TARGET_PIDS, .cgroup_fd = -1};
	const struct session_options o = {.target = &target,
					  .hash_bits = 64,
					  .tick_ns = 200000000,
					  .probes = &request,
					  .table_bytes = TABLES_MAX_BYTES};
	struct session *session = NULL;
	int rc;

	vec_push(&target.pids, (uint32_t)getpid());
	rc = session_open(&o, &session);
	if (!rc)
		calibrate_costs(session_probes(session), out);
	session_close(session);
	vec_release(&target.pids);
	if (!rc && !out->measured)
		rc = err(-EIO, "probes could not be timed on this machine");
	return rc;
}

/* The dearest of several exits counts. Functions that end only in tail calls have emulated exits.
 */
static double cost_of(const struct costs *c, const struct sites *s, enum exit_way exit)
{
	bool as_timed = exit != EXIT_RETS; /* with a RET */

	for (size_t i = 0; i < s->exits.n; i++)
		as_timed |= s->exits.at[i].class == SITE_STEPPED;
	return as_timed ? c->ns[s->entry.class][exit]
			: c->ns[s->entry.class][EXIT_NONE] + c->ns[SITE_EMULATED][EXIT_NONE];
}

/* A function, and by what it is sorted: a text, NULL last, then a number. */
struct row {
	const struct zone_def *zone;
	const char *path, *text;
	size_t module;
	unsigned int site, exit; /* its class and way; SITE_CLASSES, EXIT_WAYS: it cannot be one */
	uint64_t cost_ns, number;
};

struct listing {
	const struct zones_found *found;
	VEC(struct row) rows;
	bool reversed;
};

/* --- order ---------------------------------------------------------------------------------- */

enum { BY_ADDRESS, BY_NAME, BY_SIZE, BY_COST, BY_SITE, BY_EXIT, BY_FILE, BY_MODULE, SORTS };

static int find_sort(const char *name)
{
	static const char *const names[SORTS] = {"address", "name", "size", "cost",
						 "site",    "exit", "file", "module"};
	int i = 0;

	while (i < SORTS && strcmp(name, names[i]) != 0)
		i++;
	return i;
}

int zones_sort_check(const char *sort)
{
	if (find_sort(sort + (*sort == '-')) < SORTS)
		return 0;
	return err(-EINVAL, "--sort is by " ZONES_SORT_NAMES ", not by '%s'", sort);
}

/* The largest and the dearest come first. */
static void set_key(struct row *r, int sort)
{
	const uint64_t numbers[SORTS] = {[BY_ADDRESS] = r->zone->address,
					 [BY_SIZE] = UINT64_MAX - r->zone->size,
					 [BY_COST] = UINT64_MAX - r->cost_ns,
					 [BY_SITE] = r->site,
					 [BY_EXIT] = r->exit,
					 [BY_FILE] = r->zone->line};
	const char *const texts[SORTS] = {
		[BY_NAME] = r->zone->name, [BY_FILE] = r->zone->file, [BY_MODULE] = r->path};

	r->number = numbers[sort];
	r->text = texts[sort];
}

static int compare(const void *left, const void *right, void *listing)
{
	const struct row *a = left, *b = right;
	int by = a->text && b->text ? strcmp(a->text, b->text) : !a->text - !b->text;

	by = by ? by : order_up(a->number, b->number);
	if (by)
		return ((struct listing *)listing)->reversed ? -by : by;
	by = order_up(a->module, b->module);
	by = by ? by : order_up(a->zone->address, b->zone->address);
	return by ? by : strcmp(a->zone->name, b->zone->name);
}

/* --- table ---------------------------------------------------------------------------------- */

/* A longer cell, as a name of C++, does not widen its column. */
#define WIDEST 40

enum { SITE, EXIT, COST, BYTES, ADDRESS, FUNCTION, MODULE, SOURCE, REMARK, COLUMNS };
static const char *const titles[COLUMNS] = {"Site",	"Exit",	  "Cost",   "Bytes", "Address",
					    "Function", "Module", "Source", ""};

/* Why it cannot be a zone, or can only be counted; NULL: neither. */
static const char *remark_on(const struct row *r)
{
	const struct sites *s = &r->zone->sites;

	if (r->exit != EXIT_NONE)
		return s->why;
	return !s->exits_why && s->own_return ? "it uses its own return address" : s->exits_why;
}

static void set_cells(const struct listing *l, const struct row *r, struct str cells[COLUMNS])
{
	const struct zone_def *z = r->zone;
	const bool can = !z->sites.why;
	const char *remark = remark_on(r);

	for (int c = 0; c < COLUMNS; c++)
		str_release(&cells[c]);
	str_add(&cells[SITE], can ? site_class_name(r->site) : "no");
	str_add(&cells[EXIT], can ? exit_way_name(r->exit) : "");
	str_add(&cells[COST], r->cost_ns ? ns_text((double)r->cost_ns) : "–");
	str_addf(&cells[BYTES], "%" PRIu64, z->size);
	str_addf(&cells[ADDRESS], "%" PRIx64, z->address);
	str_add(&cells[FUNCTION], z->name);
	str_add(&cells[MODULE], l->found->images.n > 1 ? str_base(r->path) : "");
	str_add(&cells[SOURCE], z->file ? z->file : "");
	if (z->file && z->line)
		str_addf(&cells[SOURCE], ":%" PRIu32, z->line);
	if (remark)
		str_addf(&cells[REMARK], "(%s)", remark);
	for (int c = FUNCTION; c < COLUMNS; c++) {
		_free_ char *clean = str_clean(str_text(&cells[c]), cells[c].n);

		str_release(&cells[c]);
		str_add(&cells[c], clean);
	}
}

/* No column is narrower than its title; one of width 0 is empty, and left out. */
static void widen(const struct str cells[COLUMNS], size_t widths[COLUMNS])
{
	for (int c = 0; c < COLUMNS; c++) {
		const size_t width = str_width(str_text(&cells[c])), title = strlen(titles[c]) + 1;

		if (width > widths[c] && (width <= WIDEST || !widths[c]))
			widths[c] = width > WIDEST || width < title ? title : width;
	}
}

/* emulated  session   970 ns    216    9f4c0  free  malloc.c:3280 */
static void print_line(const struct str cells[COLUMNS], const size_t widths[COLUMNS])
{
	struct str line = {0};

	for (int c = 0; c < COLUMNS; c++) {
		const char *text = cells ? str_text(&cells[c]) : titles[c];
		const size_t width = str_width(text);
		const int pad = width < widths[c] ? (int)(widths[c] - width) : 0;
		const bool right = c >= COST && c <= ADDRESS;

		if (widths[c])
			str_addf(&line, "%*s%s%*s  ", right ? pad : 0, "", text, right ? 0 : pad,
				 "");
	}
	while (line.n && line.s[line.n - 1] == ' ')
		line.s[--line.n] = '\0';
	puts(str_text(&line));
	str_release(&line);
}

static void print_lines(const struct listing *l)
{
	struct str cells[COLUMNS] = {0};
	size_t widths[COLUMNS] = {0};

	vec_each (r, &l->rows) {
		set_cells(l, r, cells);
		widen(cells, widths);
	}
	print_line(NULL, widths);
	vec_each (r, &l->rows) {
		set_cells(l, r, cells);
		print_line(cells, widths);
	}
	for (int c = 0; c < COLUMNS; c++)
		str_release(&cells[c]);
}

static void print_sums(const struct listing *l)
{
	uint64_t n[SITE_CLASSES + 2] = {0};

	vec_each (r, &l->rows) {
		n[r->site]++;
		n[SITE_CLASSES + 1] += r->exit == EXIT_NONE;
	}
	printf("\n%s function%s", count_text((int64_t)l->rows.n), l->rows.n == 1 ? "" : "s");
	for (unsigned int i = SITE_NOP5; i < SITE_CLASSES + 2; i++)
		if (n[i])
			printf(", %s %s", count_text((int64_t)n[i]),
			       i < SITE_CLASSES	   ? site_class_name(i)
			       : i == SITE_CLASSES ? "cannot be zones"
						   : "can be counted, not timed");
	puts(".");
}

static void print_table(const struct listing *l, const struct costs *costs)
{
	const struct zones_found *f = l->found;

	print_lines(l);
	print_sums(l);
	for (size_t i = 0; i < f->images.n; i++)
		if (f->lists[i].zones.n && f->lists[i].flags & ZONELIST_NO_SYMTAB)
			printf("%s is stripped: only the functions that it exports are known by "
			       "name, and those that it calls in other modules ('*@plt').\n",
			       str_base(f->images.at[i]->path));
	if (f->no_session)
		printf("The ends of calls are seen by probes on RET: %s.\n", f->no_session);
	puts(costs->measured ? "Cost: per call, as timed on this machine just now."
			     : "Cost: per call, on the reference machine, a virtual one; "
			       "--measure times this one.");
}

/* --- JSON ----------------------------------------------------------------------------------- */

static void add_function(struct str *s, const struct row *r)
{
	const struct zone_def *z = r->zone;
	const struct sites *sites = &z->sites;

	if (sites->why)
		str_add(s, "{\"site\": null, \"exit\": null, \"cost_ns\": null");
	else
		str_addf(s,
			 "{\"site\": {\"class\": \"%s\", \"address\": %" PRIu64
			 ", \"offset\": %" PRIu64
			 "}, \"exit\": \"%s\", \"exits\": %zu, \"cost_ns\": %" PRIu64,
			 site_class_name(r->site), sites->entry.address, sites->entry.offset,
			 exit_way_name(r->exit), sites->exits.n, r->cost_ns);
	str_addf(s, ", \"size\": %" PRIu64 ", \"address\": %" PRIu64, z->size, z->address);
	json_member(s, "name", z->name);
	json_member(s, "module", r->path);
	json_member(s, "file", z->file);
	json_member(s, "linkage", z->linkage ? z->linkage : z->name);
	str_addf(s, ", \"line\": %" PRIu32, z->line);
	json_flag(s, "splits", sites->splits);
	json_flag(s, "loops", sites->loops);
	json_flag(s, "own_return", sites->own_return);
	json_member(s, "why", sites->why);
	json_member(s, "exits_why", sites->exits_why);
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

static void print_json(const struct listing *l, const struct costs *costs)
{
	const struct zones_found *f = l->found;
	struct str s = {0};

	str_addf(&s, "{\"hijack\": %s", f->no_session ? "false" : "true");
	json_flag(&s, "cost_measured", costs->measured);
	json_member(&s, "hijack_why_not", f->no_session);
	str_add(&s, ", \"modules\": [");
	for (size_t i = 0; i < f->images.n; i++) {
		str_add(&s, i ? ",\n  " : "\n  ");
		add_module(&s, f->images.at[i], &f->lists[i]);
	}
	str_add(&s, "\n], \"functions\": [");
	for (size_t i = 0; i < l->rows.n; i++) {
		str_add(&s, i ? ",\n  " : "\n  ");
		add_function(&s, &l->rows.at[i]);
	}
	str_add(&s, "\n]}\n");
	fputs(str_text(&s), stdout);
	str_release(&s);
}

/* --- all ------------------------------------------------------------------------------------ */

static void add_rows(struct listing *l, size_t module, const struct costs *costs, int sort)
{
	vec_each (z, &l->found->lists[module].zones) {
		const struct sites *s = &z->sites;
		struct row *r = vec_add(&l->rows);

		*r = (struct row){.zone = z,
				  .path = l->found->images.at[module]->path,
				  .module = module,
				  .site = SITE_CLASSES,
				  .exit = EXIT_WAYS};
		if (!s->why) {
			r->site = s->entry.class;
			r->exit = sites_exit_way(s, !l->found->no_session);
			r->cost_ns = (uint64_t)(cost_of(costs, s, r->exit) + 0.5);
		}
		if (sort < SORTS)
			set_key(r, sort);
	}
}

int zones_listing_print(const struct zones_found *f, const char *sort, bool json, bool measure)
{
	struct listing l = {.found = f, .reversed = sort && *sort == '-'};
	struct costs costs = reference;
	const int rc = measure ? measure_costs(&costs) : 0;

	if (rc)
		return rc;
	for (size_t i = 0; i < f->images.n; i++)
		add_rows(&l, i, &costs, sort ? find_sort(sort + l.reversed) : SORTS);
	vec_sort_by(&l.rows, compare, &l);
	(json ? print_json : print_table)(&l, &costs);
	vec_release(&l.rows);
	return 0;
}
