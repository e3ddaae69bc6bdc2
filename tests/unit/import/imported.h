/*
 * imported: texts and bytes through an importer. For the tests of imports; after cmocka.
 */
#ifndef TESTS_IMPORTED_H
#define TESTS_IMPORTED_H

#include <string.h>

#include "base/err.h"
#include "import/import.h"
#include "model/check.h"

/* The profile of @n bytes in @format. It does not contradict itself. Freed by the caller. */
static inline struct profile *imported_bytes(const char *format, const void *bytes, size_t n)
{
	struct profile *p = NULL;
	struct input in;
	char *contradictions;
	int rc;

	input_from_memory(&in, "x", bytes, n);
	rc = import_input(&in, import_find(format), &p);
	input_close(&in);
	if (rc)
		fail_msg("%s", err_text());
	assert_int_equal(profile_check(p), 0);
	contradictions = contradictions_text(p);
	if (contradictions)
		fail_msg("%s", contradictions);
	return p;
}

static inline struct profile *imported(const char *format, const char *text)
{
	return imported_bytes(format, text, strlen(text));
}

/* The importer refuses the bytes with a text that has these words. */
static inline void refused_bytes(const char *format, const void *bytes, size_t n, const char *words)
{
	struct profile *p = NULL;
	struct input in;
	int rc;

	input_from_memory(&in, "x", bytes, n);
	rc = import_input(&in, import_find(format), &p);
	input_close(&in);
	assert_true(rc < 0);
	if (!strstr(err_text(), words))
		fail_msg("'%s' lacks '%s'", err_text(), words);
	assert_null(p);
}

static inline void refused(const char *format, const char *text, const char *words)
{
	refused_bytes(format, text, strlen(text), words);
}

/* The sum of the ledger's rows of that class, of one metric. */
static inline int64_t ledger_count(const struct profile *p, uint32_t metric,
				   enum ledger_class class)
{
	int64_t sum = 0;

	for (size_t i = 0; i < p->ledger.n; i++)
		if (p->ledger.at[i].metric == metric && p->ledger.at[i].class == class)
			sum += p->ledger.at[i].count;
	return sum;
}

/* The zone of that name. */
static inline const struct zone *zone_named(const struct profile *p, const char *name)
{
	for (size_t i = 0; i < p->zones.n; i++)
		if (!strcmp(profile_text(p, p->zones.at[i].name), name))
			return &p->zones.at[i];
	fail_msg("no zone '%s'", name);
	return NULL;
}

#endif
