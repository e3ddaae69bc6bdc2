/* Zones in reports and exports, as text with what is expected beside it. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <string.h>

#include "base/err.h"
#include "base/str.h"
#include "export/export.h"
#include "model/row.h"
#include "paint/csv.h"
#include "report_doc.h"
#include "zone_profile.h"

/* The text of one view, as a terminal of @width columns has it, without title and subtitle. */
static char *view_text(struct profile *p, const struct selection *sel, const char *view,
		       const char *format, unsigned width)
{
	const struct format_options options = {.width = width};
	struct report_doc r;
	char *text, *body;
	size_t n;

	report_doc_init(&r, p, sel, (const char *const[]){view, NULL});
	text = report_doc_write(&r.doc, format, &options, &n);
	body = strstr(text, "subtitle\n");
	body = mem_strdup(body ? body + strlen("subtitle\n") : text);
	free(text);
	report_doc_release(&r);
	return body;
}

static void assert_view(struct profile *p, const struct selection *sel, const char *view,
			unsigned width, const char *expected)
{
	_free_ char *text = view_text(p, sel, view, "txt", width);

	assert_string_equal(text, expected);
}

/* As --clock wall leaves it: no events. */
static struct profile *plain_profile(void)
{
	struct profile *p = zone_profile();

	p->zone_values.n = 0;
	row_index_reset(p, TABLE_zone_values);
	return p;
}

static void zones_on_a_wide_terminal(void **state)
{
	(void)state;
	assert_view(
		plain_profile(), NULL, "zones", 200,
		"\n"
		"Zones  100 % = the capture's 10.0 s, threads add up; 8 zones, 21,475,838,925 "
		"calls; wall clock\n"
		"   Share             Total  Net total    Self           Calls     Mean  Net mean  "
		"    p50      p99  Zone                                              Module        "
		"   Notes\n"
		"  60.0 %  ████▊     6.00 s     5.59 s  500 ms             100  60.0 ms   55.9 ms  "
		"50.3 ms  70.0 ms  sqlite3_step                                      "
		"libsqlite3.so.0\n"
		"  55.0 %  ████▍     5.50 s     5.09 s  3.10 s             100  55.0 ms   50.9 ms  "
		"45.1 ms  65.0 ms  sqlite3VdbeExec                                   "
		"libsqlite3.so.0\n"
		"  20.0 %  █▋        2.00 s     2.00 s  2.00 s              12   167 ms    167 ms  "
		" 101 ms   233 ms  <wait>\n"
		"  12.0 %  █         1.20 s     1.00 s  1.20 s       1,000,000  1.20 µs   1.00 µs  "
		"1.10 µs  1.30 µs  vdbeRecordCompareInt                              "
		"libsqlite3.so.0  short\n"
		"  10.0 %  ▊         1.00 s     999 ms  1.00 s           2,003   500 µs    500 µs  "
		" 401 µs   600 µs  dict<int, std::less<int>, \"x\">::find(int const&)  libfoo & "
		"bar.so  3 unwound; 2 in … 1 open at start\n"
		"   8.0 %  ▋         800 ms     796 ms  800 ms             200  4.00 ms   3.98 ms  "
		"3.01 ms  5.00 ms  pread64                                           libc.so.6\n"
		"   4.0 %  ▍         400 ms     400 ms  400 ms              30  23.3 ms   23.3 ms  "
		"15.0 ms  40.0 ms  expr_walk                                         "
		"libsqlite3.so.0\n"
		"       –                 –          –       –  21,474,836,480        –         –  "
		"      –        –  memcpy                                            libc.so.6     "
		"   counted\n"
		"  Net: less what the probes added. Short: a call's net mean is below three times "
		"what its probes cost, so its times are mostly probe cost. Counted: not timed; the "
		"zone's own report and the summary say\n"
		"  why. Unwound: left by longjmp, an exception or the thread's end; counted, not "
		"timed. In flight, open at start: not ended or not begun while captured; in no "
		"other column.\n");
}

static void zones_on_a_narrow_terminal(void **state)
{
	(void)state;
	assert_view(
		plain_profile(), &(struct selection){.sort = "counts"}, "zones", 80,
		"\n"
		"Zones  100 % = the capture's 10.0 s, threads add up; 8 zones, 21,475,838,925\n"
		"       calls; wall clock\n"
		"   Share   Total           Calls     Mean      p99  Zone                Notes\n"
		"       –       –  21,474,836,480        –        –  memcpy              counted\n"
		"  12.0 %  1.20 s       1,000,000  1.20 µs  1.30 µs  vdbeRecor…mpareInt  short\n"
		"  10.0 %  1.00 s           2,003   500 µs   600 µs  dict<…>::… const&)  3 un…art\n"
		"   8.0 %  800 ms             200  4.00 ms  5.00 ms  pread64\n"
		"  55.0 %  5.50 s             100  55.0 ms  65.0 ms  sqlite3VdbeExec\n"
		"  60.0 %  6.00 s             100  60.0 ms  70.0 ms  sqlite3_step\n"
		"   4.0 %  400 ms              30  23.3 ms  40.0 ms  expr_walk\n"
		"  20.0 %  2.00 s              12   167 ms   233 ms  <wait>\n"
		"  Net: less what the probes added. Short: a call's net mean is below three times\n"
		"  what its probes cost, so its times are mostly probe cost. Counted: not timed;\n"
		"  the zone's own report and the summary say why. Unwound: left by longjmp, an\n"
		"  exception or the thread's end; counted, not timed. In flight, open at start:\n"
		"  not ended or not begun while captured; in no other column.\n");
}

/* Nothing of the columns that are kept of all threads together. */
static void zones_of_a_thread(void **state)
{
	(void)state;
	assert_view(plain_profile(), &(struct selection){.threads.thread = "4800", .from_ns = 5},
		    "zones", 100,
		    "\n"
		    "Zones  100 % = the capture's 10.0 s, threads add up; 2 zones, 21,474,836,510 "
		    "calls; wall clock\n"
		    "   Share             Total    Self           Calls      Min      Max  Zone    "
		    "      Module\n"
		    "  15.0 %  █▎        1.50 s  150 ms              30  50.0 ms  70.0 ms  "
		    "sqlite3_step  libsqlite3.so.0\n"
		    "       –                 –       –  21,474,836,480        –        –  memcpy  "
		    "      libc.so.6\n"
		    "  Of the selected threads; percentiles, deviations and net times are kept of "
		    "all threads together\n"
		    "  only.\n"
		    "  --from does not apply to zones: they are of the whole capture.\n");
}

/* Two zones as captured with other clocks. */
static struct profile *clocked_profile(const char *clock)
{
	struct profile *p = plain_profile();
	struct zone *step = &p->zones.at[Z_STEP], *exec = &p->zones.at[Z_EXEC];

	profile_set_run(p, RUN_CLOCK, clock);
	step->cpu_ns = 4000000000;
	step->sys_ns = 250000000;
	step->blocked_ns = 1900000000;
	step->minflt = 1200;
	step->majflt = 34;
	exec->cpu_ns = 3700000000;
	exec->sys_ns = 1000;
	return p;
}

static const struct selection two_zones = {.zone = "sqlite3*"};

static void zones_by_cpu(void **state)
{
	(void)state;
	assert_view(clocked_profile("cpu"), &two_zones, "zones", 140,
		    "\n"
		    "Zones  100 % = the capture's 10.0 s, threads add up; 2 zones, 200 calls; "
		    "clock: cpu\n"
		    "   Share             Total  Net total    Self     CPU  Blocked  Calls     "
		    "Mean  Net mean      p50      p99  Zone             Module\n"
		    "  60.0 %  ████▊     6.00 s     5.59 s  500 ms  4.00 s   1.90 s    100  60.0 "
		    "ms   55.9 ms  50.3 ms  70.0 ms  sqlite3_step     libsqlite3.so.0\n"
		    "  55.0 %  ████▍     5.50 s     5.09 s  3.10 s  3.70 s     0 ns    100  55.0 "
		    "ms   50.9 ms  45.1 ms  65.0 ms  sqlite3VdbeExec  libsqlite3.so.0\n"
		    "  Net: less what the probes added.\n");
	assert_view(
		clocked_profile("cpu"), &two_zones, "zones", 80,
		"\n"
		"Zones  100 % = the capture's 10.0 s, threads add up; 2 zones, 200 calls; clock:\n"
		"       cpu\n"
		"   Share   Total     CPU  Blocked  Calls     Mean      p99  Zone\n"
		"  60.0 %  6.00 s  4.00 s   1.90 s    100  60.0 ms  70.0 ms  sqlite3_step\n"
		"  55.0 %  5.50 s  3.70 s     0 ns    100  55.0 ms  65.0 ms  sqlite3VdbeExec\n"
		"  Net: less what the probes added.\n");
}

static void zones_with_rusage(void **state)
{
	(void)state;
	assert_view(clocked_profile("wall, rusage"), &two_zones, "zones", 140,
		    "\n"
		    "Zones  100 % = the capture's 10.0 s, threads add up; 2 zones, 200 calls; "
		    "clock: wall, rusage\n"
		    "   Share   Total  Net total    Self     CPU   System  Blocked  Faults  Calls  "
		    "   Mean  Net mean      p50      p99  Zone\n"
		    "  60.0 %  6.00 s     5.59 s  500 ms  4.00 s   250 ms   1.90 s   1,234    100  "
		    "60.0 ms   55.9 ms  50.3 ms  70.0 ms  sqlite3_step\n"
		    "  55.0 %  5.50 s     5.09 s  3.10 s  3.70 s  1.00 µs     0 ns       0    100  "
		    "55.0 ms   50.9 ms  45.1 ms  65.0 ms  sqlite3VdbeExec\n"
		    "  Net: less what the probes added.\n");
	assert_view(
		clocked_profile("rusage"), &two_zones, "zones", 80,
		"\n"
		"Zones  100 % = the capture's 10.0 s, threads add up; 2 zones, 200 calls; clock:\n"
		"       rusage\n"
		"   Share   Total     CPU  Blocked  Faults  Calls     Mean  Zone\n"
		"  60.0 %  6.00 s  4.00 s   1.90 s   1,234    100  60.0 ms  sqlite3_step\n"
		"  55.0 %  5.50 s  3.70 s     0 ns       0    100  55.0 ms  sqlite3VdbeExec\n"
		"  Net: less what the probes added.\n");
}

/* A column each, by its name; on a narrow terminal the first of them stays. */
static struct profile *counted_profile(void)
{
	struct profile *p = clocked_profile("page-faults,tsc");

	profile_zone_value(p, Z_STEP, "page-faults", 1234);
	profile_zone_value(p, Z_STEP, "msr/tsc/", 10478799616);
	profile_zone_value(p, Z_EXEC, "msr/tsc/", 9007199254740993);
	return p;
}

static void zones_with_events(void **state)
{
	(void)state;
	assert_view(counted_profile(), &(struct selection){.zone = "/^(sqlite3|mem)/"}, "zones",
		    140,
		    "\n"
		    "Zones  100 % = the capture's 10.0 s, threads add up; 3 zones, 21,474,836,680 "
		    "calls; clock: page-faults,tsc\n"
		    "   Share   Total    Self  page-faults               msr/tsc/           Calls  "
		    "   Mean  Net mean      p50      p99  Zone             Notes\n"
		    "  60.0 %  6.00 s  500 ms        1,234         10,478,799,616             100  "
		    "60.0 ms   55.9 ms  50.3 ms  70.0 ms  sqlite3_step\n"
		    "  55.0 %  5.50 s  3.10 s            0  9,007,199,254,740,993             100  "
		    "55.0 ms   50.9 ms  45.1 ms  65.0 ms  sqlite3VdbeExec\n"
		    "       –       –       –            –                      –  21,474,836,480  "
		    "      –         –        –        –  memcpy           counted\n"
		    "  Net: less what the probes added. page-faults, msr/tsc/ (ticks): sums over "
		    "the calls in Total. Counted: not timed; the zone's own report\n"
		    "  and the summary say why.\n");
	assert_view(
		counted_profile(), &two_zones, "zones", 80,
		"\n"
		"Zones  100 % = the capture's 10.0 s, threads add up; 2 zones, 200 calls; clock:\n"
		"       page-faults,tsc\n"
		"   Share   Total  page-faults               msr/tsc/  Calls  Zone\n"
		"  60.0 %  6.00 s        1,234         10,478,799,616    100  sqlite3_step\n"
		"  55.0 %  5.50 s            0  9,007,199,254,740,993    100  sqlite3VdbeExec\n"
		"  Net: less what the probes added. page-faults, msr/tsc/ (ticks): sums over the\n"
		"  calls in Total.\n");
}

/* Narrower than what was asked for: the first columns of it stay, of events the first. */
static void zones_with_no_room(void **state)
{
	_free_ char *events = view_text(counted_profile(), &two_zones, "zones", "txt", 50);
	_free_ char *usage = view_text(clocked_profile("rusage"), &two_zones, "zones", "txt", 50);

	(void)state;
	assert_non_null(strstr(events, "\n   Share   Total  page-faults  Calls  Zone"));
	assert_non_null(strstr(usage, "\n   Share   Total     CPU  Blocked  Zone"));
}

/* Events of PMUs that are called as clocks are, or begin like them. */
static void clocks_are_whole_words(void **state)
{
	_free_ char *text = view_text(clocked_profile("cpu-clock,cpu/cycles/,c,rus"), &two_zones,
				      "zones", "txt", 200);

	(void)state;
	assert_null(strstr(text, "  CPU  "));
	assert_null(strstr(text, "  Faults  "));
}

/* As many as there may be: none runs out of its table. */
static void zones_with_everything(void **state)
{
	struct profile *p = clocked_profile("rusage,…");
	_free_ char *text = NULL;

	(void)state;
	for (int i = 0; i < 20; i++) {
		_free_ char *name = mem_printf("event-%d", i);

		profile_zone_value(p, Z_STEP, name, 1000 + i);
	}
	profile_zone_value(p, Z_STEP, "\033[2J", 5);
	text = view_text(p, NULL, "zones", "txt", 400);
	assert_non_null(strstr(text, "  event-15  "));
	assert_non_null(strstr(text, "  1,015  "));
	assert_null(strstr(text, "event-16"));
	assert_non_null(strstr(text, "Module           Notes\n"));
	assert_non_null(strstr(text, "5 more events are in the zones' own reports."));
	assert_null(strchr(text, '\033'));
}

static void events_of_one_zone(void **state)
{
	_free_ char *text = view_text(
		counted_profile(), &(struct selection){.zone = "sqlite3_step"}, "zone", "txt", 100);

	(void)state;
	assert_non_null(strstr(text, "\n  Events    1,234 page-faults, 10,478,799,616 msr/tsc/ "
				     "ticks\n"));
}

/* Where there are more than a window has room for, the button has what can be spared. */
static void events_in_a_page(void **state)
{
	struct profile *p = counted_profile();
	_free_ char *few = NULL, *many = NULL;

	(void)state;
	few = view_text(p, NULL, "zones", "html", 0);
	assert_non_null(strstr(few, "class=\"number\" title=\"how many there were in the calls in "
				    "Total\">page-faults</th>"));
	assert_non_null(strstr(few, "class=\"number\" title=\"ticks of the processor"));
	assert_non_null(strstr(few, ">9,007,199,254,740,993</td>"));
	assert_null(strstr(few, "class=\"text extra\" title=\"file that holds"));
	p = counted_profile();
	profile_set_run(p, RUN_CLOCK, "rusage,page-faults,tsc");
	many = view_text(p, NULL, "zones", "html", 0);
	assert_non_null(strstr(many, "class=\"number\" title=\"ticks of the processor"));
	assert_non_null(strstr(many, "class=\"text extra\" title=\"file that holds"));
}

/* Exact, under their own names, where the table has them; and what --sort and --where take. */
static void events_in_csv(void **state)
{
	const struct selection sel = {
		.zone = "sqlite3*", .sort = "msr/tsc/", .where = {"msr/tsc/>1000"}, .n_where = 1};
	static const char *const lines[] = {
		"total_perc,total_ns,comp_total_ns,self_ns,page-faults,msr/tsc/,counts,mean_ns,",
		"55,5500000000,5092720000,3100000000,0,9007199254740993,100,55000000,",
		"60,6000000000,5592620000,500000000,1234,10478799616,100,60000000,"};
	_free_ char *text = view_text(counted_profile(), &sel, "zones", "csv", 0);
	const char *at = text;

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++) {
		assert_memory_equal(at, lines[i], strlen(lines[i]));
		at = strchr(at, '\n') + 1;
	}
	assert_int_equal(*at, 0);
}

static void no_events_of_a_thread(void **state)
{
	_free_ char *text =
		view_text(counted_profile(), &(struct selection){.threads.thread = "4800"}, "zones",
			  "txt", 200);

	(void)state;
	assert_null(strstr(text, "page-faults  "));
	assert_non_null(strstr(text, "percentiles, deviations, net times, events and other clocks "
				     "are kept of all threads together only."));
}

static void zones_where(void **state)
{
	(void)state;
	assert_view(plain_profile(), &(struct selection){.where = {"site=stepped"}, .n_where = 1},
		    "zones", 100,
		    "\n"
		    "Zones  100 % = the capture's 10.0 s, threads add up; 1 zone, 200 calls; wall "
		    "clock\n"
		    "  Share   Total  Net total    Self  Calls     Mean  Net mean      p50      "
		    "p99  Zone     Module\n"
		    "  8.0 %  800 ms     796 ms  800 ms    200  4.00 ms   3.98 ms  3.01 ms  5.00 "
		    "ms  pread64  libc.so.6\n"
		    "  Net: less what the probes added.\n");
}

/* Probed, but never reached: one in flight was. */
static void zones_never_called(void **state)
{
	struct profile *p = zones_only_profile();
	struct zone z = {.name = intern_add(&p->strings, "idle")};
	_free_ char *text = NULL;

	(void)state;
	profile_zone(p, &z);
	z.name = intern_add(&p->strings, "open");
	z.in_flight = 1;
	profile_zone(p, &z);
	text = view_text(p, NULL, "zones", "txt", 300);
	assert_non_null(strstr(text, "; 10 zones, 1 of them never called, 21,475,838,925 calls;"));
}

static void no_zones_no_view(void **state)
{
	static const char *const names[] = {"zones", "zone-flame", "zone"};

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		assert_view(sample_profile(), NULL, names[i], 100,
			    "\n"
			    "  No zones in this profile: eprof --zone PATTERN counts and times "
			    "functions.\n");
	assert_view(zone_profile(), NULL, "zone", 100, "");
}

/* What --zone asks for was not there: a profile of zones all the same. */
static void no_zone_called(void **state)
{
	struct profile *both = sample_profile();

	(void)state;
	assert_view(zones_none_profile(), NULL, "zones", 100,
		    "\n"
		    "Zones  100 % = the capture's 10.0 s, threads add up; 0 zones, 0 calls; wall "
		    "clock\n"
		    "  Share            Total  Self  Calls  Mean  p50  p99  Zone  Module\n"
		    "  No zone was called: what ran had no function that matches.\n");
	assert_view(
		zones_none_profile(), NULL, "zone-flame", 100,
		"\n"
		"Zone flame graph  100 % = 0 ns in zones, 0 calls of all threads; wall clock; no "
		"zone was called:\n"
		"                  what ran had no function that matches\n"
		"     Total      Self  Zone\n"
		"  nothing is left out\n");
	assert_view(zones_none_profile(), &(struct selection){.focus = "f"}, "summary", 100,
		    "\n"
		    "  Time      10.0 s\n"
		    "  Shown     only --focus f: 0 zones\n");
	assert_view(zones_none_profile(), NULL, "capture", 100,
		    "\n"
		    "Capture\n"
		    "  Event     zones\n"
		    "! Zones     0 calls of zones: what ran had no function that matches; wall "
		    "clock\n");
	profile_add_part(both, PART_ZONES);
	_free_ char *text = view_text(both, NULL, "capture", "txt", 100);

	assert_non_null(strstr(text, "\n  Ledger    cpu-clock: 1,000 kept of 1,019 taken\n"));
	assert_non_null(strstr(text, "\n! Zones     0 calls of zones: what ran had no function"));
}

static void no_zone_called_in_csv(void **state)
{
	_free_ char *text = view_text(zones_none_profile(), NULL, "zones", "csv", 0);

	(void)state;
	assert_non_null(strstr(text, "total_perc,total_ns,"));
	assert_string_equal(strchr(text, '\n'), "\n");
}

/* Where probes are taken for all of the time there is a picture still, of what was measured. */
static void tree_of_nothing_left(void **state)
{
	struct profile *p = zone_profile();
	_free_ char *text = NULL;

	(void)state;
	for (size_t i = 0; i < p->zone_edges.n; i++)
		p->zone_edges.at[i].comp_self_ns = p->zone_edges.at[i].comp_total_ns = 0;
	text = view_text(p, NULL, "zone-flame", "txt", 200);
	assert_non_null(strstr(text, "wall clock, as measured: the probes' cost would leave "
				     "nothing\n"));
	assert_non_null(strstr(text, " sqlite3_step\n"));
}

static void tree_of_zones(void **state)
{
	(void)state;
	assert_view(zone_profile(), &(struct selection){.threads.pid = "4711"}, "zone-flame", 100,
		    "\n"
		    "Zone flame graph  100 % = 8.59 s in zones, 21,475,838,925 calls of all "
		    "threads; wall clock, less\n"
		    "                  what the probes added (±103 ms); --pid does not apply to "
		    "zones: they are of the\n"
		    "                  whole capture\n"
		    "     Total      Self  Zone\n"
		    "    65.1 %     5.8 %  ├─ sqlite3_step\n"
		    "    59.3 %    33.7 %  │  sqlite3VdbeExec\n"
		    "    11.6 %    11.6 %  │  ├─ vdbeRecordCompareInt\n"
		    "     9.3 %     9.3 %  │  ├─ pread64\n"
		    "     4.7 %     1.2 %  │  └─ expr_walk\n"
		    "     3.5 %     3.5 %  │     expr_walk\n"
		    "    23.3 %    23.3 %  ├─ <wait>\n"
		    "    11.6 %    11.6 %  └─ dict<int, std::less<int>, \"x\">::find(int const&)\n"
		    "  branches below 1 % are left out: 1\n");
}

static void one_zone(void **state)
{
	(void)state;
	assert_view(
		zone_profile(), &(struct selection){.zone = "expr_walk"}, "zone", 100,
		"\n"
		"Zone expr_walk\n"
		"  Function  sqlite3.c:110200 · /usr/lib/libsqlite3.so.0 at 0x1ae78\n"
		"  Probes    entry: emulated; end of a call: session\n"
		"  Calls     30\n"
		"  Time      total 400 ms, self 400 ms, share 4.0 %\n"
		"  A call    mean 23.3 ms, std 12.0 ms, min 15.0 ms, p50 15.0 ms, p90 40.0 ms, "
		"p99 40.0 ms, p99.9\n"
		"            40.0 ms, max 40.0 ms\n"
		"  Net       total 400 ms ±11.5 µs, self 400 ms ±12.5 µs, mean 23.3 ms ±417 ns\n"
		"\n"
		"Callers and callees; 100 % = time of all calls of this zone\n"
		"  Direction   Share             Total  Calls  Zone\n"
		"  called by  57.1 %  ████▋     400 ms     10  sqlite3VdbeExec\n"
		"  called by  42.9 %  ███▍      300 ms     20  expr_walk\n"
		"  calls      42.9 %  ███▍      300 ms     20  expr_walk\n"
		"\n"
		"How long calls took, as measured\n"
		"     From    Below  Calls   Share            Up to here\n"
		"  8.39 ms  16.8 ms     20  66.7 %  █████▍        66.7 %\n"
		"  16.8 ms  33.6 ms      0     0 %                66.7 %\n"
		"  33.6 ms  67.1 ms     10  33.3 %  ██▋            100 %\n"
		"\n"
		"Threads\n"
		"  Calls   Total    Self      Min      Max   PID   TID  Thread\n"
		"     30  400 ms  400 ms  15.0 ms  40.0 ms  4711  4711  sqlite3\n");
	assert_view(zones_only_profile(), &(struct selection){.zone = "dict*::find"}, "zone", 100,
		    "\n"
		    "Zone dict<int, std::less<int>, \"x\">::find(int const&)\n"
		    "  Function  foo <v2>.hpp:7 · /usr/lib/libfoo & bar.so at 0x7\n"
		    "  Probes    entry: emulated; end of a call: returns\n"
		    "  Calls     2,003; 3 unwound; 2 in flight; 1 open at start\n"
		    "  Time      total 1.00 s, self 1.00 s, share 10.0 %\n"
		    "  A call    mean 500 µs, std 100 µs, min 400 µs, p50 401 µs, p90 600 µs, p99 "
		    "600 µs, p99.9 600 µs,\n"
		    "            max 600 µs\n"
		    "  Net       total 999 ms ±100 µs, self 999 ms ±100 µs, mean 500 µs ±50 ns\n"
		    "  CPU       CPU 900 ms, runnable 20.0 ms, blocked 80.0 ms\n"
		    "  Usage     minor faults 4,242\n"
		    "  Events    3,000,000,000 cycles\n"
		    "\n"
		    "Callers and callees; 100 % = time of all calls of this zone\n"
		    "  Direction  Share             Total  Calls  Zone\n"
		    "  called by  100 %  ████████  1.00 s  2,003  outside of all zones\n"
		    "\n"
		    "How long calls took, as measured\n"
		    "    From    Below  Calls   Share            Up to here\n"
		    "  262 µs   524 µs  1,000  50.0 %  ████          50.0 %\n"
		    "  524 µs  1.05 ms  1,000  50.0 %  ████           100 %\n"
		    "\n"
		    "Threads\n"
		    "  Calls   Total    Self     Min     Max   PID   TID  Thread\n"
		    "  2,003  1.00 s  1.00 s  400 µs  600 µs  4711  4712  work;er<1>&?\n");
}

static void lines_in_a_zone(void **state)
{
	(void)state;
	assert_view(zone_profile(), &(struct selection){.zone = "vdbeRecordCompareInt"}, "lines",
		    100,
		    "\n"
		    "Hottest lines inside vdbeRecordCompareInt  100 % = 4.50 s of time on CPU, 450 "
		    "samples of cpu-clock\n"
		    "    Self                      Time  Samples  Line                   Function\n"
		    "  66.7 %  █████▍            3.00 s      300  sqlite3.c:86617        "
		    "vdbeRecordCompareInt\n"
		    "  33.3 %  ██▋       1.50 s ±221 ms      150  string_fortified.h:34  "
		    "memcmp_inline\n");
}

static void ledger_of_zones(void **state)
{
	(void)state;
	assert_view(zones_only_profile(), NULL, "cost", 100,
		    "\n"
		    "Ledger  calls of zones: 100 % = events taken\n"
		    "  Outcome          Events    Share  Reason\n"
		    "  taken    21,475,838,927    100 %  calls begun\n"
		    "  kept     21,475,838,920  >99.9 %  calls counted\n"
		    "  lost                  7   <0.1 %  call table full\n"
		    "\n"
		    "Cost  what this profile took from the machine\n"
		    "  Amount  Cost of the capture\n"
		    "  500 ms  probes\n");
}

static void summary_of_zones(void **state)
{
	(void)state;
	assert_view(zones_only_profile(), &(struct selection){.zone = "mem*"}, "summary", 100,
		    "\n"
		    "  Target    -p 4711,4800\n"
		    "  Time      10.0 s from 2026-03-01T12:00:00Z\n"
		    "  Shown     only --zone mem*: 1 zone\n");
	assert_view(zones_only_profile(), NULL, "capture", 100,
		    "\n"
		    "Capture\n"
		    "  Zones         8 zones, 21,475,838,925 calls, 2 in flight at the end; wall "
		    "clock\n"
		    "! Short zones   1 of 8 have a mean below three times what their probes cost: "
		    "their times are mostly\n"
		    "                probe cost\n"
		    "! Counted only  1 of 8 zones, not timed: memcpy (no RET and indirect jumps: "
		    "its end cannot be seen)\n"
		    "! Calls lost    7 (<0.1 % of all): 7 call table full\n");
}

/* @n zones in a second: each was called 1,000 times more than the one before, for 10 us a call if
 * its number is odd, else 1 us. */
static struct profile *costly_profile(int n)
{
	struct profile *p = profile_new();
	double all = 0;

	profile_set_run(p, RUN_CLOCK, "wall");
	p->duration_ns = 1000000000;
	for (int i = 0; i < n; i++) {
		char name[] = {'z', (char)('a' + i), '\0'};
		struct zone z = {.name = intern_add(&p->strings, name),
				 .site_class = i % 2 ? SITE_STEPPED : SITE_EMULATED,
				 .exit_way = EXIT_SESSION,
				 .counts = 1000 * (uint64_t)(i + 1),
				 .probe_ns = 1000 * (i + 1) * (i % 2 ? 10000 : 1000)};

		profile_zone(p, &z);
		all += (double)z.probe_ns;
	}
	profile_cost(p, ZONE_COST_ALL, "ns", all);
	return p;
}

static void expect_in_summary(struct profile *p, const char *wanted)
{
	_free_ char *text = view_text(p, NULL, "summary", "txt", 0);

	if (!strstr(text, wanted))
		fail_msg("not in the summary: %s\n%s", wanted, text);
}

static void summary_names_dear_zones(void **state)
{
	_free_ char *none = view_text(zone_profile(), NULL, "summary", "txt", 0);
	struct profile *odd = costly_profile(3);

	(void)state;
	assert_null(strstr(none, "Probes"));
	/* As a file may say it. */
	odd->zones.at[0].site_class = odd->zones.at[1].exit_way = UINT8_MAX;
	expect_in_summary(odd, "\n  Probes    cost the target 24.0 ms, 2.4 %");
	expect_in_summary(costly_profile(3),
			  "\n  Probes    cost the target 24.0 ms, 2.4 % of the capture's length\n");
	expect_in_summary(costly_profile(9),
			  "\n! Probes    cost the target 225 ms, 22.5 % of the capture's length\n");
	expect_in_summary(
		costly_profile(12),
		"\n! Probes    cost the target 456 ms, 45.6 % of the capture's length; 65.8 % of "
		"it for zl, zj, zh: an\n            exclusion (--zone '!NAME') leaves one "
		"out\n");
}

static void summary_tells_cost_elsewhere(void **state)
{
	struct profile *little = costly_profile(3), *much = costly_profile(3);
	_free_ char *text = NULL;

	(void)state;
	profile_cost(little, ZONE_COST_HITS_ELSEWHERE, "events", 12);
	profile_cost(little, ZONE_COST_ELSEWHERE, "ns", 999999);
	text = view_text(little, NULL, "summary", "txt", 0);
	assert_null(strstr(text, "Elsewhere"));
	profile_cost(much, ZONE_COST_HITS_ELSEWHERE, "events", 12345);
	profile_cost(much, ZONE_COST_ELSEWHERE, "ns", 250e6);
	expect_in_summary(much,
			  "\n! Elsewhere  other processes and threads hit the probes 12,345 times, "
			  "which cost them 250 ms, 25.0 %\n             of the capture's "
			  "length\n");
}

/* Views of samples have nothing to say where there are none. */
static void samples_views_without_samples(void **state)
{
	static const char *const names[] = {"flame", "functions", "lines",
					    "paths", "processes", "threads"};

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		assert_view(zones_only_profile(), NULL, names[i], 100,
			    "\n  No samples in this profile: it has only zones.\n");
}

/* --- csv -------------------------------------------------------------------------------------- */

static char *csv_of(const char *s)
{
	char *text = NULL;
	size_t n = 0;
	FILE *out = open_memstream(&text, &n);

	csv_field(out, "", s);
	fclose(out);
	return text;
}

static void csv_quotes_what_it_must(void **state)
{
	static const char *const cases[][2] = {
		{"", ""},	    {"a b", "a b"},	  {"a,b", "\"a,b\""},
		{"\"", "\"\"\"\""}, {"a\nb", "\"a\nb\""}, {"a\rb", "\"a\rb\""},
		{" a", "\" a\""},   {"a ", "\"a \""},	  {"größe;x", "größe;x"},
		{"=1+1", "=1+1"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		_free_ char *text = csv_of(cases[i][0]);

		assert_string_equal(text, cases[i][1]);
	}
}

/* For people, whose spreadsheets run formulas; numbers stay. */
static void csv_runs_no_formula(void **state)
{
	static const char *const cases[][2] = {
		{"=1+1", "'=1+1"},
		{"+x", "'+x"},
		{"-f", "'-f"},
		{"@SUM(A1)", "'@SUM(A1)"},
		{"\t=1", "'\t=1"},
		{"  =1", "'  =1"},
		{"=a,b", "\"'=a,b\""},
		{"\uff1dx", "'\uff1dx"},
		{"-12.5", "-12.5"},
		{"+3e9", "+3e9"},
		{"", ""},
		{"a=b", "a=b"},
		{"-1+cmd|' /C calc'!A0", "'-1+cmd|' /C calc'!A0"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		_free_ char *text = NULL;
		size_t n = 0;
		FILE *out = open_memstream(&text, &n);

		csv_text(out, "", cases[i][0]);
		fclose(out);
		assert_string_equal(text, cases[i][1]);
	}
}

/* Of one row the margin is worth a look, and most of the total was probes. */
static void margins_where_they_are_wide(void **state)
{
	struct profile *p = zone_profile();
	struct zone *z = &p->zones.at[Z_FIND];
	_free_ char *before = view_text(zone_profile(), NULL, "zones", "txt", 0);
	_free_ char *text = NULL;

	(void)state;
	assert_null(strstr(before, "±"));
	assert_false(zone_is_dwarfed(z));
	z->comp_total_ns = 90000000;
	z->total_margin_ns = 216000000;
	assert_true(zone_is_dwarfed(z));
	text = view_text(p, NULL, "zones", "txt", 0);
	assert_non_null(strstr(text, "90.0 ms ±216 ms"));
	assert_non_null(strstr(text, "dwarfed"));
	assert_non_null(strstr(text, "±: how far net may be off"));
	assert_non_null(strstr(text, "Dwarfed: "));
}

static void csv_has_every_column(void **state)
{
	struct profile *p = zone_profile();
	_free_ char *text = NULL;

	(void)state;
	p->zones.at[Z_COPY].counts += 1;
	p->zones.at[Z_COPY].untimed += 1;
	/* No double holds this one. */
	p->zones.at[Z_FIND].minflt = UINT64_C(9007199254740993);
	text = view_text(p, &(struct selection){.zone = "/dict|memcpy/"}, "zones", "csv", 0);
	assert_string_equal(
		text,
		"total_perc,total_ns,comp_total_ns,self_ns,cycles,counts,mean_ns,comp_mean_ns,p50_"
		"ns,p99_"
		"ns,name,module,notes,src_file,src_line,min_ns,max_ns,std_ns,calls_ns,m2,self_min_"
		"ns,self_max_ns,self_std_ns,self_m2,p90_ns,p999_ns,comp_self_ns,total_margin_ns,"
		"self_margin_"
		"ns,mean_margin_ns,probe_ns,cpu_ns,user_ns,sys_"
		"ns,runnable_ns,blocked_ns,suspended_ns,minflt,majflt,faults,nvcsw,nivcsw,inblock,"
		"oublock,"
		"in_flight,at_start,unwound,untimed,rets,site_class,exit_way,flags,address,note\r\n"
		"10,1000000000,999000000,1000000000,3000000000,2003,500000,499500,401405,600000,"
		"\"dict<int, "
		"std::less<int>, \"\"x\"\">::find(int const&)\",/usr/lib/libfoo & bar.so,3 "
		"unwound; 2 in flight; 1 open at start,foo "
		"<v2>.hpp,7,400000,600000,100025.00937890795,1000000000,20000000000000,400000,"
		"600000,100025.00937890795,20000000000000,600000,600000,999000000,100000,100000,50,"
		"2003000,900000000,0,0,"
		"20000000,80000000,0,9007199254740993,0,9007199254740993,0,0,0,0,2,1,3,0,0,"
		"emulated,"
		"returns,,7,\r\n"
		"0,0,0,0,0,21474836481,0,0,0,0,memcpy,/usr/lib/"
		"libc.so.6,counted,,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,6442450944000,"
		"0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,21474836481,0,emulated,none,,0,no RET and "
		"indirect jumps: its end "
		"cannot be "
		"seen\r\n");
}

static void csv_of_threads(void **state)
{
	_free_ char *text = view_text(zone_profile(), &(struct selection){.threads.thread = "4800"},
				      "zones", "csv", 0);

	(void)state;
	assert_string_equal(text, "total_perc,total_ns,self_ns,counts,min_ns,max_ns,name,module\r\n"
				  "15,1500000000,150000000,30,50000000,70000000,sqlite3_step,/usr/"
				  "lib/libsqlite3.so.0\r\n"
				  "0,0,0,21474836480,0,0,memcpy,/usr/lib/libc.so.6\r\n");
}

static void csv_of_samples(void **state)
{
	_free_ char *text = view_text(zone_profile(), NULL, "processes", "csv", 0);

	(void)state;
	assert_string_equal(text, "share_percent,value_ns,samples,count,pid,process,margin_ns\r\n"
				  "85,8500000000,850,1,4711,sqlite3,221471869\r\n"
				  "15,1500000000,150,1,4800,node,221320042\r\n");
}

/* One after another; bars are no column. */
static void csv_of_several_tables(void **state)
{
	_free_ char *text = view_text(zones_only_profile(), NULL, "cost", "csv", 0);

	(void)state;
	assert_string_equal(text, "outcome,events,share_percent,reason\r\n"
				  "taken,21475838927,100,calls begun\r\n"
				  "kept,21475838920,99.9999999674052,calls counted\r\n"
				  "lost,7,3.25947685852654e-08,call table full\r\n"
				  "\r\n"
				  "amount,cost\r\n"
				  "500000000,\"probes, ns\"\r\n");
}

static void csv_needs_a_table(void **state)
{
	struct report_doc r;
	FILE *out = tmpfile();

	(void)state;
	report_doc_init(&r, zone_profile(), NULL, (const char *const[]){"flame", NULL});
	assert_int_equal(format_find("csv")->write(&r.doc, &(struct format_options){0}, out),
			 -EINVAL);
	assert_string_equal(err_text(), "csv holds tables, and there is none here: see --view");
	fclose(out);
	report_doc_release(&r);
}

/* --- tracy-csv -------------------------------------------------------------------------------- */

/* What is written, or NULL and the text of the error. */
static char *tracy(struct profile *p, const struct selection *sel, bool self)
{
	static const struct selection all;
	struct export_input in = {.profile = p, .selection = sel ? sel : &all, .self = self};
	struct zone_rows rows;
	char *text = NULL;
	size_t n = 0;
	FILE *out = open_memstream(&text, &n);
	int rc;

	assert_int_equal(zone_rows_build(p, in.selection, &rows), 0);
	in.zone_rows = &rows;
	rc = export_find("tracy-csv")->write(&in, out);
	fclose(out);
	zone_rows_release(&rows);
	profile_free(p);
	if (rc) {
		free(text);
		return NULL;
	}
	return text;
}

#define TRACY_HEAD \
	"name,src_file,src_line,total_ns,total_perc,counts,mean_ns,min_ns,max_ns,std_ns\n"

static void tracy_csv(void **state)
{
	_free_ char *all = tracy(zone_profile(), NULL, false);
	_free_ char *self = tracy(zone_profile(), &(struct selection){.sort = "name"}, true);
	_free_ char *some = tracy(zone_profile(), &(struct selection){.zone = "sqlite3*"}, false);
	_free_ char *none = tracy(zones_none_profile(), NULL, false);

	(void)state;
	assert_string_equal(
		all, TRACY_HEAD
		"sqlite3_step,sqlite3.c,89031,6000000000,60.000000,100,60000000,50000000,70000000,"
		"10050378.152592\n"
		"sqlite3VdbeExec,sqlite3.c,93120,5500000000,55.000000,100,55000000,45000000,"
		"65000000,10050378.152592\n"
		"<wait>,,0,1999999998,20.000000,12,166666666,100000000,233333333,69631062.208201\n"
		"vdbeRecordCompareInt,sqlite3.c,86612,1200000000,12.000000,1000000,1200,1100,1300,"
		"100.000050\n"
		"\"dict<int, std::less<int>, \"\"x\"\">::find(int const&)\",foo "
		"<v2>.hpp,7,1000000000,10.000000,2003,500000,400000,600000,100025.009379\n"
		"pread64,../sysdeps/"
		"pread64.c,24,800000000,8.000000,200,4000000,3000000,5000000,1002509.414234\n"
		"expr_walk,sqlite3.c,110200,400000000,4.000000,30,23333333,15000000,40000000,"
		"11986582.537135\n");
	assert_string_equal(
		self, TRACY_HEAD
		"<wait>,,0,1999999998,20.000000,12,166666666,100000000,233333333,69631062.208201\n"
		"\"dict<int, std::less<int>, \"\"x\"\">::find(int const&)\",foo "
		"<v2>.hpp,7,1000000000,10.000000,2003,500000,400000,600000,100025.009379\n"
		"expr_walk,sqlite3.c,110200,400000000,4.000000,30,13333333,10000000,15000000,"
		"2397316.507427\n"
		"pread64,../sysdeps/"
		"pread64.c,24,800000000,8.000000,200,4000000,3000000,5000000,1002509.414234\n"
		"sqlite3VdbeExec,sqlite3.c,93120,3100000000,31.000000,100,31000000,21000000,"
		"41000000,10050378.152592\n"
		"sqlite3_step,sqlite3.c,89031,500000000,5.000000,100,5000000,5000000,5000000,0."
		"000000\n"
		"vdbeRecordCompareInt,sqlite3.c,86612,1200000000,12.000000,1000000,1200,1100,1300,"
		"100.000050\n");
	assert_string_equal(none, TRACY_HEAD);
	assert_string_equal(some, TRACY_HEAD "sqlite3_step,sqlite3.c,89031,6000000000,60.000000,"
					     "100,60000000,50000000,70000000,10050378.152592\n"
					     "sqlite3VdbeExec,sqlite3.c,93120,5500000000,55.000000,"
					     "100,55000000,45000000,65000000,10050378.152592\n");
}

static void tracy_csv_makes_nothing_up(void **state)
{
	struct profile *p = zone_profile();

	(void)state;
	assert_null(tracy(sample_profile(), NULL, false));
	assert_string_equal(err_text(), "the profile has no zones: capture them with eprof --zone");
	assert_null(tracy(zone_profile(), &(struct selection){.threads.thread = "4711"}, false));
	assert_string_equal(err_text(), "tracy-csv: deviations are kept of all threads together: "
					"leave --thread and --pid out");
	p->zones.at[Z_PREAD].flags &= (uint8_t)~ZONE_SELF_SPREAD;
	assert_null(tracy(p, NULL, true));
	assert_string_equal(err_text(), "tracy-csv: the profile does not hold how the self times "
					"of 'pread64' spread: leave --self out");
}

/* Names from targets stay one field of one line. */
static void tracy_csv_of_hostile_names(void **state)
{
	struct profile *p = profile_new();
	struct zone z = {.counts = 1, .total_ns = 5};
	_free_ char *text = NULL;

	(void)state;
	z.name = intern_add(&p->strings, "a\nb,\"c\xff");
	z.src_file = intern_add(&p->strings, "x\r\n,y");
	profile_zone(p, &z);
	text = tracy(p, NULL, false);
	assert_string_equal(text, TRACY_HEAD
			    "\"a?b,\"\"c\xef\xbf\xbd\",\"x??,y\",0,5,0.000000,1,0,0,0,0.000000\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(zones_on_a_wide_terminal),
		cmocka_unit_test(zones_on_a_narrow_terminal),
		cmocka_unit_test(zones_of_a_thread),
		cmocka_unit_test(zones_by_cpu),
		cmocka_unit_test(zones_with_rusage),
		cmocka_unit_test(zones_with_events),
		cmocka_unit_test(zones_with_no_room),
		cmocka_unit_test(clocks_are_whole_words),
		cmocka_unit_test(zones_with_everything),
		cmocka_unit_test(events_of_one_zone),
		cmocka_unit_test(events_in_a_page),
		cmocka_unit_test(events_in_csv),
		cmocka_unit_test(no_events_of_a_thread),
		cmocka_unit_test(zones_where),
		cmocka_unit_test(zones_never_called),
		cmocka_unit_test(no_zones_no_view),
		cmocka_unit_test(no_zone_called),
		cmocka_unit_test(no_zone_called_in_csv),
		cmocka_unit_test(tree_of_zones),
		cmocka_unit_test(tree_of_nothing_left),
		cmocka_unit_test(one_zone),
		cmocka_unit_test(lines_in_a_zone),
		cmocka_unit_test(ledger_of_zones),
		cmocka_unit_test(summary_of_zones),
		cmocka_unit_test(summary_names_dear_zones),
		cmocka_unit_test(summary_tells_cost_elsewhere),
		cmocka_unit_test(samples_views_without_samples),
		cmocka_unit_test(csv_quotes_what_it_must),
		cmocka_unit_test(csv_runs_no_formula),
		cmocka_unit_test(margins_where_they_are_wide),
		cmocka_unit_test(csv_has_every_column),
		cmocka_unit_test(csv_of_threads),
		cmocka_unit_test(csv_of_samples),
		cmocka_unit_test(csv_of_several_tables),
		cmocka_unit_test(csv_needs_a_table),
		cmocka_unit_test(tracy_csv),
		cmocka_unit_test(tracy_csv_makes_nothing_up),
		cmocka_unit_test(tracy_csv_of_hostile_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
