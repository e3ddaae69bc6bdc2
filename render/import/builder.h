/*
 * builder: a profile under construction by an importer. It cleans names, keeps samples until all
 * metrics are known, counts what was left out, and sees to it that the ledger adds up. For import/.
 *
 *	b = builder_new();
 *	metric = builder_metric(b, "cycles", "events", METRIC_SUM);
 *	thread = builder_thread(b, pid, tid, name, process);
 *	node = profile_node(b->profile, parent, profile_frame(b->profile, &frame));
 *	builder_sample(b, time_ns, thread, node, 1, &(struct builder_value){metric, value}, 1);
 *	builder_lose(b, metric, "no stack", 3);
 *	rc = builder_finish(b, &profile);
 *	builder_free(b);
 */
#ifndef IMPORT_BUILDER_H
#define IMPORT_BUILDER_H

#include "base/input.h"
#include "model/profile.h"
#include "model/timed_event.h"

struct builder_value {
	uint32_t metric; /* as of builder_metric() */
	int64_t value;	 /* 0: no sample of that metric */
};

/* A sample until the profile takes it. */
struct builder_row {
	int64_t time_ns;
	uint32_t thread, node, reason;
	uint32_t n;   /* values */
	size_t first; /* of its values */
};

/* An event of a timeline until the profile takes it. */
struct builder_event {
	int64_t time_ns;
	size_t number; /* of its kind: those of one time stay in this order */
	struct timed_event event;
};

struct builder_ledger {
	uint32_t metric; /* index or LEDGER_ZONES */
	uint32_t name;	 /* string */
	uint8_t class;
	int64_t count;
};

struct builder {
	struct profile *profile;
	VEC(struct metric) metrics;
	VEC(struct builder_row) rows;
	VEC(struct builder_value) values;
	VEC(struct builder_event) events;
	VEC(struct builder_ledger) ledger;
	VEC(int64_t) kept; /* samples per metric */
	struct numbering thread_keys, zone_keys;
	VEC(uint32_t) threads, zones; /* per key: the profile's row */
	struct map zone_times;
	int64_t duration_ns; /* of zones, or of samples without times: the importer adds to it */
	bool added;	     /* the last sample had a value */
	int64_t skipped;     /* lines */
	char *first_skipped; /* "line 3: …", why */
	bool timed;	     /* the samples' times mean something: duration_ns follows from them */
};

/* The sum, or what is next to it of what fits. */
static inline int64_t builder_sum(int64_t a, int64_t b)
{
	int64_t out;

	return __builtin_add_overflow(a, b, &out) ? b < 0 ? INT64_MIN : INT64_MAX : out;
}

struct builder *builder_new(void);
void builder_free(struct builder *);

/* The number of a name: well-formed UTF-8 on one line, whatever the @n bytes are. */
uint32_t builder_text(struct builder *, const char *s, size_t n);
static inline uint32_t builder_span(struct builder *b, struct span s)
{
	return builder_text(b, s.s, s.n);
}

/* The same for an attribute of the profile, cut where it is longer than one should be. Freed by the
 * caller. */
char *builder_attribute(struct span);

/* The module of that path, "" none. */
uint32_t builder_module(struct builder *, struct span path);

/* The metric of that name and unit (or of parts of that: builder_refine()), added where there is
 * none. */
uint32_t builder_metric(struct builder *, const char *name, const char *unit, enum metric_kind);

/* Counts that are no whole numbers: from now on values of @metric are of the unit "1/@parts", a
 * power of ten up to 1e9 and not below what it was. Those so far are made it. Returns how many
 * there are to 1. */
int64_t builder_refine(struct builder *, uint32_t metric, int64_t parts);

/* The thread of these numbers and this name. @process 0: @name. */
uint32_t builder_thread(struct builder *, uint32_t pid, uint32_t tid, uint32_t name,
			uint32_t process);

/* Whether such a name is none: "[unknown]", "0x7f…", "module+0x1f30". */
bool builder_is_unnamed(struct span name);

/* The kind of code of a function that the format tells only the module (0: none) and the name of:
 * "[kernel]", "//anon" and their like, and marks such as "[stack cut]". */
enum frame_kind builder_code_kind(const struct builder *, uint32_t module, struct span name);

/* One sample, @count of them if the format has added up equal ones (0: as many as each value says):
 * kept in the ledger of each metric of which it has a value. @time_ns: of any clock; the first of
 * all becomes 0. */
void builder_sample(struct builder *, int64_t time_ns, uint32_t thread, uint32_t node,
		    int64_t count, const struct builder_value *, size_t n);

/* Why the thread of the sample added last was off the CPU; nothing where that is of no kind, or
 * where the sample had no value. */
void builder_sample_reason(struct builder *, const struct reason *);

/* One event of a timeline, whose rows refer to the profile's; its time_ns is set by the end, from
 * @time_ns, which is of the clock that samples have. Events of one time stay in the order in which
 * they are added. */
void builder_event(struct builder *, int64_t time_ns, const struct timed_event *);

/* @n samples of @metric, or calls of zones (LEDGER_ZONES), are not in the profile, and why. */
void builder_lose(struct builder *, uint32_t metric, const char *why, int64_t n);
/* The same of what is in it, or was none of them: see enum ledger_class. */
void builder_note(struct builder *, uint32_t metric, enum ledger_class, const char *what,
		  int64_t n);

/* What a line costs that cannot be read: itself. -EINVAL becomes 0, and the line is counted in the
 * ledger, the first one with the reason (err_text()); other errors remain. */
int builder_skip(struct builder *, const struct input *, int rc);
/* The error of a file that holds nothing: why its first line was skipped, or @why. */
int builder_nothing(const struct builder *, const struct input *, const char *why);

/*
 * A zone of that name, file and line; the @nth of them in its file, from 0, for there may be
 * several. Where an earlier file had it, the figures of both are put together: counts, times and
 * squares add up, the least and the most of both remain. @z as profile_zone() takes it; returns its
 * row.
 */
uint32_t builder_zone(struct builder *, const struct zone *z, uint32_t nth);
/* How many zones of that name, file and line this has been asked of since builder_restart(). */
uint32_t builder_nth(struct builder *, const struct zone *z);
/* Before each file. */
void builder_restart(struct builder *);

/* Rows of the profile, its ledger, its length. -EINVAL with a text where there is nothing, or where
 * the numbers do not fit. The profile is the caller's then. */
int builder_finish(struct builder *, struct profile **out);

#endif
