#include "import_json/json_tape.h"

#include <errno.h>
#include <math.h>

#include "base/err.h"
#include "base/str.h"

struct parser {
	struct json_tape *t;
	struct input *in;
	char *bytes;
	size_t at, n;
	VEC(uint32_t) open; /* arrays and objects around */
};

static int bad(const struct parser *p, const char *what)
{
	return err(-EINVAL, "'%s', byte %zu: %s", p->in->name, p->at + 1, what);
}

static void skip_blanks(struct parser *p)
{
	while (p->at < p->n && strchr(" \t\n\r", p->bytes[p->at]) && p->bytes[p->at])
		p->at++;
}

/* --- texts ------------------------------------------------------------------------------------ */

/* The four digits at @at; -1: they are none. */
static int32_t read_unit(const struct parser *p, size_t at)
{
	uint64_t unit;

	if (at + 4 > p->n || !span_number((struct span){p->bytes + at, 4}, 16, UINT16_MAX, &unit))
		return -1;
	return (int32_t)unit;
}

/* "\u20ac", or two of them for one character; half a pair is U+FFFD. False: no digits. */
static bool read_unicode(struct parser *p, size_t *to)
{
	const int32_t high = read_unit(p, p->at);
	uint32_t c = (uint32_t)high;
	int32_t low;

	if (high < 0)
		return false;
	p->at += 4;
	if (high >= 0xd800 && high < 0xe000) {
		c = 0xfffd;
		low = high < 0xdc00 && p->at + 6 <= p->n && p->bytes[p->at] == '\\' &&
				      p->bytes[p->at + 1] == 'u'
			      ? read_unit(p, p->at + 2)
			      : -1;
		if (low >= 0xdc00 && low < 0xe000) {
			c = 0x10000 + ((uint32_t)(high & 0x3ff) << 10 | (uint32_t)(low & 0x3ff));
			p->at += 6;
		}
	}
	*to += str_put_code(p->bytes + *to, c);
	return true;
}

static bool read_escape(struct parser *p, size_t *to)
{
	static const char names[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
	const char c = p->at < p->n ? p->bytes[p->at] : 0;
	const char *at = c ? strchr(names, c) : NULL;

	p->at++;
	if (c == 'u')
		return read_unicode(p, to);
	if (at)
		p->bytes[(*to)++] = meant[at - names];
	return at != NULL;
}

/* Behind the first quote. What a text means is never longer than how it is written. */
static int read_text(struct parser *p, struct json_value *v)
{
	size_t to = p->at;

	*v = (struct json_value){.type = JSON_TEXT, .at = (uint32_t)to};
	while (p->at < p->n && p->bytes[p->at] != '"') {
		const char c = p->bytes[p->at++];

		if ((unsigned char)c < ' ')
			return bad(p, "a control character in a text");
		if (c != '\\')
			p->bytes[to++] = c;
		else if (!read_escape(p, &to))
			return bad(p, "an escape that JSON does not have");
	}
	if (p->at >= p->n)
		return bad(p, "the file ends within a text");
	p->at++;
	v->n = (uint32_t)(to - v->at);
	return 0;
}

/* --- values ----------------------------------------------------------------------------------- */

static bool read_word(struct parser *p, const char *word)
{
	const struct span rest = {p->bytes + p->at, p->n - p->at};

	if (!span_starts(rest, word))
		return false;
	p->at += strlen(word);
	return true;
}

static int read_number(struct parser *p, struct json_value *v)
{
	double value;
	size_t n = 0;

	while (p->at + n < p->n && p->bytes[p->at + n] &&
	       strchr("0123456789+-.eE", p->bytes[p->at + n]))
		n++;
	if (!span_double((struct span){p->bytes + p->at, n}, &value))
		return bad(p, "neither a value of JSON nor a finite number");
	*v = (struct json_value){JSON_NUMBER, (uint32_t)p->at, (uint32_t)n, 0};
	p->at += n;
	return 0;
}

static int read_value(struct parser *p, struct json_value *v)
{
	const char c = p->at < p->n ? p->bytes[p->at] : 0;

	*v = (struct json_value){.type = c == '{' ? JSON_OBJECT : JSON_ARRAY};
	if (c == '{' || c == '[' || c == '"') {
		p->at++;
		return c == '"' ? read_text(p, v) : 0;
	}
	v->type = JSON_NULL;
	if (read_word(p, "null"))
		return 0;
	v->type = JSON_BOOL;
	if (read_word(p, "true") || read_word(p, "false"))
		return 0;
	return read_number(p, v);
}

static struct json_value *innermost(struct parser *p)
{
	return &p->t->values.at[p->open.at[p->open.n - 1]];
}

static int put_value(struct parser *p)
{
	struct json_value v;
	int rc = read_value(p, &v);

	if (rc)
		return rc;
	if (p->t->values.n >= JSON_MOST)
		return err(-EFBIG, "'%s' holds more than %u values", p->in->name, JSON_MOST);
	v.next = (uint32_t)p->t->values.n + 1;
	vec_push(&p->t->values, v);
	if (v.type != JSON_ARRAY && v.type != JSON_OBJECT)
		return 0;
	if (p->open.n >= JSON_DEPTH)
		return bad(p, "nested too deep");
	vec_push(&p->open, (uint32_t)p->t->values.n - 1);
	return 0;
}

/* "name": */
static int put_key(struct parser *p)
{
	int rc;

	if (p->at >= p->n || p->bytes[p->at] != '"')
		return bad(p, "a key in quotes is expected");
	rc = put_value(p);
	skip_blanks(p);
	if (!rc && (p->at >= p->n || p->bytes[p->at] != ':'))
		return bad(p, "':' is expected");
	p->at++;
	skip_blanks(p);
	return rc;
}

/* An item of what is open, or its end. */
static int step(struct parser *p)
{
	struct json_value *in = innermost(p);
	const char end = in->type == JSON_OBJECT ? '}' : ']';
	int rc = 0;

	skip_blanks(p);
	if (p->at < p->n && p->bytes[p->at] == end) {
		p->at++;
		in->next = (uint32_t)p->t->values.n;
		p->open.n--;
		return 0;
	}
	if (in->n) {
		if (p->at >= p->n || p->bytes[p->at] != ',')
			return bad(p, "',' or the end of an array or object is expected");
		p->at++;
		skip_blanks(p);
	}
	in->n++;
	if (in->type == JSON_OBJECT)
		rc = put_key(p);
	return rc ? rc : put_value(p);
}

/* Whether what is wrong is that a list of records was not written to its end: it holds the whole
 * ones, the last of which ended before value @whole. */
static bool cut_off(struct parser *p, size_t whole, uint32_t items)
{
	struct json_value *root = &p->t->values.at[JSON_ROOT];

	skip_blanks(p);
	/* A word or number may be cut, too. */
	while (p->at < p->n && !strchr("{}[],:\"", p->bytes[p->at]))
		p->at++;
	if (p->at < p->n || root->type != JSON_ARRAY || !items)
		return false;
	p->t->values.n = whole;
	root->n = items;
	root->next = (uint32_t)whole;
	p->t->cut = true;
	return true;
}

static int parse(struct parser *p)
{
	size_t whole = JSON_ROOT + 1;
	uint32_t items = 0;
	int rc;

	vec_push(&p->t->values, ((struct json_value){.next = 1}));
	skip_blanks(p);
	rc = put_value(p);
	while (!rc && p->open.n) {
		rc = step(p);
		if (!rc && p->open.n == 1) {
			whole = p->t->values.n;
			items = p->t->values.at[JSON_ROOT].n;
		}
	}
	if (rc == -EINVAL && p->t->values.n > JSON_ROOT && cut_off(p, whole, items))
		return 0;
	skip_blanks(p);
	return !rc && p->at < p->n ? bad(p, "something follows the end") : rc;
}

int json_tape_read(struct json_tape *t, struct input *in)
{
	struct parser p = {.t = t, .in = in};
	struct span all;
	int rc = input_all(in, JSON_BYTES, &all);

	if (rc)
		return rc;
	t->bytes = p.bytes = in->buffer + (all.s - in->buffer);
	p.n = all.n;
	rc = parse(&p);
	vec_release(&p.open);
	return rc;
}

void json_tape_release(struct json_tape *t)
{
	vec_release(&t->values);
}

/* --- what is in it ---------------------------------------------------------------------------- */

struct span tape_text(const struct json_tape *t, uint32_t i)
{
	const struct json_value *v = &t->values.at[i];

	return v->type == JSON_TEXT ? (struct span){t->bytes + v->at, v->n} : (struct span){"", 0};
}

uint32_t tape_get(const struct json_tape *t, uint32_t object, const char *key)
{
	uint32_t found = 0;

	tape_each_key(t, at, object) if (span_is(tape_text(t, at), key)) found = at + 1;
	return found;
}

bool tape_double(const struct json_tape *t, uint32_t i, double *out)
{
	const struct json_value *v = &t->values.at[i];

	return (v->type == JSON_NUMBER || v->type == JSON_TEXT) &&
	       span_double((struct span){t->bytes + v->at, v->n}, out);
}

bool tape_is_whole(const struct json_tape *t, uint32_t i)
{
	const struct json_value *v = &t->values.at[i];
	int64_t value;

	return (v->type == JSON_NUMBER || v->type == JSON_TEXT) &&
	       span_int((struct span){t->bytes + v->at, v->n}, &value);
}

bool tape_scaled(const struct json_tape *t, uint32_t i, int64_t scale, int64_t *out)
{
	const struct json_value *v = &t->values.at[i];
	double value;

	if ((v->type == JSON_NUMBER || v->type == JSON_TEXT) &&
	    span_int((struct span){t->bytes + v->at, v->n}, out))
		return !__builtin_mul_overflow(*out, scale, out) && *out < INT64_MAX / 2 &&
		       *out > -(INT64_MAX / 2);
	if (!tape_double(t, i, &value) || fabs(value * (double)scale) >= 4e18)
		return false;
	*out = llround(value * (double)scale);
	return true;
}

bool tape_index(const struct json_tape *t, uint32_t i, uint32_t *out)
{
	int64_t value;

	if (!tape_scaled(t, i, 1, &value) || value < 0 || value >= UINT32_MAX)
		return false;
	*out = (uint32_t)value;
	return true;
}

void tape_items_read(struct tape_items *items, const struct json_tape *t, uint32_t array)
{
	tape_each(t, item, array) vec_push(&items->all, item);
}

/* --- how it begins ---------------------------------------------------------------------------- */

bool json_head_is(struct span head, char bracket)
{
	while (head.n && strchr(" \t\n\r", head.s[0]) && head.s[0])
		head = span_from(head, 1);
	return head.n && head.s[0] == bracket;
}

/* Cuts off a text behind its first quote, escapes and all. */
static struct span take_quoted(struct span *rest)
{
	const char *start = rest->s;
	size_t n = 0;

	while (n < rest->n && start[n] != '"')
		n += start[n] == '\\' && n + 1 < rest->n ? 2 : 1;
	*rest = span_from(*rest, n < rest->n ? n + 1 : n);
	return (struct span){start, n};
}

bool json_head_has(struct span head, unsigned depth, const char *key)
{
	unsigned at = 0;

	while (head.n) {
		const char c = head.s[0];
		struct span text;

		head = span_from(head, 1);
		if (c == '{' || c == '[')
			at++;
		else if ((c == '}' || c == ']') && at)
			at--;
		if (c != '"')
			continue;
		text = take_quoted(&head);
		while (head.n && is_blank(head.s[0]))
			head = span_from(head, 1);
		if (at == depth && head.n && head.s[0] == ':' && span_is(text, key))
			return true;
	}
	return false;
}
