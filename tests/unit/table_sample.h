/* Tables of files, and whether they keep what table.h promises. */
#ifndef TABLE_SAMPLE_H
#define TABLE_SAMPLE_H

#include <stdbool.h>

#include "unwind/native_walk.h"

#define PAGE (1u << TABLE_PAGE_BITS)

struct parts {
	const struct table_header *header;
	const uint32_t *pages, *rows;
	const struct table_rule *rules;
};

static inline struct parts parts_of(const struct table_blob *t)
{
	struct parts p = {.header = (const void *)t->words};

	p.pages = (const void *)(t->words + p.header->pages_at);
	p.rows = (const void *)(t->words + p.header->rows_at);
	p.rules = (const void *)(t->words + p.header->rules_at);
	return p;
}

/* Whether row @i has the rule that held before it; those for which there was no room are all one.
 */
static inline bool says_nothing_new(const struct parts *p, uint32_t i)
{
	struct table_rule before = p->rules[p->rows[i - 1] >> 16], now = p->rules[p->rows[i] >> 16];

	table_rule_past(&before, TABLE_PAGE_MASK);
	now.flags &= TABLE_SIGNAL | TABLE_GUESS;
	return now.cfa != TABLE_CFA_OTHER && !memcmp(&before, &now, sizeof(now));
}

/* Whether the table keeps what table.h promises. */
static inline bool is_sound(const struct table_blob *t)
{
	struct parts p = parts_of(t);
	const struct table_header *h = p.header;

	if (h->magic != TABLE_MAGIC || h->pages_at != 4 || !h->n_rules || h->n_rules > 65535 ||
	    h->rows_at != 4 + (h->n_pages + 2) / 2 || h->rules_at % 2 ||
	    h->rules_at - h->rows_at - (h->n_rows + 1) / 2 > 1 || t->n_words % TABLE_LINE_WORDS ||
	    t->n_words - h->rules_at - 2 * h->n_rules >= TABLE_LINE_WORDS ||
	    p.pages[h->n_pages] != h->n_rows || p.rules[0].cfa != TABLE_CFA_NONE)
		return false;
	for (uint32_t page = 0; page < h->n_pages; page++) {
		uint32_t first = p.pages[page], end = p.pages[page + 1];

		if (first >= end || end > h->n_rows || (p.rows[first] & 0xffff))
			return false;
		for (uint32_t i = first; i < end; i++) {
			if (p.rows[i] >> 16 >= h->n_rules)
				return false;
			if (i > first && ((p.rows[i] & 0xffff) <= (p.rows[i - 1] & 0xffff) ||
					  says_nothing_new(&p, i)))
				return false;
		}
	}
	return true;
}

static inline int build(int fd, struct table_blob *out)
{
	struct elffile f;
	int rc = elffile_open(fd, &f);

	*out = (struct table_blob){0};
	if (rc)
		return rc;
	rc = table_build(&f, out);
	elffile_release(&f);
	return rc;
}

#endif
