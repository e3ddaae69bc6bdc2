/* Recorded events become rows: calls by stack, exceptions, blocks, waits, arguments, gaps. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "base/err.h"
#include "base/str.h"
#include "timeline/timeline_ledger.h"
#include "timeline/timeline_rows.h"
#include "timeline/triggers.h"

/* --- helpers -------------------------------------------------------------------------------- */

/* Functions by number; frames of the same numbers, which nobody looks up here. */
enum {
	NONE,
	F,
	G,
	OTHER,
	THROW,
	CATCH,
	MALLOC,
	REALLOC,
	FREE,
	ARGS,
	TYPED,
	INTEGER,
	NOTHING,
	POINTS,
	FUNCTIONS
};
static char red[] = "RED", blue[] = "BLUE", path[] = "path", letter[] = "c";
static struct enumerator colours[] = {{red, -1}, {blue, 5}};
static const struct signature taken = {
	.n = 5,
	.more = true,
	.at = {{.kind = VALUE_INT, .bytes = 4, .place = 0},
	       {.name = path, .kind = VALUE_TEXT, .bytes = 8, .place = 1},
	       {.kind = VALUE_FLOAT, .place = PLACE_VECTOR},
	       {.name = letter, .kind = VALUE_CHAR, .bytes = 1, .place = 2},
	       {.kind = VALUE_UINT, .bytes = 2, .place = 3}},
};
static char req[] = "req", to[] = "to", length[] = "length";
static struct member members[] = {
	{.is = {.name = length, .kind = VALUE_INT, .bytes = 4}, .offset = 16},
	{.is = {.name = path, .kind = VALUE_TEXT, .bytes = 8}, .offset = 8},
	{.is = {.name = letter, .kind = VALUE_TEXT}, .offset = 20, .array_bytes = 100}};
static const struct signature points = {
	.n = 2,
	.at = {{.name = req,
		.kind = VALUE_POINTER,
		.bytes = 8,
		.place = 1,
		.members = {.at = members, .n = 3}},
	       {.name = to,
		.kind = VALUE_POINTER,
		.bytes = 8,
		.place = 0,
		.members = {.at = members, .n = 1}}},
};
static const struct signature typed = {.result = {.kind = VALUE_ENUM,
						  .bytes = 1,
						  .is_signed = true,
						  .enumerators = {.at = colours, .n = 2}}};
static const struct signature integer = {.result = {.kind = VALUE_INT, .bytes = 4}};
static const struct signature nothing;
static const struct timeline_function functions[FUNCTIONS] = {
	[F] = {.frame = F, .module = 1},
	[G] = {.frame = G, .module = 1},
	[OTHER] = {.frame = OTHER, .module = 2},
	[THROW] = {.frame = THROW, .module = 3, .role = TIMELINE_THROWS},
	[CATCH] = {.frame = CATCH, .module = 3, .role = TIMELINE_CATCHES},
	[MALLOC] = {.frame = MALLOC, .role = TIMELINE_ALLOCATES, .allocates = EVENT_MALLOC},
	[REALLOC] = {.frame = REALLOC,
		     .role = TIMELINE_ALLOCATES,
		     .allocates = EVENT_REALLOC,
		     .size = TIMELINE_SIZE_SECOND},
	[FREE] = {.frame = FREE, .role = TIMELINE_FREES},
	[ARGS] = {.frame = ARGS, .module = 1, .args = &taken},
	[POINTS] = {.frame = POINTS, .module = 1, .args = &points},
	[TYPED] = {.frame = TYPED, .module = 1, .types = &typed},
	[INTEGER] = {.frame = INTEGER, .module = 1, .types = &integer},
	[NOTHING] = {.frame = NOTHING, .module = 1, .types = &nothing},
};

static uint32_t thread_of(void *context, uint32_t pid, uint32_t tid)
{
	(void)context;
	assert_int_equal(pid, 10);
	return tid - 10;
}

static const char *call_name(uint32_t number)
{
	return number == 202 ? "futex" : "";
}

struct made {
	struct profile *p;
	recorded_events events;
	struct timeline_options o;
};

static struct wire_event *put(struct made *m, uint64_t time_ns, uint32_t kind, uint32_t function,
			      uint64_t value1, uint64_t value2)
{
	vec_push(&m->events, ((struct wire_event){.serial = m->events.n + 1,
						  .time_ns = 1000 + time_ns,
						  .pid = 10,
						  .tid = 10,
						  .function = function,
						  .kind = (uint16_t)kind,
						  .value1 = value1,
						  .value2 = value2}));
	return &m->events.at[m->events.n - 1];
}

static uint64_t make(struct made *m, uint64_t older)
{
	m->p = profile_new();
	return timeline_rows(&(struct timeline_input){.functions = functions,
						      .n_functions = FUNCTIONS,
						      .thread = thread_of,
						      .call_name = call_name,
						      .o = &m->o,
						      .older = older,
						      .start_ns = 1000},
			     &m->events, m->p);
}

static void release(struct made *m)
{
	profile_free(m->p);
	vec_release(&m->events);
}

static void assert_row(const struct made *m, size_t i, uint64_t time_ns, uint32_t kind,
		       uint32_t frame, int64_t value1, int64_t value2)
{
	const struct timed_event *e = &m->p->events.at[i];

	assert_true(i < m->p->events.n);
	assert_int_equal(e->time_ns, time_ns);
	assert_int_equal(e->event, kind);
	assert_int_equal(e->frame, frame);
	assert_int_equal(e->value1, value1);
	assert_int_equal(e->value2, value2);
}

/* --- tests ---------------------------------------------------------------------------------- */

static void calls_of_another_module(void **state)
{
	struct made m = {0};

	(void)state;
	put(&m, 1, WIRE_EVENT_ENTRY, F, 0, 0);
	put(&m, 2, WIRE_EVENT_ENTRY, OTHER, 0, 0);
	put(&m, 3, WIRE_EVENT_ENTRY, G, 0, 0);
	put(&m, 4, WIRE_EVENT_EXIT, G, 1, 5);
	put(&m, 5, WIRE_EVENT_EXIT, OTHER, 3, 6);
	put(&m, 6, WIRE_EVENT_EXIT, F, 5, 7);
	put(&m, 7, WIRE_EVENT_UNSEEN, F, 0, 0);
	put(&m, 8, WIRE_EVENT_ENTRY, FUNCTIONS, 0, 0);
	assert_int_equal(make(&m, 0), 1);
	assert_int_equal(m.p->events.n, 8);
	assert_row(&m, 0, 1, EVENT_CALL, F, 0, 0);
	assert_row(&m, 1, 2, EVENT_C_CALL, OTHER, 0, 0);
	assert_row(&m, 2, 3, EVENT_C_CALL, G, 0, 0);
	assert_row(&m, 3, 4, EVENT_C_RETURN, G, 1, 5);
	assert_row(&m, 4, 5, EVENT_C_RETURN, OTHER, 3, 6);
	assert_row(&m, 5, 6, EVENT_RETURN, F, 5, 7);
	assert_row(&m, 6, 7, EVENT_CALL, F, 0, 0);
	assert_row(&m, 7, 7, EVENT_EXCEPTION, F, EVENT_UNSEEN, 0);
	release(&m);
}

static void what_an_exception_passes(void **state)
{
	struct made m = {0};

	(void)state;
	put(&m, 1, WIRE_EVENT_ENTRY, F, 0, 0);
	put(&m, 2, WIRE_EVENT_ENTRY, G, 0, 0);
	put(&m, 3, WIRE_EVENT_HIT, THROW, 77, 0);
	put(&m, 3, WIRE_EVENT_HIT, THROW, 77, 0); /* one function that throws calls another */
	put(&m, 4, WIRE_EVENT_DROPPED, G, 0, 0);
	put(&m, 5, WIRE_EVENT_HIT, CATCH, 77, 0);
	put(&m, 6, WIRE_EVENT_DROPPED, F, 0, 0);
	make(&m, 0);
	assert_int_equal(m.p->events.n, 6);
	assert_row(&m, 2, 3, EVENT_EXCEPTION, THROW, EVENT_THROWN, 77);
	assert_row(&m, 3, 4, EVENT_EXCEPTION, G, EVENT_PASSED, 77);
	assert_row(&m, 4, 5, EVENT_EXCEPTION, CATCH, EVENT_CAUGHT, 77);
	assert_row(&m, 5, 6, EVENT_EXCEPTION, F, EVENT_JUMPED, 0);
	release(&m);
}

static void blocks_have_sizes(void **state)
{
	struct made m = {0};

	(void)state;
	put(&m, 1, WIRE_EVENT_ENTRY, MALLOC, 64, 0);
	put(&m, 2, WIRE_EVENT_EXIT, MALLOC, 1, 4096);
	put(&m, 3, WIRE_EVENT_ENTRY, REALLOC, 4096, 100);
	put(&m, 4, WIRE_EVENT_ENTRY, MALLOC, 100, 0); /* realloc's own */
	put(&m, 4, WIRE_EVENT_EXIT, MALLOC, 0, 8192);
	put(&m, 4, WIRE_EVENT_HIT, FREE, 4096, 0);
	put(&m, 5, WIRE_EVENT_EXIT, REALLOC, 2, 8192);
	put(&m, 6, WIRE_EVENT_ENTRY, REALLOC, 8192, 1ull << 60);
	put(&m, 7, WIRE_EVENT_EXIT, REALLOC, 1, 0); /* fails: the block stays */
	put(&m, 8, WIRE_EVENT_HIT, FREE, 8192, 0);
	put(&m, 9, WIRE_EVENT_HIT, FREE, 12288, 0); /* of before */
	put(&m, 9, WIRE_EVENT_HIT, FREE, 0, 0);
	make(&m, 0);
	assert_int_equal(m.p->events.n, 6);
	assert_row(&m, 0, 2, EVENT_MALLOC, MALLOC, 4096, 64);
	assert_row(&m, 1, 5, EVENT_REALLOC_FREE, REALLOC, 4096, 64);
	assert_row(&m, 2, 5, EVENT_REALLOC, REALLOC, 8192, 100);
	assert_row(&m, 3, 7, EVENT_REALLOC, REALLOC, 0, 1ll << 60);
	assert_row(&m, 4, 8, EVENT_FREE, FREE, 8192, 100);
	assert_row(&m, 5, 9, EVENT_FREE, FREE, 12288, 0);
	release(&m);
}

static void waits_are_ready_from_their_wakeup_on(void **state)
{
	struct made m = {0};

	(void)state;
	put(&m, 10, WIRE_EVENT_OUT, 0, 1, 202);
	put(&m, 50, WIRE_EVENT_WAKEUP, 0, 10, 10)->tid = 11;
	put(&m, 55, WIRE_EVENT_WAKEUP, 0, 10, 10)->flags = WIRE_EVENT_FOREIGN;
	put(&m, 60, WIRE_EVENT_IN, 0, 0, 0);
	put(&m, 70, WIRE_EVENT_OUT, 0, 0, ~0ull);
	put(&m, 75, WIRE_EVENT_IN, 0, 0, 0);
	make(&m, 0);
	assert_int_equal(m.p->events.n, 5);
	assert_row(&m, 0, 10, EVENT_SWITCH_OUT, 0, 'S', 0);
	assert_string_equal(profile_text(m.p, m.p->events.at[0].argument), "futex");
	assert_row(&m, 1, 50, EVENT_WAKEUP, 0, 10, 10);
	assert_int_equal(m.p->events.at[1].thread, 1);
	assert_row(&m, 2, 60, EVENT_SWITCH_IN, 0, 50, 10);
	assert_row(&m, 3, 70, EVENT_SWITCH_OUT, 0, 'R', 0);
	assert_row(&m, 4, 75, EVENT_SWITCH_IN, 0, 5, 5);
	release(&m);
}

/* The count of the ledger's row that begins so; -1: there is none. */
static int64_t ledger_of(struct made *m, const char *begins)
{
	const bool known[FUNCTIONS] = {0};
	struct recorded r = {.kept = m->events.n};
	int64_t n = -1;

	m->p = profile_new();
	recorded_count(&r, &m->events, known, FUNCTIONS);
	timeline_ledger(m->events.n, &r, m->p);
	for (size_t i = 0; i < m->p->ledger.n; i++)
		if (str_starts(profile_text(m->p, m->p->ledger.at[i].name), begins))
			n = m->p->ledger.at[i].count;
	release(m);
	return n;
}

/* Thread 10 waits from 10 on, and runs at 60 again as the third event that was begun; the second
 * one woke it at @woken. */
static int64_t late_if_woken_at(uint64_t woken)
{
	struct made m = {0};

	put(&m, 10, WIRE_EVENT_OUT, 0, 1, 202);
	if (woken <= 60)
		put(&m, woken, WIRE_EVENT_WAKEUP, 0, 10, 10)->tid = 11;
	put(&m, 60, WIRE_EVENT_IN, 0, 0, 0)->serial = 3;
	if (woken > 60) {
		struct wire_event *e = put(&m, woken, WIRE_EVENT_WAKEUP, 0, 10, 10);

		e->tid = 11;
		e->serial = 2;
	}
	/* Woken while it runs, before it could sleep: this one caused no run. */
	put(&m, 80, WIRE_EVENT_WAKEUP, 0, 10, 10)->serial = 4;
	put(&m, 90, WIRE_EVENT_OUT, 0, 1, 202);
	return ledger_of(&m, "wake-ups after the run");
}

static void wakeups_after_the_run_are_counted(void **state)
{
	(void)state;
	assert_int_equal(late_if_woken_at(50), 0);
	assert_int_equal(late_if_woken_at(60), 0);
	assert_int_equal(late_if_woken_at(61), 1);
}

static void unseen_ends_are_counted(void **state)
{
	struct made m = {0}, none = {0};

	(void)state;
	put(&m, 10, WIRE_EVENT_ENTRY, 0, 0, 0);
	put(&m, 20, WIRE_EVENT_UNSEEN, 0, 0, 0);
	put(&m, 30, WIRE_EVENT_UNSEEN, 0, 0, 0);
	assert_int_equal(ledger_of(&m, "calls whose ends are not seen"), 2);
	put(&none, 10, WIRE_EVENT_ENTRY, 0, 0, 0);
	assert_int_equal(ledger_of(&none, "calls whose ends are not seen"), -1);
}

static void arguments_stand_before_their_entry(void **state)
{
	struct made m = {0};
	struct wire_event *e;

	(void)state;
	e = put(&m, 1, WIRE_EVENT_TEXT, ARGS, 0, 0);
	e->flags = 1;
	memcpy(&e->value1, "/usr/lib/x86_64-linux-gn", 24);
	e = put(&m, 1, WIRE_EVENT_TEXT, ARGS, 0, 0);
	e->flags = 1;
	memcpy(&e->value1, "u", 2);
	put(&m, 1, WIRE_EVENT_MORE, ARGS, 0xff000c, 0);
	put(&m, 2, WIRE_EVENT_ENTRY, ARGS, (uint64_t)-3, 4096)->more = 'x';
	e = put(&m, 3, WIRE_EVENT_TEXT, ARGS, 0, 0);
	e->flags = 1 | WIRE_EVENT_UNREADABLE;
	put(&m, 4, WIRE_EVENT_ENTRY, ARGS, 5, 4096);
	make(&m, 0);
	assert_int_equal(m.p->events.n, 2);
	assert_string_equal(profile_text(m.p, m.p->events.at[0].argument),
			    "arg0=-3, path=\"/usr/lib/x86_64-linux-gnu\", arg2=[in a vector "
			    "register], c='x', arg4=12, …");
	assert_string_equal(profile_text(m.p, m.p->events.at[1].argument),
			    "arg0=5, path=0x1000 [not in memory], arg2=[in a vector register], "
			    "c='\\x00', arg4=0, …");
	release(&m);
}

static void put_member(struct made *m, uint32_t flags, uint64_t value)
{
	put(m, 1, WIRE_EVENT_MEMBER, POINTS, value, 0)->flags = (uint16_t)flags;
}

static void assert_arguments(const struct made *m, size_t row, const char *text)
{
	assert_string_equal(profile_text(m->p, m->p->events.at[row].argument), text);
}

/* Those that the programs were not told of are nobody's. */
static void members_of_structs(void **state)
{
	struct made m = {0};
	struct wire_event *e;

	(void)state;
	put_member(&m, 0, 0xfffffffd);
	put_member(&m, 1, 0);
	e = put(&m, 1, WIRE_EVENT_TEXT, POINTS, 0, 0);
	e->flags = WIRE_EVENT_ARGUMENTS + 2;
	memcpy(&e->value1, "a b", 4);
	put_member(&m, 3, 7);
	put_member(&m, WIRE_EVENT_MEMBERS, 9);
	put_member(&m, 0xff, 9);
	put(&m, 1, WIRE_EVENT_TEXT, POINTS, 0, 0)->flags = CALL_TEXTS;
	put(&m, 2, WIRE_EVENT_ENTRY, POINTS, 4096, 8192);
	put_member(&m, WIRE_EVENT_UNREADABLE, 0);
	put(&m, 3, WIRE_EVENT_TEXT, POINTS, 0, 0)->flags =
		(WIRE_EVENT_ARGUMENTS + 1) | WIRE_EVENT_UNREADABLE;
	put(&m, 3, WIRE_EVENT_TEXT, POINTS, 0, 0)->flags =
		(WIRE_EVENT_ARGUMENTS + 2) | WIRE_EVENT_UNREADABLE;
	put_member(&m, 3, 8);
	put(&m, 4, WIRE_EVENT_ENTRY, POINTS, 4096, 8192);
	put_member(&m, 0, 1);
	put(&m, 5, WIRE_EVENT_ENTRY, POINTS, 0, 8192);
	put(&m, 6, WIRE_EVENT_ENTRY, POINTS, 4096, 8192);
	make(&m, 0);
	assert_int_equal(m.p->events.n, 4);
	assert_arguments(&m, 0, "req.length=-3, req.path=NULL, req.c=\"a b\", to.length=7");
	assert_arguments(&m, 1, "req=0x2000 [not in memory], to.length=8");
	assert_arguments(&m, 2,
			 "req.length=1, req.path=[not recorded], req.c=[not recorded], to=NULL");
	assert_arguments(&m, 3, "req=0x2000, to=0x1000");
	release(&m);
}

/* What the programs are told. */
static void shape_of_structs(void **state)
{
	const struct wire_event_shape shape = call_arguments_shape(&points);
	const struct wire_event_shape plain = call_arguments_shape(&taken);

	(void)state;
	assert_int_equal(shape.arguments, 3 | WIRE_EVENT_BY_MEMBERS);
	assert_int_equal(shape.n_members, 4);
	assert_int_equal(shape.members[0].offset, 16);
	assert_int_equal(shape.members[0].argument, 1);
	assert_int_equal(shape.members[0].bytes, 4);
	assert_int_equal(shape.members[0].text, WIRE_MEMBER_VALUE);
	assert_int_equal(shape.members[1].text, WIRE_MEMBER_POINTER);
	assert_int_equal(shape.members[2].text, WIRE_MEMBER_ARRAY);
	assert_int_equal(shape.members[2].bytes, WIRE_EVENT_PIECES * WIRE_EVENT_PIECE);
	assert_int_equal(shape.members[3].argument, 0);
	assert_int_equal(plain.arguments, 0xf);
	assert_int_equal(plain.n_members, 0);
}

static void results_by_type(void **state)
{
	struct made m = {0};

	(void)state;
	put(&m, 1, WIRE_EVENT_ENTRY, TYPED, 0, 0);
	put(&m, 2, WIRE_EVENT_EXIT, TYPED, 1, 0x12345678000000ff);
	put(&m, 3, WIRE_EVENT_ENTRY, TYPED, 0, 0);
	put(&m, 4, WIRE_EVENT_EXIT, TYPED, 1, 5);
	put(&m, 5, WIRE_EVENT_ENTRY, TYPED, 0, 0);
	put(&m, 6, WIRE_EVENT_EXIT, TYPED, 1, 6);
	put(&m, 7, WIRE_EVENT_ENTRY, INTEGER, 0, 0);
	put(&m, 8, WIRE_EVENT_EXIT, INTEGER, 1, 0xffffffff);
	put(&m, 9, WIRE_EVENT_ENTRY, INTEGER, 0, 0);
	put(&m, 10, WIRE_EVENT_EXIT, INTEGER, 1, 0x100000000);
	put(&m, 11, WIRE_EVENT_ENTRY, NOTHING, 0, 0);
	put(&m, 12, WIRE_EVENT_EXIT, NOTHING, 1, 77);
	put(&m, 13, WIRE_EVENT_ENTRY, F, 0, 0);
	put(&m, 14, WIRE_EVENT_EXIT, F, 1, 0);
	make(&m, 0);
	assert_string_equal(profile_text(m.p, m.p->events.at[1].argument), "RED");
	assert_string_equal(profile_text(m.p, m.p->events.at[3].argument), "BLUE");
	assert_string_equal(profile_text(m.p, m.p->events.at[5].argument), "6");
	assert_row(&m, 7, 8, EVENT_RETURN, INTEGER, 1, -1);
	assert_string_equal(profile_text(m.p, m.p->events.at[9].argument), "0");
	assert_row(&m, 11, 12, EVENT_RETURN, NOTHING, 1, 0);
	assert_int_equal(m.p->events.at[11].argument, 0);
	/* Of unknown type: a 0 that it returned is one. */
	assert_string_equal(profile_text(m.p, m.p->events.at[13].argument), "0");
	release(&m);
}

static void gaps_and_triggers(void **state)
{
	struct made m = {.o = {.n_triggers = 1, .triggers = {{.text = "f>1ms"}}}};

	(void)state;
	put(&m, 1, WIRE_EVENT_ENTRY, F, 0, 0);
	put(&m, 2, TRIGGERS_FIRED, F, 5000, 1);
	put(&m, 3, TRIGGERS_GAP, F, 9, 0);
	put(&m, 4, WIRE_EVENT_ENTRY, OTHER, 0, 0);
	make(&m, 7);
	assert_int_equal(m.p->events.n, 5);
	assert_row(&m, 0, 1, EVENT_LOST, 0, 7, EVENT_LOST_OLDER);
	assert_row(&m, 2, 2, EVENT_TRIGGER, F, 5000, 1);
	assert_string_equal(profile_text(m.p, m.p->events.at[2].argument), "f>1ms");
	assert_row(&m, 3, 3, EVENT_LOST, 0, 9, EVENT_LOST_BETWEEN);
	/* F may have ended in the gap: it is not around what follows. */
	assert_row(&m, 4, 4, EVENT_CALL, OTHER, 0, 0);
	release(&m);
}

static void options(void **state)
{
	struct timeline_options *o = timeline_options_events("3K,stop", NULL);
	uint32_t arguments;

	(void)state;
	assert_int_equal(o->events, 3072);
	assert_true(o->stops);
	assert_int_equal(timeline_options_slots(o), 4096);
	assert_null(timeline_options_events("3K,newest", o));
	assert_ptr_equal(timeline_options_trigger("a>b>10ms,3", o), o);
	assert_int_equal(o->triggers[0].least_ns, 10000000);
	assert_int_equal(o->triggers_most, 3);
	assert_ptr_equal(timeline_options_trigger("runnable>1us", o), o);
	assert_ptr_equal(timeline_options_args("std::f(int)(str,double , long)", o), o);
	assert_int_equal(signature_registers(&o->args[0].signature), 3);
	assert_int_equal(signature_texts(&o->args[0].signature), 1);
	assert_string_equal(timeline_options_zone(o, 0, &arguments), "a>b");
	assert_int_equal(arguments, 0);
	assert_string_equal(timeline_options_zone(o, 1, &arguments), "std::f(int)");
	assert_int_equal(arguments, 3);
	assert_ptr_equal(timeline_options_args("open", o), o);
	assert_true(o->args[1].by_debuginfo);
	assert_string_equal(timeline_options_zone(o, 2, &arguments), "open");
	assert_int_equal(arguments, 0x3f);
	assert_null(timeline_options_zone(o, 3, &arguments));
	free(o);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(calls_of_another_module),
		cmocka_unit_test(what_an_exception_passes),
		cmocka_unit_test(blocks_have_sizes),
		cmocka_unit_test(waits_are_ready_from_their_wakeup_on),
		cmocka_unit_test(wakeups_after_the_run_are_counted),
		cmocka_unit_test(unseen_ends_are_counted),
		cmocka_unit_test(arguments_stand_before_their_entry),
		cmocka_unit_test(members_of_structs),
		cmocka_unit_test(shape_of_structs),
		cmocka_unit_test(results_by_type),
		cmocka_unit_test(gaps_and_triggers),
		cmocka_unit_test(options),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
