/* What sampled calls were given, in words: whichever comes first, the call or its values; bounded.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "base/str.h"
#include "timeline/call_labels.h"
#include "wire_call.h"
#include "wire_event.h"

/* --- helpers -------------------------------------------------------------------------------- */

#define F 7 /* its number */

static char path[] = "path";
static const struct signature taken = {
	.n = 2,
	.at = {{.kind = VALUE_INT, .bytes = 4, .place = 0},
	       {.name = path, .kind = VALUE_TEXT, .bytes = 8, .place = 1}},
};

/* Values as the programs send them. */
struct sent {
	struct wire_stack head;
	struct wire_call_part parts[4];
};

static struct sent values(uint64_t hash, uint64_t n, const char *text)
{
	struct sent s = {.head = {.pid = wire_call_values_of(F), .hash = hash}};

	if (text) {
		s.parts[0] = (struct wire_call_part){.kind = WIRE_EVENT_TEXT, .flags = 1};
		memcpy(&s.parts[0].value1, text, strlen(text));
	}
	s.parts[!!text] = (struct wire_call_part){
		.kind = WIRE_EVENT_ENTRY, .value1 = n, .value2 = text != NULL};
	s.head.depth = (uint16_t)(WIRE_CALL_PART_WORDS * (text ? 2 : 1));
	return s;
}

static void take(struct call_labels *l, const struct sent *s)
{
	assert_true(wire_call_is_values(&s->head));
	assert_int_equal(call_labels_function(&s->head), F);
	call_labels_take(l, &s->head, &taken);
}

static void assert_label(const struct call_labels *l, uint32_t row, const char *text)
{
	struct str room = {0};

	assert_string_equal(call_labels_text(l, row, &room), text);
	str_release(&room);
}

static void begin(struct call_labels *l)
{
	call_labels_init(l);
	call_labels_name(l, F, "paint");
}

/* --- tests ---------------------------------------------------------------------------------- */

static void the_call_first_or_its_values(void **state)
{
	const struct sent one = values(100, 3, "sky"), two = values(200, (uint64_t)-1, NULL);
	struct call_labels l;
	uint32_t row;

	(void)state;
	begin(&l);
	assert_int_equal(call_labels_row(&l, 0, F), 0);
	row = call_labels_row(&l, 100, F);
	assert_int_equal(call_labels_state(&l, row), CALL_LABEL_UNSENT);
	assert_label(&l, row, "paint(…)");
	take(&l, &one);
	assert_int_equal(call_labels_state(&l, row), CALL_LABEL_TOLD);
	assert_label(&l, row, "paint(arg0=3, path=\"sky\")");
	take(&l, &two);
	assert_label(&l, call_labels_row(&l, 200, F), "paint(arg0=-1, path=NULL)");
	assert_int_equal(call_labels_row(&l, 100, F), row);
	call_labels_release(&l);
}

/* Upper halves of registers are chance: other values, but the same in words, which count once. */
static void the_same_in_words(void **state)
{
	struct call_labels l;

	(void)state;
	begin(&l);
	for (uint32_t i = 1; i <= 2 * CALL_LABELS_MOST; i++) {
		const struct sent s = values(i, (uint64_t)i << 32 | 5, NULL);

		take(&l, &s);
		assert_label(&l, call_labels_row(&l, i, F), "paint(arg0=5, path=NULL)");
	}
	call_labels_release(&l);
}

static void no_more_than_a_number(void **state)
{
	struct call_labels l;
	struct sent s;
	uint32_t row = 0;

	(void)state;
	begin(&l);
	for (uint32_t i = 1; i <= CALL_LABELS_MOST + 10; i++) {
		s = values(i, i, NULL);
		take(&l, &s);
		row = call_labels_row(&l, i, F);
		assert_int_equal(call_labels_state(&l, row),
				 i <= CALL_LABELS_MOST ? CALL_LABEL_TOLD : CALL_LABEL_REST);
	}
	assert_label(&l, row, "paint(…)");
	/* One that is known goes on to be told apart. */
	s = values(1 << 20, UINT64_C(1) << 40 | 1, NULL);
	take(&l, &s);
	assert_label(&l, call_labels_row(&l, 1 << 20, F), "paint(arg0=1, path=NULL)");
	for (uint32_t i = 0; i < 2 * CALL_VALUES_MOST; i++)
		row = call_labels_row(&l, (UINT64_C(1) << 32) + i, F);
	assert_true(l.rows.n <= CALL_VALUES_MOST + 2);
	assert_int_equal(call_labels_state(&l, row), CALL_LABEL_REST);
	assert_int_equal(call_labels_row(&l, WIRE_CALL_LOST, F), row);
	call_labels_release(&l);
}

/* Parts that are cut, of kinds that there are not, or that never end. */
static void values_that_make_no_sense(void **state)
{
	struct call_labels l;
	struct sent s;

	(void)state;
	begin(&l);
	s = values(1, 3, "sky");
	s.head.depth -= 1;
	take(&l, &s);
	assert_label(&l, call_labels_row(&l, 1, F), "paint(…)");
	s = values(2, 3, "sky");
	s.head.depth = 0;
	take(&l, &s);
	assert_label(&l, call_labels_row(&l, 2, F), "paint(…)");
	s = values(3, 3, "sky");
	s.parts[0].flags = 0xffff;
	take(&l, &s);
	assert_label(&l, call_labels_row(&l, 3, F), "paint(arg0=3, path=0x1)");
	s = values(4, 3, "sky");
	s.parts[0].kind = 0xffff;
	take(&l, &s);
	assert_label(&l, call_labels_row(&l, 4, F), "paint(arg0=3, path=0x1)");
	s = values(5, 3, "sky");
	call_labels_take(&l, &s.head, NULL);
	assert_label(&l, call_labels_row(&l, 5, F), "paint(…)");
	assert_label(&l, call_labels_row(&l, 6, 1u << 20), "(…)");
	call_labels_release(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_call_first_or_its_values),
		cmocka_unit_test(the_same_in_words),
		cmocka_unit_test(no_more_than_a_number),
		cmocka_unit_test(values_that_make_no_sense),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
