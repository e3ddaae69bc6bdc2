/* platform: what the machine and the build were; methods: what each number of a report means, and
 * how it was taken. */
#include <string.h>

#include "base/str.h"
#include "model/meta.h"
#include "view/base.h"
#include "view/zone_words.h"

static const struct {
	const char *key, *label;
} facts[] = {
	{META_VERSION, "Version"}, {META_PLATFORM, "Platform"}, {META_TIMESTAMP, "Time"},
	{META_MACHINE, "Machine"}, {META_NODE, "Host"},		{META_SYSTEM, "System"},
	{META_RELEASE, "Release"}, {META_ARCH, "Architecture"}, {META_PROCESSOR, "Processor"},
	{META_CORES, "Cores"},	   {META_COMPILER, "Compiler"},
};

static int platform_write(const struct view_input *in, struct doc *doc)
{
	struct doc_block *b;

	doc_heading(doc, "Platform");
	b = doc_facts(doc);
	for (size_t i = 0; i < sizeof(facts) / sizeof(facts[0]); i++) {
		const char *text = profile_meta(in->profile, facts[i].key);

		if (text && text[0])
			doc_fact(b, false, facts[i].label, "%s", text);
	}
	if (!b->facts.n)
		doc_fact(b, false, "Unknown", "the profile does not tell of it");
	return 0;
}

const struct view platform_view = {
	.name = "platform",
	.about = "the machine and the build",
	.shows = {[DOC_PAPER] = SHOWS},
	.write = platform_write,
};

/* The file that another program wrote; NULL: eprof captured the profile itself. */
static const char *imported_from(const struct view_input *in)
{
	const char *source = profile_run(in->profile, RUN_SOURCE);

	return source && *source ? str_base(source) : NULL;
}

static bool is_exact(const struct view_input *in)
{
	const char *exact = profile_run(in->profile, RUN_EXACT);

	return exact && *exact;
}

static void how_samples_were_taken(const struct view_input *in, struct doc_block *b)
{
	const char *events = profile_run(in->profile, RUN_EVENTS), *file = imported_from(in);

	if (!file)
		doc_fact(b, false, "Samples",
			 "At every tick of %s, eprof took the stack that ran. A function's share "
			 "of the "
			 "samples estimates its share of the amount; nothing is known of what "
			 "happened "
			 "between two ticks.",
			 events && *events ? events : "an event");
	else if (is_exact(in))
		doc_fact(b, false, "Amounts",
			 "They are those of %s, by another program, which counted all.", file);
	else
		doc_fact(b, false, "Samples",
			 "Stacks and amounts are those of %s, by another program. A function's "
			 "share of "
			 "the samples estimates its share of the amount.",
			 file);
}

static void samples_methods(const struct view_input *in, struct doc_block *b)
{
	how_samples_were_taken(in, b);
	doc_fact(b, false, "Self, total",
		 "Self: the function itself was running. Total: it, or something that it called; "
		 "recursion counts once.");
	if (!is_exact(in))
		doc_fact(b, false, "±",
			 "How far an amount may be off because it is of samples: 19 of 20 captures "
			 "of the "
			 "same run stay within it. It is shown where it is more than a tenth of "
			 "the amount; "
			 "csv and the page always have it.");
	doc_fact(
		b, false, "Flame graph",
		"A box is a function as called by the boxes below it; its width is its total. From "
		"left to right is by name, not time. Grey boxes stand for neighbours too narrow to "
		"be drawn.");
	doc_fact(b, false, "Over time",
		 "A column of the heat map is a second (or what its caption says), a row a part of "
		 "that; the colour is how many samples were taken then.");
}

static void waits_methods(struct doc_block *b)
{
	doc_fact(
		b, false, "Off CPU",
		"Each wait was timed from switch to switch by the scheduler's own events. Totals "
		"of threads are exact; stacks are of waits sampled in proportion to their length.");
}

static void zones_methods(const struct view_input *in, struct doc_block *b)
{
	_free_ char *clock = zone_clock(in->profile);
	const char *file = imported_from(in);

	if (file) {
		doc_fact(b, false, "Zones",
			 "Calls and times are those of %s, as another program measured them.",
			 file);
		return;
	}
	doc_fact(b, false, "Zones",
		 "Probes at entry and exit counted and timed every call: %s. Counts are exact. "
		 "Total: from call to return, of recursive calls the outermost; self: outside all "
		 "zones called from it; mean: of all calls. Percentiles are exact to 1.6 %%.",
		 clock);
	if (zone_is_netted(in->profile))
		doc_fact(b, false, "Net",
			 "Less what the probes added, as calibrated on this machine while the "
			 "capture ran; ± says how far it may be off, in 19 of 20 captures.");
}

static void syscalls_methods(struct doc_block *b)
{
	doc_fact(b, false, "System calls",
		 "Each call that returned was counted and timed from entry to return, in the "
		 "kernel. Its stacks are of samples, which add up to all calls.");
}

static void growth_methods(struct doc_block *b)
{
	doc_fact(
		b, false, "Growth",
		"The kernel reported each change of a process's memory, which was counted to the "
		"page. Stacks are of some of the page faults, each drawn with a known probability; "
		"they are made to add up to all.");
}

static int methods_write(const struct view_input *in, struct doc *doc)
{
	const struct profile *p = in->profile;
	struct doc_block *b;

	doc_heading(doc, "Methods");
	b = doc_facts(doc);
	if (profile_has(p, PART_SAMPLES))
		samples_methods(in, b);
	if (profile_has(p, PART_OFFCPU) && !imported_from(in))
		waits_methods(b);
	if (profile_has(p, PART_SYSCALLS))
		syscalls_methods(b);
	if (profile_has(p, PART_GROWTH))
		growth_methods(b);
	if (profile_has(p, PART_ZONES))
		zones_methods(in, b);
	doc_fact(b, false, "Percentages", "Each table and graph names what its 100 %% are.");
	doc_fact(b, false, "Losses",
		 "Each event is in the ledger, kept or lost for a named reason: taken = kept + "
		 "lost. Nothing is dropped silently.");
	if (imported_from(in))
		return 0;
	doc_fact(b, false, "Cost",
		 "BPF programs' run time is the kernel's own count, the profiler's CPU time and "
		 "memory are the kernel's accounts of it, and the slowdown follows from these.");
	return 0;
}

const struct view methods_view = {
	.name = "methods",
	.about = "what each number means, and how it was taken",
	.shows = {[DOC_PAPER] = SHOWS},
	.write = methods_write,
};
