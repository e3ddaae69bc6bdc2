#include "timeline/call_labels.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "timeline/call_arguments.h"
#include "wire_call.h"

void call_labels_init(struct call_labels *l)
{
	*l = (struct call_labels){0};
	vec_push(&l->rows, ((struct call_label){0}));
}

void call_labels_release(struct call_labels *l)
{
	vec_each (name, &l->names)
		free(*name);
	vec_release(&l->names);
	vec_release(&l->rows);
	intern_release(&l->texts);
	map_release(&l->by_values);
	map_release(&l->by_text);
	map_release(&l->rest);
}

void call_labels_name(struct call_labels *l, uint32_t function, const char *name)
{
	while (l->names.n <= function)
		vec_push(&l->names, NULL);
	free(l->names.at[function]);
	l->names.at[function] = mem_strdup(name);
}

static uint32_t add_row(struct call_labels *l, uint32_t function, bool is_rest)
{
	vec_push(&l->rows, ((struct call_label){.function = function, .is_rest = is_rest}));
	return (uint32_t)l->rows.n - 1;
}

/* One row of each function for all that come too late. */
static uint32_t rest_of(struct call_labels *l, uint32_t function)
{
	const uint32_t row = map_number(&l->rest, function, l->rows.n);

	return row == l->rows.n ? add_row(l, function, true) : row;
}

uint32_t call_labels_row(struct call_labels *l, uint64_t values, uint32_t function)
{
	const uint32_t *known;

	if (!values)
		return 0;
	if (values == WIRE_CALL_LOST)
		return rest_of(l, function);
	known = map_get(&l->by_values, values);
	if (known)
		return *known;
	if (l->by_values.n >= CALL_VALUES_MOST)
		return rest_of(l, function);
	return map_number(&l->by_values, values, add_row(l, function, false));
}

/* Adds what the parts say, the last of which is the entry. False: it is not there. */
static bool add_arguments(const struct wire_stack *values, const struct signature *is,
			  struct str *out)
{
	const uint8_t *at = (const uint8_t *)(values + 1);
	struct call_arguments arguments = {0};
	bool whole = false;

	for (uint32_t i = 0; !whole && i + WIRE_CALL_PART_WORDS <= values->depth;
	     i += WIRE_CALL_PART_WORDS) {
		struct wire_call_part part;
		struct wire_event e;

		memcpy(&part, at + i * sizeof(uint64_t), sizeof(part));
		e = (struct wire_event){.kind = part.kind,
					.flags = part.flags,
					.value1 = part.value1,
					.value2 = part.value2,
					.more = part.more};
		whole = e.kind == WIRE_EVENT_ENTRY;
		if (whole)
			call_arguments_add(&arguments, is, &e, out);
		else if (call_arguments_are(&e))
			call_arguments_take(&arguments, &e);
	}
	call_arguments_release(&arguments);
	return whole;
}

static const char *name_of(const struct call_labels *l, uint32_t function)
{
	return function < l->names.n && l->names.at[function] ? l->names.at[function] : "";
}

/* The number of the text; 0: there is no room for another one. */
static uint32_t number_of(struct call_labels *l, const char *text)
{
	const uint64_t key = hash_bytes(text, strlen(text));
	const uint32_t *known = map_get(&l->by_text, key);

	if (known)
		return strcmp(intern_text(&l->texts, *known), text) ? 0 : *known;
	if (l->by_text.n >= CALL_LABELS_MOST)
		return 0;
	return map_number(&l->by_text, key, intern_add(&l->texts, text));
}

void call_labels_take(struct call_labels *l, const struct wire_stack *values,
		      const struct signature *is)
{
	const uint32_t function = call_labels_function(values);
	const uint32_t row = call_labels_row(l, values->hash, function);
	struct str text = {0};

	if (!is || !row || l->rows.at[row].text || l->rows.at[row].is_rest)
		return;
	str_addf(&text, "%s(", name_of(l, function));
	if (add_arguments(values, is, &text)) {
		str_addc(&text, ')');
		l->rows.at[row].text = number_of(l, str_text(&text));
		l->rows.at[row].is_rest = !l->rows.at[row].text;
	}
	str_release(&text);
}

const char *call_labels_text(const struct call_labels *l, uint32_t row, struct str *room)
{
	const struct call_label *is = &l->rows.at[row];

	if (is->text)
		return intern_text(&l->texts, is->text);
	room->n = 0;
	str_addf(room, "%s(…)", name_of(l, is->function));
	return str_text(room);
}
