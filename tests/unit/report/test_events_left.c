/*
 * Events that stay in the file until they are walked: the same ones as those that are loaded, in
 * chunks of 65,536 rows; of a selection; of several windows; and none that refers to what is not
 * there.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include <errno.h>

#include "base/err.h"
#include "model/event_cursor.h"
#include "query/excerpt.h"
#include "store/store.h"
#include "temp_folder.h"
#include "timeline_profile.h"
#include "walked_calls.h"

#define MANY 150000 /* three chunks */

/* Calls of nine functions that end at once, in two threads; some have arguments. */
static struct profile *many_events(void)
{
	struct profile *p = timeline_profile();
	uint32_t frames[9], texts[9];

	for (uint32_t i = 0; i < 9; i++) {
		_free_ char *name = mem_printf("function %u", i);
		_free_ char *text = mem_printf("n=%u", i);

		frames[i] = small_frame(p, name, strlen(name));
		texts[i] = i % 3 ? 0 : intern_add(&p->strings, text);
	}
	p->duration_ns = MANY;
	for (uint32_t i = 0; i < MANY; i++)
		vec_push(&p->events,
			 ((struct timed_event){.time_ns = i,
					       .thread = i / 2 % 5 == 0,
					       .frame = frames[i / 2 % 9],
					       .argument = i % 2 ? 0 : texts[i / 2 % 9],
					       .event = i % 2 ? EVENT_RETURN : EVENT_CALL,
					       .value1 = INT64_MIN + i,
					       .value2 = -(int64_t)i}));
	return p;
}

static void save(const char *path, struct profile *p)
{
	assert_int_equal(store_save(path, true, p), 0);
	profile_free(p);
}

static struct profile *load(const char *path,
			    int (*how)(const char *, const struct store_key *, struct profile **))
{
	struct profile *p = NULL;

	if (how(path, NULL, &p))
		fail_msg("%s", err_text());
	return p;
}

/* By names, as a selection's numbers may be others. */
static bool is_same(const struct profile *a, const struct timed_event *x, const struct profile *b,
		    const struct timed_event *y)
{
	const char *f = profile_text(a, a->functions.at[a->frames.at[x->frame].function].name);
	const char *g = profile_text(b, b->functions.at[b->frames.at[y->frame].function].name);

	return x->time_ns == y->time_ns && x->event == y->event && x->value1 == y->value1 &&
	       x->value2 == y->value2 && x->coroutine == y->coroutine &&
	       a->threads.at[x->thread].tid == b->threads.at[y->thread].tid && !strcmp(f, g) &&
	       !strcmp(profile_text(a, x->argument), profile_text(b, y->argument));
}

/* Walks those of @left, whose end is the walk's, twice: a walk changes nothing. */
static void assert_same(const struct profile *loaded, const struct profile *left)
{
	const struct timed_event *e;
	struct event_cursor c;

	assert_non_null(left->events_left);
	assert_int_equal(left->events.n, 0);
	assert_int_equal(events_count(left), loaded->events.n);
	assert_int_equal(events_first_ns(left), events_first_ns(loaded));
	assert_int_equal(events_last_ns(left), events_last_ns(loaded));
	for (int turn = 0; turn < 2; turn++) {
		size_t i = 0;

		event_cursor_init(&c, left);
		while ((e = event_cursor_next(&c)))
			assert_true(i < loaded->events.n &&
				    is_same(loaded, &loaded->events.at[i++], left, e));
		assert_int_equal(event_cursor_release(&c), 0);
		assert_int_equal(i, loaded->events.n);
	}
}

static void are_those_of_the_file(void **state)
{
	struct profile *loaded, *left;

	(void)state;
	save("e.h5", many_events());
	loaded = load("e.h5", store_load);
	left = load("e.h5", store_load_leaving);
	assert_int_equal(loaded->events.n, MANY);
	assert_same(loaded, left);
	assert_int_equal(events_load(left), 0);
	assert_null(left->events_left);
	assert_int_equal(left->events.n, MANY);
	for (size_t i = 0; i < MANY; i++)
		assert_true(is_same(loaded, &loaded->events.at[i], left, &left->events.at[i]));
	profile_free(loaded);
	profile_free(left);
}

/* A table of one row is not even a chunk. */
static void of_few_rows_and_none(void **state)
{
	struct profile *p = timeline_profile(), *left;

	(void)state;
	save("e.h5", timeline_profile());
	left = load("e.h5", store_load_leaving);
	assert_null(left->events_left);
	assert_int_equal(events_count(left), 0);
	assert_int_equal(events_last_ns(left), 0);
	profile_free(left);
	timeline_put(p, 7, 0, 0, EVENT_TRIGGER, "", 1);
	assert_int_equal(store_save("e.h5", true, p), 0);
	left = load("e.h5", store_load_leaving);
	assert_same(p, left);
	profile_free(left);
	profile_free(p);
}

static void of_a_selection(void **state)
{
	const struct selection times = {.from_ns = 100, .to_ns = 140001},
			       worker = {.threads.thread = "worker", .from_ns = 70000};
	const struct selection *const all[] = {&times, &worker};
	struct profile *loaded, *left;

	(void)state;
	save("e.h5", many_events());
	loaded = load("e.h5", store_load);
	left = load("e.h5", store_load_leaving);
	for (size_t i = 0; i < 2; i++) {
		struct profile *one, *other;

		assert_int_equal(excerpt_build(loaded, all[i], true, &one), 0);
		assert_int_equal(excerpt_build(left, all[i], true, &other), 0);
		assert_int_equal(one->events.n, i ? 16000 : 139901);
		assert_int_equal(other->frames.n, one->frames.n);
		assert_same(one, other);
		profile_free(one);
		profile_free(other);
	}
	profile_free(loaded);
	profile_free(left);
}

static void append_window(const char *path, uint64_t from_ns)
{
	struct profile *p = many_events();
	_free_ char *image = NULL;
	FILE *f = fopen(path, "ae");
	size_t n;

	assert_non_null(f);
	vec_each (e, &p->events)
		e->time_ns += from_ns;
	assert_int_equal(store_image(p, &image, &n), 0);
	assert_int_equal(fwrite(image, 1, n, f), n);
	assert_int_equal(fclose(f), 0);
	profile_free(p);
}

static void assert_same_text(char *one, char *other)
{
	assert_string_equal(one, other);
	free(one);
	free(other);
}

/* Calls that views show, with what their events tell. */
static void of_calls(void **state)
{
	struct profile *p = many_events(), *loaded, *left;
	struct call_choice one, other;
	walked_calls some = {0}, all = {0};

	(void)state;
	save("e.h5", p);
	loaded = load("e.h5", store_load);
	left = load("e.h5", store_load_leaving);
	assert_int_equal(call_choice_init(&one, loaded, &(struct selection){0}), 0);
	assert_int_equal(call_choice_init(&other, left, &(struct selection){0}), 0);
	assert_int_equal(walk_calls(&one, &some), 0);
	assert_int_equal(walk_calls(&other, &all), 0);
	assert_int_equal(left->events.n, 0);
	assert_int_equal(some.n, MANY / 2);
	assert_int_equal(all.n, some.n);
	for (size_t i = 0; i < some.n; i++) {
		assert_memory_equal(&all.at[i].call, &some.at[i].call, sizeof(struct call));
		assert_same_text(call_arguments(loaded, &some.at[i]),
				 call_arguments(left, &all.at[i]));
		assert_same_text(call_result(loaded, &some.at[i]), call_result(left, &all.at[i]));
		assert_int_equal(all.at[i].result, -(int64_t)all.at[i].call.end);
	}
	vec_release(&some);
	vec_release(&all);
	call_choice_release(&one);
	call_choice_release(&other);
	profile_free(loaded);
	profile_free(left);
}

/* Windows are read as one profile, whose events are in memory. */
static void of_several_windows(void **state)
{
	struct profile *left;

	(void)state;
	append_window("e.h5", 0);
	append_window("e.h5", MANY);
	left = load("e.h5", store_load_leaving);
	assert_null(left->events_left);
	assert_int_equal(left->events.n, 2 * MANY);
	assert_int_equal(left->events.at[MANY + 5].time_ns, MANY + 5);
	profile_free(left);
}

/* How many events come before the one that is wrong; and what is said then. */
static void assert_wrong(struct profile *p, size_t right, const char *text)
{
	struct event_cursor c;
	struct profile *left;
	size_t n = 0;

	save("e.h5", p);
	left = load("e.h5", store_load_leaving);
	event_cursor_init(&c, left);
	while (event_cursor_next(&c))
		n++;
	assert_int_equal(event_cursor_release(&c), -EINVAL);
	assert_int_equal(n, right);
	assert_string_equal(err_text(), text);
	assert_int_equal(events_load(left), -EINVAL);
	profile_free(left);
}

static void that_cannot_be_are_refused(void **state)
{
	struct profile *p = many_events();

	(void)state;
	p->events.at[70000].frame = 99;
	assert_wrong(p, 65536, "cannot read 'e.h5': events, row 70000: frame 99 is out of range");
	p = many_events();
	p->events.at[140000].thread = 2;
	assert_wrong(p, 131072, "cannot read 'e.h5': events, row 140000: thread 2 is out of range");
	p = many_events();
	p->events.at[66000].argument = 1000;
	assert_wrong(p, 65536,
		     "cannot read 'e.h5': events, row 66000: argument 1000 is out of range");
	p = many_events();
	p->events.at[65536].time_ns = 65534; /* the first of a chunk */
	assert_wrong(p, 65536,
		     "cannot read 'e.h5': events, row 65536: earlier than the row before");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(are_those_of_the_file, enter_folder, leave_folder),
		cmocka_unit_test_setup_teardown(of_few_rows_and_none, enter_folder, leave_folder),
		cmocka_unit_test_setup_teardown(of_a_selection, enter_folder, leave_folder),
		cmocka_unit_test_setup_teardown(of_calls, enter_folder, leave_folder),
		cmocka_unit_test_setup_teardown(of_several_windows, enter_folder, leave_folder),
		cmocka_unit_test_setup_teardown(that_cannot_be_are_refused, enter_folder,
						leave_folder),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
