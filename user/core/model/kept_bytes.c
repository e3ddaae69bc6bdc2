/* kept_pack(), kept_unpack(): both ends are of one build, so rows are as they are in memory:
 *
 *	struct packed
 *	rows of each table that is of the whole, in the order of profile_tables
 *	texts, as the profile has them, each ended by a NUL
 *	pairs of key and text of the attributes
 */
#include <errno.h>
#include <string.h>

#include "base/err.h"
#include "base/str.h"
#include "model/kept_bytes.h"

#define TABLES 8 /* there are no more of the whole */

struct packed {
	uint64_t rows[TABLES];
	uint64_t text_bytes, attributes;
};

/* What is left of the bytes. */
struct rest {
	const char *at;
	size_t n;
};

static void pack_attributes(const struct profile *p, struct packed *head, struct str *out)
{
	for (size_t i = 0; i < p->run.n; i++) {
		const struct attr *a = &p->run.at[i];

		if (!str_starts(profile_text(p, a->key), REGRESSION_PREFIX))
			continue;
		str_addn(out, (const char *)a, sizeof(*a));
		head->attributes++;
	}
}

void kept_pack(const struct profile *p, struct str *out)
{
	struct packed head = {.text_bytes = p->strings.bytes.n};
	struct str attributes = {0};
	size_t n = 0;

	pack_attributes(p, &head, &attributes);
	for (const struct table_place *t = profile_tables; t->table; t++)
		if (t->table->rows == ROWS_STATE)
			head.rows[n++] = table_vec(t, p)->n;
	str_addn(out, (const char *)&head, sizeof(head));
	for (const struct table_place *t = profile_tables; t->table; t++)
		if (t->table->rows == ROWS_STATE && table_vec(t, p)->n)
			str_addn(out, table_vec(t, p)->at,
				 table_vec(t, p)->n * t->table->row_bytes);
	if (head.text_bytes)
		str_addn(out, p->strings.bytes.at, head.text_bytes);
	if (head.attributes)
		str_addn(out, attributes.s, attributes.n);
	str_release(&attributes);
}

/* The next @n things of @bytes each; NULL where there are not so many. */
static const char *take(struct rest *rest, uint64_t n, size_t bytes)
{
	const char *at = rest->at;

	if (n > rest->n / bytes)
		return NULL;
	rest->at += n * bytes;
	rest->n -= n * bytes;
	return at;
}

static int unpack_table(struct rest *rest, uint64_t n, const struct table_place *t,
			struct profile *out)
{
	struct any_vec *v = table_vec(t, out);
	const char *rows = take(rest, n, t->table->row_bytes);

	if (!rows)
		return -EINVAL;
	v->at = mem_realloc(v->at, n + 1, t->table->row_bytes);
	v->n = n;
	v->cap = n + 1;
	if (n)
		memcpy(v->at, rows, n * t->table->row_bytes);
	return 0;
}

/* Texts come in the order of their numbers, each once: then they have the same numbers here. */
static int unpack_texts(struct rest *rest, uint64_t n, struct profile *out)
{
	const char *at = take(rest, n, 1), *end = at ? at + n : NULL;

	if (!at || (n && end[-1]))
		return -EINVAL;
	intern_release(&out->strings);
	for (uint32_t i = 0; at < end; i++, at += strlen(at) + 1)
		if (intern_add(&out->strings, at) != i)
			return -EINVAL;
	return 0;
}

static int unpack_attributes(struct rest *rest, uint64_t n, struct profile *out)
{
	const char *at = take(rest, n, sizeof(struct attr));

	for (uint64_t i = 0; at && i < n; i++, at += sizeof(struct attr)) {
		struct attr a;

		memcpy(&a, at, sizeof(a));
		vec_push(&out->run, a);
	}
	return at && !rest->n ? 0 : -EINVAL;
}

static int unpack(struct rest *rest, struct profile *out)
{
	struct packed head;
	const char *at = take(rest, 1, sizeof(head));
	size_t n = 0;
	int rc = at ? 0 : -EINVAL;

	if (at)
		memcpy(&head, at, sizeof(head));
	for (const struct table_place *t = profile_tables; t->table && !rc; t++)
		if (t->table->rows == ROWS_STATE)
			rc = unpack_table(rest, head.rows[n++], t, out);
	if (!rc)
		rc = unpack_texts(rest, head.text_bytes, out);
	return rc ? rc : unpack_attributes(rest, head.attributes, out);
}

int kept_unpack(const char *at, size_t n, struct profile *out)
{
	struct rest rest = {at, n};
	struct profile *raw = profile_new();
	int rc = unpack(&rest, raw);

	if (rc)
		rc = err(rc, "the comparison cannot be read");
	if (!rc)
		rc = profile_check(raw);
	if (!rc)
		regression_copy(raw, out);
	profile_free(raw);
	return rc;
}

void kept_put_none(struct profile *p, const char *why)
{
	profile_set_run(p, REGRESSION_VERDICT, REGRESSION_NONE);
	profile_set_run(p, REGRESSION_WHY, why);
}

static size_t base_runs(const struct profile *p)
{
	size_t n = 0;

	for (size_t i = 0; i < p->regression_runs.n; i++)
		n += !p->regression_runs.at[i].is_new;
	return n;
}

char *kept_line(const struct profile *p)
{
	const char *verdict = profile_run(p, REGRESSION_VERDICT);
	const char *why = profile_run(p, REGRESSION_WHY);
	const char *version = profile_run(p, REGRESSION_BASELINE);
	const char *counts = profile_run(p, REGRESSION_COUNTS);
	const size_t n = base_runs(p);

	if (!verdict)
		return NULL;
	if (!version || !counts)
		return mem_printf("%s%s%s", verdict, why ? ": " : "", why ? why : "");
	return mem_printf("%s against %s (%zu run%s): %s", verdict, *version ? version : "the base",
			  n, n == 1 ? "" : "s", why ? why : counts);
}
