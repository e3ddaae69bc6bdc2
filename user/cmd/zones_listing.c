#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "base/units.h"
#include "base/json.h"
#include "cmd/zones_listing.h"
#include "elf/buildid.h"

/* --- table ---------------------------------------------------------------------------------- */

/* Why it cannot be a zone, or only in part; NULL: it can. */
static const char *remark_on(const struct zone_def *zone, enum exit_way exit)
{
	if (zone->sites.why)
		return zone->sites.why;
	if (exit != EXIT_NONE)
		return NULL;
	if (!zone->sites.exits_why && zone->sites.own_return)
		return "it uses its own return address";
	return zone->sites.exits_why;
}

/* Of the table's columns, as wide as what stands in them. */
struct widths {
	size_t address, name;
};

/* emulated  session   970 ns       216    9f4c0  free  malloc.c:3280 */
static void print_zone(const struct zones_found *l, const struct zones_row *row,
		       const struct widths *widths)
{
	const struct zone_def *zone = row->zone;
	const enum exit_way exit = sites_exit_way(&zone->sites, l->hijack);
	const char *remark = remark_on(zone, exit);
	const bool can = !zone->sites.why;
	char cost[UNITS_BUF] = "–";
	struct str s = {0};

	if (can)
		units_ns(cost, sizeof(cost), row->cost_ns);
	str_addf(&s, "%-8s  %-7s  ", can ? site_class_name(zone->sites.entry.class) : "no",
		 can ? exit_way_name(exit) : "");
	for (size_t n = str_width(cost); n < 7; n++)
		str_addc(&s, ' ');
	str_addf(&s, "%s %8" PRIu64 "  %*" PRIx64 "  %s", cost, zone->size, (int)widths->address,
		 zone->address, zone->name);
	for (size_t n = str_width(zone->name); n < widths->name; n++)
		str_addc(&s, ' ');
	if (l->n > 1)
		str_addf(&s, "  %s", str_base(l->images[row->image]->path));
	if (zone->file && zone->line)
		str_addf(&s, "  %s:%u", zone->file, zone->line);
	else if (zone->file)
		str_addf(&s, "  %s", zone->file);
	if (remark)
		str_addf(&s, "  (%s)", remark);
	while (s.n && s.s[s.n - 1] == ' ')
		s.s[--s.n] = '\0';
	puts(str_text(&s));
	str_release(&s);
}

/* The column of names is not as wide as the longest of C++. */
static struct widths widths_of(const struct zones_rows *rows)
{
	struct widths w = {.address = strlen("Address"), .name = strlen("Function")};

	for (size_t i = 0; i < rows->at.n; i++) {
		const struct zone_def *zone = rows->at.at[i].zone;
		const size_t name = str_width(zone->name);
		const size_t address = (size_t)snprintf(NULL, 0, "%" PRIx64, zone->address);

		w.name = name > w.name && name <= 40 ? name : w.name;
		w.address = address > w.address ? address : w.address;
	}
	return w;
}

struct sums {
	uint64_t all, by_class[SITE_CLASSES], cannot, counted;
};

static struct sums add_up(const struct zones_found *l)
{
	struct sums s = {0};

	for (size_t i = 0; i < l->n; i++) {
		for (size_t k = 0; k < l->lists[i].zones.n; k++) {
			const struct sites *sites = &l->lists[i].zones.at[k].sites;

			s.all++;
			if (sites->why)
				s.cannot++;
			else
				s.by_class[sites->entry.class]++;
			s.counted += !sites->why && sites_exit_way(sites, l->hijack) == EXIT_NONE;
		}
	}
	return s;
}

static void print_count(uint64_t n, const char *what)
{
	char count[UNITS_BUF];

	if (n)
		printf(", %s %s", units_count(count, sizeof(count), (int64_t)n), what);
}

static void print_sums(const struct zones_found *l)
{
	const struct sums s = add_up(l);
	char count[UNITS_BUF];

	printf("\n%s function%s", units_count(count, sizeof(count), (int64_t)s.all),
	       s.all == 1 ? "" : "s");
	for (unsigned int i = SITE_NOP5; i <= SITE_STEPPED; i++)
		print_count(s.by_class[i], site_class_name(i));
	print_count(s.cannot, "cannot be zones");
	print_count(s.counted, "can be counted, not timed");
	puts(".");
}

/* What is to be known of the files. */
static void print_files(const struct zones_found *l)
{
	for (size_t i = 0; i < l->n; i++) {
		const struct zonelist *list = &l->lists[i];
		const char *base = str_base(l->images[i]->path);

		if (!list->zones.n)
			continue;
		if (list->flags & ZONELIST_NO_SYMTAB)
			printf("%s is stripped: only the functions that it exports are known by "
			       "name, and those that it calls in other modules ('*@plt').\n",
			       base);
	}
}

void zones_listing_table(const struct zones_found *l, const struct zones_rows *rows)
{
	const struct widths w = widths_of(rows);

	printf("%-8s  %-7s  %7s %8s  %*s  %-*s%s  %s\n", "Site", "Exit", "Cost", "Bytes",
	       (int)w.address, "Address", (int)w.name, "Function", l->n > 1 ? "  Module" : "",
	       "Source");
	for (size_t i = 0; i < rows->at.n; i++)
		print_zone(l, &rows->at.at[i], &w);
	print_sums(l);
	print_files(l);
	if (l->why_not)
		printf("The ends of calls are seen by probes on RET: %s.\n", l->why_not);
	puts(l->cost->measured ? "Cost: per call, as timed on this machine just now."
			       : "Cost: per call, on the reference machine, a virtual one; "
				 "--measure times this one.");
}

/* --- JSON ----------------------------------------------------------------------------------- */

static void add_site(struct str *s, const struct zones_row *row, enum exit_way exit)
{
	const struct zone_def *zone = row->zone;
	const struct site *entry = &zone->sites.entry;

	if (zone->sites.why) {
		str_add(s, ", \"site\": null, \"exit\": null, \"cost_ns\": null");
		return;
	}
	str_addf(s,
		 ", \"site\": {\"class\": \"%s\", \"address\": %" PRIu64 ", \"offset\": %" PRIu64
		 "}, \"exit\": \"%s\", \"exits\": %zu, \"cost_ns\": %.0f",
		 site_class_name(entry->class), entry->address, entry->offset, exit_way_name(exit),
		 zone->sites.exits.n, row->cost_ns);
}

static void add_zone(struct str *s, const struct zones_found *l, const struct zones_row *row)
{
	const struct zone_def *zone = row->zone;
	const enum exit_way exit = sites_exit_way(&zone->sites, l->hijack);

	str_add(s, "{\"name\": ");
	json_quoted(s, zone->name);
	json_member(s, "linkage", zone->linkage ? zone->linkage : zone->name);
	json_member(s, "module", l->images[row->image]->path);
	json_member(s, "file", zone->file);
	str_addf(s, ", \"line\": %u, \"address\": %" PRIu64 ", \"size\": %" PRIu64, zone->line,
		 zone->address, zone->size);
	add_site(s, row, exit);
	str_addf(s, ", \"splits\": %s, \"loops\": %s, \"own_return\": %s",
		 zone->sites.splits ? "true" : "false", zone->sites.loops ? "true" : "false",
		 zone->sites.own_return ? "true" : "false");
	json_member(s, "why", zone->sites.why);
	json_member(s, "exits_why", zone->sites.exits_why);
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
	str_addf(s, ", \"functions\": %" PRIu64 ", \"stripped\": %s", list->functions,
		 list->flags & ZONELIST_NO_SYMTAB ? "true" : "false");
	json_member(s, "problem", list->problem);
	json_member(s, "hijack_unsafe", list->hijack_unsafe);
	str_addc(s, '}');
}

void zones_listing_json(const struct zones_found *l, const struct zones_rows *rows)
{
	struct str s = {0};

	str_addf(&s, "{\"hijack\": %s, \"cost_measured\": %s", l->hijack ? "true" : "false",
		 l->cost->measured ? "true" : "false");
	json_member(&s, "hijack_why_not", l->why_not);
	str_add(&s, ", \"modules\": [");
	for (size_t i = 0; i < l->n; i++) {
		str_add(&s, i ? ",\n  " : "\n  ");
		add_module(&s, l->images[i], &l->lists[i]);
	}
	str_add(&s, "\n], \"functions\": [");
	for (size_t i = 0; i < rows->at.n; i++) {
		str_add(&s, i ? ",\n  " : "\n  ");
		add_zone(&s, l, &rows->at.at[i]);
	}
	str_add(&s, "\n]}\n");
	fputs(str_text(&s), stdout);
	str_release(&s);
}
