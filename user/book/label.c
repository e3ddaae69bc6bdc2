#include "book/label.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"
#include "waits/callrule.h"

/* A dev_t within the kernel: include/linux/kdev_t.h */
#define MINOR_BITS 20

void labels_init(struct labels *l)
{
	*l = (struct labels){0};
	vec_push(&l->rows, intern_add(&l->texts, ""));
}

void labels_release(struct labels *l)
{
	intern_release(&l->texts);
	vec_release(&l->rows);
	map_release(&l->by_values);
}

/* --- values ----------------------------------------------------------------------------------- */

int64_t label_value(const struct tracepoint_field *f, uint64_t word)
{
	const unsigned unused = 64 - 8u * f->at.bytes;

	if (f->meaning != FIELD_SIGNED && f->meaning != FIELD_STATE)
		return (int64_t)word;
	return (int64_t)(word << unused) >> unused;
}

/* "8:0 (sda)" */
static void add_device(struct str *s, uint64_t device)
{
	const uint64_t major = device >> MINOR_BITS, minor = device & ((1u << MINOR_BITS) - 1);
	_free_ char *path = mem_printf("/sys/dev/block/%" PRIu64 ":%" PRIu64, major, minor);
	_free_ char *link = file_link(path);

	str_addf(s, "%" PRIu64 ":%" PRIu64, major, minor);
	if (link)
		str_addf(s, " (%s)", str_base(link));
}

/* As the tracepoint itself prints it: TASK_REPORT and what preemption adds, of Linux 4.14 on. */
static void add_state(struct str *s, int64_t state)
{
	static const char letters[] = "SDTtXZPI";
	const size_t before = s->n;

	for (size_t i = 0; letters[i]; i++)
		if (state >> i & 1)
			str_addc(s, letters[i]);
	if (s->n == before)
		str_addc(s, 'R');
	if (state & 0x100)
		str_addc(s, '+');
}

static void add_text(struct str *s, const uint64_t *words)
{
	char text[8 * WIRE_LABEL_WORDS + 1] = "";
	_free_ char *clean = NULL;

	memcpy(text, words, sizeof(text) - 1);
	clean = str_clean(text, strlen(text));
	str_add(s, clean);
}

static void add_call(struct str *s, int64_t number)
{
	const char *name = number < 0 ? NULL : syscall_name((uint32_t)number, false);

	str_addf(s, "%" PRId64, number);
	if (name)
		str_addf(s, " (%s)", name);
}

static void add_value(struct str *s, const struct tracepoint_field *f, const uint64_t *words)
{
	const int64_t value = label_value(f, words[0]);

	str_addf(s, "%s%s=", s->n > 1 ? ", " : "", f->name);
	if (f->meaning == FIELD_TEXT)
		add_text(s, words);
	else if (f->meaning == FIELD_DEVICE)
		add_device(s, words[0]);
	else if (f->meaning == FIELD_STATE)
		add_state(s, value);
	else if (f->meaning == FIELD_CALL)
		add_call(s, value);
	else if (f->meaning == FIELD_HEX)
		str_addf(s, "0x%" PRIx64, words[0]);
	else if (f->meaning == FIELD_SIGNED)
		str_addf(s, "%" PRId64, value);
	else
		str_addf(s, "%" PRIu64, words[0]);
}

/* --- rows ------------------------------------------------------------------------------------- */

static uint32_t add(struct labels *l, const struct tracepoint_fields *f,
		    const struct wire_labelled *w)
{
	struct str text = {0};

	str_addc(&text, '[');
	for (uint32_t i = 0; i < f->n; i++)
		add_value(&text, &f->labels[i], w->labels[i]);
	str_addc(&text, ']');
	vec_push(&l->rows, intern_add(&l->texts, text.s));
	str_release(&text);
	return (uint32_t)l->rows.n - 1;
}

/* One row for all that come too late. */
static uint32_t add_rest(struct labels *l)
{
	if (!l->left_out++)
		vec_push(&l->rows, intern_add(&l->texts, "[other values]"));
	return (uint32_t)l->rows.n - 1;
}

uint32_t labels_take(struct labels *l, const struct tracepoint_fields *f, uint32_t event,
		     const struct wire_labelled *w)
{
	const uint64_t key = hash_two(hash_bytes(w->labels, sizeof(w->labels)), event);
	const uint32_t *known;

	if (!f->n)
		return 0;
	known = map_get(&l->by_values, key);
	if (known)
		return *known;
	if (l->rows.n > LABELS_MOST)
		return add_rest(l);
	return map_number(&l->by_values, key, add(l, f, w));
}

const char *labels_text(const struct labels *l, uint32_t row)
{
	return intern_text(&l->texts, l->rows.at[row]);
}
